"""Cells of sentence pairs: one for each pair of a source and a target word.

Cells are flat and source-major: with I source and J target words, cell ``i * J + j``
of a pair joins source word i and target word j; pairs follow one another.
"""

import numpy as np
from numba import njit

__all__ = [
    "spread_over_source",
    "spread_over_target",
    "sum_by_source",
    "sum_by_target",
]


@njit(cache=True, nogil=True)
def sum_by_source(cells, n_source, n_target):
    """Sum the cells of each source word, (n_source.sum(),)."""
    out = np.zeros(n_source.sum())
    word = cell = 0
    for n in range(len(n_source)):
        for _ in range(n_source[n]):
            total = 0.0
            for _ in range(n_target[n]):
                total += cells[cell]
                cell += 1
            out[word] = total
            word += 1
    return out


@njit(cache=True, nogil=True)
def sum_by_target(cells, n_source, n_target):
    """Sum the cells of each target word, (n_target.sum(),)."""
    out = np.zeros(n_target.sum())
    first = cell = 0
    for n in range(len(n_source)):
        for _ in range(n_source[n]):
            for j in range(n_target[n]):
                out[first + j] += cells[cell]
                cell += 1
        first += n_target[n]
    return out


@njit(cache=True, nogil=True)
def spread_over_source(words, n_source, n_target):
    """Give every cell the value of its source word, (n_cells,)."""
    out = np.empty((n_source * n_target).sum(), words.dtype)
    word = cell = 0
    for n in range(len(n_source)):
        for _ in range(n_source[n]):
            for _ in range(n_target[n]):
                out[cell] = words[word]
                cell += 1
            word += 1
    return out


@njit(cache=True, nogil=True)
def spread_over_target(words, n_source, n_target):
    """Give every cell the value of its target word, (n_cells,)."""
    out = np.empty((n_source * n_target).sum(), words.dtype)
    first = cell = 0
    for n in range(len(n_source)):
        for _ in range(n_source[n]):
            for j in range(n_target[n]):
                out[cell] = words[first + j]
                cell += 1
        first += n_target[n]
    return out

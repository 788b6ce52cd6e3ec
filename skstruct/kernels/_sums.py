"""Tables gathered by an index and added up, and the transpose of that."""

import numpy as np
from numba import njit

__all__ = ["add_rows", "sum_rows"]


@njit(cache=True, nogil=True)
def add_rows(out, table, index, factor):
    """Add ``factor * table[index]`` to ``out`` (T, K), without a copy of it."""
    for t in range(len(index)):
        row = table[index[t]]
        for k in range(out.shape[1]):
            out[t, k] += factor * row[k]


@njit(cache=True, nogil=True)
def sum_rows(index, values, n):
    """Sum the rows of ``values`` (T, K) that share an index below n, (n, K)."""
    out = np.zeros((n, values.shape[1]))
    for t in range(len(index)):
        row = out[index[t]]
        for k in range(values.shape[1]):
            row[k] += values[t, k]
    return out

"""Links of word alignments: sets of them merged, two directions joined."""

from heapq import heappop, heappush

import numpy as np
from numba import njit

__all__ = ["FORWARD", "REVERSE", "grow_links", "merge_links"]

# The sets that `merge_links(forward, reverse)` finds a link in.
FORWARD, REVERSE = 1, 2


def merge_links(*parts):
    """Distinct links of several sets in order, and the sets that each is in.

    Parameters
    ----------
    *parts : tuple (pair, source, target) of ndarrays of shape (n,)
        Links in any order, also repeated ones; numbers are not negative.

    Returns
    -------
    pair, source, target : ndarray of shape (m,)
        The union, sorted by pair, source and target.
    member : ndarray of uint8 of shape (m,)
        Bit b is set where ``parts[b]`` has the link.
    """
    sizes = [len(part[0]) for part in parts]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = _sorting(*columns)
    columns = [column[order] for column in columns]
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    bits = np.repeat(np.left_shift(1, np.arange(len(parts))).astype(np.uint8), sizes)
    member = np.bitwise_or.reduceat(bits[order], np.flatnonzero(new))
    return *(column[new] for column in columns), member


def _sorting(pair, source, target):
    n, height, width = (int(c.max(initial=0)) + 1 for c in (pair, source, target))
    if n * height * width > np.iinfo(np.int64).max:
        return np.lexsort((target, source, pair))
    # One key is several times faster, most of all where the parts are sorted.
    code = (pair.astype(np.int64) * height + source) * width + target
    return np.argsort(code, kind="stable")


@njit(cache=True, nogil=True)
def grow_links(offsets, source, target, member, n_free):
    """Grow the intersection of two directions by points of their union.

    Parameters
    ----------
    offsets : ndarray of int of shape (n_pairs + 1,)
        Where the points of a sentence pair begin.
    source, target : ndarray of int of shape (n,)
        The points of the union, sorted by source and target in each pair.
    member : ndarray of uint8 of shape (n,)
        ``FORWARD | REVERSE`` where both directions have the point.
    n_free : int
        Words of a point that must be free in the final pass; 0 leaves the pass out.

    Returns
    -------
    ndarray of bool of shape (n,)
        The points kept.
    """
    kept = member == (FORWARD | REVERSE)
    for s in range(len(offsets) - 1):
        part = slice(offsets[s], offsets[s + 1])
        if part.start < part.stop:
            _grow_pair(source[part], target[part], member[part], n_free, kept[part])
    return kept


@njit(cache=True, nogil=True)
def _grow_pair(source, target, member, n_free, kept):
    """Grow one sentence pair; ``kept`` is changed."""
    # A word's number is the place of its first point, so that no array is as large as
    # the largest position.
    row = np.searchsorted(source, source)
    column = np.searchsorted(np.sort(target), target)
    row_taken = np.zeros(len(source), dtype=np.bool_)
    column_taken = np.zeros(len(source), dtype=np.bool_)
    # Sweeps over all points until nothing is added, in n log n: a point can be added
    # from the visit on that finds a neighbour kept, and if its words are taken then,
    # they stay so. Each point waits once, for visit ``sweep * n_points + point``.
    seen = kept.copy()
    visits = [0 for _ in range(0)]
    for p in np.flatnonzero(kept):
        row_taken[row[p]] = column_taken[column[p]] = True
        _see_neighbours(source, target, seen, p, -1, visits)
    while visits:
        visit = heappop(visits)
        p = visit % len(source)
        if not (row_taken[row[p]] and column_taken[column[p]]):
            kept[p] = row_taken[row[p]] = column_taken[column[p]] = True
            _see_neighbours(source, target, seen, p, visit, visits)
    if n_free == 0:
        return
    for side in (FORWARD, REVERSE):
        for p in range(len(source)):
            free = (not row_taken[row[p]]) + (not column_taken[column[p]])
            if member[p] == side and not kept[p] and free >= n_free:
                kept[p] = row_taken[row[p]] = column_taken[column[p]] = True


@njit(cache=True, nogil=True)
def _see_neighbours(source, target, seen, p, visit, visits):
    """Plan the first visit after this one of unseen points around point p."""
    n = len(source)
    for i in range(source[p] - 1, source[p] + 2):
        q = _first_from(source, target, i, target[p] - 1)
        while q < n and source[q] == i and target[q] <= target[p] + 1:
            if not seen[q]:
                seen[q] = True
                heappush(visits, q + n * ((visit - q) // n + 1))
            q += 1


@njit(cache=True, nogil=True)
def _first_from(source, target, i, j):
    """The first point that does not stand before (i, j)."""
    low, high = 0, len(source)
    while low < high:
        middle = (low + high) // 2
        if source[middle] < i or (source[middle] == i and target[middle] < j):
            low = middle + 1
        else:
            high = middle
    return low

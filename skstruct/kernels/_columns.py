"""Equal columns of a sparse matrix."""

import numpy as np
from numba import njit

__all__ = ["number_equal_columns"]

# Entries that a column has to have to be put first, where a cache may hold it.
_MANY = 64


@njit(cache=True, nogil=True)
def _digests(indptr, indices, bits):
    """A number for each column, the same for equal ones."""
    out = np.zeros(len(indptr) - 1, np.uint64)
    for f in range(len(out)):
        x = np.uint64(0)
        for j in range(indptr[f], indptr[f + 1]):
            x = (x ^ np.uint64(indices[j])) * np.uint64(0x9E3779B97F4A7C15)
            x = (x ^ (x >> np.uint64(29)) ^ bits[j]) * np.uint64(0xBF58476D1CE4E5B9)
        out[f] = x
    return out


@njit(cache=True, nogil=True)
def _equal(f, g, indptr, indices, data):
    n = indptr[f + 1] - indptr[f]
    if indptr[g + 1] - indptr[g] != n:
        return False
    for j in range(n):
        i, k = indptr[f] + j, indptr[g] + j
        if indices[i] != indices[k] or data[i] != data[k]:
            return False
    return True


@njit(cache=True, nogil=True)
def _number(order, indptr, indices, data):
    """Number columns in this order, those equal to the one before alike."""
    out, n = np.empty(len(order), np.intp), -1
    for i in range(len(order)):
        if i == 0 or not _equal(order[i - 1], order[i], indptr, indices, data):
            n += 1
        out[order[i]] = n
    return out


def number_equal_columns(matrix):
    """Numbers of columns, equal columns having the same.

    Parameters
    ----------
    matrix : csc_array of shape (N, F), float64
        With sorted indices.

    Returns
    -------
    ndarray of shape (F,), intp
        From 0: first columns of many entries, then others by their first rows.
    """
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
    digest = _digests(indptr, indices, data.view(np.uint64))
    counts = np.diff(indptr)
    first = np.append(indices, matrix.shape[0])[indptr[:-1]]
    first[counts == 0] = matrix.shape[0]
    # Equal columns become neighbours; different ones are never taken for equal.
    order = np.lexsort((digest, first, counts < _MANY))
    return _number(order, indptr, indices, data)

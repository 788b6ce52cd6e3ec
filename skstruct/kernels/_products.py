"""Products of sparse matrices with tables of few columns."""

import numpy as np
from numba import njit

from skstruct.kernels._threads import chunks, run_chunks

__all__ = ["pairs_times", "pairs_transposed", "sparse_times", "transposed_times"]

# Entries of the sparse matrix that one piece of work holds, and most pieces with sums.
_CHUNK, _MOST_SUMS = 1 << 18, 16


@njit(cache=True, nogil=True)
def _times(indptr, indices, data, table, base, out, first, last):
    """Rows first:last of ``out = base + matrix @ table``.

    Four rows of the table are added at a time: the sum is read and written less often.
    """
    K = table.shape[1]
    for i in range(first, last):
        row, j, end = out[i], indptr[i], indptr[i + 1]
        for k in range(K):
            row[k] = base[k]
        while j + 4 <= end:
            a, b = table[indices[j]], table[indices[j + 1]]
            c, d = table[indices[j + 2]], table[indices[j + 3]]
            p, q, r, s = data[j], data[j + 1], data[j + 2], data[j + 3]
            for k in range(K):
                row[k] += (p * a[k] + q * b[k]) + (r * c[k] + s * d[k])
            j += 4
        while j < end:
            a, p = table[indices[j]], data[j]
            for k in range(K):
                row[k] += p * a[k]
            j += 1


@njit(cache=True, nogil=True)
def _transposed(indptr, indices, data, table, n_columns, first, last):
    """``matrix[first:last].T @ table[first:last]``."""
    K = table.shape[1]
    out = np.zeros((n_columns, K))
    for i in range(first, last):
        row = table[i]
        for j in range(indptr[i], indptr[i + 1]):
            total, x = out[indices[j]], data[j]
            for k in range(K):
                total[k] += x * row[k]
    return out


@njit(cache=True, nogil=True)
def _pairs_times(indptr, indices, data, ptr, labels, weights, out, first, last):
    """Add rows first:last of ``matrix @ table``, for a sparse table of weights."""
    for i in range(first, last):
        row = out[i]
        for j in range(indptr[i], indptr[i + 1]):
            f, x = indices[j], data[j]
            for p in range(ptr[f], ptr[f + 1]):
                row[labels[p]] += x * weights[p]


@njit(cache=True, nogil=True)
def _pairs_transposed(indptr, indices, data, ptr, labels, counts, out, first, last):
    """Rows first:last of ``matrix @ counts``, of some columns only."""
    for f in range(first, last):
        for p in range(ptr[f], ptr[f + 1]):
            k, total = labels[p], 0.0
            for j in range(indptr[f], indptr[f + 1]):
                total += data[j] * counts[indices[j], k]
            out[p] = total


def sparse_times(matrix, table, base, out, n_jobs=None):
    """``out = base + matrix @ table``, in threads over the rows of the matrix.

    Each row is summed by one thread, in the order of its entries: the result does not
    depend on ``n_jobs``.

    Parameters
    ----------
    matrix : csr_array of shape (N, F), float64
        Many rows of few entries each.
    table : ndarray of shape (F, K), float64
        Few columns, C-ordered.
    base : ndarray of shape (K,), float64
        Added to every row.
    out : ndarray of shape (N, K), float64
        Receives the product.
    n_jobs : int, default=None
        Threads.
    """

    def do(first, last):
        _times(*parts, table, base, out, first, last)

    parts = matrix.indptr, matrix.indices, matrix.data
    run_chunks(do, chunks(matrix.indptr, _CHUNK), n_jobs)


def transposed_times(matrix, table, n_jobs=None):
    """``matrix.T @ table`` for so few columns that a cache holds the result.

    Parameters
    ----------
    matrix : csr_array of shape (N, F), float64
        Few columns of many entries each.
    table : ndarray of shape (N, K), float64
        Few columns, C-ordered.
    n_jobs : int, default=None
        Threads; the result does not depend on their number.

    Returns
    -------
    ndarray of shape (F, K)
    """

    def do(first, last):
        return _transposed(*parts, table, matrix.shape[1], first, last)

    parts = matrix.indptr, matrix.indices, matrix.data
    size = max(_CHUNK, matrix.nnz // _MOST_SUMS + 1)
    zero = np.zeros((matrix.shape[1], table.shape[1]))
    return sum(run_chunks(do, chunks(matrix.indptr, size), n_jobs), start=zero)


def pairs_times(matrix, pairs, weights, out, n_jobs=None):
    """Add ``matrix @ table`` to ``out``, the table being sparse.

    Parameters
    ----------
    matrix : csr_array of shape (N, F), float64
        Many rows of few entries each.
    pairs : csr_array of shape (F, K)
        Where the table has its entries.
    weights : ndarray of shape (P,), float64
        The entries.
    out : ndarray of shape (N, K), float64
        Is added to.
    n_jobs : int, default=None
        Threads; the result does not depend on their number.
    """

    def do(first, last):
        _pairs_times(*parts, weights, out, first, last)

    parts = matrix.indptr, matrix.indices, matrix.data, pairs.indptr, pairs.indices
    run_chunks(do, chunks(matrix.indptr, _CHUNK), n_jobs)


def pairs_transposed(matrix, pairs, counts, out, n_jobs=None):
    """Some entries of ``matrix @ counts``.

    Parameters
    ----------
    matrix : csr_array of shape (F, N), float64
        Many rows of few entries each.
    pairs : csr_array of shape (F, K)
        Where an entry is asked for.
    counts : ndarray of shape (N, K), float64
        Few columns, C-ordered.
    out : ndarray of shape (P,), float64
        Receives the entries.
    n_jobs : int, default=None
        Threads; the result does not depend on their number.
    """

    def do(first, last):
        _pairs_transposed(*parts, counts, out, first, last)

    parts = matrix.indptr, matrix.indices, matrix.data, pairs.indptr, pairs.indices
    run_chunks(do, chunks(matrix.indptr, _CHUNK), n_jobs)

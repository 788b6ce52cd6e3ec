"""Rows of the words around each token, joined to one row."""

import numpy as np
import scipy.sparse as sp

from skstruct.containers import neighbours, offsets_of

__all__ = ["join_rows", "rows_around"]


def rows_around(words, index, offsets, window):
    """Which rows of features each token joins.

    Parameters
    ----------
    words : csr_array of shape (U, F)
        Features of distinct words.
    index : ndarray of shape (T,)
        The word of each token.
    offsets : ndarray of shape (n + 1,)
        Where sequences begin.
    window : int
        Number W of neighbours on either side.

    Returns
    -------
    table : csr_array of shape ((2 W + 1) (U + 1), (2 W + 1) F + 2 W)
        Words and the boundary at each place of the window, one place below the other.
        Columns of a place are F features and whether it is beyond the boundary, which
        a token itself never is.
    rows : ndarray of shape (T, 2 W + 1)
        Rows of the table for each token.
    """
    n, width = words.shape
    places = np.arange(-window, window + 1)
    starts = offsets_of(width + (places != 0))
    rows = np.empty((len(index), len(places)), dtype=np.intp)
    columns, values, lengths = [], [], []
    for i, place in enumerate(places):
        beyond = np.arange(starts[i] + width, starts[i + 1])  # one column, or none
        columns += [words.indices + starts[i], beyond]
        values += [words.data, np.ones(len(beyond))]
        lengths += [np.diff(words.indptr), [len(beyond)]]
        rows[:, i] = np.append(index, n)[neighbours(offsets, place)] + i * (n + 1)
    ends = offsets_of(np.concatenate(lengths))
    parts = np.concatenate(values), np.concatenate(columns), ends
    return sp.csr_array(parts, shape=(len(ends) - 1, starts[-1])), rows


def join_rows(table, rows):
    """Rows of a table side by side; their columns must differ and rise.

    Parameters
    ----------
    table : csr_array of shape (U, F)
        Rows to take.
    rows : ndarray of shape (T, P)
        Those that make up each new row.

    Returns
    -------
    csr_array of shape (T, F)
        Its indices are 32-bit integers where they fit, half as large.
    """
    n_values = np.diff(table.indptr)[rows].sum()
    is_small = max(n_values, *table.shape) <= np.iinfo(np.int32).max
    kind = np.int32 if is_small else np.int64
    parts = table.data, table.indices.astype(kind), table.indptr.astype(kind)
    taken = sp.csr_array(parts, shape=table.shape)[rows.ravel()]
    ends = taken.indptr[:: rows.shape[1]]
    return sp.csr_array(
        (taken.data, taken.indices, ends), shape=(len(rows), table.shape[1])
    )

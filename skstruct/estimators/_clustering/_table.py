"""A table of occurrences as the clusterers read it: numbers, distinct rows, weights."""

import warnings
from contextlib import contextmanager
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np

from skstruct.containers import Vocabulary

__all__ = ["MergedRows", "TableEncoder", "View", "merge_rows"]

# Bins of a column of measurements: deciles, or fewer so that each has some rows.
_N_BINS = 10
_ROWS_PER_BIN = 5
# Numbers of which more are different, and a larger share of all, hardly recur.
_MANY, _MOST = 20, 0.9


class View(NamedTuple):
    """The columns of one model: what is classified, and where it stands.

    Attributes
    ----------
    key : int
        Number of the column of phrases.
    slots : tuple of int
        Numbers of the columns of contexts.
    """

    key: int
    slots: tuple


class MergedRows(NamedTuple):
    """Distinct rows of a training table, sorted by phrase.

    Attributes
    ----------
    codes : ndarray of shape (N, n_columns)
        Numbers of the values.
    weight : ndarray of shape (N,)
        Sum of the weights of the rows that are alike.
    row : ndarray of shape (n,)
        The distinct row of each row of the table; -1 of one that is left out.
    starts : ndarray of shape (P + 1,)
        Where phrases begin.
    phrase : ndarray of shape (P,)
        Number of each phrase.
    """

    codes: np.ndarray
    weight: np.ndarray
    row: np.ndarray
    starts: np.ndarray
    phrase: np.ndarray


class _Symbols:
    """A column of categories."""

    def __init__(self, values):
        measured = next(filter(_is_measured, dict.fromkeys(values.tolist())), None)
        if measured is not None:
            raise ValueError(
                f"text stands beside the measurement {measured}. Write all of the "
                "column as text, or as numbers."
            )
        self.names = Vocabulary.learn(values).symbols
        self._code = {name: code for code, name in enumerate(self.names.tolist())}

    def codes(self, values):
        # Whole numbers meet the floats that equal them; whatever else is new.
        found = map(self._code.get, values.tolist(), repeat(len(self.names)))
        return np.fromiter(found, np.intp, len(values))

    def hardly_recur(self, n_rows):
        """Whether these are numbers that are different in most of ``n_rows``."""
        if len(self.names) <= max(_MANY, _MOST * n_rows):
            return False
        try:
            self.names.astype(float)  # what stands beside text has become text
        except (TypeError, ValueError, OverflowError):
            return False
        return True


def _is_measured(value):
    return isinstance(value, float | np.floating) and not float(value).is_integer()


class _Bins:
    """A column of measurements, cut at quantiles."""

    def __init__(self, values, weight):
        share = np.cumsum(weight[order := np.argsort(values, kind="stable")])
        n_bins = int(min(_N_BINS, max(2, share[-1] // _ROWS_PER_BIN)))
        cuts = np.arange(1, n_bins) / n_bins * share[-1]
        self.edges = np.unique(values[order][np.searchsorted(share, cuts)])
        ends = ["-inf", *(f"{e:.4g}" for e in self.edges), "inf"]
        names = [f"({low}, {high}]" for low, high in pairwise(ends)]
        self.names = np.array(names, dtype=object)

    def codes(self, values):
        try:
            values = values.astype(float)
        except (TypeError, ValueError):
            raise ValueError("it was of measurements in fit, and is not now.") from None
        return np.searchsorted(self.edges, values)


def _learn_column(values, weight):
    """Measurements are binned, all else are categories; columns are objects or not."""
    if values.dtype == object:
        kinds = set(map(type, values.tolist()))
        numeric = all(issubclass(k, int | float | np.number) for k in kinds)
        whole = all(issubclass(k, int | np.integer) for k in kinds)
        if whole or not numeric or bool in kinds:
            return _Symbols(values)
        values = values.astype(float)
    if values.dtype.kind == "f":
        values = values.astype(float)  # half precision cannot hold what follows
        whole = (values == np.rint(values)).all() and (abs(values) < 2**53).all()
        if not whole:
            return _Bins(values, weight)
        values = values.astype(np.int64)
    return _Symbols(values)


class TableEncoder:
    """Numbers the values of the columns of a table.

    Attributes
    ----------
    columns : list
        What was learnt of each column; ``names`` are its values.
    """

    def learn(self, table, weight, names):
        """Learn the values of the rows (n, n_columns) that have weight; all encoded.

        ``names`` tells columns in warnings.
        """
        counted, self.columns = weight > 0, []
        for k, values in enumerate(table.T):
            with _naming(k):
                column = _learn_column(values[counted], weight[counted])
            if isinstance(column, _Symbols) and column.hardly_recur(counted.sum()):
                warnings.warn(
                    f"X, column {names[k]!r}, holds {len(column.names)} different "
                    f"numbers in {counted.sum()} rows, each read as a category of its "
                    "own, which says nothing of other rows. If they are measured, cut "
                    "them into bins first, as sklearn.preprocessing.KBinsDiscretizer "
                    "does.",
                    stacklevel=4,
                )
            self.columns.append(column)
        return self.encode(table)

    def encode(self, table):
        """Numbers of values (n, n_columns); a new value has the first free number."""
        codes = np.empty(table.shape, dtype=np.intp, order="F")
        for k, (column, values) in enumerate(zip(self.columns, table.T, strict=True)):
            with _naming(k):
                codes[:, k] = column.codes(values)
        return codes

    def sizes(self, columns):
        """Number of values of these columns."""
        return [len(self.columns[c].names) for c in columns]


@contextmanager
def _naming(column):
    """Say of errors which column they are about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"X, column {column}: {error}") from None


def merge_rows(codes, weight, min_count, key):
    """Join rows that are alike, of phrases that occur often enough.

    Parameters
    ----------
    codes : ndarray of shape (n, n_columns)
        Numbers of values.
    weight : ndarray of shape (n,)
        Weights of rows; those of weight 0 are left out.
    min_count : float
        Least weight of a phrase.
    key : int
        The column of phrases.

    Returns
    -------
    MergedRows
    """
    count = np.bincount(codes[:, key], weight)
    # Sums of fractions may miss a whole number by a rounding error.
    frequent = count >= min_count * (1 - 1e-9)
    kept = np.flatnonzero((weight > 0) & frequent[codes[:, key]])
    order = [key, *(c for c in range(codes.shape[1]) if c != key)]
    number = np.zeros(len(kept), dtype=np.int64)
    for column in order:
        values = codes[kept, column]
        number = number * (int(values.max(initial=0)) + 1) + values
        # Numbers stay below the number of rows times that of values.
        _, first, number = np.unique(number, return_index=True, return_inverse=True)
    row = np.full(len(codes), -1, dtype=np.intp)
    row[kept] = number
    merged = codes[kept[first]] if len(kept) else codes[:0]
    phrase, starts = np.unique(merged[:, key], return_index=True)
    return MergedRows(
        merged,
        np.bincount(number, weight[kept], len(merged)),
        row,
        np.append(starts, len(merged)),
        phrase,
    )

"""Ragged from and back to data frames (pandas, polars, ...)."""

import narwhals.stable.v1 as nw
import numpy as np

__all__ = ["add_column", "cut_frame", "take_rows"]


def _wrap(frame):
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise ValueError(
            f"Expected a pandas or polars DataFrame, got {type(frame).__name__}."
        ) from error


def _column(frame, name, parameter):
    if name not in frame.columns:
        raise ValueError(
            f"{parameter}={name!r} is not a column of the frame; its columns are "
            f"{list(frame.columns)}."
        )
    return frame[name].to_numpy()


def cut_frame(frame, columns, group, order):
    """Values, offsets and the rows of a frame in token order.

    Returns
    -------
    values : ndarray of shape (n_tokens,) or (n_tokens, d)
        The chosen columns; one named by a string stays 1-D.
    offsets : ndarray of shape (n_sequences + 1,)
        Groups in the order of their first rows.
    rows : ndarray of shape (n_tokens,)
        Row of the frame behind each token.
    """
    wrapped = _wrap(frame)
    n = len(wrapped)
    rows = np.arange(n)
    codes = np.zeros(n, dtype=np.intp)
    if group is not None:
        seen = {}
        names = _column(wrapped, group, "group")
        codes = np.fromiter(
            (seen.setdefault(name, len(seen)) for name in names.tolist()), np.intp, n
        )
    if order is not None:
        rows = np.argsort(_column(wrapped, order, "order"), kind="stable")
    rows = rows[np.argsort(codes[rows], kind="stable")]
    counts = np.bincount(codes, minlength=1) if n else np.zeros(1, dtype=np.intp)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
    if columns is None:
        columns = [c for c in wrapped.columns if c not in (group, order)]
    if isinstance(columns, str):
        values = _column(wrapped, columns, "columns")
    else:
        values = np.column_stack([_column(wrapped, c, "columns") for c in columns])
    return values[rows], offsets, rows


def take_rows(frame, rows):
    """Rows of a frame by position, in the order given; its index goes along."""
    return _wrap(frame)[np.asarray(rows).tolist(), :].to_native()


def add_column(frame, name, values):
    """The frame with one more column, as a new frame of the same library."""
    wrapped = _wrap(frame)
    native = wrapped.implementation
    index = nw.maybe_get_index(wrapped)
    column = nw.new_series(name, list(values), backend=native)
    if index is not None:
        column = nw.maybe_set_index(column, index=index)
    return wrapped.with_columns(column.alias(name)).to_native()

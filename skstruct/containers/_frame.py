"""Ragged from and back to data frames (pandas, polars, ...)."""

import narwhals.stable.v1 as nw
import numpy as np

from skstruct.containers._reading import offsets_of

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
    return frame.get_column(name)


def _key(frame, name, parameter):
    """A column that cuts or orders rows, which it can do only where it has values."""
    key = _column(frame, name, parameter)
    missing = key.is_null().to_numpy()
    if key.dtype.is_float():
        missing = missing | np.isnan(key.to_numpy())
    if missing.any():
        raise ValueError(
            f"{parameter}={name!r} is missing in row {np.flatnonzero(missing)[0]} of "
            "the frame; fill the column or drop the row."
        )
    return key


def cut_frame(frame, columns, group, order):
    """Values, offsets and the rows of a frame in token order.

    Returns
    -------
    values : ndarray of shape (n_tokens,) or (n_tokens, d)
        The chosen columns; one named by a string, or left alone, is 1-D.
    offsets : ndarray of shape (n_sequences + 1,)
        Groups in the order of their first rows.
    rows : ndarray of shape (n_tokens,)
        Row of the frame behind each token.
    """
    wrapped = _wrap(frame)
    n = len(wrapped)
    codes, lengths = np.zeros(n, dtype=np.intp), np.array([n])
    if group is not None:
        seen = {}
        names = _key(wrapped, group, "group").to_list()
        codes = np.fromiter((seen.setdefault(g, len(seen)) for g in names), np.intp, n)
        lengths = np.bincount(codes, minlength=len(seen))
    rows = np.arange(n)
    if order is not None:
        rows = np.argsort(_key(wrapped, order, "order").to_numpy(), kind="stable")
    rows = rows[np.argsort(codes[rows], kind="stable")]
    return _values(wrapped, columns, (group, order))[rows], offsets_of(lengths), rows


def _values(frame, columns, keys):
    if columns is None:
        columns = [c for c in frame.columns if c not in keys]
        columns = columns[0] if len(columns) == 1 else columns
    if isinstance(columns, str) or not np.iterable(columns):
        return _column(frame, columns, "columns").to_numpy()
    if len(columns) == 0:
        raise ValueError("The frame has no column left for the tokens; name some.")
    arrays = [_column(frame, c, "columns").to_numpy() for c in columns]
    if any(a.dtype.kind not in "biuf" for a in arrays):
        # Beside text numpy would turn numbers into text.
        arrays = [a.astype(object) for a in arrays]
    return np.column_stack(arrays)


def take_rows(frame, rows):
    """Rows of a frame by position, in the order given; its index goes along."""
    return _wrap(frame)[rows.tolist(), :].to_native()


def add_column(frame, name, values):
    """The frame with one more column, as a new frame of the same library."""
    wrapped = _wrap(frame)
    if name in wrapped.columns:
        raise ValueError(
            f"The frame has a column {name!r} already; choose another name=."
        )
    column = nw.new_series(name, values.tolist(), backend=wrapped.implementation)
    index = nw.maybe_get_index(wrapped)
    if index is not None:
        column = nw.maybe_set_index(column, index=index)
    return wrapped.with_columns(column).to_native()

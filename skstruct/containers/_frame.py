"""Ragged from and back to data frames (pandas, polars, ...)."""

import narwhals.stable.v1 as nw
import numpy as np

__all__ = ["common_header", "cut_frame", "put_beside", "with_names"]


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
    return frame[:, frame.columns.index(name)]  # names may be numbers


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
    """Values, lengths and the rows of a frame in token order.

    Returns
    -------
    values : ndarray of shape (n_tokens,) or (n_tokens, d)
        The chosen columns; one named by a string, or left alone, is 1-D.
    lengths : ndarray of shape (n_sequences,)
        Of groups in the order of their first rows.
    source : tuple (frame, rows)
        The frame, which sorting or dropping in place does not reach, and the row of it
        behind each token.
    header : DataFrame without rows or None
        The chosen columns, if values are 2-D.
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
    values, header = _values(wrapped, columns, (group, order))
    # A new frame over the same memory.
    return values[rows], lengths, (wrapped[:n].to_native(), rows), header


def _values(frame, columns, keys):
    given = columns
    if columns is None:
        columns = [c for c in frame.columns if c not in keys]
        columns = columns[0] if len(columns) == 1 else columns
    if isinstance(columns, str) or not np.iterable(columns):
        return _column(frame, columns, "columns").to_numpy(), None
    if len(columns) == 0:
        raise ValueError("The frame has no column left for the tokens; name some.")
    arrays = [_column(frame, c, "columns").to_numpy() for c in columns]
    others = [
        c for c, a in zip(columns, arrays, strict=True) if a.dtype.kind not in "biuf"
    ]
    if given is None and 0 < len(others) < len(columns):
        raise ValueError(
            f"Of the columns of the frame {others} hold no numbers, as the rest do. "
            "List those that make a token as columns=, and name a time stamp as order="
            " and a column that names sequences as group=."
        )
    if others:  # beside text numpy would turn numbers into text
        arrays = [a.astype(object) for a in arrays]
    places = [frame.columns.index(c) for c in columns]
    return np.column_stack(arrays), frame[:0, places].to_native()


def common_header(frames, what="Sample"):
    """Columns of all the frames, as a frame without rows."""
    first = _wrap(frames[0])
    for i, frame in enumerate(frames):
        if list(frame.columns) != list(first.columns):
            raise ValueError(
                f"{what} {i} has the columns {list(frame.columns)}, {what.lower()} 0 "
                f"{list(first.columns)}; all need the same ones, in the same order."
            )
    return first.head(0).to_native()


def with_names(values, header):
    """A table as a frame with the columns of a header.

    Parameters
    ----------
    values : array of shape (n, d)
        Of objects, each column is read as what it holds.
    header : DataFrame with d columns, or None
        Its rows do not count.

    Returns
    -------
    DataFrame or array
        Of the same library as the header; the array as it is if there is no header, or
        one whose names are no text.
    """
    if header is None or not all(isinstance(name, str) for name in header.columns):
        return values
    columns = values.T.tolist() if values.dtype == object else values.T
    named = dict(zip(header.columns, columns, strict=True))
    return nw.from_dict(named, backend=_wrap(header).implementation).to_native()


def put_beside(frame, rows, values, name):
    """Rows of a frame, in its order, with a value or K values of each beside it.

    Parameters
    ----------
    frame : DataFrame
        Of any library.
    rows : ndarray of shape (n_tokens,)
        Row of the frame behind each value.
    values : ndarray of shape (n_tokens,) or (n_tokens, K)
        New columns.
    name : str or array-like of K str
        Their names; one for K columns is numbered: "name_0", "name_1", ...

    Returns
    -------
    DataFrame
        Of the same library; the index goes along.
    """
    order = np.argsort(rows, kind="stable")
    names = np.asarray(name, dtype=object).ravel().tolist()
    if len(names) == 1 and values.ndim == 2 and values.shape[1] > 1:
        names = [f"{names[0]}_{k}" for k in range(values.shape[1])]
    columns = values[order].reshape(len(rows), -1).T if len(rows) else [()] * len(names)
    if len(columns) != len(names):
        raise ValueError(
            f"prediction has {len(columns)} columns; give as many names as name=[...], "
            f"not {len(names)}."
        )
    wrapped = _wrap(frame)[rows[order].tolist(), :]
    index = nw.maybe_get_index(wrapped)
    if not wrapped.implementation.is_pandas_like():  # others name columns by text
        names = list(map(str, names))
    for each, column in zip(names, columns, strict=True):
        if each in wrapped.columns:
            raise ValueError(
                f"The frame has a column {each!r} already; choose another name=."
            )
        series = nw.new_series(
            each, np.asarray(column).tolist(), backend=wrapped.implementation
        )
        if index is not None:
            series = nw.maybe_set_index(series, index=index)
        wrapped = wrapped.with_columns(series)
    return wrapped.to_native()

"""Tables of numbers that displays are given, checked before anything is drawn."""

import numpy as np

__all__ = ["as_table", "check_length"]


def as_table(table, name, rows, columns):
    """Finite numbers as a 2-D array, with a row and a column for each name.

    ``rows`` and ``columns`` are (what these are, their names); None in the place of the
    names lets any number pass.
    """
    try:
        array = np.asarray(table)
        if array.dtype.kind not in "biuf":
            array = array.astype(float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be a table of numbers, rows of the same length."
        ) from None
    sizes = [None if names is None else len(names) for _, names in (rows, columns)]
    if array.ndim != 2 or any(
        size not in (None, n) for size, n in zip(sizes, array.shape, strict=True)
    ):
        sides = (
            what if size is None else f"{size} {what}"
            for size, (what, _) in zip(sizes, (rows, columns), strict=True)
        )
        raise ValueError(
            f"{name} must be of shape ({', '.join(sides)}), got shape {array.shape}."
        )
    odd = np.argwhere(~np.isfinite(array))
    if len(odd):
        i, j = odd[0].tolist()
        raise ValueError(
            f"{name} must be finite numbers, but row {i}, column {j} is {array[i, j]}."
        )
    return array


def check_length(values, name, n, what) -> None:
    """Raise unless there is one value for each of n things."""
    if len(values) != n:
        raise ValueError(
            f"{name} must have {n} entries, one for each {what}, got {len(values)}."
        )

"""Losses by name."""

import numpy as np

from skstruct.losses._absolute import Absolute
from skstruct.losses._base import Loss
from skstruct.losses._cost_matrix import CostMatrix
from skstruct.losses._squared import Squared
from skstruct.losses._zero_one import ZeroOne

__all__ = ["LOSSES", "as_loss"]

#: The losses that go by a name.
LOSSES = {"zero_one": ZeroOne, "absolute": Absolute, "squared": Squared}


def as_loss(spec):
    """The loss that a parameter means.

    Parameters
    ----------
    spec : str, array of shape (n_labels, n_labels), DataFrame or Loss
        A key of `LOSSES`; or ``cost[true, predicted]``, of which a DataFrame names the
        labels; or a loss, which is returned as it is.

    Returns
    -------
    Loss
        Not a copy where ``spec`` is one.

    Raises
    ------
    ValueError
        If ``spec`` is none of these.

    Examples
    --------
    >>> from skstruct.losses import as_loss
    >>> as_loss("absolute")
    Absolute()
    >>> as_loss([[0, 1], [5, 0]])
    CostMatrix(matrix=[[0, 1], [5, 0]])
    """
    if isinstance(spec, Loss):
        return spec
    if isinstance(spec, str) and spec in LOSSES:
        return LOSSES[spec]()
    if isinstance(spec, str | type) or _n_axes(spec) != 2:
        names, hint = ", ".join(map(repr, LOSSES)), ""
        if isinstance(spec, type) and issubclass(spec, Loss):
            hint = f" Write {spec.__name__}()."
        elif callable(spec):
            hint = " Write a subclass of Loss whose cost(classes) answers the matrix."
        raise ValueError(
            f"loss must be one of {names}, a matrix cost[true, predicted] or an "
            f"instance of Loss; got {type(spec).__name__} {spec!r}.{hint}"
        )
    return CostMatrix(spec)


def _n_axes(spec):
    """Number of axes of what may be an array; None if its rows differ in length."""
    try:
        return np.ndim(spec)
    except ValueError:
        return None

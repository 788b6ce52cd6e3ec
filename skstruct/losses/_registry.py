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
    if isinstance(spec, str | type) or np.ndim(spec) != 2:
        names = ", ".join(map(repr, LOSSES))
        raise ValueError(
            f"loss must be one of {names}, a matrix cost[true, predicted] or an "
            f"instance of Loss; got {type(spec).__name__} {spec!r}."
        )
    return CostMatrix(spec)

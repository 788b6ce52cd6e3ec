"""Names to components: what a string or None in a constructor stands for."""

from numbers import Number

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from skstruct.emissions import EMISSIONS, Emission

__all__ = ["resolve_emission"]


def resolve_emission(emissions, values):
    """An unfitted emission of one's own.

    Parameters
    ----------
    emissions : "auto", a name in the registry, or Emission
        "auto" reads tokens (text, integers in one column) as symbols and tables of
        numbers, with gaps or without, as Gaussian vectors.
    values : ndarray
        The tokens.

    Returns
    -------
    Emission
    """
    if isinstance(emissions, Emission):
        return clone(emissions)
    if emissions == "auto":
        column = values.ndim == 1 or values.shape[1:] == (1,)
        symbols = not sp.issparse(values) and (
            not _are_measured(values)
            if values.dtype == object
            else column and values.dtype.kind in "iub"
        )
        emissions = "categorical" if symbols else "gaussian"
    if not isinstance(emissions, str) or emissions not in EMISSIONS:
        hint = ""
        if isinstance(emissions, type) and issubclass(emissions, Emission):
            hint = f" Call the class: emissions={emissions.__name__}()."
        raise ValueError(
            f"emissions must be 'auto', one of {sorted(EMISSIONS)} or an Emission "
            f"instance, got {emissions!r}.{hint}"
        )
    return EMISSIONS[emissions]()


def _are_measured(values):
    """Whether objects are measured numbers, which None has kept from one type."""
    kinds = set(map(type, values.ravel().tolist()))
    return any(issubclass(kind, float | np.floating) for kind in kinds) and all(
        issubclass(kind, Number | np.number | type(None)) for kind in kinds
    )

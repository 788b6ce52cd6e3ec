"""Names to components: what a string or None in a constructor stands for."""

from numbers import Number

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from skstruct.emissions import EMISSIONS, Emission

__all__ = ["reject_other_symbols", "resolve_emission"]


def reject_other_symbols(emission, values):
    """Raise if tokens are numbers where all known symbols are words, or words there.

    All of them would be unknown ones, and states guessed from places alone.

    Parameters
    ----------
    emission : Emission
        The fitted one.
    values : ndarray
        Tokens that it is to read.
    """
    symbols = getattr(emission, "symbols_", None)
    if symbols is None or not values.shape[0]:
        return
    kind = values.dtype.kind
    if kind in "biuf" and all(isinstance(symbol, str) for symbol in symbols):
        raise ValueError("X holds numbers, but the model was fitted to words.")
    known_integers = symbols.dtype.kind == "i"
    if known_integers and all(isinstance(value, str) for value in values.flat):
        raise ValueError(
            f"X holds words ({values[0]!r}), but the model was fitted to integers."
        )


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

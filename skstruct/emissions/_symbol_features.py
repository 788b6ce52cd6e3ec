"""Features that symbols share, such as the suffixes of words."""

from collections.abc import Iterable, Mapping, Set
from math import isfinite
from numbers import Real

import numpy as np
import scipy.sparse as sp

__all__ = ["Design", "SymbolFeatures", "check_features"]

_LONGEST_SUFFIX = 3


def check_features(features):
    """Raise if this is no description of symbols."""
    named = isinstance(features, str) and features == "spelling"
    if not (named or callable(features)):
        raise ValueError(
            f"features must be 'spelling' or a function of a symbol, got {features!r}."
        )


def _spelling(symbol):
    """Suffixes of 1-3 letters, initial capital, hyphen and digit; none if no text."""
    if not isinstance(symbol, str):
        return []
    longest = min(_LONGEST_SUFFIX, len(symbol) - 1)
    names = [f"suffix={symbol[-n:].lower()}" for n in range(1, longest + 1)]
    if symbol[:1].isupper():
        names.append("capital")
    if "-" in symbol:
        names.append("hyphen")
    if any(map(str.isdigit, symbol)):
        names.append("digit")
    return names


class SymbolFeatures:
    """Values of the features of symbols, a column for each name.

    Parameters
    ----------
    features : "spelling" or callable
        ``features(symbol)`` gives names of features, or a dict of their values.
    """

    def __init__(self, features):
        self._describe = features if callable(features) else _spelling
        self._columns = {}

    @property
    def names(self):
        """Names of the columns."""
        return list(self._columns)

    def matrix(self, symbols, *, learn=False):
        """Values (n, n_names) of a list of symbols, CSR.

        Names that have no column get one with ``learn``, and are left out without.
        """
        columns, values, lengths = [], [], []
        for symbol in symbols:
            found = self._read(symbol)
            if learn:
                for name in found:
                    self._columns.setdefault(name, len(self._columns))
            known = [name for name in found if name in self._columns]
            columns += [self._columns[name] for name in known]
            values += [found[name] for name in known]
            lengths.append(len(known))
        ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.intp)])
        return sp.csr_array(
            (
                np.array(values, dtype=np.float64),
                np.array(columns, dtype=np.intp),
                ends,
            ),
            shape=(len(lengths), len(self._columns)),
        )

    def _read(self, symbol):
        """Values of the features of a symbol, from their names."""
        names = found = self._ask(symbol)
        if isinstance(found, Set | Mapping):
            # Sets, and dicts made of them, have another order in each process.
            names = sorted(found, key=lambda name: (str(name), type(name).__name__))
        try:
            values = dict.fromkeys(names, 1.0)
        except TypeError as error:
            raise ValueError(
                f"features: {self._called} returned {names!r} for the symbol "
                f"{symbol!r}; names must be hashable, such as str."
            ) from error
        if isinstance(found, Mapping):
            for name in names:
                if not _is_finite(found[name]):
                    raise ValueError(
                        f"features gives {symbol!r} the value {found[name]!r} for "
                        f"{name!r}; values must be finite numbers."
                    )
                values[name] = float(found[name])
        return values

    def _ask(self, symbol):
        """What the function answers: a set, a dict, or a list of names."""
        try:
            found = self._describe(symbol)
            if isinstance(found, Iterable) and not isinstance(found, str):
                return found if isinstance(found, Set | Mapping) else list(found)
        except Exception as error:
            raise ValueError(
                f"features: {self._called} raised {error!r} for the symbol {symbol!r}; "
                "it must answer for every symbol."
            ) from error
        raise ValueError(
            "features must be a function that returns an iterable of names or a "
            f"dict of name to number; for {symbol!r} it returned {found!r}."
        )

    @property
    def _called(self):
        return getattr(self._describe, "__name__", repr(self._describe))


def _is_finite(value):
    try:
        return isinstance(value, Real) and isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


class Design:
    """Features of a vocabulary: those that its symbols share, then themselves.

    Parameters
    ----------
    features : SymbolFeatures
        Learns what is new.
    symbols : ndarray of shape (V,)
        The vocabulary.
    """

    def __init__(self, features, symbols):
        symbols = symbols.tolist()
        self._shared = features.matrix(symbols, learn=True)
        self._shared_T = self._shared.T.tocsr()
        self.n_shared = self._shared.shape[1]
        self.names = [str(name) for name in features.names]
        self.names += [f"symbol={symbol}" for symbol in symbols]

    def __deepcopy__(self, memo):
        return self  # nothing in it changes

    def scores(self, coef):
        """Sum the weights (F, K) of the features of each symbol, (V, K)."""
        return self._shared @ coef[: self.n_shared] + coef[self.n_shared :]

    def totals(self, counts):
        """Sum the counts (V, K) of the symbols with each feature, (F, K)."""
        return np.vstack([self._shared_T @ counts, counts])

    def widened(self, coef, older):
        """Weights of an older design with those of this one; what is new has 0."""
        out = np.zeros((len(self.names), coef.shape[1]))
        out[: older.n_shared] = coef[: older.n_shared]
        out[self.n_shared :][: len(older.names) - older.n_shared] = coef[
            older.n_shared :
        ]
        return out

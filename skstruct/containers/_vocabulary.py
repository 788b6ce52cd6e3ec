"""Symbols and their numbers."""

from contextlib import suppress
from itertools import repeat
from typing import Self

import numpy as np

from skstruct.containers._batch import place

__all__ = ["Vocabulary", "reject_other_kind"]


class Vocabulary:
    """Symbols in a fixed order, and the number of each token among them.

    Look-up costs the same however many symbols there are.

    Parameters
    ----------
    symbols : ndarray of shape (V,)
        Distinct symbols, integers or objects.

    Attributes
    ----------
    symbols : ndarray of shape (V,)
        The symbols.

    Examples
    --------
    >>> from skstruct.containers import Ragged, Vocabulary
    >>> X = Ragged([["a", "rose"], ["is", "a", "rose"]])
    >>> vocabulary = Vocabulary.learn(X.values, X.offsets)
    >>> vocabulary.symbols
    array(['a', 'is', 'rose'], dtype=object)
    >>> vocabulary.codes(Ragged([["a", "tulip"]]).values)
    array([0, 3])
    """

    def __init__(self, symbols):
        self.symbols = symbols
        self._codes = dict(zip(symbols.tolist(), range(len(symbols)), strict=True))
        self._sorted = self._dense = None
        if symbols.dtype.kind == "i" and len(symbols):
            self._order = np.argsort(symbols)
            self._sorted = symbols[self._order]
            low, high = int(self._sorted[0]), int(self._sorted[-1])
            # Few gaps, and room for a code on either side: look codes up in an array.
            if high - low < 4 * len(symbols) and low > -(2**63) and high < 2**63 - 1:
                self._dense = np.full(high - low + 3, len(symbols))
                self._dense[symbols - low + 1] = np.arange(len(symbols))

    def __getstate__(self):
        # Symbols of any kind can be saved as an array, but not as keys by skops.
        return {"symbols": self.symbols}

    def __setstate__(self, state):
        self.__init__(**state)

    def __len__(self):
        """V, the number of symbols."""
        return len(self.symbols)

    def codes(self, tokens, offsets=None) -> np.ndarray:
        """Look up tokens.

        Parameters
        ----------
        tokens : ndarray of shape (n_tokens,)
            Integers or objects.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, so that errors name the sample and its position.

        Returns
        -------
        ndarray of shape (n_tokens,)
            The number of each token; V if it is no symbol.

        Raises
        ------
        ValueError
            If a token is missing, infinite, a measured number or unhashable.
        """
        if self._dense is not None and tokens.dtype.kind == "i":
            low, high = self._sorted[0] - 1, self._sorted[-1] + 1
            return self._dense[np.clip(tokens, low, high) - low]
        if self._sorted is not None and tokens.dtype.kind == "i":
            at = np.searchsorted(self._sorted, tokens)
            np.minimum(at, len(self) - 1, out=at)
            return np.where(self._sorted[at] == tokens, self._order[at], len(self))
        try:
            numbers = map(self._codes.get, tokens.tolist(), repeat(len(self)))
            index = np.fromiter(numbers, np.intp, len(tokens))
        except TypeError:
            _raise_unhashable(tokens, offsets)
        if tokens.dtype.kind == "O":
            unknown = dict.fromkeys(tokens[index == len(self)].tolist())
            _check_symbols(unknown, tokens, offsets)
        return index

    @classmethod
    def learn(cls, tokens, offsets=None, *, sort=True) -> Self:
        """From training tokens.

        Parameters
        ----------
        tokens : ndarray of shape (n_tokens,)
            Integers or objects.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, so that errors name the sample and its position.
        sort : bool, default=True
            Whether symbols are sorted, where they compare; otherwise they stand by
            first appearance.

        Returns
        -------
        Vocabulary
            Its symbols are int64 if all are whole numbers, else objects.

        Raises
        ------
        ValueError
            If a token is missing, infinite, a measured number or unhashable.
        """
        if tokens.dtype.kind == "i" and sort:
            return cls(np.unique(tokens))
        try:
            symbols = list(dict.fromkeys(tokens.tolist()))
        except TypeError:
            _raise_unhashable(tokens, offsets)
        _check_symbols(symbols, tokens, offsets)
        if sort:
            with suppress(TypeError):  # text beside numbers does not compare
                symbols = sorted(symbols)
        return cls(_as_array(symbols))


def reject_other_kind(symbols, tokens):
    """Raise if all tokens are numbers where all symbols are words, or words there.

    All of them would be unknown, which answers should not hide.

    Parameters
    ----------
    symbols : ndarray of shape (V,) or None
        What was learnt; None is nothing.
    tokens : ndarray of shape (n_tokens,), (n_tokens, 1) or any of features
        What is to be read. One word among numbers is an unknown symbol.

    Raises
    ------
    ValueError
        If they are of another kind than all symbols.
    """
    if symbols is None or not tokens.shape[0]:
        return
    if tokens.dtype.kind in "biuf" and all(isinstance(s, str) for s in symbols):
        raise ValueError(
            "X holds numbers, but fit saw words only, so that none would be known; "
            "pass text, as in fit."
        )
    numbers = tokens.dtype.kind == "O" and symbols.dtype.kind == "i"
    if numbers and all(isinstance(token, str) for token in tokens.flat):
        raise ValueError(
            f"X holds words ({tokens.flat[0]!r}), but fit saw integers only, so that "
            "none would be known; pass integers, as in fit."
        )


def _as_array(symbols):
    """Whole numbers as int64, so that they meet integer arrays; else objects."""
    kinds = set(map(type, symbols))
    if kinds and all(issubclass(k, int | float | np.number) for k in kinds):
        numbers = [int(s) for s in symbols]
        if bool not in kinds and all(abs(n) < 2**63 for n in numbers):
            return np.array(numbers, dtype=np.int64)
    return np.fromiter(symbols, object, len(symbols))


def _check_symbols(distinct, tokens, offsets):
    """Raise for a missing token or a measured number, naming its place."""
    for symbol in filter(_is_missing, distinct):
        at = next(i for i, t in enumerate(tokens.tolist()) if _is_missing(t))
        raise ValueError(
            f"The token at {place(at, offsets)} is {symbol}. A missing or infinite "
            "value is no symbol: leave the token out, or give it a symbol of its own."
        )
    for symbol in distinct:
        if isinstance(symbol, float | np.floating) and not float(symbol).is_integer():
            at = next(i for i, t in enumerate(tokens.tolist()) if t == symbol)
            raise ValueError(
                f"The token at {place(at, offsets)} is {symbol}: symbols are text or "
                "whole numbers, not measurements. Cut these into bins; if all tokens "
                "are numbers, a model can read them by Gaussian()."
            )


def _is_missing(token):
    if token is None or type(token).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(token, float | np.floating) and not np.isfinite(token)


def _raise_unhashable(tokens, offsets):
    for i, token in enumerate(tokens.tolist()):
        try:
            hash(token)
        except TypeError:
            raise ValueError(
                f"The token at {place(i, offsets)} is a {type(token).__name__}; tokens "
                "must be hashable: str, int, tuples."
            ) from None

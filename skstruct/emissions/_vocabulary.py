"""Reading tokens as numbers of symbols."""

from itertools import repeat

import numpy as np
import scipy.sparse as sp

from skstruct.emissions._base import place, plain

__all__ = ["Vocabulary", "as_tokens"]


class Vocabulary:
    """Symbols in a fixed order, and the number of each token among them.

    Parameters
    ----------
    symbols : ndarray of shape (V,)
        Distinct symbols, integers or objects.
    """

    def __init__(self, symbols):
        self.symbols = symbols
        self._codes = dict(zip(symbols.tolist(), range(len(symbols)), strict=True))
        self._dense = None
        if symbols.dtype.kind == "i":
            self._order = np.argsort(symbols)
            self._sorted = symbols[self._order]
            low, high = int(self._sorted[0]), int(self._sorted[-1])
            # Few gaps, and room for a code on either side: look codes up in an array.
            if high - low < 4 * len(symbols) and low > -(2**63) and high < 2**63 - 1:
                self._dense = np.full(high - low + 3, len(symbols))
                self._dense[symbols - low + 1] = np.arange(len(symbols))

    def __len__(self):
        return len(self.symbols)

    def codes(self, tokens):
        """Look up the number of each token; ``len(self)`` if it is no symbol."""
        if self._dense is not None and tokens.dtype.kind == "i":
            low, high = self._sorted[0] - 1, self._sorted[-1] + 1
            return self._dense[np.clip(tokens, low, high) - low]
        if tokens.dtype.kind == "i" and self.symbols.dtype.kind == "i":
            at = np.searchsorted(self._sorted, tokens)
            np.minimum(at, len(self) - 1, out=at)
            return np.where(self._sorted[at] == tokens, self._order[at], len(self))
        numbers = map(self._codes.get, tokens.tolist(), repeat(len(self)))
        return np.fromiter(numbers, np.intp, len(tokens))

    @classmethod
    def learn(cls, tokens, offsets=None):
        """From training tokens: sorted, by first appearance if they do not compare."""
        if tokens.dtype.kind == "i":
            return cls(np.unique(tokens))
        try:
            symbols = list(dict.fromkeys(tokens.tolist()))
        except TypeError:
            _raise_unhashable(tokens, offsets)
        check_categories(symbols, tokens, offsets)
        try:
            symbols.sort()
        except TypeError:  # such as text beside numbers
            symbols = list(dict.fromkeys(tokens.tolist()))
        return cls(_as_symbols(symbols))

    @classmethod
    def given(cls, symbols):
        """From the user's list, in its order."""
        tokens = as_tokens(symbols)
        vocabulary = cls.learn(tokens)
        if len(vocabulary) < len(tokens):
            _, first = np.unique(vocabulary.codes(tokens), return_index=True)
            twice = np.setdiff1d(np.arange(len(tokens)), first)[0]
            raise ValueError(
                f"symbols must be distinct; {plain(tokens[twice])!r} stands in it "
                "twice."
            )
        return cls(_as_symbols(tokens.tolist()))


def as_tokens(values, offsets=None):
    """Flat tokens: integers as int64, anything else as an array of its own kind."""
    if sp.issparse(values):
        raise ValueError(
            "A categorical emission reads tokens, not sparse feature rows; pass "
            "sequences of str or int."
        )
    if not isinstance(values, np.ndarray):
        values = np.fromiter(values, object, len(values))
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            "A categorical emission reads one token at a time, got an array of shape "
            f"{values.shape}. Numeric vectors need emissions='gaussian'; rows of "
            "symbols that are sequences, Ragged.from_rows(X)."
        )
    if values.dtype.kind == "f":
        return _whole_numbers(values, offsets)
    if values.dtype.kind in "iu" and (values.dtype != np.uint64 or _fits(values)):
        return values.astype(np.int64, copy=False)
    if values.dtype.kind not in "bOUSTu":
        raise ValueError(
            f"Tokens must be str, int or other hashable objects, got {values.dtype}."
        )
    return values


def check_categories(distinct, tokens, offsets=None):
    """Raise for a missing token or a measured number, naming its place."""
    if any(map(_is_missing, distinct)):
        at = next(i for i, t in enumerate(tokens.tolist()) if _is_missing(t))
        _raise_missing(tokens[at], at, offsets)
    for token in distinct:
        if isinstance(token, float | np.floating) and not float(token).is_integer():
            at = next(i for i, t in enumerate(tokens.tolist()) if t == token)
            _raise_measured(token, at, offsets)


def _fits(values):
    return values.size == 0 or values.max() <= np.iinfo(np.int64).max


def _whole_numbers(values, offsets):
    if not np.isfinite(values).all():
        at = np.flatnonzero(~np.isfinite(values))[0]
        _raise_missing(values[at].item(), at, offsets)
    bad = (values != np.trunc(values)) | (np.abs(values) >= 2**53)
    if bad.any():
        at = np.flatnonzero(bad)[0]
        _raise_measured(values[at].item(), at, offsets)
    return values.astype(np.int64)


def _is_missing(token):
    if token is None or type(token).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(token, float | np.floating) and not np.isfinite(token)


def _as_symbols(symbols):
    """Whole numbers as int64, so that they meet integer arrays; else objects."""
    kinds = set(map(type, symbols))
    if kinds and all(issubclass(k, int | float | np.number) for k in kinds):
        numbers = [int(s) for s in symbols]
        if bool not in kinds and all(abs(n) < 2**63 for n in numbers):
            return np.array(numbers, dtype=np.int64)
    return np.fromiter(symbols, object, len(symbols))


def _raise_missing(token, at, offsets):
    raise ValueError(
        f"The token at {place(at, offsets)} is {plain(token)!r}. A missing or infinite "
        "value is no category: leave the token out, or give it a symbol of its own. "
        "Series of numbers with gaps need emissions=Gaussian(missing='marginalize')."
    )


def _raise_measured(token, at, offsets):
    raise ValueError(
        f"The token at {place(at, offsets)} is {plain(token)!r}: a categorical "
        "emission reads symbols, not measurements. Use emissions='gaussian' for real "
        "numbers."
    )


def _raise_unhashable(tokens, offsets):
    for i, token in enumerate(tokens.tolist()):
        try:
            hash(token)
        except TypeError:
            raise ValueError(
                f"The token at {place(i, offsets)} is a {type(token).__name__}; tokens "
                "must be hashable: str, int, tuples."
            ) from None

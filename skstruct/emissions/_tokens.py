"""Reading tokens as numbers of symbols."""

import numpy as np
import scipy.sparse as sp

from skstruct.containers import Vocabulary, place
from skstruct.emissions._base import plain

__all__ = ["as_tokens", "given_symbols"]


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
            f"{values.shape}. Use Gaussian() for numeric vectors; rows of "
            "symbols that are sequences need Ragged.from_rows(X)."
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


def given_symbols(symbols):
    """Vocabulary of the user's list, in its order."""
    tokens = as_tokens(symbols)
    vocabulary = Vocabulary.learn(tokens, sort=False)
    if len(vocabulary) < len(tokens):
        _, first = np.unique(vocabulary.codes(tokens), return_index=True)
        twice = np.setdiff1d(np.arange(len(tokens)), first)[0]
        raise ValueError(
            f"symbols must be distinct; {plain(tokens[twice])!r} stands in it twice."
        )
    return vocabulary


def _fits(values):
    return values.size == 0 or values.max() <= np.iinfo(np.int64).max


def _whole_numbers(values, offsets):
    if not np.isfinite(values).all() or (values != np.trunc(values)).any():
        Vocabulary.learn(values, offsets)  # raises, and names the token
    inexact = np.flatnonzero(np.abs(values) >= 2**53)
    if inexact.size:
        raise ValueError(
            f"The token at {place(inexact[0], offsets)} is "
            f"{values[inexact[0]].item()!r}: floats as large as that are no exact "
            "symbols; pass integers. Use Gaussian() for real numbers."
        )
    return values.astype(np.int64)

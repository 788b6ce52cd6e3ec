"""Word types and which follows which, as clusterers of word types need them."""

from itertools import repeat
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from skstruct._validation import is_missing
from skstruct.containers._batch import locate

__all__ = ["Bigrams", "count_bigrams", "surface_tokens", "word_numbers"]


class Bigrams(NamedTuple):
    """Word types of a batch and the counts of neighbours.

    Parameters
    ----------
    words : ndarray of shape (V,)
        Distinct tokens, most frequent first, ties by first appearance.
    index : ndarray of shape (n_tokens,)
        Number of each token among ``words``.
    counts : ndarray of shape (V,)
        How often each word occurs.
    pairs : csr_array of shape (V + 1, V + 1), dtype int64
        ``pairs[v, w]`` is how often word w follows word v. Number V is the boundary
        before the first and after the last token of each sequence that is not empty.
    """

    words: np.ndarray
    index: np.ndarray
    counts: np.ndarray
    pairs: sp.csr_array


def count_bigrams(batch):
    """Word types and bigram counts of the tokens of a batch.

    Parameters
    ----------
    batch : Ragged
        Sequences of hashable tokens, or feature rows that carry ``tokens``.

    Returns
    -------
    Bigrams

    Raises
    ------
    ValueError
        If there are no tokens, or one is missing, unhashable or no symbol.

    Examples
    --------
    >>> from skstruct.containers import Ragged
    >>> words, index, counts, pairs = count_bigrams(Ragged([["a", "b", "a"], ["c"]]))
    >>> words, index, counts
    (array(['a', 'b', 'c'], dtype=object), array([0, 1, 0, 2]), array([2, 1, 1]))
    >>> pairs.toarray()
    array([[0, 1, 0, 1],
           [1, 0, 0, 0],
           [0, 0, 0, 1],
           [1, 0, 1, 0]])
    """
    tokens = surface_tokens(batch)
    if len(tokens) == 0:
        raise ValueError("X has no tokens: all its sequences are empty.")
    numbers = _distinct(tokens, batch.offsets)
    index = np.fromiter(map(numbers.get, tokens.tolist()), np.intp, len(tokens))
    counts = np.bincount(index)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    words = np.empty(len(order), tokens.dtype)
    words[rank] = np.fromiter(numbers, tokens.dtype, len(order))
    index = rank[index]
    return Bigrams(words, index, counts[order], _pairs(index, batch, len(words)))


def surface_tokens(batch):
    """Flat tokens of a batch: those it carries, or its values.

    Parameters
    ----------
    batch : Ragged
        The data.

    Returns
    -------
    ndarray of shape (n_tokens,)

    Raises
    ------
    ValueError
        If the batch holds vectors or measured numbers and carries no tokens.
    """
    tokens = batch.values if batch.tokens is None else batch.tokens
    if tokens.ndim != 1 or tokens.dtype.kind not in "biuO":
        kind = "vectors" if tokens.ndim != 1 else f"{tokens.dtype} numbers"
        raise ValueError(
            f"X holds {kind}, which are no words: pass sequences of str, int or other "
            "hashable tokens, or a Ragged of feature rows that carries its tokens."
        )
    return tokens


def word_numbers(words, batch):
    """Look up the tokens of a batch among words.

    Parameters
    ----------
    words : ndarray of shape (V,)
        Distinct words.
    batch : Ragged
        The data.

    Returns
    -------
    ndarray of shape (n_tokens,)
        The number of each token; V if it is no word.

    Raises
    ------
    ValueError
        If a token is unhashable or no symbol.
    """
    tokens = surface_tokens(batch)
    numbers = dict(zip(words.tolist(), range(len(words)), strict=True))
    try:
        found = map(numbers.get, tokens.tolist(), repeat(len(words)))
        return np.fromiter(found, np.intp, len(tokens))
    except TypeError:
        _raise_unhashable(tokens, batch.offsets)


def _distinct(tokens, offsets):
    """Distinct tokens with numbers by first appearance."""
    try:
        distinct = dict.fromkeys(tokens.tolist())
    except TypeError:
        _raise_unhashable(tokens, offsets)
    if any(map(is_missing, distinct)):
        at = next(t for t, token in enumerate(tokens) if is_missing(token))
        raise ValueError(
            f"X, {_place(at, offsets)}: the token is {tokens[at]!r}; leave a missing "
            "token out, or give it a symbol of its own."
        )
    return dict(zip(distinct, range(len(distinct)), strict=True))


def _pairs(index, batch, boundary):
    """Bigram counts: each sequence with a boundary put before and after it."""
    filled = np.flatnonzero(batch.lengths)
    padded = np.insert(index, batch.offsets[filled], boundary)
    left, right = padded, np.append(padded[1:], boundary)
    ones = np.ones(len(padded), dtype=np.int64)
    shape = (boundary + 1, boundary + 1)
    return sp.csr_array(sp.coo_array((ones, (left, right)), shape=shape))


def _raise_unhashable(tokens, offsets):
    for at, token in enumerate(tokens):
        try:
            hash(token)
        except TypeError:
            raise ValueError(
                f"X, {_place(at, offsets)}: the token is a {type(token).__name__}; "
                "tokens must be hashable: str, int, tuples."
            ) from None


def _place(at, offsets):
    return "sequence {}, position {}".format(*locate(offsets, at))

"""Word types and which follows which, as clusterers of word types need them."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from skstruct.containers import Vocabulary

__all__ = ["Bigrams", "count_bigrams", "read_words"]


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
    tokens = read_words(batch)
    if len(tokens) == 0:
        raise ValueError("X has no tokens: all its sequences are empty.")
    vocabulary = Vocabulary.learn(tokens, batch.offsets, sort=False)
    index = vocabulary.codes(tokens)
    counts = np.bincount(index)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    words, index = vocabulary.symbols[order], rank[index]
    return Bigrams(words, index, counts[order], _pairs(index, batch, len(words)))


def read_words(batch) -> np.ndarray:
    """Words of a batch: the tokens that it carries, or its values.

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
    tokens = batch.surface
    if tokens.ndim != 1 or tokens.dtype.kind not in "biuO":
        kind = "vectors" if tokens.ndim != 1 else f"{tokens.dtype} numbers"
        raise ValueError(
            f"X holds {kind}, which are no words: pass sequences of str, int or other "
            "hashable tokens, or a Ragged of feature rows that carries its tokens."
        )
    return tokens


def _pairs(index, batch, boundary):
    """Bigram counts: each sequence with a boundary put before and after it."""
    filled = np.flatnonzero(batch.lengths)
    padded = np.insert(index, batch.offsets[filled], boundary)
    left, right = padded, np.append(padded[1:], boundary)
    ones = np.ones(len(padded), dtype=np.int64)
    shape = (boundary + 1, boundary + 1)
    return sp.csr_array(sp.coo_array((ones, (left, right)), shape=shape))

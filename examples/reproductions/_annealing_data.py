"""Texts with tags for ``annealing.py``."""

from typing import NamedTuple

import numpy as np
from _corpora import SPLITS, concat, first_tokens, lower, read

from skstruct.containers import Ragged
from skstruct.estimators import TagDictionary

__all__ = ["Piece", "read_piece"]


class Piece(NamedTuple):
    """Text to learn from, all that is known of its words, and sentences beside it."""

    X: Ragged
    y: Ragged
    dictionary: TagDictionary
    X_rest: Ragged
    y_rest: Ragged

    @property
    def symbols(self):
        return np.unique(self.X.values.astype(str)).astype(object)


def read_piece(corpus, tags, n_tokens, end):
    """A random piece of the training text; its dictionary is that of the treebank."""
    splits = [read(corpus, split, tags) for split in SPLITS]
    splits = [(lower(X), y) for X, y in splits]
    X, y = splits[0]
    order = np.random.default_rng(1234).permutation(len(X))
    order = order if end == "front" else order[::-1]
    size = first_tokens(X[order], n_tokens)
    piece, rest = order[:size], order[size:]
    # Where all of the training text is learnt from, sentences to tag come from dev.
    X_rest, y_rest = (X[rest], y[rest]) if len(rest) >= 200 else splits[1]
    everything = [concat(parts) for parts in zip(*splits, strict=True)]
    dictionary = TagDictionary.from_tagged(*everything)
    return Piece(X[piece], y[piece], dictionary, X_rest, y_rest)

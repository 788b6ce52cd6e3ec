"""Bitext with gold links, as ``alignment.py`` reads it."""

from typing import NamedTuple

import numpy as np
from _corpora import data_folder

from skstruct.containers import Bitext
from skstruct.datasets import read_bitext, read_links

__all__ = ["CORPORA", "Text", "first_letters", "lower", "read"]

# How many pairs of a corpus are aligned; None: all of them.
CORPORA = {
    "en-cs": 5_001,
    "en-es": 5_245,
    "en-et": None,
    "en-ru": None,
    "en-sv": None,
    "ja-en": 6_219,
}
PARTS = ("test{}", "dev{}", "train{}.gz")


class Text(NamedTuple):
    """Sentence pairs, and the gold links of those that have some to score with."""

    name: str
    X: Bitext
    gold: list


def read(name, n_pairs=None):
    """The test pairs with their links, then development and training text without."""
    folder = data_folder("align") / name
    files = [[folder / p.format(side) for side in (".src", ".tgt")] for p in PARTS]
    X = np.concatenate([read_bitext(*pair) for pair in files if pair[0].exists()])
    X = X[: n_pairs or CORPORA[name]]
    gold = list(read_links(folder / "test.gold"))[: len(X)]
    return Text(name, X, gold + [None] * (len(X) - len(gold)))


def lower(X):
    """The same pairs in lower case."""
    return _of_words(X, str.lower)


def first_letters(X, n_letters=4):
    """Each word cut to its first letters, in lower case."""
    return _of_words(X, lambda word: word[:n_letters].lower())


def _of_words(X, change):
    sides = X.source, X.target
    changed = [side.with_values([change(w) for w in side.values]) for side in sides]
    return Bitext.from_sides(*changed)

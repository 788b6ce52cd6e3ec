"""Features of a log-linear encoder of alignments."""

from typing import NamedTuple

import numpy as np

from skstruct.containers import Vocabulary
from skstruct.estimators._alignment._text import PairTable
from skstruct.kernels._pairs import count_sentences, find_pairs
from skstruct.potentials import (
    DEFAULT_BLOCKS,
    NullWords,
    WordPairs,
    Words,
    diagonal_bins,
    log_jump_bins,
)
from skstruct.potentials._word_features import BLOCKS

__all__ = ["FEATURE_SETS", "MAX_JUMP", "EncoderFeatures", "TextFeatures"]

# Jumps beyond this width are alike.
MAX_JUMP = 30
_N_DIAGONAL = 10

FEATURE_SETS = {
    "default": (*DEFAULT_BLOCKS, "jump"),
    "paper": ("association", "similarity", "prefix", "diagonal", "log_jump"),
}
_CELL_FEATURES = "diagonal", "jump", "log_jump"
_NAMES = *BLOCKS, *_CELL_FEATURES


class TextFeatures(NamedTuple):
    """Features of a text.

    Attributes
    ----------
    index : ndarray of int32 of shape (C,)
        The kind of each cell.
    bins : ndarray of int32 of shape (B, U)
        Features of combinations of word pairs, of which kinds are made.
    null_bins : tuple of two ndarrays of int32 of shape (2, V)
        Features of words of the chain, for both directions.
    """

    index: np.ndarray
    bins: np.ndarray
    null_bins: tuple


class EncoderFeatures:
    """Features of the links of a bitext, which both directions share.

    Weights of a direction stand in one vector: of pairs of words, of distances from
    the diagonal, of words that link to nothing, and of jumps.

    Parameters
    ----------
    features : str, or list of str and functions
        What to look at: names, of sets too, and functions of two words.
    """

    def __init__(self, features):
        features = _expanded([features] if isinstance(features, str) else features)
        names = [f for f in features if not callable(f)]
        self.pairs = WordPairs(f for f in features if f not in _CELL_FEATURES)
        self.nulls = NullWords(), NullWords()
        self.n_diagonal = _N_DIAGONAL if "diagonal" in names else 1
        self.association = Association() if "association" in names else None
        if "log_jump" in names:
            self.jump_bins = log_jump_bins(MAX_JUMP)
        elif "jump" in names:
            self.jump_bins = np.arange(2 * MAX_JUMP + 1)
        else:
            self.jump_bins = np.zeros(2 * MAX_JUMP + 1, dtype=int)

    def learn(self, text):
        """Learn from a training text, and encode it."""
        for nulls, side in zip(self.nulls, (text.target, text.source), strict=True):
            nulls.learn(Words(side.words, side.counts))
        return self.encode(text, learn=True)

    def encode(self, text, *, learn=False):
        """Features of the cells and of the words of a text."""
        words = [Words(s.words, s.counts) for s in (text.source, text.target)]
        everything = [np.arange(len(w.words), dtype=np.int32) for w in words]
        table, index, _ = PairTable.number(text, *everything)
        pairs = *words, table.source, table.outcome
        if self.association:
            if learn:
                self.association.learn(text, table, index)
            pairs = *pairs, self.association.of(text, table)
        if learn:
            self.pairs.learn(*pairs)
        combination, bins = self.pairs.encode(*pairs)
        index = combination[index]
        if self.n_diagonal > 1:
            index *= self.n_diagonal
            lengths = text.source.lengths, text.target.lengths
            index += diagonal_bins(*lengths, self.n_diagonal)
        null_bins = tuple(
            nulls.encode(w) for nulls, w in zip(self.nulls, words[::-1], strict=True)
        )
        return TextFeatures(index, bins, null_bins)

    @property
    def names(self):
        """Names of the features of pairs of words and of the diagonal."""
        diagonal = range(self.n_diagonal) if self.n_diagonal > 1 else ()
        near = [f"diagonal={d / self.n_diagonal:.1f}" for d in diagonal]
        return np.append(self.pairs.feature_names, np.array(near, dtype=object))

    @property
    def sizes(self):
        """Number of weights of pairs, of the diagonal, of no links, of jumps."""
        n_jumps = int(self.jump_bins.max()) + 1
        n_diagonal = self.n_diagonal if self.n_diagonal > 1 else 0
        return [
            (self.pairs.n_features, n_diagonal, nulls.n_features, n_jumps)
            for nulls in self.nulls
        ]

    def split(self, coef, reverse):
        """The four parts of a weight vector."""
        return np.split(coef, np.cumsum(self.sizes[reverse])[:-1])

    def tables(self, coef, bins, null_bins, reverse):
        """Log-potentials of kinds of cells, of words without link, and of jumps."""
        pairs, diagonal, null, jump = self.split(coef, reverse)
        kinds = self.pairs.table(bins, pairs)
        if len(diagonal):
            kinds = np.add.outer(kinds, diagonal).ravel()
        return kinds, self.nulls[reverse].table(null_bins, null), jump[self.jump_bins]

    def gradient(self, kinds, null, jump, bins, null_bins, reverse):
        """Expected counts of features from those of kinds, words and jumps."""
        diagonal = np.zeros(0)
        if self.n_diagonal > 1:
            kinds = kinds.reshape(-1, self.n_diagonal)
            diagonal, kinds = kinds.sum(axis=0), kinds.sum(axis=1)
        n_jumps = self.sizes[reverse][-1]
        return np.concatenate(
            [
                self.pairs.gradient(bins, kinds),
                diagonal,
                self.nulls[reverse].gradient(null_bins, null),
                np.bincount(self.jump_bins, jump, n_jumps),
            ]
        )


def _expanded(given):
    """Names of features and functions, each once, in place of names of sets."""
    features = []
    for f in given:
        if not callable(f) and not (
            isinstance(f, str) and f in {*FEATURE_SETS, *_NAMES}
        ):
            raise ValueError(
                f"features has {f!r}; expected functions of two words, names of sets: "
                f"{', '.join(map(repr, FEATURE_SETS))}, or names of features: "
                f"{', '.join(map(repr, _NAMES))}. ['default', function] adds to the "
                "default set."
            )
        members = FEATURE_SETS[f] if isinstance(f, str) and f in FEATURE_SETS else [f]
        features += [member for member in members if member not in features]
    return features


class Association:
    """Dice's coefficient of words, by the pairs of sentences that they stand in."""

    def learn(self, text, table, index):
        """Count in a training text."""
        self._words = [Vocabulary(side.words) for side in (text.source, text.target)]
        self._table = table
        together = count_sentences(index, text.cells, len(table.outcome))
        alone = [
            count_sentences(side.codes, side.offsets, len(side.words))
            for side in (text.source, text.target)
        ]
        total = alone[0][table.source] + alone[1][table.outcome]
        self._dice = 2 * together / np.maximum(total, 1)

    def of(self, text, table):
        """The association of the pairs of a table, NaN where a word is new."""
        source, target = (
            known.codes(side.words)
            for known, side in zip(self._words, (text.source, text.target), strict=True)
        )
        # A table of pairs is looked up as if each were a pair of sentences.
        ones = np.arange(len(table.outcome) + 1)
        found = find_pairs(
            self._table.starts,
            self._table.outcome,
            source[table.source],
            ones,
            target[table.outcome],
            ones,
        )
        return np.where(found >= 0, self._dice[found], np.nan)

"""A bitext as the aligners read it: words, and the keys that stand for them."""

from functools import partial
from typing import NamedTuple

import numpy as np

from skstruct.containers import Vocabulary, offsets_of
from skstruct.featurizers._brown import QuietBrownClusterer
from skstruct.kernels._pairs import find_pairs, number_pairs

__all__ = ["EncodedBitext", "PairTable", "Side", "TextEncoder"]

# Cells of a pair of sentences: 10 GB. Of a text: kinds of them are numbered by int32.
_LARGEST_PAIR = 100_000_000
_LARGEST_TEXT = 2_000_000_000


class Side(NamedTuple):
    """One side of a bitext.

    Attributes
    ----------
    offsets : ndarray of shape (n + 1,)
        Where sentences begin.
    codes : ndarray of int32 of shape (n_tokens,)
        The word of each token, a number into the other arrays.
    words : ndarray of object of shape (V,)
        Surface words.
    counts : ndarray of shape (V,)
        Frequency of the lower-cased word in the training text.
    condition, outcome : ndarray of int32 of shape (V,)
        The key that stands for a word where the other side is reconstructed from it,
        and where it is reconstructed. Keys that training never saw have numbers
        after all others.
    """

    offsets: np.ndarray
    codes: np.ndarray
    words: np.ndarray
    counts: np.ndarray
    condition: np.ndarray
    outcome: np.ndarray

    @property
    def lengths(self):
        """Lengths of the sentences, (n,)."""
        return np.diff(self.offsets)


class EncodedBitext(NamedTuple):
    """Both sides, and where the cells of pairs of sentences begin, (n + 1,)."""

    source: Side
    target: Side
    cells: np.ndarray


class PairTable(NamedTuple):
    """Pairs of keys that occur together; see `number_pairs`."""

    starts: np.ndarray
    outcome: np.ndarray

    @property
    def source(self):
        """The source key of each pair, (P,)."""
        numbers = np.arange(len(self.starts) - 1, dtype=np.int32)
        return np.repeat(numbers, np.diff(self.starts))

    @classmethod
    def number(cls, text, source_keys, target_keys, extra=()):
        """The table of a text, and the pair in each of its cells, (C,) int32.

        ``extra`` pairs of keys are in the table too; the pair of each comes last.
        """
        extra = np.array(extra, dtype=np.int32).reshape(-1, 2)
        beyond = np.arange(1, len(extra) + 1)
        keys, offsets = [], []
        for k, (side, key) in enumerate(
            [(text.source, source_keys), (text.target, target_keys)]
        ):
            keys.append(np.concatenate([key[side.codes], extra[:, k]]))
            offsets.append(np.concatenate([side.offsets, side.offsets[-1] + beyond]))
        n_source, n_target = (int(k.max(initial=-1)) + 1 for k in keys)
        index, starts, outcome = number_pairs(
            keys[0], offsets[0], n_source, keys[1], offsets[1], n_target
        )
        n_cells = text.cells[-1]
        return cls(starts, outcome), index[:n_cells], index[n_cells:]

    def find(self, text, source_keys, target_keys):
        """The pair in each cell of another text, -1 for a new one."""
        return find_pairs(
            self.starts,
            self.outcome,
            source_keys[text.source.codes],
            text.source.offsets,
            target_keys[text.target.codes],
            text.target.offsets,
        )


class _SideEncoder:
    """What training knows of one side."""

    def __init__(self, condition, outcome):
        self._rules = {"condition": condition, "outcome": outcome}
        self.known = {"condition": {}, "outcome": {}}
        self._counts = {}

    def learn(self, batch):
        side = self._encode(batch, grow=True)
        lowered = [str(w).lower() for w in side.words.tolist()]
        self.n_words, self.n_keys = len(set(lowered)), len(self.known["condition"])
        for word, count in zip(lowered, np.bincount(side.codes).tolist(), strict=True):
            self._counts[word] = self._counts.get(word, 0) + count
        return side._replace(counts=self._count(side.words))

    def encode(self, batch):
        return self._encode(batch, grow=False)

    def keys(self, word):
        """Numbers of the condition and outcome of one word, which are made known."""
        return [
            keys.setdefault(self._rules[role](word), len(keys))
            for role, keys in self.known.items()
        ]

    def _count(self, words):
        lowered = (str(w).lower() for w in words.tolist())
        return np.array([self._counts.get(w, 0) for w in lowered], dtype=np.intp)

    def _encode(self, batch, grow):
        vocabulary = Vocabulary.learn(batch.values, batch.offsets, sort=False)
        words = vocabulary.symbols
        coded = {}
        for role, known in self.known.items():
            keys = map(self._rules[role], words.tolist())
            coded[role] = np.array(_numbers(keys, known, grow), dtype=np.int32)
        codes = vocabulary.codes(batch.values).astype(np.int32)
        return Side(batch.offsets, codes, words, self._count(words), **coded)


def _numbers(keys, known, grow):
    """Numbers of keys; new ones, which get the next, are made known only to grow."""
    new, out = {}, []
    for key in keys:
        number = known.get(key)
        if number is None:
            number = new.setdefault(key, len(known) + len(new))
        out.append(number)
    if grow:
        known.update(new)
    return out


class TextEncoder:
    """Reads bitexts by the keys of a reconstruction.

    Parameters
    ----------
    reconstruction : {"stem", "word", "brown"} or callable
        What stands for a word.
    stem_length : int
        Letters of a stem.
    """

    def __init__(self, reconstruction, stem_length=4):
        self.reconstruction = reconstruction
        self.stem_length = stem_length

    @property
    def symmetric(self):
        """Whether a word has the same key in either role."""
        return self.reconstruction != "brown"

    def learn(self, bitext):
        """Learn keys and frequencies of a training text, and encode it."""
        batches = bitext.source, bitext.target
        self.sides = [_SideEncoder(*self._rules(batch)) for batch in batches]
        return _join(
            *(s.learn(batch) for s, batch in zip(self.sides, batches, strict=True))
        )

    def encode(self, bitext):
        """Encode another text."""
        batches = bitext.source, bitext.target
        return _join(
            *(s.encode(batch) for s, batch in zip(self.sides, batches, strict=True))
        )

    def has(self, source, target):
        """Whether words of both sides of the training text have these condition keys.

        Keys that a lexicon made known have higher numbers.
        """
        return source < self.sides[0].n_keys and target < self.sides[1].n_keys

    def remarks(self):
        """What is odd about the keys of the training text, in words."""
        for name, side in zip(("source", "target"), self.sides, strict=True):
            if callable(self.reconstruction) and side.n_keys == 1 < side.n_words:
                yield (
                    f"reconstruction: {_name(self.reconstruction)!r} gives one and the "
                    f"same for all {side.n_words} words of the {name} side, so that "
                    "it does not tell them apart."
                )

    def _rules(self, batch):
        """What stands for a word as a condition, and as an outcome."""
        if self.reconstruction == "brown":
            return partial(_stem, length=None), _BrownClass(batch)
        if callable(self.reconstruction):
            rule = partial(_ask, self.reconstruction)
        else:
            length = self.stem_length if self.reconstruction == "stem" else None
            rule = partial(_stem, length=length)
        return rule, rule


def _join(source, target):
    sizes = source.lengths * target.lengths
    large = np.flatnonzero(sizes > _LARGEST_PAIR)
    if large.size:
        n = large[0]
        raise ValueError(
            f"X, pair {n} has {source.lengths[n]} source and {target.lengths[n]} "
            f"target tokens, so {sizes[n]} cells of up to 100 bytes; at most "
            f"{_LARGEST_PAIR} are taken. Cut documents into pairs of sentences, or of "
            "paragraphs."
        )
    cells = offsets_of(sizes)
    if cells[-1] > _LARGEST_TEXT:
        raise ValueError(
            f"X has {cells[-1]} cells, products of the lengths of a pair of sentences; "
            f"at most {_LARGEST_TEXT} are taken. Align a part of the text at a time."
        )
    return EncodedBitext(source, target, cells)


def _stem(word, length):
    """The first letters of the lower-cased word."""
    return str(word).lower()[:length]


def _ask(function, word):
    """What a function of the user says of a word."""
    try:
        key = function(word)
    except Exception as error:
        error.add_note(
            f"Raised by {_name(function)!r}, the reconstruction, of the word {word!r}."
        )
        raise
    try:
        hash(key)
    except TypeError:
        found = f"a {type(key).__name__}"
    else:
        if key is not None:
            return key
        found = "None"
    raise ValueError(
        f"reconstruction({word!r}) is {found}; {_name(function)!r} must give something "
        "hashable, such as a string, that stands for the word, if only the word itself."
    )


def _name(function):
    return getattr(function, "__name__", type(function).__name__)


class _BrownClass:
    """The Brown class of the lower-cased word; new words are a class of their own."""

    def __init__(self, batch):
        clusterer = QuietBrownClusterer(lowercase=True)
        self._paths = clusterer.fit(batch).paths_ if batch.n_tokens else {}

    def __call__(self, word):
        return self._paths.get(str(word).lower(), "")

"""Blocks of indicator features of a pair of words, one feature a pair from each."""

from collections.abc import Callable
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np

from skstruct.kernels._spelling import LONGEST, spelling

__all__ = [
    "BLOCKS",
    "CLASSES",
    "FREQUENCIES",
    "Block",
    "Pairs",
    "Side",
    "UserBlock",
    "Words",
]

CLASSES = ("letters", "digits", "other")
CASES = ("lower", "Capital", "UPPER", "other")
# Bins of log2 of a frequency; the last one is open.
FREQUENCIES = 8


class Words(NamedTuple):
    """Distinct words of one side of a bitext.

    Parameters
    ----------
    words : ndarray of shape (V,), of str objects
        The words as they are spelt, upper case kept.
    counts : ndarray of shape (V,)
        How often the lower-cased word stands in the training text; 0 if never.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.potentials import Words
    >>> Words(np.array(["Haus", "2024"], dtype=object), np.array([5, 1])).words
    array(['Haus', '2024'], dtype=object)
    """

    words: np.ndarray
    counts: np.ndarray


class Side:
    """What the blocks read of the words of one side."""

    def __init__(self, words):
        self.words, self.counts = words
        self.lower = [str(word).lower() for word in self.words]
        self.lengths = np.array([len(word) for word in self.lower], np.int32)

    @cached_property
    def letters(self):
        """Code points of the lower-cased words, and where each word starts."""
        offsets = np.zeros(len(self.lower) + 1, np.int64)
        np.cumsum(self.lengths, out=offsets[1:])
        return np.array(["".join(self.lower)]).view(np.uint32), offsets

    @property
    def short_lengths(self):
        """Length of each word, at most 12."""
        return np.minimum(self.lengths, 12)

    @property
    def classes(self):
        """Number in CLASSES of each word."""
        return np.array([_class(word) for word in self.lower], np.int32)

    @property
    def cases(self):
        """Number in CASES of each word."""
        return np.array([_case(str(word)) for word in self.words], np.int32)

    @property
    def frequencies(self):
        """Bin of the frequency of each word."""
        bins = np.log2(np.maximum(self.counts, 1)).astype(np.int32)
        return np.minimum(bins, FREQUENCIES - 1)


class Pairs:
    """Pairs of words, with what several blocks need of them."""

    def __init__(self, source, target, pair_source, pair_target, association=None):
        self.source, self.target = Side(source), Side(target)
        self.pair_source, self.pair_target = pair_source, pair_target
        self.association = association

    def __len__(self):
        return len(self.pair_source)

    def cross(self, source, target, n_target):
        """``source * n_target + target`` of each pair, from numbers of each word."""
        bins = (source * n_target)[self.pair_source]
        bins += target[self.pair_target]
        return bins

    @property
    def lengths(self):
        """Lengths of the source and the target words."""
        source = self.source.lengths[self.pair_source]
        return source, self.target.lengths[self.pair_target]

    @cached_property
    def spelling(self):
        """Edit distance and common prefix of the lower-cased words."""
        words = self.source.letters, self.target.letters
        return spelling(*words, self.pair_source, self.pair_target)


class Block(NamedTuple):
    """A set of features of which each pair of words has one at most.

    ``bins`` gives the number in ``names`` of each pair's feature; ``len(names)`` says
    that it has none.
    """

    names: tuple
    bins: Callable


class UserBlock:
    """The values that a user's function gives for pairs of words, as features."""

    def __init__(self, function):
        self.function = function
        self.label = getattr(function, "__name__", type(function).__name__)
        self.values = {}

    @property
    def names(self):
        """Name of each value that was learnt."""
        return tuple(f"{self.label}={value}" for value in self.values)

    def learn(self, pairs):
        """Take the values of these pairs for the features; their bins."""
        self.values = {}
        return self._bins(
            pairs, lambda value: self.values.setdefault(value, len(self.values))
        )

    def bins(self, pairs):
        """Bins of pairs; a value that was not learnt is no feature."""
        return self._bins(pairs, lambda value: self.values.get(value, -1))

    def _bins(self, pairs, number):
        source, target = pairs.source.words, pairs.target.words
        codes = pairs.pair_source.astype(np.int64) * len(target) + pairs.pair_target
        codes, inverse = np.unique(codes, return_inverse=True)
        bins = np.empty(len(codes), np.int32)
        for p, (v, w) in enumerate(
            zip(*divmod(codes, max(len(target), 1)), strict=True)
        ):
            value = self._value(source[v], target[w])
            bins[p] = -1 if value is None else number(value)
        bins[bins < 0] = len(self.values)
        return bins[inverse]

    def _value(self, source, target):
        try:
            value = self.function(source, target)
        except Exception as error:
            error.add_note(
                f"Raised by {self.label!r}, a function among the features, of the pair "
                f"of words ({source!r}, {target!r})."
            )
            raise
        if value is None or isinstance(value, str | int | np.integer):
            return value
        raise TypeError(
            f"The function {self.label!r} among the features gave {value!r} of type "
            f"{type(value).__name__} for the pair of words ({source!r}, {target!r}); "
            "expected a str or an int, or None for no feature."
        )


def _class(word):
    if word.isalpha():  # the quick way, for most words
        return CLASSES.index("letters")
    if any(letter.isdigit() for letter in word):
        return CLASSES.index("digits")
    has_letter = any(letter.isalpha() for letter in word)
    return CLASSES.index("letters" if has_letter else "other")


def _case(word):
    if word.islower():
        return CASES.index("lower")
    if word[:1].isupper() and (len(word) == 1 or word[1:].islower()):
        return CASES.index("Capital")
    return CASES.index("UPPER" if word.isupper() else "other")


def _similarity(pairs):
    source, target = pairs.lengths
    shortest = np.minimum(source, target)
    longest = np.clip(np.maximum(source, target), 1, LONGEST)
    distance = pairs.spelling[0].astype(np.int32)
    bins = 10 * (longest - distance) // longest
    bins += 10 * (shortest >= 4)
    return np.where(distance == 0, 19 + np.clip(shortest, 1, 6), bins)


def _prefix(pairs):
    prefix = pairs.spelling[1].astype(np.int32)
    return 2 * np.minimum(prefix, 6) + (prefix == np.minimum(*pairs.lengths))


def _length(pairs):
    source, target = pairs.lengths
    return np.clip(source - target, -7, 7) + 7


def _association(pairs):
    values = pairs.association
    if values is None:
        raise ValueError(
            "The features 'association' need the association of each pair of words, "
            "and none was given."
        )
    outside = np.flatnonzero((values < 0) | (values > 1))
    if len(values) != len(pairs) or len(outside):
        fault = f"{values[outside[0]]}" if len(outside) else f"{len(values)} numbers"
        raise ValueError(
            f"association must have a number from 0 to 1 for each of the {len(pairs)} "
            f"pairs of words, or NaN where there is none; got {fault}."
        )
    present = values > 0  # NaN is not
    return np.where(present, np.where(present, 10 * values, 0).astype(np.int32), 11)


def _crossed(label, values, bins):
    """A block with a feature for each pair of values, which a `Side` has as bins."""
    names = tuple(f"{label}={v}|{w}" for v, w in product(values, values))
    return Block(names, partial(_cross, bins=bins, n_values=len(values)))


def _cross(pairs, bins, n_values):
    source, target = getattr(pairs.source, bins), getattr(pairs.target, bins)
    return pairs.cross(source, target, n_values)


def _ends(low, high):
    """``=n`` for each number; the ends of an open range are ``<=`` and ``>=``."""
    return [f"<={low}", *(f"={n}" for n in range(low + 1, high)), f">={high}"]


BLOCKS = {
    "similarity": Block(
        (
            *(f"similarity={n / 10},short" for n in range(10)),
            *(f"similarity={n / 10},long" for n in range(10)),
            *(f"similarity=same,length{n}" for n in [f"={n}" for n in range(1, 6)]),
            "similarity=same,length>=6",
        ),
        _similarity,
    ),
    "prefix": Block(
        tuple(
            f"prefix{n}{whole}"
            for n in [*(f"={n}" for n in range(6)), ">=6"]
            for whole in ("", ",whole")
        ),
        _prefix,
    ),
    "class": _crossed("class", CLASSES, "classes"),
    "length": Block(tuple(f"length{n}" for n in _ends(-7, 7)), _length),
    "frequency": _crossed("frequency", range(FREQUENCIES), "frequencies"),
    "lengths": _crossed("lengths", range(13), "short_lengths"),
    "case": _crossed("case", CASES, "cases"),
    "association": Block(
        (*(f"association={n / 10}" for n in range(11)), "association=absent"),
        _association,
    ),
}

"""Attributes of word types: what a clusterer knows of a word besides its neighbours."""

from collections import Counter

import numpy as np

from skstruct.featurizers._asking import ask
from skstruct.featurizers._words import lower_letters, word_shape

__all__ = ["Attributes"]

# A value of an attribute is told apart if more than one type in so many has it.
_RARE = 500


class Attributes:
    """Attributes of word types as numbers, counted through over all attributes.

    Parameters
    ----------
    attributes : "form", callable or None
        The parameter of the clusterer.
    words : list of V words
        Word types.

    Attributes
    ----------
    numbers : ndarray of shape (V, A)
        Those of the words.
    sizes : ndarray of shape (A,)
        How many values each attribute has.
    """

    def __init__(self, attributes, words):
        self._values_of = attributes or _nothing
        if attributes == "form":
            self._values_of = _form
        self._columns, sizes = [], []
        rows = self._read(words)
        for column in zip(*rows, strict=True):
            counts = Counter(column)
            common = [v for v, n in counts.items() if n * _RARE > len(words)]
            has_rare = len(common) < len(counts)
            first = sum(sizes)
            numbers = dict(zip(common, range(first, first + len(common)), strict=True))
            self._columns.append((numbers, first + len(common) if has_rare else -1))
            sizes.append(len(common) + has_rare)
        self.sizes = np.array(sizes, dtype=np.intp)
        self.numbers = self._encode(rows)

    def encode(self, words):
        """Numbers of other words; -1 where nothing like it has been seen."""
        return self._encode(self._read(words))

    def _encode(self, rows):
        columns = self._columns
        numbers = [
            [known.get(v, rare) for v, (known, rare) in zip(row, columns, strict=True)]
            for row in rows
        ]
        return np.array(numbers, dtype=np.intp).reshape(len(rows), len(self.sizes))

    def _read(self, words):
        rows = [ask("attributes", self._values_of, word) for word in words]
        for word, row in zip(words, rows, strict=True):
            if not isinstance(row, tuple) or len(row) != len(rows[0]):
                raise ValueError(
                    f"attributes answers {row!r} for the word {word!r}; it must answer "
                    "a tuple, of one length for all words."
                )
            try:
                hash(row)
            except TypeError as error:
                name = getattr(self._values_of, "__name__", repr(self._values_of))
                raise ValueError(
                    f"attributes: {name} answers {row!r} for the word {word!r}; what "
                    "is in the tuple must be hashable, such as str or int."
                ) from error
        return rows


def _form(word):
    """Suffix and shape of a word, which only text has."""
    if not isinstance(word, str):
        return None, None
    return "".join(lower_letters(word)[-2:]), word_shape(word, 4)


def _nothing(word):
    return ()

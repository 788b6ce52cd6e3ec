"""Potentials of links between words, and of words linked to nothing."""

from typing import NamedTuple

import numpy as np

from skstruct.kernels._combinations import combine
from skstruct.potentials._word_features import (
    BLOCKS,
    CLASSES,
    FREQUENCIES,
    Pairs,
    Side,
    UserBlock,
    Words,
)

__all__ = ["DEFAULT_BLOCKS", "NullWords", "PairBins", "WordPairs", "Words"]

DEFAULT_BLOCKS = ("similarity", "prefix", "class", "length", "frequency")

# Words whose identity says whether they are linked to nothing.
_N_IDENTITIES = 100


class PairBins(NamedTuple):
    """Features of pairs of words, through the distinct combinations of features.

    Parameters
    ----------
    combination : ndarray of shape (P,), int32
        Number of the combination of each pair.
    bins : ndarray of shape (B, U), int32
        Number of the feature that each block gives to each combination; the number of
        features where it gives none.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.potentials import PairBins
    >>> bins = PairBins(np.int32([0, 1, 0]), np.int32([[4, 7]]))
    >>> bins.bins[:, bins.combination]  # the feature of each pair, in the only block
    array([[4, 7, 4]], dtype=int32)
    """

    combination: np.ndarray
    bins: np.ndarray


class WordPairs:
    """Log-potentials of linking a source to a target word, by indicator features.

    Each block gives a pair of words one feature at most. Their distinct combinations
    are few beside the cells of a bitext, so a weight vector becomes one small table,
    and however many features there are, a cell costs one look-up.

    Parameters
    ----------
    blocks : sequence of str and callables, default=DEFAULT_BLOCKS
        All but 'case' and functions read lower-cased words.

        - 'similarity': 1 - Levenshtein distance / length of the longer word in tenths,
          apart for pairs of which both words have 4 letters or more; identical words
          by length;
        - 'prefix': number of first letters that agree, and whether they are all of
          the shorter word;
        - 'class': letters, digits or neither, in both words;
        - 'length': difference of the lengths;
        - 'frequency': log2 of the words' training frequencies;
        - 'lengths': both lengths;
        - 'case': lower, Capital, UPPER or other, in both words;
        - 'association': a number from 0 to 1 for each pair, in tenths.

        A function gets the source and the target word as they are spelt, and gives a
        str or an int, each a feature, or None for no feature. It is called once for
        each distinct pair.

    Attributes
    ----------
    n_features : int
        Number of features F.
    feature_names : ndarray of shape (F,), of str objects
        Such as 'prefix=3,whole'.

    Raises
    ------
    ValueError
        If no block has that name.
    TypeError
        If a block is neither a name nor a function.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.potentials import Words, WordPairs
    >>> source = Words(np.array(["Haus", "2024"], dtype=object), np.array([5, 1]))
    >>> target = Words(np.array(["House", "2024"], dtype=object), np.array([9, 1]))
    >>> pairs = WordPairs(["similarity", "class"])
    >>> encoded = pairs.encode(source, target, np.array([0, 1]), np.array([0, 1]))
    >>> for names in pairs.feature_names[encoded.bins.T]:
    ...     print(*names)
    similarity=0.6,long class=letters|letters
    similarity=same,length=4 class=digits|digits
    """

    def __init__(self, blocks=DEFAULT_BLOCKS):
        self._blocks = [_block(block) for block in blocks]

    @property
    def n_features(self):
        """Number of features F."""
        return sum(len(block.names) for block in self._blocks)

    @property
    def feature_names(self):
        """Names of the features, (F,)."""
        names = [name for block in self._blocks for name in block.names]
        return np.array(names, dtype=object)

    def learn(self, source, target, pair_source, pair_target, association=None):
        """Learn which values the functions among the blocks give.

        Parameters
        ----------
        source, target : Words
            Words of the two sides.
        pair_source, pair_target : ndarrays of shape (P,), int32
            Pairs of words, by number.
        association : ndarray of shape (P,), optional
            Association of the pairs, from 0 to 1.

        Returns
        -------
        WordPairs
            Itself.
        """
        pairs = Pairs(source, target, pair_source, pair_target, association)
        for block in self._blocks:
            if isinstance(block, UserBlock):
                block.learn(pairs)
        return self

    def encode(self, source, target, pair_source, pair_target, association=None):
        """Features of pairs of words.

        Parameters
        ----------
        source, target : Words
            Words of the two sides.
        pair_source, pair_target : ndarrays of shape (P,), int32
            Pairs of words, by number.
        association : ndarray of shape (P,), optional
            Association of the pairs, from 0 to 1; NaN where there is none.

        Returns
        -------
        PairBins
            Number of features at most one of each block.

        Raises
        ------
        TypeError
            If a function gives anything but a str, an int or None.
        ValueError
            If 'association' is among the blocks and the argument is missing or unfit.
        """
        pairs = Pairs(source, target, pair_source, pair_target, association)
        combination = np.zeros(len(pairs), np.int32)
        n_combinations, rows, start = min(len(pairs), 1), [], 0
        for block in self._blocks:
            n, bins = len(block.names), block.bins(pairs)
            codes = combine(combination, n_combinations, bins, n + 1)
            before, own = np.divmod(codes, n + 1)
            own = np.where(own < n, start + own, self.n_features)
            rows = [*(row[before] for row in rows), own]
            n_combinations, start = len(codes), start + n
        bins = np.array(rows, np.int32).reshape(len(rows), n_combinations)
        return PairBins(combination, bins)

    def table(self, bins, coef):
        """Log-potential of each combination.

        Parameters
        ----------
        bins : ndarray of shape (B, U)
            Features of the combinations.
        coef : ndarray of shape (F,)
            Weights.

        Returns
        -------
        ndarray of shape (U,)
            Sum of the weights of its features.
        """
        return _table(bins, coef)

    def gradient(self, bins, counts):
        """Gradient of ``counts @ table(bins, coef)`` with respect to the weights.

        Parameters
        ----------
        bins : ndarray of shape (B, U)
            Features of the combinations.
        counts : ndarray of shape (U,)
            (Differences of) expected counts of combinations.

        Returns
        -------
        ndarray of shape (F,)
            Expected counts of features.
        """
        return _gradient(bins, counts, self.n_features)


class NullWords:
    """Log-potentials of linking a word to nothing, by indicator features.

    A word has two features: its training frequency (log2) with its class (letters,
    digits or neither), and its identity if it is one of the 100 most frequent ones.

    Attributes
    ----------
    n_features : int
        Number of features F.
    feature_names : ndarray of shape (F,), of str objects
        Such as 'word=the'.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.potentials import NullWords, Words
    >>> words = Words(np.array(["The", "end"], dtype=object), np.array([64, 2]))
    >>> null = NullWords().learn(words)
    >>> for names in null.feature_names[null.encode(words).T]:
    ...     print(*names)
    frequency=6,letters word=the
    frequency=1,letters word=end
    """

    def __init__(self):
        self._identities = {}

    @property
    def n_features(self):
        """Number of features F."""
        return len(CLASSES) * FREQUENCIES + len(self._identities) + 1

    @property
    def feature_names(self):
        """Names of the features, (F,)."""
        return np.array(
            [
                *(f"frequency={f},{c}" for c in CLASSES for f in range(FREQUENCIES)),
                *(f"word={word}" for word in self._identities),
                "any other word",
            ],
            dtype=object,
        )

    def learn(self, words):
        """Learn which words are the most frequent ones.

        Parameters
        ----------
        words : Words
            Words of the side whose words may be linked to nothing.

        Returns
        -------
        NullWords
            Itself.
        """
        counts = {}
        for word, count in zip(Side(words).lower, words.counts, strict=True):
            if count:
                counts[word] = count
        # Ties by the word itself, so that the order of a text does not matter.
        frequent = sorted(counts, key=lambda w: (-counts[w], w))[:_N_IDENTITIES]
        self._identities = {word: n for n, word in enumerate(frequent)}
        return self

    def encode(self, words):
        """Features of words.

        Parameters
        ----------
        words : Words
            Any words.

        Returns
        -------
        ndarray of shape (2, V), int32
            Numbers of the features of each word.
        """
        side, other = Side(words), len(self._identities)
        identities = [self._identities.get(word, other) for word in side.lower]
        bins = np.empty((2, len(identities)), np.int32)
        bins[0] = side.classes * FREQUENCIES + side.frequencies
        bins[1] = identities
        bins[1] += len(CLASSES) * FREQUENCIES
        return bins

    def table(self, bins, coef):
        """Log-potential of each word.

        Parameters
        ----------
        bins : ndarray of shape (2, V)
            Features of the words.
        coef : ndarray of shape (F,)
            Weights.

        Returns
        -------
        ndarray of shape (V,)
            Sum of the weights of its features.
        """
        return _table(bins, coef)

    def gradient(self, bins, counts):
        """Gradient of ``counts @ table(bins, coef)`` with respect to the weights.

        Parameters
        ----------
        bins : ndarray of shape (2, V)
            Features of the words.
        counts : ndarray of shape (V,)
            (Differences of) expected counts of words linked to nothing.

        Returns
        -------
        ndarray of shape (F,)
            Expected counts of features.
        """
        return _gradient(bins, counts, self.n_features)


def _block(block):
    """The block of this name or function."""
    if callable(block):
        return UserBlock(block)
    if not isinstance(block, str):
        raise TypeError(
            "Features of word pairs are names or functions of two words; got "
            f"{block!r} of type {type(block).__name__}."
        )
    if block not in BLOCKS:
        raise ValueError(
            f"No features of word pairs are named {block!r}; there are "
            f"{', '.join(map(repr, BLOCKS))}, or a function of two words."
        )
    return BLOCKS[block]


def _table(bins, coef):
    return np.append(coef, 0.0)[bins].sum(axis=0)


def _gradient(bins, counts, n_features):
    spread = np.broadcast_to(counts, bins.shape).ravel()
    return np.bincount(bins.ravel(), spread, n_features + 1)[:n_features]

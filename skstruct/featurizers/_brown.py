"""Word classes, and a binary tree of them, by greedy agglomeration."""

from numbers import Integral
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import xlogy
from sklearn.utils.validation import check_is_fitted

from skstruct._params import Interval, fit_context
from skstruct._validation import as_ragged
from skstruct.containers import Ragged
from skstruct.featurizers._bigrams import count_bigrams, read_words
from skstruct.featurizers._brown_paths import read_paths, write_paths
from skstruct.featurizers._clusterer import WordClusterer
from skstruct.kernels._brown import merge_classes

__all__ = ["BrownClusterer", "QuietBrownClusterer"]

# Neighbours that are no words to cluster: rare words as one, and the boundary.
_N_FIXED = 2


class BrownClusterer(WordClusterer):
    r"""Word classes of adjacent tokens that tell most about one another, as a tree.

    Each word type :math:`w` gets one of C classes :math:`c(w)`, so as to maximise the
    average mutual information of the classes of adjacent tokens,

    .. math:: I(c) = \sum_{a, b} p(a, b) \log \frac{p(a, b)}{p(a)\,p(b)},

    where p are relative frequencies. The greedy algorithm of Brown et al. [1]_ in the
    windowed form of Liang [2]_: the C most frequent types start as classes; each other
    type, by falling frequency, is added as a class of its own, and the two classes are
    merged that cost least of I over what has been added so far. The C classes are then
    merged down to one in the same way. The class of a word is named by its path in the
    binary tree of these merges, a string of 0 and 1: classes that share a long prefix
    are alike. Tokens are given these paths; a word without a class, an empty string.

    Parameters
    ----------
    n_clusters : int, default=100
        The number C of classes. Fewer types are a class each, and warned of.
    min_count : int, default=1
        Words that occur less often have no class. As neighbours they count as one word.
    lowercase : bool, default=False
        Whether words are told apart regardless of case.
    prefix : int or None, default=None
        How many bits of a path ``transform`` and ``predict`` give; None is all.

    Attributes
    ----------
    words_ : ndarray of shape (n_types,)
        Word types, most frequent first, ties by first appearance; in lower case if so
        asked.
    counts_ : ndarray of shape (n_types,)
        How often each word occurs.
    paths_ : dict of str
        The path of each word.
    labels_ : ndarray of shape (n_types,)
        Class of each word; classes are numbered by their most frequent words.
    n_clusters_ : int
        The number of classes.
    mutual_information_ : float
        I of the ``n_clusters_`` classes, in nats.
    merges_ : ndarray of shape (C - 1, 2)
        Pairs of classes in the order in which they are merged to a tree. The merged
        class keeps the lower number, which comes first and whose bit is 0.
    merge_losses_ : ndarray of shape (C - 1,)
        What each of these merges costs of I.

    Warns
    -----
    ConvergenceWarning
        If there are fewer words than classes.

    See Also
    --------
    ExchangeClusterer : Flat classes that also look at the forms of words.

    Notes
    -----
    A boundary before and after each sequence is a neighbour of its own, which is never
    merged: other sequences do not matter to a bigram. Nothing is random; among merges
    of equal cost the first in the order of classes is taken.

    The window costs time of the order of :math:`V C^2` for V types at most, and less
    as most types have few neighbours: 2 s for 100 classes of 250,000 tokens. Memory
    grows as 32 :math:`C^2` bytes.

    References
    ----------
    .. [1] P. Brown et al., "Class-based n-gram models of natural language",
       Computational Linguistics 18, 1992.
    .. [2] P. Liang, "Semi-supervised learning for natural language", master's thesis,
       MIT, 2005.

    Examples
    --------
    >>> from skstruct.featurizers import BrownClusterer
    >>> X = [["the", "cat", "sat"], ["a", "dog", "sat"], ["the", "dog", "ran"]]
    >>> clusterer = BrownClusterer(3).fit(X)
    >>> clusterer.paths_
    {'the': '00', 'sat': '01', 'dog': '1', 'cat': '1', 'a': '00', 'ran': '01'}
    >>> clusterer.transform([["a", "cat", "slept"]])[0]
    array(['00', '1', ''], dtype=object)
    >>> clusterer.cut(2)
    array([0, 0, 1, 1, 0, 0])
    """

    _parameter_constraints: ClassVar = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "lowercase": ["boolean"],
        "prefix": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, n_clusters=100, *, min_count=1, lowercase=False, prefix=None):
        self.n_clusters = n_clusters
        self.min_count = min_count
        self.lowercase = lowercase
        self.prefix = prefix

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None) -> Self:
        """Cluster the words.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            Sequences of words (str, int or other hashable tokens); of a Ragged of
            feature rows, the tokens that it carries.
        y : None
            Ignored.

        Returns
        -------
        BrownClusterer
            This object.

        Raises
        ------
        ValueError
            If a token is missing or no symbol, or no word occurs ``min_count`` times.
        """
        words, _, counts, pairs = count_bigrams(self._spell(as_ragged(X)))
        n_types = np.count_nonzero(counts >= self.min_count)
        if n_types == 0:
            raise ValueError(
                f"No word occurs min_count={self.min_count} times; the most frequent, "
                f"{words[0]!r}, occurs {counts[0]} times. Lower min_count."
            )
        self._warn_of_few(n_types)
        pairs = _with_fixed_first(pairs, n_types)
        labels, merges, losses = merge_classes(
            pairs, _N_FIXED, min(self.n_clusters, n_types)
        )
        self._store(words[:n_types], counts[:n_types], labels, _paths(merges))
        self.mutual_information_ = _mutual_information(pairs, labels)
        self.merges_, self.merge_losses_ = merges, losses
        return self

    def cut(self, n_clusters) -> np.ndarray:
        """Classes of the words where the tree has a smaller number of them.

        Parameters
        ----------
        n_clusters : int
            From 1 to ``n_clusters_``: the merges are followed until so many are left.

        Returns
        -------
        ndarray of shape (n_types,)
            Class of each word of ``words_``; classes are numbered by their most
            frequent words.

        Raises
        ------
        ValueError
            If there are not as many classes, or the order of merges is not known as the
            clusters were read from a file.
        """
        check_is_fitted(self)
        if not hasattr(self, "merges_"):
            raise ValueError(
                "The order of merges is not known: a file of paths does not hold it. "
                "Fit the clusterer to cut its tree, or use prefix=."
            )
        if not isinstance(n_clusters, Integral) or not (
            1 <= n_clusters <= self.n_clusters_
        ):
            raise ValueError(
                f"n_clusters must be an integer from 1 to {self.n_clusters_}, the "
                f"number of classes that there are; got {n_clusters!r}."
            )
        names = np.arange(self.n_clusters_)
        for kept, gone in self.merges_[: self.n_clusters_ - n_clusters]:
            names[names == gone] = kept
        return np.unique(names, return_inverse=True)[1][self.labels_]

    def write(self, path):
        """Write a file of paths, as programs for Brown clusters do.

        Parameters
        ----------
        path : str or path-like
            A line ``bits<TAB>word<TAB>count`` for each word, sorted by path, then by
            falling count; UTF-8, gzipped if the name ends in ``.gz``.

        Raises
        ------
        ValueError
            If a word is no text, or has a tab or a line end.
        """
        check_is_fitted(self)
        words = zip(self.words_.tolist(), self.counts_.tolist(), strict=True)
        rows = [(self.paths_[word], word, count) for word, count in words]
        write_paths(path, sorted(rows, key=lambda row: row[0]))

    @classmethod
    def read(cls, path) -> Self:
        """Read a file of paths; the answer is fitted.

        Parameters
        ----------
        path : str or path-like
            A line ``bits<TAB>word<TAB>count`` for each word; UTF-8, gzipped if the name
            ends in ``.gz``.

        Returns
        -------
        BrownClusterer
            One without what the file does not hold: the order of merges and mutual
            information. Where it is to be a part of something that clones its parts,
            give it as ``FrozenEstimator(BrownClusterer.read(path))``.

        Raises
        ------
        ValueError
            If a line is not of that form, or a word stands twice; its number is told.
        """
        rows = sorted(read_paths(path), key=lambda row: -row[2])
        bits, words, counts = zip(*rows, strict=True)
        paths = list(dict.fromkeys(bits))
        numbers = dict(zip(paths, range(len(paths)), strict=True))
        self = cls(len(paths))
        labels = np.array([numbers[path] for path in bits])
        self._store(np.array(words, dtype=object), np.array(counts), labels, paths)
        return self

    def _store(self, words, counts, labels, paths):
        """Words and the paths of their classes."""
        self._store_words(words, counts, labels)
        self._paths, self.n_clusters_ = paths, len(paths)
        of_words = np.array(paths, dtype=object)[labels].tolist()
        self.paths_ = dict(zip(words.tolist(), of_words, strict=True))

    def _spell(self, batch):
        """The tokens of a batch as words are told apart."""
        tokens = read_words(batch)
        if self.lowercase:
            lower = (t.lower() if isinstance(t, str) else t for t in tokens)
            tokens = np.fromiter(lower, tokens.dtype, len(tokens))
        return Ragged.from_arrays(tokens, batch.offsets)

    def _classes(self, batch):
        """Paths of the tokens; an empty string for words without a class."""
        self._validate_params()  # prefix may have been set since
        paths = [*(path[: self.prefix] for path in self._paths), ""]
        spelled = self._spell(batch)
        labels = self._look_up(spelled.values, spelled.offsets)
        return np.array(paths, dtype=object)[labels]


class QuietBrownClusterer(BrownClusterer):
    """Classes within a model, whose number no user has asked for."""

    _warns = False


def _with_fixed_first(pairs, n_types):
    """Bigram counts of all rare words as one type, the boundary, and ``n_types``."""
    table = pairs.tocoo()
    number = np.zeros(pairs.shape[0], dtype=np.intp)
    number[-1] = 1
    number[:n_types] = np.arange(_N_FIXED, _N_FIXED + n_types)
    shape = (_N_FIXED + n_types, _N_FIXED + n_types)
    ends = (number[table.row], number[table.col])
    return sp.csr_array(sp.coo_array((table.data, ends), shape=shape))


def _paths(merges):
    """Bits of each class in the tree of all merges; of one class alone, a 0."""
    paths = [""] * (len(merges) + 1)
    for kept, gone in merges[::-1]:
        paths[gone] = paths[kept] + "1"
        paths[kept] += "0"
    return paths if len(merges) else ["0"]


def _mutual_information(pairs, labels):
    """Mutual information of the classes of adjacent tokens, in nats."""
    classes = np.append(np.arange(_N_FIXED), labels + _N_FIXED)
    n, table = classes.max() + 1, pairs.tocoo()
    cells = classes[table.row] * n + classes[table.col]
    counts = np.bincount(cells, table.data, n * n).reshape(n, n)
    total, sizes = counts.sum(), counts.sum(axis=1)
    weighed = xlogy(counts, counts).sum() - 2 * xlogy(sizes, sizes).sum()
    return float(weighed / total + np.log(total))

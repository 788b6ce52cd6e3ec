"""Word classes by the exchange algorithm."""

from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln, xlogy
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from skstruct._params import Interval, StrOptions, fit_context
from skstruct._validation import as_ragged
from skstruct.featurizers._attributes import Attributes
from skstruct.featurizers._bigrams import count_bigrams, read_words
from skstruct.featurizers._clusterer import WordClusterer
from skstruct.kernels._exchange import exchange

__all__ = ["ExchangeClusterer"]

# Concentration of the Dirichlet prior on the attributes of a class.
_PRIOR = 0.1
# Classes whose types a perturbation deals out anew.
_N_DEALT = 3


class ExchangeClusterer(WordClusterer):
    r"""Classes of words that occur, and look, alike.

    Each word type :math:`w` gets one class :math:`c(w)`, so as to maximise the
    likelihood of a class-bigram model of the tokens and of the forms of the types,

    .. math:: \sum_t \log \big[ p(c(x_t) \mid c(x_{t-1})) \, p(x_t \mid c(x_t)) \big]
        + \omega \sum_a \sum_k \log p(\text{attribute } a \text{ of the types of } k)

    where :math:`p` of tokens are relative frequencies, and attributes (suffix, shape)
    have a distribution for each class that is integrated out under a Dirichlet prior
    of .1. Types are visited by falling frequency, and each moves to the class where
    the objective is largest, until hardly any moves. From such a local optimum the
    search goes on: the types of three classes are dealt out among these at random and
    visited again, and the result is kept if it is better (iterated local search
    [3]_). The best of ``n_init`` random starts wins.

    Parameters
    ----------
    n_clusters : int, default=12
        Number of classes. With fewer word types some stay empty, which is warned of.
    attributes : "form", callable or None, default="form"
        What is known of a word type besides its neighbours. "form": its last two
        characters in lower case, and its shape (``"Aa"``, ``"0"``; at most four runs).
        A function of a word answers a tuple of hashable values, always as many. None:
        only neighbours count. Tokens that are no text have no form.
    attribute_weight : float, default=1.0
        The weight :math:`\omega` of the attributes, at most a million.
    n_init : int, default=2
        Number of random starts.
    n_perturbations : int, default=100
        How often the search from each start leaves a local optimum. They are worth
        more than starts: at equal cost, 2 starts with 100 rather than 200 without any
        gain several points of V-measure.
    max_iter : int, default=30
        Bound on the sweeps over all types to a local optimum. A sweep that moves less
        than one type in 2,000 is the last.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts. The result does not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of threads over starts; None is 1, unless in a
        :func:`joblib.parallel_config` context, and -1 all processors.

    Attributes
    ----------
    words_ : ndarray of shape (n_types,)
        Word types, most frequent first, ties by first appearance.
    counts_ : ndarray of shape (n_types,)
        How often each word occurs.
    labels_ : ndarray of shape (n_types,)
        Class of each word; classes are numbered by falling number of tokens.
    objective_ : float
        The objective, in nats.
    objectives_ : ndarray of shape (n_init,)
        The objective of each start.
    n_iter_ : int
        Number of sweeps from the best start, perturbations included.

    Warns
    -----
    ConvergenceWarning
        If there are fewer words than classes.

    See Also
    --------
    BrownClusterer : A tree of classes, by greedy merges.
    skstruct.estimators.AnnealedHMM : Classes of tokens, which may differ for one word.

    Notes
    -----
    A boundary stands before and after each sequence, in a class of its own. Values of
    an attribute that one type in 500, or fewer, have count as one value.

    A word that ``fit`` did not see gets the class for which the probability of its
    attributes, times the number of types, is largest: new words belong where there are
    many words, not where there are many tokens.

    References
    ----------
    .. [1] S. Martin, J. Liermann, H. Ney, "Algorithms for bigram and trigram word
       clustering", Speech Communication 24, 1998.
    .. [2] A. Clark, "Combining distributional and morphological information for part
       of speech induction", EACL 2003.
    .. [3] H. R. Lourenco, O. C. Martin, T. Stutzle, "Iterated local search", Handbook
       of Metaheuristics, 2003.

    Examples
    --------
    >>> from skstruct.featurizers import ExchangeClusterer
    >>> text = ["the cat sat", "a dog ran", "the dog sat", "a cat saw the dog"]
    >>> X = [sentence.split() for sentence in text]
    >>> clusterer = ExchangeClusterer(3, random_state=0).fit(X)
    >>> for k in range(3):
    ...     print(k, clusterer.words_[clusterer.labels_ == k])
    0 ['the' 'a']
    1 ['dog' 'cat']
    2 ['sat' 'ran' 'saw']
    >>> clusterer.predict([["the", "cat", "saw", "a", "dog"], ["a", "cat"]])
    array([array([0, 1, 2, 0, 1]), array([0, 1])], dtype=object)
    """

    _parameter_constraints: ClassVar = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "attributes": [StrOptions({"form"}), callable, None],
        "attribute_weight": [Interval(Real, 0, 1e6, closed="both")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "n_perturbations": [Interval(Integral, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_clusters=12,
        *,
        attributes="form",
        attribute_weight=1.0,
        n_init=2,
        n_perturbations=100,
        max_iter=30,
        random_state=None,
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.attributes = attributes
        self.attribute_weight = attribute_weight
        self.n_init = n_init
        self.n_perturbations = n_perturbations
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None) -> Self:
        """Find classes of the words.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            Sequences of words (str, int or other hashable tokens); of a Ragged of
            feature rows, the tokens that it carries.
        y : None
            Ignored.

        Returns
        -------
        ExchangeClusterer
            This object.

        Raises
        ------
        ValueError
            If a token is missing or no symbol, there are none at all, or ``attributes``
            answers no tuples of equal length.
        """
        bigrams = count_bigrams(as_ragged(X))
        attributes = Attributes(self.attributes, bigrams.words.tolist())
        self._warn_of_few(len(bigrams.words))
        n_used = min(self.n_clusters, len(bigrams.words))
        problem = _Problem(bigrams, attributes, n_used, self.attribute_weight)
        # One by one, so that a larger n_init adds starts to those of a smaller.
        random = check_random_state(self.random_state)
        seeds = [random.randint(np.iinfo(np.int32).max) for _ in range(self.n_init)]
        runs = Parallel(self.n_jobs, prefer="threads")(
            delayed(problem.run)(seed, self.n_perturbations, self.max_iter)
            for seed in seeds
        )
        objectives = np.array([objective for objective, _, _ in runs])
        objective, labels, n_iter = runs[objectives.argmax()]
        tokens = np.bincount(labels, bigrams.counts, n_used)
        labels = np.argsort(np.argsort(-tokens, kind="stable"))[labels]
        scores = problem.scores(labels)
        self._store_words(bigrams.words, bigrams.counts, labels)
        self._attributes, self._scores = attributes, scores
        self.objectives_, self.objective_, self.n_iter_ = objectives, objective, n_iter
        return self

    def _classes(self, batch):
        """Numbers of classes; of new words, by their attributes."""
        tokens = read_words(batch)
        classes = self._look_up(tokens, batch.offsets)
        new = classes < 0
        words = list(dict.fromkeys(tokens[new].tolist()))
        guess = dict(zip(words, self._guess(words), strict=True))
        classes[new] = [guess[word] for word in tokens[new].tolist()]
        return classes

    def _guess(self, words):
        """Classes of new words by their attributes."""
        # The last row of the scores, which number -1 means, says nothing.
        n_used = self._scores.shape[1]
        scores = np.vstack([self._scores, np.zeros(n_used)])
        with np.errstate(divide="ignore"):  # no word belongs to an empty class
            share = np.log(np.bincount(self.labels_, minlength=n_used))
        return (scores[self._attributes.encode(words)].sum(axis=1) + share).argmax(1)


class _Problem:
    """The objective and its maximisation from one start.

    Parameters
    ----------
    bigrams : Bigrams
        The words and their neighbours.
    attributes : Attributes
        Those of the words.
    n_clusters : int
        Number of classes.
    weight : float
        Weight of the attributes.
    """

    def __init__(self, bigrams, attributes, n_clusters, weight):
        self._counts = bigrams.counts
        self._n_clusters, self._weight = n_clusters, weight
        self._pairs = bigrams.pairs.tocoo()
        self._followers, self._leaders = (
            (table.indptr, table.indices, table.data)
            for table in (bigrams.pairs, sp.csr_array(bigrams.pairs.T))
        )
        self._numbers, self._sizes = attributes.numbers, attributes.sizes
        tokens, types = np.arange(len(bigrams.index) + 1), np.arange(len(self._counts))
        prior = _PRIOR * self._sizes[:, None]
        self._tables = (
            xlogy(tokens, tokens),
            weight * np.log(types + _PRIOR),
            weight * np.log(types + prior).sum(axis=0),
        )

    def run(self, seed, n_perturbations, max_iter):
        """The objective, the labels and the number of sweeps from a random start."""
        n, k = len(self._counts), self._n_clusters
        random = np.random.default_rng(seed)
        labels = random.integers(k, size=n)
        labels[: min(n, k)] = np.arange(min(n, k))  # the most frequent words
        best, labels, n_sweeps = self._climb(labels, max_iter)
        for _ in range(n_perturbations):
            classes = random.choice(k, min(k, _N_DEALT), replace=False)
            members = np.flatnonzero(np.isin(labels, classes))
            dealt = labels.copy()
            dealt[members] = random.choice(classes, len(members))
            objective, dealt, n_more = self._climb(dealt, max_iter)
            n_sweeps += n_more
            if objective > best:
                best, labels = objective, dealt
        return best, labels, n_sweeps

    def _climb(self, labels, max_iter):
        """The local optimum that labels lead to: objective, labels, sweeps."""
        labels = np.append(labels, self._n_clusters)
        neighbours = self._followers, self._leaders
        n_sweeps = exchange(
            labels,
            self._n_clusters,
            *neighbours,
            self._numbers,
            self._tables,
            max_iter,
        )
        return self.objective(labels[:-1]), labels[:-1], n_sweeps

    def objective(self, labels):
        """The objective of classes of the words."""
        k, pairs = self._n_clusters, self._pairs
        ends = np.append(labels, k)
        between = ends[pairs.row] * (k + 1) + ends[pairs.col]
        tokens = np.bincount(between, pairs.data, (k + 1) ** 2).reshape(k + 1, k + 1)
        left, right = tokens.sum(axis=1), tokens.sum(axis=0)[:-1]
        likelihood = _x_log_x(tokens) - _x_log_x(left)
        likelihood += _x_log_x(self._counts) - _x_log_x(right)
        having, types = self._attribute_counts(labels)
        prior = _PRIOR * self._sizes[:, None]
        forms = (gammaln(having + _PRIOR) - gammaln(_PRIOR)).sum()
        forms -= (gammaln(types + prior) - gammaln(prior)).sum()
        return float(likelihood + self._weight * forms)

    def scores(self, labels):
        """Weighted log-probability of each value of an attribute in each class."""
        having, types = self._attribute_counts(labels)
        of_value = np.repeat(self._sizes, self._sizes)[:, None]
        probability = (having + _PRIOR) / (types + _PRIOR * of_value)
        return self._weight * np.log(probability)

    def _attribute_counts(self, labels):
        """Types that have each value, by class, and all types of each class."""
        having = np.zeros((self._sizes.sum(), self._n_clusters))
        np.add.at(having, (self._numbers, labels[:, None]), 1)
        return having, np.bincount(labels, minlength=self._n_clusters)


def _x_log_x(counts):
    return xlogy(counts, counts).sum()

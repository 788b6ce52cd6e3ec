"""Word alignment by IBM Model 1."""

from skstruct.estimators._alignment._independent import UniformPositions
from skstruct.estimators._alignment._single_aligner import SingleAligner

__all__ = ["IBM1Aligner"]


class IBM1Aligner(SingleAligner):
    r"""Align words by IBM Model 1: a target word may link to any source word alike.

    With :math:`\theta` the translations of source words, and of none (0),

    .. math:: \max_\theta \sum_{(s, t)} \sum_j \log \Big[ p_0 \, \theta_0(t_j)
        + \frac{1 - p_0}{I} \sum_{i=1}^{I} \theta(t_j \mid s_i) \Big]
        + \log p(\theta)

    is solved by EM. It is concave: the start does not matter. Each target word links to
    one source word at most; :class:`SymmetrizedAligner` joins both directions.

    Parameters
    ----------
    reconstruction : {"word", "stem", "brown"} or callable, default="word"
        What stands for a word: itself in lower case; its first letters; a Brown class
        where it is explained, itself where it explains; what a function of the word
        gives.
    stem_length : int, default=4
        Letters of a stem.
    update : {"map", "variational", "cvb0"}, default="map"
        How counts become :math:`\theta`. "map": counts and pseudo-counts, EM.
        "variational": variational Bayes. "cvb0": collapsed variational Bayes, which
        leaves out the part that a word itself has in the counts.
    alpha : float, default=0.0
        Pseudo-count, or Dirichlet concentration, of each word that occurs beside
        another; 0 is maximum likelihood.
    null_prob : float, default=0.1
        Probability :math:`p_0` that a word links to none.
    lexicon_prior : dict of (source, target) to float, default=None
        Known translations, words as they are spelt, and the count to add for each.
    max_iter : int, default=5
        Number of EM steps.
    store_posteriors : bool, default=False
        Whether to keep ``posteriors_``.
    n_jobs : int, default=None
        Threads over pairs of sentences.

    Attributes
    ----------
    links_ : Ragged of shape (n,) of arrays of shape (n_links, 2)
        Links (source, target) of the training text, from 0.
    posteriors_ : ndarray of shape (n,) of ndarrays of shape (n_source, n_target)
        Probabilities of links of the training text, if asked for.
    history_ : list of dict
        For each step its "iteration" (from 1) and "log_likelihood", a target word,
        before it.
    n_iter_ : int
        Number of steps.

    Raises
    ------
    ValueError
        If no pair has words on both sides, or ``alpha`` is 0 without "map".

    See Also
    --------
    DiagonalAligner : Prefers positions near the diagonal.
    HMMAligner : Follows the position before; much better.

    Notes
    -----
    ``links_`` are those that ``predict`` gives for the training text, except under
    "cvb0".

    scikit-learn's estimator checks pass 2-D arrays, which are no sentences: this
    estimator says so by its tags, and they skip it.

    References
    ----------
    .. [1] P. Brown, S. Della Pietra, V. Della Pietra and R. Mercer (1993). The
       mathematics of statistical machine translation. Computational Linguistics 19.

    Examples
    --------
    >>> from skstruct.estimators import IBM1Aligner
    >>> X = [
    ...     (["the", "dog"], ["le", "chien"]),
    ...     (["the", "cat"], ["le", "chat"]),
    ...     (["a", "dog"], ["un", "chien"]),
    ... ]
    >>> model = IBM1Aligner().fit(X)
    >>> model.predict([(["a", "cat"], ["un", "chat"])])[0].tolist()
    [[0, 0], [1, 1]]
    """

    def __init__(
        self,
        *,
        reconstruction="word",
        stem_length=4,
        update="map",
        alpha=0.0,
        null_prob=0.1,
        lexicon_prior=None,
        max_iter=5,
        store_posteriors=False,
        n_jobs=None,
    ):
        self.reconstruction = reconstruction
        self.stem_length = stem_length
        self.update = update
        self.alpha = alpha
        self.null_prob = null_prob
        self.lexicon_prior = lexicon_prior
        self.max_iter = max_iter
        self.store_posteriors = store_posteriors
        self.n_jobs = n_jobs

    def _start_positions(self):
        return UniformPositions(self.null_prob)

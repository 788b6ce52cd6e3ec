"""Word alignment along the diagonal."""

from numbers import Real
from typing import ClassVar

from skstruct._params import Interval
from skstruct.estimators._alignment._independent import TENSIONS, DiagonalPositions
from skstruct.estimators._alignment._single_aligner import SingleAligner

__all__ = ["DiagonalAligner"]


class DiagonalAligner(SingleAligner):
    r"""Align words along the diagonal: a reparameterised IBM Model 2.

    Target word j of J links to none with probability :math:`p_0`, else to source word i
    of I, the likelier the nearer both stand to the diagonal:

    .. math:: p(t \mid s) = \prod_j \Big[ p_0 \, \theta_0(t_j) + (1 - p_0) \sum_i
        \frac{e^{-\lambda \lvert i/I - j/J \rvert}}{Z_j(\lambda)}
        \theta(t_j \mid s_i) \Big]

    EM learns the translations :math:`\theta`, by default under a sparse Dirichlet
    prior, and the tension :math:`\lambda` by Newton's method. This is the model of
    fast_align. Each target word links to one source word at most;
    :class:`SymmetrizedAligner` joins both directions.

    Parameters
    ----------
    reconstruction : {"word", "stem", "brown"} or callable, default="word"
        What stands for a word: itself in lower case; its first letters; a Brown class
        where it is explained, itself where it explains; what a function of the word
        gives.
    stem_length : int, default=4
        Letters of a stem.
    update : {"variational", "map", "cvb0"}, default="variational"
        How counts become :math:`\theta`. "variational": variational Bayes. "map":
        counts and pseudo-counts. "cvb0": collapsed variational Bayes, which leaves out
        the part that a word itself has in the counts.
    alpha : float, default=0.01
        Dirichlet concentration, or pseudo-count, of each word that occurs beside
        another.
    null_prob : float, default=0.08
        Probability :math:`p_0` that a word links to none.
    tension : float, default=4.0
        Where :math:`\lambda` starts; it is kept between 0.1 and 14.
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
    tension_ : float
        The tension :math:`\lambda` learnt.
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
    HMMAligner : Follows the position before; much better.
    SymmetrizedAligner : Joins both directions, of this model by default.

    Notes
    -----
    ``links_`` are those that ``predict`` gives for the training text, except under
    "cvb0".

    scikit-learn's estimator checks pass 2-D arrays, which are no sentences: this
    estimator says so by its tags, and they skip it.

    References
    ----------
    .. [1] C. Dyer, V. Chahuneau and N. A. Smith (2013). A simple, fast, and effective
       reparameterization of IBM Model 2. NAACL.

    Examples
    --------
    >>> from skstruct.estimators import DiagonalAligner
    >>> X = [
    ...     (["the", "dog"], ["le", "chien"]),
    ...     (["the", "cat"], ["le", "chat"]),
    ...     (["a", "dog"], ["un", "chien"]),
    ... ]
    >>> model = DiagonalAligner().fit(X)
    >>> model.predict([(["a", "cat"], ["un", "chat"])])[0].tolist()
    [[0, 0], [1, 1]]
    """

    def __init__(
        self,
        *,
        reconstruction="word",
        stem_length=4,
        update="variational",
        alpha=0.01,
        null_prob=0.08,
        tension=4.0,
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
        self.tension = tension
        self.lexicon_prior = lexicon_prior
        self.max_iter = max_iter
        self.store_posteriors = store_posteriors
        self.n_jobs = n_jobs

    _parameter_constraints: ClassVar = {
        **SingleAligner._parameter_constraints,
        "tension": [Interval(Real, *TENSIONS, closed="both")],
    }

    def _start_positions(self):
        return DiagonalPositions(self.null_prob, self.tension)

    def _parameters(self, positions):
        return {"tension_": positions.tension}

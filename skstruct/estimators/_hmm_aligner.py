"""Word alignment by hidden Markov models."""

from numbers import Real
from typing import ClassVar

import numpy as np

from skstruct._params import Interval
from skstruct.estimators._alignment._encoders import MarkovEncoder, MarkovTraining
from skstruct.estimators._alignment._joint_aligner import JointAligner

__all__ = ["HMMAligner"]


class HMMAligner(JointAligner):
    r"""Align words by hidden Markov models of both directions that agree.

    In one direction, the words :math:`t_1 \dots t_J` of a sentence link to positions
    of the other one, :math:`s_1 \dots s_I`, or to none; the position that follows
    depends on the last one by the width of the jump:

    .. math:: p(t \mid s) = \sum_y \prod_{j: y_j > 0} (1 - p_0) \,
        \frac{g(y_j - \ell_j)}{\sum_i g(i - \ell_j)} \, \theta(t_j \mid s_{y_j})
        \prod_{j: y_j = 0} p_0 \, \theta_0(t_j)

    where :math:`\ell_j` is the last linked position before j. ``fit`` alternates
    between posteriors of y, in which the other direction has a say, and g and
    :math:`\theta` by their expected counts. With ``update="map"`` and without agreement
    this is EM for :math:`\sum \log p(t \mid s) + \log p(\theta)`, but that g are shares
    of all jumps, whichever ones a sentence had room for.

    Parameters
    ----------
    reconstruction : str, callable, or list of these, default="word"
        What stands for a word. "word": itself in lower case; "stem": its first letters;
        "brown": a Brown class where it is explained, itself where it explains; a
        function of one word: what it gives. Of several each has translations of its
        own, and :math:`\theta` is their geometric mean; the start reads the first one
        only.
    stem_length : int or list of int, default=4
        Letters of a stem. Several lengths are several reconstructions.
    update : {"cvb0", "variational", "map"}, default="cvb0"
        How counts become :math:`\theta`. "cvb0": collapsed variational Bayes, which
        leaves out the part that a word itself has in the counts. "variational":
        variational Bayes. "map": counts and pseudo-counts.
    alpha : float, default=1e-3
        Dirichlet concentration, or pseudo-count, of each word that occurs beside
        another.
    null_alpha : float, default=1e-2
        Advanced: that of each word that links to none.
    null_prob : float, default=0.2
        Probability :math:`p_0` that a word links to none.
    lexicon_prior : dict of (source, target) to float, default=None
        Known translations, words as they are spelt, and the count to add for each.
    init : {"hmm", "ibm1"}, default="hmm"
        Where posteriors come from at the start: five EM steps of IBM Model 1, and one
        of this model unless "ibm1". More would make them sharp, and their errors last.
    agreement : {"odds", "product"} or None, default="odds"
        How the other direction's posterior p of a link weighs it: by
        :math:`(p / (1 - p))^\gamma`, by :math:`p^\gamma`, or not at all.
    agreement_strength : float, default=0.5
        Exponent :math:`\gamma` in the last iteration; it grows evenly from 0.
    constraint : str, Constraint, list of these, or None, default=None
        Constraints that posteriors are projected on, nearly, in five steps: such as
        "bijectivity", no word is linked more than once, or "symmetry", both directions
        link alike.
    symmetrization : str, default="mean"
        How links come from both directions: "mean", their mean probability exceeds
        ``threshold``; "forward" (each target word has one link at most), "reverse";
        "intersection", "union", "grow-diag", "grow-diag-final" or
        "grow-diag-final-and", see :func:`symmetrize`. With "forward" or "reverse", no
        agreement and no constraint only that direction is trained.
    threshold : float, default=0.5
        Of "mean".
    max_iter : int, default=6
        Number of iterations.
    store_posteriors : bool, default=False
        Whether to keep ``posteriors_``.
    n_jobs : int, default=None
        Threads over pairs of sentences.

    Attributes
    ----------
    links_ : Ragged of shape (n,) of arrays of shape (n_links, 2)
        Links (source, target) of the training text, from 0.
    directions_ : list of str
        The directions trained: "forward", "reverse" or both.
    jump_prob_ : ndarray of shape (n_directions, 61)
        Probabilities g of jumps of -30 to 30 words; wider ones count as these.
    posteriors_ : ndarray of shape (n,) of ndarrays of shape (n_source, n_target)
        Probabilities of links of the training text, if asked for.
    history_ : list of dict
        For each iteration its "iteration" (from 1); "objective", the log-likelihood a
        word with what agreement adds, comparable at equal strength; and "change" of the
        posteriors, per target word.
    n_iter_ : int
        Number of iterations.

    Raises
    ------
    ValueError
        If no pair has words on both sides, or ``alpha`` is 0 without "map".

    See Also
    --------
    CRFAutoencoderAligner : Also looks at the spelling of words; better, slower.
    SymmetrizedAligner : Joins models of one direction.

    Notes
    -----
    ``links_`` and ``fit_predict`` are transductive: a word of the training text is
    explained by what all others tell. ``predict`` of the same text counts the word
    itself too, and differs a little. It is for other text.

    scikit-learn's estimator checks pass 2-D arrays, which are no sentences: this
    estimator says so by its tags, and they skip it.

    References
    ----------
    .. [1] S. Vogel, H. Ney and C. Tillmann (1996). HMM-based word alignment in
       statistical translation. COLING.
    .. [2] P. Liang, B. Taskar and D. Klein (2006). Alignment by agreement. NAACL.
    .. [3] A. Asuncion, M. Welling, P. Smyth and Y. W. Teh (2009). On smoothing and
       inference for topic models. UAI.

    Examples
    --------
    >>> from skstruct import HMMAligner
    >>> X = [
    ...     (["the", "dog", "barks"], ["canis", "latrat"]),
    ...     (["the", "girl", "sees", "the", "dog"], ["puella", "canem", "videt"]),
    ...     (["the", "girl", "sings"], ["puella", "cantat"]),
    ...     (["the", "dog", "sings"], ["canis", "cantat"]),
    ... ]
    >>> model = HMMAligner().fit(X)
    >>> model.links_[2].tolist()
    [[1, 0], [2, 1]]
    """

    def __init__(
        self,
        *,
        reconstruction="word",
        stem_length=4,
        update="cvb0",
        alpha=1e-3,
        null_alpha=1e-2,
        null_prob=0.2,
        lexicon_prior=None,
        init="hmm",
        agreement="odds",
        agreement_strength=0.5,
        constraint=None,
        symmetrization="mean",
        threshold=0.5,
        max_iter=6,
        store_posteriors=False,
        n_jobs=None,
    ):
        self.reconstruction = reconstruction
        self.stem_length = stem_length
        self.update = update
        self.alpha = alpha
        self.null_alpha = null_alpha
        self.null_prob = null_prob
        self.lexicon_prior = lexicon_prior
        self.init = init
        self.agreement = agreement
        self.agreement_strength = agreement_strength
        self.constraint = constraint
        self.symmetrization = symmetrization
        self.threshold = threshold
        self.max_iter = max_iter
        self.store_posteriors = store_posteriors
        self.n_jobs = n_jobs

    _parameter_constraints: ClassVar = {
        **JointAligner._parameter_constraints,
        "null_prob": [Interval(Real, 0, 1, closed="neither")],
    }

    def _encoders(self, directions, jumps):
        return None, None, [MarkovEncoder(self.null_prob, jump) for jump in jumps]

    def _learners(self, both, weight):
        return [MarkovTraining(x.model.encoder, weight) for x in both]

    def _parameters(self, both):
        return {"jump_prob_": np.exp([x.model.encoder.jump for x in both])}

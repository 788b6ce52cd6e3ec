"""Word alignment by CRF autoencoders."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils import check_random_state

from skstruct._params import Interval, StrOptions
from skstruct.estimators._alignment._encoders import LinearEncoder, LinearTraining
from skstruct.estimators._alignment._features import FEATURE_SETS, EncoderFeatures
from skstruct.estimators._alignment._joint_aligner import JointAligner

__all__ = ["CRFAutoencoderAligner"]

# Pairs of sentences whose lattices would take too long to be part of a sample.
_LARGE = 10_000
_MAX_CELLS = 1_000_000


class CRFAutoencoderAligner(JointAligner):
    r"""Align words by conditional random field autoencoders of both directions.

    In one direction, a log-linear encoder looks at both sentences and proposes for each
    word :math:`t_j` a position :math:`y_j` of the other sentence, or none (0); the word
    is then reconstructed from the word at that position. With weights w of the encoder
    and translations :math:`\theta`, of :math:`\hat t`, the stem of a word,

    .. math:: p(\hat t \mid s, t) = \sum_y p_w(y \mid s, t) \prod_j
        \theta(\hat t_j \mid \hat s_{y_j})

    .. math:: p_w(y \mid s, t) \propto \exp \Big( \sum_{j: y_j > 0}
        f(s_{y_j}, t_j) \cdot w + a_{y_j - \ell_j}
        + \sum_{j: y_j = 0} h(t_j) \cdot v \Big)

    where :math:`\ell_j` is the last linked position before j. ``fit`` alternates
    between posteriors of y, in which the other direction has a say,
    :math:`\theta` by expected counts, and steps of L-BFGS on

    .. math:: \max_w \; \frac{1}{n} \sum_i \mathrm{E}_q[\log p_w(y_i \mid s_i, t_i)]
        - \frac{l_2}{2} \lVert w - w_0 \rVert^2,

    where :math:`w_0` holds the jumps of the start, and else 0.

    Parameters
    ----------
    reconstruction : str, callable, or list of these, default="stem"
        What stands for a word in the translations. "stem": its first letters in lower
        case; "word": all of it; "brown": its Brown class where it is explained, itself
        where it explains; a function of one word: what it gives. Of several each has
        translations of its own, and :math:`\theta` is their geometric mean; the start
        reads the first one only.
    stem_length : int or list of int, default=(4, 3, 5)
        Letters of a stem. Several lengths are several reconstructions.
    features : "default", "paper", or list of names and functions, default="default"
        What the encoder looks at, beside frequency and identity of words without link.
        Of two words: "similarity" of spelling, "prefix" that they share, "class"
        (letters, digits, neither), "length" difference and "lengths", "frequency",
        "case", "association" (Dice's coefficient), or any function ``f(source,
        target)`` that gives a str or int to tell apart, or None. Of positions: "jump"
        or, coarser, "log_jump", and "diagonal". "default": the first three, "length",
        "frequency" and "jump"; "paper": "association", "similarity", "prefix",
        "diagonal" and "log_jump". A list may hold these two names as well.
    encoder_l2 : float, default=1e-3
        Strength :math:`l_2` of the penalty.
    encoder_steps : int, default=5
        Steps of L-BFGS in an iteration.
    encoder_sample : int or None, default=1000
        Number of pairs of sentences, drawn once, that these steps look at: there are
        few weights. At most a million cells, from pairs of at most 10,000. None: all.
    update : {"cvb0", "variational", "map"}, default="cvb0"
        How counts become :math:`\theta`. "cvb0": collapsed variational Bayes, which
        leaves out the part that a word itself has in the counts. "variational":
        variational Bayes. "map": counts and pseudo-counts.
    alpha : float, default=1e-3
        Dirichlet concentration, or pseudo-count, of each stem that occurs beside
        another.
    null_alpha : float, default=1e-2
        Advanced: that of each stem that links to none.
    lexicon_prior : dict of (source, target) to float, default=None
        Known translations, words as they are spelt, and the count to add for each.
    init : {"hmm", "ibm1"}, default="hmm"
        Where posteriors come from at the start: five EM steps of IBM Model 1, and one
        of a hidden Markov model unless "ibm1". More would make them sharp, and their
        errors last.
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
    random_state : int, RandomState or None, default=None
        Draws the sample of the encoder.
    n_jobs : int, default=None
        Threads over pairs of sentences.

    Attributes
    ----------
    links_ : Ragged of shape (n,) of arrays of shape (n_links, 2)
        Links (source, target) of the training text, from 0.
    directions_ : list of str
        The directions trained: "forward", "reverse" or both.
    coef_ : ndarray of shape (n_directions, F)
        Weights w of the features of word pairs, and of the distance from the diagonal.
    feature_names_ : ndarray of shape (F,)
        Their names.
    jump_coef_ : ndarray of shape (n_directions, 61)
        Weights a of jumps of -30 to 30 words; wider ones count as these.
    posteriors_ : ndarray of shape (n,) of ndarrays of shape (n_source, n_target)
        Probabilities of links of the training text, if asked for.
    history_ : list of dict
        For each iteration its "iteration" (from 1); "objective", the log-likelihood a
        word in the encoder's sample with what agreement adds, comparable at equal
        strength; and "change" of the posteriors, per target word.
    n_iter_ : int
        Number of iterations.

    Raises
    ------
    ValueError
        If no pair has words on both sides, ``alpha`` is 0 without "map", or there is no
        feature of that name.

    See Also
    --------
    HMMAligner : Without an encoder of features; faster.
    SymmetrizedAligner : Joins models of one direction.

    Notes
    -----
    ``links_`` and ``fit_predict`` are transductive: a word of the training text is
    explained by what all others tell. ``predict`` of the same text counts the word
    itself too, and differs a little. It is for other text.

    Weights of pairs count in translations and jumps, not in the frequencies of words
    that features read.

    A geometric mean of distributions sums to less than one, so ``score`` and objectives
    compare at equal ``reconstruction`` and ``stem_length`` only.

    The system of [1]_ had one direction, "paper" features, ``init="ibm1"``,
    ``update="map"``, ``alpha=0.5`` and words; some of its features came from other
    aligners. On small texts it is far behind the default.

    scikit-learn's estimator checks pass 2-D arrays, which are no sentences: this
    estimator says so by its tags, and they skip it.

    References
    ----------
    .. [1] W. Ammar, C. Dyer and N. A. Smith (2014). Conditional random field
       autoencoders for unsupervised structured prediction. NIPS. Section 4.2.
    .. [2] C. Dyer, J. Clark, A. Lavie and N. A. Smith (2011). Unsupervised word
       alignment with arbitrary features. ACL.
    .. [3] P. Liang, B. Taskar and D. Klein (2006). Alignment by agreement. NAACL.

    Examples
    --------
    >>> from skstruct import CRFAutoencoderAligner
    >>> X = [
    ...     (["the", "dog", "barks"], ["canis", "latrat"]),
    ...     (["the", "girl", "sees", "the", "dog"], ["puella", "canem", "videt"]),
    ...     (["the", "girl", "sings"], ["puella", "cantat"]),
    ...     (["the", "dog", "sings"], ["canis", "cantat"]),
    ... ]
    >>> model = CRFAutoencoderAligner(random_state=0).fit(X)
    >>> model.links_[2].tolist()
    [[1, 0], [2, 1]]
    >>> model.predict([(["the", "girl", "barks"], ["puella", "latrat"])])[0].tolist()
    [[1, 0], [2, 1]]
    """

    def __init__(
        self,
        *,
        reconstruction="stem",
        stem_length=(4, 3, 5),
        features="default",
        encoder_l2=1e-3,
        encoder_steps=5,
        encoder_sample=1000,
        update="cvb0",
        alpha=1e-3,
        null_alpha=1e-2,
        lexicon_prior=None,
        init="hmm",
        agreement="odds",
        agreement_strength=0.5,
        constraint=None,
        symmetrization="mean",
        threshold=0.5,
        max_iter=6,
        store_posteriors=False,
        random_state=None,
        n_jobs=None,
    ):
        self.reconstruction = reconstruction
        self.stem_length = stem_length
        self.features = features
        self.encoder_l2 = encoder_l2
        self.encoder_steps = encoder_steps
        self.encoder_sample = encoder_sample
        self.update = update
        self.alpha = alpha
        self.null_alpha = null_alpha
        self.lexicon_prior = lexicon_prior
        self.init = init
        self.agreement = agreement
        self.agreement_strength = agreement_strength
        self.constraint = constraint
        self.symmetrization = symmetrization
        self.threshold = threshold
        self.max_iter = max_iter
        self.store_posteriors = store_posteriors
        self.random_state = random_state
        self.n_jobs = n_jobs

    _parameter_constraints: ClassVar = {
        **JointAligner._parameter_constraints,
        "features": [StrOptions(set(FEATURE_SETS)), list, tuple],
        "encoder_l2": [Interval(Real, 0, None, closed="left")],
        "encoder_steps": [Interval(Integral, 1, None, closed="left")],
        "encoder_sample": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
    }

    def _encoders(self, directions, jumps):
        features = EncoderFeatures(self.features)
        text = features.learn(directions[0].text)
        encoders = [
            LinearEncoder(features, d.reverse, jump)
            for d, jump in zip(directions, jumps, strict=True)
        ]
        return features, text, encoders

    def _learners(self, both, weight):
        sampled = weight * self._sample(both[0].direction, weight)
        return [
            LinearTraining(
                x.model.encoder,
                x.direction,
                x.features,
                x.lattice,
                sampled,
                self.encoder_l2,
                self.encoder_steps,
            )
            for x in both
        ]

    def _sample(self, direction, weight):
        """Mark the pairs of sentences that the encoder learns from."""
        sizes = np.diff(direction.cells)
        useful = (sizes > 0) & (weight > 0)
        if self.encoder_sample is None:
            return useful
        small = useful & (sizes <= _LARGE)
        drawn = np.flatnonzero(small if small.any() else useful)
        drawn = check_random_state(self.random_state).permutation(drawn)
        drawn = drawn[: self.encoder_sample]
        fits = np.cumsum(sizes[drawn]) <= _MAX_CELLS
        fits[:1] = True
        chosen = np.zeros(len(sizes), dtype=bool)
        chosen[drawn[fits]] = True
        return chosen

    def _parameters(self, both):
        features = both[0].model.encoder.features
        parts = [
            features.split(x.model.encoder.coef, x.direction.reverse) for x in both
        ]
        return {
            "coef_": np.array([np.concatenate(p[:2]) for p in parts]),
            "feature_names_": features.names,
            "jump_coef_": np.array([p[3][features.jump_bins] for p in parts]),
        }

"""Hidden Markov models trained by (annealed) EM."""

from numbers import Integral, Real
from typing import ClassVar, Self

from sklearn.utils import check_random_state

from skstruct._base import FitMonitor, StructuredEstimator
from skstruct._params import HasMethods, Interval, StrOptions, fit_context
from skstruct.estimators._hmm._predictions import HMMPredictions
from skstruct.estimators._hmm._stream import Stream
from skstruct.estimators._hmm._training import Training
from skstruct.estimators._hmm._warnings import warn_of_run
from skstruct.estimators._tag_dictionary import TagDictionary
from skstruct.optim import best_of

__all__ = ["AnnealedHMM"]


class AnnealedHMM(HMMPredictions, StructuredEstimator):
    r"""Hidden Markov model trained by EM or deterministic annealing.

    A hidden state :math:`y_t` stands behind each token (symbol, count or vector)
    :math:`x_t` of a sequence. With the joint probability

    .. math:: p_\theta(x, y) =
        \pi_{y_1} \, p(x_1 \mid y_1) \prod_{t > 1} A_{y_{t-1} y_t} \, p(x_t \mid y_t)

    the parameters maximise, at each inverse temperature :math:`\beta` of a rising
    schedule, from where the last one ended,

    .. math:: F_\beta(\theta) = \frac{1}{\beta} \sum_i w_i
        \log \sum_y p_\theta(x_i, y)^{\beta} \, p_0(x_i, y)^{1 - \beta}

    over the states that ``tag_dictionary`` and clamped labels allow. Plain annealing
    has :math:`p_0 = 1`; skewed annealing starts from the posterior of a first guess
    :math:`p_0`. At :math:`\beta = 1` this is the log-likelihood, and EM its ascent;
    beyond 1 it tends to Viterbi training.

    Parameters
    ----------
    n_states : int, default=None
        Number of states K. None takes what a dictionary, labels or start arrays
        imply, else 12.
    emissions : str or Emission, default="auto"
        "categorical", "loglinear", "gaussian", "poisson", or an instance with options
        of its own. "auto": categorical for words and integers, Gaussian for floats and
        vectors.
    solver : {"em", "lbfgs"}, default="em"
        EM, or L-BFGS on the likelihood itself: for "loglinear" emissions, and without
        annealing. ``partial_fit`` is always EM.
    beta_min : float or "auto", default="auto"
        First inverse temperature; 1.0 is plain EM. "auto": 0.1 with a tag dictionary,
        clamped labels or ``skew_from``, else 1.0.
    beta_growth : float, default=1.2
        Factor between inverse temperatures; with 2 annealing misses branches.
    beta_max : float, default=1.0
        Last inverse temperature.
    betas : array-like of shape (n_betas,), default=None
        Advanced: rising inverse temperatures, in place of the three above.
    tag_dictionary : TagDictionary or dict of word to state names, default=None
        States that words may have; words not listed may have any. It names states.
    supervision : {"ignore", "clamp"}, default="ignore"
        Whether labels given as ``y`` are left to scorers, or hold. Then they name
        states; with more ``n_states`` than labels, integers are states 0 .. K - 1.
    order : {1, 2}, default=1
        How many states the next one depends on.
    decoding : {"viterbi", "posterior"}, default="viterbi"
        ``predict`` finds the best path, or the best state of each token.
    n_init : int or "auto", default="auto"
        Number of starts; the best objective wins. "auto": 5 for symbols without a
        dictionary, known labels, ``skew_from`` or all start values, else 1.
    max_iter : int, default=500
        Bound on the iterations at the last inverse temperature.
    tol : float, default=1e-6
        Relative gain of the objective at which EM has converged there.
    anneal_max_iter : int, default=60
        Advanced: as ``max_iter``, at each inverse temperature before the last.
    anneal_tol : float, default=1e-4
        Advanced: as ``tol``, at each inverse temperature before the last.
    jitter : float, default=0.0
        Advanced: each rise of :math:`\beta` multiplies probabilities by random factors
        in [1, 1 + jitter] and moves means by this many standard deviations.
    skew_from : FrozenEstimator, default=None
        Advanced: a fitted AnnealedHMM :math:`p_0`, as ``FrozenEstimator(hmm)``.
    transition_alpha : float, default=0.0
        Advanced: pseudo-count of each start state and transition, except those that
        the two parameters below rule out by zeros.
    startprob_init : array-like of shape (K,), default=None
        Advanced: start probabilities to begin from.
    transmat_init : array-like of shape (K, K) or (K, K, K), default=None
        Advanced: transition probabilities to begin from. Zeros stay, so that a chain
        may run from left to right; at order 1, states found by k-means are then put
        in the order of their tokens in time. ``means_init`` gives another order.
    fixed : str or collection of str, default=()
        Advanced: parts that keep the start values given for them, of "startprob",
        "transmat" and "emission".
    random_state : int, RandomState or None, default=None
        Source of random starts and jitter.
    n_jobs : int, default=None
        Threads over sequences.

    Attributes
    ----------
    states_ : ndarray of shape (K,)
        Names of the states, by dictionary or labels, else 0 .. K - 1: by frequency, by
        first mean where tokens are numbers, as given where there are start values.
    startprob_ : ndarray of shape (K,)
        Probabilities of the first state.
    transmat_ : ndarray of shape (K, K) or (K, K, K)
        Probabilities of a state (last axis) after the one or two before it.
    second_transmat_ : ndarray of shape (K, K)
        Order 2 only: probabilities of the second state given the first.
    emissions_ : Emission
        Fitted emission.
    emissionprob_ : ndarray of shape (K, V)
        Emissions of symbols only: probability of each symbol in each state.
    symbols_ : ndarray of shape (V,)
        Emissions of symbols only: the vocabulary.
    means_ : ndarray of shape (K, n_features)
        Gaussian only.
    covariances_ : ndarray
        Gaussian only; its shape depends on ``covariance_type``.
    rates_ : ndarray of shape (K, n_features)
        Poisson only: mean counts.
    stationary_distribution_ : ndarray of shape (K,)
        Share of each state in the long run.
    expected_durations_ : ndarray of shape (K,)
        Order 1 only: mean number of tokens that a visit to a state lasts.
    history_ : list of dict
        Of the best run, for each iteration its "beta", "iteration" at this beta (from
        1) and "objective", :math:`F_\beta` and log-prior a token, comparable within
        one beta only; at beta 1 of ``fit`` also "log_likelihood", a token. Where there
        are several betas, also "effective_states": e to the mutual information of
        state and distinct token, 1 as long as all states are alike.
    n_iter_ : int
        Number of iterations of the best run.
    n_e_steps_ : int
        Number of passes over the data, all runs together.
    converged_ : bool
        Whether the best run converged at the last inverse temperature.
    n_features_in_ : int
        Number of features, where tokens are vectors.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if X was a DataFrame or a Ragged or list of such.

    Raises
    ------
    ValueError
        If parameters contradict one another or the data; the message names them, or
        the sequence and position.

    Warns
    -----
    ConvergenceWarning
        If EM stops at ``max_iter``, or all states end up identical.
    UserWarning
        If annealing can only forget its start, if all sequences have length one, if
        few tokens are in ``tag_dictionary``, if labels contradict it or none is known
        where they should hold, or if partly unknown ``y`` is ignored.

    See Also
    --------
    TagDictionary : Which states words may have.
    skstruct.containers.Ragged : Sequences from lists, lengths or data frames, and back.
    skstruct.emissions.Categorical : Symbols, with pseudo-counts and a vocabulary.
    skstruct.emissions.Gaussian : Vectors, with kinds of covariances and missing values.
    skstruct.emissions.LogLinear : Symbols that share features, such as suffixes.
    skstruct.emissions.Poisson : Counts.
    skstruct.model_selection.BlockSplit : Cross-validation of one long series.
    skstruct.model_selection.bic_scorer : Chooses the number of states.

    Notes
    -----
    Annealing makes the result independent of the start where a dictionary or labels
    tell states apart. Without them it only forgets the start: while all states are
    alike, an iteration shrinks their differences by the factor :math:`\beta`, so that
    the first critical inverse temperature is 1, and EM begins there. Gaussian states
    start from k-means with small covariances instead.

    For series, ``filter_proba`` knows at each step only what came before,
    ``predict_next_proba`` looks one step ahead, and ``expected_durations_`` says how
    long states last.

    References
    ----------
    .. [1] N. Ueda and R. Nakano (1998). Deterministic annealing EM algorithm. Neural
       Networks 11.
    .. [2] N. A. Smith and J. Eisner (2004). Annealing techniques for unsupervised
       statistical language learning. ACL.
    .. [3] L. R. Rabiner (1989). A tutorial on hidden Markov models and selected
       applications in speech recognition. Proceedings of the IEEE 77.
    .. [4] P. Liang and D. Klein (2009). Online EM for unsupervised models. NAACL.

    Examples
    --------
    Sentences, and a dictionary of some words:

    >>> from skstruct import AnnealedHMM
    >>> X = [["the", "dogs", "run"], ["a", "run", "ends"], ["dogs", "sleep"]]
    >>> tags = {"the": "D", "a": "D", "dogs": "N", "run": ["N", "V"], "sleep": "V"}
    >>> model = AnnealedHMM(tag_dictionary=tags).fit(X)
    >>> [" ".join(y) for y in model.predict(X)]
    ['D N V', 'D N V', 'N V']

    One series of numbers, a list of one sequence:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> series = np.r_[rng.normal(0, 1, 60), rng.normal(9, 1, 30), rng.normal(0, 1, 60)]
    >>> model = AnnealedHMM(n_states=2, random_state=0).fit([series])
    >>> model.means_.round().ravel()
    array([0., 9.])
    >>> model.predict([series])[0][55:65]
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """

    def __init__(
        self,
        n_states=None,
        *,
        emissions="auto",
        solver="em",
        beta_min="auto",
        beta_growth=1.2,
        beta_max=1.0,
        betas=None,
        tag_dictionary=None,
        supervision="ignore",
        order=1,
        decoding="viterbi",
        n_init="auto",
        max_iter=500,
        tol=1e-6,
        anneal_max_iter=60,
        anneal_tol=1e-4,
        jitter=0.0,
        skew_from=None,
        transition_alpha=0.0,
        startprob_init=None,
        transmat_init=None,
        fixed=(),
        random_state=None,
        n_jobs=None,
    ):
        self.n_states = n_states
        self.emissions = emissions
        self.solver = solver
        self.beta_min = beta_min
        self.beta_growth = beta_growth
        self.beta_max = beta_max
        self.betas = betas
        self.tag_dictionary = tag_dictionary
        self.supervision = supervision
        self.order = order
        self.decoding = decoding
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.anneal_max_iter = anneal_max_iter
        self.anneal_tol = anneal_tol
        self.jitter = jitter
        self.skew_from = skew_from
        self.transition_alpha = transition_alpha
        self.startprob_init = startprob_init
        self.transmat_init = transmat_init
        self.fixed = fixed
        self.random_state = random_state
        self.n_jobs = n_jobs

    _parameter_constraints: ClassVar = {
        "n_states": [Interval(Integral, 1, None, closed="left"), None],
        "emissions": [str, HasMethods(["encode", "table", "m_step"])],
        "solver": [StrOptions({"em", "lbfgs"})],
        "beta_min": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "beta_growth": [Interval(Real, 1, None, closed="neither")],
        "beta_max": [Interval(Real, 0, None, closed="neither")],
        "betas": ["array-like", None],
        "tag_dictionary": [TagDictionary, dict, None],
        "supervision": [StrOptions({"ignore", "clamp"})],
        "order": [Interval(Integral, 1, 2, closed="both")],
        "decoding": [StrOptions({"viterbi", "posterior"})],
        "n_init": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "anneal_max_iter": [Interval(Integral, 1, None, closed="left")],
        "anneal_tol": [Interval(Real, 0, None, closed="left")],
        "jitter": [Interval(Real, 0, None, closed="left")],
        "skew_from": [HasMethods(["fit"]), None],
        "transition_alpha": [Interval(Real, 0, None, closed="left")],
        "startprob_init": ["array-like", None],
        "transmat_init": ["array-like", None],
        "fixed": [str, tuple, list, set, frozenset],
        "random_state": ["random_state"],
        "n_jobs": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
            None,
        ],
    }
    _component_examples: ClassVar = {"emissions": "Categorical()"}
    # Whether a fit says what was hardly meant; the starts of others do not.
    _warns = True

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences of tokens or of numeric vectors; a plain 2-D array is n sequences
            of length one.
        y : Ragged or list-like of sequences, default=None
            Labels. With ``supervision="ignore"`` they are not read; with "clamp" known
            ones hold, None (or -1 among integers) means unknown.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of sequences; those of weight 0 are as if empty.

        Returns
        -------
        AnnealedHMM
            Fitted.
        """
        training = Training(self, X, y, sample_weight)
        rng = check_random_state(self.random_state)
        monitor = FitMonitor(
            self, X, y, n_runs=training.n_init, max_iter=training.max_iter
        )
        runs = training.runs(rng, monitor)
        best = best_of(runs)
        fitted = training.attributes(best)
        monitor.close(lambda: fitted)
        self._store(fitted)
        if self._warns:
            warn_of_run(training, best)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, sample_weight=None) -> Self:
        """Learn from one more batch of sequences (stepwise EM).

        After ``fit`` or earlier batches it goes on from their model, states keeping
        their numbers; without them it starts one. The expected counts of the batch
        are blended into a running average with weight :math:`(k + 2)^{-0.7}` (Liang
        and Klein, 2009), where k is the number of tokens learnt from so far over
        that of the batch; those of ``fit`` count once. So a batch as long as all
        before it weighs 0.46, one of a hundredth 0.04. Then an M-step follows. New
        symbols join the vocabulary, in the states that ``tag_dictionary`` now lists.
        Parameters may change between batches; those that ask for another model, such
        as ``n_states`` or the kind of emissions, raise. No annealing takes place.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            As in ``fit``.
        y : Ragged or list-like of sequences, default=None
            As in ``fit``.
        sample_weight : array-like of shape (n_samples,), default=None
            As in ``fit``.

        Returns
        -------
        AnnealedHMM
            Updated.
        """
        stream = getattr(self, "_stream", None)
        training = Training(self, X, y, sample_weight, stream=stream or Stream())
        run = training.step(check_random_state(self.random_state))
        self._store(training.attributes(run))
        return self

    def _store(self, fitted):
        """Replace all fitted attributes at once: no fit is left half done."""
        for name in [n for n in vars(self) if n.endswith("_")]:
            delattr(self, name)
        for name, value in fitted.items():
            setattr(self, name, value)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.allow_nan = (
            getattr(self.emissions, "missing", "raise") == "marginalize"
        )
        tags.target_tags.required = False
        return tags

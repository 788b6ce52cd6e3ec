"""Hidden Markov models trained by (annealed) EM."""

from numbers import Integral, Real

from sklearn.utils import check_random_state

from skstruct._base import FitMonitor, StructuredEstimator
from skstruct._params import HasMethods, Interval, StrOptions, fit_context
from skstruct._validation import check_features
from skstruct.estimators._hmm_predictions import HMMPredictions
from skstruct.estimators._hmm_training import Stream, Training
from skstruct.estimators._tag_dictionary import TagDictionary
from skstruct.optim import best_of

__all__ = ["AnnealedHMM"]


class AnnealedHMM(HMMPredictions, StructuredEstimator):
    """Hidden Markov model."""

    def __init__(
        self,
        n_states=None,
        *,
        emissions="auto",
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

    _parameter_constraints = {
        "n_states": [Interval(Integral, 1, None, closed="left"), None],
        "emissions": [str, HasMethods(["encode", "table", "m_step"])],
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
        "n_jobs": [Integral, None],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
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
            Weights of sequences.

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
        self._store(X, training.data, fitted)
        training.warn(best, stopped=monitor.stopped)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, sample_weight=None):
        """Learn from one more batch of sequences (stepwise EM).

        The expected counts of the batch are blended into a running average with
        weight :math:`(k + 2)^{-0.7}` at the k-th call (Liang and Klein, 2009), then an
        M-step follows. New symbols join the vocabulary. No annealing takes place.

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
        stream = getattr(self, "_stream", None) or Stream()
        training = Training(self, X, y, sample_weight, stream=stream)
        stream = training.step(check_random_state(self.random_state))
        fitted = training.attributes(stream.run)
        self._store(X, training.data, fitted | {"_stream": stream})
        return self

    def _store(self, X, data, fitted):
        """Replace all fitted attributes at once: no fit is left half done."""
        for name in [n for n in vars(self) if n.endswith("_") or n == "_stream"]:
            delattr(self, name)
        check_features(self, X, data, reset=True)
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

"""CRF autoencoders of sequences."""

from numbers import Integral, Real
from typing import ClassVar, Self

from sklearn.utils import check_random_state

from skstruct._base import FitMonitor, StructuredEstimator
from skstruct._params import HasMethods, Interval, StrOptions, fit_context
from skstruct.emissions import View
from skstruct.estimators._autoencoder._predictions import TaggerPredictions
from skstruct.estimators._autoencoder._training import TaggerTraining
from skstruct.estimators._tag_dictionary import TagDictionary
from skstruct.optim import best_of

__all__ = ["CRFAutoencoderTagger"]


class CRFAutoencoderTagger(TaggerPredictions, StructuredEstimator):
    r"""Induce the states of tokens by a CRF autoencoder.

    A conditional random field over features of the input encodes a sequence x into
    states y; a simple model reconstructs a part :math:`\hat x` of the input from
    them, token by token. With weights :math:`\lambda` of the encoder and parameters
    :math:`\theta` of the reconstruction, ``fit`` solves

    .. math:: \max_{\lambda, \theta} \; \frac{1}{n} \Big[ \sum_i \log \sum_y
        p_\lambda(y \mid x_i) \prod_t p_\theta(\hat x_{it} \mid y_t)
        + \log p(\theta) \Big] - \frac{l_2}{2} \lVert \lambda - \mu \rVert^2

    .. math:: p_\lambda(y \mid x) \propto \exp \Big( b_{y_1} + \sum_t f_t(x) \cdot
        w_{y_t} + \sum_{t > 1} a_{y_{t-1} y_t} \Big)

    by block coordinate ascent: in turn a step on :math:`\lambda`, and an EM step on
    :math:`\theta`. The penalty pulls to :math:`\mu = 0`, but for supervised starts.
    Without labels the states are classes of tokens that occur alike.

    Parameters
    ----------
    n_states : int, default=None
        Number of states K. None takes what a dictionary or labels imply, else 12.
    featurizer : transformer or None, default=None
        Makes the encoder's features f of sequences. None:
        :class:`~skstruct.featurizers.TokenFeaturizer` for words, ``DictVectorizer``
        for feature dicts, standardised columns and a constant for vectors; features
        that carry tokens, or are sparse, are taken as they are.
    reconstruction : str, Emission or View, default="auto"
        What is reconstructed, and how. "auto": of words, the token by a log-linear
        emission and, at half weight, the Brown classes of both neighbours; of vectors,
        themselves by Gaussians. "brown": the token's Brown class. "token",
        "loglinear": the token by a categorical or log-linear emission. Or an emission
        of the token (or vector), a :class:`~skstruct.emissions.View` of it, or a
        :class:`~skstruct.emissions.Product` of several.
        The target of a view is "token", "brown", a function of one token, or a
        transformer of sequences.
    encoder_l2 : float or "auto", default="auto"
        Strength :math:`l_2` of the penalty, beside a mean over sequences; ``l2`` of a
        log-linear emission stands beside a sum over tokens. "auto": 0.6; 10 with a
        dictionary and 30 for a supervised start, which a weakly held encoder leaves.
    solver : {"lbfgs", "adagrad"}, default="lbfgs"
        How a step on the encoder is made: by L-BFGS on all sequences, with its
        curvature kept between rounds; or by AdaGrad on minibatches, with its
        accumulators kept. The objective never falls with the first.
    encoder_steps : int, default=1
        Steps on the encoder (for AdaGrad, passes over the data) in a round.
    reconstruction_steps : int, default=1
        EM steps on the reconstruction in a round. The first round has none.
    init : str, estimator or list of these, default="auto"
        Where the states come from at the start. "exchange": an exchange
        clustering of the words; "feature_hmm": a hidden Markov model with log-linear
        emissions, 60 iterations of L-BFGS, best of 3; "hmm": the best of 8 short runs
        of a hidden Markov model; "brown": the tree of Brown clusters, cut to K;
        "random": a random class for each word; "supervised": a conditional random
        field of the labels that hold, whose weights are :math:`\mu`, on its own only.
        "auto": "supervised" with such labels, "hmm" with a dictionary or vectors, else
        "exchange". An estimator is fitted to the tokens; its ``predict_proba``,
        ``predict`` or ``transform`` gives their states. Of several, the best
        objective wins.
    n_init : int, default=1
        How often each start is tried.
    tag_dictionary : TagDictionary or dict of word to state names, default=None
        States that words may have; words not listed may have any. It names states.
    supervision : {"ignore", "clamp"}, default="ignore"
        Whether labels given as ``y`` are left to scorers, or hold. Then they name
        states.
    decoding : {"viterbi", "posterior", "type"}, default="viterbi"
        ``predict`` finds the best path, the best state of each token, or gives each
        word of the training data the state it is expected in most often there.
    max_iter : int, default=25
        Bound on the rounds. States hardly change after ten, while the objective creeps
        on.
    tol : float, default=1e-4
        Converged when the objective has moved by less than this share of its size a
        round, over five rounds.
    learning_rate : float, default=0.1
        Advanced: of AdaGrad.
    batch_size : int, default=256
        Advanced: sequences in a minibatch of AdaGrad.
    memory : str or joblib.Memory, default=None
        Advanced: where fitted starts and targets (word classes) are kept, so that a
        grid search fits each once.
    random_state : int, RandomState or None, default=None
        Source of random starts and minibatches.
    n_jobs : int, default=None
        Threads over sequences.

    Attributes
    ----------
    states_ : ndarray of shape (K,)
        Names of the states, by dictionary or labels, else 0 .. K - 1 by frequency.
    coef_ : ndarray of shape (F, K)
        Weights w of the features.
    transition_coef_ : ndarray of shape (K, K)
        Weights a, from state to state.
    start_coef_ : ndarray of shape (K,)
        Weights b of the first state.
    featurizer_ : transformer
        Fitted; ``featurizer_.transform(X).values @ coef_`` are node potentials.
    reconstruction_ : Reconstruction
        Fitted; ``reconstruction_.log_prob(X)`` is of shape (n_tokens, K), and
        ``reconstruction_.emissions_`` a dict of emissions by view.
    encoder_feature_names_ : ndarray of str of shape (F,)
        Names of the features, where the featurizer has some.
    history_ : list of dict
        Of the best run, for each round its "iteration" (from 1), "objective" as above
        and "log_likelihood" of the reconstruction, a token.
    n_iter_ : int
        Number of rounds of the best run.
    converged_ : bool
        Whether they ended by ``tol``.
    n_features_in_ : int
        Number of features, where X holds vectors.
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
        If some states end up without tokens.
    UserWarning
        If all sequences have length one, if labels contradict ``tag_dictionary``, if
        partly unknown ``y`` is ignored, or if no label is known that could hold.

    See Also
    --------
    AnnealedHMM : Generative, also with log-linear emissions: the feature HMM.
    skstruct.featurizers.ExchangeClusterer : Classes of words, the default start.
    skstruct.emissions.Product : Several views to reconstruct.

    Notes
    -----
    A round costs two or three passes of forward-backward and a product of the features
    with K columns, whatever the number of words. Only the log-linear emission adds a
    term that grows with the vocabulary.

    Objectives and scores compare models of one reconstruction only. V-measure favours
    few large states, many-to-one accuracy many even ones, which this model makes:
    quote both.

    References
    ----------
    .. [1] W. Ammar, C. Dyer and N. A. Smith (2014). Conditional random field
       autoencoders for unsupervised structured prediction. NIPS. Equations 1 and 2.
    .. [2] T. Berg-Kirkpatrick, A. Bouchard-Cote, J. DeNero and D. Klein (2010).
       Painless unsupervised learning with features. NAACL.
    .. [3] C.-C. Lin, W. Ammar, C. Dyer and L. Levin (2015). Unsupervised POS induction
       with word embeddings. NAACL.

    Examples
    --------
    >>> from skstruct import CRFAutoencoderTagger
    >>> X = [
    ...     ["the", "dog", "barks"],
    ...     ["a", "cat", "sleeps"],
    ...     ["the", "cat", "barks"],
    ...     ["a", "dog", "sleeps"],
    ...     ["the", "dog", "sleeps"],
    ...     ["a", "cat", "barks"],
    ... ]
    >>> model = CRFAutoencoderTagger(3, random_state=0).fit(X)
    >>> states = model.predict(X)
    >>> len({tuple(y) for y in states}), len(set(states[0]))
    (1, 3)
    >>> model.predict_proba(X)[0].shape
    (3, 3)
    """

    def __init__(
        self,
        n_states=None,
        *,
        featurizer=None,
        reconstruction="auto",
        encoder_l2="auto",
        solver="lbfgs",
        encoder_steps=1,
        reconstruction_steps=1,
        init="auto",
        n_init=1,
        tag_dictionary=None,
        supervision="ignore",
        decoding="viterbi",
        max_iter=25,
        tol=1e-4,
        learning_rate=0.1,
        batch_size=256,
        memory=None,
        random_state=None,
        n_jobs=None,
    ):
        self.n_states = n_states
        self.featurizer = featurizer
        self.reconstruction = reconstruction
        self.encoder_l2 = encoder_l2
        self.solver = solver
        self.encoder_steps = encoder_steps
        self.reconstruction_steps = reconstruction_steps
        self.init = init
        self.n_init = n_init
        self.tag_dictionary = tag_dictionary
        self.supervision = supervision
        self.decoding = decoding
        self.max_iter = max_iter
        self.tol = tol
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.memory = memory
        self.random_state = random_state
        self.n_jobs = n_jobs

    _parameter_constraints: ClassVar = {
        "n_states": [Interval(Integral, 1, None, closed="left"), None],
        "featurizer": [HasMethods(["fit", "transform"]), None],
        "reconstruction": [str, View, HasMethods(["encode", "table", "m_step"])],
        "encoder_l2": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "solver": [StrOptions({"lbfgs", "adagrad"})],
        "encoder_steps": [Interval(Integral, 1, None, closed="left")],
        "reconstruction_steps": [Interval(Integral, 1, None, closed="left")],
        "init": [str, list, tuple, HasMethods(["fit"])],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tag_dictionary": [TagDictionary, dict, None],
        "supervision": [StrOptions({"ignore", "clamp"})],
        "decoding": [StrOptions({"viterbi", "posterior", "type"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "memory": [str, HasMethods(["cache"]), None],
        "random_state": ["random_state"],
        "n_jobs": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
            None,
        ],
    }
    _component_examples: ClassVar = {
        "featurizer": "TokenFeaturizer()",
        "reconstruction": "Product([...])",
        "init": "ExchangeClusterer(12)",
    }

    # Featurizers, emissions and starts are the user's: they check their parameters.
    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences of tokens, of vectors, or of features that carry tokens (the
            answer of a featurizer); a plain 2-D array is n sequences of length one.
        y : Ragged or list-like of sequences, default=None
            Labels. With ``supervision="ignore"`` they are not read; with "clamp" known
            ones hold, None (or -1 among integers) means unknown.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of sequences; those of weight 0, and empty ones, do not count. A
            start, a target or a featurizer only leaves out those of weight 0.

        Returns
        -------
        CRFAutoencoderTagger
            Fitted.
        """
        training = TaggerTraining(self, X, y, sample_weight)
        rng = check_random_state(self.random_state)
        monitor = FitMonitor(self, X, y, n_runs=training.n_runs, max_iter=self.max_iter)
        best = best_of(training.runs(rng, monitor))
        fitted = training.attributes(best)
        monitor.close(lambda: fitted)
        training.warn_of(best)
        for name in [n for n in vars(self) if n.endswith("_")]:
            delattr(self, name)
        for name, value in fitted.items():
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self):
        return hasattr(self, "coef_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.target_tags.required = False
        return tags

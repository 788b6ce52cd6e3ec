"""Symbols that share features."""

from numbers import Integral, Real

import numpy as np

from skstruct.containers import Vocabulary
from skstruct.emissions._base import Emission, Observations, real_array
from skstruct.emissions._categorical import Categorical
from skstruct.emissions._dirichlet import draw
from skstruct.emissions._symbol_features import Design, SymbolFeatures, check_features
from skstruct.emissions._tokens import as_tokens
from skstruct.kernels._blas import one_blas_thread
from skstruct.solvers import LBFGS

__all__ = ["LogLinear"]

# Random start weights are this small: the data decide which state gets which feature.
_START_SCALE = 0.01


class LogLinear(Emission):
    r"""Emission of symbols by what they have in common, such as suffixes of words.

    With features :math:`f(x)` of symbols and weights :math:`w_k` of states,

    .. math:: p(x \mid k) = \frac{\exp(w_k \cdot f(x))}
        {\sum_{x' \in V} \exp(w_k \cdot f(x'))}

    and the M-step climbs by L-BFGS, for expected counts :math:`c_{kx}`,

    .. math:: \max_w \sum_{kx} c_{kx} \log p(x \mid k) - \frac{\lambda}{2} \|w\|^2

    Each symbol of the vocabulary V is a feature of its own besides: frequent symbols
    go their own way, rare ones follow those they resemble.

    Parameters
    ----------
    features : "spelling" or callable, default="spelling"
        Features that symbols share: a function of a symbol that returns an iterable of
        their names, or a dict of name to number. "spelling": lower-cased suffixes of
        one to three letters (shorter than the word), initial capital, hyphen, digit;
        symbols that are not text share nothing. Names in a set or dict are sorted.
    l2 : float, default=2.0
        Strength :math:`\lambda` of the penalty, beside sums over all tokens.
    max_iter : int, default=5
        Bound on the L-BFGS iterations of an M-step, which goes on from the last one.
    start_iter : int, default=40
        The same for the first M-step.
    init : array-like of shape (n_features, n_states) or None, default=None
        Start weights, rows in the order of ``feature_names_``.
    symbols : sequence or None, default=None
        The vocabulary, in the order wanted. None learns it from the training tokens,
        as `Categorical` does.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features, n_states)
        Weights: of the shared features, then of the symbols themselves.
    feature_names_ : ndarray of shape (n_features,)
        Names of the features, as text.
    symbols_ : ndarray of shape (n_symbols,)
        The vocabulary: int64 if all are whole numbers, else objects.
    probabilities_ : ndarray of shape (n_states, n_symbols)
        Probability of each symbol in each state.

    Notes
    -----
    Symbols that are not in the vocabulary score by the features that they share with
    those that are, over the same normaliser. Without any they say nothing of the state:
    their log-probability is ``-log(n_symbols + 1)`` in each.

    References
    ----------
    .. [1] T. Berg-Kirkpatrick, A. Bouchard-Côté, J. DeNero and D. Klein (2010).
       Painless unsupervised learning with features. NAACL.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.emissions import LogLinear
    >>> emission = LogLinear(l2=0.1)
    >>> tokens = np.array(["walked", "talked", "walks", "talks"], dtype=object)
    >>> observations = emission.encode(tokens, reset=True)
    >>> emission.initialize(observations, 2, None)
    >>> emission.m_step((np.array([[4.0, 0.0, 4.0, 0.0], [0.0, 4.0, 0.0, 4.0]]),))
    >>> emission.table(np.array(["jumped", "jumps"], dtype=object)).argmax(axis=1)
    array([0, 1])
    """

    def __init__(
        self,
        features="spelling",
        *,
        l2=2.0,
        max_iter=5,
        start_iter=40,
        init=None,
        symbols=None,
    ):
        self.features = features
        self.l2 = l2
        self.max_iter = max_iter
        self.start_iter = start_iter
        self.init = init
        self.symbols = symbols

    _may_change = ("l2", "max_iter", "start_iter")
    states_last = True

    def encode(self, values, *, reset=False, offsets=None):
        """Find distinct tokens; with ``reset``, learn vocabulary and features first.

        Parameters
        ----------
        values : ndarray of shape (T,) or (T, 1)
            Tokens: str, int or other hashable objects.
        reset : bool, default=False
            Learn the vocabulary and its features.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, so that errors name the sample and its position.

        Returns
        -------
        Observations
            Rows are symbols: ``symbols_``, or if there are unknown tokens, those in
            use and behind them the unknown ones.
        """
        if reset:
            self._check_parameters()
            self._reader = Categorical(symbols=self.symbols)
        index = self._reader.encode(values, reset=reset, offsets=offsets).index
        if reset:
            self._features = SymbolFeatures(self.features)
            self._describe()
        n = len(self.symbols_)
        unknown = np.flatnonzero(index == n)
        if not len(unknown):
            return Observations(index, self.symbols_)
        tokens = as_tokens(values)[unknown]
        new = Vocabulary.learn(tokens, sort=False)
        index[unknown] = n + new.codes(tokens)
        # To list the whole vocabulary would take longer than to read a sentence.
        used, index = np.unique(index, return_inverse=True)
        old = self.symbols_[used[used < n]]
        return Observations(
            index, np.concatenate([old.astype(object), new.symbols.astype(object)])
        )

    def _describe(self):
        """Read the features of the vocabulary."""
        self.symbols_ = self._reader.symbols_
        self._design = Design(self._features, self.symbols_)
        self.feature_names_ = np.array(self._design.names, dtype=object)

    def extend(self, values, *, offsets=None, allowed=None):
        """Append the new symbols of more tokens, and the features that come with them.

        Parameters
        ----------
        values : ndarray of shape (T,) or (T, 1)
            Tokens; those unknown so far become symbols, after all others. What is new
            has weight 0.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, for errors.
        allowed : callable, default=None
            Tells, of an array of new symbols, the states that may emit each: bool of
            shape (n_new, K). None allows all.
        """
        n, K, older = len(self.symbols_), self.coef_.shape[1], self._design
        tokens = as_tokens(values, offsets)
        tokens = tokens[self._reader.encode(tokens, offsets=offsets).index == n]
        if not len(tokens):
            return
        new = Vocabulary.learn(tokens, sort=False).symbols
        self._reader = Categorical(symbols=[*self.symbols_.tolist(), *new.tolist()])
        self._reader.encode(tokens[:0], reset=True)
        self._describe()
        if allowed is not None or self._allowed is not None:
            both = np.ones((len(self.symbols_), K), dtype=bool)
            both[:n] = True if self._allowed is None else self._allowed
            both[n:] = True if allowed is None else allowed(new)
            self._allowed = both
        self.set_coef(self._design.widened(self.coef_, older))

    def allow(self, allowed):
        """Let states emit more symbols than so far, as their weights say."""
        if self._allowed is None:
            return
        both = self._allowed | (True if allowed is None else allowed)
        self._allowed = None if both.all() else both
        self.set_coef(self.coef_)

    def initialize(self, observations, n_states, random_state, *, allowed=None):
        """Start from ``init``, else from weights of 0 or, at random, close to it.

        Parameters
        ----------
        observations : Observations
            What ``encode`` returned.
        n_states : int
            Number of states K.
        random_state : RandomState or None
            Draws the weights; None makes states uniform.
        allowed : ndarray of bool of shape (V, K), default=None
            States that may emit each symbol. Other pairs keep probability 0.
        """
        shape = (len(self.feature_names_), n_states)
        self._allowed = None if allowed is None else allowed.copy()
        self._started = False
        if self.init is not None:
            coef = real_array(self.init, "init")
            if coef.shape != shape or not np.isfinite(coef).all():
                raise ValueError(
                    f"init must hold finite weights, shape {shape} for features and "
                    f"states, got shape {coef.shape}."
                )
        elif random_state is None:
            coef = np.zeros(shape)
        else:
            coef = random_state.uniform(-_START_SCALE, _START_SCALE, shape)
        self.set_coef(coef)

    def set_coef(self, coef):
        """Set the weights and what follows from them.

        Parameters
        ----------
        coef : ndarray of shape (n_features, n_states)
            Weights; kept, not copied.
        """
        self.coef_ = coef
        table = inside = self._design.scores(coef)
        if self._allowed is not None:
            mute = ~self._allowed.any(axis=0)  # of no symbol: normalised over all
            inside = np.where(self._allowed | mute, table, -np.inf)
        top = inside.max(axis=0)
        self._log_normaliser = top + np.log(np.exp(inside - top).sum(axis=0))
        table = table - self._log_normaliser
        if self._allowed is not None:
            table[~self._allowed] = -np.inf
            table[~self._allowed.any(axis=1)] = self._silence
        table.setflags(write=False)
        self._table = table

    def table(self, rows):
        """Compute the log-probability of symbols in each state.

        Parameters
        ----------
        rows : ndarray of shape (U,)
            Symbols, in the vocabulary or not.

        Returns
        -------
        ndarray of shape (U, K)
            Not to be written to.
        """
        if self._is_vocabulary(rows):
            return self._table
        n = len(self.symbols_)
        index = self._reader.encode(rows).index
        out = np.full((len(rows), self.coef_.shape[1]), self._silence)
        known = index < n
        out[known] = self._table[index[known]]
        new = np.flatnonzero(~known)
        shared = self._features.matrix(rows[new].tolist())
        new_ones = shared @ self.coef_[: shared.shape[1]] - self._log_normaliser
        speaking = np.diff(shared.indptr) > 0
        out[new[speaking]] = new_ones[speaking]
        return out

    def statistics(self, rows, counts):
        """Drop counts of unknown symbols and put states first."""
        if self._is_vocabulary(rows):
            return (counts.T,)
        full = np.zeros((len(self.symbols_) + 1, counts.shape[1]))
        full[self._reader.encode(rows).index] = counts
        return (full[:-1].T,)

    def gradient(self, statistics):
        """Slope of the expected log-likelihood and ``log_prior`` at the weights.

        Of the marginal log-likelihood, too, where the expected counts are those of the
        present model (Fisher's identity).

        Parameters
        ----------
        statistics : tuple of one ndarray of shape (K, V)
            What ``statistics`` returned.

        Returns
        -------
        ndarray of shape (n_features, n_states)
        """
        counts = self._counts(statistics)
        rest = counts - self.probabilities_.T * counts.sum(axis=0)
        return self._design.totals(rest) - self.l2 * self.coef_

    def m_step(self, statistics):
        """Climb from the present weights; the objective never falls."""
        start, counts = self.coef_, self._counts(statistics)
        scale = max(counts.sum(), 1.0)

        def loss(weights):
            self.set_coef(weights.reshape(start.shape))
            log_p = self._table
            if self._allowed is not None:
                log_p = np.where(self._allowed, log_p, 0.0)
            value = np.vdot(counts, log_p) + self.log_prior()
            return -value / scale, -self.gradient(statistics).ravel() / scale

        solver, x = LBFGS(), start.ravel()
        with one_blas_thread:
            state = loss(x)
            for _ in range(self.max_iter if self._started else self.start_iter):
                x, state, moved = solver.step(loss, x, state)
                if not moved:
                    break
        self._started = True
        self.set_coef(x.reshape(start.shape))

    def expected_statistics(self, mass):
        """Give the counts at which the present weights are the best.

        At the best weights a symbol's own weight is what its count exceeds the expected
        one by, over ``l2``; elsewhere this holds roughly.
        """
        own = self.coef_[self._design.n_shared :]
        counts = self.probabilities_.T * mass + self.l2 * own
        return (self._counts((np.maximum(counts, 0.0).T,)).T,)

    def log_prior(self):
        """Return minus half of ``l2`` times the squared norm of the weights."""
        return -0.5 * self.l2 * float(np.vdot(self.coef_, self.coef_))

    def sample(self, states, random_state):
        """Draw a symbol of the vocabulary for each state."""
        return self.symbols_[draw(self.probabilities_, states, random_state)]

    def perturb(self, amount, random_state):
        """Multiply every probability by a factor in [1, 1 + amount], then normalise."""
        coef = self.coef_.copy()
        own = coef[self._design.n_shared :]
        own += np.log1p(amount * random_state.uniform(size=own.shape))
        self.set_coef(coef)

    def reorder(self, order):
        """Renumber states: new state ``i`` is the old state ``order[i]``."""
        if self._allowed is not None:
            self._allowed = self._allowed[:, order]
        self.set_coef(np.take(self.coef_, order, axis=1))

    @property
    def probabilities_(self):
        """Probability of each symbol in each state."""
        p = np.exp(self._table)
        return (p if self._allowed is None else p * self._allowed).T

    @property
    def n_parameters(self):
        """Allowed pairs of state and symbol, less one for each state.

        With each symbol a feature, weights can tell any distribution; more weights
        than that are no freedom.
        """
        if self._allowed is None:
            return self._table.size - self._table.shape[1]
        return int(self._allowed.sum() - self._allowed.any(axis=0).sum())

    def _counts(self, statistics):
        """Expected counts (V, K) of the pairs whose probability the weights set."""
        counts = statistics[0].T
        return counts if self._allowed is None else counts * self._allowed

    @property
    def _silence(self):
        return -np.log(len(self.symbols_) + 1)

    def _is_vocabulary(self, rows):
        return rows is self.symbols_ or np.array_equal(rows, self.symbols_)

    def _check_parameters(self):
        check_features(self.features)
        if not (isinstance(self.l2, Real) and 0 <= self.l2 < np.inf):
            raise ValueError(f"l2 must be a number >= 0, got {self.l2!r}.")
        for name in ("max_iter", "start_iter"):
            value = getattr(self, name)
            if not (isinstance(value, Integral) and value >= 1):
                raise ValueError(f"{name} must be an integer >= 1, got {value!r}.")

"""Symbols from a finite vocabulary."""

import numpy as np

from skstruct.containers import Vocabulary, place
from skstruct.emissions._base import Emission, Observations, plain
from skstruct.emissions._dirichlet import (
    check_prior,
    checked_rows,
    divergence,
    draw,
    expected_log,
    inform_silent,
    log,
    start_rows,
    unit_rows,
    widened,
)
from skstruct.emissions._tokens import as_tokens, given_symbols

__all__ = ["Categorical"]

# A start array counts as a posterior that has seen this many tokens of each state.
_START_TOKENS = 1e8


class Categorical(Emission):
    r"""Emission of symbols from a vocabulary, :math:`p(x \mid k) = \theta_{kx}`.

    The M-step solves, for expected counts :math:`c_{kx}`,

    .. math:: \max_\theta \sum_{kx} (c_{kx} + \alpha) \log \theta_{kx}

    or, with ``update="variational"``, finds the Dirichlet posterior
    :math:`q(\theta_k)` under a prior of concentration :math:`\alpha` and weighs
    symbols by :math:`\exp E_q \log \theta_{kx}`, which favours few symbols a state
    when :math:`\alpha < 1`.

    Parameters
    ----------
    alpha : float, default=0.0
        Pseudo-count added to every allowed pair of state and symbol; 0 is maximum
        likelihood. Concentration of the Dirichlet prior under
        ``update="variational"``, which needs a positive one.
    update : {"map", "variational"}, default="map"
        What the M-step finds.
    init : array-like of shape (n_states, n_symbols) or None, default=None
        Start probabilities, columns in the order of ``symbols`` (of ``symbols_`` if
        none are given).
    symbols : sequence or None, default=None
        The vocabulary, in the order wanted. None learns it from the training tokens:
        sorted, or by first appearance where tokens do not compare.

    Attributes
    ----------
    symbols_ : ndarray of shape (n_symbols,)
        The vocabulary: int64 if all are whole numbers, else objects.
    probabilities_ : ndarray of shape (n_states, n_symbols)
        Probability of each symbol in each state. Under ``update="variational"`` the
        normalised weights.

    Notes
    -----
    Symbols that are not in the vocabulary, or known but impossible in every state, say
    nothing of the state: their log-probability is ``-log(n_symbols + 1)`` in each
    state that may emit them. A state that got no counts at all, without pseudo-counts,
    keeps its probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.emissions import Categorical
    >>> emission = Categorical(alpha=0.5)
    >>> tokens = np.array(["a", "rose", "is", "a", "rose"], dtype=object)
    >>> observations = emission.encode(tokens, reset=True)
    >>> observations.index
    array([0, 2, 1, 0, 2])
    >>> emission.initialize(observations, 2, None)
    >>> emission.m_step((np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 2.0]]),))
    >>> emission.probabilities_.round(2)
    array([[0.56, 0.33, 0.11],
           [0.14, 0.14, 0.71]])
    """

    def __init__(self, alpha=0.0, *, update="map", init=None, symbols=None):
        self.alpha = alpha
        self.update = update
        self.init = init
        self.symbols = symbols

    _may_change = ("alpha",)

    def encode(self, values, *, reset=False, offsets=None):
        """Turn tokens into numbers; with ``reset``, learn the vocabulary first.

        Parameters
        ----------
        values : ndarray of shape (T,) or (T, 1)
            Tokens: str, int or other hashable objects.
        reset : bool, default=False
            Learn the vocabulary; otherwise unknown tokens read the last row.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, so that errors name the sample and its position.

        Returns
        -------
        Observations
            Rows are ``arange(V + 1)``; the last one stands for unknown tokens.
        """
        tokens = as_tokens(values, offsets)
        if reset:
            self._check_parameters()
            self._set_vocabulary(
                Vocabulary.learn(tokens, offsets)
                if self.symbols is None
                else given_symbols(self.symbols)
            )
        index = self._vocabulary.codes(tokens, offsets)
        if reset and self.symbols is not None and (index == self._n_symbols).any():
            at = np.flatnonzero(index == self._n_symbols)[0]
            raise ValueError(
                f"The token {plain(tokens[at])!r} at {place(at, offsets)} is not in "
                f"symbols, which holds {self._n_symbols}; add it or leave symbols=None."
            )
        return Observations(index, np.arange(self._n_symbols + 1))

    def extend(self, values, *, offsets=None, allowed=None):
        """Append the new symbols of more tokens, each with the mean probability.

        Parameters
        ----------
        values : ndarray of shape (T,) or (T, 1)
            Tokens; those unknown so far become symbols, after all others.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, for errors.
        allowed : callable, default=None
            Tells, of an array of new symbols, the states that may emit each: bool of
            shape (n_new, K). None allows all.
        """
        tokens = as_tokens(values, offsets)
        tokens = tokens[self._vocabulary.codes(tokens, offsets) == self._n_symbols]
        if not len(tokens):
            return
        new = Vocabulary.learn(tokens).symbols
        symbols = self.symbols_.tolist() + new.tolist()
        self._set_vocabulary(given_symbols(symbols))
        pad = ((0, 0), (0, len(new)))
        if self._allowed is None:
            self._allowed = np.ones_like(self.probabilities_, dtype=bool)
        both = np.pad(self._allowed, pad, constant_values=True)
        if allowed is not None:
            both[:, -len(new) :] = allowed(new).T
        self._allowed = np.pad(self._allowed, pad)
        self.probabilities_ = np.pad(self.probabilities_, pad)
        if self.update == "variational":
            self._concentration = np.pad(self._concentration, pad)
            self._log_weights = np.pad(self._log_weights, pad, constant_values=-np.inf)
        self.allow(both.T)

    def allow(self, allowed):
        """Let states emit more symbols than so far, each with the mean probability.

        Parameters
        ----------
        allowed : ndarray of bool of shape (V, K) or (V + 1, K), or None
            States that may emit each symbol, besides those that may already; None
            is all.
        """
        if self._allowed is None:
            return
        old = self._allowed
        both = np.ones_like(old) if allowed is None else old | allowed[: old.shape[1]].T
        fresh = both & ~old
        if fresh.any() and self.update == "map":
            self.probabilities_ = widened(self.probabilities_, old, fresh)
        elif fresh.any():
            c, n = self._concentration, old.sum(axis=1, keepdims=True)
            mean = np.maximum(
                c.sum(axis=1, keepdims=True) / np.maximum(n, 1), self.alpha
            )
            self._set_posterior(np.where(fresh, mean, c))
        self._allowed = None if both.all() else both

    def initialize(self, observations, n_states, random_state, *, allowed=None):
        """Start from ``init``, else from uniform or, at random, Dirichlet(1) rows.

        Parameters
        ----------
        observations : Observations
            What ``encode`` returned.
        n_states : int
            Number of states K.
        random_state : RandomState or None
            Draws the rows; None makes them uniform over allowed symbols.
        allowed : ndarray of bool of shape (V + 1, K), default=None
            States that may emit each symbol. Other pairs keep probability 0.
        """
        shape = (n_states, self._n_symbols)
        self._allowed = None if allowed is None else allowed[: shape[1]].copy().T
        if self.init is not None:
            start = checked_rows(self.init, shape, self._allowed, self.symbols_)
        else:
            start = start_rows(shape, self._allowed, random_state)
        # All (K, V) arrays lie in memory as tables and counts do: symbol by symbol.
        self.probabilities_ = start = np.asfortranarray(start)
        if self.update == "variational":
            self._set_posterior(_START_TOKENS * start + self._pseudo_counts)
            self.probabilities_ = start

    def table(self, rows):
        """Compute the log-probability of the symbols ``rows`` in each state.

        Parameters
        ----------
        rows : ndarray of shape (U,)
            Numbers of symbols; ``V`` is the unknown one.

        Returns
        -------
        ndarray of shape (U, K)
            Under ``update="variational"`` logs of weights that sum to less than one.
        """
        n, silence = self._n_symbols, -np.log(self._n_symbols + 1)
        if np.array_equal(rows, np.arange(n + 1)):
            out = np.full((n + 1, len(self.probabilities_)), silence)
            self._fill(out[:n], slice(None))
            return out
        out = np.full((len(rows), len(self.probabilities_)), silence)
        known = rows < n
        out[known] = self._fill(out[known], rows[known])
        return out

    def _fill(self, table, symbols):
        """Write the logs of some symbols into a table, which is returned."""
        variational = self.update == "variational"
        source = (self._log_weights if variational else self.probabilities_).T[symbols]
        if self._allowed is None:
            table[...] = source if variational else log(source)
        else:
            table.fill(-np.inf)
            where = np.flatnonzero(self._allowed.T[symbols])
            entries = source.ravel()[where]
            table.ravel()[where] = entries if variational else log(entries)
        if self._allowed is not None or np.isneginf(table.min(initial=0.0)):
            inform_silent(table, self.probabilities_, self._allowed, symbols)
        return table

    def statistics(self, rows, counts):
        """Drop counts of unknown symbols and put states first.

        Parameters
        ----------
        rows : ndarray of shape (U,)
            Distinct numbers of symbols.
        counts : ndarray of shape (U, K)
            Expected number of tokens of each row in each state.

        Returns
        -------
        tuple of one ndarray of shape (K, V)
        """
        if len(rows) <= self._n_symbols:
            full = np.zeros((self._n_symbols + 1, counts.shape[1]))
            full[rows] = counts
            counts = full
        return (counts[:-1].T,)

    def m_step(self, statistics):
        """Estimate the probabilities from expected counts.

        Parameters
        ----------
        statistics : tuple of one ndarray of shape (K, V)
            What ``statistics`` returned.
        """
        counts = statistics[0] + self._pseudo_counts
        if self.update == "variational":
            self._set_posterior(counts)
            return
        kept = counts.sum(axis=1) <= 0
        counts[kept] = self.probabilities_[kept]
        self.probabilities_ = unit_rows(counts)

    def expected_statistics(self, mass):
        """Share out the mass of each state, less pseudo-counts, over its symbols.

        Parameters
        ----------
        mass : ndarray of shape (K,)
            Expected number of tokens of each state. With ``alpha > 0`` another mass
            than that of the last M-step returns the parameters only roughly.

        Returns
        -------
        tuple of one ndarray of shape (K, V)
        """
        prior, p = self._pseudo_counts, self.probabilities_
        if self.update == "variational":
            counts = self._concentration - prior
            total = counts.sum(axis=1)
            counts *= (mass / np.where(total > 0, total, 1.0))[:, None]
        else:
            total = mass + np.broadcast_to(prior, p.shape).sum(axis=1)
            counts = total[:, None] * p - prior
        return (np.asfortranarray(np.maximum(counts, 0.0)),)

    def log_prior(self):
        """Return what EM adds to the log-likelihood; it never lowers the sum.

        ``alpha`` times the sum of log-probabilities of allowed pairs; under
        ``update="variational"`` minus the divergence of the posterior from the prior.
        """
        if self.update == "variational":
            return -divergence(self._concentration, self._log_weights, self.alpha)
        if self.alpha == 0:
            return 0.0
        p = self.probabilities_
        p = p if self._allowed is None else p[self._allowed]
        return float(self.alpha * log(p).sum())

    def sample(self, states, random_state):
        """Draw a symbol for each state.

        Parameters
        ----------
        states : ndarray of shape (T,)
            Numbers of states.
        random_state : RandomState
            Source of randomness.

        Returns
        -------
        ndarray of shape (T,)
        """
        return self.symbols_[draw(self.probabilities_, states, random_state)]

    def perturb(self, amount, random_state):
        """Multiply every probability by a factor in [1, 1 + amount]."""
        factors = 1 + amount * random_state.uniform(size=self.probabilities_.shape)
        if self.update == "variational":
            self._set_posterior(self._concentration * factors)
            return
        self.probabilities_ = unit_rows(self.probabilities_ * factors)

    def reorder(self, order):
        """Renumber states: new state ``i`` is the old state ``order[i]``."""
        self.probabilities_ = self.probabilities_[order]
        if self._allowed is not None:
            self._allowed = self._allowed[order]
        if self.update == "variational":
            self._concentration = self._concentration[order]
            self._log_weights = self._log_weights[order]

    @property
    def n_parameters(self):
        """Allowed pairs of state and symbol, less one for each state that has any."""
        if self._allowed is None:
            return self.probabilities_.size - len(self.probabilities_)
        return int(self._allowed.sum() - (~self._mute).sum())

    @property
    def _n_symbols(self):
        return len(self._vocabulary)

    @property
    def _mute(self):
        """States without any allowed symbol."""
        return ~self._allowed.any(axis=1)

    def _check_parameters(self):
        check_prior(self.alpha, self.update)

    def _set_vocabulary(self, vocabulary):
        if not len(vocabulary):
            raise ValueError("There are no tokens to learn from.")
        self._vocabulary = vocabulary
        self.symbols_ = vocabulary.symbols

    @property
    def _pseudo_counts(self):
        """Of the allowed pairs (K, V), or one number for all."""
        if self.alpha == 0 or self._allowed is None:
            return self.alpha
        return self.alpha * self._allowed

    def _set_posterior(self, concentration):
        """Dirichlet posteriors, the weights exp E log theta, and these normalised."""
        self._concentration = concentration
        self._log_weights = expected_log(concentration)
        self.probabilities_ = unit_rows(np.exp(self._log_weights))

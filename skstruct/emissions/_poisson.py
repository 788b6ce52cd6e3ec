"""Counts."""

import numpy as np
from scipy.special import gammaln

from skstruct.containers import place
from skstruct.emissions._base import Emission, Observations
from skstruct.emissions._numbers import (
    as_numbers,
    check_missing,
    of_width,
    start_means,
)

__all__ = ["Poisson"]

# Keeps counts possible in a state that has only seen zeros.
_RATE_FLOOR = 1e-8


class Poisson(Emission):
    r"""Emission of counts, each Poisson with a rate :math:`\lambda_{kj}` of the state.

    The M-step solves, for expected counts :math:`c_{tk}` of tokens,

    .. math:: \max_\lambda \sum_{tkj} c_{tk} (x_{tj} \log \lambda_{kj} - \lambda_{kj})
        \quad \text{s.t.} \quad \lambda_{kj} \ge 10^{-8}

    Parameters
    ----------
    missing : {"raise", "marginalize"}, default="raise"
        What NaN does: an error, or the token says only what was observed of it.

    Attributes
    ----------
    rates_ : ndarray of shape (n_states, n_features)
        Mean counts of each state.
    n_features_in_ : int
        Number of counts in a token.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.emissions import Poisson
    >>> emission = Poisson()
    >>> observations = emission.encode(np.array([0, 1, 9, 11]), reset=True)
    >>> emission.initialize(observations, 2, np.random.RandomState(0))
    >>> table = emission.table(observations.rows)[observations.index]
    >>> labels = table.argmax(axis=1)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    def __init__(self, *, missing="raise"):
        self.missing = missing

    _may_change = ("missing",)

    def encode(self, values, *, reset=False, offsets=None):
        """Check counts, and merge equal ones where a token is a single count.

        Parameters
        ----------
        values : ndarray of shape (T,) or (T, d)
            Whole numbers >= 0; floats are fine if they are whole.
        reset : bool, default=False
            Learn the number of features; otherwise a different one raises.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, so that errors name the sample and its position.

        Returns
        -------
        Observations
            Rows have shape (U, d).
        """
        if reset:
            self._check_parameters()
        counts = as_numbers(values, self, offsets)
        bad = ~np.isnan(counts) & (
            (counts < 0) | (counts != np.trunc(counts)) | (counts >= 2**53)
        )
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise ValueError(
                f"The token at {place(i, offsets)} holds {counts[i, j]:.17g}; Poisson "
                "needs counts: whole numbers >= 0 (and below 2**53). Use Gaussian() "
                "for real numbers."
            )
        if reset:
            if not len(values):
                raise ValueError("There are no tokens to learn from.")
            self.n_features_in_ = counts.shape[1]
            self._flat = np.ndim(values) == 1
        counts = of_width(counts, self)
        if self.n_features_in_ > 1:
            return Observations(np.arange(len(counts)), counts)
        distinct, index = np.unique(counts[:, 0], return_inverse=True)
        return Observations(index, distinct[:, None])

    def initialize(self, observations, n_states, random_state, *, allowed=None):
        """Start from k-means of the square roots, which have equal variances.

        Parameters
        ----------
        observations : Observations
            What ``encode`` returned.
        n_states : int
            Number of states K.
        random_state : RandomState or None
            For k-means; None takes a fixed seed.
        allowed : ndarray of bool of shape (U, K), default=None
            States that may emit each row.
        """
        rows = np.sqrt(observations.rows)
        weights = np.bincount(observations.index, minlength=len(rows)).astype(float)
        means = start_means(rows, weights, n_states, random_state, allowed)
        self.rates_ = np.maximum(means**2, _RATE_FLOOR)

    def table(self, rows):
        """Compute the log-probability of each row in each state.

        Parameters
        ----------
        rows : ndarray of shape (U, d)
            Counts; NaN is missing.

        Returns
        -------
        ndarray of shape (U, K)
        """
        seen = ~np.isnan(rows)
        counts = np.where(seen, rows, 0.0)
        out = counts @ np.log(self.rates_).T
        out -= seen.astype(float) @ self.rates_.T
        out -= gammaln(counts + 1).sum(axis=1, keepdims=True)
        return out

    def statistics(self, rows, counts):
        """Sum up how often each feature was seen, and its counts.

        Parameters
        ----------
        rows : ndarray of shape (U, d)
            Counts; NaN is missing.
        counts : ndarray of shape (U, K)
            Expected number of tokens of each row in each state.

        Returns
        -------
        tuple of two ndarrays of shape (K, d)
        """
        seen = ~np.isnan(rows)
        return counts.T @ seen.astype(float), counts.T @ np.where(seen, rows, 0.0)

    def m_step(self, statistics):
        """Set rates to weighted means; without any weight they stay.

        Parameters
        ----------
        statistics : tuple of two ndarrays of shape (K, d)
            What ``statistics`` returned.
        """
        seen, total = statistics
        rates = np.divide(total, seen, out=self.rates_.copy(), where=seen > 0)
        self.rates_ = np.maximum(rates, _RATE_FLOOR)

    def expected_statistics(self, mass):
        """Count each feature of each token as seen, at its rate.

        Parameters
        ----------
        mass : ndarray of shape (K,)
            Expected number of tokens of each state.

        Returns
        -------
        tuple of two ndarrays of shape (K, d)
        """
        seen = np.repeat(mass[:, None], self.n_features_in_, axis=1)
        return seen, seen * self.rates_

    def _check_parameters(self):
        check_missing(self.missing)

    def sample(self, states, random_state):
        """Draw counts for each state.

        Parameters
        ----------
        states : ndarray of shape (T,)
            Numbers of states.
        random_state : RandomState
            Source of randomness.

        Returns
        -------
        ndarray of int of shape (T, d), or (T,) if such were the training tokens
        """
        drawn = random_state.poisson(self.rates_[states])
        return drawn[:, 0] if self._flat else drawn

    def perturb(self, amount, random_state):
        """Multiply every rate by a factor in [1, 1 + amount]."""
        factors = 1 + amount * random_state.uniform(size=self.rates_.shape)
        self.rates_ = self.rates_ * factors

    def reorder(self, order):
        """Renumber states: new state ``i`` is the old state ``order[i]``."""
        self.rates_ = self.rates_[order]

    def sort_key(self):
        """Give the mean of the first feature."""
        return self.rates_[:, 0]

    @property
    def n_parameters(self):
        """One rate for each state and feature."""
        return self.rates_.size

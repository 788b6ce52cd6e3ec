"""Real numbers and vectors."""

from numbers import Real

import numpy as np

from skstruct.containers import place
from skstruct.emissions._base import Emission, Observations, real_array
from skstruct.emissions._normal import (
    dense_moments,
    diagonal_moments,
    log_density_dense,
    log_density_diagonal,
)
from skstruct.emissions._numbers import (
    as_numbers,
    check_missing,
    of_width,
    start_means,
)

__all__ = ["Gaussian"]

# Squares and their sums must stay finite.
_LARGEST = 1e150
_SMALLEST_SCALE = 1e-150
_TYPES = ("full", "tied", "diag", "spherical")


class Gaussian(Emission):
    r"""Emission of vectors, :math:`p(x \mid k) = \mathcal{N}(x; \mu_k, \Sigma_k)`.

    The M-step solves, for expected counts :math:`c_{tk}` of tokens,

    .. math:: \max_{\mu, \Sigma} \sum_{tk} c_{tk} \log \mathcal{N}(x_t; \mu_k, \Sigma_k)
        \quad \text{s.t.} \quad \Sigma_k \succeq \varepsilon S

    where :math:`S` is the diagonal of the variances of all tokens (their mean, for
    spherical covariances) and :math:`\varepsilon` the ``covariance_floor``, which
    keeps a state from shrinking onto a single token.

    Parameters
    ----------
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Shape of :math:`\Sigma_k`, as in :class:`~sklearn.mixture.GaussianMixture`;
        "tied" is one full matrix for all states.
    means_init : array-like of shape (n_states, n_features) or None, default=None
        Start means. None takes those of k-means.
    covariance_floor : float, default=1e-6
        Smallest variance of a state in any direction, once features are scaled to unit
        variance over all tokens. A constant feature counts as one of variance 1.
    missing : {"raise", "marginalize"}, default="raise"
        What NaN does: an error, or the token has the density of its observed
        features, and the M-step the expectations of the others.

    Attributes
    ----------
    means_ : ndarray of shape (n_states, n_features)
        Means of states.
    covariances_ : ndarray
        Of shape (n_states, n_features, n_features) for "full", (n_features,
        n_features) for "tied", (n_states, n_features) for "diag" and (n_states,) for
        "spherical".
    n_features_in_ : int
        Number of features of a token.

    Notes
    -----
    States start with the covariance of all tokens over :math:`K^{2/d}`: small ones
    keep the start of EM from blurring the states.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.emissions import Gaussian
    >>> emission = Gaussian()
    >>> observations = emission.encode(np.array([0.0, 1.0, 9.0, 11.0]), reset=True)
    >>> emission.initialize(observations, 2, None)
    >>> counts = np.array([[1.0, 0], [1.0, 0], [0, 1.0], [0, 1.0]])
    >>> emission.m_step(emission.statistics(observations.rows, counts))
    >>> emission.means_.ravel()
    array([ 0.5, 10. ])
    >>> emission.covariances_.ravel()
    array([0.25, 1.  ])
    """

    def __init__(
        self,
        covariance_type="full",
        *,
        means_init=None,
        covariance_floor=1e-6,
        missing="raise",
    ):
        self.covariance_type = covariance_type
        self.means_init = means_init
        self.covariance_floor = covariance_floor
        self.missing = missing

    _may_change = ("covariance_floor", "missing")

    def encode(self, values, *, reset=False, offsets=None):
        """Check numbers; every token is a row of its own.

        Parameters
        ----------
        values : ndarray of shape (T,) or (T, d)
            Finite numbers, at most 1e150 in size; NaN if missing ones are allowed.
        reset : bool, default=False
            Learn the number, centre and scale of features; otherwise a different
            number raises.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, so that errors name the sample and its position.

        Returns
        -------
        Observations
            Rows have shape (T, d).
        """
        if reset:
            self._check_parameters()
        rows = as_numbers(values, self, offsets)
        large = (np.abs(rows) > _LARGEST).any(axis=1)
        if large.any():
            raise ValueError(
                f"The token at {place(np.flatnonzero(large)[0], offsets)} holds a "
                f"number beyond {_LARGEST:g}, whose square is too large for float64; "
                "rescale the feature."
            )
        if reset:
            if not len(values):
                raise ValueError("There are no tokens to learn from.")
            self.n_features_in_ = rows.shape[1]
            self._flat = np.ndim(values) == 1
            self._learn_scale(rows)
        rows = of_width(rows, self)
        return Observations(np.arange(len(rows)), rows)

    def initialize(self, observations, n_states, random_state, *, allowed=None):
        """Start from k-means, with small covariances that are equal in all states.

        Parameters
        ----------
        observations : Observations
            What ``encode`` returned.
        n_states : int
            Number of states K.
        random_state : RandomState or None
            For k-means; None takes a fixed seed.
        allowed : ndarray of bool of shape (T, K), default=None
            States that may emit each token. Tokens with one state only give that
            state its mean.
        """
        shape = (n_states, self.n_features_in_)
        rows = (observations.rows - self._centre) / self._scale
        if self.means_init is None:
            ones = np.ones(len(rows))
            means = start_means(rows, ones, n_states, random_state, allowed)
            means = means * self._scale + self._centre
        else:
            means = self._checked_means(shape)
        share = float(n_states) ** (-2.0 / shape[1])
        covariances = self._floored(self._total_covariance(rows) * share)
        if self.covariance_type != "tied":
            covariances = np.repeat(covariances, n_states, axis=0)
        self.means_ = means
        self._store_covariances(covariances)

    def table(self, rows):
        """Compute the log-density of each token in each state.

        Parameters
        ----------
        rows : ndarray of shape (T, d)
            Tokens; NaN is missing.

        Returns
        -------
        ndarray of shape (T, K)
        """
        density = log_density_diagonal if self._is_diagonal else log_density_dense
        return density(rows, self._centre, self._scale, *self._scaled())

    def statistics(self, rows, counts):
        """Sum up expected weights, and first and second moments of scaled tokens.

        Parameters
        ----------
        rows : ndarray of shape (T, d)
            Tokens; NaN is missing.
        counts : ndarray of shape (T, K)
            Expected share of each token in each state.

        Returns
        -------
        tuple of three ndarrays
            Weights (K,), moments (K, d) and (K, d, d); with diagonal covariances
            all are (K, d).
        """
        moments = diagonal_moments if self._is_diagonal else dense_moments
        return moments(rows, counts, self._centre, self._scale, *self._scaled())

    def m_step(self, statistics):
        """Set means and covariances to the weighted ones, not below the floor.

        Parameters
        ----------
        statistics : tuple of three ndarrays
            What ``statistics`` returned. A state without weight keeps its parameters.
        """
        weight, first, second = statistics
        means, covariances = self._scaled()
        divisor = weight if self._is_diagonal else weight[:, None]
        means = np.divide(first, divisor, out=means.copy(), where=divisor > 0)
        if self._is_diagonal:
            scatter = second - 2 * means * first + weight * means**2
        else:
            cross = means[:, :, None] * first[:, None, :]
            scatter = second - cross - cross.transpose(0, 2, 1)
            scatter += weight[:, None, None] * means[:, :, None] * means[:, None, :]
        if self.covariance_type == "tied":
            scatter, weight = scatter.sum(axis=0)[None], weight.sum()[None]
            covariances = covariances[:1]
        elif self.covariance_type == "spherical":
            scatter = scatter.sum(axis=1, keepdims=True)
            weight = weight.sum(axis=1, keepdims=True)
            covariances = covariances[:, :1]
        weight = weight.reshape(weight.shape + (1,) * (scatter.ndim - weight.ndim))
        covariances = np.divide(
            scatter, weight, out=covariances.copy(), where=weight > 0
        )
        self.means_ = means * self._scale + self._centre
        self._store_covariances(self._floored(covariances))

    def expected_statistics(self, mass):
        """Give the moments that tokens of these means and covariances would have.

        Parameters
        ----------
        mass : ndarray of shape (K,)
            Expected number of tokens of each state.

        Returns
        -------
        tuple of three ndarrays
            Shaped as those of ``statistics``.
        """
        means, covariances = self._scaled()
        column = mass[:, None]
        if self._is_diagonal:
            weight = np.repeat(column, means.shape[1], axis=1)
            return weight, weight * means, weight * (covariances + means**2)
        products = means[:, :, None] * means[:, None, :]
        return mass.copy(), column * means, column[:, None] * (covariances + products)

    def sample(self, states, random_state):
        """Draw a vector for each state.

        Parameters
        ----------
        states : ndarray of shape (T,)
            Numbers of states.
        random_state : RandomState
            Source of randomness.

        Returns
        -------
        ndarray of shape (T, d), or (T,) if such were the training tokens
        """
        means, covariances = self._scaled()
        drawn = random_state.standard_normal((len(states), self.n_features_in_))
        if self._is_diagonal:
            drawn *= np.sqrt(covariances)[states]
        else:
            factors = np.linalg.cholesky(covariances)
            for k in np.unique(states):
                drawn[states == k] = drawn[states == k] @ factors[k].T
        drawn = (drawn + means[states]) * self._scale + self._centre
        return drawn[:, 0] if self._flat else drawn

    def perturb(self, amount, random_state):
        """Move the means by ``amount`` standard deviations of all tokens."""
        noise = random_state.standard_normal(self.means_.shape)
        self.means_ = self.means_ + amount * self._scale * noise

    def reorder(self, order):
        """Renumber states: new state ``i`` is the old state ``order[i]``."""
        self.means_ = self.means_[order]
        if self.covariance_type != "tied":
            self.covariances_ = self.covariances_[order]

    def sort_key(self):
        """Give the mean of the first feature."""
        return self.means_[:, 0]

    @property
    def n_parameters(self):
        """Free entries of means and covariances."""
        n_states, d = self.means_.shape
        triangle = d * (d + 1) // 2
        sizes = {
            "full": n_states * triangle,
            "tied": triangle,
            "diag": n_states * d,
            "spherical": n_states,
        }
        return n_states * d + sizes[self.covariance_type]

    @property
    def _is_diagonal(self):
        return self.covariance_type in ("diag", "spherical")

    def _check_parameters(self):
        check_missing(self.missing)
        if self.covariance_type not in _TYPES:
            raise ValueError(
                f"covariance_type must be one of {_TYPES}, got "
                f"{self.covariance_type!r}."
            )
        floor = self.covariance_floor
        if not (isinstance(floor, Real) and 0 < floor < 1):
            raise ValueError(
                "covariance_floor must lie between 0 and 1 (a share of the variance of "
                f"all tokens), got {floor!r}."
            )

    def _checked_means(self, shape):
        means = real_array(self.means_init, "means_init")
        if means.shape != shape or not np.isfinite(means).all():
            raise ValueError(
                f"means_init must hold finite numbers in the shape (n_states, "
                f"n_features) = {shape}, got shape {means.shape}."
            )
        return means

    def _learn_scale(self, rows):
        """Centre and unit of each feature; moments are taken in these."""
        seen = ~np.isnan(rows)
        n = np.maximum(seen.sum(axis=0), 1)
        self._centre = np.where(seen, rows, 0.0).sum(axis=0) / n
        deviations = np.where(seen, rows - self._centre, 0.0)
        variances = (deviations**2).sum(axis=0) / n
        if self.covariance_type == "spherical":
            variances = np.full_like(variances, variances.mean())
        scale = np.sqrt(variances)
        rounding = 100 * np.finfo(float).eps * np.abs(self._centre)
        constant = scale <= np.maximum(rounding, _SMALLEST_SCALE)
        self._scale = np.where(constant, 1.0, scale)

    def _total_covariance(self, scaled):
        """Covariance of all tokens, in the shape that ``_floored`` takes."""
        filled = np.nan_to_num(scaled)
        covariance = filled.T @ filled / max(len(filled), 1)
        if self.covariance_type == "diag":
            return np.diag(covariance)[None]
        if self.covariance_type == "spherical":
            return np.mean(np.diag(covariance))[None, None]
        return covariance[None]

    def _floored(self, covariances):
        """Clip eigenvalues from below: the exact maximum under the constraint."""
        floor = self.covariance_floor
        if self._is_diagonal:
            return np.maximum(covariances, floor)
        values, vectors = np.linalg.eigh(covariances)
        low = values[:, 0] < floor
        clipped = np.maximum(values[low], floor)[:, None, :]
        covariances[low] = (vectors[low] * clipped) @ vectors[low].transpose(0, 2, 1)
        return covariances

    def _store_covariances(self, covariances):
        """Keep covariances of scaled tokens in the user's units and shape."""
        scale = self._scale
        if self.covariance_type == "diag":
            self.covariances_ = covariances * scale**2
        elif self.covariance_type == "spherical":
            self.covariances_ = covariances[:, 0] * scale[0] ** 2
        else:
            covariances = covariances * np.outer(scale, scale)
            tied = self.covariance_type == "tied"
            self.covariances_ = covariances[0] if tied else covariances

    def _scaled(self):
        """Means (K, d) and covariances (K, d, d) or (K, d) of scaled tokens."""
        means = (self.means_ - self._centre) / self._scale
        if self.covariance_type == "spherical":
            scaled = self.covariances_[:, None] / self._scale**2
        elif self.covariance_type == "diag":
            scaled = self.covariances_ / self._scale**2
        else:
            scaled = self.covariances_ / np.outer(self._scale, self._scale)
            scaled = np.broadcast_to(scaled, means.shape + means.shape[1:])
        return means, scaled

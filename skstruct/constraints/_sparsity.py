"""A phrase belongs to few categories."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from joblib import effective_n_jobs

from skstruct.constraints._base import Constraint
from skstruct.constraints._rows import Rows
from skstruct.kernels._projections import project_phrases

__all__ = ["Sparsity"]

_ROWS_PER_CHUNK = 2048


class Sparsity(Constraint):
    r"""A phrase belongs to few categories, whatever its contexts.

    The occurrences i of a phrase have categories z; a category costs as much as the
    occurrence that needs it most. For each phrase

    .. math:: \min_q \sum_i n_i \mathrm{KL}(q_i \,\|\, p_i)
        + \sigma \sum_z \max_i q_i(z),

    where :math:`n_i` is how often row i occurs. The dual has
    :math:`\lambda_{iz} \ge 0` with :math:`\sum_i \lambda_{iz} \le \sigma`, and
    :math:`q_i(z) \propto p_i(z) \, e^{-\lambda_{iz} / n_i}`. With :math:`\sigma = 0`
    nothing changes; with a large one all rows of a phrase get one distribution, their
    weighted geometric mean.

    Parameters
    ----------
    sigma : float, default=10.0
        Strength :math:`\sigma`, in nats for a category that is fully used; 0 or more.
    min_count : float, default=2
        Phrases that occur less often, by their weight, are left alone.
    tol : float, default=1e-6
        Duality gap of a phrase's projection, as a share of one and its value. At 1e-10
        rounding begins to matter.

    Attributes
    ----------
    values_ : ndarray of shape (n_phrases,)
        Of a bound constraint: least value of the problem of each phrase, as last
        projected.
    gaps_ : ndarray of shape (n_phrases,)
        How far the value may be above the true one.
    routes_ : ndarray of shape (n_phrases,)
        What settled each phrase: 0 nothing to do, 1 all rows agree, 2 Newton steps,
        3 the interior point.

    Notes
    -----
    Probabilities below 1e-12 count as 1e-12: a row does not forbid the others of its
    phrase a category.

    References
    ----------
    .. [1] J. Graça, K. Ganchev, B. Taskar, F. Pereira, "Posterior vs. parameter
       sparsity in latent variable models", NIPS 2009.

    Examples
    --------
    A phrase in two contexts: the second, seen once, gives way to the first.

    >>> import numpy as np
    >>> from skstruct.constraints import Rows, Sparsity
    >>> rows = Rows(np.array([0, 0]), np.array([9.0, 1.0]), n_states=2)
    >>> p = np.array([[0.9, 0.1], [0.2, 0.8]])
    >>> Sparsity(sigma=1.0).bind(rows).project_rows(p, rows.multiplicity).round(3)
    array([[0.89 , 0.11 ],
           [0.405, 0.595]])
    """

    n_models: ClassVar[int] = 1
    layouts: ClassVar[tuple] = (Rows,)

    def __init__(self, sigma=10.0, *, min_count=2, tol=1e-6):
        self.sigma = sigma
        self.min_count = min_count
        self.tol = tol

    def bind(self, layout):
        """Get ready for the rows of a batch.

        Parameters
        ----------
        layout : Rows
            Where the rows of each phrase are.

        Returns
        -------
        Sparsity
            A copy with ``layout_``. It keeps what it needs to project the same rows
            again faster.

        Raises
        ------
        ValueError
            If a parameter is out of range, or rows are not sorted by phrase.
        """
        for name in ("sigma", "min_count", "tol"):
            _check_number(name, getattr(self, name))
        if self.tol == 0:
            raise ValueError("tol must be above 0; the default is 1e-6.")
        if (np.diff(layout.groups, prepend=0) < 0).any():
            raise ValueError(
                "Rows must be sorted by phrase, from 0, but their groups fall "
                "somewhere or are negative. Sort them, and the posteriors with them."
            )
        bound = super().bind(layout)
        bound.starts_ = layout.starts
        weights = bound._check_multiplicity(layout.multiplicity)
        occurrences = _reduce(np.add, weights[:, np.newaxis], bound.starts_)[:, 0]
        bound.prices_ = np.where(occurrences >= self.min_count, float(self.sigma), 0.0)
        bound.scales_ = np.zeros(len(weights))
        return bound

    def blocks(self):
        """Number of cells of each phrase, for each model."""
        return [self.layout_.counts for _ in self.layout_.directions]

    def shift(self, dual):
        """Every cell loses its multiplier, shared by the times its row occurs."""
        with np.errstate(divide="ignore"):
            share = np.where(self._used(), 1 / self.layout_.multiplicity, 0)
        share = np.repeat(share, self.layout_.n_states).astype(dual.dtype)
        return [-share * own for own in np.split(dual, len(self.layout_.directions))]

    def violation(self, expectations):
        """The posteriors, where rows occur at all: more of a multiplier is better."""
        used = np.repeat(self._used(), self.layout_.n_states)
        return np.concatenate([np.ravel(own) * used for own in expectations])

    def project_dual(self, dual):
        """Multipliers are not negative and sum to the price at most.

        The sum is over the rows of a phrase, in each category.
        """
        shape = len(self.layout_.directions), -1, self.layout_.n_states
        return np.concatenate(
            [self._project_multipliers(own).ravel() for own in dual.reshape(shape)]
        )

    def penalty(self, expectations):
        """Price of the categories that each phrase uses, over models, (G,)."""
        shape = -1, self.layout_.n_states
        out = np.zeros(len(self.prices_))
        for own in expectations:
            tops = _reduce(np.maximum, np.reshape(own, shape), self.starts_)
            out += self.prices_ * tops.sum(axis=1)
        return out

    def project_rows(self, p, multiplicity, n_jobs=None):
        """Project posteriors of rows, exactly.

        Parameters
        ----------
        p : ndarray of shape (N, K)
            Posteriors of the rows of one model; each sums to one.
        multiplicity : ndarray of shape (N,)
            How often each row occurs. A row with 0 has no say, but obeys.
        n_jobs : int, default=None
            Number of threads; -1 for all cores. It changes no result.

        Returns
        -------
        ndarray of shape (N, K)
            In the dtype of p.

        Raises
        ------
        ValueError
            If shapes are not those of the layout, or numbers are not probabilities.
        """
        p = self._check_rows(p)
        weights = self._check_multiplicity(multiplicity)
        used = weights > 0
        if used.all():
            return self._project(p, weights, self.starts_, self.scales_, n_jobs)
        starts = np.append(0, np.cumsum(used))[self.starts_]
        scales, q = self.scales_[used], np.empty_like(p)
        q[used] = self._project(p[used], weights[used], starts, scales, n_jobs)
        self.scales_[used] = scales
        caps = _reduce(np.maximum, q[used], starts)
        caps[(self.prices_ == 0) | (np.diff(starts) == 0)] = np.inf
        q[~used] = _fill(p[~used], caps[self.layout_.groups[~used]])
        return q

    def _project(self, p, weights, starts, scales, n_jobs):
        """Project rows that all occur; ``scales`` become those reached."""
        n_phrases = len(self.prices_)
        q, values = np.empty_like(p), np.empty(n_phrases)
        gaps, routes = np.empty(n_phrases), np.empty(n_phrases, np.int64)

        def project(chunk):
            project_phrases(
                p,
                weights,
                starts,
                self.prices_,
                self.tol,
                *chunk,
                scales,
                q,
                values,
                gaps,
                routes,
            )

        cuts = np.searchsorted(starts, np.arange(0, len(p), _ROWS_PER_CHUNK))
        chunks = list(pairwise(np.unique([0, *cuts, n_phrases]).tolist()))
        with ThreadPoolExecutor(effective_n_jobs(n_jobs)) as pool:
            list(pool.map(project, chunks))
        self.values_, self.gaps_, self.routes_ = values, gaps, routes
        return q

    def _project_multipliers(self, dual):
        """Project the multipliers (N, K) of one model; thresholds rise to the root."""
        starts, prices = self.starts_, self.prices_[:, np.newaxis]
        given = np.maximum(dual, 0) * self._used()[:, np.newaxis]
        # Rounding must not move what is allowed already.
        allowed = prices * (1 + 16 * np.finfo(dual.dtype).eps)
        over = _reduce(np.add, given, starts) > allowed
        low = np.where(over, _reduce(np.maximum, given, starts) - prices, 0)
        sizes = np.diff(starts)
        while True:
            inside = given > np.repeat(low, sizes, axis=0)
            masses = np.maximum(_reduce(np.add, inside, starts), 1)
            found = (_reduce(np.add, given * inside, starts) - prices) / masses
            found = np.where(over, np.maximum(found, low), 0)
            if not (found > low).any():
                break
            low = found
        spread = np.repeat(low, sizes, axis=0)
        return np.maximum(given - spread, 0).astype(dual.dtype)

    def _used(self):
        """Which rows occur at all, (N,)."""
        return np.asarray(self.layout_.multiplicity) > 0

    def _check_rows(self, p):
        p = np.ascontiguousarray(p)
        shape = len(self.layout_.groups), self.layout_.n_states
        if p.shape != shape:
            raise ValueError(
                f"p must have a row for each of {shape[0]} rows and a column for each "
                f"of {shape[1]} categories, got an array of shape {p.shape}."
            )
        if p.size and not p.min() >= 0:
            raise ValueError(
                "p must hold probabilities, but the numbers range from "
                f"{p.min()} to {p.max()}."
            )
        wrong = ~(abs(p.sum(axis=1) - 1) <= 1e-3)
        if wrong.any():
            i = np.flatnonzero(wrong)[0]
            raise ValueError(
                f"p must hold probabilities, but row {i} sums to {p[i].sum()}, not 1."
            )
        return p if p.dtype in (np.float32, np.float64) else p.astype(np.float64)

    def _check_multiplicity(self, multiplicity):
        weights = np.asarray(multiplicity, dtype=np.float64)
        if weights.shape != self.layout_.groups.shape:
            raise ValueError(
                f"multiplicity must have a number for each of "
                f"{len(self.layout_.groups)} rows, got shape {weights.shape}."
            )
        if weights.size and not (weights.min() >= 0 and weights.max() < np.inf):
            raise ValueError(
                "multiplicity must be finite and not negative, but the numbers range "
                f"from {weights.min()} to {weights.max()}."
            )
        return weights


def _check_number(name, value):
    """Raise unless the value is a finite number, 0 or more."""
    is_number = isinstance(value, Real | Integral) and not isinstance(value, bool)
    if not is_number or not 0 <= value < np.inf:
        raise ValueError(f"{name} must be a finite number, 0 or more, got {value!r}.")


def _reduce(function, values, starts):
    """Reduce the rows of each phrase; zeros where it has none."""
    out = np.zeros((len(starts) - 1, values.shape[1]))
    filled = np.diff(starts) > 0
    if filled.any():
        out[filled] = function.reduceat(values, starts[:-1][filled], axis=0)
    return out


def _fill(p, caps):
    """Rows ``min(a p, caps)`` that sum to one, for rows of caps that sum to more."""
    p = np.maximum(p, 1e-12)
    scale = 1 / p.sum(axis=1, keepdims=True)
    for _ in range(p.shape[1]):
        capped = scale * p >= caps
        rest = 1 - np.where(capped, caps, 0).sum(axis=1, keepdims=True)
        free = np.where(capped, 0, p).sum(axis=1, keepdims=True)
        scale = np.maximum(scale, rest / np.maximum(free, 1e-300))
    q = np.minimum(scale * p, caps)
    return q / q.sum(axis=1, keepdims=True)

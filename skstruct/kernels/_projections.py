r"""Posteriors of phrases projected on the l1/l-infinity sparsity constraint.

For each phrase with rows i of multiplicity :math:`n_i`, exactly,

.. math:: \min_q \sum_i n_i \mathrm{KL}(q_i \| p_i) + \sigma \sum_z \max_i q_{iz}.
"""

import numpy as np
from numba import njit

from skstruct.kernels._projection_interior import project_interior
from skstruct.kernels._projection_newton import fit_caps, project_newton

__all__ = ["project_phrases"]

# Probabilities below are raised to it, and it is what zeros are taken for.
_FLOOR = 1e-12
_NEWTON_STEPS = 20
_INTERIOR_STEPS = 60


@njit(cache=True, nogil=True, error_model="numpy")
def _load(p):
    """Rows that are positive and sum to one, and their logs."""
    n, k = p.shape
    rows, logs = np.empty((n, k)), np.empty((n, k))
    for i in range(n):
        total = 0.0
        for z in range(k):
            rows[i, z] = max(p[i, z], _FLOOR)
            total += rows[i, z]
        for z in range(k):
            rows[i, z] /= total
            logs[i, z] = np.log(rows[i, z])
    return rows, logs


@njit(cache=True, nogil=True, error_model="numpy")
def _agree(log_p, weights, price, log_a, q):
    """Give all rows their weighted geometric mean, if that is optimal.

    It is if there are multipliers that sum to the price in every column: it must be at
    least the weighted sum of the log scales with which each row of p covers the mean.

    Returns
    -------
    optimal : bool
    value : float
    """
    n, k = log_p.shape
    total, mean, covers = 0.0, np.zeros(k), np.empty(n)
    for i in range(n):
        total += weights[i]
        for z in range(k):
            mean[z] += weights[i] * log_p[i, z]
    top = -np.inf
    for z in range(k):
        mean[z] /= total
        top = max(top, mean[z])
    mass = 0.0
    for z in range(k):
        mass += np.exp(mean[z] - top)
    log_mass = top + np.log(mass)
    spare = price - total * log_mass
    for i in range(n):
        covers[i] = -np.inf
        for z in range(k):
            covers[i] = max(covers[i], mean[z] - log_mass - log_p[i, z])
        spare -= weights[i] * covers[i]
    if spare < 0:
        return False, 0.0
    for i in range(n):
        log_a[i] = covers[i] + spare / total
        for z in range(k):
            q[i, z] = np.exp(mean[z] - log_mass)
    return True, price - total * log_mass


@njit(cache=True, nogil=True, error_model="numpy")
def _settle(p, log_p, weights, starts, prices, tol, log_a, q, values, gaps, routes):
    """Project what the closed form or Newton steps can; route 3 if they cannot."""
    log_c = np.empty(p.shape[1])
    for g in range(len(prices)):
        a, b, price = starts[g], starts[g + 1], prices[g]
        values[g], gaps[g], routes[g] = price * (b - a), 0.0, 0
        if b - a < 2 or price == 0:
            continue
        optimal, value = _agree(log_p[a:b], weights[a:b], price, log_a[a:b], q[a:b])
        values[g], routes[g] = value, 1
        if optimal:
            continue
        values[g], dual = project_newton(
            p[a:b],
            log_p[a:b],
            weights[a:b],
            price,
            tol,
            _NEWTON_STEPS,
            log_a[a:b],
            log_c,
            q[a:b],
        )
        gaps[g] = max(values[g] - dual, 0.0)
        routes[g] = 2 if gaps[g] <= tol * (1.0 + abs(dual)) else 3


@njit(cache=True, nogil=True, error_model="numpy")
def _finish(p, log_p, weights, starts, prices, tol, log_a, q, values, gaps, routes):
    """Project what is left, from where the Newton steps ended."""
    log_c = np.empty(p.shape[1])
    for g in range(len(prices)):
        if routes[g] != 3:
            continue
        a, b, price = starts[g], starts[g + 1], prices[g]
        fit_caps(log_p[a:b], weights[a:b], price, log_a[a:b], log_c)
        values[g], dual = project_interior(
            p[a:b],
            log_p[a:b],
            weights[a:b],
            price,
            tol,
            _INTERIOR_STEPS,
            (values[g], values[g] - gaps[g]),
            log_a[a:b],
            log_c,
            q[a:b],
        )
        gaps[g] = max(values[g] - dual, 0.0)


def project_phrases(
    p, weights, starts, prices, tol, first, last, log_a, q, values, gaps, routes
):
    """Project the phrases ``first`` to ``last - 1``, each by itself.

    Parameters
    ----------
    p : ndarray of shape (N, K)
        Posteriors. What is less than 1e-12 counts as 1e-12.
    weights : ndarray of shape (N,)
        Multiplicity of each row, positive.
    starts : ndarray of shape (G + 1,)
        Phrase g has the rows ``starts[g]`` to ``starts[g + 1] - 1``.
    prices : ndarray of shape (G,)
        Strength of the constraint; posteriors of phrases with 0 stay as they are.
    tol : float
        Gap to reach, as a share of one and the value.
    first, last : int
        Phrases to project; those of other calls may run in other threads.
    log_a : ndarray of shape (N,)
        Logs of row scales to start from; those that were reached.
    q : ndarray of shape (N, K)
        Gets the projected posteriors.
    values, gaps : ndarray of shape (G,)
        Get the least value of the problem and how far it may be above the true one.
    routes : ndarray of int64 of shape (G,)
        Gets what settled the phrase: 0 nothing to do, 1 all rows agree, 2 Newton steps,
        3 the interior point.
    """
    phrases, rows = slice(first, last), slice(starts[first], starts[last])
    # Copies of one kind, so that kernels are not compiled again for another dtype or
    # for arrays that are read-only.
    positive, log_p = _load(p[rows])
    own, projected = weights[rows].copy(), np.empty_like(positive)
    problem = (
        positive,
        log_p,
        own,
        starts[first : last + 1] - starts[first],
        prices[phrases],
        tol,
        log_a[rows],
        projected,
        values[phrases],
        gaps[phrases],
        routes[phrases],
    )
    # Two kernels compile in half the time of one that calls both solvers.
    _settle(*problem)
    if (routes[phrases] == 3).any():
        _finish(*problem)
    changed = np.repeat(routes[phrases] > 0, np.diff(starts[first : last + 1]))
    q[rows] = np.where(changed[:, np.newaxis], projected, p[rows])

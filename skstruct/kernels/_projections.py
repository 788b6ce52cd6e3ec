r"""Posteriors of phrases projected on the l1/l-infinity sparsity constraint.

For each phrase with rows i of multiplicity :math:`n_i`, exactly,

.. math:: \min_q \sum_i n_i \mathrm{KL}(q_i \| p_i) + \sigma \sum_z \max_i q_{iz}.
"""

import numpy as np
from numba import njit

from skstruct.kernels._projection_interior import project_interior
from skstruct.kernels._projection_newton import project_newton

__all__ = ["project_phrases"]

# Probabilities below are raised to it, and it is what zeros are taken for.
_FLOOR = 1e-12
_NEWTON_STEPS = 20
_INTERIOR_STEPS = 60


@njit(cache=True, nogil=True, error_model="numpy")
def _floored(p):
    """Rows of probabilities that are positive and sum to one, and their logs."""
    n, k = p.shape
    out, logs = np.empty((n, k)), np.empty((n, k))
    for i in range(n):
        total = 0.0
        for z in range(k):
            out[i, z] = max(p[i, z], _FLOOR)
            total += out[i, z]
        for z in range(k):
            out[i, z] /= total
            logs[i, z] = np.log(out[i, z])
    return out, logs


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
def _project(p, weights, price, tol, log_a, q):
    """Project a phrase; value, gap and route are those of ``project_phrases``."""
    p, log_p = _floored(p)
    optimal, value = _agree(log_p, weights, price, log_a, q)
    if optimal:
        return value, 0.0, 1
    log_c, route = np.empty(log_p.shape[1]), 2
    primal, dual = project_newton(
        p, log_p, weights, price, tol, _NEWTON_STEPS, log_a, log_c, q
    )
    if not primal - dual <= tol * (1.0 + abs(dual)):
        route = 3
        primal, dual = project_interior(
            p,
            log_p,
            weights,
            price,
            tol,
            _INTERIOR_STEPS,
            (primal, dual),
            log_a,
            log_c,
            q,
        )
    return primal, max(primal - dual, 0.0), route


@njit(cache=True, nogil=True, error_model="numpy")
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
    for g in range(first, last):
        a, b = starts[g], starts[g + 1]
        if b - a > 1 and prices[g] > 0:
            values[g], gaps[g], routes[g] = _project(
                p[a:b], weights[a:b], prices[g], tol, log_a[a:b], q[a:b]
            )
            continue
        values[g], gaps[g], routes[g] = prices[g] * (b - a), 0.0, 0
        for i in range(a, b):
            for z in range(p.shape[1]):
                q[i, z] = p[i, z]

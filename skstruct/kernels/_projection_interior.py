r"""The sparsity projection of one phrase by a primal-dual interior point.

Newton's method on the optimality conditions of
:math:`\min \sum_i n_i \mathrm{KL}(q_i \| p_i) + \sigma \sum_z c_z`, with slacks
:math:`s_{iz} = c_z - q_{iz}` and the products :math:`\lambda_{iz} s_{iz}` driven to 0:

.. math:: n_i (\log q_{iz} / p_{iz} + 1) + \lambda_{iz} + \nu_i = 0, \quad
    \sum_i \lambda_{iz} = \sigma, \quad \sum_z q_{iz} = 1.

Rows and multipliers are eliminated, which leaves a system in the caps.
"""

import numpy as np
from numba import njit

from skstruct.kernels._cholesky import factorise, solve_factorised
from skstruct.kernels._projection_newton import fill_rows

__all__ = ["project_interior"]

_TO_BOUNDARY = 0.99


@njit(cache=True, nogil=True, error_model="numpy")
def _dual(p, weights, price, multipliers, log_a):
    """Dual value of multipliers, scaled down until they are allowed; log scales."""
    n, k = p.shape
    dual, shares, offs = 0.0, np.empty(k), np.empty(k)
    for z in range(k):
        total = 0.0
        for i in range(n):
            total += multipliers[i, z]
        shares[z] = min(1.0, price / total)
    for i in range(n):
        least, total = np.inf, 0.0
        for z in range(k):
            offs[z] = multipliers[i, z] * shares[z] / weights[i]
            least = min(least, offs[z])
        for z in range(k):
            total += p[i, z] * np.exp(least - offs[z])
        log_a[i] = least - np.log(total)
        dual += weights[i] * log_a[i]
    return dual


@njit(cache=True, nogil=True, error_model="numpy")
def _assemble(q, weights, multipliers, slacks, curvature, sums, matrix):
    """Factorise the system in the caps; curvatures of cells and sums of their inverses.

    A cell has curvature ``h = n / q + lambda / s``.
    """
    n, k = q.shape
    pull = np.empty(k)
    for z in range(k):
        for y in range(k):
            matrix[z, y] = 0.0
    for i in range(n):
        sums[i] = 0.0
        for z in range(k):
            ratio = multipliers[i, z] / slacks[i, z]
            curvature[i, z] = weights[i] / q[i, z] + ratio
            sums[i] += 1.0 / curvature[i, z]
            pull[z] = ratio / curvature[i, z]
            matrix[z, z] += pull[z] * weights[i] / q[i, z]
        for z in range(k):
            share = pull[z] / sums[i]
            for y in range(z + 1):
                matrix[z, y] += share * pull[y]
    factorise(matrix)


@njit(cache=True, nogil=True, error_model="numpy")
def _direction(point, system, price, target, move, normals):
    """Direction in q, lambda and c towards products of ``target``.

    ``move`` is what an earlier direction made of (q, lambda, c), zeros at first: the
    product of its parts corrects the new one, which replaces it.
    """
    q, log_p, weights, multipliers, slacks, scales = point
    curvature, sums, factor = system
    dq, dl, dc = move
    n, k = q.shape
    right = np.empty(k)
    for z in range(k):
        right[z] = -price
    for i in range(n):
        total = -1.0
        for z in range(k):
            product = target - dl[i, z] * (dc[z] - dq[i, z])
            dl[i, z] = product / slacks[i, z] - multipliers[i, z]
            residual = weights[i] * (np.log(q[i, z]) - log_p[i, z] + 1.0)
            dq[i, z] = -residual - multipliers[i, z] - scales[i] - dl[i, z]
            total += q[i, z] + dq[i, z] / curvature[i, z]
        normals[i] = total / sums[i]
        for z in range(k):
            pull = multipliers[i, z] / slacks[i, z] / curvature[i, z]
            right[z] += multipliers[i, z] + dl[i, z] + pull * (dq[i, z] - normals[i])
    solve_factorised(factor, right)
    for z in range(k):
        dc[z] = right[z]
    for i in range(n):
        for z in range(k):
            pull = multipliers[i, z] / slacks[i, z] / curvature[i, z]
            normals[i] += pull * dc[z] / sums[i]
        for z in range(k):
            ratio = multipliers[i, z] / slacks[i, z]
            dq[i, z] = (dq[i, z] + ratio * dc[z] - normals[i]) / curvature[i, z]
            dl[i, z] -= ratio * (dc[z] - dq[i, z])


@njit(cache=True, nogil=True, error_model="numpy")
def _lengths(q, multipliers, slacks, move):
    """Longest steps of the primal and of the dual that keep all positive."""
    dq, dl, dc = move
    primal = dual = 1.0
    for i in range(len(q)):
        for z in range(len(dc)):
            ds = dc[z] - dq[i, z]
            if dq[i, z] < 0:
                primal = min(primal, -_TO_BOUNDARY * q[i, z] / dq[i, z])
            if ds < 0:
                primal = min(primal, -_TO_BOUNDARY * slacks[i, z] / ds)
            if dl[i, z] < 0:
                dual = min(dual, -_TO_BOUNDARY * multipliers[i, z] / dl[i, z])
    return primal, dual


@njit(cache=True, nogil=True, error_model="numpy")
def _centring(multipliers, slacks, move, lengths):
    """Mean product to aim at, by how far the direction alone would bring it down."""
    dq, dl, dc = move
    primal, dual = lengths
    now = reached = 0.0
    for i in range(len(multipliers)):
        for z in range(len(dc)):
            s, m = slacks[i, z], multipliers[i, z]
            now += m * s
            reached += (m + dual * dl[i, z]) * (s + primal * (dc[z] - dq[i, z]))
    return now / multipliers.size * min(0.5, (reached / now) ** 3)


@njit(cache=True, nogil=True, error_model="numpy")
def _advance(point, move, normals, lengths):
    """Go along the direction, so far that all that is positive stays so."""
    q, _, _, multipliers, slacks, scales = point
    dq, dl, dc = move
    primal, dual = lengths
    for i in range(len(q)):
        scales[i] += dual * normals[i]
        for z in range(len(dc)):
            q[i, z] += primal * dq[i, z]
            slacks[i, z] += primal * (dc[z] - dq[i, z])
            multipliers[i, z] += dual * dl[i, z]


@njit(cache=True, nogil=True, error_model="numpy")
def _start(log_p, weights, log_a, log_c, target):
    """A point near given scales and caps with products of about ``target``.

    A cell stays as far below its cap as it is; a capped one goes below it by what its
    multiplier asks for, or by the distance at which the multiplier that this gives it
    is the right one.
    """
    n, k = log_p.shape
    q, multipliers, slacks = np.empty((n, k)), np.empty((n, k)), np.empty((n, k))
    scales = np.empty(n)
    for i in range(n):
        scales[i] = -weights[i] * (1.0 + log_a[i])
        for z in range(k):
            cap, over = np.exp(log_c[z]), log_a[i] + log_p[i, z] - log_c[z]
            slack = min(np.sqrt(target * cap / weights[i]), 0.5 * cap)
            if over > 0:
                slack = min(slack, target / (weights[i] * over))
            else:
                slack = max(slack, -np.expm1(over) * cap)
            q[i, z], slacks[i, z] = cap - slack, slack
            multipliers[i, z] = target / slack
    return q, multipliers, slacks, scales


@njit(cache=True, nogil=True, error_model="numpy")
def _copy(given, out):
    for i in range(given.shape[0]):
        for z in range(given.shape[1]):
            out[i, z] = given[i, z]


@njit(cache=True, nogil=True, error_model="numpy")
def project_interior(p, log_p, weights, price, tol, max_iter, best, log_a, log_c, q):
    """Improve a projection until its gap is small, or for ``max_iter`` steps.

    Parameters
    ----------
    p, log_p : ndarray of shape (n, k)
        Posteriors, positive.
    weights : ndarray of shape (n,)
        Multiplicities, positive.
    price : float
        What a unit of the caps costs.
    tol : float
        Gap to reach, as a share of one and the value.
    max_iter : int
        Number of steps.
    best : (primal, dual)
        Values reached before.
    log_a, q : ndarray of shapes (n,) and (n, k)
        Log scales and projection that belong to them; replaced by better ones.

    Returns
    -------
    primal, dual : float
    """
    n, k = p.shape
    primal, dual = best
    point_q, multipliers, slacks, scales = _start(
        log_p, weights, log_a, log_c, (primal - dual) / (n * k)
    )
    curvature, sums = np.empty((n, k)), np.empty(n)
    factor, normals = np.empty((k, k)), np.empty(n)
    tried, tried_a, caps = np.empty((n, k)), np.empty(n), np.empty(k)
    for _ in range(max_iter):
        for z in range(k):
            caps[z] = point_q[0, z] + slacks[0, z]
        reached = fill_rows(p, log_p, weights, price, caps, tried)
        if reached < primal:
            primal = reached
            _copy(tried, q)
        reached = _dual(p, weights, price, multipliers, tried_a)
        if reached > dual:
            dual = reached
            for i in range(n):
                log_a[i] = tried_a[i]
        if primal - dual <= tol * (1.0 + abs(dual)):
            break
        _assemble(point_q, weights, multipliers, slacks, curvature, sums, factor)
        point = point_q, log_p, weights, multipliers, slacks, scales
        system = curvature, sums, factor
        move = np.zeros((n, k)), np.zeros((n, k)), np.zeros(k)
        target = 0.0
        for corrected in range(2):
            _direction(point, system, price, target, move, normals)
            lengths = _lengths(point_q, multipliers, slacks, move)
            if corrected == 0:
                target = _centring(multipliers, slacks, move, lengths)
        _advance(point, move, normals, lengths)
    return primal, dual

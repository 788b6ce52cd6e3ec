r"""The sparsity projection of one phrase by semismooth Newton steps.

With a scale :math:`a_i` of each row and a cap :math:`c_z` of each column the optimum is
:math:`q_{iz} = \min(a_i p_{iz}, c_z)`, and its multipliers are
:math:`\lambda_{iz} = n_i (\log a_i p_{iz} - \log c_z)_+`. Two conditions are left:
multipliers of a column sum to the price (``fit_caps``), and rows sum to one.

Everything is in terms of a, p and c, so a pass costs exponentials of rows and of
columns, not of cells.
"""

import numpy as np
from numba import njit

from skstruct.kernels._cholesky import factorise, solve_factorised

__all__ = ["evaluate", "fit_caps", "project_newton"]

# A row without free cells gives Newton nothing to divide by; the step that comes of the
# floor is only a proposal.
_LEAST_FREE = 1e-9
_LONGEST = 20.0


@njit(cache=True, nogil=True, error_model="numpy")
def fit_caps(log_p, weights, price, log_a, log_c):
    """Caps with ``sum_i n_i (log a_i p_iz - log c_z)_+ = price``, written to log_c.

    The sum is convex and piecewise linear in ``log c_z``. Newton's method from a point
    below the solution rises, and is there when no row drops out: no sorting.
    """
    n, k = log_p.shape
    for z in range(k):
        log_c[z] = -np.inf
    for i in range(n):
        below = log_a[i] - price / weights[i]
        for z in range(k):
            log_c[z] = max(log_c[z], log_p[i, z] + below)
    heights, masses = np.empty(k), np.empty(k)
    for _ in range(n):
        for z in range(k):
            heights[z], masses[z] = -price, 0.0
        for i in range(n):
            w, a = weights[i], log_a[i]
            for z in range(k):
                x = a + log_p[i, z]
                inside = w if x > log_c[z] else 0.0
                heights[z] += inside * x
                masses[z] += inside
        moved = False
        for z in range(k):
            found = heights[z] / masses[z] if masses[z] > 0 else log_c[z]
            moved |= found > log_c[z] + 1e-14 * (1.0 + abs(log_c[z]))
            log_c[z] = max(log_c[z], found)
        if not moved:
            break


@njit(cache=True, nogil=True, error_model="numpy")
def evaluate(p, log_p, weights, price, log_a, log_c, log_sums):
    """Primal and dual value of caps that fit the scales; logs of rows' sums.

    The primal is that of the rows divided by their sums, the dual that of the caps'
    multipliers.
    """
    n, k = p.shape
    caps, tops = np.empty(k), np.zeros(k)
    for z in range(k):
        caps[z] = np.exp(log_c[z])
    primal = dual = 0.0
    for i in range(n):
        a, total, divergence = np.exp(log_a[i]), 0.0, 0.0
        for z in range(k):
            mass = a * p[i, z]
            if mass > caps[z]:
                divergence += caps[z] * (log_c[z] - log_p[i, z])
                total += caps[z]
            else:
                divergence += mass * log_a[i]
                total += mass
        log_sums[i] = np.log(total)
        primal += weights[i] * (divergence / total - log_sums[i])
        dual += weights[i] * (log_a[i] - log_sums[i])
        for z in range(k):
            tops[z] = max(tops[z], min(a * p[i, z], caps[z]) / total)
    for z in range(k):
        primal += price * tops[z]
    return primal, dual


@njit(cache=True, nogil=True, error_model="numpy")
def _step(p, weights, log_a, log_c, step):
    """Newton's step of the log scales, for caps that go on fitting them.

    With C_z the rows capped at z, f_i the free mass and r_i what the row lacks,
    ``f_i da_i + sum_{z: i in C_z} dc_z = r_i`` and
    ``sum_{i in C_z} n_i da_i = N_z dc_z / c_z``; rows eliminated, a symmetric system
    in dc is left.
    """
    n, k = p.shape
    caps, change, matrix = np.empty(k), np.zeros(k), np.zeros((k, k))
    free, capped = np.empty(n), np.empty(k, np.int64)
    for z in range(k):
        caps[z] = np.exp(log_c[z])
    for i in range(n):
        a, bound, n_capped = np.exp(log_a[i]), 0.0, 0
        free[i] = 0.0
        for z in range(k):
            if a * p[i, z] > caps[z]:
                bound += caps[z]
                capped[n_capped] = z
                n_capped += 1
            else:
                free[i] += a * p[i, z]
        step[i] = 1.0 - bound - free[i]
        free[i] = max(free[i], _LEAST_FREE)
        w = weights[i] / free[i]
        for j in range(n_capped):
            z = capped[j]
            matrix[z, z] += weights[i] / caps[z]
            change[z] += w * step[i]
            for m in range(j + 1):
                matrix[z, capped[m]] += w
    for z in range(k):
        if matrix[z, z] == 0.0:
            matrix[z, z] = 1.0
    factorise(matrix)
    solve_factorised(matrix, change)
    for i in range(n):
        a = np.exp(log_a[i])
        for z in range(k):
            if a * p[i, z] > caps[z]:
                step[i] -= change[z]
        step[i] = max(-_LONGEST, min(_LONGEST, step[i] / free[i]))


@njit(cache=True, nogil=True, error_model="numpy")
def project_newton(p, log_p, weights, price, tol, n_steps, best, log_a, q):
    """At most ``n_steps`` Newton steps from the scales ``log_a``, which they change.

    Each is a proposal beside dividing the rows by their sums, the exact maximum of the
    dual in the scales, which never lowers it; it is taken if it is better than that.

    ``best`` holds primal and dual values reached before; ``q`` is replaced by what has
    a better primal.

    Returns
    -------
    primal, dual : float
    """
    n, k = p.shape
    log_c, log_sums = np.empty(k), np.empty(n)
    fit_caps(log_p, weights, price, log_a, log_c)
    primal, dual = evaluate(p, log_p, weights, price, log_a, log_c, log_sums)
    step, tried, tried_c = np.empty(n), np.empty(n), np.empty(k)
    tried_sums = np.empty(n)
    for _ in range(n_steps):
        if primal - dual <= tol * (1.0 + abs(dual)):
            break
        for i in range(n):
            log_a[i] -= log_sums[i]
        fit_caps(log_p, weights, price, log_a, log_c)
        primal, dual = evaluate(p, log_p, weights, price, log_a, log_c, log_sums)
        _step(p, weights, log_a, log_c, step)
        for _ in range(4):
            for i in range(n):
                tried[i] = log_a[i] + step[i]
            fit_caps(log_p, weights, price, tried, tried_c)
            values = evaluate(p, log_p, weights, price, tried, tried_c, tried_sums)
            if values[1] > dual:
                primal, dual = values
                for i in range(n):
                    log_a[i], log_sums[i] = tried[i], tried_sums[i]
                for z in range(k):
                    log_c[z] = tried_c[z]
                break
            for i in range(n):
                step[i] *= 0.25
    if primal < best[0]:
        for i in range(n):
            for z in range(k):
                q[i, z] = np.exp(min(log_a[i] + log_p[i, z], log_c[z]) - log_sums[i])
    return min(primal, best[0]), max(dual, best[1])

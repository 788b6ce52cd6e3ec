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

__all__ = ["evaluate", "fill_rows", "fit_caps", "project_newton"]

# Rows are not below p where they are not capped, so scales are 1 or more; and unless
# all rows agree each has a free cell, of 1e-12 at least before and 1 at most after.
_LARGEST = 28.0
# Added to the free mass of rows, of which a capped row has none to divide by.
_LEAST_RIDGE = 1e-12
_ATTEMPTS = 6


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
def fill_rows(p, log_p, weights, price, caps, q):
    """Rows ``min(a_i p_iz, c_z)`` that sum to one, and their primal value.

    Unlike a division by the sum it keeps light rows, whose scales matter little to the
    dual, from going over the caps. Caps that sum to less than one are enlarged.
    """
    n, k = p.shape
    room, primal = 0.0, 0.0
    for z in range(k):
        room += caps[z]
    for z in range(k):
        caps[z] *= max(1.0, 1.0 / room)
        primal += price * caps[z]
    for i in range(n):
        a = 1.0
        for _ in range(k):
            rest, free = 1.0, 0.0
            for z in range(k):
                if a * p[i, z] >= caps[z]:
                    rest -= caps[z]
                else:
                    free += p[i, z]
            if rest <= a * free or free == 0.0:
                break
            a = rest / free
        for z in range(k):
            q[i, z] = min(a * p[i, z], caps[z])
            primal += weights[i] * q[i, z] * (np.log(q[i, z]) - log_p[i, z])
    return primal


@njit(cache=True, nogil=True, error_model="numpy")
def _step(p, weights, log_a, log_c, ridge, step):
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
        free[i] += ridge
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
        step[i] /= free[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _move(log_a, step, out):
    """Scales after a step, within what the best ones can be."""
    for i in range(len(log_a)):
        out[i] = max(0.0, min(_LARGEST, log_a[i] + step[i]))


@njit(cache=True, nogil=True, error_model="numpy")
def project_newton(p, log_p, weights, price, tol, max_iter, log_a, log_c, q):
    """Project by Newton steps from the scales ``log_a``, at most ``max_iter``.

    Each step is a proposal beside dividing the rows by their sums, the exact maximum of
    the dual in the scales, which never lowers it; it is taken if it is better than
    that, else tried again, shorter, with a larger ridge.

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
    log_a : ndarray of shape (n,)
        Log scales to start from; those that were reached.
    log_c, q : ndarray of shapes (k,) and (n, k)
        Get the log caps and the projection that belong to them.

    Returns
    -------
    primal, dual : float
    """
    n, k = p.shape
    sums, step, ridge = np.empty(n), np.zeros(n), _LEAST_RIDGE
    tried, tried_c, tried_sums = np.empty(n), np.empty(k), np.empty(n)
    _move(log_a, step, log_a)
    fit_caps(log_p, weights, price, log_a, log_c)
    primal, dual = evaluate(p, log_p, weights, price, log_a, log_c, sums)
    for _ in range(max_iter):
        if primal - dual <= tol * (1.0 + abs(dual)):
            break
        for i in range(n):
            step[i] = -sums[i]
        _move(log_a, step, log_a)
        fit_caps(log_p, weights, price, log_a, log_c)
        primal, dual = evaluate(p, log_p, weights, price, log_a, log_c, sums)
        for attempt in range(_ATTEMPTS):
            _step(p, weights, log_a, log_c, ridge, step)
            _move(log_a, step, tried)
            fit_caps(log_p, weights, price, tried, tried_c)
            values = evaluate(p, log_p, weights, price, tried, tried_c, tried_sums)
            if values[1] > dual:
                primal, dual = values
                for i in range(n):
                    log_a[i], sums[i] = tried[i], tried_sums[i]
                for z in range(k):
                    log_c[z] = tried_c[z]
                if attempt == 0:
                    ridge = max(ridge * 1e-3, _LEAST_RIDGE)
                break
            ridge = min(ridge * 30.0, 1.0)
    for i in range(n):
        for z in range(k):
            q[i, z] = np.exp(min(log_a[i] + log_p[i, z], log_c[z]) - sums[i])
    return primal, dual

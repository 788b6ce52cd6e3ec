"""The game at one node under any costs: a convex problem on the simplex."""

import numpy as np
from numba import njit

__all__ = ["move_mass", "predictor_costs", "weighted_rows"]

# Gap at which p is the optimum, and what rounding p may add for costs of 1.
_GAP, _ROUNDING = 1e-9, 1e-15
# When labels in use cost alike: share of what another label would save.
_ALIKE = 0.1
# A bound on Newton steps; less than one is common.
_STEPS_PER_LABEL = 20
# A line search ends when this share of the slope is left.
_SLOPE = 1e-3
# Sums of finite numbers only: their order is free.
_FAST = {"reassoc", "contract"}


@njit(cache=True, nogil=True, error_model="numpy")
def weighted_rows(w, cost, p, out):
    """Set out (K,) to w cost^T p."""
    out[:] = 0.0
    for a in range(len(p)):
        if p[a] != 0.0:
            for k in range(len(p)):
                out[k] += w * p[a] * cost[a, k]


@njit(cache=True, nogil=True, fastmath=_FAST)
def predictor_costs(cost, r, out):
    """Set out (K,) to cost r."""
    for a in range(len(r)):
        out[a] = _dot(cost[a], r, len(r))


@njit(cache=True, nogil=True, fastmath=_FAST)
def _dot(x, y, n):
    total = 0.0
    for k in range(n):
        total += x[k] * y[k]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def move_mass(m, w, cost, p, work):
    """Minimise logsumexp(m + w cost^T p) over the simplex, from p, in place.

    Newton steps settle how much is on each label in use, and drop labels. Once these
    labels cost alike, compared with what the cheapest of all would save, it joins
    them. So no set of labels comes back, however nearly flat the problem is. A uniform
    p knows nothing, and most optima are sparse: there the cheapest label is the start.
    """
    logs, r, costs = work[0], work[1], work[2]
    K = len(m)
    direction, curvature = np.empty(K), np.empty((K, K))
    if p.min() == p.max():
        best = _respond(m, w, cost, p, logs, r, costs)[0]
        p[:] = 0.0
        p[best] = 1.0
    for _ in range(_STEPS_PER_LABEL * K):
        best, low, high, gap = _respond(m, w, cost, p, logs, r, costs)
        if w * gap <= _GAP + _ROUNDING * (w * costs[high]) ** 2:
            return
        moved, target = 0.0, low
        if costs[high] - costs[low] <= _ALIKE * (costs[high] - costs[best]):
            target = best
        else:
            _newton(w, cost, p, r, costs, direction, curvature)
            moved = _descend(w, cost, p, logs, direction, r, costs)
        if moved == 0.0:
            direction[:] = 0.0
            direction[target], direction[high] = 1.0, -1.0
            moved = _descend(w, cost, p, logs, direction, r, costs)
        if moved == 0.0:
            return


@njit(cache=True, nogil=True, error_model="numpy")
def _respond(m, w, cost, p, logs, r, costs):
    """The adversary's answer r to p, and what labels cost under it.

    Returns the cheapest label, the cheapest and the costliest in use, and the gap.
    """
    weighted_rows(w, cost, p, logs)
    top = -np.inf
    for k in range(len(m)):
        logs[k] += m[k]
        top = max(top, logs[k])
    total = 0.0
    for k in range(len(m)):
        r[k] = np.exp(logs[k] - top)
        total += r[k]
    for k in range(len(m)):
        r[k] /= total
    predictor_costs(cost, r, costs)
    best, low, high, mean = 0, -1, -1, 0.0
    for a in range(len(m)):
        mean += p[a] * costs[a]
        if costs[a] < costs[best]:
            best = a
        if p[a] > 0.0 and (low < 0 or costs[a] < costs[low]):
            low = a
        if p[a] > 0.0 and (high < 0 or costs[a] > costs[high]):
            high = a
    return best, low, high, mean - costs[best]


@njit(cache=True, nogil=True, error_model="numpy")
def _newton(w, cost, p, r, costs, direction, curvature):
    """Set the direction to the Newton step on the labels in use, at least two.

    The main label gives what the others take, which keeps the sum and the curvature
    well conditioned. In units of w, the gradient is how much more than the main label
    the others cost under r, and the curvature w times the covariance of these
    differences.
    """
    main = np.argmax(p)
    n = -1
    for a in range(len(p)):
        n += p[a] > 0.0
    others, step, rows = np.empty(n, np.intp), np.empty(n), np.empty((n, len(p)))
    i = 0
    for a in range(len(p)):
        if p[a] > 0.0 and a != main:
            others[i], step[i] = a, costs[main] - costs[a]
            i += 1
    for k in range(len(p)):
        root = np.sqrt(w * r[k])
        for i in range(n):
            rows[i, k] = root * (cost[others[i], k] - cost[main, k] + step[i])
    largest = 0.0
    for i in range(n):
        for j in range(i + 1):
            curvature[i, j] = _dot(rows[i], rows[j], len(p))
        largest = max(largest, curvature[i, i])
    _solve(curvature, step, 1e-14 * largest + 1e-300)
    direction[:] = 0.0
    for i in range(n):
        direction[others[i]] = step[i]
        direction[main] -= step[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(lower, x, ridge):
    """Replace x by (A + ridge)^-1 x; the lower triangle of A becomes its factor."""
    for i in range(len(x)):
        for j in range(i):
            lower[i, j] = (lower[i, j] - _dot(lower[i], lower[j], j)) / lower[j, j]
        square = lower[i, i] - _dot(lower[i], lower[i], i)
        lower[i, i] = np.sqrt(max(square, 0.0) + ridge)
        x[i] = (x[i] - _dot(lower[i], x, i)) / lower[i, i]
    for i in range(len(x) - 1, -1, -1):
        x[i] /= lower[i, i]
        for j in range(i):
            x[j] -= lower[i, j] * x[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _descend(w, cost, p, logs, direction, r, slopes):
    """Move p to the minimum along the direction in the simplex; how far it was."""
    most, emptied = np.inf, -1
    for a in range(len(p)):
        if p[a] < -most * direction[a]:
            most, emptied = -p[a] / direction[a], a
    if emptied < 0:
        return 0.0
    weighted_rows(w, cost, direction, slopes)
    x = _line_search(logs, slopes, most, r)
    total = 0.0
    for a in range(len(p)):
        p[a] = max(p[a] + x * direction[a], 0.0)
        if x == most and a == emptied:
            p[a] = 0.0
        total += p[a]
    for a in range(len(p)):
        p[a] /= total
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def _line_search(logs, slopes, most, r):
    """The x in [0, most] that minimises logsumexp(logs + x slopes); r is its start's.

    Newton on the derivative, which rises, with bisection where it leaves the bracket.
    """
    enough = -_SLOPE * _dot(r, slopes, len(r))
    if enough <= 0.0:
        return 0.0
    x, low, high, bounded = min(most, 1.0), 0.0, most, False
    for _ in range(60):
        mean, spread = _tilt(logs, slopes, x)
        if abs(mean) <= enough or (x == most and mean < 0.0):
            break
        if mean > 0.0:
            high, bounded = x, True
        else:
            low = x
        x -= mean / spread
        if not (bounded or x < most):
            x = most
        elif not low < x < high:
            x = 0.5 * (low + high)
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def _tilt(logs, slopes, x):
    """Mean and variance of the slopes under softmax(logs + x slopes)."""
    top = -np.inf
    for k in range(len(logs)):
        top = max(top, logs[k] + x * slopes[k])
    total, mean, square = 0.0, 0.0, 0.0
    for k in range(len(logs)):
        mass = np.exp(logs[k] + x * slopes[k] - top)
        total += mass
        mean += mass * slopes[k]
        square += mass * slopes[k] ** 2
    mean /= total
    return mean, square / total - mean * mean

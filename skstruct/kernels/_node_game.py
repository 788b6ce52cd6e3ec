"""The game of predictor and adversary at one node, inside message passing."""

from typing import NamedTuple

import numpy as np
from numba import njit

__all__ = [
    "ABSOLUTE",
    "GENERAL",
    "SQUARED",
    "ZERO_ONE",
    "Game",
    "augment_node",
    "augmentation",
    "bayes_risks",
    "expected_costs",
    "update_node",
]

ZERO_ONE, ABSOLUTE, SQUARED, GENERAL = range(4)

# The general update moves mass between two labels until the gap is below this.
_GAP = 1e-9
_MOVES_PER_LABEL = 50


class Game(NamedTuple):
    """What predictor and adversary play for at every node.

    Attributes
    ----------
    kind : int
        ZERO_ONE, ABSOLUTE, SQUARED or GENERAL: how nodes are solved.
    cost : ndarray of shape (C, K, K)
        Tables of ``cost[predicted, adversary]``.
    index : ndarray of shape (N,)
        Table of each node.
    weight : ndarray of shape (N,)
        Factor for the costs of each node, not negative.
    values : ndarray of shape (K,)
        Rising positions of the labels on a line, for ABSOLUTE and SQUARED.
    """

    kind: int
    cost: np.ndarray
    index: np.ndarray
    weight: np.ndarray
    values: np.ndarray


@njit(cache=True, nogil=True, error_model="numpy")
def update_node(kind, m, w, cost, values, p, work):
    """Set p to the argmin over the simplex of logsumexp(m + w cost^T p), in place.

    m (K,): log-potentials of the node and its messages, without the node's own game;
    -inf forbids a label to the adversary. w >= 0. cost (K, K), C-contiguous:
    ``cost[predicted, adversary]``. values (K,): read by ABSOLUTE and SQUARED. p (K,):
    a distribution, where GENERAL starts. work (3, K) is overwritten. Nothing is done
    where w = 0 or all labels are forbidden.
    """
    top = m.max()
    if w <= 0.0 or top == -np.inf:
        return
    if len(p) == 1:
        p[0] = 1.0
    elif kind == ZERO_ONE:
        if cost[0, 1] > 0.0:
            _project(m, top, w * cost[0, 1], p)
    elif kind == ABSOLUTE:
        _balance_absolute(m, w, values, p, work[0])
    elif kind == SQUARED:
        _balance_squared(m, w, values, p)
    else:
        _move_mass(m, w, cost, p, work)


@njit(cache=True, nogil=True, error_model="numpy")
def augment_node(kind, w, cost, p, out):
    """Set out (K,) to w cost^T p: what the adversary gains by each label."""
    if kind == ZERO_ONE and len(p) > 1:
        scale = w * cost[0, 1]
        for k in range(len(p)):
            out[k] = scale * (1.0 - p[k])
        return
    out[:] = 0.0
    for a in range(len(p)):
        if p[a] != 0.0:
            for k in range(len(p)):
                out[k] += w * p[a] * cost[a, k]


def augmentation(game, predictor):
    """Rows w_i cost^T p_i, (N, K): the potentials that the game adds to the nodes."""
    out = np.empty(predictor.shape)
    _augment_nodes(game.kind, game.cost, game.index, game.weight, predictor, out)
    return out


def bayes_risks(game, node):
    """w_i min_a (cost r_i)_a, (N,), of distributions ``node`` (N, K) of the labels."""
    return game.weight * _label_costs(game, node).min(axis=1)


def expected_costs(game, predictor, node):
    """w_i p_i^T cost r_i, (N,), of distributions ``node`` (N, K) of the labels."""
    return game.weight * np.einsum("ik,ik->i", predictor, _label_costs(game, node))


def _label_costs(game, node):
    """Rows cost r_i, (N, K): expected cost of each prediction."""
    if game.kind == ZERO_ONE and node.shape[1] > 1:
        scale = game.cost[game.index, 0, 1][:, None]
        return scale * (node.sum(axis=1, keepdims=True) - node)
    if len(game.cost) == 1:
        return node @ game.cost[0].T
    out = np.empty(node.shape)
    _apply_tables(game.cost, game.index, node, out)
    return out


@njit(cache=True, nogil=True)
def _augment_nodes(kind, cost, index, weight, predictor, out):
    for i in range(len(index)):
        augment_node(kind, weight[i], cost[index[i]], predictor[i], out[i])


@njit(cache=True, nogil=True)
def _apply_tables(cost, index, node, out):
    for i in range(len(index)):
        _predictor_costs(cost[index[i]], node[i], out[i])


@njit(cache=True, nogil=True)
def _predictor_costs(cost, r, out):
    """Set out (K,) to cost r."""
    for a in range(len(r)):
        total = 0.0
        for k in range(len(r)):
            total += cost[a, k] * r[k]
        out[a] = total


@njit(cache=True, nogil=True, error_model="numpy")
def _project(m, top, scale, p):
    """Euclidean projection of m / scale on the simplex.

    The threshold rises until the labels above it no longer change. Distances to the
    top keep it finite for any m and scale.
    """
    tau, n_above = -1.0, -1
    while True:
        total, n = 0.0, 0
        for k in range(len(m)):
            x = (m[k] - top) / scale
            if x > tau:
                total += x
                n += 1
        tau = (total - 1.0) / n
        if n == n_above:
            break
        n_above = n
    total = 0.0
    for k in range(len(m)):
        p[k] = max((m[k] - top) / scale - tau, 0.0)
        total += p[k]
    for k in range(len(m)):
        p[k] /= total


@njit(cache=True, nogil=True, error_model="numpy")
def _logaddexp(a, b):
    top, low = max(a, b), min(a, b)
    return top if low <= top - 40.0 else top + np.log1p(np.exp(low - top))


@njit(cache=True, nogil=True, error_model="numpy")
def _put(p, a, t):
    """Put 1 - t on label a and t on the next."""
    p[:] = 0.0
    p[a] = 1.0 - t
    if t > 0.0:
        p[a + 1] = t


@njit(cache=True, nogil=True, error_model="numpy")
def _balance_absolute(m, w, values, p, upper):
    """Weigh the labels above a point of the line against those up to it.

    The point lies where both log-masses, each with its costs, are equal: moving it by
    t to the right takes w t from the one and gives w t to the other.
    """
    last = len(m) - 1
    upper[last] = -np.inf
    for a in range(last - 1, -1, -1):
        step = w * (values[a + 1] - values[a])
        upper[a] = step + _logaddexp(m[a + 1], upper[a + 1])
    lower = m[0]
    for a in range(last):
        step = w * (values[a + 1] - values[a])
        excess = upper[a] - lower
        if excess < 2.0 * step:
            _put(p, a, max(excess, 0.0) / (2.0 * step))
            return
        lower = _logaddexp(lower + step, m[a + 1])
    _put(p, last, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _log_odds(m, w, values, a, point):
    """How far the adversary's mean is above the middle of labels a and a + 1.

    With r_y proportional to exp(m_y + w (v_y - point)^2), the log of the moment of r
    above the middle minus that of the moment below it, and the derivative by point.
    """
    middle = 0.5 * (values[a] + values[a + 1])
    logs, slopes = (-np.inf, -np.inf), (0.0, 0.0)
    for side in range(2):
        first, stop = (0, a + 1) if side == 0 else (a + 1, len(m))
        top = -np.inf
        for y in range(first, stop):
            top = max(top, m[y] + w * (values[y] - point) ** 2)
        moment, second = 0.0, 0.0
        if top > -np.inf:
            for y in range(first, stop):
                r = np.exp(m[y] + w * (values[y] - point) ** 2 - top)
                x = r * abs(values[y] - middle)
                moment += x
                second += x * values[y]
            log, slope = top + np.log(moment), second / moment
        else:
            log, slope = -np.inf, 0.0
        if side == 0:
            logs, slopes = (log, logs[1]), (slope, slopes[1])
        else:
            logs, slopes = (logs[0], log), (slopes[0], slope)
    return logs[1] - logs[0], -2.0 * w * (slopes[1] - slopes[0])


@njit(cache=True, nogil=True, error_model="numpy")
def _balance_squared(m, w, values, p):
    """Find the point of the line at which the adversary's mean is in its middle.

    The mean falls as the point rises. Bisection finds the first label at which the
    mean is not above the middle of that label and the next; safeguarded Newton the
    point between it and the label before.
    """
    first, last = 0, len(m) - 1
    while first < last:
        a = (first + last) // 2
        if _log_odds(m, w, values, a, values[a])[0] <= 0.0:
            last = a
        else:
            first = a + 1
    a = first - 1
    if a < 0 or _log_odds(m, w, values, a, values[first])[0] >= 0.0:
        _put(p, first, 0.0)
        return
    gap = values[first] - values[a]
    low, high, t = 0.0, 1.0, 0.5
    for _ in range(60):
        odds, slope = _log_odds(m, w, values, a, values[a] + t * gap)
        if odds > 0.0:
            low = t
        else:
            high = t
        step = t - odds / (slope * gap)
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - t) <= 1e-15:
            break
        t = step
    _put(p, a, t)


@njit(cache=True, nogil=True, error_model="numpy")
def _tilt(logs, direction, x, r):
    """Set r to softmax(logs + x direction); mean and variance of the direction."""
    top = -np.inf
    for k in range(len(r)):
        r[k] = logs[k] + x * direction[k]
        top = max(top, r[k])
    total, mean, square = 0.0, 0.0, 0.0
    for k in range(len(r)):
        r[k] = np.exp(r[k] - top)
        total += r[k]
        mean += r[k] * direction[k]
        square += r[k] * direction[k] ** 2
    for k in range(len(r)):
        r[k] /= total
    mean /= total
    return mean, square / total - mean * mean


@njit(cache=True, nogil=True, error_model="numpy")
def _move_mass(m, w, cost, p, work):
    """Move mass from the costliest label in use to the cheapest, again and again."""
    logs, r, direction = work[0], work[1], work[2]
    K = len(m)
    for _ in range(_MOVES_PER_LABEL * K):
        augment_node(GENERAL, w, cost, p, logs)
        for k in range(K):
            logs[k] += m[k]
        direction[:] = 0.0
        _tilt(logs, direction, 0.0, r)
        low, high, best, worst, mean = np.inf, -np.inf, 0, 0, 0.0
        for a in range(K):
            total = 0.0
            for k in range(K):
                total += cost[a, k] * r[k]
            mean += p[a] * total
            if total < low:
                low, best = total, a
            if p[a] > 0.0 and total > high:
                high, worst = total, a
        if best == worst or w * (mean - low) <= _GAP:
            return
        for k in range(K):
            direction[k] = w * (cost[best, k] - cost[worst, k])
        moved = _line_search(logs, direction, p[worst], r)
        p[best] += moved
        p[worst] -= moved


@njit(cache=True, nogil=True, error_model="numpy")
def _line_search(logs, direction, most, r):
    """The x in [0, most] that minimises logsumexp(logs + x direction)."""
    mean, spread = _tilt(logs, direction, most, r)
    if mean <= 0.0:
        return most
    low, high = 0.0, most
    x = most
    for _ in range(60):
        step = x - mean / spread
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - x) <= 1e-15 * most:
            break
        x = step
        mean, spread = _tilt(logs, direction, x, r)
        if mean > 0.0:
            high = x
        else:
            low = x
    return x

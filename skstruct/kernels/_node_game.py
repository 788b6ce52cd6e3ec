"""The game of predictor and adversary at one node, inside message passing."""

from typing import NamedTuple

import numpy as np
from numba import njit

from skstruct.kernels._node_general import move_mass, predictor_costs, weighted_rows

__all__ = [
    "ABSOLUTE",
    "BY_TRUTH",
    "GENERAL",
    "SQUARED",
    "ZERO_ONE",
    "Game",
    "augment_node",
    "augmentation",
    "bayes_risks",
    "expected_costs",
    "kind_of",
    "update_node",
]

ZERO_ONE, ABSOLUTE, SQUARED, GENERAL, BY_TRUTH = range(5)

# Below this, costs are none: one over them would overflow.
_TINY = 1e-300


class Game(NamedTuple):
    """What predictor and adversary play for at every node.

    Attributes
    ----------
    kind : int
        How nodes are solved, which says something of all tables. ZERO_ONE: all
        mistakes cost the same. BY_TRUTH: what they cost depends on the adversary's
        label only, as for zero-one loss with weights of the classes. ABSOLUTE: costs
        are the distances of ``values``. SQUARED: the cost of each adversary's label is
        convex in the place of the prediction, as of squared distances. GENERAL: any.
    cost : ndarray of shape (C, K, K)
        Tables of ``cost[predicted, adversary]``.
    index : ndarray of shape (N,)
        Table of each node.
    weight : ndarray of shape (N,)
        Factor for the costs of each node, not negative.
    values : ndarray of shape (K,)
        Rising places of the labels on a line, for ABSOLUTE.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.surrogates import Game
    >>> Game.of(1 - np.eye(2), n_nodes=3).weight
    array([1., 1., 1.])
    """

    kind: int
    cost: np.ndarray
    index: np.ndarray
    weight: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, cost, n_nodes):
        """One table of ``cost[true, predicted]``, (K, K), for nodes of weight one."""
        tables = np.ascontiguousarray(np.transpose(cost)[None], dtype=float)
        values = np.arange(float(len(cost)))
        index = np.zeros(n_nodes, dtype=np.intp)
        return cls(kind_of(tables, values), tables, index, np.ones(n_nodes), values)


@njit(cache=True, nogil=True, error_model="numpy")
def update_node(kind, m, w, cost, values, p, work):
    """Set p to the argmin over the simplex of logsumexp(m + w cost^T p), in place.

    m (K,): log-potentials of the node and its messages, without the node's own game;
    -inf forbids a label to the adversary. w >= 0. cost (K, K), C-contiguous:
    ``cost[predicted, adversary]``. values (K,): read by ABSOLUTE. p (K,): a
    distribution, where GENERAL starts. work (3, K) is overwritten. Nothing is done
    where w = 0 or all labels are forbidden.
    """
    top = m.max()
    if w <= 0.0 or top == -np.inf:
        return
    if len(p) == 1:
        p[0] = 1.0
    elif kind in (ZERO_ONE, BY_TRUTH):
        _level(m, top, w, cost, p, work[0], work[1])
    elif kind == ABSOLUTE:
        _balance_absolute(m, w, values, p, work[0])
    elif kind == SQUARED:
        _balance(m, w, cost, p)
    else:
        move_mass(m, w, cost, p, work)


@njit(cache=True, nogil=True, error_model="numpy")
def augment_node(kind, w, cost, p, out):
    """Set out (K,) to w cost^T p: what the adversary gains by each label."""
    if len(p) > 1 and kind in (ZERO_ONE, BY_TRUTH):
        for k in range(len(p)):
            out[k] = w * _price(cost, k) * (1.0 - p[k])
    else:
        weighted_rows(w, cost, p, out)


def kind_of(cost, values):
    """The kind that solves games with these tables fastest, apart from ABSOLUTE.

    Parameters
    ----------
    cost : ndarray of shape (C, K, K)
        Tables of ``cost[predicted, adversary]`` with zeros on the diagonals.
    values : ndarray of shape (K,)
        Rising places of the labels on a line.

    Returns
    -------
    int
        ZERO_ONE, BY_TRUTH, SQUARED or GENERAL.
    """
    mistakes = ~np.eye(len(values), dtype=bool)
    price = cost.max(axis=1, keepdims=True)
    if ((cost == price) | ~mistakes).all():
        equal = (price == price[:, :, :1]).all()
        return ZERO_ONE if equal else BY_TRUTH
    slopes = np.diff(cost, axis=1) / np.diff(values)[:, None]
    rounding = 1e-12 * np.abs(slopes).max()
    return SQUARED if (np.diff(slopes, axis=1) >= -rounding).all() else GENERAL


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
        predictor_costs(cost[index[i]], node[i], out[i])


@njit(cache=True, nogil=True)
def _price(cost, k):
    """What missing label k costs, where all other predictions cost the same."""
    return cost[1, 0] if k == 0 else cost[0, k]


@njit(cache=True, nogil=True, error_model="numpy")
def _level(m, top, w, cost, p, heights, shares):
    """Lower the costliest labels to one level.

    Mass p_k lowers the height m_k + w c_k + log c_k of label k by w c_k p_k. For equal
    costs this is the Euclidean projection of m / (w c) on the simplex. The level rises
    until the labels above it no longer change.
    """
    level, n_above = -np.inf, -1
    for k in range(len(m)):
        price = w * _price(cost, k)
        heights[k], shares[k] = -np.inf, 0.0
        if price > _TINY and m[k] > -np.inf:
            # From the top of m, as small numbers are exact.
            heights[k] = m[k] - top + price + np.log(price)
            shares[k] = 1.0 / price
            level = max(level, heights[k] - price)
    if level == -np.inf:
        return
    while True:
        total, share, n = -1.0, 0.0, 0
        for k in range(len(m)):
            if heights[k] > level:
                total += heights[k] * shares[k]
                share += shares[k]
                n += 1
        # By rounding, a label at the level could come and go for ever.
        if n == n_above or not total / share > level:
            break
        level, n_above = total / share, n
    total = 0.0
    for k in range(len(m)):
        p[k] = max(heights[k] - level, 0.0) * shares[k] if shares[k] > 0.0 else 0.0
        total += p[k]
    if total == 0.0:  # costs are nothing beside m
        p[heights.argmax()] = total = 1.0
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
        if excess <= 0.0:
            _put(p, a, 0.0)
            return
        if excess < 2.0 * step:
            _put(p, a, excess / (2.0 * step))
            return
        lower = _logaddexp(lower + step, m[a + 1])
    _put(p, last, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _pull(m, w, cost, a, t, sign):
    """How strongly labels draw p from (1 - t, t) on labels a and a + 1 to one side.

    sign is 1 for labels that cost less with more on a + 1, -1 for those that cost more.
    The log of their masses times what they save by it, and how this log falls in t.
    """
    top = -np.inf
    for y in range(len(m)):
        if sign * (cost[a, y] - cost[a + 1, y]) > 0.0:
            top = max(top, m[y] + w * (cost[a, y] + t * (cost[a + 1, y] - cost[a, y])))
    if top == -np.inf:
        return top, 0.0
    total, fall = 0.0, 0.0
    for y in range(len(m)):
        saved = cost[a, y] - cost[a + 1, y]
        if sign * saved > 0.0:
            mass = np.exp(m[y] + w * (cost[a, y] - t * saved) - top) * abs(saved)
            total += mass
            fall += mass * saved
    return top + np.log(total), w * fall / total


@njit(cache=True, nogil=True, error_model="numpy")
def _tilt(m, w, cost, a, t):
    """How much more p is drawn to label a + 1 than to a, and how this falls in t.

    The difference of logs is zero at the optimum between the two and never flat.
    """
    right, fall = _pull(m, w, cost, a, t, 1.0)
    left, rise = _pull(m, w, cost, a, t, -1.0)
    return (right - left if right != left else 0.0), fall - rise


@njit(cache=True, nogil=True, error_model="numpy")
def _balance(m, w, cost, p):
    """Find the place on the line of labels from which p is not drawn away.

    Bisection finds the first label that is not drawn to the next; safeguarded Newton
    the place between it and the label before.
    """
    first, last = 0, len(m) - 1
    while first < last:
        a = (first + last) // 2
        if _tilt(m, w, cost, a, 0.0)[0] <= 0.0:
            last = a
        else:
            first = a + 1
    a = first - 1
    if a < 0 or _tilt(m, w, cost, a, 1.0)[0] >= 0.0:
        _put(p, first, 0.0)
        return
    low, high, t = 0.0, 1.0, 0.5
    for _ in range(60):
        tilt, fall = _tilt(m, w, cost, a, t)
        if tilt > 0.0:
            low = t
        else:
            high = t
        step = t + tilt / fall
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - t) <= 1e-15:
            break
        t = step
    _put(p, a, t)

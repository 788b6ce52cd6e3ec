"""The game of predictor and adversary at single nodes, without entropy."""

from itertools import combinations
from math import comb

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import bsr_array, csr_array, eye_array, hstack, kron

from skstruct.kernels._node_game import ABSOLUTE, ZERO_ONE, bayes_risks

__all__ = ["equilibria", "responder"]

# Candidates for corners that may be tried for all tables of costs together.
_MAX_CANDIDATES = 20_000


def responder(game):
    r"""A function that answers the adversary's best response at every node.

    .. math:: \max_{r \in \Delta} a \cdot r + w \min_a (L r)_a

    Parameters
    ----------
    game : Game
        Costs at the nodes.

    Returns
    -------
    callable
        From ``a`` (N, K) to values (N,) and maximisers ``r`` (N, K).
    """
    K = game.cost.shape[1]
    if game.kind == ZERO_ONE:
        return lambda a: _spread(game, a)
    if game.kind == ABSOLUTE:
        return lambda a: _straddle(game, a)
    if len(game.cost) * comb(2 * K, K) > _MAX_CANDIDATES:
        return lambda a: _solve_programs(game, a)[:2]
    corners = [_corners(cost) for cost in game.cost]
    return lambda a: _best_corners(game, corners, a)


def equilibria(game, a):
    """The predictor's distributions p (N, K) at which no label of ``a`` gains more.

    They minimise max_y a_y + w (L^T p)_y.
    """
    if game.kind == ZERO_ONE:
        values, _ = _spread(game, a)
        scale = _zero_one_scale(game)[:, None]
        # In this order: large potentials would swallow the costs.
        excess = np.maximum(a - values[:, None] + scale, 0)
        return _normalised(np.where(scale > 0, excess, 1.0))
    if game.kind == ABSOLUTE:
        return _interpolated(game, a)
    return _solve_programs(game, a)[2]


def _normalised(table):
    return table / table.sum(axis=1, keepdims=True)


def _zero_one_scale(game):
    """w_i times the cost of a mistake."""
    return game.weight * game.cost.max(axis=(1, 2))[game.index]


def _spread(game, a):
    """Zero-one: r is uniform on the top j labels, by the best j."""
    n_labels = np.arange(1, a.shape[1] + 1)
    order = np.argsort(-a, axis=1, kind="stable")
    top = np.cumsum(np.take_along_axis(a, order, axis=1), axis=1)
    values = (top + (n_labels - 1) * _zero_one_scale(game)[:, None]) / n_labels
    best = values.argmax(axis=1)[:, None]
    r = np.empty_like(a)
    np.put_along_axis(r, order, (n_labels <= best + 1) / (best + 1), axis=1)
    return np.take_along_axis(values, best, axis=1)[:, 0], r


def _sides(game, a):
    """Potentials less and plus w times the positions of the labels."""
    shift = game.weight[:, None] * game.values
    return a - shift, a + shift


def _straddle(game, a):
    """Absolute: r has one half at the best label to each side of the median."""
    left, right = _sides(game, a)
    one = np.eye(a.shape[1])
    r = (one[left.argmax(axis=1)] + one[right.argmax(axis=1)]) / 2
    return (left.max(axis=1) + right.max(axis=1)) / 2, r


def _interpolated(game, a):
    """Absolute: p on neighbours of the point that is as far from either side."""
    left, right = _sides(game, a)
    values, w = game.values, game.weight
    K = len(values)
    point = np.full(len(a), values[0])
    apart = right.max(axis=1) - left.max(axis=1)
    np.divide(apart, 2 * w, out=point, where=w > 0)
    point = np.clip(point, values[0], values[-1])
    after = np.clip(np.searchsorted(values, point), 1, max(K - 1, 1))
    p = np.zeros_like(a)
    rows = np.arange(len(a))
    if K == 1:
        return p + 1
    below, above = values[after - 1], values[after]
    p[rows, after] = (point - below) / (above - below)
    p[rows, after - 1] = 1 - p[rows, after]
    return p


def _corners(cost):
    """All corners r of {(r, t): t <= (L r)_a}, and min_a (L r)_a there.

    At a corner, as many actions a are tight as labels have mass; so all pairs of
    supports of one size are tried.
    """
    K, top = len(cost), cost.max() or 1.0
    found = []
    for size in range(1, K + 1):
        subsets = np.array(list(combinations(range(K), size)))
        labels = np.repeat(subsets, len(subsets), axis=0)
        actions = np.tile(subsets, (len(subsets), 1))
        # Of the labels' masses and -t: every action costs t, and masses sum to one.
        system = np.ones((len(labels), size + 1, size + 1))
        system[:, :size, :size] = cost[actions[:, :, None], labels[:, None, :]] / top
        system[:, size, size] = 0.0
        regular = abs(np.linalg.det(system)) > 1e-10
        right = np.eye(size + 1)[None, :, size:]
        solved = np.linalg.solve(system[regular], right)[:, :, 0]
        r = np.zeros((len(solved), K))
        np.put_along_axis(r, labels[regular], solved[:, :size], axis=1)
        least = (r @ cost.T).min(axis=1) / top
        found.append(r[(r.min(axis=1) > -1e-9) & (least > -solved[:, size] - 1e-9)])
    r = np.unique(_normalised(np.maximum(np.vstack(found), 0)).round(12), axis=0)
    return r, (r @ cost.T).min(axis=1)


def _best_corners(game, corners, a):
    values, out = np.empty(len(a)), np.empty_like(a)
    for c, (r, risk) in enumerate(corners):
        mine = game.index == c
        worth = a[mine] @ r.T + game.weight[mine][:, None] * risk
        best = worth.argmax(axis=1)
        values[mine], out[mine] = worth[np.arange(len(best)), best], r[best]
    return values, out


def _solve_programs(game, a):
    """Values, r and p of all nodes by one linear program."""
    N, K = a.shape
    if N == 0:
        return np.zeros(0), a, a
    costs = game.weight[:, None, None] * game.cost[game.index]
    by_node = bsr_array((costs, np.arange(N), np.arange(N + 1)))
    bounds = kron(eye_array(N), np.ones((K, 1)))
    sums = kron(eye_array(N), np.ones((1, K)))
    found = linprog(
        -np.concatenate([a.ravel(), np.ones(N)]),
        A_ub=csr_array(hstack([-by_node, bounds])),
        b_ub=np.zeros(N * K),
        A_eq=csr_array(hstack([sums, csr_array((N, N))])),
        b_eq=np.ones(N),
        bounds=[(0, None)] * (N * K) + [(None, None)] * N,
        method="highs",
    )
    if found.status != 0:
        raise RuntimeError(f"The games of nodes were not solved: {found.message}")
    r = _normalised(np.maximum(found.x[: N * K].reshape(N, K), 0))
    p = _normalised(np.maximum(-found.ineqlin.marginals.reshape(N, K), 0))
    return (a * r).sum(axis=1) + bayes_risks(game, r), r, p

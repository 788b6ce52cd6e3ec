"""Best labels of forests, and draws from their distribution."""

import numpy as np
from numba import njit

from skstruct.kernels._borrow import borrow
from skstruct.structures._tree_game import SUB, row
from skstruct.structures._tree_layout import EDGE, IS_SECOND, NODE, PARENT
from skstruct.structures._tree_sums import all_messages

__all__ = ["best_labels", "draw_labels"]


# `max` turns into vector instructions only where NaN need not be thought of.
@njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"})
def _best_upwards(t, node, tables, sub, up):
    """Score of the best labels below each node, for each label of it."""
    K = sub.shape[1]
    for i in range(len(t)):
        for a in range(K):
            sub[i, a] = node[t[i, NODE], a]
    for i in range(len(t) - 1, -1, -1):
        j = t[i, PARENT]
        if j < 0:
            continue
        e = t[i, EDGE] if len(tables) > 2 * K else 0
        begin = (2 * e + t[i, IS_SECOND]) * K
        for a in range(K):
            up[a] = -np.inf
        for b in range(K):
            x = sub[i, b]
            for a in range(K):
                up[a] = max(up[a], x + tables[begin + b, a])
        for a in range(K):
            sub[j, a] += up[a]


@njit(cache=True, nogil=True, error_model="numpy")
def best_labels(offsets, edge_offsets, layout, node, tables, labels):
    """Labels of the highest score; of equals, the lowest in the order of the walk."""
    K, longest = node.shape[1], 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    sub, up = np.empty((longest, K)), np.empty(K)
    for s in range(len(offsets) - 1):
        begin, end = offsets[s], offsets[s + 1]
        t, own = layout[begin:end], tables
        if len(tables) > 2 * K:
            own = tables[2 * K * edge_offsets[s] : 2 * K * edge_offsets[s + 1]]
        _best_upwards(t, node[begin:end], own, sub, up)
        for i in range(len(t)):
            j, best, label = t[i, PARENT], -np.inf, 0
            for b in range(K):
                x = sub[i, b]
                if j >= 0:
                    e = t[i, EDGE] if len(own) > 2 * K else 0
                    first = (2 * e + t[i, IS_SECOND]) * K
                    x += own[first + b, labels[begin + t[j, NODE]]]
                if x > best:
                    best, label = x, b
            labels[begin + t[i, NODE]] = label


@njit(cache=True, nogil=True, error_model="numpy")
def _draw(log_weights, uniform):
    """A label with probability proportional to exp of its log-weight."""
    top = log_weights.max()
    total = 0.0
    for k in range(len(log_weights)):
        log_weights[k] = np.exp(log_weights[k] - top)
        total += log_weights[k]
    rest, chosen = uniform * total, 0
    for k in range(len(log_weights)):
        if log_weights[k] > 0.0:
            chosen = k
            rest -= log_weights[k]
            if rest < 0.0:
                break
    return chosen


@njit(cache=True, nogil=True, error_model="numpy")
def draw_labels(
    offsets,
    edge_offsets,
    layout,
    node,
    node_shift,
    log_tables,
    tables,
    shift,
    game,
    n_sweeps,
    downwards,
    mode,
    work,
    uniforms,
    labels,
):
    """Draw the labels of every possible sample from p(y), parents first.

    The game is none, and messages go upwards only, as `all_messages` is told: constants
    here would have it compiled once more. ``work`` comes from `make_work`.
    """
    K = node.shape[1]
    vectors, log_weights = borrow(work[0]), np.empty(K)
    for s in range(len(offsets) - 1):
        own = slice(offsets[s], offsets[s + 1])
        first, last = edge_offsets[s], edge_offsets[s + 1]
        if len(shift) == 1:
            first, last = 0, 1
        both = slice(2 * K * first, 2 * K * last)
        t, log_table = layout[own], borrow(log_tables[both])
        if not all_messages(
            borrow(t),
            borrow(node[own]),
            borrow(node[own]),
            borrow(node_shift[own]),
            log_table,
            borrow(tables[both]),
            borrow(shift[first:last]),
            game,
            borrow(node[own]),
            n_sweeps,
            downwards,
            vectors,
            borrow(work[1]),
            borrow(work[2]),
            mode,
        ):
            continue
        for i in range(len(t)):
            j, v = t[i, PARENT], offsets[s] + t[i, NODE]
            log_weights[:] = vectors[row(i, SUB)]
            if j >= 0:
                e = t[i, EDGE] if last - first > 1 else 0
                begin = (2 * e + t[i, IS_SECOND]) * K
                given = labels[offsets[s] + t[j, NODE]]
                log_weights += log_table[begin : begin + K, given]
            labels[v] = _draw(log_weights, uniforms[v])

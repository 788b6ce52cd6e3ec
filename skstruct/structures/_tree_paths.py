"""Best labels of forests, and draws from their distribution."""

import numpy as np
from numba import njit

from skstruct.structures._tree_messages import row_of
from skstruct.structures._tree_sums import make_work, upwards, view

__all__ = ["best_labels", "draw_labels"]


# `max` turns into vector instructions only where NaN need not be thought of.
@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _best_upwards(t, node, tables, sub, up):
    """Score of the best labels below each node, for each label of it."""
    K = sub.shape[1]
    for i in range(len(t.node)):
        for a in range(K):
            sub[i, a] = node[t.node[i], a]
    for i in range(len(t.node) - 1, -1, -1):
        j = t.parent[i]
        if j < 0:
            continue
        d, e = t.is_second[i], row_of(tables, t.edge[i])
        for a in range(K):
            up[a] = -np.inf
        for b in range(K):
            x = sub[i, b]
            for a in range(K):
                up[a] = max(up[a], x + tables.log[d, e, b, a])
        for a in range(K):
            sub[j, a] += up[a]


@njit(cache=True, nogil=True)
def best_labels(offsets, layout, node, tables, labels, score):
    """Labels of the highest score; the lowest, in the order of the walk."""
    K, longest = node.shape[1], 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    sub, up = np.empty((longest, K)), np.empty(K)
    for s in range(len(offsets) - 1):
        t = view(layout, offsets[s], offsets[s + 1])
        _best_upwards(t, node, tables, sub, up)
        score[s] = 0.0
        for i in range(len(t.node)):
            j = t.parent[i]
            if j < 0:
                label = np.argmax(sub[i])
                score[s] += sub[i, label]
            else:
                d, e = t.is_second[i], row_of(tables, t.edge[i])
                a, label, best = labels[t.node[j]], 0, -np.inf
                for b in range(K):
                    x = sub[i, b] + tables.log[d, e, b, a]
                    if x > best:
                        label, best = b, x
            labels[t.node[i]] = label


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def draw_labels(offsets, layout, node, tables, game, predictor, uniforms, labels):
    """Draw the labels of every sample from p(y), parents first."""
    K = node.shape[1]
    w, log_weights = make_work(offsets, K), np.empty(K)
    for s in range(len(offsets) - 1):
        t = view(layout, offsets[s], offsets[s + 1])
        if not upwards(t, node, tables, game, predictor, w, True, True):
            for v in t.node:
                labels[v] = 0
            continue
        for i in range(len(t.node)):
            j, v = t.parent[i], t.node[i]
            log_weights[:] = w.sub[i]
            if j >= 0:
                e = row_of(tables, t.edge[i])
                log_weights += tables.log[t.is_second[i], e, :, labels[t.node[j]]]
            labels[v] = _draw(log_weights, uniforms[v])

"""Best labels and draws of junction trees, decided from the root down."""

import numpy as np
from numba import njit

from skstruct.structures._junction_sums import MAX, clique_of, new_work, upward

__all__ = ["choose_labels"]


@njit(cache=True, nogil=True)
def _first_best(logs):
    best = 0
    for k in range(1, len(logs)):
        if logs[k] > logs[best]:
            best = k
    return best


@njit(cache=True, nogil=True)
def _draw(logs, uniform):
    """A label with probability proportional to exp of its log-weight."""
    top = logs.max()
    if top == -np.inf:
        return 0
    total = 0.0
    for k in range(len(logs)):
        logs[k] = np.exp(logs[k] - top)
        total += logs[k]
    rest, chosen = uniform * total, 0
    for k in range(len(logs)):
        if logs[k] > 0.0:
            chosen = k
            rest -= logs[k]
            if rest < 0.0:
                break
    return chosen


@njit(cache=True, nogil=True)
def choose_labels(
    plan, samples, shape, offsets, edge_offsets, node, edge, mode, uniforms, labels
):
    """Best labels (mode MAX; the lower ones of equals), or draws (mode LOG)."""
    K = node.shape[1]
    work = new_work(plan, samples, shape, K)
    column, logs = np.zeros(len(work.factor), np.intp), np.empty(K)
    for s in samples:
        own = slice(offsets[s], offsets[s + 1])
        g, chosen = shape[s], labels[own]
        upward(plan, g, node[own], edge, edge_offsets[s], mode, work)
        begin = plan.first[g]
        for c in range(plan.first[g + 1] - 1, begin - 1, -1):
            b, i = c - begin, plan.node[c]
            table, _, _ = clique_of(plan, c, work, K)
            at = 0 if plan.parent[c] < 0 else column[b]
            for k in range(K):
                logs[k] = table[k, at] + work.factor[b, k]
            if mode == MAX:
                chosen[i] = _first_best(logs)
            else:
                chosen[i] = _draw(logs, uniforms[offsets[s] + i])
            for j in range(plan.first_child[c], plan.first_child[c + 1]):
                child = plan.child[j]
                t = np.intp(plan.columns[plan.child_begin[j] + at])
                column[child - begin] = chosen[i] * (plan.width[child] // K) + t

"""Sum-product on forests, with the sweeps of the adversarial game inside of it.

Each sample is done in probabilities; where their range does not suffice, again in log
space. Node i sends ``up[i]`` to its parent and is sent ``down[i]`` by it. A sweep is a
walk around the tree that makes each message anew when it passes its edge, so that nodes
are updated by messages that know all updates before.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from skstruct.structures._tree_game import set_local, update
from skstruct.structures._tree_layout import Layout
from skstruct.structures._tree_messages import (
    LOST,
    TINY,
    multiply,
    rescale,
    row_of,
    send,
    set_row,
)

__all__ = ["Work", "forest_sums", "make_work", "upwards", "view"]

# Edges whose counts are added up by one matrix product.
_BLOCK = 256


class Work(NamedTuple):
    """What is known of the nodes of one sample; vectors (n, K) but for the last ones.

    base: own potentials. local: with what the predictor adds. gathered: product of the
    children's messages, of those seen so far on a walk. sub: what goes into ``up``.
    above: what goes into ``down``. rest: messages of the siblings still to come.
    base_shift, shift, scale (n,): logarithms taken off base, local, and on the way up.
    reach (n,): logarithm taken off ``down``.
    """

    base: np.ndarray
    local: np.ndarray
    gathered: np.ndarray
    sub: np.ndarray
    up: np.ndarray
    above: np.ndarray
    down: np.ndarray
    rest: np.ndarray
    base_shift: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    reach: np.ndarray
    gain: np.ndarray
    factor: np.ndarray
    scratch: np.ndarray


@njit(cache=True, nogil=True)
def make_work(offsets, K):
    """Room for the longest sample."""
    n = 0
    for s in range(len(offsets) - 1):
        n = max(n, offsets[s + 1] - offsets[s])
    return Work(
        np.empty((n, K)),
        np.empty((n, K)),
        np.empty((n, K)),
        np.empty((n, K)),
        np.empty((n, K)),
        np.empty((n, K)),
        np.empty((n, K)),
        np.empty((n, K)),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty((1, K)),
        np.empty(K),
        np.empty((3, K)),
    )


@njit(cache=True, nogil=True)
def view(layout, begin, end):
    """The layout of one sample."""
    return Layout(
        layout.node[begin:end],
        layout.parent[begin:end],
        layout.last_child[begin:end],
        layout.previous[begin:end],
        layout.edge[begin:end],
        layout.is_second[begin:end],
    )


@njit(cache=True, nogil=True)
def _start(t, node, game, predictor, w, in_log, strict):
    """Local vectors of all nodes."""
    for i in range(len(t.node)):
        v = t.node[i]
        w.base_shift[i] = set_row(node, v, w.base, i, in_log)
        if w.base_shift[i] == LOST:
            return False
        if not set_local(i, v, game, predictor, w, in_log, strict):
            return False
    w.gathered[: len(t.node)] = 0.0 if in_log else 1.0
    return True


@njit(cache=True, nogil=True)
def _gather(i, j, w, in_log, strict):
    """Let j hear the message of its child i; answers the log-scale or LOST."""
    multiply(w.gathered, j, w.up, i, w.gathered, j, in_log)
    return rescale(w.gathered, j, in_log, strict)


@njit(cache=True, nogil=True)
def _leave(i, t, tables, w, in_log, strict):
    """Send to the parent of i what its subtree says; answers success."""
    multiply(w.local, i, w.gathered, i, w.sub, i, in_log)
    top = rescale(w.sub, i, in_log, strict)
    w.scale[i] = w.shift[i] + top
    if top == LOST:
        return False
    j = t.parent[i]
    if j < 0:
        return True
    e = row_of(tables, t.edge[i])
    sent = send(w.sub, i, tables, t.is_second[i], e, w.up, i, in_log, strict, w.factor)
    if sent == LOST:
        return False
    top = _gather(i, j, w, in_log, strict)
    w.scale[i] += sent + tables.shift[e] + top
    return top != LOST


@njit(cache=True, nogil=True)
def _enter(i, t, tables, w, in_log, strict):
    """Send to node i what all that is not its subtree says; answers success."""
    j = t.parent[i]
    if j < 0:
        w.down[i] = 0.0 if in_log else 1.0
        w.reach[i] = 0.0
        return True
    multiply(w.local, j, w.down, j, w.above, i, in_log)
    top = rescale(w.above, i, in_log, strict)
    if t.previous[i] >= 0:
        multiply(w.above, i, w.gathered, j, w.above, i, in_log)
        top = min(top, rescale(w.above, i, in_log, strict))
    if t.last_child[j] != i:
        multiply(w.above, i, w.rest, i, w.above, i, in_log)
        top = min(top, rescale(w.above, i, in_log, strict))
    if top == LOST:
        return False
    e = row_of(tables, t.edge[i])
    w.reach[i] = send(
        w.above, i, tables, 1 - t.is_second[i], e, w.down, i, in_log, strict, w.factor
    )
    return w.reach[i] != LOST


@njit(cache=True, nogil=True)
def _prepare_children(i, t, w, in_log, strict):
    """Let the children of i be walked: what each one's later siblings say."""
    w.gathered[i] = 0.0 if in_log else 1.0
    c = t.last_child[i]
    if c < 0:
        return True
    w.rest[c] = 0.0 if in_log else 1.0
    while t.previous[c] >= 0:
        b = t.previous[c]
        multiply(w.rest, c, w.up, c, w.rest, b, in_log)
        if rescale(w.rest, b, in_log, strict) == LOST:
            return False
        c = b
    return True


@njit(cache=True, nogil=True)
def _tour(t, tables, game, predictor, twice, w, in_log, strict):
    """Walk around the trees; update each node when it is entered, ``twice``: and left.

    Answers success. Leaves every message upwards exact for the predictor.
    """
    n = len(t.node)
    for i in range(n + 1):
        towards, here = (t.parent[i] if i < n else -1), i - 1
        while here != towards:
            if twice and t.last_child[here] >= 0:
                v = t.node[here]
                if not update(here, v, True, game, predictor, w, in_log, strict):
                    return False
            if not _leave(here, t, tables, w, in_log, strict):
                return False
            here = t.parent[here]
        if i == n:
            break
        has_children = t.last_child[i] >= 0
        if not _enter(i, t, tables, w, in_log, strict):
            return False
        if not update(i, t.node[i], has_children, game, predictor, w, in_log, strict):
            return False
        if not _prepare_children(i, t, w, in_log, strict):
            return False
    return True


@njit(cache=True, nogil=True)
def upwards(t, node, tables, game, predictor, w, in_log, strict):
    """Messages from the leaves to the roots; answers success."""
    if not _start(t, node, game, predictor, w, in_log, strict):
        return False
    for i in range(len(t.node) - 1, -1, -1):
        if not _leave(i, t, tables, w, in_log, strict):
            return False
    return True


@njit(cache=True, nogil=True)
def _downwards(t, tables, w, in_log, strict, every):
    """Messages from the roots; ``every`` one, or those that a tour left inexact.

    A tour that updates on entering only leaves exact messages on the last branches.
    """
    n = len(t.node)
    stale = np.full(n, every)
    for i in range(n):
        j = t.parent[i]
        if j >= 0:
            stale[i] |= stale[j] or t.last_child[j] != i
        if stale[i] and not _enter(i, t, tables, w, in_log, strict):
            return False
        if not _prepare_children(i, t, w, in_log, strict):
            return False
        if j >= 0 and _gather(i, j, w, in_log, strict) == LOST:
            return False
    return True


@njit(cache=True, nogil=True)
def _all_messages(t, node, tables, game, predictor, n_sweeps, w, in_log, strict):
    """All messages for the predictor after its sweeps; answers success."""
    if not upwards(t, node, tables, game, predictor, w, in_log, strict):
        return False
    for sweep in range(0, n_sweeps, 2):
        twice = sweep + 1 < n_sweeps
        if not _tour(t, tables, game, predictor, twice, w, in_log, strict):
            return False
    return _downwards(t, tables, w, in_log, strict, n_sweeps % 2 == 0)


@njit(cache=True, nogil=True)
def _beliefs(t, w, in_log, node_out, log_total):
    """Marginals of nodes, and logarithms of what they summed to; answers success."""
    K = w.sub.shape[1]
    for i in range(len(t.node)):
        v = t.node[i]
        multiply(w.sub, i, w.down, i, node_out, v, in_log)
        top = rescale(node_out, v, in_log, False)
        if top == LOST:
            return False
        total = 0.0
        for k in range(K):
            if in_log:
                node_out[v, k] = np.exp(node_out[v, k])
            total += node_out[v, k]
        for k in range(K):
            node_out[v, k] /= total
        log_total[i] = top + np.log(total)
    return True


@njit(cache=True, nogil=True)
def _add_log_pair(i, log_scale, weight, d, log_table, w, counts):
    """Add the marginal of the edge above i to counts (K, K), in log space."""
    K = len(counts)
    for b in range(K):
        for a in range(K):
            x = w.sub[i, b] + w.above[i, a] + log_table[b, a] - log_scale
            if x > -np.inf:
                if d == 0:
                    counts[b, a] += weight * np.exp(x)
                else:
                    counts[a, b] += weight * np.exp(x)


@njit(cache=True, nogil=True)
def _pairs(t, tables, weight, log_total, in_log, w, counts, ends, n_ends):
    """Marginals of edges, times weight: added to counts, or, shared, put into ``ends``.

    With p the table of an edge in probabilities, its marginal is
    ``ends[0].T @ ends[1] * p``.
    """
    K, shared = counts.shape[1], len(counts) == 1
    for i in range(len(t.node)):
        if t.parent[i] < 0:
            continue
        d, e = t.is_second[i], row_of(tables, t.edge[i])
        log_scale = w.reach[i] + log_total[i]
        if in_log and log_scale < np.log(TINY):
            _add_log_pair(i, log_scale, weight, d, tables.log[d, e], w, counts[e])
            continue
        factor = weight * np.exp(-log_scale)
        for k in range(K):
            low = np.exp(w.sub[i, k]) if in_log else w.sub[i, k]
            high = np.exp(w.above[i, k]) if in_log else w.above[i, k]
            ends[d, n_ends, k] = factor * low
            ends[1 - d, n_ends, k] = high
        if shared:
            n_ends += 1
            if n_ends == ends.shape[1]:
                n_ends = _flush(ends, n_ends, tables, counts)
            continue
        for a in range(K):
            p = ends[0, 0, a]
            for b in range(K):
                counts[e, a, b] = p * ends[1, 0, b] * tables.probability[0, e, a, b]
    return n_ends


@njit(cache=True, nogil=True)
def _flush(ends, n_ends, tables, counts):
    product = np.dot(ends[0, :n_ends].T, ends[1, :n_ends])
    counts[0] += product * tables.probability[0, 0]
    return 0


@njit(cache=True, nogil=True)
def _log_partition(t, w, in_log):
    total = 0.0
    for i in range(len(t.node)):
        total += w.scale[i]
        if t.parent[i] < 0:
            mass = 0.0
            for k in range(w.sub.shape[1]):
                mass += np.exp(w.sub[i, k]) if in_log else w.sub[i, k]
            total += np.log(mass)
    return total


@njit(cache=True, nogil=True)
def _sample_sums(
    t, node, tables, game, predictor, n_sweeps, w, in_log, strict, marginals, out, total
):
    """Everything but edges of one sample; answers success."""
    if not marginals:
        return upwards(t, node, tables, game, predictor, w, in_log, strict)
    return _all_messages(
        t, node, tables, game, predictor, n_sweeps, w, in_log, strict
    ) and _beliefs(t, w, in_log, out, total)


@njit(cache=True, nogil=True)
def forest_sums(
    offsets,
    layout,
    node,
    tables,
    game,
    predictor,
    n_sweeps,
    weight,
    in_log,
    strict,
    marginals,
    log_z,
    node_out,
    counts,
):
    """Log-partitions and, if asked for, marginals of nodes and weighted edge counts.

    ``offsets`` and ``log_z`` are those of some samples, ``counts`` has as many rows as
    ``tables``; other arrays are of the whole batch. ``n_sweeps`` half-sweeps of the
    game are played first. Impossible samples have zeros, and are not played.
    """
    w = make_work(offsets, node.shape[1])
    log_total = np.empty(len(w.scale))
    ends, n_ends = np.empty((2, _BLOCK, node.shape[1])), 0
    for s in range(len(offsets) - 1):
        t = view(layout, offsets[s], offsets[s + 1])
        done = False
        logs = in_log
        for attempt in range(2):
            logs = in_log or attempt == 1
            done = _sample_sums(
                t,
                node,
                tables,
                game,
                predictor,
                n_sweeps,
                w,
                logs,
                strict,
                marginals,
                node_out,
                log_total,
            )
            if done or logs:
                break
        log_z[s] = _log_partition(t, w, logs) if done else -np.inf
        if not marginals:
            continue
        if done:
            n_ends = _pairs(
                t, tables, weight[s], log_total, logs, w, counts, ends, n_ends
            )
        else:
            for v in t.node:
                node_out[v] = 0.0
    if n_ends:
        _flush(ends, n_ends, tables, counts)

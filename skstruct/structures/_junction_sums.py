"""Kernels of junction trees: messages to the root, and what comes back from it.

Factors are probabilities (mode SUM) or logs (LOG, MAX), each with its largest entry
taken out. A clique table holds all factors but that of the clique's own node, so that
no potential of a node, however low, can wipe out what an edge distinguishes.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

__all__ = [
    "LOG",
    "MAX",
    "SUM",
    "Work",
    "absorb",
    "clique_of",
    "downward",
    "marginals_of",
    "new_work",
    "node_factor",
    "project",
    "rescale",
    "send_up",
    "upward",
]

SUM, LOG, MAX = range(3)


class Work(NamedTuple):
    """Arrays that a thread needs for one sample.

    Attributes
    ----------
    table : ndarray
        Tables of all cliques, one after another.
    up : ndarray of shape (columns,)
        Messages to the parents.
    down : ndarray of shape (columns,)
        What cliques hear from their parents.
    factor : ndarray of shape (cliques, K)
        Factors of the nodes.
    shift : ndarray of shape (2, cliques)
        Logs taken out of the factors, and of the messages.
    pair : ndarray of shape (K, K)
        A factor of an edge.
    """

    table: np.ndarray
    up: np.ndarray
    down: np.ndarray
    factor: np.ndarray
    shift: np.ndarray
    pair: np.ndarray


@njit(cache=True, nogil=True)
def new_work(plan, samples, shape, K):
    """Room for the largest of some samples."""
    n_columns, n_cliques = 0, 0
    for s in samples:
        g = shape[s]
        n_columns = max(n_columns, plan.size[g])
        n_cliques = max(n_cliques, plan.first[g + 1] - plan.first[g])
    return Work(
        np.empty(n_columns * K),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty((n_cliques, K)),
        np.empty((2, n_cliques)),
        np.empty((K, K)),
    )


@njit(cache=True, nogil=True)
def clique_of(plan, c, work, K):
    """Table (K, S), message to the parent (S,) and from it (S,) of clique c."""
    a, b = plan.at[c], plan.at[c] + plan.width[c]
    table = work.table[a * K : b * K].reshape(K, b - a)
    return table, work.up[a:b], work.down[a:b]


# `max` turns into vector instructions only where NaN need not be thought of, and sums
# only where the order of their terms is free.
_FAST = {"nnan", "nsz", "reassoc"}


@njit(cache=True, nogil=True)
def absorb(table, factor, columns, mode):
    """Multiply a factor into a table, or add its logs."""
    K, S = table.shape
    for k in range(K):
        if mode == SUM:
            for s in range(S):
                table[k, s] *= factor[k, columns[s]]
        else:
            for s in range(S):
                table[k, s] += factor[k, columns[s]]


@njit(cache=True, nogil=True)
def node_factor(potential, mode, factor):
    """Set the factor of a node; returns the log that is taken out."""
    top = potential.max()
    base = 0.0 if top == -np.inf else top
    for k in range(len(potential)):
        factor[k] = potential[k] - base
        if mode == SUM:
            factor[k] = np.exp(factor[k])
    return top


@njit(cache=True, nogil=True, fastmath=_FAST)
def _sum_out(table, factor, out):
    K, S = table.shape
    for s in range(S):
        out[s] = table[0, s] * factor[0]
    for k in range(1, K):
        for s in range(S):
            out[s] += table[k, s] * factor[k]


@njit(cache=True, nogil=True, fastmath=_FAST)
def _maximise_out(table, factor, out):
    K, S = table.shape
    for s in range(S):
        out[s] = table[0, s] + factor[0]
    for k in range(1, K):
        for s in range(S):
            out[s] = max(out[s], table[k, s] + factor[k])


@njit(cache=True, nogil=True)
def _log_sum_out(table, factor, out):
    K, S = table.shape
    _maximise_out(table, factor, out)
    for s in range(S):
        if out[s] > -np.inf:
            total = 0.0
            for k in range(K):
                total += np.exp(table[k, s] + factor[k] - out[s])
            out[s] += np.log(total)


@njit(cache=True, nogil=True, fastmath=_FAST)
def _largest(message):
    top = message[0]
    for x in message:
        top = max(top, x)
    return top


@njit(cache=True, nogil=True)
def rescale(message, mode):
    """Take the largest entry out of a message; returns its log."""
    top = _largest(message)
    if mode == SUM:
        if top == 0.0:
            return -np.inf
        share = 1.0 / top
        for s in range(len(message)):
            message[s] *= share
        return np.log(top)
    if top > -np.inf:
        for s in range(len(message)):
            message[s] -= top
    return top


@njit(cache=True, nogil=True)
def send_up(table, factor, mode, message):
    """Set the message of a clique to its parent; returns the log taken out."""
    if mode == SUM:
        _sum_out(table, factor, message)
    elif mode == LOG:
        _log_sum_out(table, factor, message)
    else:
        _maximise_out(table, factor, message)
    return rescale(message, mode)


@njit(cache=True, nogil=True)
def upward(plan, g, node, edge, first_edge, mode, work):
    """Fill the tables of a sample of shape g; returns its log-partition (or maximum).

    node (n, K): log-potentials. edge (1 or M, K, K): factors, of which the sample's
    begin at first_edge; what was taken out of them is not counted here.
    """
    K = node.shape[1]
    begin, log_z = plan.first[g], 0.0
    for c in range(begin, plan.first[g + 1]):
        b = c - begin
        factor = work.factor[b]
        table, up, _ = clique_of(plan, c, work, K)
        table[:] = 1.0 if mode == SUM else 0.0
        for i in range(plan.first_edge[c], plan.first_edge[c + 1]):
            e = 0 if len(edge) == 1 else first_edge + plan.edge[i]
            columns = plan.columns[plan.edge_begin[i] :]
            for a in range(K):
                for k in range(K):
                    flipped = plan.flipped[i]
                    work.pair[k, a] = edge[e, k, a] if flipped else edge[e, a, k]
            absorb(table, work.pair, columns, mode)
        for i in range(plan.first_child[c], plan.first_child[c + 1]):
            _, message, _ = clique_of(plan, plan.child[i], work, K)
            columns = plan.columns[plan.child_begin[i] :]
            absorb(table, message.reshape(K, -1), columns, mode)
        work.shift[0, b] = node_factor(node[plan.node[c]], mode, factor)
        work.shift[1, b] = send_up(table, factor, mode, up)
        log_z += work.shift[0, b] + work.shift[1, b]
    return log_z


@njit(cache=True, nogil=True, fastmath={"reassoc"}, error_model="numpy")
def _join(table, factor, mode, down, up, taken, marginal):
    """Turn a table into p(node, separator), given p(separator); p(node) beside it."""
    K, S = table.shape
    share = np.exp(-taken) if mode == SUM else 0.0
    if mode == SUM:
        for s in range(S):
            down[s] = down[s] / up[s] if down[s] > 0.0 else 0.0
    for k in range(K):
        total = 0.0
        if mode == SUM:
            own = factor[k] * share
            for s in range(S):
                table[k, s] *= own * down[s]
                total += table[k, s]
        else:
            for s in range(S):
                x = 0.0
                if down[s] > 0.0:
                    x = down[s] * np.exp(table[k, s] + factor[k] - (up[s] + taken))
                table[k, s] = x
                total += x
        marginal[k] = total


@njit(cache=True, nogil=True)
def project(table, groups, out):
    """Sum the columns of a table that share a column of a factor."""
    K, S = table.shape
    T = out.shape[1]
    for k in range(K):
        for t in range(T):
            out[k, t] = 0.0
        for begin in range(0, S, T):
            for t in range(T):
                out[k, t] += table[k, groups[begin + t]]


@njit(cache=True, nogil=True)
def downward(plan, g, first_edge, mode, weight, work, node, edge):
    """Set the marginals of nodes; add to those of edges, times a weight."""
    K = node.shape[1]
    begin = plan.first[g]
    for c in range(plan.first[g + 1] - 1, begin - 1, -1):
        b = c - begin
        table, up, down = clique_of(plan, c, work, K)
        if plan.parent[c] < 0:
            down[0] = 1.0
        marginal = node[plan.node[c]]
        _join(table, work.factor[b], mode, down, up, work.shift[1, b], marginal)
        for i in range(plan.first_edge[c], plan.first_edge[c + 1]):
            e = 0 if len(edge) == 1 else first_edge + plan.edge[i]
            project(table, plan.groups[plan.edge_begin[i] :], work.pair)
            for a in range(K):
                for k in range(K):
                    x = work.pair[a, k] if plan.flipped[i] else work.pair[k, a]
                    edge[e, a, k] += weight * x
        for i in range(plan.first_child[c], plan.first_child[c + 1]):
            _, _, message = clique_of(plan, plan.child[i], work, K)
            groups = plan.groups[plan.child_begin[i] :]
            project(table, groups, message.reshape(K, -1))


@njit(cache=True, nogil=True)
def marginals_of(
    plan,
    samples,
    shape,
    offsets,
    edge_offsets,
    node,
    edge,
    mode,
    weight,
    log_z,
    node_out,
    edge_out,
):
    """Log-partitions of samples and, with room for them, marginals and counts."""
    work = new_work(plan, samples, shape, node.shape[1])
    for s in samples:
        own = slice(offsets[s], offsets[s + 1])
        g, first_edge = shape[s], edge_offsets[s]
        log_z[s] = upward(plan, g, node[own], edge, first_edge, mode, work)
        if len(node_out) and log_z[s] > -np.inf:
            downward(
                plan, g, first_edge, mode, weight[s], work, node_out[own], edge_out
            )

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
    "choose_states",
    "marginals_of",
    "new_work",
    "node_factor",
    "send_up",
    "upward",
]

SUM, LOG, MAX = range(3)


class Work(NamedTuple):
    """Arrays that a thread needs for one sample.

    Attributes
    ----------
    table : ndarray of shape (rows, K)
        Tables of all cliques.
    up : ndarray of shape (rows,)
        Messages to the parents, one entry for each row of the sender's table.
    down : ndarray of shape (rows,)
        What cliques hear from their parents, likewise.
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
def new_work(plan, shapes, K):
    """Room for the largest sample of these shapes."""
    n_rows, n_cliques = 0, 0
    for g in shapes:
        n_rows = max(n_rows, plan.size[g])
        n_cliques = max(n_cliques, plan.first[g + 1] - plan.first[g])
    return Work(
        np.empty((n_rows, K)),
        np.empty(n_rows),
        np.empty(n_rows),
        np.empty((n_cliques, K)),
        np.empty((2, n_cliques)),
        np.empty((K, K)),
    )


@njit(cache=True, nogil=True)
def absorb(table, factor, rows, mode):
    """Multiply a factor into a table, or add its logs."""
    S, K = table.shape
    if mode == SUM:
        for s in range(S):
            t = rows[s]
            for k in range(K):
                table[s, k] *= factor[t, k]
    else:
        for s in range(S):
            t = rows[s]
            for k in range(K):
                table[s, k] += factor[t, k]


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


@njit(cache=True, nogil=True)
def _reduce(table, factor, mode, out):
    """Sum (or log-sum, or maximum) over the node of each row of a table."""
    S, K = table.shape
    for s in range(S):
        if mode == SUM:
            total = 0.0
            for k in range(K):
                total += table[s, k] * factor[k]
            out[s] = total
            continue
        top = -np.inf
        for k in range(K):
            top = max(top, table[s, k] + factor[k])
        if mode == LOG and top > -np.inf:
            total = 0.0
            for k in range(K):
                total += np.exp(table[s, k] + factor[k] - top)
            top += np.log(total)
        out[s] = top


@njit(cache=True, nogil=True)
def rescale(message, mode):
    """Take the largest entry out of a message; returns its log."""
    top = message.max()
    if mode == SUM:
        if top > 0.0:
            message /= top
        return np.log(top)
    if top > -np.inf:
        message -= top
    return top


@njit(cache=True, nogil=True)
def send_up(plan, c, b, mode, work):
    """Set the message of clique c, the b-th of its sample, to its parent."""
    rows = slice(plan.at[c], plan.at[c] + plan.n_rows[c])
    _reduce(work.table[rows], work.factor[b], mode, work.up[rows])
    work.shift[1, b] = rescale(work.up[rows], mode)


@njit(cache=True, nogil=True)
def _edge_factor(table, flipped, pair):
    """The factor of an edge with the clique's own node in the columns."""
    if not flipped:
        return table
    pair[:] = table.T
    return pair


@njit(cache=True, nogil=True)
def upward(plan, g, node, edge, first_edge, mode, work):
    """Fill the tables of a sample of shape g; returns its log-partition (or maximum).

    node (n, K): log-potentials. edge (1 or M, K, K): factors, of which the sample's
    begin at first_edge; what was taken out of them is not counted here.
    """
    K = node.shape[1]
    begin = plan.first[g]
    for c in range(begin, plan.first[g + 1]):
        b = c - begin
        work.shift[0, b] = node_factor(node[plan.node[c]], mode, work.factor[b])
        n_rows = plan.n_rows[c]
        table = work.table[plan.at[c] : plan.at[c] + n_rows]
        table[:] = 1.0 if mode == SUM else 0.0
        for i in range(plan.first_edge[c], plan.first_edge[c + 1]):
            e = 0 if len(edge) == 1 else first_edge + plan.edge[i]
            factor = _edge_factor(edge[e], plan.flipped[i], work.pair)
            rows = plan.rows[plan.edge_rows[i] : plan.edge_rows[i] + n_rows]
            absorb(table, factor, rows, mode)
        for i in range(plan.first_child[c], plan.first_child[c + 1]):
            at = plan.at[plan.child[i]]
            message = work.up[at : at + plan.n_rows[plan.child[i]]].reshape(-1, K)
            rows = plan.rows[plan.child_rows[i] : plan.child_rows[i] + n_rows]
            absorb(table, message, rows, mode)
        send_up(plan, c, b, mode, work)
    return work.shift[:, : plan.first[g + 1] - begin].sum()


@njit(cache=True, nogil=True)
def _join(table, factor, mode, down, up, taken):
    """Turn a table into p(separator, node), given p(separator)."""
    S, K = table.shape
    for s in range(S):
        if down[s] == 0.0:
            table[s] = 0.0
        elif mode == SUM:
            total = 0.0
            for k in range(K):
                table[s, k] *= factor[k]
                total += table[s, k]
            share = down[s] / total
            for k in range(K):
                table[s, k] *= share
        else:
            base = up[s] + taken
            for k in range(K):
                table[s, k] = down[s] * np.exp(table[s, k] + factor[k] - base)


@njit(cache=True, nogil=True)
def _project(table, rows, out):
    """Sum the rows of a table that belong to one row of a factor."""
    out[:] = 0.0
    for s in range(len(table)):
        t = rows[s]
        for k in range(table.shape[1]):
            out[t, k] += table[s, k]


@njit(cache=True, nogil=True)
def downward(plan, g, first_edge, mode, weight, work, node, edge):
    """Set the marginals of nodes; add to those of edges, times a weight."""
    K = node.shape[1]
    begin = plan.first[g]
    for c in range(plan.first[g + 1] - 1, begin - 1, -1):
        b = c - begin
        n_rows = plan.n_rows[c]
        own = slice(plan.at[c], plan.at[c] + n_rows)
        table = work.table[own]
        if plan.parent[c] < 0:
            work.down[own] = 1.0
        _join(
            table, work.factor[b], mode, work.down[own], work.up[own], work.shift[1, b]
        )
        marginal = node[plan.node[c]]
        marginal[:] = 0.0
        for s in range(n_rows):
            for k in range(K):
                marginal[k] += table[s, k]
        for i in range(plan.first_edge[c], plan.first_edge[c + 1]):
            e = 0 if len(edge) == 1 else first_edge + plan.edge[i]
            rows = plan.rows[plan.edge_rows[i] : plan.edge_rows[i] + n_rows]
            _project(table, rows, work.pair)
            if plan.flipped[i]:
                edge[e] += weight * work.pair.T
            else:
                edge[e] += weight * work.pair
        for i in range(plan.first_child[c], plan.first_child[c + 1]):
            at = plan.at[plan.child[i]]
            message = work.down[at : at + plan.n_rows[plan.child[i]]].reshape(-1, K)
            rows = plan.rows[plan.child_rows[i] : plan.child_rows[i] + n_rows]
            _project(table, rows, message)


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
    work = new_work(plan, shape[samples], node.shape[1])
    for s in samples:
        own = slice(offsets[s], offsets[s + 1])
        g, first_edge = shape[s], edge_offsets[s]
        log_z[s] = upward(plan, g, node[own], edge, first_edge, mode, work)
        if len(node_out) and log_z[s] > -np.inf:
            downward(
                plan, g, first_edge, mode, weight[s], work, node_out[own], edge_out
            )


@njit(cache=True, nogil=True)
def _draw(row, factor, uniform):
    """A label with probability proportional to exp of its log-weight."""
    logs = row + factor
    top = logs.max()
    if top == -np.inf:
        return 0
    rest = uniform * np.exp(logs - top).sum()
    chosen = 0
    for k in range(len(logs)):
        if logs[k] > -np.inf:
            chosen = k
            rest -= np.exp(logs[k] - top)
            if rest < 0.0:
                break
    return chosen


@njit(cache=True, nogil=True)
def _first_best(row, factor):
    best = 0
    for k in range(1, len(row)):
        if row[k] + factor[k] > row[best] + factor[best]:
            best = k
    return best


@njit(cache=True, nogil=True)
def choose_states(
    plan, shape, offsets, edge_offsets, node, edge, mode, uniforms, states
):
    """Best states (mode MAX; the lower ones of equals), or draws (mode LOG)."""
    K = node.shape[1]
    work = new_work(plan, shape, K)
    row = np.zeros(len(work.factor), np.intp)
    for s in range(len(shape)):
        own = slice(offsets[s], offsets[s + 1])
        g, chosen = shape[s], states[own]
        upward(plan, g, node[own], edge, edge_offsets[s], mode, work)
        begin = plan.first[g]
        for c in range(plan.first[g + 1] - 1, begin - 1, -1):
            b = c - begin
            if plan.parent[c] < 0:
                row[b] = 0
            logs = work.table[plan.at[c] + row[b]]
            i = plan.node[c]
            if mode == MAX:
                chosen[i] = _first_best(logs, work.factor[b])
            else:
                chosen[i] = _draw(logs, work.factor[b], uniforms[own.start + i])
            for j in range(plan.first_child[c], plan.first_child[c + 1]):
                t = plan.rows[plan.child_rows[j] + row[b]]
                row[plan.child[j] - begin] = t * K + chosen[i]

"""The adversarial game on junction trees: every node is answered inside a tour.

A tour walks around the tree and sends a message over every separator each time it
passes, so that a clique always hears what its neighbours say now. On entering a clique
and on leaving it the predictor of its node is set exactly, given all others.
"""

import numpy as np
from numba import njit

from skstruct.kernels._node_game import augment_node, update_node
from skstruct.structures._junction_sums import (
    SUM,
    absorb,
    downward,
    new_work,
    node_factor,
    rescale,
    send_up,
    upward,
)

__all__ = ["play_games"]


@njit(cache=True, nogil=True)
def _cavity(table, down, mode, out):
    """Add the log of all that the node hears to its own potential."""
    S, K = table.shape
    for k in range(K):
        if mode == SUM:
            total = 0.0
            for s in range(S):
                total += table[s, k] * down[s]
            out[k] += np.log(total)
            continue
        top = -np.inf
        for s in range(S):
            top = max(top, table[s, k] + down[s])
        if top > -np.inf:
            total = 0.0
            for s in range(S):
                total += np.exp(table[s, k] + down[s] - top)
            top += np.log(total)
        out[k] += top


@njit(cache=True, nogil=True)
def _answer(table, down, mode, node, i, game, predictor, spare, factor):
    """Set the predictor of node i and the factor that follows; returns its log."""
    logs, work = spare[0], spare[1:]
    cost, w = game.cost[game.index[i]], game.weight[i]
    logs[:] = node[i]
    _cavity(table, down, mode, logs)
    update_node(game.kind, logs, w, cost, game.values, predictor[i], work)
    augment_node(game.kind, w, cost, predictor[i], logs)
    logs += node[i]
    return node_factor(logs, mode, factor)


@njit(cache=True, nogil=True)
def _send_down(table, factor, down, up, rows, mode, out):
    """Set the message to a child, without what the child has said itself."""
    S, K = table.shape
    if mode == SUM:
        out[:] = 0.0
        for s in range(S):
            t = rows[s]
            for k in range(K):
                out[t, k] += table[s, k] * factor[k] * down[s]
        out /= up
        return
    out[:] = -np.inf
    for s in range(S):
        t = rows[s]
        for k in range(K):
            out[t, k] = np.logaddexp(out[t, k], table[s, k] + factor[k] + down[s])
    _take_out(out, up)


@njit(cache=True, nogil=True)
def _take_out(logs, other):
    """Subtract; what is impossible stays so."""
    for t in range(logs.shape[0]):
        for k in range(logs.shape[1]):
            if logs[t, k] > -np.inf:
                logs[t, k] -= other[t, k]


@njit(cache=True, nogil=True)
def _leave(plan, c, b, mode, work, rows):
    """Replace what clique c has told its parent by what it says now."""
    K = work.table.shape[1]
    own = slice(plan.at[c], plan.at[c] + plan.n_rows[c])
    change = work.down[own]  # not needed any more
    change[:] = work.up[own]
    send_up(plan, c, b, mode, work)
    if mode == SUM:
        change[:] = work.up[own] / change
    else:
        for s in range(len(change)):
            # What is impossible stays so, and what it changes by does not matter.
            change[s] = 0.0 if change[s] == -np.inf else work.up[own][s] - change[s]
    above = plan.parent[c]
    table = work.table[plan.at[above] : plan.at[above] + plan.n_rows[above]]
    absorb(table, change.reshape(-1, K), rows, mode)


@njit(cache=True, nogil=True)
def _tour(
    plan, root, first, offset, node, game, predictor, mode, twice, work, spare, turn
):
    """Set predictors on entering every clique of a tree and, if twice, on leaving."""
    K = node.shape[1]
    c, entering = root, True
    work.down[plan.at[root]] = 1.0 if mode == SUM else 0.0
    while True:
        b, i = c - first, offset + plan.node[c]
        n_rows = plan.n_rows[c]
        own = slice(plan.at[c], plan.at[c] + n_rows)
        table, down, factor = work.table[own], work.down[own], work.factor[b]
        if entering:
            turn[b] = plan.first_child[c]
        leaving = turn[b] == plan.first_child[c + 1]
        if entering or (leaving and twice):
            work.shift[0, b] = _answer(
                table, down, mode, node, i, game, predictor, spare, factor
            )
        if leaving:
            if c == root:
                send_up(plan, c, b, mode, work)
                return
            above = plan.parent[c]
            at = plan.child_rows[turn[above - first]]
            _leave(plan, c, b, mode, work, plan.rows[at : at + plan.n_rows[above]])
            turn[above - first] += 1
            c, entering = above, False
            continue
        j = turn[b]
        child = plan.child[j]
        theirs = slice(plan.at[child], plan.at[child] + plan.n_rows[child])
        _send_down(
            table,
            factor,
            down,
            work.up[theirs].reshape(-1, K),
            plan.rows[plan.child_rows[j] : plan.child_rows[j] + n_rows],
            mode,
            work.down[theirs].reshape(-1, K),
        )
        rescale(work.down[theirs], mode)
        c, entering = child, True


@njit(cache=True, nogil=True)
def play_games(
    plan,
    samples,
    shape,
    offsets,
    edge_offsets,
    augmented,
    edge,
    mode,
    weight,
    log_z,
    node_out,
    edge_out,
    node,
    game,
    predictor,
    n_sweeps,
):
    """Set predictors of samples sweep by sweep, then as `marginals_of`.

    augmented (N, K): log-potentials with the game of the predictors as they are given.
    """
    K = node.shape[1]
    work = new_work(plan, shape[samples], K)
    turn = np.empty(len(work.factor), np.intp)
    spare = np.empty((4, K))
    for s in samples:
        own = slice(offsets[s], offsets[s + 1])
        g, first_edge = shape[s], edge_offsets[s]
        first, end = plan.first[g], plan.first[g + 1]
        log_z[s] = upward(plan, g, augmented[own], edge, first_edge, mode, work)
        if log_z[s] == -np.inf:
            continue
        for sweep in range(0, n_sweeps, 2):
            twice = sweep + 1 < n_sweeps
            for root in range(first, end):
                if plan.parent[root] < 0:
                    _tour(
                        plan,
                        root,
                        first,
                        offsets[s],
                        node,
                        game,
                        predictor,
                        mode,
                        twice,
                        work,
                        spare,
                        turn,
                    )
        log_z[s] = work.shift[:, : end - first].sum()
        downward(plan, g, first_edge, mode, weight[s], work, node_out[own], edge_out)

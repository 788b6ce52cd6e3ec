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
    clique_of,
    downward,
    new_work,
    node_factor,
    project,
    rescale,
    send_up,
    upward,
)

__all__ = ["play_games"]


@njit(cache=True, nogil=True)
def _hear(table, down, mode, heard):
    """Set a copy of a table with what the parent says."""
    K, S = table.shape
    for k in range(K):
        if mode == SUM:
            for s in range(S):
                heard[k, s] = table[k, s] * down[s]
        else:
            for s in range(S):
                heard[k, s] = table[k, s] + down[s]


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _log_total(row, mode):
    """Log of the sum of a row, of numbers or of logs."""
    total, top = 0.0, 0.0
    if mode == SUM:
        for x in row:
            total += x
        return np.log(total)
    top = row.max()
    if top == -np.inf:
        return top
    for x in row:
        total += np.exp(x - top)
    return top + np.log(total)


@njit(cache=True, nogil=True)
def _answer(heard, mode, node, i, game, predictor, spare, factor):
    """Set the predictor of node i and the factor that follows; returns its log."""
    logs = spare[0]
    cost, w = game.cost[game.index[i]], game.weight[i]
    for k in range(len(logs)):
        logs[k] = node[i, k] + _log_total(heard[k], mode)
    update_node(game.kind, logs, w, cost, game.values, predictor[i], spare[1:])
    augment_node(game.kind, w, cost, predictor[i], logs)
    for k in range(len(logs)):
        logs[k] += node[i, k]
    return node_factor(logs, mode, factor)


@njit(cache=True, nogil=True)
def _log_project(table, groups, out):
    """As `project`, of logs."""
    K, S = table.shape
    T = out.shape[1]
    for k in range(K):
        for t in range(T):
            top, total = -np.inf, 0.0
            for r in range(t, S, T):
                top = max(top, table[k, groups[r]])
            if top > -np.inf:
                for r in range(t, S, T):
                    total += np.exp(table[k, groups[r]] - top)
                top += np.log(total)
            out[k, t] = top


@njit(cache=True, nogil=True, error_model="numpy")
def _send_down(heard, factor, groups, mode, up, out):
    """Set the message to a child, without what the child has said itself."""
    K, T = out.shape
    if mode == SUM:
        project(heard, groups, out)
    else:
        _log_project(heard, groups, out)
    for k in range(K):
        for t in range(T):
            if mode == SUM:
                out[k, t] *= factor[k] / up[k, t]
            elif out[k, t] > -np.inf:
                out[k, t] += factor[k] - up[k, t]


@njit(cache=True, nogil=True, error_model="numpy")
def _replace(table, columns, mode, new, old):
    """Put a new message into a table in place of the old one, which is lost."""
    for s in range(len(old)):
        if mode == SUM:
            old[s] = new[s] / old[s]
        else:
            # What is impossible stays so, whatever is added.
            old[s] = 0.0 if old[s] == -np.inf else new[s] - old[s]
    absorb(table, old.reshape(table.shape[0], -1), columns, mode)


@njit(cache=True, nogil=True)
def _tour(
    plan, root, first, offset, node, game, predictor, mode, twice, work, room, turn
):
    """Set predictors on entering every clique of a tree and, if twice, on leaving."""
    K = node.shape[1]
    spare = np.empty((4, K))
    c, entering = root, True
    work.down[plan.at[root]] = 1.0 if mode == SUM else 0.0
    while True:
        b = c - first
        table, up, down = clique_of(plan, c, work, K)
        factor = work.factor[b]
        if entering:
            turn[b] = plan.first_child[c]
        j = turn[b]
        leaving = j == plan.first_child[c + 1]
        if entering or twice or not leaving:
            heard = room[: table.size].reshape(table.shape)
            _hear(table, down, mode, heard)
        if entering or (leaving and twice):
            i = offset + plan.node[c]
            work.shift[0, b] = _answer(
                heard, mode, node, i, game, predictor, spare, factor
            )
        if not leaving:
            c, entering = plan.child[j], True
            _, theirs, message = clique_of(plan, c, work, K)
            shape = K, len(theirs) // K
            _send_down(
                heard,
                factor,
                plan.groups[plan.child_begin[j] :],
                mode,
                theirs.reshape(shape),
                message.reshape(shape),
            )
            rescale(message, mode)
            continue
        down[:] = up
        work.shift[1, b] = send_up(table, factor, mode, up)
        if c == root:
            return
        c, entering = plan.parent[c], False
        above, _, _ = clique_of(plan, c, work, K)
        columns = plan.columns[plan.child_begin[turn[c - first]] :]
        _replace(above, columns, mode, up, down)
        turn[c - first] += 1


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
    work = new_work(plan, samples, shape, node.shape[1])
    room, turn = np.empty_like(work.table), np.empty(len(work.factor), np.intp)
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
                        room,
                        turn,
                    )
        log_z[s] = work.shift[:, : end - first].sum()
        downward(plan, g, first_edge, mode, weight[s], work, node_out[own], edge_out)

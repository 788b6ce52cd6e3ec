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
    rescale,
    send_up,
    upward,
)

__all__ = ["play_games"]


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _total(row, down, groups, mode):
    """Sum (or log-sum) of what some columns of a table hold and hear."""
    total = 0.0
    if mode == SUM:
        for s in groups:
            total += row[s] * down[s]
        return total
    top = -np.inf
    for s in groups:
        top = max(top, row[s] + down[s])
    if top == -np.inf:
        return top
    for s in groups:
        total += np.exp(row[s] + down[s] - top)
    return top + np.log(total)


@njit(cache=True, nogil=True)
def _answer(table, down, mode, node, i, game, predictor, spare, factor):
    """Set the predictor of node i and the factor that follows; returns its log."""
    logs = spare[0]
    cost, w = game.cost[game.index[i]], game.weight[i]
    for k in range(len(logs)):
        heard = _total(table[k], down, range(len(down)), mode)
        logs[k] = node[i, k] + (np.log(heard) if mode == SUM else heard)
    update_node(game.kind, logs, w, cost, game.values, predictor[i], spare[1:])
    augment_node(game.kind, w, cost, predictor[i], logs)
    for k in range(len(logs)):
        logs[k] += node[i, k]
    return node_factor(logs, mode, factor)


@njit(cache=True, nogil=True)
def _send_down(table, factor, down, groups, mode, up, out):
    """Set the message to a child, without what the child has said itself."""
    K, T = out.shape
    R = table.shape[1] // T
    for k in range(K):
        for t in range(T):
            total = _total(table[k], down, groups[t * R : t * R + R], mode)
            if mode == SUM:
                total *= factor[k] / up[k, t]
            elif total > -np.inf:
                total += factor[k] - up[k, t]
            out[k, t] = total


@njit(cache=True, nogil=True)
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
def _tour(plan, root, first, offset, node, game, predictor, mode, twice, work, turn):
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
        if entering or (leaving and twice):
            i = offset + plan.node[c]
            work.shift[0, b] = _answer(
                table, down, mode, node, i, game, predictor, spare, factor
            )
        if not leaving:
            c, entering = plan.child[j], True
            _, theirs, message = clique_of(plan, c, work, K)
            groups = plan.groups[plan.child_begin[j] :]
            shape = K, len(theirs) // K
            _send_down(
                table,
                factor,
                down,
                groups,
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
    turn = np.empty(len(work.factor), np.intp)
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
                        turn,
                    )
        log_z[s] = work.shift[:, : end - first].sum()
        downward(plan, g, first_edge, mode, weight[s], work, node_out[own], edge_out)

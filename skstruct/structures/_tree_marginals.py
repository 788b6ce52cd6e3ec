"""What the messages of a forest tell of its nodes and edges."""

import numpy as np
from numba import njit

from skstruct.kernels._borrow import borrow
from skstruct.kernels._node_game import Game
from skstruct.structures._tree_game import (
    ABOVE,
    DOWN,
    REACH,
    SCALE,
    SUB,
    row,
)
from skstruct.structures._tree_layout import EDGE, IS_SECOND, NODE, PARENT
from skstruct.structures._tree_messages import (
    LOGARITHMS,
    LOST,
    TINY,
    loosely,
    multiply,
)
from skstruct.structures._tree_sums import all_messages

__all__ = ["forest_sums"]

# Edges whose counts are added up at once.
_BLOCK = 4


@njit(cache=True, nogil=True, error_model="numpy")
def _log_partition(t, vectors, logs, mode):
    total = 0.0
    for i in range(len(t)):
        total += logs[i, SCALE]
        if t[i, PARENT] < 0:
            mass = 0.0
            for k in range(vectors.shape[1]):
                x = vectors[row(i, SUB), k]
                mass += np.exp(x) if mode == LOGARITHMS else x
            total += np.log(mass)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _beliefs(t, vectors, logs, mode, out):
    """Marginals of nodes, into DOWN and ``out`` (n, K); answers success.

    REACH becomes the logarithm of what makes ABOVE x table x SUB a marginal.
    """
    K, done = vectors.shape[1], True
    for i in range(len(t)):
        loose = loosely(mode)
        top = multiply(vectors, row(i, SUB), row(i, DOWN), row(i, DOWN), loose)
        done &= top != LOST
        total = 0.0
        for k in range(K):
            x = vectors[row(i, DOWN), k]
            if mode == LOGARITHMS:
                x = np.exp(x)
            out[t[i, NODE], k] = x
            total += x
        for k in range(K):
            out[t[i, NODE], k] /= total
        logs[i, REACH] += top + np.log(total)
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def _add_log_pair(i, d, log_scale, weight, log_tables, begin, vectors, counts):
    """Add the marginal of the edge above node i to counts, in log space."""
    K = vectors.shape[1]
    for b in range(K):
        for a in range(K):
            x = vectors[row(i, SUB), b] + vectors[row(i, ABOVE), a]
            x += log_tables[begin + d * K + b, a]
            if x > -np.inf:
                share = weight * np.exp(x - log_scale)
                if d == 0:
                    counts[b, a] += share
                else:
                    counts[a, b] += share


@njit(cache=True, nogil=True, error_model="numpy")
def _pairs(
    t, shared, log_tables, tables, weight, vectors, logs, mode, counts, ends, n_ends
):
    """Marginals of edges, times weight.

    With p the table of an edge in probabilities, its marginal is the outer product of
    two vectors times p. These go into ``ends`` where all share a table.
    """
    K = vectors.shape[1]
    for i in range(len(t)):
        if t[i, PARENT] < 0:
            continue
        d, e = t[i, IS_SECOND], 0 if shared else t[i, EDGE]
        log_scale = logs[i, REACH]
        if mode == LOGARITHMS and log_scale < np.log(TINY):
            _add_log_pair(
                i, d, log_scale, weight, log_tables, 2 * K * e, vectors, counts[e]
            )
            continue
        factor = weight * np.exp(-log_scale)
        for k in range(K):
            low, high = vectors[row(i, SUB), k], vectors[row(i, ABOVE), k]
            if mode == LOGARITHMS:
                low, high = np.exp(low), np.exp(high)
            ends[d, n_ends, k] = factor * low
            ends[1 - d, n_ends, k] = high
        if shared:
            n_ends += 1
            if n_ends == ends.shape[1]:
                _flush(ends, n_ends, tables, counts)
                n_ends = 0
            continue
        for a in range(K):
            p = ends[0, 0, a]
            for b in range(K):
                counts[e, a, b] = p * ends[1, 0, b] * tables[2 * K * e + a, b]
    return n_ends


@njit(cache=True, nogil=True, error_model="numpy")
def _flush(ends, n_ends, tables, counts):
    """Add the pairs of ends to counts."""
    K = ends.shape[2]
    for i in range(n_ends, _BLOCK):
        for k in range(K):
            ends[0, i, k] = ends[1, i, k] = 0.0
    for a in range(K):
        p, q, r, s = ends[0, 0, a], ends[0, 1, a], ends[0, 2, a], ends[0, 3, a]
        for b in range(K):
            first = p * ends[1, 0, b] + q * ends[1, 1, b]
            second = r * ends[1, 2, b] + s * ends[1, 3, b]
            counts[0, a, b] += (first + second) * tables[a, b]


@njit(cache=True, nogil=True, error_model="numpy")
def forest_sums(
    offsets,
    edge_offsets,
    layout,
    node,
    scaled,
    node_shift,
    log_tables,
    tables,
    shift,
    game,
    predictor,
    n_sweeps,
    weight,
    mode,
    marginals,
    work,
    log_z,
    out,
    counts,
):
    """Log-partitions and, if asked for, marginals of nodes and weighted edge counts.

    ``n_sweeps`` half-sweeps of the game are played first. Each sample is done in
    ``mode``, and again in logarithms if that is lost. Impossible samples have zeros and
    are not played. ``work`` comes from `make_work`.
    """
    K, n_ends = node.shape[1], np.int64(0)
    vectors, logs, rows = borrow(work[0]), borrow(work[1]), borrow(work[2])
    shared, ends = len(shift) == 1, np.empty((2, _BLOCK, K))
    for s in range(len(offsets) - 1):
        own = slice(offsets[s], offsets[s + 1])
        first, last = edge_offsets[s], edge_offsets[s + 1]
        if shared:
            first, last = 0, 1
        both = slice(2 * K * first, 2 * K * last)
        t = borrow(layout[own])
        nodes = borrow(node[own]), borrow(scaled[own]), borrow(node_shift[own])
        log_table, table = borrow(log_tables[both]), borrow(tables[both])
        players = Game(
            game.kind,
            borrow(game.cost),
            borrow(game.index[own]),
            borrow(game.weight[own]),
            borrow(game.values),
        )
        p, belief = borrow(predictor[own]), borrow(out[own])
        count = borrow(counts[first:last])
        way = mode
        while True:
            done = all_messages(
                t,
                *nodes,
                log_table,
                table,
                borrow(shift[first:last]),
                players,
                p,
                n_sweeps,
                marginals,
                vectors,
                logs,
                rows,
                way,
            )
            if marginals:
                done = done and _beliefs(t, vectors, logs, way, belief)
            if done or way == LOGARITHMS:
                break
            way = LOGARITHMS
        log_z[s] = _log_partition(t, vectors, logs, way) if done else -np.inf
        if marginals and done:
            n_ends = _pairs(
                t,
                shared,
                log_table,
                table,
                weight[s],
                vectors,
                logs,
                way,
                count,
                ends,
                n_ends,
            )
        elif marginals:
            belief[:] = 0.0
    if n_ends:
        _flush(ends, n_ends, tables, counts)

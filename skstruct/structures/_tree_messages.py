"""Vectors over the labels of a node that trees multiply, rescale and send.

Two ways to hold one: as probabilities whose largest is 1, or as their logarithms, whose
largest is 0. Probabilities are the faster, but have a range: operations on them answer
``LOST`` where they would leave it. With ``strict``, for edges of wide range, every entry
is watched: it is 0 (impossible), or at least TINY. Otherwise only the largest one is,
since no message's entries then lie further than TINY from each other.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

__all__ = [
    "FLOOR",
    "LOST",
    "TINY",
    "Tables",
    "edge_tables",
    "multiply",
    "plain_tables",
    "rescale",
    "row_of",
    "send",
    "set_row",
]

LOST = -np.inf
# Below this share of the largest entry, one is close to the end of the range.
TINY = 1e-80
# What a possible entry is raised to when it would vanish: far enough below TINY.
FLOOR = 1e-200
# Nats below the largest term of a sum at which a term cannot be seen.
_UNSEEN = -38.0


class Tables(NamedTuple):
    """Edge potentials less their largest, in both directions.

    Attributes
    ----------
    log, probability : ndarray of shape (2, E, K, K)
        Entry ``[0, e, a, b]`` belongs to labels a, b of the ends of edge e, and
        ``[1, e, b, a]`` too. E = 1: shared by all edges.
    shift : ndarray of shape (E,)
        What was taken off.
    first : int
        Edge of the batch that the first table belongs to.
    """

    log: np.ndarray
    probability: np.ndarray
    shift: np.ndarray
    first: int


def plain_tables(edge, first):
    """Tables of potentials as they are, for sums that are not of probabilities."""
    log = np.empty((2, *edge.shape))
    log[0], log[1] = edge, edge.transpose(0, 2, 1)
    return Tables(log, log[:, :0], np.zeros(len(edge)), first)


def edge_tables(edge, first):
    """Tables of potentials (E, K, K), of one edge, all, or those from ``first`` on.

    Also answers whether to watch every entry.
    """
    shift = edge.max(axis=(1, 2), initial=-np.inf)
    shift[np.isneginf(shift)] = 0.0
    log = np.empty((2, *edge.shape))
    np.subtract(edge, shift[:, None, None], out=log[0])
    log[1] = log[0].transpose(0, 2, 1)
    probability = np.exp(log)
    strict = bool(probability.min(initial=1.0) < TINY)
    if strict:
        probability[(log > -np.inf) & (probability < FLOOR)] = FLOOR
    return Tables(log, probability, shift, first), strict


@njit(cache=True, nogil=True)
def row_of(tables, edge):
    """Where the tables hold that of an edge of the batch."""
    return min(edge - tables.first, len(tables.shift) - 1)


# `max` turns into vector instructions only where NaN need not be thought of.
_FAST = {"nnan", "nsz", "contract"}


@njit(cache=True, nogil=True, fastmath=_FAST)
def rescale(rows, i, in_log, strict):
    """Divide rows[i] by its largest entry; the logarithm of that, or LOST."""
    K = rows.shape[1]
    top = -np.inf
    for k in range(K):
        top = max(top, rows[i, k])
    if in_log:
        if top > -np.inf:
            for k in range(K):
                rows[i, k] -= top
        return top
    if top < TINY:
        return LOST
    if top != 1.0:
        factor = 1.0 / top
        for k in range(K):
            rows[i, k] *= factor
        top = np.log(top)
    else:
        top = 0.0
    if strict:
        for k in range(K):
            if 0.0 < rows[i, k] < TINY:
                return LOST
    return top


@njit(cache=True, nogil=True, fastmath=_FAST)
def multiply(a, i, b, j, out, o, in_log):
    """out[o] = a[i] * b[j]."""
    if in_log:
        for k in range(out.shape[1]):
            out[o, k] = a[i, k] + b[j, k]
    else:
        for k in range(out.shape[1]):
            out[o, k] = a[i, k] * b[j, k]


@njit(cache=True, nogil=True)
def set_row(log_rows, j, out, i, in_log):
    """out[i] = a row of logarithms less its largest entry, which is answered."""
    K = out.shape[1]
    for k in range(K):
        out[i, k] = log_rows[j, k]
    top = rescale(out, i, True, False)
    if not in_log and top > -np.inf:
        for k in range(K):
            possible = out[i, k] > -np.inf
            out[i, k] = np.exp(out[i, k])
            if possible and out[i, k] < FLOOR:
                out[i, k] = FLOOR
    return top


@njit(cache=True, nogil=True, fastmath=_FAST)
def _apply(vector, table, d, e, out, i):
    """out[i] = vector @ table[d, e], four rows of the table at a time."""
    K = len(vector)
    for b in range(K):
        out[i, b] = 0.0
    whole = K - K % 4
    for a in range(0, whole, 4):
        p, q, r, s = vector[a], vector[a + 1], vector[a + 2], vector[a + 3]
        for b in range(K):
            first = p * table[d, e, a, b] + q * table[d, e, a + 1, b]
            second = r * table[d, e, a + 2, b] + s * table[d, e, a + 3, b]
            out[i, b] += first + second
    for a in range(whole, K):
        p = vector[a]
        for b in range(K):
            out[i, b] += p * table[d, e, a, b]


@njit(cache=True, nogil=True)
def _log_sum(rows, i, log_table, d, e, b):
    """Logarithm of the sum over a of exp(rows[i, a] + log_table[d, e, a, b])."""
    K = rows.shape[1]
    top = -np.inf
    for a in range(K):
        top = max(top, rows[i, a] + log_table[d, e, a, b])
    if top == -np.inf:
        return top
    total = 0.0
    for a in range(K):
        x = rows[i, a] + log_table[d, e, a, b] - top
        if x > _UNSEEN:
            total += np.exp(x)
    return top + np.log(total)


@njit(cache=True, nogil=True)
def send(rows, j, tables, d, e, out, i, in_log, strict, work):
    """out[i] = rows[j] @ table, rescaled; the logarithm of the scale, or LOST.

    In logarithms, what is too small as a probability is summed again in log space: the
    message is exact whatever the range.
    """
    K = len(work)
    for a in range(K):
        work[a] = np.exp(rows[j, a]) if in_log else rows[j, a]
    _apply(work, tables.probability, d, e, out, i)
    if in_log:
        for b in range(K):
            if out[i, b] > TINY:
                out[i, b] = np.log(out[i, b])
            else:
                out[i, b] = _log_sum(rows, j, tables.log, d, e, b)
    return rescale(out, i, in_log, strict)

"""Vectors over the labels of a node that trees multiply, rescale and send.

The rows of ``vectors`` are logarithms, whose largest is 0, or probabilities, whose
largest is about 1. Probabilities are the faster but have a range, and what would leave
it answers ``LOST``. For edges of narrow range, all entries of a message lie within TINY
of each other, so that only the largest one of a product need be looked at; otherwise
every entry is watched: it is 0 (impossible), or at least TINY.
"""

import numpy as np
from numba import njit

__all__ = [
    "FLOOR",
    "LOGARITHMS",
    "LOST",
    "PROBABILITIES",
    "TINY",
    "WATCHED",
    "both_ways",
    "edge_tables",
    "loosely",
    "multiply",
    "rescale",
    "send",
]

PROBABILITIES, WATCHED, LOGARITHMS = range(3)
LOST = -np.inf
# Below this share of the largest entry, one is close to the end of the range.
TINY = 1e-80
# A largest entry between this and its inverse is left as it is.
_LARGE = 1e20
# What a possible entry is raised to when it would vanish: far enough below TINY.
FLOOR = 1e-200
# Nats below the largest term of a sum at which a term cannot be seen.
_UNSEEN = -38.0


def both_ways(edge):
    """Tables of edges (E, K, K) as rows (E * 2 * K, K).

    Those of edge e, from its first to its second end, begin at row 2 K e; K rows later
    those back.
    """
    tables = np.stack([edge, edge.transpose(0, 2, 1)], axis=1)
    return tables.reshape(-1, edge.shape[-1])


def edge_tables(edge):
    """What is sent along edges of log-potentials (E, K, K).

    Returns
    -------
    log_tables, tables : ndarray of shape (E * 2 * K, K)
        In logarithms and in probabilities, ``both_ways``.
    shift : ndarray of shape (E,)
        The largest log-potential, which was taken off.
    mode : int
        PROBABILITIES or WATCHED.
    """
    shift = edge.max(axis=(1, 2), initial=-np.inf)
    shift[np.isneginf(shift)] = 0.0
    log = edge - shift[:, None, None]
    table = np.exp(log)
    mode = PROBABILITIES
    if table.min(initial=1.0) < TINY:
        table[(log > -np.inf) & (table < FLOOR)] = FLOOR
        mode = WATCHED
    return both_ways(log), both_ways(table), shift, mode


@njit(cache=True, nogil=True, error_model="numpy")
def loosely(mode):
    """The mode for products of which only the largest entries matter."""
    return PROBABILITIES if mode == WATCHED else mode


# `max` turns into vector instructions only where NaN need not be thought of.
_FAST = {"nnan", "nsz", "contract"}


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def multiply(vectors, x, y, z, mode):
    """Row z = row x times row y, rescaled; the logarithm taken off, or LOST."""
    top = -np.inf
    if mode == LOGARITHMS:
        for k in range(vectors.shape[1]):
            vectors[z, k] = vectors[x, k] + vectors[y, k]
            top = max(top, vectors[z, k])
    else:
        for k in range(vectors.shape[1]):
            vectors[z, k] = vectors[x, k] * vectors[y, k]
            top = max(top, vectors[z, k])
    return _bring_into_range(vectors, z, top, mode)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def rescale(vectors, x, mode):
    """Bring the largest entry of row x into range; the logarithm taken off, or LOST."""
    top = -np.inf
    for k in range(vectors.shape[1]):
        top = max(top, vectors[x, k])
    return _bring_into_range(vectors, x, top, mode)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def _bring_into_range(vectors, x, top, mode):
    """As ``rescale``, of a row whose largest entry is ``top``."""
    K, shift, least = vectors.shape[1], 0.0, np.inf
    if mode == LOGARITHMS:
        shift = top
        if top > -np.inf:
            for k in range(K):
                vectors[x, k] -= top
    elif top < TINY:
        shift = LOST
    elif not 1 / _LARGE < top < _LARGE:
        for k in range(K):
            vectors[x, k] /= top
        shift = np.log(top)
    if mode == WATCHED:
        for k in range(K):
            if vectors[x, k] > 0.0:
                least = min(least, vectors[x, k])
        if least < TINY:
            shift = LOST
    return shift


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def _apply(work, tables, begin, vectors, y):
    """Row y = work @ tables[begin : begin + K], four rows of the table at a time."""
    K = len(work)
    for k in range(K):
        vectors[y, k] = 0.0
    whole = K - K % 4
    for a in range(0, whole, 4):
        p, q, r, s = work[a], work[a + 1], work[a + 2], work[a + 3]
        for k in range(K):
            first = p * tables[begin + a, k] + q * tables[begin + a + 1, k]
            second = r * tables[begin + a + 2, k] + s * tables[begin + a + 3, k]
            vectors[y, k] += first + second
    for a in range(whole, K):
        p = work[a]
        for k in range(K):
            vectors[y, k] += p * tables[begin + a, k]


@njit(cache=True, nogil=True, error_model="numpy")
def _log_sum(vectors, x, log_tables, begin, k):
    """Logarithm of entry k of what row x would send."""
    K = vectors.shape[1]
    top = -np.inf
    for j in range(K):
        top = max(top, vectors[x, j] + log_tables[begin + j, k])
    if top == -np.inf:
        return top
    total = 0.0
    for j in range(K):
        z = vectors[x, j] + log_tables[begin + j, k] - top
        if z > _UNSEEN:
            total += np.exp(z)
    return top + np.log(total)


@njit(cache=True, nogil=True, error_model="numpy")
def _take_logarithms(vectors, x, y, log_tables, begin):
    """Logarithms of row y, which row x sent; what is too small is summed again."""
    for k in range(vectors.shape[1]):
        if vectors[y, k] > TINY:
            vectors[y, k] = np.log(vectors[y, k])
        else:
            vectors[y, k] = _log_sum(vectors, x, log_tables, begin, k)


@njit(cache=True, nogil=True, error_model="numpy")
def send(vectors, x, y, log_tables, tables, begin, work, mode):
    """Row y = row x times the table at ``begin``; a log-scale, or LOST.

    In logarithms, what is too small as a probability is summed again in log space: then
    messages are exact whatever the range.
    """
    for k in range(len(work)):
        work[k] = vectors[x, k]
    if mode == LOGARITHMS:
        for k in range(len(work)):
            work[k] = np.exp(work[k])
    _apply(work, tables, begin, vectors, y)
    if mode == LOGARITHMS:
        _take_logarithms(vectors, x, y, log_tables, begin)
    return rescale(vectors, y, mode)

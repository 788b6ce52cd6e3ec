"""Sum-product of single sequences in log space: exact whatever the range."""

import numpy as np
from numba import njit

__all__ = ["log_messages", "log_space_sums"]


@njit(cache=True, nogil=True)
def _log_sum(values):
    top = values.max()
    if top == -np.inf:
        return top
    total = 0.0
    for x in values:
        if x > -np.inf:
            total += np.exp(x - top)
    return top + np.log(total)


@njit(cache=True, nogil=True)
def log_messages(begin, length, index, start, edge, edge_index, node):
    """Forward messages of one sequence in log space, shape (length, K)."""
    K = len(start)
    alpha, terms = np.empty((length, K)), np.empty(K)
    for t in range(length):
        u = index[begin + t]
        if t == 0:
            alpha[0] = start + node[u]
            continue
        e = edge_index[begin + t]
        for b in range(K):
            if node[u, b] == -np.inf:
                alpha[t, b] = -np.inf
                continue
            for a in range(K):
                terms[a] = alpha[t - 1, a] + edge[e, a, b]
            alpha[t, b] = _log_sum(terms) + node[u, b]
    return alpha


@njit(cache=True, nogil=True)
def log_space_sums(
    begin,
    length,
    index,
    start,
    edge,
    edge_index,
    node,
    stop,
    weight,
    node_counts,
    edge_counts,
    start_counts,
    stop_counts,
):
    """Add the counts of one sequence, in log space; returns its log-partition.

    An impossible sequence adds nothing and has log-partition ``-inf``.
    """
    K = len(start)
    alpha = log_messages(begin, length, index, start, edge, edge_index, node)
    log_z = _log_sum(alpha[length - 1] + stop)
    if log_z == -np.inf:
        return log_z
    beta, ahead, terms = stop - log_z, np.empty(K), np.empty(K)
    for b in range(K):
        stop_counts[b] += weight * np.exp(alpha[length - 1, b] + beta[b])
    for t in range(length - 1, -1, -1):
        u = index[begin + t]
        for b in range(K):
            if alpha[t, b] > -np.inf:
                node_counts[u, b] += weight * np.exp(alpha[t, b] + beta[b])
        if t == 0:
            for b in range(K):
                start_counts[b] += weight * np.exp(alpha[0, b] + beta[b])
            break
        e = edge_index[begin + t]
        beta += node[u]
        ahead[:] = -np.inf
        for a in range(K):
            if alpha[t - 1, a] == -np.inf:  # most, where few states are allowed
                continue
            for b in range(K):
                terms[b] = edge[e, a, b] + beta[b]
                if terms[b] > -np.inf:
                    edge_counts[e, a, b] += weight * np.exp(alpha[t - 1, a] + terms[b])
            ahead[a] = _log_sum(terms)
        beta, ahead = ahead, beta
    return log_z

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
    """Forward messages of one sequence in log space, and what was taken off them.

    The largest message of each token is 0, so that rounding does not grow with the
    length or with the scale of the potentials.
    """
    K = len(start)
    alpha, terms, taken = np.empty((length, K)), np.empty(K), 0.0
    for t in range(length):
        u = index[begin + t]
        base = node[u].max()
        if base == -np.inf:
            base = 0.0
        e = edge_index[begin + t]
        for b in range(K):
            if node[u, b] == -np.inf:
                alpha[t, b] = -np.inf
            elif t == 0:
                alpha[0, b] = start[b] + (node[u, b] - base)
            else:
                for a in range(K):
                    terms[a] = alpha[t - 1, a] + edge[e, a, b]
                alpha[t, b] = _log_sum(terms) + (node[u, b] - base)
        top = alpha[t].max()
        taken += base + top
        if top > -np.inf:
            alpha[t] -= top
    return alpha, taken


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
    alpha, taken = log_messages(begin, length, index, start, edge, edge_index, node)
    log_z = taken + _log_sum(alpha[length - 1] + stop)
    if log_z == -np.inf:
        return log_z
    beta, ahead, terms = stop.copy(), np.empty(K), np.empty(K)
    for t in range(length - 1, -1, -1):
        u = index[begin + t]
        beta -= _log_sum(alpha[t] + beta)  # now the marginals sum to one
        for b in range(K):
            if alpha[t, b] > -np.inf:
                share = weight * np.exp(alpha[t, b] + beta[b])
                node_counts[u, b] += share
                if t == 0:
                    start_counts[b] += share
                if t == length - 1:
                    stop_counts[b] += share
        if t == 0:
            break
        e = edge_index[begin + t]
        beta += node[u] - node[u].max()
        ahead[:] = -np.inf
        total = -np.inf
        for a in range(K):
            if alpha[t - 1, a] == -np.inf:  # most, where few states are allowed
                continue
            for b in range(K):
                terms[b] = edge[e, a, b] + beta[b]
            ahead[a] = _log_sum(terms)
            total = np.logaddexp(total, alpha[t - 1, a] + ahead[a])
        for a in range(K):
            if ahead[a] == -np.inf:
                continue
            for b in range(K):
                x = alpha[t - 1, a] + edge[e, a, b] + beta[b] - total
                if x > -np.inf:
                    edge_counts[e, a, b] += weight * np.exp(x)
        beta, ahead = ahead, beta
    return log_z

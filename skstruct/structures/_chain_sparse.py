"""Sum-product over the states that each token may take, for any edge tables."""

import numpy as np
from numba import njit

from skstruct.structures._chain_sums import TINY, UNSEEN

__all__ = ["sparse_sums"]


@njit(cache=True, nogil=True)
def sparse_sums(
    lengths,
    begins,
    index,
    edge_index,
    pattern,
    ptr,
    states,
    row_ptr,
    node,
    start,
    edge,
    stop,
    weight,
    strict,
):
    """Log-partitions and expected counts, visiting allowed states only.

    Row u of the node table may take ``states[ptr[p]:ptr[p + 1]]``, p = ``pattern[u]``;
    the probabilities of these states, and their counts, lie at ``row_ptr[u]``.
    Returns what `dense_sums` does.
    """
    K = len(start)
    n = len(lengths)
    log_z = np.zeros(n)
    lost = np.zeros(n, dtype=np.bool_)
    node_counts, edge_counts = np.zeros(len(node)), np.zeros(edge.shape)
    start_counts, stop_counts = np.zeros(K), np.zeros(K)
    longest = lengths.max() if n else 0
    width = 1
    for p in range(len(ptr) - 1):
        width = max(width, ptr[p + 1] - ptr[p])
    alpha, scale = np.empty((longest, width)), np.empty(longest)
    beta, ahead = np.empty(width), np.empty(width)
    for s in range(n):
        L = lengths[s]
        total, product = 0.0, 1.0
        dropped = 0.0  # no more mass than this would have come out of what was dropped
        q, m = 0, 0  # the states of the token before: where they begin, how many
        for t in range(L):
            u = index[begins[s] + t]
            p = ptr[pattern[u]]
            k = ptr[pattern[u] + 1] - p
            e = edge_index[begins[s] + t]
            z = 0.0
            for j in range(k):
                b = states[p + j]
                x = 0.0
                if t == 0:
                    x = start[b]
                else:
                    for i in range(m):
                        x += alpha[t - 1, i] * edge[e, states[q + i], b]
                x *= node[row_ptr[u] + j]
                alpha[t, j] = x
                z += x
            if z < TINY:
                lost[s] = True
                break
            scale[t] = 1.0 / z
            dropped = min(dropped * k * scale[t], 1.0)
            for j in range(k):
                alpha[t, j] *= scale[t]
                if strict and alpha[t, j] < TINY:
                    dropped += alpha[t, j]
                    alpha[t, j] = 0.0
            product *= z
            if product < TINY:
                total += np.log(product)
                product = 1.0
            q, m = p, k
        if L == 0 or lost[s]:
            continue
        final = 0.0
        for j in range(m):
            final += alpha[L - 1, j] * stop[states[q + j]]
        if final < TINY or dropped > UNSEEN * final:
            lost[s] = True
            continue
        log_z[s] = total + np.log(product) + np.log(final)
        for j in range(m):
            beta[j] = stop[states[q + j]] * weight[s] / final
            stop_counts[states[q + j]] += alpha[L - 1, j] * beta[j]
        for t in range(L - 1, -1, -1):
            u = index[begins[s] + t]
            p = ptr[pattern[u]]
            k = ptr[pattern[u] + 1] - p
            for j in range(k):
                if alpha[t, j] == 0.0:  # nothing comes here, so nothing bounds beta
                    beta[j] = 0.0
                share = alpha[t, j] * beta[j]
                node_counts[row_ptr[u] + j] += share
                beta[j] *= node[row_ptr[u] + j] * scale[t]
                if t == 0:
                    start_counts[states[p + j]] += share
            if t == 0:
                break
            e = edge_index[begins[s] + t]
            v = index[begins[s] + t - 1]
            q = ptr[pattern[v]]
            m = ptr[pattern[v] + 1] - q
            for i in range(m):
                a = states[q + i]
                x = 0.0
                for j in range(k):
                    b = states[p + j]
                    y = edge[e, a, b] * beta[j]
                    edge_counts[e, a, b] += alpha[t - 1, i] * y
                    x += y
                ahead[i] = x
            for i in range(m):
                beta[i] = ahead[i]
    return log_z, lost, node_counts, edge_counts, start_counts, stop_counts

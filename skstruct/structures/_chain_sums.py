"""Sum-product over all states of the first-order chain, by matrix products.

Messages are kept as probabilities, rescaled at every token, which is an order of
magnitude faster than adding in log space. A sequence whose messages leave the range of
floats is reported back, to be done again in log space.
"""

import numpy as np
from numba import njit

__all__ = ["TINY", "UNSEEN", "dense_sums"]

# Below this share of the largest message, a message is close to the end of the range.
TINY = 1e-100
# Share of all mass that may be dropped on the way without being seen in the result.
UNSEEN = 1e-20


@njit(cache=True, nogil=True)
def _times(rows, matrix, out):
    """``out = rows @ matrix``; BLAS where there are rows enough to pay for the call."""
    n, K = rows.shape
    if n >= 4:
        np.dot(rows, matrix, out)
        return
    for i in range(n):
        out[i] = 0.0
        for a in range(K):
            x = rows[i, a]
            for b in range(K):
                out[i, b] += x * matrix[a, b]


@njit(cache=True, nogil=True)
def _layout(lengths, active, first):
    """Rows of a block laid out by time: ``active[t]`` sequences reach token t."""
    m = len(lengths)
    first[0] = 0
    for t in range(lengths[0]):
        while lengths[m - 1] <= t:
            m -= 1
        active[t] = m
        first[t + 1] = first[t] + m
    active[lengths[0]] = 0


@njit(cache=True, nogil=True)
def _blocks(lengths, width, max_rows):
    """Ends of runs of at most ``width`` sequences and about ``max_rows`` tokens."""
    ends = [0]
    rows = 0
    for i in range(len(lengths)):
        if i > ends[-1] and (i - ends[-1] == width or rows + lengths[i] > max_rows):
            ends.append(i)
            rows = 0
        rows += lengths[i]
    ends.append(len(lengths))
    return ends


@njit(cache=True, nogil=True)
def _forward(
    begins, active, first, index, start, edge, node, strict, alpha, scale, lost, dropped
):
    """Rescaled forward messages of one block; marks sequences that underflow.

    No more than the share ``dropped`` of a sequence would have come out of mass that
    was too small to be carried on.
    """
    K = len(start)
    spread = edge.sum(axis=1).max()
    for t in range(len(active) - 1):
        f, m = first[t], active[t]
        if t == 0:
            for i in range(m):
                alpha[i] = start
        else:
            _times(alpha[first[t - 1] : first[t - 1] + m], edge, alpha[f : f + m])
        for i in range(m):
            u = index[begins[i] + t]
            z = 0.0
            for b in range(K):
                x = alpha[f + i, b] * node[u, b]
                alpha[f + i, b] = x
                z += x
            if z < TINY:
                lost[i] = True
                z = np.inf
            z = 1.0 / z
            scale[f + i] = z
            for b in range(K):
                alpha[f + i, b] *= z
            if strict:
                dropped[i] = min(dropped[i] * spread * z, 1.0)
                for b in range(K):
                    if alpha[f + i, b] < TINY:
                        dropped[i] += alpha[f + i, b]
                        alpha[f + i, b] = 0.0


@njit(cache=True, nogil=True)
def _log_scale(lengths, first, scale, last, lost, log_z):
    """Sum of log scales, a product at a time: few logarithms."""
    for i in range(len(lengths)):
        if lost[i]:
            continue
        total, product = 0.0, last[i]
        for t in range(lengths[i]):
            product /= scale[first[t] + i]
            if product < TINY or product > 1 / TINY:
                total += np.log(product)
                product = 1.0
        log_z[i] = total + np.log(product)


@njit(cache=True, nogil=True)
def dense_sums(
    lengths, begins, index, start, edge, node, stop, weight, strict, backward
):
    """Log-partitions and expected counts of sequences sorted by falling length.

    Works through blocks of sequences, one matrix product for all their tokens at
    time t. Tables hold probabilities. Returns log-partitions, a mark for each
    sequence that must be done again, and counts of node, edge, start and stop.
    """
    U, K = node.shape
    n = len(lengths)
    log_z = np.zeros(n)
    lost = np.zeros(n, dtype=np.bool_)
    node_counts = np.zeros((U if backward else 0, K))
    edge_counts, pair = np.zeros((K, K)), np.empty((K, K))
    start_counts, stop_counts = np.zeros(K), np.zeros(K)
    backward_edge = np.ascontiguousarray(edge.T)
    ends = _blocks(lengths, 64, 1 << 15)
    for g in range(len(ends) - 1):
        lo, hi = ends[g], ends[g + 1]
        while hi > lo and lengths[hi - 1] == 0:  # sorted: empty ones stand last
            hi -= 1
        if hi == lo:
            continue
        L = lengths[lo]
        active, first = np.empty(L + 1, np.intp), np.empty(L + 1, np.intp)
        _layout(lengths[lo:hi], active, first)
        alpha, scale = np.empty((first[L], K)), np.empty(first[L])
        dropped = np.zeros(hi - lo)
        _forward(
            begins[lo:hi],
            active,
            first,
            index,
            start,
            edge,
            node,
            strict,
            alpha,
            scale,
            lost[lo:hi],
            dropped,
        )
        final = np.empty(hi - lo)
        for i in range(hi - lo):
            row = first[lengths[lo + i] - 1] + i
            final[i] = 0.0
            for b in range(K):
                final[i] += alpha[row, b] * stop[b]
            if final[i] < TINY or dropped[i] > UNSEEN * final[i]:
                lost[lo + i] = True
                final[i] = 1.0
        _log_scale(lengths[lo:hi], first, scale, final, lost[lo:hi], log_z[lo:hi])
        if not backward:
            continue
        # message[row] = node * backward message * scale: what the token before sees
        message = np.empty((first[L], K))
        beta, ahead = np.empty((hi - lo, K)), np.empty((hi - lo, K))
        for t in range(L - 1, -1, -1):
            f, m = first[t], active[t]
            for i in range(active[t + 1], m):
                w = 0.0 if lost[lo + i] else weight[lo + i] / final[i]
                for b in range(K):
                    beta[i, b] = w * stop[b]
                    stop_counts[b] += alpha[f + i, b] * beta[i, b]
            for i in range(m):
                u = index[begins[lo + i] + t]
                r = scale[f + i]
                for b in range(K):
                    # Where nothing comes from the left, nothing bounds what is ahead.
                    x = beta[i, b] if alpha[f + i, b] > 0.0 else 0.0
                    beta[i, b] = x
                    node_counts[u, b] += alpha[f + i, b] * x
                    message[f + i, b] = x * node[u, b] * r
            if t > 0:
                _times(message[f : f + m], backward_edge, ahead[:m])
                beta, ahead = ahead, beta
        for i in range(hi - lo):
            for b in range(K):
                start_counts[b] += alpha[i, b] * beta[i, b]
        # Bring each message's left neighbour to the same row, then one product.
        rows = first[L] - active[0]
        for t in range(1, L):
            source, target = first[t - 1], first[t] - active[0]
            if source != target:
                for i in range(active[t]):
                    alpha[target + i] = alpha[source + i]
        np.dot(alpha[:rows].T, message[active[0] :], pair)
        edge_counts += pair
    for a in range(K):
        for b in range(K):
            edge_counts[a, b] *= edge[a, b]
    return log_z, lost, node_counts, edge_counts, start_counts, stop_counts

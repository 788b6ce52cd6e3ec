"""Sum-product kernels of the first-order chain.

Messages are kept as probabilities, rescaled at every token, which is an order of
magnitude faster than adding in log space. A sequence whose messages leave the range of
floats is reported back, and `log_space_sums` does that sequence again, exactly.
"""

import numpy as np
from numba import njit

__all__ = [
    "TINY",
    "dense_sums",
    "log_messages",
    "log_space_sums",
    "sparse_sums",
]

# Below this share of the largest message, a message is close to the end of the range.
TINY = 1e-100


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
    begins, active, first, index, start, edge, node, strict, alpha, scale, lost
):
    """Rescaled forward messages of one block; marks sequences that underflow."""
    K = len(start)
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
                for b in range(K):
                    if 0.0 < alpha[f + i, b] < TINY:
                        lost[i] = True


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
        )
        final = np.empty(hi - lo)
        for i in range(hi - lo):
            row = first[lengths[lo + i] - 1] + i
            final[i] = 0.0
            for b in range(K):
                final[i] += alpha[row, b] * stop[b]
            if final[i] < TINY:
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
                    x = beta[i, b]
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


@njit(cache=True, nogil=True)
def sparse_sums(
    lengths,
    begins,
    index,
    pattern,
    ptr,
    states,
    start,
    edge,
    edge_index,
    node,
    stop,
    weight,
    strict,
):
    """The same over the states that each token may take, and any edge tables.

    Row u of the node table may take ``states[ptr[p]:ptr[p + 1]]``, p = ``pattern[u]``.
    """
    U, K = node.shape
    n = len(lengths)
    log_z = np.zeros(n)
    lost = np.zeros(n, dtype=np.bool_)
    node_counts, edge_counts = np.zeros((U, K)), np.zeros(edge.shape)
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
        for t in range(L):
            u = index[begins[s] + t]
            here = states[ptr[pattern[u]] : ptr[pattern[u] + 1]]
            if t == 0:
                for j in range(len(here)):
                    alpha[0, j] = start[here[j]]
            else:
                v = index[begins[s] + t - 1]
                before = states[ptr[pattern[v]] : ptr[pattern[v] + 1]]
                e = edge_index[begins[s] + t]
                for j in range(len(here)):
                    x = 0.0
                    for i in range(len(before)):
                        x += alpha[t - 1, i] * edge[e, before[i], here[j]]
                    alpha[t, j] = x
            z = 0.0
            for j in range(len(here)):
                alpha[t, j] *= node[u, here[j]]
                z += alpha[t, j]
            if z < TINY:
                lost[s] = True
                break
            scale[t] = 1.0 / z
            for j in range(len(here)):
                alpha[t, j] *= scale[t]
                if strict and 0.0 < alpha[t, j] < TINY:
                    lost[s] = True
            product *= z
            if product < TINY:
                total += np.log(product)
                product = 1.0
        if L == 0 or lost[s]:
            continue
        u = index[begins[s] + L - 1]
        here = states[ptr[pattern[u]] : ptr[pattern[u] + 1]]
        final = 0.0
        for j in range(len(here)):
            final += alpha[L - 1, j] * stop[here[j]]
        if final < TINY:
            lost[s] = True
            continue
        log_z[s] = total + np.log(product) + np.log(final)
        for j in range(len(here)):
            beta[j] = stop[here[j]] * weight[s] / final
            stop_counts[here[j]] += alpha[L - 1, j] * beta[j]
        for t in range(L - 1, -1, -1):
            for j in range(len(here)):
                node_counts[u, here[j]] += alpha[t, j] * beta[j]
            if t == 0:
                for j in range(len(here)):
                    start_counts[here[j]] += alpha[0, j] * beta[j]
                break
            for j in range(len(here)):
                beta[j] *= node[u, here[j]] * scale[t]
            e = edge_index[begins[s] + t]
            v = index[begins[s] + t - 1]
            before = states[ptr[pattern[v]] : ptr[pattern[v] + 1]]
            for i in range(len(before)):
                x = 0.0
                for j in range(len(here)):
                    y = edge[e, before[i], here[j]] * beta[j]
                    edge_counts[e, before[i], here[j]] += alpha[t - 1, i] * y
                    x += y
                ahead[i] = x
            beta, ahead = ahead, beta
            u, here = v, before
    return log_z, lost, node_counts, edge_counts, start_counts, stop_counts


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

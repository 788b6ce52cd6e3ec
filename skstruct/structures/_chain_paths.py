"""Kernels of the first-order chain in log space: best paths, draws, filter, entropy."""

import numpy as np
from numba import njit

from skstruct.structures._chain_log import log_messages

__all__ = ["best_paths", "entropies", "filtered", "k_best_paths", "sample_paths"]


# `max` turns into vector instructions only where NaN need not be thought of.
@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _max_plus(delta, t, edge, e):
    """``delta[t, b] = max_a delta[t - 1, a] + edge[e, a, b]``, several a at a time."""
    K = delta.shape[1]
    if K < 8:
        for b in range(K):
            top = -np.inf
            for a in range(K):
                top = max(top, delta[t - 1, a] + edge[e, a, b])
            delta[t, b] = top
        return
    p, q, r, s = delta[t - 1, 0], delta[t - 1, 1], delta[t - 1, 2], delta[t - 1, 3]
    v, w, y, z = delta[t - 1, 4], delta[t - 1, 5], delta[t - 1, 6], delta[t - 1, 7]
    for b in range(K):
        first = max(max(p + edge[e, 0, b], q + edge[e, 1, b]), r + edge[e, 2, b])
        second = max(max(v + edge[e, 4, b], w + edge[e, 5, b]), y + edge[e, 6, b])
        third = max(s + edge[e, 3, b], z + edge[e, 7, b])
        delta[t, b] = max(max(first, second), third)
    for a in range(8, K - 3, 4):
        p, q = delta[t - 1, a], delta[t - 1, a + 1]
        r, s = delta[t - 1, a + 2], delta[t - 1, a + 3]
        for b in range(K):
            first = max(p + edge[e, a, b], q + edge[e, a + 1, b])
            second = max(r + edge[e, a + 2, b], s + edge[e, a + 3, b])
            delta[t, b] = max(delta[t, b], max(first, second))
    for a in range(K - K % 4, K):
        p = delta[t - 1, a]
        for b in range(K):
            delta[t, b] = max(delta[t, b], p + edge[e, a, b])


@njit(cache=True, nogil=True)
def best_paths(offsets, index, start, edge, edge_index, node, stop, path, score):
    """Highest-scoring states of every sequence; ties go to the lower state."""
    K = len(start)
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    delta = np.empty((longest, K))
    for s in range(len(offsets) - 1):
        begin, L = offsets[s], offsets[s + 1] - offsets[s]
        if L == 0:
            score[s] = 0.0
            continue
        for t in range(L):
            u = index[begin + t]
            if t == 0:
                for b in range(K):
                    delta[0, b] = start[b]
            else:
                _max_plus(delta, t, edge, edge_index[begin + t])
            for b in range(K):
                delta[t, b] += node[u, b]
        best = 0
        for b in range(K):
            delta[L - 1, b] += stop[b]
            if delta[L - 1, b] > delta[L - 1, best]:
                best = b
        score[s] = delta[L - 1, best]
        path[begin + L - 1] = best
        for t in range(L - 1, 0, -1):
            e, b = edge_index[begin + t], best
            best, highest = 0, delta[t - 1, 0] + edge[e, 0, b]
            for a in range(1, K):
                x = delta[t - 1, a] + edge[e, a, b]
                if x > highest:
                    best, highest = a, x
            path[begin + t - 1] = best


@njit(cache=True, nogil=True)
def _insert(scores, origins, score, origin):
    """Keep the best scores in falling order; equal ones in order of arrival."""
    k = len(scores)
    if not score > scores[k - 1]:
        return
    i = k - 1
    while i > 0 and score > scores[i - 1]:
        scores[i], origins[i] = scores[i - 1], origins[i - 1]
        i -= 1
    scores[i], origins[i] = score, origin


@njit(cache=True, nogil=True)
def k_best_paths(begin, L, index, start, edge, edge_index, node, stop, k):
    """The k best paths of one sequence: states (k, L), scores (k,), -inf if fewer."""
    K = len(start)
    delta = np.full((L, K, k), -np.inf)
    origin = np.zeros((L, K, k), np.intp)  # state * k + rank at the token before
    for b in range(K):
        delta[0, b, 0] = start[b] + node[index[begin], b]
    for t in range(1, L):
        u, e = index[begin + t], edge_index[begin + t]
        for b in range(K):
            for a in range(K):
                for r in range(k):
                    x = delta[t - 1, a, r] + edge[e, a, b] + node[u, b]
                    _insert(delta[t, b], origin[t, b], x, a * k + r)
    scores, ends = np.full(k, -np.inf), np.zeros(k, np.intp)
    for b in range(K):
        for r in range(k):
            _insert(scores, ends, delta[L - 1, b, r] + stop[b], b * k + r)
    paths = np.zeros((k, L), np.intp)
    for j in range(k):
        where = ends[j]
        for t in range(L - 1, -1, -1):
            paths[j, t] = where // k
            where = origin[t, where // k, where % k]
    return paths, scores


@njit(cache=True, nogil=True)
def _draw(log_weights, uniform):
    """A state with probability proportional to exp of its log-weight."""
    top = log_weights.max()
    if top == -np.inf:
        return 0
    weights = np.exp(log_weights - top)
    rest = uniform * weights.sum()
    chosen = 0
    for a in range(len(weights)):
        if weights[a] > 0.0:
            chosen = a
            rest -= weights[a]
            if rest < 0.0:
                break
    return chosen


@njit(cache=True, nogil=True)
def sample_paths(offsets, index, start, edge, edge_index, node, stop, uniforms, path):
    """Draw states of every sequence from p(y), last token first."""
    for s in range(len(offsets) - 1):
        begin, L = offsets[s], offsets[s + 1] - offsets[s]
        if L == 0:
            continue
        alpha, _ = log_messages(begin, L, index, start, edge, edge_index, node)
        b = _draw(alpha[L - 1] + stop, uniforms[begin + L - 1])
        path[begin + L - 1] = b
        for t in range(L - 1, 0, -1):
            column = edge[edge_index[begin + t], :, b]
            b = _draw(alpha[t - 1] + column, uniforms[begin + t - 1])
            path[begin + t - 1] = b


@njit(cache=True, nogil=True)
def filtered(offsets, index, start, edge, edge_index, node, out):
    """Log-weights of each state given the tokens up to it, (T, K)."""
    for s in range(len(offsets) - 1):
        begin, L = offsets[s], offsets[s + 1] - offsets[s]
        if L > 0:
            alpha, _ = log_messages(begin, L, index, start, edge, edge_index, node)
            out[begin : begin + L] = alpha


@njit(cache=True, nogil=True)
def _mean_and_entropy(log_weights, inner):
    """Entropy of a draw a ~ exp(log_weights) followed by one of entropy inner[a]."""
    top = log_weights.max()
    if top == -np.inf:
        return 0.0
    p = np.exp(log_weights - top)
    p /= p.sum()
    total = 0.0
    for a in range(len(p)):
        if p[a] > 0.0:
            total += p[a] * (inner[a] - np.log(p[a]))
    return total


@njit(cache=True, nogil=True)
def entropies(offsets, index, start, edge, edge_index, node, stop, out):
    """Entropy of p(y) of every sequence (nats), by one pass from left to right."""
    K = len(start)
    for s in range(len(offsets) - 1):
        begin, L = offsets[s], offsets[s + 1] - offsets[s]
        out[s] = 0.0
        if L == 0:
            continue
        alpha, _ = log_messages(begin, L, index, start, edge, edge_index, node)
        inner, ahead = np.zeros(K), np.empty(K)
        for t in range(1, L):
            e = edge_index[begin + t]
            for b in range(K):
                ahead[b] = _mean_and_entropy(alpha[t - 1] + edge[e, :, b], inner)
            inner, ahead = ahead, inner
        out[s] = _mean_and_entropy(alpha[L - 1] + stop, inner)

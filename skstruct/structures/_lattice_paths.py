"""Kernels over single links of alignment chains: best paths, scores, draws."""

from typing import NamedTuple

import numpy as np
from numba import njit

from skstruct.structures._chain_log import _log_sum
from skstruct.structures._lattice_sums import groups_of, messages, steps_of

__all__ = ["Logs", "best_paths", "draw_log", "sample_paths", "score_paths"]


class Logs(NamedTuple):
    """Log-potentials as kernels read them; ``index``, ``factor``: empty for none."""

    index: np.ndarray
    node: np.ndarray
    factor: np.ndarray
    null: np.ndarray
    jump: np.ndarray
    local: bool


@njit(cache=True, nogil=True)
def _cell(logs, c, floor):
    value = 0.0
    if len(logs.index):
        value = logs.node[logs.index[c]]
    if len(logs.factor):
        x = np.float64(logs.factor[c])
        value += np.log(x) if x > 0.0 else -np.inf
    return max(value, floor)


@njit(cache=True, nogil=True)
def _norms(jump, groups):
    """Log of the sum of the jumps from each last position, 0 where there is none."""
    K, M = len(groups) - 1, jump.shape[1] // 2
    norms = np.zeros(K + 1)
    for i in range(K + 1 if K else 0):
        row = jump[groups[i]]
        near = row[M + max(1 - i, -M) : M + min(K - i, M) + 1]
        before = row[:1].repeat(max(i - M - 1, 0))
        after = row[-1:].repeat(max(K - i - M, 0))
        norm = _log_sum(np.concatenate((before, near, after)))
        norms[i] = norm if norm > -np.inf else 0.0
    return norms


@njit(cache=True, nogil=True)
def _reach(m, jump, groups, norms, best, origin):
    """Best way to jump to each position, ties to the lower one; O(K M)."""
    K, M = len(groups) - 1, jump.shape[1] // 2
    # What comes from more than M before, or after, is a running maximum.
    far, far_origin = -np.inf, 0
    for k in range(1, K + 1):
        if k - M - 1 >= 0:
            i = k - M - 1
            x = m[i] - norms[i] + jump[groups[i], 2 * M]
            if x > far:
                far, far_origin = x, i
        best[k], origin[k] = far, far_origin
        for i in range(max(k - M, 0), min(k + M, K) + 1):
            x = m[i] - norms[i] + jump[groups[i], M + k - i]
            if x > best[k]:
                best[k], origin[k] = x, i
    far = -np.inf
    for k in range(K - M - 1, 0, -1):
        i = k + M + 1
        x = m[i] - norms[i] + jump[groups[i], 0]
        if x >= far:
            far, far_origin = x, i
        if far > best[k]:
            best[k], origin[k] = far, far_origin


@njit(cache=True, nogil=True)
def best_paths(pairs, layout, logs, floor, path, score):
    """Best links of the given pairs; log-potentials below ``floor`` count as that."""
    M = logs.jump.shape[1] // 2
    for n in pairs:
        K, t = layout.n_states[n], layout.tokens[n]
        J = layout.tokens[n + 1] - t
        step, across = steps_of(n, layout)
        groups = groups_of(n, layout, logs.jump)
        norms = _norms(logs.jump, groups) if logs.local else np.zeros(K + 1)
        m, best = np.full(K + 1, -np.inf), np.full(K + 1, -np.inf)
        m[0] = 0.0
        origin, linked = np.zeros((J, K + 1), np.int32), np.zeros((J, K + 1), np.bool_)
        for j in range(J):
            _reach(m, logs.jump, groups, norms, best, origin[j])
            for k in range(K + 1):
                m[k] += logs.null[t + j]
                if k:
                    c = layout.cells[n] + j * step + (k - 1) * across
                    x = best[k] + _cell(logs, c, floor)
                    if x > m[k]:
                        m[k], linked[j, k] = x, True
        if not logs.local:
            for i in range(K + 1):
                m[i] += logs.jump[groups[i], M + min(K + 1 - i, M)]
        k = np.argmax(m)
        score[n] = m[k]
        for j in range(J - 1, -1, -1):
            path[t + j] = k - 1 if linked[j, k] else -1
            if linked[j, k]:
                k = origin[j, k]


@njit(cache=True, nogil=True)
def score_paths(layout, logs, path, score):
    """Log-potential of the links of every pair."""
    M = logs.jump.shape[1] // 2
    for n in range(len(score)):
        K, t = layout.n_states[n], layout.tokens[n]
        J = layout.tokens[n + 1] - t
        step, across = steps_of(n, layout)
        groups = groups_of(n, layout, logs.jump)
        norms = _norms(logs.jump, groups) if logs.local else np.zeros(K + 1)
        last, total = 0, 0.0
        for j in range(J):
            if path[t + j] < 0:
                total += logs.null[t + j]
            else:
                k = path[t + j] + 1
                c = layout.cells[n] + j * step + (k - 1) * across
                total += _cell(logs, c, -np.inf) - norms[last]
                total += logs.jump[groups[last], M + min(max(k - last, -M), M)]
                last = k
        if J and K and not logs.local:
            total += logs.jump[groups[last], M + min(K + 1 - last, M)]
        score[n] = total


@njit(cache=True, nogil=True)
def _draw(weights, uniform):
    """A number with probability proportional to its weight."""
    rest, chosen = uniform * weights.sum(), 0
    for i in range(len(weights)):
        if weights[i] > 0.0:
            chosen = i
            rest -= weights[i]
            if rest < 0.0:
                break
    return chosen


@njit(cache=True, nogil=True)
def sample_paths(pairs, layout, tables, widest, uniforms, end_uniforms, path):
    """Draw the links of the given pairs, last token first, from scaled messages.

    Returns a mark for each pair that must be done again in log space.
    """
    lost = np.zeros(len(pairs), np.bool_)
    M = tables.jump.shape[1] // 2
    for at in range(len(pairs)):
        n = pairs[at]
        K, t = layout.n_states[n], layout.tokens[n]
        own = slice(at, at + 1)
        x = messages(pairs[own], layout, tables, bool(widest < K), lost[own])
        if lost[at]:
            continue
        groups, weights = x.jumps.groups, np.zeros(K + 1)
        k = _draw(x.last[0] * x.ends[0], end_uniforms[n])
        for j in range(layout.tokens[n + 1] - t - 1, -1, -1):
            stay = x.null[j] * x.scale[j] * x.m[j, k]
            path[t + j] = -1
            now = uniforms[t + j, 0] * (stay + x.into[j, k])
            if x.into[j, k] > 0.0 and not now < stay:
                path[t + j] = k - 1
                for i in range(K + 1):
                    jump = tables.jump[groups[i], M + min(max(k - i, -M), M)]
                    weights[i] = x.m[j, i] * x.jumps.scale[i] * jump
                k = _draw(weights, uniforms[t + j, 1])
    return lost


@njit(cache=True, nogil=True)
def draw_log(m, real, null, T, end, uniforms, end_uniform, path):
    """Draw the links of one pair from messages in log space."""
    top = (m[-1] + end).max()
    if top == -np.inf:
        return
    k = _draw(np.exp(m[-1] + end - top), end_uniform)
    for j in range(len(path) - 1, -1, -1):
        path[j] = -1
        stay = np.exp(m[j, k] + null[j] - m[j + 1, k])
        if real[j, k] > -np.inf and not uniforms[j, 0] < stay:
            path[j] = k - 1
            weights = m[j] + T[:, k]
            k = _draw(np.exp(weights - weights.max()), uniforms[j, 1])

"""Sum-product over all positions of an alignment chain, in scaled probabilities.

Rows of ``m`` hold, for each token, the mass by last real position (0: none yet), of
which ``real`` is the share that is linked by this very token. Rows are padded with
zeros to a multiple of four, so that products run in whole vectors.
"""

import numpy as np
from numba import njit

from skstruct.structures._chain_sums import TINY, UNSEEN

__all__ = ["dense_sums", "gather_cells", "scatter_cells"]


@njit(cache=True, nogil=True)
def gather_cells(cell, u, n_states, reverse, index, node, factor, dim):
    """Fill ``u[j, 1 + k]`` with the potentials of a pair's cells, in memory's order."""
    J, K = len(u), n_states
    outer, inner = (J, K) if reverse else (K, J)
    for x in range(outer):
        for y in range(inner):
            c = cell + x * inner + y
            value = node[index[c]] if len(index) else 1.0
            if len(factor):
                value *= factor[c]
            if reverse:
                u[x, y + 1] = value * dim[x]
            else:
                u[y, x + 1] = value * dim[y]


@njit(cache=True, nogil=True)
def scatter_cells(cell, p, n_states, reverse, index, weight, cells, counts):
    """Write a pair's posteriors to its cells and add them to the counts of kinds."""
    J, K = len(p), n_states
    outer, inner = (J, K) if reverse else (K, J)
    for x in range(outer):
        for y in range(inner):
            c = cell + x * inner + y
            value = p[x, y + 1] if reverse else p[y, x + 1]
            if len(cells):
                cells[c] = value
            if weight != 0.0 and len(index):
                counts[index[c]] += weight * value


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _add_product(weights, matrix, skip, out):
    """``out += weights @ matrix``, four rows at a time; skips rows of tiny weight."""
    S = len(out)
    for i in range(0, S, 4):
        p, q, r, s = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        if p + q + r + s > skip:
            for k in range(S):
                out[k] += (p * matrix[i, k] + q * matrix[i + 1, k]) + (
                    r * matrix[i + 2, k] + s * matrix[i + 3, k]
                )


@njit(cache=True, nogil=True)
def _transitions(groups, ext, local, T, end):
    """Rows of transitions from each last position, and the end jumps.

    Returns whether a row could not be normalised within the range of floats.
    """
    K, S, centre = len(groups), len(T), ext.shape[1] // 2
    lost = False
    T[:] = 0.0
    for i in range(K + 1):
        g = groups[i - 1] if i else 0
        for k in range(S):
            T[i, k] = ext[g, centre + k - i]
        end[i] = ext[g, centre + K + 1 - i]
        if local:
            z = 0.0
            for k in range(1, K + 1):
                z += T[i, k]
            lost |= 0.0 < z < TINY
            z = 1.0 / z if z > 0.0 else 0.0
            for k in range(S):
                T[i, k] *= z
            end[i] = 1.0
    return lost


@njit(cache=True, nogil=True)
def _watch(row, u, q, z, dropped):
    """Zero what is too small to carry on; no more than the returned share is lost."""
    top = 0.0
    for k in range(len(u)):
        top = max(top, u[k])
    dropped = min(dropped * (len(u) * top + q) / z, 1.0)
    for k in range(len(row)):
        if row[k] < TINY:
            dropped += row[k]
            row[k] = 0.0
    return dropped


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _forward(u, q, T, skip, strict, m, real, scale):
    """Fill the messages of one pair; returns the log of the scales taken off.

    ``-inf`` where they underflow. The second value bounds the share that was dropped.
    """
    J, S = u.shape
    m[0] = 0.0
    m[0, 0] = 1.0
    total, product, dropped = 0.0, 1.0, 0.0
    for j in range(J):
        into, before, now = real[j], m[j], m[j + 1]
        for k in range(S):
            into[k] = 0.0
        _add_product(before, T, skip, into)
        z = 0.0
        for k in range(S):
            into[k] *= u[j, k]
            now[k] = into[k] + q[j] * before[k]
            z += now[k]
        if not z >= TINY:
            return -np.inf, 1.0
        r = 1.0 / z
        scale[j] = r
        for k in range(S):
            into[k] *= r
            now[k] *= r
        if strict:
            dropped = _watch(now, u[j], q[j], z, dropped)
        product *= z
        if product < TINY or product > 1 / TINY:
            total += np.log(product)
            product = 1.0
    return total + np.log(product), dropped


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _backward(u, q, backward_T, m, real, scale, b, ahead, null):
    """Replace ``u`` by the posteriors of cells and ``real`` by what goes into them."""
    J, S = u.shape
    for j in range(J - 1, -1, -1):
        r, p, into, before = scale[j], u[j], real[j], m[j]
        stay = q[j] * r
        share = 0.0
        for k in range(S):
            posterior = into[k] * b[k]
            into[k] = p[k] * b[k] * r
            p[k] = posterior
            ahead[k] = stay * b[k]
            share += before[k] * ahead[k]
        null[j] = share
        _add_product(into, backward_T, -1.0, ahead)
        for k in range(S):
            # Where nothing comes from the left, nothing bounds what is ahead.
            b[k] = ahead[k] if before[k] > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _count_jumps(groups, pairs, T, weight, counts):
    """Add expected jumps by width: ``pairs[i, k] T[i, k]`` leave i for k."""
    K, centre = len(groups), counts.shape[1] // 2
    for i in range(K + 1):
        g = groups[i - 1] if i else 0
        for k in range(1, K + 1):
            counts[g, centre + k - i] += weight * pairs[i, k] * T[i, k]


@njit(cache=True, nogil=True)
def _count_ends(groups, ends, weight, counts):
    """Add expected jumps from the last real position to the end."""
    K, centre = len(groups), counts.shape[1] // 2
    for i in range(K + 1):
        g = groups[i - 1] if i else 0
        counts[g, centre + K + 1 - i] += weight * ends[i]


@njit(cache=True, nogil=True)
def dense_sums(
    pairs,
    n_states,
    states,
    tokens,
    cells,
    reverse,
    index,
    node,
    factor,
    q,
    dim,
    ext,
    groups,
    local,
    skip,
    strict,
    weight,
    backward,
    log_z,
    cell_out,
    null_out,
    node_counts,
    jump_counts,
):
    """Log-partitions and expected counts of the given pairs.

    Pair n has ``n_states[n]`` positions from ``states[n]`` on, tokens
    ``tokens[n]:tokens[n + 1]`` and cells from ``cells[n]`` on. Tables hold scaled
    probabilities; ``ext`` holds jumps by width, 0 in the middle. Returns a mark for
    each pair that must be done again in log space.
    """
    lost = np.zeros(len(pairs), dtype=np.bool_)
    longest, widest = 0, 0
    for n in pairs:
        longest = max(longest, tokens[n + 1] - tokens[n])
        widest = max(widest, n_states[n])
    widest = (widest + 4) // 4 * 4
    size = longest * widest
    u_all, real_all, m_all = np.empty(size), np.empty(size), np.empty(size + widest)
    square = np.empty((3, widest * widest))
    scale, end = np.empty(longest), np.empty(widest)
    b_all, ahead_all = np.empty(widest), np.empty(widest)
    for x in range(len(pairs)):
        n = pairs[x]
        K, J, t = n_states[n], tokens[n + 1] - tokens[n], tokens[n]
        S = (K + 4) // 4 * 4
        u = u_all[: J * S].reshape(J, S)
        real = real_all[: J * S].reshape(J, S)
        m = m_all[: (J + 1) * S].reshape(J + 1, S)
        T = square[0, : S * S].reshape(S, S)
        B = square[1, : S * S].reshape(S, S)
        own = groups[states[n] : states[n] + K]
        if _transitions(own, ext, local, T, end):
            lost[x] = True
            continue
        u[:] = 0.0
        gather_cells(cells[n], u, K, reverse, index, node, factor, dim[t : t + J])
        total, dropped = _forward(u, q[t : t + J], T, skip, strict, m, real, scale)
        final = 0.0
        if total > -np.inf:
            for k in range(K + 1):
                final += m[J, k] * end[k]
        if final < TINY or dropped > UNSEEN * final:
            lost[x] = True
            continue
        log_z[n] = total + np.log(final)
        if not backward:
            continue
        b, ahead = b_all[:S], ahead_all[:S]
        b[:] = 0.0
        for k in range(K + 1):
            b[k] = end[k] / final if m[J, k] > 0.0 else 0.0
        if weight[n] != 0.0 and not local:
            _count_ends(own, m[J] * b, weight[n], jump_counts)
        B[:] = T.T
        _backward(u, q[t : t + J], B, m, real, scale, b, ahead, null_out[t : t + J])
        scatter_cells(cells[n], u, K, reverse, index, weight[n], cell_out, node_counts)
        if weight[n] != 0.0:
            X = square[2, : S * S].reshape(S, S)
            np.dot(m[:J].T, real, X)
            _count_jumps(own, X, T, weight[n], jump_counts)
    return lost

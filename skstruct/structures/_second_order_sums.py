"""Sum-product kernels of second-order chains, over the allowed states of tokens."""

import numpy as np
from numba import njit

__all__ = ["filtered", "log_space_sums", "scaled_sums"]

# The scaled sweep loses terms below 1e-308 of their token's mass. It is trusted while
# steps and overlaps stay so far above that all it lost is beyond any digit.
TINY_STEP = 1e-150
TINY_OVERLAP = 1e-100

# In the kernels u, v, w count the allowed states of tokens t - 2, t - 1 and t. Two rows
# before each sequence stand for tokens whose only state is the boundary K, so that one
# table (K + 1, K + 1, K) holds start, second and edge. A row of ``tokens`` says where
# the token's list of states begins, its length, where its values begin, and where its
# marginals begin. future[i, v, w] is the mass of all from token i on, given v and w
# (times unit[i] where scaled); i counts from 1, and 0 is the boundary.


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _backward(begin, end, tokens, states, values, table, stop, future, unit):
    """Fill future, the largest future * unit being 1; log partition or -inf if lost."""
    full, log_z, length = table.shape[2], 0.0, end - begin
    pw, nw, value = tokens[end - 1, 0], tokens[end - 1, 1], tokens[end - 1, 2]
    for v in range(tokens[end - 2, 1]):
        for w in range(nw):
            future[length, v, w] = stop[states[pw + w]] * values[value + w]
    unit[length] = 1.0
    for t in range(end - 1, begin - 1, -1):
        i, peak = t - begin + 1, 0.0
        pu, nu = tokens[t - 2, 0], tokens[t - 2, 1]
        pv, nv, value = tokens[t - 1, 0], tokens[t - 1, 1], tokens[t - 1, 2]
        pw, nw = tokens[t, 0], tokens[t, 1]
        for v in range(nv):
            sv, own = states[pv + v], values[value + v] * unit[i]
            for u in range(nu):
                su, x = states[pu + u], 0.0
                if nw == full:
                    for w in range(full):
                        x += table[su, sv, w] * future[i, v, w]
                else:
                    for w in range(nw):
                        x += table[su, sv, states[pw + w]] * future[i, v, w]
                x *= own
                future[i - 1, u, v] = x
                peak = max(peak, x)
        if peak < TINY_STEP:
            return -np.inf
        unit[i - 1] = 1 / peak
        log_z += np.log(peak)
    return log_z


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _forward(
    begin, end, tokens, states, values, table, future, unit, weight, counts, gamma, pair
):
    """Add weight * expected counts; false, and counts spoiled, if mass is lost."""
    full, z, overlap = table.shape[2], 1.0, future[0, 0, 0]
    alpha, after = pair[0], pair[1]
    alpha[0, 0] = 1.0
    for t in range(begin, end):
        i = t - begin + 1
        pu, nu = tokens[t - 2, 0], tokens[t - 2, 1]
        pv, nv = tokens[t - 1, 0], tokens[t - 1, 1]
        pw, nw = tokens[t, 0], tokens[t, 1]
        value, spot = tokens[t, 2], tokens[t, 3]
        share, scale = weight * unit[i] / overlap, 1 / z
        z, overlap = 0.0, 0.0
        for w in range(nw):
            gamma[spot + w] = 0.0
        for v in range(nv):
            sv = states[pv + v]
            for w in range(nw):
                after[v, w] = 0.0
            for u in range(nu):
                su, x, y = states[pu + u], alpha[u, v] * scale, alpha[u, v] * share
                if nw == full:
                    # Naming the table's entry here would keep LLVM from vectorising.
                    for w in range(full):
                        after[v, w] += x * table[su, sv, w]
                        counts[su, sv, w] += y * table[su, sv, w] * future[i, v, w]
                else:
                    for w in range(nw):
                        k = states[pw + w]
                        after[v, w] += x * table[su, sv, k]
                        counts[su, sv, k] += y * table[su, sv, k] * future[i, v, w]
            for w in range(nw):
                mass = after[v, w] * future[i, v, w]
                gamma[spot + w] += mass
                overlap += mass
                after[v, w] *= values[value + w]
                z += after[v, w]
        if z < TINY_STEP or overlap * unit[i] < TINY_OVERLAP:
            return False
        for w in range(nw):
            gamma[spot + w] *= weight / overlap
        alpha, after = after, alpha
    return True


@njit(cache=True, nogil=True)
def scaled_sums(
    rows, tokens, states, values, table, stop, weight, log_z, counts, gamma, scratch
):
    """Every sequence in scaled probabilities; log_z NaN marks those to redo in logs.

    Sequences so marked on entry are skipped. True if a marked one left counts behind.
    """
    future, unit, pair = scratch
    spoiled = False
    for s in range(len(log_z)):
        begin, end = rows[s, 0], rows[s, 1]
        if begin == end or np.isnan(log_z[s]):
            continue
        z = _backward(begin, end, tokens, states, values, table, stop, future, unit)
        if z == -np.inf:
            log_z[s] = np.nan
            continue
        log_z[s] = z
        if not _forward(
            begin, end, tokens, states, values, table, future, unit, weight[s], counts,
            gamma, pair,
        ):  # fmt: skip
            log_z[s] = np.nan
            spoiled = True
    return spoiled


@njit(cache=True, nogil=True)
def _log_backward(begin, end, tokens, states, values, table, stop, future):
    """As _backward, on log-potentials."""
    length = end - begin
    pw, value = tokens[end - 1, 0], tokens[end - 1, 2]
    for v in range(tokens[end - 2, 1]):
        for w in range(tokens[end - 1, 1]):
            future[length, v, w] = stop[states[pw + w]] + values[value + w]
    for t in range(end - 1, begin - 1, -1):
        i, pu, pv, pw = t - begin + 1, tokens[t - 2, 0], tokens[t - 1, 0], tokens[t, 0]
        for u in range(tokens[t - 2, 1]):
            for v in range(tokens[t - 1, 1]):
                row = table[states[pu + u], states[pv + v]]
                top, total = -np.inf, 0.0
                for w in range(tokens[t, 1]):
                    top = max(top, row[states[pw + w]] + future[i, v, w])
                if top > -np.inf:
                    for w in range(tokens[t, 1]):
                        total += np.exp(row[states[pw + w]] + future[i, v, w] - top)
                    top += np.log(total) + values[tokens[t - 1, 2] + v]
                future[i - 1, u, v] = top
    return future[0, 0, 0]


@njit(cache=True, nogil=True)
def _log_step(t, tokens, states, values, table, alpha, after):
    """Log mass of all up to token t, by the states of its last two, from t - 1."""
    pu, pv, pw = tokens[t - 2, 0], tokens[t - 1, 0], tokens[t, 0]
    for v in range(tokens[t - 1, 1]):
        for w in range(tokens[t, 1]):
            sv, sw = states[pv + v], states[pw + w]
            top, total = -np.inf, 0.0
            for u in range(tokens[t - 2, 1]):
                top = max(top, alpha[u, v] + table[states[pu + u], sv, sw])
            if top > -np.inf:
                for u in range(tokens[t - 2, 1]):
                    x = alpha[u, v] + table[states[pu + u], sv, sw]
                    total += np.exp(x - top)
                top += np.log(total) + values[tokens[t, 2] + w]
            after[v, w] = top


@njit(cache=True, nogil=True)
def _total(t, tokens, states, table, alpha, future):
    """Mass of the states of the last three tokens at t: the largest log, the rest."""
    pu, pv, pw = tokens[t - 2, 0], tokens[t - 1, 0], tokens[t, 0]
    top, total = -np.inf, 0.0
    for u in range(tokens[t - 2, 1]):
        for v in range(tokens[t - 1, 1]):
            row = table[states[pu + u], states[pv + v]]
            for w in range(tokens[t, 1]):
                x = alpha[u, v] + row[states[pw + w]] + future[v, w]
                if x > top:
                    total = total * np.exp(top - x) + 1.0
                    top = x
                elif x > -np.inf:
                    total += np.exp(x - top)
    return top, total


@njit(cache=True, nogil=True)
def log_space_sums(
    rows, tokens, states, values, table, stop, weight, log_z, counts, gamma, scratch
):
    """The sequences whose log_z is NaN, on log-potentials: slow, without underflow."""
    future, _, pair = scratch
    for s in range(len(log_z)):
        if not np.isnan(log_z[s]):
            continue
        begin, end = rows[s, 0], rows[s, 1]
        gamma[tokens[begin, 3] : tokens[end - 1, 3] + tokens[end - 1, 1]] = 0.0
        z = _log_backward(begin, end, tokens, states, values, table, stop, future)
        log_z[s] = z
        if z == -np.inf:
            continue
        alpha, after = pair[0], pair[1]
        alpha[0, 0] = 0.0
        for t in range(begin, end):
            i, pu, pv, pw = (
                t - begin + 1,
                tokens[t - 2, 0],
                tokens[t - 1, 0],
                tokens[t, 0],
            )
            # The partition but for what large logs lost: posteriors sum to one.
            top, total = _total(t, tokens, states, table, alpha, future[i])
            for u in range(tokens[t - 2, 1]):
                for v in range(tokens[t - 1, 1]):
                    su, sv = states[pu + u], states[pv + v]
                    for w in range(tokens[t, 1]):
                        x = alpha[u, v] + table[su, sv, states[pw + w]]
                        p = weight[s] * np.exp(x + future[i, v, w] - top) / total
                        counts[su, sv, states[pw + w]] += p
                        gamma[tokens[t, 3] + w] += p
            _log_step(t, tokens, states, values, table, alpha, after)
            alpha, after = after, alpha


@njit(cache=True, nogil=True)
def filtered(rows, tokens, states, values, table, pair, out):
    """p(state | potentials up to the token) into out (T, K)."""
    at = 0
    for s in range(len(rows)):
        alpha, after = pair[0], pair[1]
        alpha[0, 0] = 0.0
        for t in range(rows[s, 0], rows[s, 1]):
            _log_step(t, tokens, states, values, table, alpha, after)
            alpha, after = after, alpha
            nv, nw = tokens[t - 1, 1], tokens[t, 1]
            top = alpha[:nv, :nw].max()
            if top > -np.inf:
                mass = np.exp(alpha[:nv, :nw] - top)
                for w in range(nw):
                    k = states[tokens[t, 0] + w]
                    out[at, k] = mass[:, w].sum() / mass.sum()
            at += 1

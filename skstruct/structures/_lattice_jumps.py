"""Products with the jumps from each last position to each position.

A row of messages has an entry for each last position, 0 for none yet, and zeros behind
up to a multiple of four. Few positions: matrix products. Many: jumps wider than M all
weigh the same, so that what they carry is a running sum, and beside it there is a band;
a token costs O(K M) for each row of jumps instead of O(K^2), for K positions.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from skstruct.structures._chain_sums import TINY

__all__ = ["Jumps", "ahead", "back", "count_ends", "count_jumps", "jumps_of", "padded"]

_FAST = {"contract", "reassoc", "nsz"}


class Jumps(NamedTuple):
    """Jump probabilities between the positions of a sentence, or of equally long ones.

    Attributes
    ----------
    table : ndarray of shape (G, 2 M + 1)
        By width; M + 0 in the middle.
    groups : ndarray of shape (K + 1,)
        The row of the table that jumps from each last position read.
    scale : ndarray of shape (S,)
        Factor for the jumps from each last position; 0 in the padding.
    forward, backward : ndarray of shape (S, S)
        The matrix with scales and its transpose; empty where banded.
    """

    table: np.ndarray
    groups: np.ndarray
    scale: np.ndarray
    forward: np.ndarray
    backward: np.ndarray


@njit(cache=True, nogil=True)
def padded(K):
    """Length of a row of messages over K positions."""
    return (K + 4) // 4 * 4


@njit(cache=True, nogil=True)
def jumps_of(table, groups, local, banded):
    """Jumps between K positions; ``groups`` (K + 1,). ``local`` normalises them.

    The second value says whether a row could not be normalised within the range of
    floats.
    """
    K, M, S = len(groups) - 1, table.shape[1] // 2, padded(len(groups) - 1)
    scale = np.zeros(S)
    lost = False
    for i in range(K + 1):
        scale[i] = 1.0
        if local:
            row = table[groups[i]]
            z = row[0] * max(i - M - 1, 0) + row[2 * M] * max(K - i - M, 0)
            z += row[M + max(1 - i, -M) : M + min(K - i, M) + 1].sum()
            lost |= 0.0 < z < TINY
            scale[i] = 1.0 / z if z > 0.0 else 0.0
    size = 0 if banded else S
    T = np.zeros((size, size))
    if not banded:
        for i in range(K + 1):
            for k in range(1, K + 1):
                T[i, k] = scale[i] * table[groups[i], M + min(max(k - i, -M), M)]
    return Jumps(table, groups, scale, T, np.ascontiguousarray(T.T)), lost


@njit(cache=True, nogil=True, fastmath=_FAST)
def _product(rows, matrix, out):
    """``out = rows @ matrix``; BLAS where there are rows enough to pay for the call."""
    n, S = rows.shape
    if n >= 4:
        np.dot(rows, matrix, out)
        return
    for x in range(n):
        w, o = rows[x], out[x]
        for k in range(S):
            o[k] = 0.0
        for i in range(0, S, 4):
            p, q, r, s = w[i], w[i + 1], w[i + 2], w[i + 3]
            for k in range(S):
                o[k] += (p * matrix[i, k] + q * matrix[i + 1, k]) + (
                    r * matrix[i + 2, k] + s * matrix[i + 3, k]
                )


@njit(cache=True, nogil=True, fastmath=_FAST)
def _dot(a, b):
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _add_four(out, a, p, q, r, s):
    """``out += p a + q a' + r a'' + s a'''``, each time shifted by one."""
    n = len(out)
    b, c, d = a[1 : n + 1], a[2 : n + 2], a[3 : n + 3]
    for k in range(n):
        out[k] += (p * a[k] + q * b[k]) + (r * c[k] + s * d[k])


@njit(cache=True, nogil=True)
def _correlate(wide, taps, out):
    """``out[k] = sum_d taps[d] wide[k + d]``: long loops over k, four taps in each."""
    n, x = len(out), np.zeros(4)
    out[:] = 0.0
    for d in range(0, len(taps), 4):
        x[:] = 0.0
        x[: len(taps) - d] = taps[d : d + 4]
        _add_four(out, wide[d : d + n + 3], x[0], x[1], x[2], x[3])


@njit(cache=True, nogil=True)
def _widened(v, groups, g, M):
    """The entries of group g (-1: all) of v, between zeros for any jump within M."""
    K = len(groups) - 1
    wide = np.zeros(K + 1 + 2 * M + 3)
    for i in range(K + 1):
        if g < 0 or groups[i] == g:
            wide[M + i] = v[i]
    return wide


@njit(cache=True, nogil=True)
def _tails(v, M, K, wider, narrower):
    """Sums of v over the positions more than M after, and before, each position."""
    total = 0.0
    wider[:] = 0.0
    for i in range(K - M - 1, -1, -1):
        total += v[i + M + 1]
        wider[i] = total
    total = 0.0
    narrower[:] = 0.0
    for i in range(M + 2, K + 1):
        total += v[i - M - 1]
        narrower[i] = total


@njit(cache=True, nogil=True)
def _band_ahead(w, jumps, out):
    table, groups = jumps.table, jumps.groups
    K, M = len(groups) - 1, table.shape[1] // 2
    w = w * jumps.scale
    near = np.empty(K)
    out[:] = 0.0
    for g in range(len(table)):
        wide = _widened(w, groups, g, M)
        _correlate(wide[1:], table[g, ::-1].copy(), near)
        out[1 : K + 1] += near
    total = 0.0
    for k in range(M + 1, K + 1):
        i = k - M - 1
        total += w[i] * table[groups[i], 2 * M]
        out[k] += total
    total = 0.0
    for k in range(K - M - 1, 0, -1):
        i = k + M + 1
        total += w[i] * table[groups[i], 0]
        out[k] += total


@njit(cache=True, nogil=True)
def _band_back(v, jumps, out):
    table, groups = jumps.table, jumps.groups
    K, M = len(groups) - 1, table.shape[1] // 2
    wider, narrower = np.empty(len(v)), np.empty(len(v))
    _tails(v, M, K, wider, narrower)
    wide, near = _widened(v, groups, -1, M), np.empty(K + 1)
    out[:] = 0.0
    for g in range(len(table)):
        _correlate(wide, table[g], near)
        for i in range(K + 1):
            if groups[i] == g:
                far = table[g, 2 * M] * wider[i] + table[g, 0] * narrower[i]
                out[i] = jumps.scale[i] * (near[i] + far)


@njit(cache=True, nogil=True)
def _band_counts(w, v, jumps, counts):
    groups, K, M = jumps.groups, len(jumps.groups) - 1, counts.shape[1] // 2
    w = w * jumps.scale
    wider, narrower = np.empty(len(v)), np.empty(len(v))
    _tails(v, M, K, wider, narrower)
    wide = _widened(v, groups, -1, M)
    for g in range(len(counts)):
        own = _widened(w, groups, g, M)[M : M + K + 1]
        for d in range(2 * M + 1):
            counts[g, d] += _dot(own, wide[d : d + K + 1])
        counts[g, 2 * M] += _dot(own, wider)
        counts[g, 0] += _dot(own, narrower)


@njit(cache=True, nogil=True)
def ahead(rows, jumps, out):
    """``out[k] = sum_i rows[i] jump(i, k)``: what jumps to each position."""
    if len(jumps.forward):
        _product(rows, jumps.forward, out)
    else:
        for x in range(len(rows)):
            _band_ahead(rows[x], jumps, out[x])


@njit(cache=True, nogil=True)
def back(rows, jumps, out):
    """``out[i] = sum_k jump(i, k) rows[k]``: what lies ahead of each last position."""
    if len(jumps.backward):
        _product(rows, jumps.backward, out)
    else:
        for x in range(len(rows)):
            _band_back(rows[x], jumps, out[x])


@njit(cache=True, nogil=True)
def count_jumps(leaving, into, jumps, counts):
    """Add jumps by width, ``leaving[x, i] jump(i, k) into[x, k]`` for all rows x."""
    groups, M = jumps.groups, counts.shape[1] // 2
    K = len(groups) - 1
    if len(jumps.forward):
        pairs = np.dot(leaving.T, into) * jumps.forward
        for i in range(K + 1):
            for k in range(1, K + 1):
                counts[groups[i], M + min(max(k - i, -M), M)] += pairs[i, k]
        return
    own = np.zeros(counts.shape)
    for x in range(len(leaving)):
        _band_counts(leaving[x], into[x], jumps, own)
    counts += own * jumps.table


@njit(cache=True, nogil=True)
def count_ends(ends, jumps, counts):
    """Add jumps from each last position to the one after the end."""
    K, M = len(jumps.groups) - 1, counts.shape[1] // 2
    for i in range(K + 1):
        counts[jumps.groups[i], M + min(K + 1 - i, M)] += ends[i]

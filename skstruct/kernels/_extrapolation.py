"""Anderson's extrapolation of fixed-point iterations, one for each sample."""

import numpy as np
from numba import njit

__all__ = ["extrapolate"]

# What is added to inner products of changes, as a share of their trace, so that no
# two changes are thought to differ by more than rounding.
_RIDGE = 1e-10
# Leaps of more than so many changes would be nothing but rounding.
_FARTHEST = 1e4


@njit(cache=True, nogil=True, error_model="numpy")
def _solve(gram, right, m):
    """Solve gram[:m, :m] x = right[:m] by Cholesky, in place; answers success."""
    for i in range(m):
        for j in range(i + 1):
            total = gram[i, j]
            for k in range(j):
                total -= gram[i, k] * gram[j, k]
            if i > j:
                gram[i, j] = total / gram[j, j]
            elif total > 0.0:
                gram[i, i] = np.sqrt(total)
            else:
                return False
    for i in range(m):
        for k in range(i):
            right[i] -= gram[i, k] * right[k]
        right[i] /= gram[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            right[i] -= gram[k, i] * right[k]
        right[i] /= gram[i, i]
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _project(p):
    """Project p on the simplex, in place: the level rises until it rests."""
    K = len(p)
    level = (p.sum() - 1.0) / K
    while True:
        total, n = -1.0, 0
        for k in range(K):
            if p[k] > level:
                total += p[k]
                n += 1
        # By rounding, an entry at the level could come and go for ever.
        if n == 0 or not total / n > level:
            break
        level = total / n
    for k in range(K):
        p[k] = max(p[k] - level, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _dot(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            total += a[i, k] * b[i, k]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def extrapolate(offsets, known, moves, residuals, residual, p):
    """Move p, where iterations arrived, to where their residual would vanish.

    ``moves`` and ``residuals`` (m, N, K): changes from one iteration to another, of
    which sample s may use those of ``known[:, s]``. p and its ``residual`` (N, K): rows
    on the simplex, which the new ones are projected on.
    """
    m = len(moves)
    gram, right, slots = np.empty((m, m)), np.empty(m), np.empty(m, dtype=np.intp)
    for s in range(len(offsets) - 1):
        rows = slice(offsets[s], offsets[s + 1])
        n, trace = 0, 0.0
        for slot in range(m):
            if not known[slot, s]:
                continue
            slots[n] = slot
            for j in range(n + 1):
                gram[n, j] = _dot(residuals[slot, rows], residuals[slots[j], rows])
            trace += gram[n, n]
            right[n] = _dot(residuals[slot, rows], residual[rows])
            n += 1
        for i in range(n):
            gram[i, i] += _RIDGE * trace
        if n == 0 or not _solve(gram, right, n):
            continue
        if not np.abs(right[:n]).max() < _FARTHEST:
            continue
        for v in range(offsets[s], offsets[s + 1]):
            for j in range(n):
                for k in range(p.shape[1]):
                    p[v, k] -= right[j] * moves[slots[j], v, k]
            _project(p[v])

"""Small systems of linear equations, solved without a call of a library."""

import numpy as np
from numba import njit

__all__ = ["factorise", "solve_factorised"]


# Sums in any order: the compiler may use vectors, and most of the time goes here.
@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def factorise(matrix):
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor.

    A pivot that rounding has made too small is replaced, so that solutions stay finite:
    the callers check every step that they make of them.
    """
    for i in range(len(matrix)):
        least = 1e-14 * matrix[i, i] + 1e-300
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i == j:
                matrix[i, i] = np.sqrt(max(total, least))
            else:
                matrix[i, j] = total / matrix[j, j]


@njit(cache=True, nogil=True, error_model="numpy")
def solve_factorised(factor, right):
    """Replace ``right`` by the solution, given what ``factorise`` left."""
    n = len(right)
    for i in range(n):
        for k in range(i):
            right[i] -= factor[i, k] * right[k]
        right[i] /= factor[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= factor[k, i] * right[k]
        right[i] /= factor[i, i]

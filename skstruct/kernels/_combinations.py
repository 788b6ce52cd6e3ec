"""Numbers for the distinct combinations of small codes."""

import numpy as np
from numba import njit

__all__ = ["combine"]


def combine(combination, n_combinations, bins, n_bins):
    """Number the distinct pairs (combination, bin).

    Parameters
    ----------
    combination : ndarray of shape (P,), int32
        Numbers below ``n_combinations``; changed in place to those of the pairs.
    n_combinations : int
        How many there are.
    bins : ndarray of shape (P,), int32
        Numbers below ``n_bins``.
    n_bins : int
        How many there are.

    Returns
    -------
    ndarray of shape (U,), int64
        ``combination * n_bins + bin`` of each distinct pair.
    """
    # A table of all codes is far quicker than sorting, as long as it is not much
    # larger than the arrays at hand.
    if n_combinations * n_bins <= 4 * len(bins) + (1 << 20):
        return _number(combination, n_combinations, bins, n_bins)
    codes = combination.astype(np.int64) * n_bins + bins
    codes, combination[:] = np.unique(codes, return_inverse=True)
    return codes


@njit(cache=True, nogil=True)
def _number(combination, n_combinations, bins, n_bins):
    """The same by a table; numbered in the order in which they are met."""
    numbers = np.full(n_combinations * n_bins, -1, np.int32)
    codes = np.empty(min(len(bins), len(numbers)), np.int64)
    n = 0
    for p in range(len(bins)):
        code = np.int64(combination[p]) * n_bins + bins[p]
        if numbers[code] < 0:
            numbers[code] = n
            codes[n] = code
            n += 1
        combination[p] = numbers[code]
    return codes[:n].copy()

"""Quick sweeps over the possible links, the cells, of sentence pairs."""

import numpy as np
from numba import njit

__all__ = ["diagonal_distance", "power"]


@njit(cache=True, nogil=True)
def power(values, exponent, low, high, odds, out):
    """``v ** exponent``, or ``(v / (1 - v)) ** exponent``, with v clipped.

    Most posteriors of links are very small, and those share one power.

    Parameters
    ----------
    values : ndarray of shape (C,), float32
        From 0 to 1.
    exponent, low, high : float32
        Exponent, and bounds to which values are clipped.
    odds : bool
        Take the odds of a value rather than the value.
    out : ndarray of shape (C,), float32
        Receives the powers.
    """
    lowest = _power(low, exponent, odds)
    highest = _power(high, exponent, odds)
    for c in range(len(values)):
        v = values[c]
        if v <= low:
            out[c] = lowest
        elif v >= high:
            out[c] = highest
        else:
            out[c] = _power(v, exponent, odds)


@njit(cache=True, nogil=True)
def _power(v, exponent, odds):
    if odds:
        v = v / (np.float32(1) - v)  # a plain 1 would make it double, and half as quick
    return v**exponent


@njit(cache=True, nogil=True)
def diagonal_distance(n_source, n_target, n_bins, out):
    """Bin the distance of each cell to the diagonal, in whole numbers.

    Parameters
    ----------
    n_source, n_target : ndarrays of shape (N,), int64
        Lengths of the two sides of each sentence pair.
    n_bins : int
        Number of bins of equal width.
    out : ndarray of shape (n_source @ n_target,), uint8
        Receives the bins: pair after pair, source position after source position.
    """
    c = 0
    for n in range(len(n_source)):
        height, width = n_source[n], n_target[n]
        for i in range(height):
            for j in range(width):
                twice = abs((2 * i + 1) * width - (2 * j + 1) * height)
                out[c] = n_bins * twice // (2 * height * width)
                c += 1

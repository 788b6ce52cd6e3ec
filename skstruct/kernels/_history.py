"""Products of pairs of long vectors with others, each vector read once."""

import numpy as np
from numba import njit

from skstruct.kernels._threads import run_chunks

__all__ = ["combination", "inner_products"]

# Numbers of each vector that one piece of work holds, and that a cache holds.
_CHUNK, _BLOCK = 1 << 18, 1 << 10


def _chunks(n):
    """Sums are added chunk by chunk, whatever the number of threads."""
    return [(first, min(first + _CHUNK, n)) for first in range(0, max(n, 1), _CHUNK)]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _inner(pairs, places, a, b, first, last):
    out = np.zeros((len(places), 2, 2))
    for begin in range(first, last, _BLOCK):
        block = slice(begin, min(begin + _BLOCK, last))
        x, y = a[block], b[block]
        for m in range(len(places)):
            v, w = pairs[places[m], 0, block], pairs[places[m], 1, block]
            vx, vy, wx, wy = 0.0, 0.0, 0.0, 0.0
            for i in range(len(x)):
                vx += v[i] * x[i]
                vy += v[i] * y[i]
                wx += w[i] * x[i]
                wy += w[i] * y[i]
            out[m, 0, 0] += vx
            out[m, 0, 1] += vy
            out[m, 1, 0] += wx
            out[m, 1, 1] += wy
    return out


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _combine(pairs, places, factors, a, factor, out, first, last):
    for begin in range(first, last, _BLOCK):
        block = slice(begin, min(begin + _BLOCK, last))
        x, total = a[block], out[block]
        for i in range(len(x)):
            total[i] = factor * x[i]
        for m in range(len(places)):
            v, w = pairs[places[m], 0, block], pairs[places[m], 1, block]
            p, q = factors[m]
            for i in range(len(x)):
                total[i] += p * v[i] + q * w[i]


def inner_products(pairs, places, a, b, n_jobs=None):
    """Inner products of the vectors of pairs with two others.

    Parameters
    ----------
    pairs : ndarray of shape (M, 2, n)
        Long vectors.
    places : ndarray of shape (m,), int
        The pairs that count.
    a, b : ndarrays of shape (n,)
        Two more.
    n_jobs : int, default=None
        Threads; the result does not depend on their number.

    Returns
    -------
    ndarray of shape (m, 2, 2)
        The last axis is for a and b.
    """

    def do(first, last):
        return _inner(pairs, places, a, b, first, last)

    return sum(run_chunks(do, _chunks(len(a)), n_jobs))


def combination(pairs, places, factors, a, factor, n_jobs=None):
    """Sum of the vectors of pairs and ``a``, each times a factor.

    Parameters
    ----------
    pairs : ndarray of shape (M, 2, n)
        Long vectors.
    places : ndarray of shape (m,), int
        The pairs that count.
    factors : ndarray of shape (m, 2)
        Theirs.
    a : ndarray of shape (n,)
        One more.
    factor : float
        Its own.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    ndarray of shape (n,)
    """
    out = np.empty(len(a))

    def do(first, last):
        _combine(pairs, places, factors, a, factor, out, first, last)

    run_chunks(do, _chunks(len(a)), n_jobs)
    return out

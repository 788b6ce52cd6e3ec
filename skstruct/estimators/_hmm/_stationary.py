"""Where a Markov chain is in the long run."""

import numpy as np
from scipy.sparse.csgraph import connected_components

__all__ = ["long_run"]

_TINY = 1e-300
# States taken out together, so that most of the work is a matrix product.
_BLOCK = 64


def long_run(start, transmat):
    """Long-run share of each state of a Markov chain.

    States are taken out one by one (Grassmann, Taksar and Heyman, 1985): without
    subtractions, so that chains that hardly ever move lose no digits. States that the
    chain leaves for ever have no share; of several classes that it never leaves, the
    start says how likely it ends up in each. Cycles are averaged over.

    Parameters
    ----------
    start : ndarray of shape (K,)
        Probabilities of the first state.
    transmat : ndarray of shape (K, K)
        Rows of transition probabilities.

    Returns
    -------
    ndarray of shape (K,)
    """
    n_classes, label = connected_components(transmat > 0, connection="strong")
    before, after = np.nonzero(transmat)
    left = np.unique(label[before[label[before] != label[after]]])
    passing = np.flatnonzero(np.isin(label, left))
    staying = np.flatnonzero(~np.isin(label, left))
    # The start is a row more: what it holds moves on when a state is taken out.
    table = np.vstack([transmat[passing], start])[:, np.r_[passing, staying]]
    _take_out(table, len(passing))
    weight = np.bincount(label[staying], table[-1, len(passing) :], n_classes)
    out = np.zeros(len(start))
    for c in np.unique(label[staying]):
        members = np.flatnonzero(label == c)
        out[members] = weight[c] * _shares(transmat[np.ix_(members, members)])
    return out / out.sum()


def _take_out(table, n):
    """Let rows pass by the first ``n`` states, in place; returns their exit rates."""
    exits = np.empty(n)
    for lo in range(0, n, _BLOCK):
        hi = min(lo + _BLOCK, n)
        for k in range(lo, hi):
            onward, later, block = table[k], slice(k + 1, None), slice(k + 1, hi)
            exits[k] = max(onward[later].sum(), _TINY)
            onward[later] /= exits[k]
            table[later, block] += np.outer(table[later, k], onward[block])
            table[block, hi:] += np.outer(table[block, k], onward[hi:])
        table[hi:, hi:] += table[hi:, lo:hi] @ table[lo:hi, hi:]
    return exits


def _shares(transmat):
    """Stationary distribution of a chain in which each state leads to all others."""
    table, n = transmat.copy(), len(transmat)
    exits = _take_out(table, n - 1)
    out = np.zeros(n)
    out[-1] = 1.0
    for k in range(n - 2, -1, -1):
        out[k] = out[k + 1 :] @ table[k + 1 :, k] / exits[k]
        out /= out.sum()
    return out

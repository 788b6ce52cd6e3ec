"""Sums over the cells of a bitext by pair of words, and what goes back to cells."""

import numpy as np
from numba import njit

__all__ = ["collapsed_table", "count_pairs", "spread_table"]

_TINY = 1e-300


@njit(cache=True, nogil=True)
def count_pairs(index, posterior, cells, weight, n_pairs):
    """Expected number of links of each pair of words, (P,).

    Parameters
    ----------
    index : ndarray of int32 of shape (C,)
        Number of the pair in each cell.
    posterior : ndarray of float32 of shape (C,)
        Probability of a link.
    cells : ndarray of shape (n + 1,)
        Where the cells of pairs of sentences begin.
    weight : ndarray of shape (n,)
        Weight of each pair of sentences.
    n_pairs : int
        Number P of pairs of words.
    """
    out = np.zeros(n_pairs)
    for n in range(len(weight)):
        for c in range(cells[n], cells[n + 1]):
            out[index[c]] += weight[n] * posterior[c]
    return out


@njit(cache=True, nogil=True)
def collapsed_table(index, condition, top, bottom, posterior, cells, weight):
    """Ratios ``top / bottom`` for cells, without a cell's own part of both counts.

    Parameters
    ----------
    index : ndarray of int32 of shape (C,)
        Number of the pair in each cell.
    condition : ndarray of shape (P,)
        Conditioning word of each pair.
    top : ndarray of shape (P,)
        Counts of pairs, prior included.
    bottom : ndarray of shape (K,)
        Counts of conditioning words, prior included.
    posterior, cells, weight : ndarray
        As in ``count_pairs``. Of a heavier pair of sentences one copy is left out.

    Returns
    -------
    ndarray of float32 of shape (C,)
    """
    out = np.empty(len(index), np.float32)
    for n in range(len(weight)):
        share = min(weight[n], 1.0)
        for c in range(cells[n], cells[n + 1]):
            p = index[c]
            own = share * posterior[c]
            # What is left of counts without prior may be 0, or less by rounding.
            left = max(top[p] - own, 0.0)
            out[c] = left / max(bottom[condition[p]] - own, left, _TINY)
    return out


@njit(cache=True, nogil=True)
def spread_table(index, top, unseen_top, totals, offsets, length, reverse):
    """Ratios for the cells of text that had no part in the counts.

    Parameters
    ----------
    index : ndarray of int32 of shape (C,)
        Number of the pair in each cell, -1 for a new one.
    top : ndarray of shape (P,)
        Counts of pairs, prior included.
    unseen_top : float
        Count of a new pair.
    totals : ndarray of shape (n_state_tokens,)
        Count of the conditioning word at each state token.
    offsets : ndarray of shape (n + 1,)
        Where the state tokens of pairs of sentences begin.
    length : ndarray of shape (n,)
        Number of chain tokens of each pair.
    reverse : bool
        Whether states are the target words.

    Returns
    -------
    ndarray of float32 of shape (C,)
    """
    out = np.empty(len(index), np.float32)
    base = 0
    for n in range(len(length)):
        n_states = offsets[n + 1] - offsets[n]
        step, hop = (1, n_states) if reverse else (length[n], 1)
        for k in range(n_states):
            total = totals[offsets[n] + k]
            for t in range(length[n]):
                c = base + k * step + t * hop
                out[c] = (top[index[c]] if index[c] >= 0 else unseen_top) / total
        base += n_states * length[n]
    return out

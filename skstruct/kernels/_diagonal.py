"""Positions that lie near the diagonal of a pair of sentences."""

import numpy as np
from numba import njit

__all__ = ["diagonal_moments", "diagonal_prior", "mean_distance"]


@njit(cache=True, nogil=True)
def _row(out, t, length, tension):
    """Distribution of the states beside chain token t; mean and variance of |.|."""
    n_states = len(out)
    total = first = second = 0.0
    for k in range(n_states):
        distance = abs((k + 1) / n_states - (t + 1) / length)
        out[k] = np.exp(-tension * distance)
        total += out[k]
        first += out[k] * distance
        second += out[k] * distance * distance
    mean = first / total
    for k in range(n_states):
        out[k] /= total
    return mean, second / total - mean * mean


@njit(cache=True, nogil=True)
def diagonal_prior(states, chain, reverse, tension):
    """Probability of each state for each chain token, by distance from the diagonal.

    Parameters
    ----------
    states, chain : ndarray of shape (n,)
        Lengths of both sides.
    reverse : bool
        Whether states are the target words.
    tension : float
        How fast probabilities fall with the distance.

    Returns
    -------
    ndarray of float32 of shape (C,)
    """
    n_cells = 0
    for n in range(len(states)):
        n_cells += states[n] * chain[n]
    out = np.empty(n_cells, np.float32)
    base = 0
    for n in range(len(states)):
        row = np.empty(states[n])
        step, hop = (1, states[n]) if reverse else (chain[n], 1)
        for t in range(chain[n] if states[n] else 0):
            _row(row, t, chain[n], tension)
            for k in range(states[n]):
                out[base + k * step + t * hop] = row[k]
        base += states[n] * chain[n]
    return out


@njit(cache=True, nogil=True)
def diagonal_moments(states, chain, weight, tension):
    """Sums over chain tokens, of ``weight``, of the mean distance and its variance."""
    mean = variance = 0.0
    token = 0
    for n in range(len(states)):
        row = np.empty(states[n])
        for t in range(chain[n]):
            if states[n] and weight[token] > 0:
                moments = _row(row, t, chain[n], tension)
                mean += weight[token] * moments[0]
                variance += weight[token] * moments[1]
            token += 1
    return mean, variance


@njit(cache=True, nogil=True)
def mean_distance(source, target, posterior, weight):
    """Sum of the expected distances of links from the diagonal."""
    out = 0.0
    c = 0
    for n in range(len(source)):
        for i in range(source[n]):
            for j in range(target[n]):
                distance = abs((i + 1) / source[n] - (j + 1) / target[n])
                out += weight[n] * posterior[c] * distance
                c += 1
    return out

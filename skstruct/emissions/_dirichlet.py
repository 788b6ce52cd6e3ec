"""Rows of probabilities and their Dirichlet distributions; 0 is not allowed."""

import numpy as np
from scipy.special import digamma, gammaln

from skstruct.emissions._base import plain, probability_rows

__all__ = ["append_mean", "checked_rows", "divergence", "draw", "expected_log", "log"]


def checked_rows(init, shape, allowed, symbols):
    """Start probabilities (K, V) of symbols as a new array, or an error that says why.

    ``allowed`` (K, V) tells where they may be positive; None is everywhere.
    """
    start = probability_rows(init, shape, "init")
    if allowed is not None and (start[~allowed] > 0).any():
        k, v = np.argwhere((start > 0) & ~allowed)[0]
        raise ValueError(
            f"init gives state {k} the symbol {plain(symbols[v])!r}, which is not "
            "allowed there; set it to 0."
        )
    return start


def expected_log(concentration):
    """E log theta of each entry; ``-inf`` where it is not allowed."""
    out = np.full(concentration.shape, -np.inf)
    inside = concentration > 0
    np.copyto(out, digamma(np.where(inside, concentration, 1.0)), where=inside)
    total = concentration.sum(axis=1, keepdims=True)
    return out - digamma(np.where(total > 0, total, 1.0))


def divergence(concentration, logs, alpha):
    """KL divergence of all rows, of expected ``logs``, from priors of ``alpha``."""
    inside = concentration > 0
    used = inside.any(axis=1)
    c = concentration[inside]
    return float(
        gammaln(concentration.sum(axis=1)[used]).sum()
        - gammaln(inside.sum(axis=1)[used] * alpha).sum()
        - gammaln(c).sum()
        + c.size * gammaln(alpha)
        + ((c - alpha) * logs[inside]).sum()
    )


def draw(probabilities, states, random_state):
    """A column of row ``states[t]`` of a table (K, V) for each t."""
    uniforms = random_state.uniform(size=len(states))
    drawn = np.zeros(len(states), dtype=np.intp)
    for k in np.unique(states):
        here = np.flatnonzero(states == k)
        cumulative = np.cumsum(probabilities[k])
        found = np.searchsorted(
            cumulative, uniforms[here] * cumulative[-1], side="right"
        )
        # Rounding must not end behind the last symbol that is possible.
        last = np.searchsorted(cumulative, cumulative[-1])
        drawn[here] = np.minimum(found, last)
    return drawn


def log(p):
    """Natural logarithms; ``-inf`` of 0."""
    with np.errstate(divide="ignore"):
        return np.log(p)


def append_mean(array, n):
    """Append ``n`` columns that hold the mean of each row."""
    mean = array.mean(axis=1, keepdims=True)
    return np.hstack([array, np.repeat(mean, n, axis=1)])

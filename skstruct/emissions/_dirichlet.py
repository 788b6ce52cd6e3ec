"""Rows of probabilities and their Dirichlet distributions; 0 is not allowed."""

from numbers import Real

import numpy as np
from scipy.special import digamma, gammaln

from skstruct.emissions._base import plain, probability_rows

__all__ = [
    "check_prior",
    "checked_rows",
    "divergence",
    "draw",
    "expected_log",
    "inform_silent",
    "log",
    "start_rows",
    "unit_rows",
    "widened",
]


def check_prior(alpha, update):
    """Raise for values of ``alpha`` and ``update`` that make no sense."""
    if not (isinstance(alpha, Real) and 0 <= alpha < np.inf):
        raise ValueError(f"alpha must be a number >= 0, got {alpha!r}.")
    if update not in ("map", "variational"):
        raise ValueError(f"update must be 'map' or 'variational', got {update!r}.")
    if update == "variational" and alpha == 0:
        raise ValueError("update='variational' needs alpha > 0, such as 0.1.")


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


def widened(p, allowed, fresh):
    """Probabilities (K, V) where ``fresh`` entries, new to ``allowed``, are 1 / V."""
    share = fresh.mean(axis=1, keepdims=True)
    out = np.where(allowed, (1 - share) * p, fresh / p.shape[1])
    return unit_rows(out)


def unit_rows(table):
    """Scale rows, in place, to sums of one; rows of zeros become uniform."""
    table[~table.any(axis=1)] = 1.0
    table /= table.sum(axis=1, keepdims=True)
    return table


def start_rows(shape, allowed, random_state):
    """Rows to start from: uniform, or with a random state Dirichlet(1)."""
    rows = np.ones(shape)
    if random_state is not None:
        rows = random_state.standard_exponential(shape)
    return unit_rows(rows if allowed is None else rows * allowed)


def inform_silent(table, p, allowed, symbols):
    """Let symbols that no state emits say nothing, in the states allowed.

    Changes ``table`` (U, K), the logs of ``p`` (K, V) of ``symbols``.
    """
    speaking = np.ones(len(p)) if allowed is None else allowed.any(axis=1) * 1.0
    silent = p.T[symbols] @ speaking == 0
    table[silent] = -np.log(p.shape[1] + 1)
    if allowed is not None and silent.any():
        allowed = allowed.T[symbols][silent]
        allowed[~allowed.any(axis=1)] = True
        table[silent] = np.where(allowed, table[silent], -np.inf)

"""The sparsity projection of a phrase by projected gradient ascent of the dual.

Slow and simple; the paper's way, kept as a reference for tests and benchmarks.
"""

import numpy as np
from scipy.special import logsumexp


def primal_value(q, p, weights, sigma):
    """Divergence and price of the rows ``q`` of one phrase."""
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = np.where(q > 0, q * (np.log(q) - np.log(p)), 0).sum(axis=1)
    return weights @ divergence + sigma * q.max(axis=0).sum()


def _infer(log_p, weights, dual):
    """Shifted posteriors and the value of the dual."""
    shifted = log_p - dual / weights[:, np.newaxis]
    totals = logsumexp(shifted, axis=1, keepdims=True)
    return np.exp(shifted - totals), -weights @ totals[:, 0]


def _nearest(column, sigma):
    """Project a column of multipliers on those that sum to ``sigma`` at most."""
    column = np.maximum(column, 0)
    if column.sum() <= sigma:
        return column
    ordered = np.sort(column)[::-1]
    cuts = (np.cumsum(ordered) - sigma) / np.arange(1, len(column) + 1)
    return np.maximum(column - cuts[np.flatnonzero(ordered > cuts)[-1]], 0)


def project_gradient(p, weights, sigma, *, tol=1e-6, max_iter=1000):
    """Rows, value and gap; steps are halved until the dual rises enough."""
    log_p = np.log(p)
    dual, step = np.zeros_like(p), 2.0
    q, value = _infer(log_p, weights, dual)
    for _ in range(max_iter):
        gap = primal_value(q, p, weights, sigma) - value
        if gap <= tol * (1 + abs(value)):
            break
        while step > 1e-12:
            moved = dual + step * q
            tried = np.column_stack([_nearest(column, sigma) for column in moved.T])
            found, rise = _infer(log_p, weights, tried)
            if rise >= value + 1e-4 * (q * (tried - dual)).sum():
                break
            step /= 2
        dual, q, value, step = tried, found, rise, 2 * step
    primal = primal_value(q, p, weights, sigma)
    return q, primal, primal - value

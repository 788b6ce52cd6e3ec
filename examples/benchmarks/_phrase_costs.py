"""Phrases to project for ``bench_phrase_clustering.py``, ours and by the gradient."""

import time

import numpy as np
from _crf_costs import cpu
from numba import njit

from skstruct.constraints import Rows, Sparsity

__all__ = ["Posteriors"]


@njit(cache=True, error_model="numpy")
def _infer(log_p, weights, dual, q):
    """Shifted posteriors of a phrase, written to q, and the value of the dual."""
    value = 0.0
    for i in range(len(q)):
        top, total = -np.inf, 0.0
        for z in range(q.shape[1]):
            q[i, z] = log_p[i, z] - dual[i, z] / weights[i]
            top = max(top, q[i, z])
        for z in range(q.shape[1]):
            q[i, z] = np.exp(q[i, z] - top)
            total += q[i, z]
        for z in range(q.shape[1]):
            q[i, z] /= total
        value -= weights[i] * (top + np.log(total))
    return value


@njit(cache=True, error_model="numpy")
def _gap(q, dual, weights, sigma, value):
    """Price of the rows less what the multipliers grant them."""
    gap = 0.0
    for z in range(q.shape[1]):
        top = 0.0
        for i in range(len(q)):
            top = max(top, q[i, z])
            gap -= dual[i, z] * q[i, z]
        gap += sigma * top
    return gap


@njit(cache=True, error_model="numpy")
def _restrict(dual, sigma):
    """Nearest multipliers that are positive and sum to sigma at most, in place."""
    for z in range(dual.shape[1]):
        column = np.maximum(dual[:, z], 0)
        if column.sum() > sigma:
            ordered, total, cut = np.sort(column)[::-1], 0.0, 0.0
            for m in range(len(ordered)):
                total += ordered[m]
                if ordered[m] <= (total - sigma) / (m + 1):
                    break
                cut = (total - sigma) / (m + 1)
            column = np.maximum(column - cut, 0)
        dual[:, z] = column


@njit(cache=True, error_model="numpy")
def _ascend(p, weights, starts, sigma, tol, max_iter, gaps):
    """The algorithm of the tests' ``project_gradient``, for all phrases."""
    for g in range(len(starts) - 1):
        rows = slice(starts[g], starts[g + 1])
        log_p, w = np.log(p[rows]), weights[rows]
        dual, q, found = np.zeros(log_p.shape), np.empty(log_p.shape), log_p.copy()
        step, value = 2.0, _infer(log_p, w, dual, q)
        for n in range(max_iter + 1):
            gaps[g] = _gap(q, dual, w, sigma, value) / (1 + abs(value))
            if gaps[g] <= tol or n == max_iter:
                break
            while True:
                tried = dual + step * q
                _restrict(tried, sigma)
                rise = _infer(log_p, w, tried, found)
                if rise >= value + 1e-4 * (q * (tried - dual)).sum() or step < 1e-12:
                    break
                step /= 2
            dual, value, step = tried, rise, 2 * step
            q, found = found, q


class Posteriors:
    """Rows of some phrases of a table, and their posteriors.

    Parameters
    ----------
    X : ndarray of shape (n, n_columns)
        Phrase and contexts.
    model : PosteriorRegularizedClusterer
        Fitted to all rows.
    n_phrases : int
        How many phrases, drawn by chance.
    """

    def __init__(self, X, model, n_phrases):
        weight = np.bincount(model._row).astype(float)
        names, number = np.unique(X[:, 0].astype(str), return_inverse=True)
        phrase = np.empty(len(weight), dtype=int)
        phrase[model._row] = number
        chosen = np.random.default_rng(0).permutation(len(names))[:n_phrases]
        rows = np.flatnonzero(np.isin(phrase, chosen))
        self.groups = np.unique(phrase[rows], return_inverse=True)[1]
        self.starts = np.append(0, np.cumsum(np.bincount(self.groups)))
        self.weight = weight[rows]
        self.p = np.maximum(model._posterior[rows], 1e-12)
        self.p /= self.p.sum(axis=1, keepdims=True)

    def project(self, sigma, tol):
        """CPU seconds of our projection, and gaps."""
        rows = Rows(self.groups, self.weight, self.p.shape[1])
        constraint = Sparsity(sigma, tol=tol).bind(rows)
        seconds = cpu(lambda: constraint.project_rows(self.p, self.weight))
        return seconds, constraint.gaps_ / (1 + abs(constraint.values_))

    def ascend(self, sigma, tol, max_iter):
        """The same for projected gradient ascent, compiled as ours is."""
        gaps = np.empty(len(self.starts) - 1)
        problem = self.p, self.weight, self.starts, sigma, tol, max_iter, gaps
        return cpu(lambda: _ascend(*problem)), gaps

    def ascend_slowly(self, sigma, tol, max_iter):
        """The same by the reference of the tests, which is not compiled."""
        from _projected_gradient import project_gradient

        begin, gaps = time.process_time(), []
        for a, b in zip(self.starts[:-1], self.starts[1:], strict=True):
            _, value, gap = project_gradient(
                self.p[a:b], self.weight[a:b], sigma, tol=tol, max_iter=max_iter
            )
            gaps.append(gap / (1 + abs(value - gap)))
        return time.process_time() - begin, np.array(gaps)

"""Smooth convex objectives, by scipy's L-BFGS with news of every iteration."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

__all__ = ["Minimum", "minimize_smooth"]

# Pairs of moves kept: each costs two vectors of the size of the weights.
_MEMORY = 10
_LINE_SEARCH = 40


class Minimum(NamedTuple):
    """Where the search ended.

    Attributes
    ----------
    weights : ndarray of shape (n_weights,)
        The best point.
    objective : float
        The objective there.
    n_iter : int
        Number of iterations.
    converged, stopped : bool
        Whether the gradient, or all that could still be gained, is small enough, and
        whether a callback ended the search.
    """

    weights: np.ndarray
    objective: float
    n_iter: int
    converged: bool
    stopped: bool


def minimize_smooth(evaluate, weights, *, l2, tol, max_iter, on_iteration):
    """Minimise a smooth convex function with a penalty in it.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(weights)`` returns value and gradient, in that order, first of all.
    weights : ndarray of shape (n_weights,)
        Where to start.
    l2 : float
        Strength of the penalty.
    tol : float
        Largest entry of the gradient that ends the search.
    max_iter : int
        Bound on the iterations.
    on_iteration : callable
        ``on_iteration(iteration, value, weights) -> stop``.

    Returns
    -------
    Minimum
    """
    n_iter, stopped = 0, False

    def report(intermediate_result):
        nonlocal n_iter, stopped
        n_iter += 1
        value = float(intermediate_result.fun)
        stopped = on_iteration(n_iter, value, intermediate_result.x.copy())
        if stopped:
            raise StopIteration

    found = minimize(
        lambda weights: evaluate(weights)[:2],
        weights,
        jac=True,
        method="L-BFGS-B",
        callback=report,
        options={
            "maxiter": max_iter,
            "maxfun": 100 * max_iter,
            "maxcor": _MEMORY,
            "maxls": _LINE_SEARCH,
            "gtol": tol,
            "ftol": 8 * np.finfo(float).eps,
        },
    )
    if n_iter == 0:  # the start is as good as it gets
        n_iter = 1
        stopped = on_iteration(1, float(found.fun), found.x)
    converged = found.status != 1 and not stopped and _is_minimum(found, l2, tol)
    return Minimum(found.x, float(found.fun), n_iter, converged, bool(stopped))


def _is_minimum(found, l2, tol):
    """Whether it is, also where the end of the numbers' precision came first."""
    excess = found.jac @ found.jac / (2 * l2)
    return bool(abs(found.jac).max() <= tol or excess <= tol * abs(found.fun))

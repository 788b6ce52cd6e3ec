"""Smooth convex objectives, by L-BFGS with news of every iteration."""

from typing import NamedTuple

import numpy as np

from skstruct.solvers._lbfgs import LBFGS

__all__ = ["Minimum", "minimize_smooth"]

# Pairs of moves kept: each costs two vectors of the size of the weights.
_MEMORY = 6
# A step that lowers the objective by a smaller share is one of rounding.
_PRECISION = 8 * np.finfo(float).eps


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


def minimize_smooth(
    evaluate, weights, *, l2, tol, max_iter, on_iteration, scale=None, n_jobs=None
):
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
    scale : ndarray of shape (n_weights,), default=None
        Units of the weights, as `LBFGS` takes them.
    n_jobs : int, default=None
        Threads; results do not depend on their number.

    Returns
    -------
    Minimum

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.solvers import minimize_smooth
    >>> def evaluate(x):  # (x - 3)² + x²/2
    ...     return (x - 3) @ (x - 3) + x @ x / 2, 2 * (x - 3) + x
    >>> found = minimize_smooth(
    ...     evaluate,
    ...     np.zeros(1),
    ...     l2=1.0,
    ...     tol=1e-8,
    ...     max_iter=50,
    ...     on_iteration=lambda iteration, value, weights: False,
    ... )
    >>> found.weights, found.converged
    (array([2.]), True)
    """
    solver, state = LBFGS(_MEMORY, scale, n_jobs), evaluate(weights)
    for iteration in range(1, max_iter + 1):
        before = float(state[0])
        weights, state, moved = solver.step(evaluate, weights, state)
        value, gradient = float(state[0]), state[1]
        stopped = bool(on_iteration(iteration, value, weights))
        small = np.abs(gradient).max(initial=0.0) <= tol
        gained = before - value > _PRECISION * max(abs(before), abs(value), 1.0)
        if stopped or small or not (moved and gained):
            break
    # The end of the numbers' precision may be a minimum too.
    excess = gradient @ gradient / (2 * l2)
    converged = not stopped and bool(small or excess <= tol * abs(value))
    return Minimum(weights, value, iteration, converged, stopped)

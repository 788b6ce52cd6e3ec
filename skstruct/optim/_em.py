"""Expectation maximisation."""

import numpy as np

__all__ = ["expectation_maximization"]


def expectation_maximization(
    expect, maximize, *, max_iter, tol, on_iteration=None, may_stop=None
):
    """Raise an objective by E- and M-steps until it rises no more.

    Parameters
    ----------
    expect : callable
        ``expect() -> (objective, statistics)`` at the present parameters.
    maximize : callable
        ``maximize(statistics)`` moves the parameters.
    max_iter : int
        Bound on the number of E-steps.
    tol : float
        Converged when the objective has risen by less than ``tol * |objective|``.
    on_iteration : callable, default=None
        ``on_iteration(iteration, objective) -> stop``, after each E-step.
    may_stop : callable, default=None
        ``may_stop(iteration, statistics)``: whether a small rise means convergence.

    Returns
    -------
    converged : bool
        Then no M-step follows the last E-step: its objective is that of the present
        parameters.
    stopped : bool
        Whether ``on_iteration`` asked to stop.

    Examples
    --------
    A coin that was thrown six times, of which nobody saw two:

    >>> import numpy as np
    >>> from skstruct.optim import expectation_maximization
    >>> state = {"share": 0.1}
    >>> def expect():  # three heads, one tail
    ...     p = state["share"]
    ...     return 3 * np.log(p) + np.log(1 - p), 3 + 2 * p
    >>> def maximize(heads):
    ...     state["share"] = heads / 6
    >>> expectation_maximization(expect, maximize, max_iter=100, tol=1e-12)
    (True, False)
    >>> round(state["share"], 3)
    0.75
    """
    previous = -np.inf
    for iteration in range(1, max_iter + 1):
        objective, statistics = expect()
        stopped = bool(on_iteration and on_iteration(iteration, objective))
        risen = objective - previous
        if (
            iteration > 1
            and risen <= tol * abs(objective)
            and (may_stop is None or may_stop(iteration, statistics))
        ):
            return True, stopped
        maximize(statistics)
        if stopped:
            return False, True
        previous = objective
    return False, False

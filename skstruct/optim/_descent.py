"""Descent in weights where a predictor has to settle at every one of them."""

import numpy as np

__all__ = ["descend"]

# While a step lowers the value, the predictor's gap may be so many times as large: what
# it could gain is much less than its gap.
_GAP_SHARE = 2.0
_SLACK = 0.1
# A long step is no reason to forget how short the last ones were.
_SHORTEST = 0.1


def descend(evaluate, weights, predictor, step, enough):
    r"""Lower :math:`\min_p F(\theta, p)` over weights, step by step.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(weights, enough)`` moves the predictor until its gap is small enough,
        and returns a tuple that begins with value and gradient and has a ``gap``.
    weights : ndarray of shape (n_weights,)
        Where to start.
    predictor : ndarray of shape (N, K)
        Where to start; changed in place.
    step : callable
        ``step(evaluate, weights, state, slack=)`` as `LBFGS.step`.
    enough : callable
        ``enough()`` is the gap that will do in the end.

    Yields
    ------
    weights : ndarray of shape (n_weights,)
        The first and all further points, until none is better.
    state : tuple
        What ``evaluate`` returned there.

    Examples
    --------
    Where the predictor is always settled, it is L-BFGS:

    >>> from collections import namedtuple
    >>> import numpy as np
    >>> from skstruct.optim import descend
    >>> from skstruct.solvers import LBFGS
    >>> State = namedtuple("State", "value gradient gap")
    >>> def evaluate(x, enough):
    ...     return State((x - 3) @ (x - 3), 2 * (x - 3), 0.0)
    >>> nobody = np.zeros((0, 1))
    >>> points = descend(evaluate, np.zeros(2), nobody, LBFGS().step, lambda: 0.0)
    >>> list(points)[-1][0].round(6)
    array([3., 3.])
    """
    fall, start = np.inf, predictor.copy()

    def trial(weights):
        # Trials that failed leave the predictor far off.
        predictor[:] = start
        return evaluate(weights, max(enough(), _GAP_SHARE * fall))

    state, n_failures = trial(weights), 0
    while n_failures < 2:
        yield weights, state
        start, value = predictor.copy(), state.value
        weights, state, moved = step(trial, weights, state, slack=_SLACK * state.gap)
        if moved:
            last = fall if fall < np.inf else 0.0
            fall, n_failures = max(value - state.value, _SHORTEST * last), 0
        else:  # once, its curvature or the predictor may be to blame
            fall, n_failures = 0.0, n_failures + 1
            state = trial(weights)

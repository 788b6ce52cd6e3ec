"""Subgradient descent with averaging."""

import numpy as np

__all__ = ["subgradient_descent"]


def subgradient_descent(
    subgradient, step, weights, *, batches, max_iter, on_iteration=None
):
    r"""Lower a convex loss that has kinks, batch by batch in a fixed order.

    Single points jump across kinks again and again; their average need not. After t
    steps, point s weighs :math:`2 s / (t (t + 1))` in it: early points are soon
    forgotten.

    Parameters
    ----------
    subgradient : callable
        ``subgradient(weights, batch) -> (loss, gradient)`` of one batch.
    step : callable
        ``step(weights, gradient) -> weights``, such as ``AdaGrad().step``.
    weights : ndarray
        Where to start.
    batches : sequence
        What ``subgradient`` is asked for in each pass, in this order.
    max_iter : int
        Number of passes.
    on_iteration : callable, default=None
        ``on_iteration(iteration, loss, average) -> stop``, after each pass; ``loss`` is
        the mean over the batches, each at the point before its step.

    Returns
    -------
    average : ndarray
    stopped : bool
        Whether ``on_iteration`` asked to stop.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.optim import subgradient_descent
    >>> from skstruct.solvers import AdaGrad
    >>> def distance(x, point):
    ...     return np.abs(x - point).sum(), np.sign(x - point)
    >>> points = [np.array([0.0]), np.array([1.0]), np.array([5.0])]
    >>> x, _ = subgradient_descent(
    ...     distance, AdaGrad().step, np.zeros(1), batches=points, max_iter=400
    ... )
    >>> x.round(1)
    array([1.])
    """
    average, t = weights, 0
    for iteration in range(1, max_iter + 1):
        losses = []
        for batch in batches:
            loss, gradient = subgradient(weights, batch)
            weights = step(weights, gradient)
            t += 1
            average = average + 2 / (t + 1) * (weights - average)
            losses.append(loss)
        if on_iteration and on_iteration(iteration, np.mean(losses), average):
            return average, True
    return average, False

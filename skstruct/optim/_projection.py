"""Posteriors projected on constraints by ascent of the dual."""

from typing import NamedTuple

import numpy as np

__all__ = ["Projection", "project_posterior"]


class Projection(NamedTuple):
    """Where a projection ended.

    Attributes
    ----------
    expectations : list of ndarray
        Of each model, under the projected posteriors.
    log_partitions : list of ndarray of shape (n,)
        Of each shifted model.
    dual : ndarray of shape (n_multipliers,)
        The multipliers, from which the next projection may start.
    trace : list of float
        The dual, summed over samples, at the start and after each step; never falls.
    """

    expectations: list
    log_partitions: list
    dual: np.ndarray
    trace: list


def project_posterior(
    infer, constraint, dual=None, *, n_steps=5, step_size=2.0, on_step=None
):
    r"""Project posteriors by some steps of projected gradient ascent on the dual.

    .. math:: \lambda \leftarrow \Pi_\Lambda \left(\lambda
        + s \, (\mathrm{E}_q[\phi] - b)\right)

    Samples are independent, so each has its own step size s: a sample whose dual fell
    goes back to where it was and tries again with half of it. A step costs one pass of
    inference; there is one at the start, and one at the end if samples went back in
    the last step.

    Parameters
    ----------
    infer : callable
        ``infer(shifts) -> (expectations, log_partitions)`` of models whose
        log-potentials are shifted, lists with an item for each model. The last call is
        made with the final multipliers, so what it leaves behind belongs to them.
    constraint : Constraint
        Bound to the batch.
    dual : ndarray of shape (n_multipliers,), default=None
        Multipliers to start from; zeros if None.
    n_steps : int, default=5
        Number of steps.
    step_size : float, default=2.0
        First step size of each sample. The slope of the dual in one multiplier changes
        at most at the rate of the variance of what it counts, for a link in two models
        1/2, for which the default is the safe step.
    on_step : callable, default=None
        ``on_step(step, value) -> stop``, after each step, with the sum of the dual.

    Returns
    -------
    Projection
        Named tuple of expectations, log_partitions, dual and trace.

    Examples
    --------
    Two target words want the same source word, or none; it may be linked once:

    >>> import numpy as np
    >>> from skstruct.constraints import Bijectivity, Cells
    >>> from skstruct.optim import project_posterior
    >>> def infer(shifts):
    ...     links = np.exp(np.array([2.0, 1.5]) + shifts[0])
    ...     return [links / (1 + links)], [np.log(1 + links).sum(keepdims=True)]
    >>> bound = Bijectivity().bind(Cells(np.array([1]), np.array([2]), ("forward",)))
    >>> print(infer([0.0])[0][0].sum().round(2))
    1.7
    >>> found = project_posterior(infer, bound, n_steps=30)
    >>> print(found.expectations[0].sum().round(2))
    1.0
    """
    dual = constraint.project_dual(constraint.start() if dual is None else dual)
    expectations, log_partitions = infer(constraint.shift(dual))
    values = constraint.dual_value(dual, log_partitions)
    slope = constraint.violation(expectations)
    sizes = np.full(len(values), step_size, dual.dtype)
    trace, fell = [float(values.sum())], np.zeros(len(values), bool)
    for step in range(1, n_steps + 1):
        reached = dual + constraint.spread(sizes) * slope
        reached = constraint.project_dual(reached).astype(dual.dtype, copy=False)
        expectations, log_partitions = infer(constraint.shift(reached))
        new = constraint.dual_value(reached, log_partitions)
        fell = ~(new >= values)
        back = constraint.spread(fell)
        dual = np.where(back, dual, reached)
        slope = np.where(back, slope, constraint.violation(expectations))
        values = np.where(fell, values, new)
        sizes[fell] /= 2
        trace.append(float(values.sum()))
        if on_step and on_step(step, trace[-1]):
            break
    if fell.any():
        expectations, log_partitions = infer(constraint.shift(dual))
    return Projection(expectations, log_partitions, dual, trace)

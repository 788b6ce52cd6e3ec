"""Deterministic annealing: EM at rising inverse temperatures."""

from functools import partial

import numpy as np

from skstruct.optim._em import expectation_maximization

__all__ = ["anneal", "geometric_schedule"]


def geometric_schedule(beta_min, growth, beta_max):
    """Inverse temperatures ``beta_min * growth**i`` up to and with ``beta_max``.

    Parameters
    ----------
    beta_min : float
        First inverse temperature, > 0.
    growth : float
        Factor between neighbours, > 1.
    beta_max : float
        Last inverse temperature, at least ``beta_min``.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from skstruct.optim import geometric_schedule
    >>> geometric_schedule(0.25, 2.0, 1.5)
    array([0.25, 0.5 , 1.  , 1.5 ])
    """
    n = int(np.ceil(np.log(beta_max / beta_min) / np.log(growth) - 1e-9))
    return np.append(beta_min * growth ** np.arange(n), beta_max)


def anneal(
    expect,
    maximize,
    betas,
    *,
    max_iter,
    tol,
    anneal_max_iter,
    anneal_tol,
    on_iteration=None,
    may_stop=None,
    on_raise=None,
):
    """Run EM to convergence at each of ``betas`` in turn.

    Parameters
    ----------
    expect : callable
        ``expect(beta) -> (objective, statistics)``.
    maximize : callable
        ``maximize(statistics)``.
    betas : array-like of shape (n_betas,)
        Inverse temperatures in rising order.
    max_iter, tol : int, float
        Of EM at the last beta.
    anneal_max_iter, anneal_tol : int, float
        Of EM at the betas before.
    on_iteration : callable, default=None
        ``on_iteration(beta, iteration, objective) -> stop``.
    may_stop : callable, default=None
        As in `expectation_maximization`, asked at the last beta only: at high
        temperature all states may be alike, and that is no fault.
    on_raise : callable, default=None
        ``on_raise(beta)``, called before EM at each beta but the first.

    Returns
    -------
    converged : bool
        Whether EM at the last beta converged.
    stopped : bool
        Whether ``on_iteration`` asked to stop.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.optim import anneal
    >>> state = {"share": 0.1}
    >>> def expect(beta):  # three heads, one tail, and two throws that nobody saw
    ...     p = state["share"]
    ...     q = p**beta / (p**beta + (1 - p) ** beta)
    ...     unseen = np.log(p**beta + (1 - p) ** beta) / beta
    ...     return 3 * np.log(p) + np.log(1 - p) + 2 * unseen, 3 + 2 * q
    >>> def maximize(heads):
    ...     state["share"] = heads / 6
    >>> loops = {
    ...     "max_iter": 100,
    ...     "tol": 1e-12,
    ...     "anneal_max_iter": 9,
    ...     "anneal_tol": 1e-4,
    ... }
    >>> anneal(expect, maximize, [0.5, 1.0], **loops)
    (True, False)
    >>> round(state["share"], 3)
    0.75
    """
    converged = stopped = False
    for i, beta in enumerate(betas):
        last = i == len(betas) - 1
        if i and on_raise:
            on_raise(beta)
        converged, stopped = expectation_maximization(
            partial(expect, beta),
            maximize,
            max_iter=max_iter if last else anneal_max_iter,
            tol=tol if last else anneal_tol,
            on_iteration=on_iteration and partial(on_iteration, beta),
            may_stop=may_stop if last else None,
        )
        if stopped:
            break
    return converged, stopped

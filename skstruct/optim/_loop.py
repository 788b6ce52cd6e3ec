"""Restarts."""

__all__ = ["best_of"]


def best_of(runs):
    """The run with the highest objective; the first of equal ones.

    Parameters
    ----------
    runs : iterable
        Of results with an attribute ``objective``, worked off lazily.

    Returns
    -------
    object
        The best result.

    Examples
    --------
    >>> from types import SimpleNamespace as Run
    >>> from skstruct.optim import best_of
    >>> best_of(Run(objective=o, seed=i) for i, o in enumerate([-2.0, -1.0, -3.0])).seed
    1
    """
    best = None
    for run in runs:
        if best is None or run.objective > best.objective:
            best = run
    return best

"""Kernels compiled before the first request."""

import warnings
from collections.abc import Iterable

from skstruct import estimators as models

__all__ = ["warm_up"]

_ANSWERS = ("predict", "predict_proba", "filter_proba", "predict_equilibrium", "score")


def warm_up(estimators: Iterable[str] | None = None) -> None:
    """Compile ahead what fits and predictions need, for instance in a container image.

    The first fit of a kind compiles its loops, which takes seconds, and keeps them in
    a cache folder, where later processes find them: beside the package, in the
    user's cache folder, or in the folder that the environment variable
    ``NUMBA_CACHE_DIR`` names. This function fits the estimators to a little generated
    data of each kind that they take, so that no later process compiles. Compiled
    code is for one kind of processor: call it on the kind that will use it.

    Parameters
    ----------
    estimators : iterable of str, default=None
        Names of classes in :mod:`skstruct.estimators`, such as ``["AnnealedHMM"]``.
        None means all of them. Defaults and the common parameters are covered; for
        rarer ones, and components of your own, fit them to a few samples yourself.

    Raises
    ------
    ValueError
        If a name is unknown.

    Examples
    --------
    >>> import skstruct
    >>> skstruct.warm_up(["AnnealedHMM"])
    """
    from skstruct._warm_up_jobs import JOBS  # which takes long to import

    names = [*JOBS] if estimators is None else estimators
    if isinstance(names, str) or not set(names := list(names)) <= set(JOBS):
        raise ValueError(
            f"estimators={estimators!r} must be None or a list of some of these names: "
            f"{', '.join(JOBS)}."
        )
    with warnings.catch_warnings():
        # That so little data says nothing is no news.
        warnings.simplefilter("ignore")
        for name in names:
            for parameters, X, y in JOBS[name]():
                _use(getattr(models, name)(**parameters), X, y)


def _use(model, X, y):
    model.fit(X, y)
    for answer in _ANSWERS:
        if hasattr(model, answer):
            arguments = (X, y) if answer == "score" else (X,)
            getattr(model, answer)(*arguments)

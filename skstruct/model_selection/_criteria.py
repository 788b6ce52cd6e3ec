"""Information criteria in the form that ``scoring=`` takes."""

from sklearn.pipeline import Pipeline

__all__ = ["aic_scorer", "bic_scorer"]


def bic_scorer(estimator, X, y=None) -> float:
    """Negated Bayesian information criterion, ``-estimator.bic(X)``.

    Greater is better. The criterion belongs to the data that the model learnt from:
    search with ``cv=TransductiveSplit()``.

    Parameters
    ----------
    estimator : object
        Fitted, with ``bic``; or a Pipeline whose last step is.
    X : Ragged or list-like of sequences
        The data.
    y : object
        Ignored.

    Returns
    -------
    float
        The score.

    Raises
    ------
    TypeError
        If the estimator has no such method.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.mixture import GaussianMixture
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skstruct.model_selection import TransductiveSplit, bic_scorer
    >>> X = np.r_[np.arange(20.0), 100 + np.arange(20.0)][:, None]
    >>> search = GridSearchCV(
    ...     GaussianMixture(random_state=0),
    ...     {"n_components": [1, 2, 3]},
    ...     scoring=bic_scorer,
    ...     cv=TransductiveSplit(),
    ... )
    >>> search.fit(X).best_params_
    {'n_components': 2}
    """
    return -_criterion(estimator, X, "bic")


def aic_scorer(estimator, X, y=None) -> float:
    """Negated Akaike information criterion, ``-estimator.aic(X)``.

    Greater is better. The criterion belongs to the data that the model learnt from:
    search with ``cv=TransductiveSplit()``.

    Parameters
    ----------
    estimator : object
        Fitted, with ``aic``; or a Pipeline whose last step is.
    X : Ragged or list-like of sequences
        The data.
    y : object
        Ignored.

    Returns
    -------
    float
        The score.

    Raises
    ------
    TypeError
        If the estimator has no such method.

    See Also
    --------
    bic_scorer : Punishes parameters harder.

    Examples
    --------
    >>> from skstruct import AnnealedHMM
    >>> from skstruct.model_selection import aic_scorer
    >>> X = [["a", "b", "a"], ["b", "a"]]
    >>> model = AnnealedHMM(1).fit(X)
    >>> bool(aic_scorer(model, X) == -model.aic(X))
    True
    """
    return -_criterion(estimator, X, "aic")


def _criterion(estimator, X, name):
    if isinstance(estimator, Pipeline):
        if len(estimator) > 1:
            X = estimator[:-1].transform(X)
        estimator = estimator[-1]
    if not hasattr(estimator, name):
        raise TypeError(
            f"{name}_scorer needs an estimator with a method {name}(X); "
            f"{type(estimator).__name__} has none."
        )
    return float(getattr(estimator, name)(X))

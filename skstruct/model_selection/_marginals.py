"""Marginals of samples that the model has not seen."""

import numpy as np
from sklearn.model_selection import cross_validate
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from skstruct._validation import as_ragged

__all__ = ["cross_val_marginals"]


def cross_val_marginals(estimator, X, y=None, *, cv=None, n_jobs=None, params=None):
    """Probabilities of each token's labels from a model that did not see its sequence.

    What ``cross_val_predict(method="predict_proba")`` would give, which cannot read
    ragged labels.

    Parameters
    ----------
    estimator : object
        Unfitted, with ``predict_proba``.
    X : Ragged or list-like of sequences
        The data.
    y : Ragged or list-like of label sequences, default=None
        Labels to learn from.
    cv : int, splitter or iterable, default=None
        Folds in which every sequence is tested once; None is five folds.
    n_jobs : int, default=None
        Processes.
    params : dict, default=None
        Passed on to ``fit``, such as ``{"sample_weight": weights}``.

    Returns
    -------
    Ragged
        Rows of (n_tokens, n_labels). Columns follow the ``classes_`` (or ``states_``)
        of the first fold; labels that only later folds know come after them. States of
        an unsupervised model that have no names may mean something else in each fold.

    Raises
    ------
    ValueError
        If the folds do not test every sequence once.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skstruct.model_selection import cross_val_marginals
    >>> X = np.array([[0.0], [9.0], [1.0], [8.0]])
    >>> p = cross_val_marginals(GaussianNB(), X, ["a", "b", "a", "b"], cv=2)
    >>> p.values.shape
    (4, 2)
    """
    folds = cross_validate(
        estimator,
        X,
        y,
        scoring=_no_score,
        cv=cv,
        n_jobs=n_jobs,
        params=params,
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    tests = folds["indices"]["test"]
    order = np.concatenate(tests)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if not np.array_equal(np.sort(order), np.arange(n)):
        raise ValueError(
            "cv must test every sequence exactly once, or some would have no marginals "
            "and others several."
        )
    models = folds["estimator"]
    parts = [
        as_ragged(model.predict_proba(_safe_indexing(X, test)), "predict_proba")
        for model, test in zip(models, tests, strict=True)
    ]
    names = [
        _column_names(model, part.values.shape[1])
        for model, part in zip(models, parts, strict=True)
    ]
    columns = list(dict.fromkeys(name for fold in names for name in fold))
    aligned = [_align(*pair, columns) for pair in zip(parts, names, strict=True)]
    return np.concatenate(aligned)[np.argsort(order)]


def _no_score(estimator, X, y=None):
    """Stand in for the estimator's own score, which may be slow or missing."""
    return 0.0


def _column_names(model, n_columns):
    if isinstance(model, Pipeline):
        model = model[-1]
    names = getattr(model, "classes_", getattr(model, "states_", range(n_columns)))
    return np.asarray(names).tolist()


def _align(part, names, columns):
    """The probabilities of a fold in the common columns; unknown labels have none."""
    values = np.zeros((part.n_tokens, len(columns)))
    values[:, [columns.index(name) for name in names]] = part.values
    return part.with_values(values)

"""What fitted clusterers of tables answer."""

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from skstruct._validation import check_features, check_sample_weight, is_missing
from skstruct._validation._batches import is_scalar, n_dimensions
from skstruct.containers import Ragged

__all__ = ["TablePredictions", "read_table", "row_weight"]

_CONTAINERS = (dict, list, set, tuple, bytes, np.ndarray)
_WANTED = (
    "A table is wanted, one occurrence a row: a column of phrases, and columns of "
    "contexts. Sentences go through PhraseExtractor().fit_transform first."
)


def read_table(estimator, X, *, reset):
    """A table, and how answers for its rows are given back.

    Parameters
    ----------
    estimator : estimator
        Gets or has ``n_features_in_``.
    X : array-like of shape (n, n_columns), or Ragged of rows
        What the user gave.
    reset : bool
        True in ``fit``.

    Returns
    -------
    table : ndarray of shape (n, n_columns)
        Values.
    answer : callable
        Gives one value a row in the caller's form.

    Raises
    ------
    ValueError
        If it is no table, or a cell holds no category; the message tells which.
    """
    _check_rows(X.values if isinstance(X, Ragged) else X)
    how = {"dtype": None, "ensure_all_finite": False}
    if isinstance(X, Ragged):
        table = check_array(X.values, **how, estimator=estimator, input_name="X")
        check_features(estimator, X, X, reset=reset)
        answer = X.with_values
    else:
        table, answer = validate_data(estimator, X, **how, reset=reset), np.asarray
    for k, column in enumerate(table.T):
        _check_cells(column, k)
    return table, answer


def _check_rows(X):
    """Raise for a list or 1-D array whose rows are not equally long sequences."""
    if not isinstance(X, list | tuple) and n_dimensions(X) != 1:
        return
    rows = list(X)
    if not rows:
        raise ValueError(
            f"X is empty: found 0 sample(s) while a minimum of 1 is required. {_WANTED}"
        )
    if any(is_scalar(row) or not hasattr(row, "__len__") for row in rows):
        raise ValueError(
            f"Expected 2D array, got 1D array instead: X has shape ({len(rows)},). "
            f"{_WANTED} Reshape your data: one row alone is [X]."
        )
    widths = list(map(len, rows))
    for i, width in enumerate(widths):
        if width != widths[0]:
            raise ValueError(
                f"X, row {i}, has {width} columns, row 0 has {widths[0]}; all rows "
                f"must have equally many. {_WANTED}"
            )
    if hasattr(X, "shape"):
        raise ValueError(
            f"Expected 2D array, got 1D array instead: X, of shape ({len(rows)},), "
            f"holds sequences. {_WANTED}"
        )


def _check_cells(column, k):
    """Raise for a cell without a value, or with one that is no category."""
    if column.dtype.kind in "fmM":
        missing = ~np.isfinite(column)
    elif column.dtype != object or set(map(type, column.tolist())) <= {str, int}:
        return
    else:
        missing = np.array([_is_missing(value) for value in column.tolist()])
    if missing.any():
        i = np.flatnonzero(missing)[0]
        raise ValueError(
            f"X, row {i}, column {k}, is {column[i]!s}: a missing (None, NaN) or "
            "infinite value is no category. Leave the row out, or give such values a "
            "category of their own."
        )
    for i, value in enumerate(column.tolist()):
        if isinstance(value, _CONTAINERS):
            raise TypeError(
                f"X, row {i}, column {k}: the argument must be a string or a number, "
                f"got a {type(value).__name__}."
            )


def _is_missing(value):
    is_number = isinstance(value, float | np.floating)
    return is_missing(value) or (is_number and not np.isfinite(value))


def row_weight(X, table, sample_weight):
    """One weight for each row, of weights of samples: rows, or items of a Ragged."""
    if isinstance(X, Ragged):
        return np.repeat(check_sample_weight(sample_weight, len(X)), X.lengths)
    return check_sample_weight(sample_weight, len(table))


class TablePredictions:
    """Answers of a clusterer with ``_models``, ``_encoder``, ``_posterior``."""

    def _posteriors(self, X):
        check_is_fitted(self)
        table, answer = read_table(self, X, reset=False)
        return self._models.predict(self._encoder.encode(table)), answer

    def predict(self, X):
        """Category of each row.

        Parameters
        ----------
        X : array-like of shape (n, n_columns), or Ragged of rows
            Occurrences; phrases and contexts may be new.

        Returns
        -------
        ndarray of shape (n,), or Ragged
            The likeliest category by the model; ``labels_`` are those of the training
            rows, by their regularised posterior.
        """
        posterior, answer = self._posteriors(X)
        return answer(posterior.argmax(axis=1))

    def predict_proba(self, X):
        """Probabilities of the categories of each row.

        Parameters
        ----------
        X : array-like of shape (n, n_columns), or Ragged of rows
            Occurrences; phrases and contexts may be new.

        Returns
        -------
        ndarray of shape (n, K), or Ragged
            P(z | phrase, contexts) under the model, not projected on the constraint.
        """
        posterior, answer = self._posteriors(X)
        return answer(posterior)

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, and give the categories of the training rows.

        Parameters
        ----------
        X : array-like of shape (n, n_columns), or Ragged of rows
            Occurrences.
        y : object, default=None
            Not read.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        ndarray of shape (n,), or Ragged
            ``labels_``.
        """
        self.fit(X, y, sample_weight=sample_weight)
        if isinstance(X, Ragged):
            return X.with_values(self.labels_)
        return self.labels_

    def score(self, X, y=None, sample_weight=None) -> float:
        """Mean log-likelihood of the contexts of a row.

        Parameters
        ----------
        X : array-like of shape (n, n_columns), or Ragged of rows
            Occurrences.
        y : object, default=None
            Not read.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        float
            In nats a row.
        """
        check_is_fitted(self)
        table, _ = read_table(self, X, reset=False)
        logs = self._models.score(self._encoder.encode(table))
        return float(np.average(logs, weights=row_weight(X, table, sample_weight)))

    @property
    def regularized_posterior_(self):
        """Projected posteriors of the training rows, (n, K).

        Rows that were left out of fitting have the posterior of the model.
        """
        check_is_fitted(self)
        out = np.empty((len(self._row), self._posterior.shape[1]))
        fitted = self._row >= 0
        out[fitted] = self._posterior[self._row[fitted]]
        out[~fitted] = self._left_out
        return out

    def n_clusters_per_phrase(self) -> np.ndarray:
        """How many categories the training rows of each phrase have.

        Returns
        -------
        ndarray of shape (n_phrases,)
            For each phrase of ``phrases_``.
        """
        check_is_fitted(self)
        return (self._phrase_counts > 0).sum(axis=1)

    def phrase_table(self, min_count=1):
        """Categories of phrases.

        Parameters
        ----------
        min_count : int, default=1
            Phrases with less weight are left out.

        Returns
        -------
        dict of str to ndarray
            The columns "phrase", "category", "probability" (share of the phrase's rows)
            and "count" (weight of the phrase). A phrase has a row for each of its
            categories, the likeliest first; phrases stand by falling count. For
            ``pandas.DataFrame`` and `write_phrase_labels`.
        """
        check_is_fitted(self)
        counts = self._phrase_counts
        total = counts.sum(axis=1)
        phrase, category = np.nonzero(counts)
        count = counts[phrase, category]
        order = np.lexsort((-count, phrase, -total[phrase]))
        order = order[total[phrase[order]] >= min_count]
        phrase, category = phrase[order], category[order]
        return {
            "phrase": self.phrases_[phrase],
            "category": category,
            "probability": count[order] / total[phrase],
            "count": total[phrase],
        }

"""What the clusterers of tables share."""

from abc import abstractmethod
from copy import copy
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils import check_random_state

from skstruct._base import FitMonitor, StructuredEstimator
from skstruct._params import Interval, StrOptions, fit_context
from skstruct.estimators._clustering._predictions import (
    TablePredictions,
    read_table,
    row_weight,
)
from skstruct.estimators._clustering._table import TableEncoder, View, merge_rows
from skstruct.kernels._blas import one_blas_thread
from skstruct.optim import best_of

__all__ = ["TableClusterer"]

_FEATURES = {"n_features_in_", "feature_names_in_"}


class TableClusterer(TablePredictions, ClusterMixin, StructuredEstimator):
    """Clusterer of occurrences; a subclass says how a start is fitted."""

    _parameter_constraints: ClassVar = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "phrase": [Integral, str],
        "init": [StrOptions({"type", "random"}), list, tuple],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "min_count": [Interval(Integral, 1, None, closed="left")],
        "context_alpha": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _training(self, encoder, rows, views):
        """What fits the model to rows."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None) -> Self:
        """Cluster the rows of a table.

        Parameters
        ----------
        X : array-like of shape (n, n_columns), or Ragged of rows
            One occurrence a row: a phrase, and its contexts.
        y : object, default=None
            Not read: gold labels are for scorers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of rows, or of the items of a Ragged; rows of weight 0 are left out.

        Returns
        -------
        estimator
            This object, fitted.
        """
        reader = copy(self)  # a fit that fails leaves the features of the last one
        table, _ = read_table(reader, X, reset=True)
        weight = row_weight(X, table, sample_weight)
        views = reader._views()
        features = {
            name: getattr(reader, name) for name in _FEATURES & vars(reader).keys()
        }
        encoder = TableEncoder()
        names = features.get("feature_names_in_", np.arange(table.shape[1])).tolist()
        codes = encoder.learn(table, weight, names)
        rows = merge_rows(codes, weight, self.min_count, views[0].key)
        self._check_rows(rows, len(table))
        training = self._training(encoder, rows, views)
        rng = check_random_state(self.random_state)
        monitor = FitMonitor(self, X, y, n_runs=self.n_init, max_iter=self.max_iter)

        def attributes(run):
            found = self._attributes(run, encoder, rows, views, codes, weight)
            return features | found

        with one_blas_thread:
            best = best_of(training.runs(rng, monitor, attributes))
        fitted = attributes(best)
        monitor.close(lambda: fitted)
        vars(self).pop("feature_names_in_", None)
        for name, value in fitted.items():
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _views(self):
        """The columns of each model."""
        key = self._column(self.phrase, "phrase")
        slots = tuple(c for c in range(self.n_features_in_) if c != key)
        if not slots:
            raise ValueError(
                "X has n_features=1: beside the column of phrases there must be one "
                "of contexts."
            )
        return [View(key, slots)]

    def _column(self, column, name):
        names = list(getattr(self, "feature_names_in_", ()))
        n = self.n_features_in_
        if column in names:
            return names.index(column)
        if isinstance(column, Integral) and -n <= column < n:
            return int(column) % n
        known = "; they have no names, so tell their numbers, from 0"
        if names:
            known = f"; its columns are {', '.join(map(str, names))}"
        raise ValueError(f"{name}: X has {n} columns and none is {column!r}{known}.")

    def _check_rows(self, rows, n_samples):
        if not len(rows.weight):
            raise ValueError(
                f"No phrase occurs min_count={self.min_count} times among the "
                f"{n_samples} rows of X (n_samples={n_samples}), counted by their "
                "weights; a phrase that is seen once tells nothing of what its "
                f"occurrences share. Is column {self.phrase!r} that of the phrases?"
            )
        names = [self.init] if isinstance(self.init, str) else list(self.init)
        if not names or not all(name in ("type", "random") for name in names):
            raise ValueError(
                f"init must hold 'type' and 'random' only, got {self.init!r}."
            )

    def _attributes(self, run, encoder, rows, views, codes, weight):
        """Fitted attributes of a run; categories by falling weight."""
        left_out = run.models.predict(codes[rows.row < 0])
        order = _order(rows.weight @ run.posterior, [run.posterior, left_out])
        posterior, left_out = run.posterior[:, order], left_out[:, order]
        models = copy(run.models)
        models.mixtures = [mixture.ordered(order) for mixture in models.mixtures]
        labels = np.empty(len(codes), dtype=np.intp)
        labels[rows.row >= 0] = posterior.argmax(axis=1)[rows.row[rows.row >= 0]]
        labels[rows.row < 0] = left_out.argmax(axis=1)
        first = models.mixtures[0]
        key = models.readers[0].keys.find(codes[:, views[0].key])
        n_phrases = len(rows.phrase)
        counts = np.zeros((n_phrases, posterior.shape[1]))
        known = key < n_phrases
        np.add.at(counts, (key[known], labels[known]), weight[known])
        return {
            "labels_": labels,
            "phrases_": encoder.columns[views[0].key].names[rows.phrase],
            "cluster_given_phrase_": np.exp(first.log_key[:-1]),
            "context_given_cluster_": [np.exp(s[:-1].T) for s in first.log_slots],
            "context_names_": [encoder.columns[s].names for s in views[0].slots],
            "history_": list(run.history),
            "n_iter_": len(run.history),
            "converged_": run.converged,
            "_models": models,
            "_encoder": encoder,
            "_posterior": posterior,
            "_row": rows.row,
            "_left_out": left_out,
            "_phrase_counts": counts,
        }


def _order(mass, posteriors):
    """Categories by falling mass; those that no row is labelled with come last."""
    order, used = np.argsort(-mass, kind="stable"), np.zeros(len(mass), dtype=bool)
    for posterior in posteriors:
        used[posterior[:, order].argmax(axis=1)] = True
    return order[np.argsort(~used, kind="stable")]

"""What every supervised graphical model answers."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skstruct._validation import (
    as_known_labels,
    check_features,
    check_node_weight,
    check_sample_weight,
    read_batch,
)
from skstruct.containers import place
from skstruct.estimators._graphical._graphs import Graphs, as_graphs
from skstruct.estimators._sequences._features import (
    kind_of_tokens,
    make_features,
    with_columns,
)
from skstruct.metrics import mean_additive_loss
from skstruct.potentials import LinearGraph
from skstruct.structures import Potentials

__all__ = ["GraphPredictions", "Read"]


# Of values of the surrogate, as a share of ``tol`` and of the largest cost: as that of
# fits, whose ``tol`` is a share of the optimum, or of a thousandth of the largest cost.
_ACCURACY = 1e-3


class Read(NamedTuple):
    """Graphs as a fitted model reads them."""

    graphs: Graphs
    answer: object
    potentials: Potentials


class GraphPredictions:
    """Potentials, predictions and mean losses of a fitted model."""

    def _read(self, X):
        check_is_fitted(self)
        data, answer = read_batch(X, accept_sparse=True)
        data = with_columns(data)
        check_features(self, X, data, reset=False)
        n_features, n_states = self.coef_.shape[1], len(self.classes_)
        features = np.zeros((0, n_features))
        if data.n_tokens:  # what is empty has no kind
            self._check_kind(kind_of_tokens(data))
            features = make_features(self.featurizer_.transform, data)
        if features.shape[1] != n_features:
            raise ValueError(
                f"X has {features.shape[1]} features, but the model was fitted to "
                f"{n_features}; transform it by the same fitted featurizer."
            )
        graphs = self._with_edge_features(as_graphs(data))
        graphs.reject_huge(features)
        linear = LinearGraph(features, graphs.edge_values, n_states=n_states)
        potentials = linear.potentials(self._weights(linear), n_jobs=self.n_jobs)
        return Read(graphs, answer, Potentials(*potentials))

    def _check_kind(self, kind):
        """Raise unless the default featurizer, if it is used, knows this kind."""
        if self._kind not in (None, kind):
            raise ValueError(
                f"X holds {kind}, but the model was fitted to {self._kind}."
            )

    def _weights(self, linear):
        return linear.join(
            self.coef_.T,
            self.intercept_,
            self.transition_coef_,
            getattr(self, "edge_coef_", ()),
        )

    def _with_edge_features(self, graphs):
        """The graphs, after a check of the features of their edges."""
        fitted = len(self.edge_coef_) if hasattr(self, "edge_coef_") else None
        given = None if graphs.edge_values is None else graphs.edge_values.shape[1]
        if given == fitted:
            return graphs
        if len(graphs.edges):
            raise ValueError(
                f"Edges of X have {given or 'no'} features, but the model was fitted "
                f"to {fitted or 'none'}."
            )
        # Where there are no edges, nobody can tell how many features they have.
        nothing = None if fitted is None else np.zeros((0, fitted))
        return graphs._replace(edge_values=nothing)

    def _structure(self, read, *, chains):
        return read.graphs.structure(
            len(self.classes_), self.max_treewidth, chains=chains
        )

    def _codes(self, y, read):
        """True labels as numbers."""
        labels = as_known_labels(y, read.graphs.batch).tolist()
        place_of = {label: k for k, label in enumerate(self.classes_.tolist())}
        unknown = [t for t, label in enumerate(labels) if label not in place_of]
        if unknown:
            where = place(unknown[0], read.graphs.batch.offsets)
            raise ValueError(
                f"y holds the label {labels[unknown[0]]!r} at {where}, which the model "
                f"was not fitted to; it knows {self.classes_.tolist()!r}."
            )
        return np.array([place_of[label] for label in labels], dtype=np.intp)

    def _map(self, read):
        """Labels of largest potential, as numbers."""
        return self._structure(read, chains=True).argmax(read.potentials)[0]

    def surrogate(self, X, y, sample_weight=None, node_weight=None) -> float:
        """Mean of what ``fit`` minimises, without the penalty and at temperature zero.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.
        y : Ragged or list-like of sequences
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of samples.
        node_weight : Ragged or list-like of sequences, default=None
            As in ``fit``.

        Returns
        -------
        float
            Mean over samples at the fitted weights. It is exact but for an adversarial
            model, where it is too large by no more than ``tol`` thousandths of the
            largest cost of a sample.
        """
        read = self._read(X)
        batch = read.graphs.batch
        weight = check_sample_weight(sample_weight, len(batch))
        node_weight = check_node_weight(node_weight, batch.offsets)
        values = self._surrogate.values(
            self._structure(read, chains=False),
            read.potentials,
            self._surrogate.game(self._costs.game(batch.offsets, node_weight)),
            self._codes(y, read),
            tol=_ACCURACY * self._tol,
            n_jobs=self.n_jobs,
        )
        return float(np.average(values, weights=weight))

    def score(self, X, y=None, sample_weight=None, node_weight=None) -> float:
        """One less the mean loss of predictions, as a share of the largest cost.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array
            Samples as in ``fit``.
        y : Ragged or list-like of sequences
            True labels; without them there is no score.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of samples.
        node_weight : Ragged or list-like of sequences, default=None
            Weights of nodes, in place of the rule of ``loss``.

        Returns
        -------
        float
            1 is best; with the zero-one loss, the accuracy of nodes. Labels of y that
            are None or NaN are unknown and skipped. One that training lacked counts
            as a mistake, where the loss has a cost for it.
        """
        check_is_fitted(self)
        if y is None:
            raise ValueError(
                "score compares with gold labels, but y is None: give a label for each "
                "token."
            )
        loss = mean_additive_loss(
            y,
            self.predict(X),
            self._costs.loss,
            labels=self.classes_.tolist(),
            sample_weight=sample_weight,
            node_weight=node_weight,
        )
        return 1.0 - loss / (self._costs.largest_loss or 1.0)

"""What supervised graphical models read and decide before the first step."""

import warnings
from copy import deepcopy
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.class_weight import compute_class_weight

from skstruct._validation import (
    as_classes,
    as_known_labels,
    check_features,
    check_node_weight,
    check_sample_weight,
    read_batch,
)
from skstruct.containers import GraphBatch
from skstruct.estimators._graphical._graphs import as_graphs
from skstruct.estimators._graphical._node_costs import (
    LARGEST_COST,
    check_shape,
    read_node_cost,
)
from skstruct.estimators._graphical._problem import Problem
from skstruct.estimators._sequences._features import (
    fit_featurizer,
    kind_of_tokens,
    with_columns,
)
from skstruct.estimators._sequences._training_data import warn_of_rows
from skstruct.featurizers import TokenFeaturizer
from skstruct.kernels._node_game import GENERAL, Game, kind_of
from skstruct.losses import as_loss
from skstruct.losses._base import as_list
from skstruct.potentials import DistinctFeatures, LinearGraph, seen_pairs

__all__ = ["Costs", "Training"]


class Costs(NamedTuple):
    """The loss of an estimator for its classes.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Labels in order.
    cost : ndarray of shape (K, K)
        ``cost[true, predicted]``, times the weight of the true class.
    largest_loss : float
        The largest cost before that.
    kind : int
        How the game is solved.
    values : ndarray of shape (K,)
        Places of the labels on a line.
    loss : Loss
        Where it comes from; a copy.
    """

    classes: np.ndarray
    cost: np.ndarray
    largest_loss: float
    kind: int
    values: np.ndarray
    loss: object

    @classmethod
    def of(cls, estimator, labels):
        """Read the parameters ``loss``, ``classes`` and ``class_weight``."""
        loss = deepcopy(as_loss(estimator.loss))
        classes = _classes(estimator.classes, labels)
        if estimator.classes is None and loss.needs_order(classes):
            given = estimator.loss
            name = repr(given) if isinstance(given, str) else type(loss).__name__
            raise ValueError(
                f"loss={name} depends on the order of the labels, but they are no "
                f"numbers: {as_list(classes[:3])!r} ... Say the order by "
                "classes=[...], lowest first, or as the rows of a table stand; or name "
                "the rows, by a DataFrame or CostMatrix(..., labels=[...])."
            )
        cost, kind = loss.table(classes), loss.kind
        largest = float(cost.max(initial=0.0))
        weight = _class_weight(estimator.class_weight, classes, labels)
        if weight is not None:
            with np.errstate(over="ignore"):
                cost, kind = weight[:, None] * cost, GENERAL
        if not (cost <= LARGEST_COST).all():
            raise ValueError(
                f"The costs of loss, times class_weight, reach {cost.max():.3g}; they "
                f"must be at most {LARGEST_COST:g}. Divide all by the same number."
            )
        return cls(classes, cost, largest, kind, loss.values(classes), loss)

    def game(self, offsets, node_weight=None, node_cost=None):
        """The game at the nodes of a batch."""
        if node_weight is None:
            node_weight = self.loss.node_weight(offsets)
        kind, true_first = self.kind, self.cost[None]
        index = np.zeros(int(offsets[-1]), dtype=np.intp)
        if node_cost is not None:
            kind, true_first, index = GENERAL, node_cost, np.arange(len(node_cost))
        cost = np.ascontiguousarray(true_first.transpose(0, 2, 1))
        if kind == GENERAL:  # it may still be of a kind that is solved faster
            kind = kind_of(cost, self.values)
        return Game(kind, cost, index, node_weight, self.values)

    @property
    def largest(self):
        """The largest cost of a node of weight one; 1 where nothing costs."""
        return float(self.cost.max(initial=0.0)) or 1.0

    def decide(self, marginals):
        """The label of least expected cost at each node; the first of equal ones."""
        return (marginals @ self.cost).argmin(axis=1)


def _classes(given, labels):
    """The classes, as given or sorted."""
    found = np.unique(labels)
    if given is None:
        return found
    classes = as_classes(given)
    missing = [label for label in found.tolist() if label not in set(classes.tolist())]
    if missing:
        raise ValueError(f"y holds the label {missing[0]!r}, which classes lacks.")
    return classes


def _class_weight(given, classes, labels):
    """Weights of the classes; None if all are equal."""
    if given is None:
        return None
    known = set(classes.tolist())
    if isinstance(given, dict) and not set(given) <= known:
        odd = [label for label in as_list(list(given)) if label not in known]
        raise ValueError(f"class_weight names {odd[0]!r}, which is no class.")
    present = classes[np.isin(classes, labels)]
    weight = np.ones(len(classes))
    if isinstance(given, dict):
        try:
            values = [float(given.get(label, 1.0)) for label in classes.tolist()]
        except (TypeError, ValueError) as error:
            raise ValueError(f"class_weight must hold numbers: {given!r}.") from error
        weight = np.array(values)
        if not (np.isfinite(weight) & (weight >= 0)).all():
            raise ValueError(f"class_weight must be finite and not negative: {given}.")
    else:
        weight[np.isin(classes, labels)] = compute_class_weight(
            given, classes=present, y=labels
        )
    return None if np.ptp(weight) == 0 and weight[0] == 1 else weight


def _all_words():
    """Features of words that need not recur: labels say what they are good for."""
    return TokenFeaturizer(min_identity_count=1, min_affix_share=0)


def _warn_of_form(batch, estimator):
    """Say what may not be meant: rows as samples, numbers as names."""
    if not isinstance(batch, GraphBatch):
        warn_of_rows(batch, 2, stacklevel=6)
    elif (
        estimator.featurizer is None
        and batch.values.ndim == 1
        and batch.values.dtype.kind in "iu"
    ):
        warnings.warn(
            "The nodes of X are whole numbers, which are read as symbols, as words "
            "are. If they are measured, such as pixels, pass columns: "
            "values.reshape(-1, 1). If not, name a featurizer, such as "
            "TokenFeaturizer().",
            stacklevel=5,
        )


class Training:
    """A training set, read and checked.

    Parameters
    ----------
    estimator : GraphicalModel
        Gives the parameters; it is not changed.
    X, y, sample_weight, node_weight, node_cost : object
        As given to ``fit``.
    """

    def __init__(self, estimator, X, y, sample_weight, node_weight, node_cost):
        self.estimator = estimator
        batch = with_columns(read_batch(X, accept_sparse=True)[0])
        owner = BaseEstimator()
        check_features(owner, X, batch, reset=True)
        self.input = vars(owner)
        labels = as_known_labels(y, batch)
        weight = check_sample_weight(sample_weight, len(batch))
        node_weight = check_node_weight(node_weight, batch.offsets)
        node_cost = read_node_cost(node_cost, batch.offsets)
        kept = np.flatnonzero(weight)
        if len(kept) < len(batch):
            rows = np.repeat(weight > 0, batch.lengths)
            batch, weight, labels = batch[kept], weight[kept], labels[rows]
            node_weight = None if node_weight is None else node_weight[rows]
            node_cost = None if node_cost is None else node_cost[rows]
        if batch.n_tokens == 0:
            raise ValueError("X holds no nodes: its samples are empty or weigh 0.")
        _warn_of_form(batch, estimator)
        self.weight = weight
        self.costs = Costs.of(estimator, labels)
        if node_cost is not None:
            check_shape(node_cost, len(self.costs.classes))
        self.game = self.costs.game(batch.offsets, node_weight, node_cost)
        self.temperature = estimator.temperature * self.costs.largest
        place_of = {label: k for k, label in enumerate(self.costs.classes.tolist())}
        self.labels = np.array([place_of[label] for label in labels.tolist()], np.intp)
        self.graphs = as_graphs(batch)
        self.kind = kind_of_tokens(batch) if estimator.featurizer is None else None
        self.featurizer, features = fit_featurizer(
            estimator.featurizer, batch, vectors=FunctionTransformer, words=_all_words
        )
        self.graphs.reject_huge(features)
        self.distinct = DistinctFeatures(features)
        values, K = self.distinct.values, len(self.costs.classes)
        pairs = None
        if sp.issparse(values) and not getattr(estimator, "all_possible_states", True):
            pairs = seen_pairs(values, self.labels, K)
        self.linear = LinearGraph(
            values, self.graphs.edge_values, n_states=K, pairs=pairs
        )

    def problem(self, surrogate, *, chains):
        """The objective under a surrogate."""
        e, K = self.estimator, len(self.costs.classes)
        return Problem(
            surrogate,
            self.graphs.structure(K, e.max_treewidth, chains=chains),
            self.linear,
            surrogate.game(self.game),
            self.labels,
            self.graphs.edges,
            self.weight,
            self._l2(),
            e.n_jobs,
        )

    def _l2(self):
        if self.estimator.l2 != "auto":
            return self.estimator.l2
        # Of a hot game, the weights are as many times as large as those of a CRF.
        return 1.0 / (self.weight.sum() * max(1.0, self.temperature))

    def attributes(self, weights):
        """Fitted attributes that weights give."""
        coef, intercept, transition, edge_coef = self.linear.split(weights.copy())
        fitted = self.input | {
            "_costs": self.costs,
            "_kind": self.kind,
            "_tol": self.estimator.tol,
            "_temperature": self.temperature,
            "featurizer_": self.featurizer,
            "classes_": self.costs.classes,
            "cost_": self.costs.cost,
            "coef_": self.distinct.expand(coef).T,
            "intercept_": intercept,
            "transition_coef_": transition,
        }
        if self.linear.edge_features is not None:
            fitted["edge_coef_"] = edge_coef
        return fitted

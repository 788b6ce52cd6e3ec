"""The base of supervised graphical models."""

from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import ClassVar, Self

from skstruct._base import FitMonitor, StructuredEstimator
from skstruct._params import HasMethods, Interval, StrOptions, fit_context
from skstruct.estimators._graphical._predictions import GraphPredictions
from skstruct.estimators._graphical._training import Training
from skstruct.kernels._blas import one_blas_thread

__all__ = ["GraphicalModel"]


class GraphicalModel(GraphPredictions, StructuredEstimator, ABC):
    """A model of labelled chains, trees and graphs that minimises a surrogate."""

    _parameter_constraints: ClassVar = {
        "loss": "no_validation",  # as_loss tells more
        "classes": ["array-like", None],
        "featurizer": [HasMethods(["fit", "transform"]), None],
        "l2": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_treewidth": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
            None,
        ],
    }
    _component_examples: ClassVar = {
        "featurizer": "TokenFeaturizer()",
        "loss": "Absolute()",
    }

    # Of the adversary's entropy.
    temperature = 0.0

    @abstractmethod
    def _train(self, training, tell):
        """Fitted attributes; ``tell(attributes) -> stop`` is called as it goes on."""

    # Featurizers and losses are the user's: they check their parameters.
    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None, node_weight=None, node_cost=None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Graphs, or sequences (chains), of vectors, feature dicts or words; a plain
            2-D array is n samples of one node each.
        y : Ragged or list-like of sequences
            The label of every node: strings or integers. For a plain 2-D X, an array
            of shape (n,).
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of samples.
        node_weight : Ragged or list-like of sequences, default=None
            Factors for the costs of each node, beside X: a margin or a stake, not a
            count of nodes. None: as the rule of ``loss`` says.
        node_cost : Ragged or list-like of arrays of shape (n_nodes, K, K), default=None
            A table ``cost[true, predicted]`` for each node, in place of ``loss``, in
            training only: predictions are by ``cost_``. To decide by the costs of new
            nodes, take those of least ``predict_proba(X)[i][:, None] @ cost[i]`` of a
            conditional random field.

        Returns
        -------
        object
            The fitted estimator.
        """
        training = Training(self, X, y, sample_weight, node_weight, node_cost)
        monitor = FitMonitor(self, X, y, n_runs=1, max_iter=self.max_iter)
        with monitor.run() as tell, one_blas_thread:
            fitted = self._train(training, tell)
        monitor.close(lambda: fitted)
        for name in [n for n in vars(self) if n.endswith("_")]:
            delattr(self, name)
        for name, value in fitted.items():
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self):
        return hasattr(self, "coef_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags

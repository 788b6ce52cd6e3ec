"""Conditional random fields of chains, trees and graphs."""

import warnings
from typing import ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skstruct._params import StrOptions
from skstruct.estimators._graphical._marginals import MarginalPredictions
from skstruct.estimators._graphical._model import GraphicalModel
from skstruct.solvers import minimize_smooth
from skstruct.surrogates import Logistic

__all__ = ["ConditionalRandomField"]


class ConditionalRandomField(MarginalPredictions, GraphicalModel):
    r"""Conditional random field of labelled chains, trees and graphs.

    With features :math:`x_i` of nodes and :math:`z_e` of edges, ``fit`` solves

    .. math:: \min_\theta \; -\frac{1}{n} \sum_s \log p_\theta(y_s \mid x_s)
        + \frac{l_2}{2} \lVert \theta \rVert^2

    .. math:: p_\theta(y \mid x) \propto \exp \Big( \sum_i (w_{y_i} \cdot x_i + c_{y_i})
        + \sum_{e = (i, j)} \big( a_{y_i y_j} + \sum_g z_{eg} v_{g y_i y_j} \big) \Big)

    with :math:`\theta = (w, c, a, v)`, by L-BFGS; the objective is convex. A label of
    least expected loss is predicted at every node.

    Parameters
    ----------
    loss : str, array, DataFrame or Loss, default="zero_one"
        What mistakes cost: "zero_one", "absolute", "squared", a table
        ``cost[true, predicted]`` or a :class:`~skstruct.losses.Loss`. Weights are not
        trained for it. What ``fit`` found it to be, ``cost_``, is what predictions and
        `score` heed: a change after ``fit`` has no effect before the next one.
    classes : array-like of shape (K,), default=None
        The labels and their order. None: those of y, sorted.
    featurizer : transformer or None, default=None
        Makes features of nodes. None: ``DictVectorizer`` for feature dicts,
        :class:`~skstruct.featurizers.TokenFeaturizer` for words, all of which it knows
        by name and by affixes; vectors, dense or sparse, are taken as they are.
    l2 : float or "auto", default="auto"
        Strength of the penalty, beside a mean over samples; "auto" is one by the sum
        of their weights. All weights are penalised, so standardise numeric features.
    class_weight : dict, "balanced" or None, default=None
        Factors for the costs of mistakes on each true class.
    all_possible_states : bool, default=True
        Whether sparse features have a weight for every label, or only for those that
        they are seen with in training. The second is much cheaper where there are many
        features and labels, and what sklearn-crfsuite does by default.
    prediction : {"bayes", "map"}, default="bayes"
        Whether ``predict`` answers labels of least expected loss, node by node, or the
        most probable labelling. It may be changed after ``fit``.
    tol : float, default=1e-4
        Largest entry of the gradient that ends the search.
    max_iter : int, default=1000
        Bound on the iterations of L-BFGS.
    max_treewidth : int, default=5
        Bound on the treewidth of graphs with cycles; time and memory grow with K to
        the power of it plus one.
    n_jobs : int, default=None
        Threads over samples.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Labels.
    coef_ : ndarray of shape (K, F)
        Weights w of the features of nodes.
    intercept_ : ndarray of shape (K,)
        c.
    transition_coef_ : ndarray of shape (K, K)
        a, from the first to the second node of an edge.
    edge_coef_ : ndarray of shape (G, K, K)
        v, where edges have features.
    cost_ : ndarray of shape (K, K)
        ``cost[true, predicted]`` that predictions heed.
    featurizer_ : transformer
        Fitted; ``featurizer_.transform(X).values @ coef_.T + intercept_`` are node
        potentials.
    history_ : list of dict
        "iteration" (from 1) and "objective" after each iteration.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether they ended by ``tol``.
    n_features_in_ : int
        Number of features, where X holds vectors.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where X has some.

    Raises
    ------
    ValueError
        If parameters contradict one another or the data; the message names the
        parameter, or the sample and position.

    Warns
    -----
    ConvergenceWarning
        If ``max_iter`` is reached first.

    See Also
    --------
    AdversarialGraphicalModel : Trained for the loss.
    StructuredSVM : Trained for the loss, by margins.
    skstruct.GraphBatch : Trees and graphs.

    Notes
    -----
    On chains with the same features the optimum is that of sklearn-crfsuite with
    ``c2 = n * l2 / 2``, the same ``all_possible_states``, ``all_possible_transitions``
    and a constant feature in place of the intercept.

    References
    ----------
    .. [1] J. Lafferty, A. McCallum and F. Pereira (2001). Conditional random fields:
       probabilistic models for segmenting and labeling sequence data. ICML.

    Examples
    --------
    >>> from skstruct import ConditionalRandomField
    >>> X = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat"]]
    >>> y = [["D", "N", "V"], ["D", "N", "V"], ["D", "N"]]
    >>> model = ConditionalRandomField().fit(X, y)
    >>> model.predict([["a", "dog", "sleeps"]])[0]
    array(['D', 'N', 'V'], dtype=object)
    >>> model.predict_proba([["a", "dog"]])[0].shape
    (2, 3)
    """

    def __init__(
        self,
        loss="zero_one",
        *,
        classes=None,
        featurizer=None,
        l2="auto",
        class_weight=None,
        all_possible_states=True,
        prediction="bayes",
        tol=1e-4,
        max_iter=1000,
        max_treewidth=5,
        n_jobs=None,
    ):
        self.loss = loss
        self.classes = classes
        self.featurizer = featurizer
        self.l2 = l2
        self.class_weight = class_weight
        self.all_possible_states = all_possible_states
        self.prediction = prediction
        self.tol = tol
        self.max_iter = max_iter
        self.max_treewidth = max_treewidth
        self.n_jobs = n_jobs

    _parameter_constraints: ClassVar = {
        **GraphicalModel._parameter_constraints,
        "all_possible_states": ["boolean"],
        "prediction": [StrOptions({"bayes", "map"})],
    }

    _surrogate = Logistic()

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
        node_weight, node_cost : None, default=None
            There are none: the likelihood of a labelling knows no costs of nodes. Give
            the first to `score`; for the second decide by ``predict_proba``.

        Returns
        -------
        ConditionalRandomField
            The fitted estimator.

        Raises
        ------
        ValueError
            If weights or costs of nodes are given.
        """
        for name, given in (("node_weight", node_weight), ("node_cost", node_cost)):
            if given is not None:
                raise ValueError(
                    f"{name} has no effect on a ConditionalRandomField, whose training "
                    "is by likelihood. Leave it out, or train a StructuredSVM or an "
                    "AdversarialGraphicalModel by it; sample_weight weighs samples, "
                    "score(..., node_weight=) judges by weights of nodes, and "
                    "predict_proba serves decisions by costs of nodes."
                )
        return super().fit(X, y, sample_weight)

    def _train(self, training, tell):
        problem = training.problem(self._surrogate, chains=True)
        history = []

        def fitted(weights, converged=False):
            return training.attributes(weights) | {
                "history_": list(history),
                "n_iter_": len(history),
                "converged_": converged,
            }

        def on_iteration(iteration, objective, weights):
            history.append({"iteration": iteration, "objective": objective})
            return tell(lambda: fitted(weights))

        found = minimize_smooth(
            lambda weights: problem.smoothed(weights, None, 1.0),
            np.zeros(problem.linear.n_weights),
            scale=problem.scale,
            l2=problem.l2,
            tol=self.tol,
            max_iter=self.max_iter,
            on_iteration=on_iteration,
            n_jobs=self.n_jobs,
        )
        if not (found.converged or found.stopped):
            warnings.warn(
                f"L-BFGS did not converge in {found.n_iter} iterations, max_iter="
                f"{self.max_iter}. Standardise the features, or raise max_iter or l2.",
                ConvergenceWarning,
                stacklevel=5,
            )
        return fitted(found.weights, found.converged)

"""Adversarial graphical models of chains, trees and graphs."""

from numbers import Real
from typing import ClassVar

from skstruct._params import Interval, StrOptions
from skstruct.estimators._graphical._certified import train_certified
from skstruct.estimators._graphical._equilibrium import EquilibriumPredictions
from skstruct.estimators._graphical._model import GraphicalModel
from skstruct.estimators._graphical._smoothed import train_smoothed
from skstruct.estimators._graphical._subgradient import train_by_subgradients
from skstruct.surrogates import Adversarial

__all__ = ["AdversarialGraphicalModel"]


class AdversarialGraphicalModel(EquilibriumPredictions, GraphicalModel):
    r"""Adversarial graphical model of labelled chains, trees and graphs.

    A predictor p chooses a distribution of labels at every node, an adversary Q a
    distribution of labelings that agrees with the features of the true ones on average.
    What the predictor loses at worst is minimised: ``fit`` solves

    .. math:: \min_\theta \; \frac{1}{n} \sum_s \min_{p} \max_{Q} \Big[
        \mathbb{E}_Q \, \text{score}_\theta(x_s, y) + \sum_i w_i \, p_i^\top L \, q_i
        \Big] - \text{score}_\theta(x_s, y_s) + \frac{l_2}{2} \lVert \theta \rVert^2

    with :math:`q_i` the marginals of Q, :math:`L_{ac}` the loss of predicting a where
    c is true, and scores linear in features of nodes and edges, as in
    :class:`ConditionalRandomField`. It is consistent for every loss that adds over
    nodes.

    Parameters
    ----------
    loss : str, array, DataFrame or Loss, default="zero_one"
        What mistakes cost: "zero_one", "absolute", "squared", a table
        ``cost[true, predicted]`` or a :class:`~skstruct.losses.Loss`, whose ``weight``
        may say how much nodes count. As all parameters but ``prediction`` it takes
        effect in ``fit``: a fitted model decides by ``cost_``.
    classes : array-like of shape (K,), default=None
        The labels and their order, which ordinal losses of names need. None: those of
        y, sorted.
    featurizer : transformer or None, default=None
        Makes features of nodes. None: ``DictVectorizer`` for feature dicts,
        :class:`~skstruct.featurizers.TokenFeaturizer` for words, all of which it knows
        by name and by affixes; vectors, dense or sparse, are taken as they are.
    l2 : float or "auto", default="auto"
        Strength of the penalty, beside a mean over samples; "auto" is one by the sum
        of their weights, divided by ``temperature`` times the largest cost where that
        is above 1: so it grows into that of a conditional random field. All weights
        are penalised, so standardise numeric features.
    class_weight : dict, "balanced" or None, default=None
        Factors for the costs of mistakes on each true class.
    temperature : float, default=0.0
        Weight of the adversary's entropy, in units of the largest cost. 0 is the
        method of the paper; the larger, the more a conditional random field with
        penalty ``l2 * temperature * largest cost``, which decides by the loss. With
        few features 1 to 10 are often better than 0.
    solver : {"proximal", "subgradient"}, default="proximal"
        At temperature zero: proximal points with a certificate, for all graphs; or
        the subgradient method of the paper for chains and trees, which is slow, and
        whose ``duality_gap_`` seldom falls to ``tol``.
    prediction : {"auto", "map", "equilibrium"}, default="auto"
        Whether ``predict`` answers the labelling of largest score, or the labels to
        which the predictor gives most weight. "auto": the first at temperature zero.
        It may be changed after ``fit``.
    tol : float, default=1e-2
        Width of the bracket of the optimum that ends the search, relative to the
        optimum; with a temperature, a tenth of it. Optima below a thousandth of the
        largest cost of a sample, as labels that are separable have, count as that.
        Without a temperature it must also be a tenth, at most, of what is gained over
        weights of zero, which say nothing.
    max_iter : int, default=200
        Bound on the proximal points, each of which takes some passes over the data;
        otherwise on iterations of L-BFGS or passes of the subgradient method.
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
        Weights of the features of nodes.
    intercept_ : ndarray of shape (K,)
        Constants of the labels.
    transition_coef_ : ndarray of shape (K, K)
        Weights of pairs of labels, from the first to the second node of an edge.
    edge_coef_ : ndarray of shape (G, K, K)
        Weights of the features of edges, where they have some.
    cost_ : ndarray of shape (K, K)
        ``cost[true, predicted]``.
    featurizer_ : transformer
        Fitted; ``featurizer_.transform(X).values @ coef_.T + intercept_`` are node
        potentials.
    duality_gap_ : float
        Proof of how good the fit is: the objective at the fitted weights is larger
        than the optimum by no more than this share of it, or of what `tol` says.
    history_ : list of dict
        Of each proximal point its "iteration" (from 1), the bounds "upper" and "lower"
        of the optimum and their relative "gap", the "temperature" and the number of
        passes over the data, "n_evaluations". With a temperature, or of the
        subgradient method, "iteration" and "objective".
    n_iter_ : int
        Number of proximal points; with a temperature of iterations of L-BFGS, or of
        passes of the subgradient method.
    converged_ : bool
        Whether ``duality_gap_`` is as ``tol`` wants it.
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
        If ``max_iter`` is reached first; it tells the gap.

    See Also
    --------
    ConditionalRandomField : Probabilities of labels; the limit of high temperature.
    StructuredSVM : Margins in place of an adversary.

    Notes
    -----
    A proximal point costs ten to a hundred times the gradient of a conditional random
    field. A small ``l2`` times the number of samples is the hard regime.

    References
    ----------
    .. [1] R. Fathony, A. Rezaei, M. A. Bashiri, X. Zhang and B. D. Ziebart (2018).
       Distributionally robust graphical models. NeurIPS. Equations 4 to 10.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct import AdversarialGraphicalModel
    >>> X = [np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [2.0]])]
    >>> y = [["low", "mid", "high"], ["mid", "high"]]
    >>> model = AdversarialGraphicalModel(
    ...     "absolute", classes=["low", "mid", "high"], l2=0.01
    ... )
    >>> model.fit(X, y).predict(X)[0]
    array(['low', 'mid', 'high'], dtype=object)
    >>> bool(model.duality_gap_ < 1e-2)
    True
    """

    def __init__(
        self,
        loss="zero_one",
        *,
        classes=None,
        featurizer=None,
        l2="auto",
        class_weight=None,
        temperature=0.0,
        solver="proximal",
        prediction="auto",
        tol=1e-2,
        max_iter=200,
        max_treewidth=5,
        n_jobs=None,
    ):
        self.loss = loss
        self.classes = classes
        self.featurizer = featurizer
        self.l2 = l2
        self.class_weight = class_weight
        self.temperature = temperature
        self.solver = solver
        self.prediction = prediction
        self.tol = tol
        self.max_iter = max_iter
        self.max_treewidth = max_treewidth
        self.n_jobs = n_jobs

    _parameter_constraints: ClassVar = {
        **GraphicalModel._parameter_constraints,
        "temperature": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions({"proximal", "subgradient"})],
        "prediction": [StrOptions({"auto", "map", "equilibrium"})],
    }

    _surrogate = Adversarial()

    def _train(self, training, tell):
        if self.temperature > 0 and self.solver == "subgradient":
            raise ValueError(
                "solver='subgradient' is for temperature=0, got temperature="
                f"{self.temperature}; with a temperature the problem is smooth, and "
                "solver='proximal' takes L-BFGS."
            )
        if self.temperature > 0:
            train = train_smoothed
        elif self.solver == "subgradient":
            train = train_by_subgradients
        else:
            train = train_certified
        return train(self, training, self._surrogate, tell)

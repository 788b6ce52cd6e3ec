"""Structured support vector machines of chains, trees and graphs."""

from skstruct.estimators._graphical._certified import train_certified
from skstruct.estimators._graphical._model import GraphicalModel
from skstruct.surrogates import Hinge

__all__ = ["StructuredSVM"]


class StructuredSVM(GraphicalModel):
    r"""Structured support vector machine of labelled chains, trees and graphs.

    The margin to a labelling grows with what that labelling would cost. ``fit`` solves

    .. math:: \min_\theta \; \frac{1}{n} \sum_s \max_y \Big[ \text{score}_\theta(x_s, y)
        + \sum_i \text{cost}(y_{si}, y_i) \Big] - \text{score}_\theta(x_s, y_s)
        + \frac{l_2}{2} \lVert \theta \rVert^2

    with scores linear in features of nodes and edges, as in
    :class:`ConditionalRandomField`. The labelling of largest score is predicted.

    Parameters
    ----------
    loss : str, array, DataFrame or Loss, default="zero_one"
        What mistakes cost: "zero_one", "absolute", "squared", a table
        ``cost[true, predicted]`` or a :class:`~skstruct.losses.Loss`, whose ``weight``
        may say how much nodes count. It takes effect in ``fit``.
    classes : array-like of shape (K,), default=None
        The labels and their order, which ordinal losses of names need. None: those of
        y, sorted.
    featurizer : transformer or None, default=None
        Makes features of nodes. None: ``DictVectorizer`` for feature dicts,
        :class:`~skstruct.featurizers.TokenFeaturizer` for words, all of which it knows
        by name and by affixes; vectors, dense or sparse, are taken as they are.
    l2 : float or "auto", default="auto"
        Strength of the penalty, beside a mean over samples; "auto" is one by the sum
        of their weights. All weights are penalised, so standardise numeric features.
    class_weight : dict, "balanced" or None, default=None
        Factors for the costs of mistakes on each true class. They widen margins and
        do not weigh samples: where classes overlap much, a class of large factor need
        not be predicted more often.
    tol : float, default=1e-2
        Width of the bracket of the optimum that ends the search, relative to the
        optimum. Optima below a thousandth of the largest cost of a sample, as labels
        that are separable have, count as that. It must also be a tenth, at most, of
        what is gained over weights of zero: where features say little, those are
        nearly as good as the optimum, and say nothing.
    max_iter : int, default=200
        Bound on the proximal points, each of which takes some passes over the data.
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
        passes over the data, "n_evaluations".
    n_iter_ : int
        Number of proximal points.
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
        If ``max_iter`` is reached first; it tells the gap.

    See Also
    --------
    AdversarialGraphicalModel : Consistent for every loss.
    ConditionalRandomField : Probabilities of labels.

    Notes
    -----
    The hinge is not consistent: where no label has a majority, its optimum can be of no
    use even with unlimited data.

    The solver is that of :class:`AdversarialGraphicalModel`, against a predictor that
    is fixed to the true labels.

    References
    ----------
    .. [1] B. Taskar, C. Guestrin and D. Koller (2003). Max-margin Markov networks.
       NIPS.
    .. [2] I. Tsochantaridis, T. Joachims, T. Hofmann and Y. Altun (2005). Large margin
       methods for structured and interdependent output variables. JMLR 6.

    Examples
    --------
    >>> from skstruct import StructuredSVM
    >>> X = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat"]]
    >>> y = [["D", "N", "V"], ["D", "N", "V"], ["D", "N"]]
    >>> model = StructuredSVM().fit(X, y)
    >>> model.predict([["a", "dog", "sleeps"]])[0]
    array(['D', 'N', 'V'], dtype=object)
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
        self.tol = tol
        self.max_iter = max_iter
        self.max_treewidth = max_treewidth
        self.n_jobs = n_jobs

    _surrogate = Hinge()

    def _train(self, training, tell):
        return train_certified(self, training, self._surrogate, tell, chains=False)

    def predict(self, X):
        """The labelling of largest score of every sample.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples,)
            Entries of ``classes_``, in the form of X. Of several labelings of the same
            score one is chosen, the same in each call for the same X.
        """
        read = self._read(X)
        return read.answer(self.classes_[self._map(read)])

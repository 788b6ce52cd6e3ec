"""Clustering of occurrences with as many categories as the data wants."""

from numbers import Real
from typing import ClassVar

from skstruct._params import Interval
from skstruct.estimators._clustering._pitman_yor import PitmanYorTraining
from skstruct.estimators._clustering._table_clusterer import TableClusterer

__all__ = ["PitmanYorClusterer"]


class PitmanYorClusterer(TableClusterer):
    r"""Cluster occurrences under a hierarchical Pitman-Yor prior.

    Of each phrase p, categories have the distribution :math:`\theta_p`, which is drawn
    around shares :math:`\beta` that all phrases have in common:

    .. math:: \beta \sim \mathrm{GEM}(\gamma, d), \quad
        \theta_p \sim \mathrm{DP}(a, \beta), \quad
        z_i \sim \theta_{p_i}, \quad c_{is} \sim P_s(\cdot \mid z_i)

    The posterior of :math:`\theta` and z is approximated by
    :math:`q(\theta) q(z)`, in at most K categories; :math:`\beta` by expected numbers
    of tables; the contexts :math:`P_s` by their maximum a posteriori. It is the
    non-parametric baseline of :class:`PosteriorRegularizedClusterer`: sparse by a
    prior, not by a constraint.

    Parameters
    ----------
    n_clusters : int, default=25
        Truncation: the largest number of categories. K is this, or the number of
        different rows that are fitted, if they are fewer.
    concentration : float, default=1.0
        Concentration :math:`\gamma` of the shares: the larger, the more categories.
    discount : float, default=0.0
        Discount d of the shares: 0 is the Dirichlet process; up to 1, the larger, the
        more small categories.
    phrase_concentration : float, default=10.0
        Concentration a: the smaller, the fewer categories a phrase has; a small one
        freezes a random start.
    phrase : int or str, default=0
        Column of the phrase; all others are contexts.
    init : {"type", "random"} or list of these, default="random"
        Starts in turn: one category for each phrase, or random categories; the last one
        is repeated.
    n_init : int, default=3
        Number of starts; the best objective wins.
    min_count : int, default=2
        Phrases that occur less often, by weight, are left out of fitting.
    context_alpha : float, default=0.01
        Pseudo-count of each value of a context.
    max_iter : int, default=150
        Bound on the iterations of a start.
    tol : float, default=1e-5
        Converged when the objective moves by less than this share of its size.
    random_state : int, RandomState or None, default=None
        Source of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Category of each row, numbered by falling weight; categories without rows come
        last.
    phrases_ : ndarray of shape (P,)
        Phrases that were fitted.
    cluster_given_phrase_ : ndarray of shape (P, K)
        Expected :math:`\theta`.
    context_given_cluster_ : list of ndarray of shape (K, V_s)
        P_s, for each slot.
    context_names_ : list of ndarray of shape (V_s,)
        Values of each slot.
    history_ : list of dict
        Of the best start, for each iteration its "iteration" (from 1), "objective" (the
        expected log-likelihood of a row and the log prior of contexts) and
        "n_effective", the exponential of the entropy of the shares.
    n_iter_ : int
        Number of iterations of the best start.
    converged_ : bool
        Whether they ended by ``tol``.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_columns,)
        Their names, if X had some.

    Raises
    ------
    ValueError
        If no phrase occurs ``min_count`` times, or X has no such column.

    Warns
    -----
    UserWarning
        If a column holds whole numbers, or numbers as text, that are different in nine
        of ten rows.

    See Also
    --------
    PosteriorRegularizedClusterer : Sparse by a constraint on posteriors.

    Notes
    -----
    Columns of text and of whole numbers are categories. A column of measurements is cut
    at its deciles.

    References
    ----------
    .. [1] Y. W. Teh (2006). A hierarchical Bayesian language model based on Pitman-Yor
       processes. ACL.
    .. [2] D. Blei and M. Jordan (2006). Variational inference for Dirichlet process
       mixtures. Bayesian Analysis 1.

    Examples
    --------
    >>> from skstruct.datasets import make_phrase_table
    >>> from skstruct.estimators import PitmanYorClusterer
    >>> from skstruct.metrics import v_measure
    >>> X, y = make_phrase_table(1000, random_state=0)
    >>> model = PitmanYorClusterer(10, random_state=0).fit(X)
    >>> v_measure(y, model.labels_) > 0.5
    True
    """

    def __init__(
        self,
        n_clusters=25,
        *,
        concentration=1.0,
        discount=0.0,
        phrase_concentration=10.0,
        phrase=0,
        init="random",
        n_init=3,
        min_count=2,
        context_alpha=0.01,
        max_iter=150,
        tol=1e-5,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.concentration = concentration
        self.discount = discount
        self.phrase_concentration = phrase_concentration
        self.phrase = phrase
        self.init = init
        self.n_init = n_init
        self.min_count = min_count
        self.context_alpha = context_alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _parameter_constraints: ClassVar = {
        **TableClusterer._parameter_constraints,
        "concentration": [Interval(Real, 0, None, closed="neither")],
        "discount": [Interval(Real, 0, 1, closed="left")],
        "phrase_concentration": [Interval(Real, 0, None, closed="neither")],
    }

    def _training(self, encoder, rows, views):
        return PitmanYorTraining(self, encoder, rows, views)

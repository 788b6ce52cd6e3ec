"""Clustering of occurrences under posterior constraints."""

from numbers import Integral
from typing import ClassVar

from skstruct._params import Interval, StrOptions
from skstruct.constraints import Constraint
from skstruct.estimators._clustering._table import View
from skstruct.estimators._clustering._table_clusterer import TableClusterer
from skstruct.estimators._clustering._training import ROW_CONSTRAINTS, ClusterTraining

__all__ = ["PosteriorRegularizedClusterer"]


class PosteriorRegularizedClusterer(TableClusterer):
    r"""Cluster occurrences of phrases by their contexts, each phrase in few categories.

    An occurrence i of phrase p stands in contexts :math:`c_{is}`, one for each slot s.
    Its category z is hidden:

    .. math:: P(z, c_i \mid p) = P(z \mid p) \prod_s P_s(c_{is} \mid z)

    ``fit`` maximises the likelihood of contexts less what it costs posteriors q to keep
    to a constraint; with the sparsity of strength :math:`\sigma`

    .. math:: \max_{P, q} \; \sum_i \log P(c_i \mid p_i) + \log p(P)
        - \sum_i \mathrm{KL}\big(q_i \,\|\, P(z \mid p_i, c_i)\big)
        - \sigma \sum_p \sum_z \max_{i \in p} q_i(z)

    by EM: the E-step projects posteriors phrase by phrase, to a duality gap of 1e-6,
    but for which the objective never falls. Instead or besides, two models may agree:
    q is then the geometric mean
    of their posteriors, and the objective
    :math:`L_1 + L_2 + 2 \sum_i \log \sum_z \sqrt{P_1(z) P_2(z)}`.

    Parameters
    ----------
    n_clusters : int, default=25
        Number of categories K.
    constraint : {"sparsity", "type"}, Constraint or None, default="sparsity"
        "sparsity": :class:`~skstruct.constraints.Sparsity`; pass an instance to set its
        ``sigma``. "type": all occurrences of a phrase share one category, a mixture of
        phrases, fast and strong where phrases are not ambiguous. None: plain EM.
    agreement : {"direction", "view"} or None, default=None
        The second model. "direction": the contexts of an occurrence have categories,
        :math:`P(z \mid c_i)`, and give first and last word of the phrase; contexts must
        recur for it. "view": the same model of other columns, such as another language.
    phrase : int or str, default=0
        Column of the phrase; all others are contexts.
    views : two lists of int or str, default=None
        Columns of both views, that of the phrase first. The constraint is on phrases
        of the first.
    init : {"type", "random"} or list of these, default=("type", "random")
        Starts in turn: one category for each phrase, fitted; or random posteriors. The
        last one is repeated.
    n_init : int, default=3
        Number of starts; the best objective wins.
    warmup : int, default=30
        Iterations of a random start before the constraint sets in; a strong one would
        freeze it. At most all but the last of ``max_iter``.
    min_count : int, default=2
        Phrases that occur less often, by weight, are left out of fitting: seen once, a
        phrase has nothing to share.
    context_alpha : float, default=0.01
        Pseudo-count of each value of a context.
    max_iter : int, default=150
        Bound on the iterations of a start.
    tol : float, default=1e-5
        Converged when the objective rises by less than this share of its size.
    random_state : int, RandomState or None, default=None
        Source of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Category of each row by its regularised posterior, numbered by falling weight;
        categories without rows come last.
    regularized_posterior_ : ndarray of shape (n, K)
        Projected posteriors of the training rows; of rows left out, those of the model.
    phrases_ : ndarray of shape (P,)
        Phrases that were fitted.
    cluster_given_phrase_ : ndarray of shape (P, K)
        P(z | p).
    context_given_cluster_ : list of ndarray of shape (K, V_s)
        P_s, for each slot.
    context_names_ : list of ndarray of shape (V_s,)
        Values of each slot.
    history_ : list of dict
        Of the best start, for each iteration its "iteration" (from 1), "likelihood",
        "penalty" (divergence and price of the constraint) and "objective", a row. The
        objective falls once, where the constraint sets in.
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
        If no phrase occurs ``min_count`` times, X has no such column, there are fewer
        rows than categories, or parameters contradict one another.

    Warns
    -----
    UserWarning
        If directions shall agree, but most contexts are seen once; or if a column holds
        whole numbers, or numbers as text, that are different in nine of ten rows.

    See Also
    --------
    skstruct.featurizers.PhraseExtractor : Tables of phrases from sentences.
    PitmanYorClusterer : Sparse by a prior; the number of categories is open.

    Notes
    -----
    Columns of text and of whole numbers are categories. A column of measurements is cut
    at its deciles.

    Categories of rows that were not in ``fit`` are those of the model: a single row has
    no others to share categories with. A new phrase has the categories of all rows, or
    of all phrases if each has one; a new context its pseudo-count.

    Word classes in place of context words help most, see
    :class:`~skstruct.featurizers.BrownClusterer`.

    References
    ----------
    .. [1] J. Graça, K. Ganchev, B. Taskar and F. Pereira (2009). Posterior vs.
       parameter sparsity in latent variable models. NIPS.
    .. [2] P. Blunsom et al. (2010). Models of synchronous grammar induction for SMT.
       Report of the JHU summer workshop.

    Examples
    --------
    >>> from skstruct.constraints import Sparsity
    >>> from skstruct.datasets import make_phrase_table
    >>> from skstruct.estimators import PosteriorRegularizedClusterer
    >>> from skstruct.metrics import v_measure
    >>> X, y = make_phrase_table(1000, random_state=0)
    >>> X[0].tolist()
    ['phrase13', 'slot1word22', 'slot2word20']
    >>> model = PosteriorRegularizedClusterer(
    ...     4, constraint=Sparsity(sigma=5), random_state=0
    ... ).fit(X)
    >>> v_measure(y, model.labels_) > 0.5
    True
    >>> float(model.n_clusters_per_phrase().mean()) < 1.5
    True
    """

    def __init__(
        self,
        n_clusters=25,
        *,
        constraint="sparsity",
        agreement=None,
        phrase=0,
        views=None,
        init=("type", "random"),
        n_init=3,
        warmup=30,
        min_count=2,
        context_alpha=0.01,
        max_iter=150,
        tol=1e-5,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.constraint = constraint
        self.agreement = agreement
        self.phrase = phrase
        self.views = views
        self.init = init
        self.n_init = n_init
        self.warmup = warmup
        self.min_count = min_count
        self.context_alpha = context_alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    _parameter_constraints: ClassVar = {
        **TableClusterer._parameter_constraints,
        "constraint": [StrOptions({*ROW_CONSTRAINTS, "type"}), Constraint, None],
        "agreement": [StrOptions({"direction", "view"}), None],
        "views": [list, tuple, None],
        "warmup": [Interval(Integral, 0, None, closed="left")],
    }
    _component_examples: ClassVar = {"constraint": "Sparsity()"}

    def _training(self, encoder, rows, views):
        return ClusterTraining(self, encoder, rows, views)

    def _check_rows(self, rows, n_samples):
        super()._check_rows(rows, n_samples)
        if n_samples < self.n_clusters:
            raise ValueError(
                f"n_samples={n_samples} should be >= n_clusters={self.n_clusters}."
            )

    def _views(self):
        """The columns of each model."""
        if (self.agreement == "view") != (self.views is not None):
            raise ValueError(
                "views, two lists of columns with that of the phrase first, goes with "
                f"agreement='view'; got agreement={self.agreement!r}, "
                f"views={self.views!r}."
            )
        if self.constraint == "type" and self.agreement is not None:
            raise ValueError("constraint='type' has one model: set agreement=None.")
        if self.views is None:
            return super()._views()
        if len(self.views) != 2 or not all(
            isinstance(view, list | tuple) and len(view) > 1 for view in self.views
        ):
            raise ValueError(
                "views must be two lists, each with the column of a phrase and those "
                f"of its contexts, got {self.views!r}."
            )
        views = []
        for view in self.views:
            key, *slots = (self._column(column, "views") for column in view)
            if len({key, *slots}) <= len(slots):
                raise ValueError(f"views: {view!r} names a column twice.")
            views.append(View(key, tuple(slots)))
        return views

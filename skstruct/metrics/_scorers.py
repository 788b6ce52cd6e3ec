"""Metrics in the form that ``scoring=`` takes."""

from inspect import signature

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from skstruct._validation import as_links, read_bitext_batch
from skstruct.losses import Loss, as_loss
from skstruct.metrics._alignment import alignment_error_rate
from skstruct.metrics._clustering import (
    conditional_entropy,
    many_to_one_accuracy,
    one_to_one_accuracy,
    v_measure,
    variation_of_information,
)
from skstruct.metrics._loss import mean_additive_loss
from skstruct.metrics._tagging import (
    sequence_accuracy,
    span_f1,
    token_accuracy,
    token_f1,
)

__all__ = [
    "LabelScorer",
    "aer_scorer",
    "make_loss_scorer",
    "many_to_one_scorer",
    "neg_conditional_entropy_scorer",
    "neg_variation_of_information_scorer",
    "one_to_one_scorer",
    "sequence_accuracy_scorer",
    "span_f1_scorer",
    "token_accuracy_scorer",
    "token_f1_scorer",
    "v_measure_scorer",
]


class LabelScorer(BaseEstimator):
    """Score ``estimator.predict(X)`` by a metric; greater is better.

    Unlike the answer of :func:`sklearn.metrics.make_scorer` it says what is missing
    when a search is run without gold labels. A metric with the option ``classes`` is
    told the ``classes_`` of the estimator: with -1 among them it is not unknown.

    Parameters
    ----------
    metric : callable
        ``metric(y_true, y_pred, *, sample_weight=None)``, such as ``v_measure``.
    greater_is_better : bool, default=True
        False turns the sign of the metric.
    options : dict, default=None
        Further keyword arguments of the metric.

    Examples
    --------
    >>> from skstruct.metrics import LabelScorer, token_f1
    >>> LabelScorer(token_f1, options={"average": "weighted"})
    LabelScorer(token_f1, average='weighted')
    """

    # scikit-learn reads from `score` what a user may route: the weights only.
    __metadata_request__score = {"estimator": UNUSED}  # noqa: RUF012

    def __init__(self, metric, *, greater_is_better=True, options=None):
        self.metric = metric
        self.greater_is_better = greater_is_better
        self.options = options

    def score(self, estimator, X, y=None, sample_weight=None) -> float:
        """Score a fitted estimator; calling the scorer does the same.

        Parameters
        ----------
        estimator : object
            Fitted, with ``predict``.
        X : Ragged or list-like of sequences
            The data.
        y : Ragged or list-like of label sequences
            Gold labels, which the estimator does not see.
        sample_weight : array-like of shape (n_sequences,), default=None
            Weights of the sequences.

        Returns
        -------
        float
            The score.
        """
        if y is None:
            raise ValueError(
                f"{self!r}: this scorer needs gold labels y, and y is None. Pass y to "
                "fit of the search; an unsupervised estimator does not learn from it."
            )
        options = self._ask(estimator) | (self.options or {})
        value = self.metric(
            y, estimator.predict(X), sample_weight=sample_weight, **options
        )
        return value if self.greater_is_better else -value

    __call__ = score

    def _ask(self, estimator):
        """What a fitted estimator knows of options that are not given."""
        if "classes" not in signature(self.metric).parameters:
            return {}
        return {"classes": _classes_of(estimator)}

    def _accept_sample_weight(self):
        # scikit-learn asks its scorers so while metadata routing is off.
        return True

    def __repr__(self):
        parts = [getattr(self.metric, "__name__", repr(self.metric))]
        if not self.greater_is_better:
            parts.append("greater_is_better=False")
        parts += [f"{key}={value!r}" for key, value in (self.options or {}).items()]
        return f"{type(self).__name__}({', '.join(parts)})"


class LinkScorer(LabelScorer):
    """A `LabelScorer` of word links, which must lie inside their sentences.

    Examples
    --------
    >>> from skstruct.estimators import HMMAligner
    >>> from skstruct.metrics import aer_scorer
    >>> X = [(["the", "dog"], ["canis"]), (["the", "cat"], ["feles"])]
    >>> gold = [[(1, 0)], [(1, 0)]]
    >>> -1 <= aer_scorer(HMMAligner().fit(X), X, gold) <= 0
    True
    """

    def score(self, estimator, X, y=None, sample_weight=None):
        """As `LabelScorer.score`, of sentence pairs and the links of each of them."""
        if y is not None:
            as_links(y, read_bitext_batch(X)[0], "y")
        return super().score(estimator, X, y, sample_weight)

    __call__ = score


class LossScorer(LabelScorer):
    """A `LabelScorer` of a loss, which asks fitted estimators for their classes."""

    def _ask(self, estimator):
        return {"labels": _labels_of_loss(estimator, self.options["loss"])}


def _classes_of(estimator):
    """The classes of a fitted estimator; None if it has none."""
    classes = getattr(estimator, "classes_", None)
    return np.asarray(classes).tolist() if np.ndim(classes) == 1 else None


def _labels_of_loss(estimator, loss):
    """The classes of a fitted estimator as labels of a loss; None if unfit for that."""
    classes = _classes_of(estimator)
    if classes is None or callable(loss):
        return classes
    if not isinstance(loss, str | Loss) and np.shape(loss) != (len(classes),) * 2:
        return None  # an array is of 0, 1, ... then
    while hasattr(estimator, "steps") or hasattr(estimator, "best_estimator_"):
        steps = getattr(estimator, "steps", None)
        estimator = steps[-1][1] if steps else estimator.best_estimator_
    # Sorted names are in no order that means something, unless somebody said so.
    told = getattr(estimator, "classes", None) is not None
    return classes if told or not as_loss(loss).needs_order(classes) else None


def make_loss_scorer(loss, *, labels=None):
    """Scorer of the negated mean additive loss.

    Parameters
    ----------
    loss : str, array of shape (n_labels, n_labels), DataFrame, Loss or callable
        As in :func:`mean_additive_loss`; a Loss such as ``Absolute(weight="position")``
        weighs the tokens as an estimator with this loss does. A callable must stand in
        a module, not be a lambda, where the search runs in several processes.
    labels : list of labels, default=None
        As in :func:`mean_additive_loss`. None: ``classes_`` of the fitted estimator, if
        it has some; where a loss needs an order of names, its parameter ``classes``
        must have told it.

    Returns
    -------
    LabelScorer
        For ``scoring=``.

    Raises
    ------
    ValueError
        If there is no loss of this name, or it is no loss at all.

    Examples
    --------
    >>> from skstruct.metrics import make_loss_scorer
    >>> make_loss_scorer([[0, 1], [5, 0]], labels=["ok", "bad"])  # doctest: +ELLIPSIS
    LossScorer(mean_additive_loss, greater_is_better=False, loss=[[0, 1], [5, 0]], ...)
    """
    if isinstance(loss, type) or not callable(loss):
        as_loss(loss)  # raises here what would be raised late, in a search
    options = {"loss": loss}
    if labels is not None:
        options["labels"] = labels
    return LossScorer(mean_additive_loss, greater_is_better=False, options=options)


v_measure_scorer = LabelScorer(v_measure)
many_to_one_scorer = LabelScorer(many_to_one_accuracy)
one_to_one_scorer = LabelScorer(one_to_one_accuracy)
neg_variation_of_information_scorer = LabelScorer(
    variation_of_information, greater_is_better=False
)
neg_conditional_entropy_scorer = LabelScorer(
    conditional_entropy, greater_is_better=False
)
token_accuracy_scorer = LabelScorer(token_accuracy)
token_f1_scorer = LabelScorer(token_f1)
sequence_accuracy_scorer = LabelScorer(sequence_accuracy)
span_f1_scorer = LabelScorer(span_f1)
#: The negated alignment error rate, -AER: greater is better, as searches need it.
aer_scorer = LinkScorer(alignment_error_rate, greater_is_better=False)

"""Word alignments compared with gold links, some of them sure, others possible."""

import warnings
from typing import NamedTuple

import numpy as np

from skstruct._validation import as_links, check_sample_weight
from skstruct.kernels._symmetrize import merge_links

__all__ = [
    "AlignmentScores",
    "alignment_error_rate",
    "alignment_precision_recall_f1",
]


class AlignmentScores(NamedTuple):
    """Precision, recall and F1 of predicted links.

    Attributes
    ----------
    precision : float
        Share of the predicted links that are sure or possible.
    recall : float
        Share of the sure links that are predicted.
    f1 : float
        Their harmonic mean.

    Examples
    --------
    >>> from skstruct.metrics import alignment_precision_recall_f1
    >>> alignment_precision_recall_f1([[(0, 0), (1, 1)]], [[(0, 0)]]).recall
    0.5
    """

    precision: float
    recall: float
    f1: float


class _Counts(NamedTuple):
    """Weighted numbers of links: |A|, |S|, |A & S| and |A & P|."""

    predicted: float
    sure: float
    in_sure: float
    in_possible: float


def alignment_error_rate(links_true, links_pred, *, sample_weight=None) -> float:
    r"""Share of links that are wrong or missed, by sure and possible gold links.

    With predicted links A, sure gold links S, and P the possible ones and the sure
    ones, each counted over all sentence pairs, it is [1]_

    .. math:: 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}

    Parameters
    ----------
    links_true : Ragged or list-like of links
        For each pair an array, list or set of ``(source, target)``, counted from 0, or
        of ``(source, target, sure)`` with 1 for sure and 0 for possible; without marks
        all are sure. None in the place of a pair without gold, which is skipped.
    links_pred : Ragged or list-like of links
        For each pair an array, list or set of ``(source, target)``. Links given twice
        count once, on both sides.
    sample_weight : array-like of shape (n_pairs,), default=None
        Weights of the pairs; those of weight 0 count as absent.

    Returns
    -------
    float
        From 0, which is best, to 1. NaN, with a UserWarning, where no pair has gold
        links; 0 where there are neither predicted nor sure ones.

    Raises
    ------
    ValueError
        If the numbers of pairs differ, or links are not pairs of whole numbers from 0;
        the message names the pair.

    See Also
    --------
    alignment_precision_recall_f1 : What was wrong apart from what was missed.

    Notes
    -----
    ``aer_scorer``, for ``scoring=``, returns the negated rate, so that greater is
    better.

    References
    ----------
    .. [1] F. J. Och and H. Ney (2003). A systematic comparison of various statistical
       alignment models. Computational Linguistics 29(1).

    Examples
    --------
    >>> from skstruct.metrics import alignment_error_rate
    >>> gold = [[(0, 0, 1), (1, 1, 1), (2, 1, 0)], None]
    >>> alignment_error_rate(gold, [[(0, 0), (2, 1), (2, 2)], [(0, 0)]])
    0.4
    """
    counts = _count(links_true, links_pred, sample_weight)
    if counts is None:
        return float("nan")
    right = counts.in_sure + counts.in_possible
    total = counts.predicted + counts.sure
    return float((total - right) / total) if total else 0.0


def alignment_precision_recall_f1(links_true, links_pred, *, sample_weight=None):
    r"""Precision on possible gold links, recall on sure ones, and their F1.

    With predicted links A, sure gold links S, and P the possible ones and the sure
    ones, each counted over all sentence pairs,

    .. math:: \text{precision} = \frac{|A \cap P|}{|A|}, \quad
        \text{recall} = \frac{|A \cap S|}{|S|}

    Parameters
    ----------
    links_true : Ragged or list-like of links
        For each pair an array, list or set of ``(source, target)``, counted from 0, or
        of ``(source, target, sure)`` with 1 for sure and 0 for possible; without marks
        all are sure. None in the place of a pair without gold, which is skipped.
    links_pred : Ragged or list-like of links
        For each pair an array, list or set of ``(source, target)``. Links given twice
        count once, on both sides.
    sample_weight : array-like of shape (n_pairs,), default=None
        Weights of the pairs; those of weight 0 count as absent.

    Returns
    -------
    AlignmentScores
        ``(precision, recall, f1)``. NaN, with a UserWarning, where no pair has gold
        links; 0 where there is nothing to divide by.

    Raises
    ------
    ValueError
        If the numbers of pairs differ, or links are not pairs of whole numbers from 0;
        the message names the pair.

    See Also
    --------
    alignment_error_rate : One number of both.

    Examples
    --------
    >>> from skstruct.metrics import alignment_precision_recall_f1
    >>> gold = [[(0, 0, 1), (1, 1, 1), (2, 1, 0)], None]
    >>> scores = alignment_precision_recall_f1(gold, [[(0, 0), (2, 1)], [(0, 0)]])
    >>> scores.precision, scores.recall
    (1.0, 0.5)
    """
    counts = _count(links_true, links_pred, sample_weight)
    if counts is None:
        return AlignmentScores(*[float("nan")] * 3)
    precision = _ratio(counts.in_possible, counts.predicted)
    recall = _ratio(counts.in_sure, counts.sure)
    f1 = _ratio(2 * precision * recall, precision + recall)
    return AlignmentScores(precision, recall, f1)


def _ratio(part, whole):
    return float(part / whole) if whole else 0.0


def _count(links_true, links_pred, sample_weight):
    """Counts over the pairs with gold links; None, with a warning, without any."""
    for links, name in ((links_true, "links_true"), (links_pred, "links_pred")):
        if links is None:
            raise ValueError(f"{name} is None; a metric needs gold links and links.")
    gold = as_links(links_true, name="links_true")
    found = as_links(links_pred, name="links_pred")
    if len(gold.known) != len(found.known):
        raise ValueError(
            f"links_true has {len(gold.known)} pairs, links_pred {len(found.known)}."
        )
    weight = check_sample_weight(sample_weight, len(gold.known), allow_all_zero=True)
    weight = np.where(gold.known, weight, 0.0)
    lacking = np.flatnonzero((weight > 0) & ~found.known)
    if lacking.size:
        raise ValueError(
            f"links_pred[{lacking[0]}] is missing (None), where there are gold links; "
            "a pair without predicted links has an empty list."
        )
    if not weight.any():
        warnings.warn(
            "There is no pair with gold links to compare with (None is a pair without, "
            "pairs of weight 0 are absent), so the score is NaN.",
            UserWarning,
            stacklevel=3,
        )
        return None
    columns = np.stack([gold.pair, gold.source, gold.target])
    pair, *_, member = merge_links(found[:3], columns, columns[:, gold.sure])
    predicted, possible, sure = (member & bit > 0 for bit in (1, 2, 4))
    groups = predicted, sure, predicted & sure, predicted & possible
    return _Counts(*(weight[pair[group]].sum() for group in groups))

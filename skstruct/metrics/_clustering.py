"""How well induced states match gold labels, whatever the states are called."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.stats import entropy

from skstruct.metrics._flatten import read_pairs

__all__ = [
    "conditional_entropy",
    "greedy_one_to_one_accuracy",
    "many_to_one_accuracy",
    "one_to_one_accuracy",
    "v_measure",
    "variation_of_information",
]


def v_measure(y_true, y_pred, *, sample_weight=None) -> float:
    r"""V-measure: the harmonic mean of homogeneity and completeness.

    With gold labels :math:`Y` and states :math:`Z` it equals
    :math:`2\,I(Y; Z) / (H(Y) + H(Z))`. It favours few, large states.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted states, text or numbers.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        From 0 to 1 (best); NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length.

    Examples
    --------
    >>> from skstruct.metrics import v_measure
    >>> v_measure([["D", "N"], ["D", "N", "V"]], [[1, 0], [1, 0, 2]])
    1.0
    """
    pairs = read_pairs(y_true, y_pred, sample_weight)
    if pairs is None:
        return np.nan
    table = _contingency(pairs)
    joint, gold, predicted = _entropies(table)
    if gold + predicted == 0:
        return 1.0
    return float(max(0.0, 2 * (gold + predicted - joint) / (gold + predicted)))


def many_to_one_accuracy(y_true, y_pred, *, sample_weight=None) -> float:
    """Token accuracy after each state takes its most frequent gold label.

    Several states may take the same label, so more states never score worse on the
    same text; compare models at an equal number of states only.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted states, text or numbers.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        From 0 to 1 (best); NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length.

    Examples
    --------
    >>> from skstruct.metrics import many_to_one_accuracy
    >>> many_to_one_accuracy([["D", "N"], ["N", "V"]], [[0, 1], [2, 2]])
    0.75
    """
    pairs = read_pairs(y_true, y_pred, sample_weight)
    if pairs is None:
        return np.nan
    table = _contingency(pairs)
    return float(table.max(axis=0).sum() / table.sum())


def one_to_one_accuracy(y_true, y_pred, *, sample_weight=None) -> float:
    """Token accuracy under the best matching of states with gold labels.

    A state takes at most one label and a label at most one state; the matching is the
    optimal one (Hungarian method). Surplus states or labels count as wrong.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted states, text or numbers.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        From 0 to 1 (best); NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length.

    See Also
    --------
    greedy_one_to_one_accuracy : The matching that many papers report.

    Examples
    --------
    >>> from skstruct.metrics import one_to_one_accuracy
    >>> one_to_one_accuracy([["D", "N"], ["N", "N"]], [[0, 1], [2, 2]])
    0.75
    """
    pairs = read_pairs(y_true, y_pred, sample_weight)
    if pairs is None:
        return np.nan
    table = _contingency(pairs)
    counts = table.toarray()
    return float(
        counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum()
    )


def greedy_one_to_one_accuracy(y_true, y_pred, *, sample_weight=None) -> float:
    """Token accuracy when states and labels are matched by their largest counts.

    The pair of state and label that shares most tokens is matched first, then the
    largest pair among the rest, and so on. Older papers on tag induction report this
    as one-to-one accuracy; it never exceeds the optimal matching's.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted states, text or numbers. Ties go to the label, then the state, that
        sorts first.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        From 0 to 1 (best); NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length.

    See Also
    --------
    one_to_one_accuracy : The optimal matching.

    Examples
    --------
    >>> from skstruct.metrics import greedy_one_to_one_accuracy
    >>> greedy_one_to_one_accuracy([["D", "N"], ["N", "N"]], [[0, 1], [2, 2]])
    0.75
    """
    pairs = read_pairs(y_true, y_pred, sample_weight)
    if pairs is None:
        return np.nan
    table = _contingency(pairs)
    counts = table.toarray()
    left, matched = counts.copy(), 0.0
    for _ in range(min(counts.shape)):
        label, state = np.unravel_index(np.argmax(left), left.shape)
        matched += counts[label, state]
        left[label, :] = left[:, state] = -1.0
    return float(matched / counts.sum())


def variation_of_information(y_true, y_pred, *, sample_weight=None) -> float:
    r"""Variation of information :math:`H(Y \mid Z) + H(Z \mid Y)`, in bits.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted states, text or numbers.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        Bits, 0 is best; NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length.

    Examples
    --------
    >>> from skstruct.metrics import variation_of_information
    >>> variation_of_information([["D", "N"], ["D", "N"]], [[0, 0], [1, 1]])
    2.0
    """
    pairs = read_pairs(y_true, y_pred, sample_weight)
    if pairs is None:
        return np.nan
    table = _contingency(pairs)
    joint, gold, predicted = _entropies(table)
    return float(max(0.0, 2 * joint - gold - predicted))


def conditional_entropy(y_true, y_pred, *, sample_weight=None) -> float:
    r"""Entropy of the gold label given the state, :math:`H(Y \mid Z)`, in bits.

    What remains unknown of a token's label once its state is known.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted states, text or numbers.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        Bits, 0 is best; NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length.

    Examples
    --------
    >>> from skstruct.metrics import conditional_entropy
    >>> conditional_entropy([["D", "N"], ["D", "N"]], [[0, 0], [0, 0]])
    1.0
    """
    pairs = read_pairs(y_true, y_pred, sample_weight)
    if pairs is None:
        return np.nan
    table = _contingency(pairs)
    joint, _, predicted = _entropies(table)
    return float(max(0.0, joint - predicted))


def _contingency(pairs):
    """Weight of each gold label (row) with each state (column), CSR."""
    # scikit-learn's contingency_matrix counts every token once.
    weight = np.ones(len(pairs.gold)) if pairs.weight is None else pairs.weight
    labels, rows = np.unique(pairs.gold, return_inverse=True)
    states, columns = np.unique(pairs.predicted, return_inverse=True)
    shape = (len(labels), len(states))
    return sp.csr_array(sp.coo_array((weight, (rows, columns)), shape=shape))


def _entropies(table):
    """Bits of the joint distribution, of the gold labels and of the states."""
    marginals = (np.asarray(table.sum(axis=axis)).ravel() for axis in (1, 0))
    return tuple(float(entropy(p, base=2)) for p in (table.data, *marginals))

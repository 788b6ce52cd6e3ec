"""How well predicted labels match gold labels of the same names."""

import warnings

import numpy as np
from sklearn import metrics as sk

from skstruct.metrics._flatten import read_pairs

__all__ = [
    "classification_report",
    "sequence_accuracy",
    "span_f1",
    "token_accuracy",
    "token_f1",
]


def token_accuracy(y_true, y_pred, *, classes=None, sample_weight=None) -> float:
    """Fraction of tokens whose label is predicted right.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted labels.
    classes : list of labels, default=None
        The labels that there are; with -1 among them it is a label like others.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        From 0 to 1 (best); NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length, or one side holds
        text and the other numbers.

    Examples
    --------
    >>> from skstruct.metrics import token_accuracy
    >>> token_accuracy([["D", "N"], ["N", None]], [["D", "V"], ["N", "V"]])
    0.6666666666666666
    """
    pairs = read_pairs(y_true, y_pred, sample_weight, known=classes)
    if pairs is None:
        return np.nan
    _check_same_kind(pairs)
    return float(
        sk.accuracy_score(pairs.gold, pairs.predicted, sample_weight=pairs.weight)
    )


def token_f1(
    y_true, y_pred, *, labels=None, average="macro", classes=None, sample_weight=None
):
    """F1 score over tokens: the harmonic mean of precision and recall of labels.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted labels.
    labels : list of labels, default=None
        The labels to count, such as all but ``"O"``. None: all of either side.
    average : {"macro", "micro", "weighted"} or None, default="macro"
        Mean over labels, over tokens, over labels weighted by their gold tokens; None
        gives the score of each of the ``labels`` (sorted by default).
    classes : list of labels, default=None
        The labels that there are; with -1 among them it is a label like others.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        From 0 to 1 (best); NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length, or one side holds
        text and the other numbers.

    Examples
    --------
    >>> from skstruct.metrics import token_f1
    >>> y_true, y_pred = [["O", "X", "X"], ["O"]], [["O", "X", "O"], ["O"]]
    >>> token_f1(y_true, y_pred, labels=["X"])
    0.6666666666666666
    """
    if average not in ("macro", "micro", "weighted", None):
        raise ValueError(
            f"average={average!r}; expected 'macro', 'micro', 'weighted' or None."
        )
    pairs = read_pairs(
        y_true, y_pred, sample_weight, known=labels if classes is None else classes
    )
    if pairs is None:
        return np.nan
    _check_same_kind(pairs)
    score = sk.f1_score(
        pairs.gold,
        pairs.predicted,
        labels=_codes(labels, pairs),
        average=average,
        sample_weight=pairs.weight,
    )
    return score if average is None else float(score)


def sequence_accuracy(y_true, y_pred, *, classes=None, sample_weight=None) -> float:
    """Fraction of sequences whose known labels are all predicted right.

    Sequences without any known label, empty ones among them, are left out.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted labels.
    classes : list of labels, default=None
        The labels that there are; with -1 among them it is a label like others.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        From 0 to 1 (best); NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length, or one side holds
        text and the other numbers.

    Examples
    --------
    >>> from skstruct.metrics import sequence_accuracy
    >>> sequence_accuracy([["D", "N"], ["N", None]], [["D", "V"], ["N", "V"]])
    0.5
    """
    pairs = read_pairs(y_true, y_pred, sample_weight, known=classes)
    if pairs is None:
        return np.nan
    _check_same_kind(pairs)
    wrong = np.bincount(pairs.sequence, weights=pairs.gold != pairs.predicted)
    seen, first = np.unique(pairs.sequence, return_index=True)
    weight = None if pairs.weight is None else pairs.weight[first]
    return float(np.average(wrong[seen] == 0, weights=weight))


def span_f1(y_true, y_pred, *, sample_weight=None) -> float:
    """F1 score over exact spans (entities, chunks) in BIO tags, micro-averaged.

    A predicted span is right when a gold span has its first token, its last token and
    its type. ``B-X`` begins a span; ``I-X`` continues a span of type X and begins one
    where there is none to continue. So the tags may be IOB2 (every span begins with B)
    or IOB1 (B only between neighbouring spans). An unknown gold label cuts its sequence
    in two: the stretches around it are scored like sequences of their own.

    Parameters
    ----------
    y_true : Ragged or list-like of tag sequences
        Gold tags ``"O"``, ``"B-X"``, ``"I-X"``; bare ``"B"`` and ``"I"`` are spans
        without a type. None and NaN are unknown, as is a sequence that is None.
    y_pred : Ragged or list-like of tag sequences
        Predicted tags.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        From 0 to 1 (best); NaN with a warning where no gold tag is known or neither
        side has a span.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length, a tag is not BIO, or
        tags stand in a 1-D array, which has no sequences for spans to lie in.

    Examples
    --------
    >>> from skstruct.metrics import span_f1
    >>> y_true = [["B-PER", "I-PER", "O", "B-LOC"]]
    >>> span_f1(y_true, [["B-PER", "I-PER", "O", "B-PER"]])
    0.5
    """
    pairs = read_pairs(y_true, y_pred, sample_weight)
    if pairs is None:
        return np.nan
    if any(isinstance(tags, str) for tags in y_true):
        raise ValueError(
            "span_f1 needs sequences of tags, got a 1-D array of tags; write one "
            "sequence as [tags], for both y_true and y_pred."
        )
    begins, types = _parse_tags(pairs)
    # A stretch of tokens ends with its sequence and before an unknown label.
    fresh = np.ones(len(pairs.row), dtype=bool)
    fresh[1:] = (np.diff(pairs.sequence) != 0) | (np.diff(pairs.row) != 1)
    gold = _spans(begins[pairs.gold], types[pairs.gold], fresh)
    predicted = _spans(begins[pairs.predicted], types[pairs.predicted], fresh)
    weight = np.ones(len(fresh)) if pairs.weight is None else pairs.weight
    total = weight[gold[0]].sum() + weight[predicted[0]].sum()
    if total == 0:
        warnings.warn(
            "Neither the gold nor the predicted tags hold a span, so span_f1 is NaN.",
            UserWarning,
            stacklevel=2,
        )
        return np.nan
    _, i, j = np.intersect1d(gold[0], predicted[0], True, return_indices=True)
    starts = gold[0][i]
    right = (gold[1:, i] == predicted[1:, j]).all(axis=0)
    return float(2 * weight[starts[right]].sum() / total)


def classification_report(
    y_true,
    y_pred,
    *,
    labels=None,
    digits=2,
    output_dict=False,
    classes=None,
    sample_weight=None,
):
    """Precision, recall and F1 score of each label over all tokens.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted labels.
    labels : list of labels, default=None
        The labels to report, in this order. None: those of either side, sorted.
    digits : int, default=2
        Decimals in the text.
    output_dict : bool, default=False
        Answer with a dictionary instead of a text.
    classes : list of labels, default=None
        The labels that there are; with -1 among them it is a label like others.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    str or dict
        As :func:`sklearn.metrics.classification_report`.

    Raises
    ------
    ValueError
        If no gold label is known, the sequences of both sides differ in number or
        length, or one side holds text and the other numbers.

    Examples
    --------
    >>> from skstruct.metrics import classification_report
    >>> y_true, y_pred = [["D", "N"], ["N"]], [["D", "N"], ["D"]]
    >>> report = classification_report(y_true, y_pred, output_dict=True)
    >>> report["N"]["recall"]
    0.5
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the error below says it
        pairs = read_pairs(
            y_true, y_pred, sample_weight, known=labels if classes is None else classes
        )
    if pairs is None:
        raise ValueError("y_true holds no known label, so there is nothing to report.")
    _check_same_kind(pairs)
    codes = _codes(labels, pairs)
    shown = [pairs.names[c] for c in codes] if labels is None else labels
    return sk.classification_report(
        pairs.gold,
        pairs.predicted,
        labels=codes,
        target_names=[str(label) for label in shown],
        digits=digits,
        output_dict=output_dict,
        sample_weight=pairs.weight,
    )


def _check_same_kind(pairs):
    """Numbers never equal names: that is a state id where a label was expected."""
    text = np.array([isinstance(name, str) for name in pairs.names])
    kinds = [set(text[np.unique(codes)]) for codes in (pairs.gold, pairs.predicted)]
    if kinds[0].isdisjoint(kinds[1]):
        sides = ("text", "numbers") if True in kinds[0] else ("numbers", "text")
        raise ValueError(
            f"y_true holds {sides[0]} and y_pred {sides[1]}, so no label can be right. "
            "Map the predicted states to labels first, or use a metric that needs no "
            "names: many_to_one_accuracy, one_to_one_accuracy, v_measure."
        )


def _codes(labels, pairs):
    """Codes of chosen labels; labels that never occur get codes of their own."""
    if labels is None:
        return np.union1d(pairs.gold, pairs.predicted)
    code = {name: i for i, name in enumerate(pairs.names)}
    return [code.get(label, len(code) + i) for i, label in enumerate(labels)]


def _parse_tags(pairs):
    """For each tag: does it begin a span, and the number of its type (-1 outside)."""
    begins = np.zeros(len(pairs.names), dtype=bool)
    types = np.full(len(pairs.names), -1)
    kinds = {}
    for code in np.union1d(pairs.gold, pairs.predicted):
        prefix, dash, kind = str(pairs.names[code]).partition("-")
        if prefix in ("B", "I"):
            begins[code] = prefix == "B"
            types[code] = kinds.setdefault(kind, len(kinds))
        elif prefix != "O" or dash:
            raise ValueError(
                "span_f1 reads BIO tags ('O', 'B-X', 'I-X'), got "
                f"{pairs.names[code]!r}; convert other schemes (BIOES, BILOU) first."
            )
    return begins, types


def _spans(begins, types, fresh):
    """First token, last token and type of each span, shape (3, n_spans)."""
    inside = types >= 0
    before = np.r_[-1, types[:-1]]
    first = inside & (begins | fresh | (types != before))
    goes_on = inside & ~first
    last = inside & ~np.r_[goes_on[1:], False]
    return np.stack([np.flatnonzero(first), np.flatnonzero(last), types[first]])

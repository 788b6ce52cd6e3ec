"""Tagging metrics: by hand and against scikit-learn on flat labels."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from skstruct.containers import Ragged
from skstruct.losses import Absolute, CostMatrix
from skstruct.metrics import (
    classification_report,
    mean_additive_loss,
    sequence_accuracy,
    span_f1,
    token_accuracy,
    token_f1,
)

TAGS = np.array(["O", "B-X", "I-X", "B-Y", "I-Y"], dtype=object)


def draw(seed, n_sequences=15):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 7, n_sequences)
    gold = TAGS[rng.integers(0, 5, lengths.sum())]
    keep = rng.random(lengths.sum()) < 0.6
    predicted = np.where(keep, gold, TAGS[rng.integers(0, 5, lengths.sum())])
    return Ragged.from_lengths(gold, lengths), Ragged.from_lengths(predicted, lengths)


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_scikit_learn_on_flat_labels(weighted):
    gold, predicted = draw(0)
    weight = np.arange(1.0, len(gold) + 1) if weighted else None
    flat = np.repeat(weight, gold.lengths) if weighted else None
    sides = list(gold.values), list(predicted.values)
    assert token_accuracy(gold, predicted, sample_weight=weight) == pytest.approx(
        sk.accuracy_score(*sides, sample_weight=flat)
    )
    for average in ("macro", "micro", "weighted", None):
        ours = token_f1(gold, predicted, average=average, sample_weight=weight)
        theirs = sk.f1_score(*sides, average=average, sample_weight=flat)
        np.testing.assert_allclose(ours, theirs)
    assert classification_report(
        gold, predicted, digits=3, sample_weight=weight
    ) == sk.classification_report(*sides, digits=3, sample_weight=flat)


def test_chosen_labels():
    gold, predicted = draw(1)
    labels = ["I-Y", "B-X"]
    sides = list(gold.values), list(predicted.values)
    np.testing.assert_allclose(
        token_f1(gold, predicted, labels=labels, average=None),
        sk.f1_score(*sides, labels=labels, average=None),
    )
    report = classification_report(gold, predicted, labels=labels, output_dict=True)
    assert list(report)[:2] == labels
    with pytest.warns(sk._classification.UndefinedMetricWarning):
        unseen = token_f1(gold, predicted, labels=["B-X", "B-Z"], average=None)
    assert unseen[1] == 0 < unseen[0]


def test_unknown_average():
    with pytest.raises(ValueError, match="average='binary'"):
        token_f1(["a"], ["a"], average="binary")


@pytest.mark.parametrize(
    "metric", [token_accuracy, token_f1, sequence_accuracy, classification_report]
)
def test_states_are_not_compared_with_names(metric):
    with pytest.raises(ValueError, match="y_true holds text and y_pred numbers"):
        metric([["D", "N"]], [[0, 1]])
    with pytest.raises(ValueError, match="y_true holds numbers and y_pred text"):
        metric([[0, 1]], [["0", "1"]])


def test_sequence_accuracy_by_hand():
    gold = [["a", "b"], ["a"], [], None, ["b", None], ["a", "a"]]
    predicted = [["a", "b"], ["b"], [], ["a"], ["b", "a"], ["a", "b"]]
    # Right: the first and the fifth; no label is known in the third and fourth.
    assert sequence_accuracy(gold, predicted) == 0.5
    weight = [3, 1, 9, 9, 1, 5]
    assert sequence_accuracy(gold, predicted, sample_weight=weight) == 0.4


def test_report_without_labels():
    with pytest.raises(ValueError, match="nothing to report"):
        classification_report([[None]], [["a"]])


def spans_by_hand(tags, sequence):
    """Spans by the rule of the docstring, one token after the other."""
    spans, current = set(), None
    for t, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        if current and not (prefix == "I" and kind == current[1]):
            spans.add((sequence, current[0], t, current[1]))
            current = None
        if prefix != "O" and current is None:
            current = (t, kind)
    return spans


@pytest.mark.parametrize("seed", range(10))
def test_span_f1_against_a_token_by_token_reading(seed):
    gold, predicted = draw(seed)
    one, two = (
        set().union(*(spans_by_hand(tags, i) for i, tags in enumerate(side)))
        for side in (gold, predicted)
    )
    expected = 2 * len(one & two) / (len(one) + len(two))
    assert span_f1(gold, predicted) == pytest.approx(expected)


@pytest.mark.parametrize(
    "gold, predicted, expected",
    [
        (["B-X", "I-X", "O"], ["B-X", "O", "O"], 0.0),  # another end
        (["O", "B-X", "I-X"], ["O", "O", "B-X"], 0.0),  # another begin
        (["B-X", "I-X", "O"], ["B-Y", "I-Y", "O"], 0.0),  # another type
        (["B-X", "I-X", "O"], ["I-X", "I-X", "O"], 1.0),  # IOB1
        (["B-X", "B-X", "O"], ["I-X", "B-X", "O"], 1.0),  # IOB1, neighbours
        (["B-X", "B-Y", "O"], ["I-X", "I-Y", "O"], 1.0),  # IOB1, another type
        (["B-X", "B-X", "O"], ["B-X", "I-X", "O"], 0.0),
        (["B", "I", "B"], ["B", "I", "O"], 2 / 3),  # no type
        (["B-X-1", "I-X-1", "O"], ["B-X-1", "I-X-2", "O"], 0.0),
    ],
)
def test_span_f1_by_hand(gold, predicted, expected):
    assert span_f1([gold], [predicted]) == pytest.approx(expected)


def test_spans_do_not_cross_sequences_or_unknown_labels():
    assert span_f1([["B-X"], ["I-X"]], [["B-X"], ["B-X"]]) == 1.0
    gold, predicted = [["B-X", None, "I-X"]], [["B-X", "I-X", "I-X"]]
    assert span_f1(gold, predicted) == 1.0
    assert span_f1([["B-X", -1, "I-X"]], predicted) == 1.0


def test_span_f1_weights_repeat_sequences():
    gold, predicted = draw(3)
    weight = np.arange(len(gold)) % 3
    ids = np.repeat(np.arange(len(gold)), weight)
    expected = span_f1(gold[ids], predicted[ids])
    assert span_f1(gold, predicted, sample_weight=weight) == pytest.approx(expected)
    assert span_f1(gold, predicted) != pytest.approx(expected)


def test_span_f1_refuses_what_is_not_bio():
    with pytest.raises(ValueError, match="got 'S-X'"):
        span_f1([["O", "S-X"]], [["O", "O"]])
    with pytest.raises(ValueError, match="needs sequences of tags"):
        span_f1(["B-X", "I-X"], ["B-X", "I-X"])
    with pytest.warns(UserWarning, match="Neither"):
        assert np.isnan(span_f1([["O"]], [["O"]]))


def test_mean_additive_loss():
    gold, predicted = [["lo", "hi"], ["mid", None]], [["hi", "hi"], ["lo", "lo"]]
    order = ["lo", "mid", "hi"]
    cost = np.abs(np.subtract.outer(range(3), range(3)))
    # lo for hi costs 2, mid for lo costs 1.
    assert mean_additive_loss(gold, predicted, cost, labels=order) == 1.0
    frame = pd.DataFrame(cost, index=order, columns=order)[["hi", "lo", "mid"]]
    assert mean_additive_loss(gold, predicted, frame) == 1.0
    squared = mean_additive_loss([[0, 1, -1]], [[3, 1, 7]], lambda t, p: (t - p) ** 2)
    assert squared == 4.5


def test_mean_additive_loss_is_not_symmetric():
    cost = [[0, 1], [5, 0]]
    assert mean_additive_loss([1, 0], [0, 0], cost) == 2.5
    assert mean_additive_loss([0, 0], [1, 0], cost) == 0.5
    assert mean_additive_loss([1, 0], [0, 0], cost, sample_weight=[3, 1]) == 3.75


def test_mean_additive_loss_of_names_and_losses():
    gold, predicted = [["lo", "hi"], ["mid", None]], [["hi", "hi"], ["lo", "x"]]
    order = ["lo", "mid", "hi"]
    assert mean_additive_loss(gold, predicted, "zero_one") == pytest.approx(2 / 3)
    assert mean_additive_loss(gold, predicted, "absolute", labels=order) == 1.0
    assert mean_additive_loss([[1, -1, 7]], [[1, 5, 4]], "squared") == 4.5
    matrix = CostMatrix([[0, 1], [5, 0]], labels=["ok", "bad"])
    assert mean_additive_loss([["bad"]], [["ok"]], matrix) == 5.0
    assert mean_additive_loss([["ok"]], [["ok"]], matrix) == 0.0
    assert (
        mean_additive_loss([[2], [1]], [[1], [1]], CostMatrix([[0, 1], [5, 0]])) == 2.5
    )


def test_mean_additive_loss_weighs_tokens_by_the_rule_of_the_loss():
    gold, predicted = [[0, 0, 0], [4], [], [None, 1]], [[3, 0, 1], [2], [], [9, 2]]
    loss = Absolute(weight="position")
    weight = loss.node_weight([0, 3, 4, 4, 6])[[0, 1, 2, 3, 5]]
    expected = np.average([3, 0, 1, 2, 1], weights=weight)
    assert mean_additive_loss(gold, predicted, loss) == pytest.approx(expected)
    expected = np.average([3, 0, 1], weights=[1, 2, 3])
    only_first = [5.0, 0, 0, 0]
    value = mean_additive_loss(gold, predicted, loss, sample_weight=only_first)
    assert value == pytest.approx(expected)


@pytest.mark.parametrize(
    "loss, labels, message",
    [
        ([[0, 1], [1, 0]], None, "the label 'a', for which loss has no cost"),
        ([[0, 1], [1, 0]], ["a", "b", "c"], "has shape"),
        ("hamming", None, "must be one of 'zero_one'"),
        ("absolute", None, r"Absolute needs the order of the labels \['a', 'b'\]"),
        ("absolute", ["a", "c"], "the label 'b', for which loss has no cost"),
        (Absolute(weight="size"), ["a", "b"], "must be None or 'position'"),
        (CostMatrix(np.zeros((3, 3))), None, "Name the labels"),
        ([0, 1], None, "must be a name, a matrix"),
        (None, None, "must be a name, a matrix"),
        (lambda t, p: 0.0, None, "one finite cost for each of the 2 tokens"),
        (lambda t, p: np.full(len(t), np.nan), None, "one finite cost"),
    ],
)
def test_losses_that_do_not_fit(loss, labels, message):
    with pytest.raises(ValueError, match=message):
        mean_additive_loss([["a", "b"]], [["b", "b"]], loss, labels=labels)

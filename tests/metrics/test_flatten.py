"""Every form in which users hold labels, what is skipped, and what is refused."""

from collections import UserDict

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skstruct.containers import Ragged
from skstruct.metrics import token_accuracy, v_measure
from skstruct.metrics._flatten import read_pairs

GOLD = [["D", "N"], ["N"], ["D", "N", "V"]]
PREDICTED = [["D", "V"], ["N"], ["D", "N", "N"]]


def as_objects(sequences):
    out = np.empty(len(sequences), dtype=object)
    for i, sequence in enumerate(sequences):
        out[i] = np.array(sequence, dtype=object)
    return out


FORMS = {
    "list": list,
    "ragged": Ragged,
    "arrays": lambda y: [np.array(s) for s in y],
    "tuples": lambda y: tuple(tuple(s) for s in y),
    "objects": as_objects,
    "pandas": lambda y: pd.Series(y, index=[7, 7, 3]),
    "polars": pl.Series,
}


@pytest.mark.parametrize("predicted", FORMS)
@pytest.mark.parametrize("gold", FORMS)
def test_every_form_gives_the_same_score(gold, predicted):
    score = token_accuracy(FORMS[gold](GOLD), FORMS[predicted](PREDICTED))
    assert score == pytest.approx(4 / 6)


@pytest.mark.parametrize(
    "form", [list, np.array, pd.Series, pl.Series, pd.Categorical, pd.Index]
)
def test_flat_labels(form):
    assert token_accuracy(form(["a", "b", "a"]), form(["a", "a", "a"])) == 2 / 3
    weighted = token_accuracy(
        form(["a", "b", "a"]), form(["a", "a", "a"]), sample_weight=[1, 2, 1]
    )
    assert weighted == 0.5


def test_equal_lengths_and_2d_arrays_are_rows():
    gold = np.array([[0, 1], [1, 1]])
    assert token_accuracy(gold, [[0, 1], [0, 1]]) == 0.75
    assert read_pairs(gold, gold).sequence.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(
    "gold",
    [
        [["D", None], None, ["D", float("nan"), "V"]],
        Ragged([["D", None], [None], ["D", np.nan, "V"]]),
        pd.Series([["D", pd.NA], np.nan, ["D", None, "V"]]),
        pl.Series([["D", None], None, ["D", None, "V"]]),
        as_objects([["D", -1], [-1], ["D", -1, "V"]]),
    ],
)
def test_unknown_labels_are_skipped(gold):
    pairs = read_pairs(gold, PREDICTED)
    assert [pairs.names[c] for c in pairs.gold] == ["D", "D", "V"]
    assert pairs.sequence.tolist() == [0, 2, 2]
    assert pairs.row.tolist() == [0, 3, 5]
    assert token_accuracy(gold, PREDICTED) == pytest.approx(2 / 3)


def test_minus_one_is_unknown_in_gold_but_a_state_in_predictions():
    assert token_accuracy([[0, -1, 1]], [[0, 1, 1]]) == 1.0
    assert token_accuracy([[0, 1, 1]], [[0, -1, 1]]) == 2 / 3
    assert v_measure([[0, 0, 1]], [[-1, -1, 2]]) == 1.0


def test_integers_with_holes_from_pandas():
    gold = pd.Series([0, None, 1, -1])
    assert gold.dtype == float
    assert token_accuracy(gold, [0, 0, 1, 1]) == 1.0
    assert token_accuracy(pd.Series([0, None], dtype="Int64"), [0, 5]) == 1.0


@pytest.mark.parametrize(
    "gold, weight",
    [
        ([[None, None], [None], [None] * 3], None),
        ([None, None, None], None),
        ([[-1, -1], [-1], [-1] * 3], None),
        (GOLD, [0, 0, 0]),
    ],
)
def test_nothing_left_is_nan_with_a_warning(gold, weight):
    with pytest.warns(UserWarning, match="no known gold label") as record:
        for metric in (token_accuracy, v_measure):
            assert np.isnan(metric(gold, PREDICTED, sample_weight=weight))
    assert [w.filename for w in record] == [__file__] * 2


def test_empty_batch_and_empty_sequences():
    assert token_accuracy([[], ["a"], []], [[], ["a"], []]) == 1.0
    with pytest.warns(UserWarning, match="no known gold label"):
        assert np.isnan(token_accuracy([], []))


def test_lengths_that_differ_name_the_sequence():
    with pytest.raises(
        ValueError, match=r"Sequence 1 has 1 labels in y_true and 2 in y_pred"
    ):
        token_accuracy(GOLD, [["D", "V"], ["N", "N"], ["D", "N", "N"]])
    with pytest.raises(ValueError, match=r"y_true has 3 sequences, y_pred 2"):
        token_accuracy(GOLD, PREDICTED[:2])
    with pytest.raises(ValueError, match=r"y_true has 4 sequences, y_pred 3"):
        token_accuracy([*GOLD, None], PREDICTED)
    with pytest.raises(ValueError, match=r"one sequence as \[labels\]"):
        token_accuracy(["D", "N"], [["D", "N"]])


def test_missing_predictions_are_refused_where_they_count():
    with pytest.raises(ValueError, match=r"position 1 of sequence 2.*'N'"):
        token_accuracy(GOLD, [["D", "V"], ["N"], ["D", None, "N"]])
    with pytest.raises(ValueError, match=r"y_pred\[1\] is None"):
        token_accuracy(GOLD, [["D", "V"], None, ["D", "N", "N"]])
    gold = [["D", "N"], ["N"], ["D", None, "V"]]
    assert token_accuracy(gold, [["D", "V"], ["N"], ["D", None, "V"]]) == 0.8


@pytest.mark.parametrize(
    "gold, message",
    [
        (None, "y_true is None"),
        ("DN", "y_true must be a list of label sequences"),
        (3, "y_true must be a list of label sequences"),
        ([["D", "N"], "N", ["D"]], r"y_true\[1\] is 'N', not a sequence"),
        ([[[1, 2]], [[1, 2]]], "one label for each token, not vectors"),
        ([["D", "N"], ["N"], [{"a": 1}]], "Labels must be text or numbers"),
        (
            [{"D": 0, "N": 1}, {"N": 0}, {"D": 0}],
            r"y_true\[0\] is a dict, whose entries",
        ),
        ([["D", "N"], ["N"], {"D"}], r"y_true\[2\] is a set, whose entries"),
        (UserDict({"D": 0, "N": 1}), "labels, got one UserDict"),
        ({"D", "N"}, "labels, got one set"),
        (pd.DataFrame({"tag": ["D"]}), "one column of it"),
        (pl.DataFrame({"tag": ["D"]}), "one column of it"),
    ],
)
def test_what_is_no_labels_is_refused(gold, message):
    with pytest.raises(ValueError, match=message):
        token_accuracy(gold, [["D", "N"], ["N"], ["D"]])


@pytest.mark.parametrize(
    "weight, message",
    [
        ([1, 2], "shape"),
        (np.ones(6), "shape"),
        ([1, -1, 1], "not negative"),
        ([1, np.nan, 1], "finite"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        token_accuracy(GOLD, PREDICTED, sample_weight=weight)


def test_input_is_not_changed():
    gold = as_objects([["D", None], ["N"], ["D", "N", "V"]])
    before = [s.tolist() for s in gold]
    weight = np.array([1.0, 2.0, 0.0])
    token_accuracy(gold, PREDICTED, sample_weight=weight)
    assert [s.tolist() for s in gold] == before
    assert weight.tolist() == [1.0, 2.0, 0.0]

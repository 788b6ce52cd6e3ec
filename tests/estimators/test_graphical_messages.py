"""Messages of graphical models and metrics show labels as users write them."""

import numpy as np
import pytest

from skstruct import ConditionalRandomField
from skstruct.losses import CostMatrix
from skstruct.metrics import mean_additive_loss


@pytest.mark.parametrize(
    ("params", "labels", "match"),
    [
        ({"class_weight": {np.str_("z"): 1.0}}, ["a", "b"], "names 'z'"),
        ({"classes": np.array([1, 1])}, [1, 2], r"got \[1, 1\]"),
        ({}, ["a", np.int64(4)], "position 1: 4;"),
        (
            {"loss": CostMatrix([[0, 1], [1, 0]], labels=[np.int64(1), np.int64(2)])},
            [1, 3],
            r"costs of \[1, 2\] only; the class 3",
        ),
        ({"loss": "absolute"}, [np.str_("a"), "b"], r"no numbers: \['a', 'b'\]"),
    ],
)
def test_messages_show_plain_labels(params, labels, match):
    with pytest.raises(ValueError, match=match):
        ConditionalRandomField(**params).fit([["x", "y"]], [labels])


@pytest.mark.parametrize(
    ("true", "predicted", "match"),
    [
        ([np.array([4])], [[None]], "gold label is 4[.]"),
        ([[np.str_("a"), "b"]], [["a", "b"]], r"labels \['a', 'b'\]"),
        ([np.array(["a"]), np.int64(3)], [["a"], ["b"]], "is 3, not"),
    ],
)
def test_metrics_show_plain_labels(true, predicted, match):
    with pytest.raises(ValueError, match=match):
        mean_additive_loss(true, predicted, "absolute")


def test_scores_ask_for_labels_by_their_name():
    model = ConditionalRandomField().fit([["x", "y"]], [["a", "b"]])
    with pytest.raises(ValueError, match="but y is None: give a label for each token"):
        model.score([["x", "y"]])

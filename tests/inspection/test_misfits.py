"""What does not fit is told before anything is drawn."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from skstruct.inspection import (
    AlignmentDisplay,
    AnnealingPathDisplay,
    PhraseSparsityDisplay,
    PosteriorDisplay,
    StateLabelDisplay,
    TopFeaturesDisplay,
    TransitionDisplay,
)

SQUARE = np.eye(3)
WITH_NAN = np.where(SQUARE > 0, np.nan, 0.5)


def transitions(table, states="ABC", **options):
    return TransitionDisplay(table, states=states, **options)


def posterior(table, states="ABC", tokens="xyz"):
    return PosteriorDisplay(table, states=states, tokens=tokens)


def pair(probabilities=None, **links):
    return AlignmentDisplay("abc", "de", probabilities=probabilities, **links)


def features(names, weights, states="AB"):
    return TopFeaturesDisplay(names, weights, states=states)


def state_labels(counts, states="ABC", labels="ABC"):
    return StateLabelDisplay(counts, states=states, labels=labels)


PROBLEMS = [
    (transitions(SQUARE, "AB"), r"transitions .* \(2 states, 2 states\), got .*3, 3"),
    (transitions(SQUARE, "ABCD"), r"transitions .* \(4 states, 4 states\), got"),
    (transitions(SQUARE[:2]), r"transitions .* \(3 states, 3 states\), got .*2, 3"),
    (transitions(SQUARE[:, :2], "AB"), r"\(2 states, 2 states\), got shape \(3, 2"),
    (transitions([[1, 0], [1]], "AB"), "transitions must be a table of numbers"),
    (transitions([["a"]], "A"), "transitions must be a table of numbers"),
    (transitions(WITH_NAN), "finite numbers, but row 0, column 0 is nan"),
    (transitions([[np.inf]], "A", weights=True), "row 0, column 0 is inf"),
    (transitions(SQUARE, durations=[1, 2]), "durations must have 3 entries, .* got 2"),
    (posterior(SQUARE, "AB"), r"probabilities .* \(3 tokens, 2 states\), got"),
    (posterior(SQUARE, tokens="xy"), r"\(2 tokens, 3 states\), got shape \(3, 3\)"),
    (posterior(SQUARE, "AB", None), r"probabilities .* \(tokens, 2 states\), got"),
    (posterior(SQUARE[0]), r"got shape \(3,\)"),
    (posterior(WITH_NAN), "probabilities must be finite numbers, but row 0, column 0"),
    (pair(SQUARE), r"probabilities .* \(3 source words, 2 target words\), got"),
    (pair(WITH_NAN[:, :2]), "probabilities must be finite"),
    (pair(links=[(0, 2)]), r"links, .* \(0, 2\) is out of range"),
    (pair(links=[(1,)]), r"links, .* must be \(source, target\)"),
    (pair(gold=[(3, 0, 1)]), r"gold, .* \(3, 0\) is out of range"),
    (pair(gold=[(0, 0, 3)]), "gold, .* is marked 3"),
    (features([["a"]], [[1.0], [2.0]]), "features must have 2 entries, one for each"),
    (features([["a"], []], [[1.0], [2.0]]), r"features\[1\] must have 1 .* got 0"),
    (features([["a"]] * 3, [[1.0]] * 3), r"weights .* \(2 states, features\), got"),
    (features([["a"]] * 2, [[1.0], [np.nan]]), "weights .* row 1, column 0 is nan"),
    (state_labels(SQUARE, "AB"), r"counts .* \(2 states, 3 labels\), got"),
    (state_labels(SQUARE, labels="AB"), r"counts .* \(3 states, 2 labels\), got"),
    (state_labels(WITH_NAN), "counts must be finite"),
    (PhraseSparsityDisplay([1.5]), "integers from 0, one for each phrase"),
    (PhraseSparsityDisplay([[1, 2]]), r"n_clusters_per_phrase .* \(1, 2\)"),
    (AnnealingPathDisplay([{"beta": 1.0}]), r"history\[0\] has no 'objective'"),
]


@pytest.mark.parametrize(("display", "problem"), PROBLEMS)
def test_misfits_are_named_and_draw_nothing(display, problem):
    with pytest.raises(ValueError, match=problem):
        display.plot()
    assert plt.get_fignums() == []


@pytest.mark.parametrize("kind", ["graph", "matrix"])
def test_both_kinds_of_transitions_are_checked(kind):
    with pytest.raises(ValueError, match=r"\(4 states, 4 states\)"):
        transitions(SQUARE, "ABCD").plot(kind=kind)


@pytest.mark.parametrize(
    ("states", "y_proba", "sample", "problem"),
    [
        ("AB", [SQUARE, SQUARE], 0, r"y_proba\[0\] .* \(3 tokens, 2 states\)"),
        (None, [SQUARE], 1, "y_proba must have 2 entries, one for each sequence"),
        (None, [SQUARE] * 3, -1, "y_proba must have 2 entries, .* got 3"),
        (None, [SQUARE, WITH_NAN], 1, r"y_proba\[1\] must be finite numbers"),
        (None, [[[1, 0], [1]], SQUARE], 0, r"y_proba\[0\] must be a table"),
    ],
)
def test_probabilities_of_others(states, y_proba, sample, problem):
    X = [["a", "b", "c"], ["c", "b", "a"]]
    with pytest.raises(ValueError, match=problem):
        PosteriorDisplay.from_predictions(X, y_proba, states=states, sample=sample)


@pytest.mark.parametrize(
    "display",
    [
        transitions(SQUARE),
        transitions(SQUARE, weights=True),
        posterior(SQUARE),
        PhraseSparsityDisplay([1]),
        AnnealingPathDisplay([]),
    ],
)
def test_axes_are_one(display):
    figure, axes = plt.subplots(1, 2)
    for several in (axes, list(axes), figure):
        with pytest.raises(TypeError, match=r"ax must be one Axes .* as axes\[0\]"):
            display.plot(several)


@pytest.mark.parametrize("y_pred", [[["x", None]], [["x", np.nan]], [[1, "x"]]])
def test_states_are_known_and_alike(y_pred):
    with pytest.raises(ValueError, match="y_pred"):
        StateLabelDisplay.from_predictions([["a", "b"]], y_pred)
    with pytest.raises(ValueError, match="y_pred"):
        StateLabelDisplay.from_predictions(["a", "b"], y_pred[0])


def test_unknown_labels_among_strings_are_left_out():
    for gold in (["a", None, "b"], np.array(["a", None, "b"], dtype=object)):
        display = StateLabelDisplay.from_predictions(gold, ["x", "y", "y"])
        assert display.labels.tolist() == ["a", "b"]
        assert display.counts.tolist() == [[1, 0], [0, 1]]


def test_sets_of_links_are_drawn():
    display = pair(links={(0, 0), (2, 1)}, gold={(1, 1, 0)}).plot()
    assert len(display.links_.get_offsets()) == 2
    assert display.sure_ is None and len(display.possible_.get_offsets()) == 1

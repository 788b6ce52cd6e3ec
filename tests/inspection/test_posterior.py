import numpy as np
import pytest

from skstruct import (
    AnnealedHMM,
    ConditionalRandomField,
    CRFAutoencoderTagger,
    GraphBatch,
    Ragged,
)
from skstruct.inspection import PosteriorDisplay

X = [["the", "dog", "barks"], [], ["a", "cat"]]
Y = [["D", "N", "V"], [], ["D", "N"]]
MODELS = [
    AnnealedHMM(3, random_state=0),
    CRFAutoencoderTagger(3, reconstruction="token", max_iter=2, random_state=0),
    ConditionalRandomField(),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("form", [list, Ragged])
def test_heat_map_of_one_sequence(model, form, ticks):
    model.fit(X, Y)
    display = PosteriorDisplay.from_estimator(model, form(X), sample=2)
    proba = model.predict_proba(X)[2]
    assert np.allclose(display.im_.get_array(), proba.T, atol=1e-12)
    assert ticks(display.ax_.xaxis) == ["a", "cat"]
    names = model.classes_ if hasattr(model, "classes_") else model.states_
    assert ticks(display.ax_.yaxis) == list(map(str, names))
    assert display.areas_ == []


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("kind", ["heat", "stacked"])
def test_empty_sequence(model, kind):
    display = PosteriorDisplay.from_estimator(model.fit(X, Y), X, sample=1, kind=kind)
    assert display.ax_.texts[0].get_text() == "nothing to show"


def test_areas_add_up():
    table = [[0.5, 0.2, 0.3], [0.1, 0.9, 0.0]]
    display = PosteriorDisplay(table, states=["_x", "y", "z"]).plot(kind="stacked")
    below = np.zeros(2)
    for k, area in enumerate(display.areas_):
        values, edges, baseline = area.get_data()
        assert np.allclose(baseline, below)
        assert np.allclose(values - baseline, [row[k] for row in table])
        assert edges.tolist() == [-0.5, 0.5, 1.5]
        below = values
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["z", "y", "_x"]
    assert display.ax_.get_xlabel() == "Position"


def test_the_least_probable_of_many_states_share_an_area():
    table = np.full((4, 45), 0.1 / 41)
    table[:, [3, 7, 30, 44]] = 0.9 / 4
    display = PosteriorDisplay(table, states=range(45)).plot(kind="stacked")
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert len(display.areas_) == 10
    assert names[0] == "others"
    assert {"3", "7", "30", "44"} <= set(names)
    assert np.allclose(display.areas_[-1].get_data().values, 1)


def test_series_have_positions():
    series = np.r_[np.zeros(50), np.full(50, 9.0)] + np.tile([0, 0.1], 50)
    model = AnnealedHMM(2, random_state=0).fit([series])
    display = PosteriorDisplay.from_estimator(model, [series], kind="stacked")
    assert display.tokens is None
    assert display.areas_[0].get_data().edges.size == 101
    first = display.areas_[0].get_data().values
    assert np.allclose(first, model.predict_proba([series])[0][:, 0])


def test_long_texts_have_numbers_below():
    words = [f"w{t}" for t in range(300)]
    display = PosteriorDisplay(np.ones((300, 1)), states=[0], tokens=words).plot()
    display.figure_.canvas.draw()
    labels = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert 3 < len(labels) < 20
    assert "w0" not in labels


def test_one_position_is_a_whole_number():
    for kind in ("heat", "stacked"):
        display = PosteriorDisplay([[0.3, 0.7]], states="ab").plot(kind=kind)
        display.figure_.canvas.draw()
        low, high = display.ax_.get_xlim()
        inside = [tick for tick in display.ax_.get_xticks() if low <= tick <= high]
        assert inside == [0]


def test_rows_of_a_table_and_graphs():
    model = ConditionalRandomField().fit(np.eye(3), np.array([0, 1, 2]))
    table = model.predict_proba(np.eye(3))
    display = PosteriorDisplay.from_predictions(np.eye(3), table, sample=1)
    assert np.allclose(display.im_.get_array(), table[1:2].T)
    graphs = GraphBatch([(np.eye(3), [(0, 1), (0, 2)])])
    tree = ConditionalRandomField().fit(graphs, [[0, 1, 1]])
    display = PosteriorDisplay.from_estimator(tree, graphs)
    assert np.allclose(display.probabilities, tree.predict_proba(graphs)[0])


def test_faults_are_named():
    with pytest.raises(
        ValueError, match=r"y_proba\[0\] must be of shape \(3 tokens, states\)"
    ):
        PosteriorDisplay.from_predictions(X, [np.ones((2, 1)), [], []])
    with pytest.raises(ValueError, match="kind must be"):
        PosteriorDisplay([[1.0]], states=[0]).plot(kind="line")

import numpy as np
import pytest

from skstruct import AnnealedHMM, ConditionalRandomField
from skstruct.inspection import TransitionDisplay

TABLE = np.array([[0.9, 0.1, 0.0], [0.02, 0.5, 0.48], [0.0, 0.0, 1.0]])


def test_graph_has_an_arrow_for_each_transition_that_counts():
    display = TransitionDisplay(
        TABLE, states=["A", "B", "C"], durations=[10, 2, np.inf]
    )
    display.plot()
    assert set(display.arrows_) == {(0, 0), (0, 1), (1, 1), (1, 2), (2, 2)}
    widths = {key: arrow.get_linewidth() for key, arrow in display.arrows_.items()}
    assert widths[2, 2] > widths[0, 0] > widths[1, 1] > widths[0, 1]
    texts = [text.get_text() for text in display.ax_.texts]
    assert texts[:3] == ["A\nlasts 10.0", "B\nlasts 2.0", "C\nlasts > 1e6"]
    assert texts[3:] == ["0.10", "0.48"]
    assert display.im_ is None


@pytest.mark.parametrize("n", [1, 2, 4, 12])
def test_long_names_are_inside_the_picture(n):
    names = [f"EXTRAORDINARY-LONG-TAG-NAME-{k:02d}" for k in range(n)]
    display = TransitionDisplay(np.eye(n), states=names, durations=np.ones(n)).plot()
    display.figure_.canvas.draw()
    for text in display.ax_.texts:
        box = text.get_window_extent()
        assert box.x0 >= 0 and box.x1 <= display.figure_.bbox.width


def test_rare_transitions_can_be_shown():
    display = TransitionDisplay(TABLE, states="ABC").plot(min_probability=0)
    assert (1, 0) in display.arrows_
    assert (0, 2) not in display.arrows_  # impossible


def test_arrows_lead_from_state_to_state():
    display = TransitionDisplay(TABLE, states="ABC").plot(min_probability=0)
    nodes = [patch.center for patch in display.ax_.patches if hasattr(patch, "center")]
    for (i, j), arrow in display.arrows_.items():
        places = arrow.get_path().vertices[:, None] - np.array(nodes)
        distances = np.linalg.norm(places, axis=2)
        assert distances[0].argmin() == i  # where the line starts
        assert distances.min(axis=0)[j] < 0.2  # the head, at the rim of a node


def test_matrix(ticks):
    display = TransitionDisplay(TABLE, states="ABC", durations=[99.96, 1e9, 1234.5])
    display.plot(kind="matrix")
    assert display.im_.get_array().tolist() == TABLE.tolist()
    assert display.im_.get_clim() == (0, 1)
    assert ticks(display.ax_.yaxis) == ["A (100.0)", "B (> 1e6)", "C (1234)"]
    assert ticks(display.ax_.xaxis) == ["A", "B", "C"]
    assert display.ax_.get_ylabel() == "From (mean duration)"
    assert display.arrows_ == {}


def test_many_states_are_a_matrix():
    display = TransitionDisplay(np.eye(13), states=range(13)).plot()
    assert display.im_ is not None


def test_from_a_hidden_markov_model():
    X = [["a", "b", "a", "b"], ["b", "a", "a"]]
    model = AnnealedHMM(2, random_state=0).fit(X)
    display = TransitionDisplay.from_estimator(model)
    assert display.transitions is not None
    assert np.array_equal(display.transitions, model.transmat_)
    assert np.array_equal(display.durations, model.expected_durations_)
    second = AnnealedHMM(2, order=2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="order=2"):
        TransitionDisplay.from_estimator(second)
    one = TransitionDisplay(second.transmat_[0], states=second.states_).plot()
    assert len(one.arrows_) > 0


def test_weights_are_a_matrix_around_zero():
    X, y = [["a", "b"], ["b", "a"]], [["A", "B"], ["B", "A"]]
    model = ConditionalRandomField().fit(X, y)
    display = TransitionDisplay.from_estimator(model)
    assert np.array_equal(display.im_.get_array(), model.transition_coef_)
    low, high = display.im_.get_clim()
    assert low == -high == -np.abs(model.transition_coef_).max()
    with pytest.raises(ValueError, match="these are weights"):
        display.plot(kind="graph")
    with pytest.raises(ValueError, match="kind must be"):
        display.plot(kind="net")

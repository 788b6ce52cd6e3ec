import numpy as np
import pytest

from skstruct import AnnealedHMM, ConditionalRandomField, Ragged
from skstruct.inspection import StateLabelDisplay

GOLD = [["D", "N", "V"], ["N", None]]
STATES = [[2, 0, 1], [0, 0]]


def test_counts_in_the_order_of_labels(ticks):
    display = StateLabelDisplay.from_predictions(GOLD, STATES, normalize=None)
    expected = [[1, 0, 0], [0, 2, 0], [0, 0, 1]]
    assert display.im_.get_array().tolist() == expected
    assert ticks(display.ax_.yaxis) == ["2", "0", "1"]
    assert ticks(display.ax_.xaxis) == ["D", "N", "V"]
    assert display.ax_.get_ylabel() == "Predicted state"
    assert [t.get_text() for t in display.text_.ravel()[:2]] == ["1", "0"]
    assert len(display.figure_.axes) == 2


@pytest.mark.parametrize(
    ("normalize", "expected"),
    [("state", [[1, 0], [0.25, 0.75]]), ("label", [[0.5, 0], [0.5, 1]])],
)
def test_normalized(normalize, expected):
    display = StateLabelDisplay.from_predictions(
        ["a", "a", "b", "b", "b"], [0, 1, 1, 1, 1], normalize=normalize, colorbar=False
    )
    assert np.allclose(display.im_.get_array(), expected)
    assert display.im_.get_clim() == (0, 1)
    assert len(display.figure_.axes) == 1


def test_values_are_written_as_numbers_are_read():
    display = StateLabelDisplay([[12345, 0], [1, 2]], states="ab", labels="xy")
    texts = [text.get_text() for text in display.plot(normalize=None).text_.ravel()]
    assert texts == ["12345", "0", "1", "2"]
    texts = [text.get_text() for text in display.plot().text_.ravel()]
    assert texts == ["1.00", "0.00", "0.33", "0.67"]


def test_from_estimator_is_from_its_predictions():
    X = [["a", "b", "a"], [], ["b", "b"]]
    model = AnnealedHMM(2, random_state=0).fit(X)
    y = [["A", "B", "A"], [], ["B", None]]
    one = StateLabelDisplay.from_estimator(model, X, y)
    for batch in (X, Ragged(X)):
        other = StateLabelDisplay.from_predictions(y, model.predict(batch))
        assert one.counts.tolist() == other.counts.tolist()
    assert one.counts.sum() == 4


LEVELS = ["low", "mid", "high"]


@pytest.mark.parametrize(("classes", "new"), [([0, 1, 2], 7), (LEVELS, "?")])
def test_classes_keep_their_order_on_both_axes(classes, new, ticks):
    codes = [[2, 2, 2, 1], [0, 1, 0, 1]]
    X = [np.eye(3)[row] for row in codes]
    y = [[classes[k] for k in row] for row in codes]
    model = ConditionalRandomField(classes=classes).fit(X, y)
    # By the labels that most of their tokens have, states were in another order.
    wrong = [[classes[k] for k in row] for row in ([0, 0, 0, 1], [1, 1, 1, 0])]
    display = StateLabelDisplay.from_estimator(model, X, wrong)
    assert ticks(display.ax_.yaxis) == ticks(display.ax_.xaxis) == [*map(str, classes)]
    assert display.counts.tolist() == [[0, 2, 0], [1, 2, 0], [3, 0, 0]]
    display = StateLabelDisplay.from_estimator(model, X, [[classes[1]] * 4, [new] * 4])
    assert ticks(display.ax_.xaxis) == [*map(str, classes), str(new)]


def test_states_that_are_labels_have_one_order(ticks):
    display = StateLabelDisplay.from_predictions([0, 0, 1, 2, 1], [1, 1, 0, 0, 1])
    assert ticks(display.ax_.yaxis) == ticks(display.ax_.xaxis) == ["0", "1", "2"]
    assert display.counts.tolist() == [[0, 1, 1], [2, 1, 0], [0, 0, 0]]
    assert display.ax_.get_xlabel() == "True label"


def test_numbers_of_states_are_no_labels_but_their_names_are():
    X = [["a", "b", "c", "b"], ["b", "c", "a"]]
    model = AnnealedHMM(3, random_state=0).fit(X)
    predicted = model.predict(X)
    y = [[(int(k) + 1) % 3 for k in row] for row in predicted]
    display = StateLabelDisplay.from_estimator(model, X, y)
    assert (display.counts == np.diag(display.counts.diagonal())).all()
    named = AnnealedHMM(tag_dictionary={"a": "A", "b": "B", "c": "C"}).fit(X)
    y = [["B", "A", "C", "A"], ["A", "C", "B"]]
    display = StateLabelDisplay.from_estimator(named, X, y)
    assert display.states.tolist() == display.labels.tolist() == ["A", "B", "C"]
    assert display.counts.tolist() == [[0, 2, 0], [3, 0, 0], [0, 0, 2]]


def test_minus_one_can_be_a_class():
    X, y = [np.array([[1.0], [-1.0], [-1.0]])] * 3, [[1, -1, -1]] * 3
    model = ConditionalRandomField().fit(X, y)
    display = StateLabelDisplay.from_estimator(model, X, y)
    assert display.counts.tolist() == [[6, 0], [0, 3]]


def test_nothing_known_shows_nothing():
    display = StateLabelDisplay.from_predictions([[None, None]], [[0, 1]])
    assert display.im_ is None
    assert display.ax_.texts[0].get_text() == "nothing to show"


def test_large_tables_do_not_tell_values():
    gold = np.arange(45) % 17
    display = StateLabelDisplay.from_predictions(gold, np.arange(45))
    assert display.text_ is None
    assert display.im_.get_array().shape == (45, 17)


def test_faults_are_named():
    with pytest.raises(ValueError, match="y_true: sequence 1"):
        StateLabelDisplay.from_predictions([["a"], ["b"]], [[0], [0, 1]])
    with pytest.raises(ValueError, match="normalize must be"):
        StateLabelDisplay.from_predictions(GOLD, STATES, normalize="true")

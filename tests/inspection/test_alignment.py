import numpy as np
import pytest

from skstruct import Bitext, HMMAligner, SymmetrizedAligner
from skstruct.inspection import AlignmentDisplay

X = [
    (["the", "dog"], ["canis"]),
    (["the", "girl", "sees"], ["puella", "videt"]),
    ([], ["et"]),
    (["the", "dog", "sees"], ["canis", "videt"]),
]
LINKS = [[(1, 0)], [(1, 0), (2, 1)], [], [(1, 0), (2, 1)]]


def test_marks_stand_at_the_words(ticks):
    gold = [None, [(1, 0, 1), (0, 0, 0), (2, 0, 1)], None, None]
    display = AlignmentDisplay.from_predictions(X, LINKS, y_true=gold, sample=1)
    assert ticks(display.ax_.yaxis) == ["the", "girl", "sees"]
    assert ticks(display.ax_.xaxis) == ["puella", "videt"]
    # Marks are (x, y): (target, source).
    assert display.links_.get_offsets().tolist() == [[0, 1], [1, 2]]
    assert display.sure_.get_offsets().tolist() == [[0, 1], [0, 2]]
    assert display.possible_.get_offsets().tolist() == [[0, 0]]
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["gold, sure", "gold, possible", "link"]
    assert not display.im_.get_array().any()
    assert len(display.figure_.axes) == 1  # no colours to explain


@pytest.mark.parametrize("aligner", [HMMAligner(), SymmetrizedAligner()])
@pytest.mark.parametrize("sample", [1, -3])
def test_from_estimator(aligner, sample):
    model = aligner.fit(X)
    display = AlignmentDisplay.from_estimator(model, Bitext(X), LINKS, sample=sample)
    assert np.array_equal(display.im_.get_array(), model.predict_proba(X)[1])
    assert display.links[:, :2].tolist() == model.predict(X)[1].tolist()
    assert display.gold[:, :2].tolist() == [[1, 0], [2, 1]]
    assert display.im_.get_clim() == (0, 1)


def test_an_empty_side_and_unknown_gold():
    display = AlignmentDisplay.from_predictions(X, LINKS, y_true=[None] * 4, sample=2)
    assert display.im_ is None
    assert display.links_ is None
    assert display.ax_.get_legend() is None


def test_links_out_of_range_are_named():
    with pytest.raises(ValueError, match="y_pred, pair 0"):
        AlignmentDisplay.from_predictions(X, [[(2, 0)], [], [], []])

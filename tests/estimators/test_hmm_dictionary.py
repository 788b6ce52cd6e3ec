"""A tag dictionary at prediction time, for words that training did not show."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skstruct import AnnealedHMM

X = [
    ["the", "dogs", "run"],
    ["a", "run", "ends"],
    ["the", "cats", "sleep"],
    ["dogs", "sleep"],
]
TAGS = {
    "the": "D",
    "a": "D",
    "dogs": "N",
    "cats": "N",
    "run": ["N", "V"],
    "sleep": "V",
    "zebra": "N",
    "gnu": ["N", "V"],
}


@pytest.mark.parametrize("order", [1, 2])
def test_listed_words_keep_to_their_states_though_training_lacked_them(order):
    model = AnnealedHMM(tag_dictionary=TAGS, order=order, transition_alpha=0.1).fit(X)
    assert "zebra" not in model.symbols_
    new = [["dogs", "zebra"], [], ["zebra"], ["gnu", "zebra", "yak", "the", "gnu"]]
    paths = model.predict(new)
    assert_array_equal(paths[0], ["N", "N"])
    assert paths[2] == ["N"]
    states = model.states_.tolist()
    for probability, words in zip(model.predict_proba(new), new, strict=True):
        for p, word in zip(probability, words, strict=True):
            forbidden = [s not in TAGS.get(word, states) for s in states]
            assert (p[forbidden] == 0).all()
            assert_allclose(p.sum(), 1)
    assert np.isfinite(model.score_samples(new)).all()
    assert_allclose(model.filter_proba(new)[0][1], [s == "N" for s in states])
    given = model.predict([["zebra"]], observed_labels=[["V"]])
    assert given[0] == ["V"]  # what is observed wins


def test_words_without_an_entry_stay_free_and_share_no_row():
    model = AnnealedHMM(tag_dictionary=TAGS).fit(X)
    free = model.predict_proba([["the", "yak"]])[0][1]
    assert (free > 0).sum() > 1
    # One batch or several, many unknown words or one: the same answer.
    together = model.predict_proba([["the", "yak"], ["zebra", "gnu"], ["yak", "emu"]])
    assert_allclose(together[0][1], free)
    assert_allclose(together[1], model.predict_proba([["zebra", "gnu"]])[0])

"""Fewer words than classes."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from skstruct import CRFAutoencoderAligner, CRFAutoencoderTagger
from skstruct.featurizers import BrownClusterer, ExchangeClusterer

SENTENCES = [["a", "b", "c"], ["b", "d", "a"], ["e", "a"], ["f", "b", "f"]]


@pytest.mark.parametrize("cls", [BrownClusterer, ExchangeClusterer])
def test_more_classes_than_words_are_warned_of(cls):
    message = r"fewer words to cluster \(6\) than n_clusters=1000"
    with pytest.warns(ConvergenceWarning, match=message) as caught:
        cls(1000).fit(SENTENCES)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls(6).fit(SENTENCES)


def test_rare_words_do_not_count():
    with pytest.warns(ConvergenceWarning, match=r"\(3\) than n_clusters=4"):
        BrownClusterer(4, min_count=2).fit(SENTENCES)


@pytest.mark.parametrize("reconstruction", ["auto", "brown"])
@pytest.mark.parametrize("init", ["exchange", "brown"])
def test_a_number_that_nobody_asked_for_is_not_warned_of(reconstruction, init):
    model = CRFAutoencoderTagger(
        7, reconstruction=reconstruction, init=init, max_iter=2
    )
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(SENTENCES)
    (message,) = {str(w.message) for w in caught}
    assert "of 7 states have no tokens" in message
    aligner = CRFAutoencoderAligner(reconstruction="brown", max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        aligner.fit([(x, x) for x in SENTENCES])

"""Words where fit saw numbers, numbers where it saw words, and measurements."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction import DictVectorizer
from sklearn.pipeline import make_pipeline

from skstruct import (
    AdversarialGraphicalModel,
    AnnealedHMM,
    ConditionalRandomField,
    CRFAutoencoderTagger,
    Ragged,
    StructuredSVM,
)
from skstruct.emissions import Categorical
from skstruct.featurizers import (
    BrownClusterer,
    ExchangeClusterer,
    PerToken,
    TokenFeaturizer,
)

WORDS = [["a", "b", "c"], ["b", "a"], [], ["c", "c", "a"]]
NUMBERS = [[1, 2, 3], [2, 1], [], [3, 3, 1]]
LABELS = [["x", "y", "y"], ["x", "y"], [], ["y", "x", "x"]]


def spelling(token):
    return {"word": str(token)}


OWN = make_pipeline(PerToken(spelling), PerToken(DictVectorizer()))
MODELS = [
    AnnealedHMM(2),
    ConditionalRandomField(),
    StructuredSVM(),
    AdversarialGraphicalModel(),
    make_pipeline(TokenFeaturizer(min_identity_count=1), ConditionalRandomField()),
    CRFAutoencoderTagger(2, max_iter=2),
    CRFAutoencoderTagger(2, max_iter=2, featurizer=OWN, reconstruction="token"),
    CRFAutoencoderTagger(2, max_iter=2, featurizer=OWN, reconstruction="brown"),
    BrownClusterer(2),
    ExchangeClusterer(2),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS)
def test_tokens_of_another_kind_than_in_fit(model):
    words, numbers = (clone(model).fit(X, LABELS) for X in (WORDS, NUMBERS))
    for X in (NUMBERS, Ragged(NUMBERS), [[], [7]]):
        with pytest.raises(
            ValueError, match=r"holds numbers, .* words only.*pass text"
        ):
            words.predict(X)
    for X in (WORDS, [["1", "2"]]):
        with pytest.raises(ValueError, match=r"holds words \('.'\), .*pass integers"):
            numbers.predict(X)
    for fitted in (words, numbers):
        before = fitted.predict(WORDS if fitted is words else NUMBERS)
        assert len(fitted.predict([["new", 3], []])[0]) == 2  # a symbol among others
        assert [len(y) for y in before] == [3, 2, 0, 3]


@pytest.mark.parametrize("name", ["transform", "predict"])
def test_both_kinds_in_fit(name):
    X = [["a", 1], ["b"]]
    for transformer in (TokenFeaturizer(), BrownClusterer(2)):
        if hasattr(transformer, name):
            transformer.fit(X)
            for new in ([[1]], [["b"]], [["a", 1]]):
                assert len(getattr(transformer, name)(new)) == 1


@pytest.mark.parametrize(
    "model",
    [
        AnnealedHMM(2, emissions="categorical"),
        CRFAutoencoderTagger(2, reconstruction=Categorical()),
    ],
)
def test_advice_for_measurements_suits_the_model(model):
    message = r"position 1 is 0\.5: .*not measurements.* bins; .* by Gaussian\(\)"
    with pytest.raises(ValueError, match=message) as caught:
        model.fit([np.array([1.0, 0.5]), np.array([2.0])])
    assert "emissions=" not in str(caught.value)

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from skstruct import (
    AnnealedHMM,
    ConditionalRandomField,
    CRFAutoencoderTagger,
    Ragged,
)
from skstruct.featurizers import PerToken, TokenFeaturizer
from skstruct.inspection import TopFeaturesDisplay

X = [["the", "dog", "barks"], ["a", "cat", "sleeps"]]


def texts(display):
    return [[text.get_text() for text in row] for row in display.text_]


def test_those_of_the_tagger(ticks):
    model = CRFAutoencoderTagger(
        2, reconstruction="token", max_iter=2, random_state=0
    ).fit(X)
    display = TopFeaturesDisplay.from_estimator(model, n=3)
    table = model.top_features(3)
    assert display.features.ravel().tolist() == table["feature"].tolist()
    assert np.allclose(display.im_.get_array().ravel(), table["weight"])
    assert [word for row in texts(display) for word in row] == table["feature"].tolist()
    assert ticks(display.ax_.xaxis) == ["1", "2", "3"]


def test_those_of_classes():
    Z = np.array([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]])
    model = ConditionalRandomField().fit(Z, np.array(["A", "B", "C"], dtype=object))
    display = TopFeaturesDisplay.from_estimator(
        model, n=1, feature_names=["a", "b", "c"]
    )
    assert texts(display) == [["a"], ["b"], ["c"]]
    centred = model.coef_ - model.coef_.mean(axis=0)
    assert np.allclose(display.weights.ravel(), centred.max(axis=1))


def test_symbols_of_a_hidden_markov_model():
    model = AnnealedHMM(2, random_state=0).fit(X)
    display = TopFeaturesDisplay.from_estimator(model, n=100)
    assert display.features.shape == (2, len(model.symbols_))
    assert np.allclose(display.weights, -np.sort(-model.emissionprob_, axis=1))
    assert display.im_.get_clim()[0] == 0


def test_words_of_almost_no_probability_have_no_name():
    X = [["the", "dog", "barks"], ["the", "cat", "sleeps"]] * 3
    tags = {"the": "D", "dog": "N", "cat": "N", "barks": "V", "sleeps": "V"}
    model = AnnealedHMM(tag_dictionary=tags).fit(X)
    display = TopFeaturesDisplay.from_estimator(model)
    assert texts(display)[0] == ["the", "", "", "", ""]
    assert texts(display)[1] == ["cat", "dog", "", "", ""]
    assert display.weights.shape == (3, 5) and np.isfinite(display.weights).all()


def test_negative_weights_have_colours_of_their_own():
    display = TopFeaturesDisplay([["a", "b"]], [[1.0, -3.0]], states=["s"]).plot()
    assert display.im_.get_clim() == (-3, 3)


def columns():
    frame = pd.DataFrame({"load": [0.0, 9.0, 0.0, 9.0], "temp": [1.0, 1.0, 0.0, 0.0]})
    frame["day"], frame["level"] = [0, 0, 1, 1], ["low", "high", "low", "high"]
    names = ["load", "temp"]
    read = [Ragged.from_frame(frame, c, group="day") for c in (names, "level")]
    return *read, names


def test_columns_of_a_frame_have_names():
    Z, y, names = columns()
    model = ConditionalRandomField().fit(Z, y)
    display = TopFeaturesDisplay.from_estimator(model, n=1)
    assert display.states.tolist() == ["high", "low"]
    assert display.features[0] == ["load"]
    swapped = ConditionalRandomField(featurizer=PerToken(StandardScaler())).fit(Z, y)
    display = TopFeaturesDisplay.from_estimator(swapped)
    assert sorted(display.features[0]) == names


def test_steps_before_the_model_name_features():
    Z, y, names = columns()
    pipe = make_pipeline(PerToken(StandardScaler()), ConditionalRandomField())
    display = TopFeaturesDisplay.from_estimator(pipe.fit(Z, y))
    assert sorted(display.features[0]) == names
    words = make_pipeline(TokenFeaturizer(), ConditionalRandomField())
    words.fit(X, [["D", "N", "V"]] * 2)
    display = TopFeaturesDisplay.from_estimator(words, n=3)
    assert set(display.features.ravel()) <= set(words[:-1].get_feature_names_out())
    tagger = CRFAutoencoderTagger(2, max_iter=2, random_state=0)
    display = TopFeaturesDisplay.from_estimator(
        make_pipeline(TokenFeaturizer(), tagger).fit(X), n=3
    )
    assert set(display.features.ravel()) <= set(words[:-1].get_feature_names_out())


def test_steps_that_know_no_names_leave_numbers():
    Z, y, _ = columns()
    for step in (PerToken(FunctionTransformer(np.abs)), "passthrough"):
        pipe = make_pipeline(step, ConditionalRandomField()).fit([*Z], [*y])
        display = TopFeaturesDisplay.from_estimator(pipe)
        assert sorted(display.features[0]) == ["x0", "x1"]


def test_faults_are_named():
    model = AnnealedHMM(2, random_state=0).fit(X)
    for n in (0, 1.5):
        with pytest.raises(ValueError, match="n must be a positive integer"):
            TopFeaturesDisplay.from_estimator(model, n=n)
    with pytest.raises(ValueError, match="feature_names must hold 6 names"):
        TopFeaturesDisplay.from_estimator(model, feature_names=["a"])
    series = AnnealedHMM(2, random_state=0).fit([np.arange(9.0)])
    with pytest.raises(TypeError, match="neither coef_ nor emissionprob_"):
        TopFeaturesDisplay.from_estimator(series)

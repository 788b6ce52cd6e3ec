"""CRFAutoencoderTagger: what a fit must not depend on, and what it must not leave."""

import threading
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skstruct.containers import Ragged
from skstruct.emissions import Product, View
from skstruct.estimators import CRFAutoencoderTagger, TagDictionary
from skstruct.featurizers import TokenFeaturizer
from skstruct.metrics import token_accuracy
from tests.estimators._autoencoder_oracle import words


@pytest.fixture(scope="module")
def text():
    return words()


def tagger(n_states=3, **params):
    params = {"random_state": 0, "max_iter": 5} | params
    return CRFAutoencoderTagger(n_states, **params)


def test_fits_in_threads_leave_warnings_as_they_were(text):
    X, _ = text
    before = list(warnings.filters)
    models = [tagger(init="hmm", random_state=i) for i in range(4)]
    threads = [threading.Thread(target=model.fit, args=(X,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings.filters == before
    assert all(hasattr(model, "coef_") for model in models)


def test_empty_sequences_do_not_count(text):
    X, _ = text
    sparse = [*X, *[[]] * 50]
    one, other = (tagger(init="random").fit(data) for data in (list(X), sparse))
    assert_allclose(one.coef_, other.coef_, atol=1e-12)
    ends = [model.history_[-1]["objective"] for model in (one, other)]
    assert_allclose(*ends)


def test_a_start_is_the_same_for_all_reconstructions_and_threads(text, tmp_path):
    X, _ = text
    for params in (
        {"reconstruction": "token", "n_jobs": 1},
        {"reconstruction": "loglinear", "n_jobs": 2},
        {"reconstruction": "auto", "encoder_l2": 0.1},
    ):
        tagger(init="hmm", memory=str(tmp_path), **params).fit(X)
    assert (
        len(list(tmp_path.rglob("output.pkl"))) == 2
    )  # the start, and the Brown classes of the last


def test_memory_says_what_does_not_pickle(text, tmp_path):
    X, _ = text
    views = Product([("initial", View(lambda word: word[0]))])
    assert len(tagger(init="random", reconstruction=views).fit(X).coef_)
    with pytest.raises(ValueError, match=r"memory cannot keep .* does not pickle"):
        tagger(init="random", reconstruction=views, memory=str(tmp_path)).fit(X)


def test_supervised_starts_stand_alone(text):
    X, y = text
    with pytest.raises(ValueError, match="cannot be one of several starts"):
        tagger(init=["supervised", "random"], supervision="clamp").fit(X, y)


@pytest.mark.parametrize("init", ["hmm", "feature_hmm"])
def test_labels_reach_a_hidden_markov_model(init):
    X, y = words(60, length=(2, 6), seed=2)
    names = y.with_values(np.array(["A", "B", "C"])[y.values])
    given = [list(s) if i < 12 else None for i, s in enumerate(names)]
    model = tagger(None, init=init, supervision="clamp").fit(X, given)
    assert model.states_.tolist() == ["A", "B", "C"]
    assert token_accuracy(names[12:], model.predict(X[12:])) > 0.6


def test_a_dictionary_of_other_words_is_no_silence(text):
    X, _ = text
    foreign = TagDictionary({"elsewhere": ["A", "B"]})
    with pytest.warns(UserWarning, match="Only 0.0% of the tokens") as record:
        tagger(None, tag_dictionary=foreign, init="random").fit(X)
    assert record[0].filename == __file__


def test_decoding_is_checked_where_it_is_used(text):
    X, _ = text
    model = tagger(init="random").fit(X)
    with pytest.raises(ValueError, match="'decoding' parameter"):
        model.set_params(decoding="max").predict(X)
    vectors = [np.random.RandomState(i).normal(size=(4, 2)) for i in range(5)]
    model = tagger(2, decoding="type").fit(vectors)
    with pytest.raises(ValueError, match="tokens are vectors"):
        model.predict(vectors)


def test_names_of_features_in_a_pipeline(text):
    X, _ = text
    pipe = make_pipeline(TokenFeaturizer(), tagger(init="random")).fit(X)
    names = pipe[:-1].get_feature_names_out()
    table = pipe[-1].top_features(2, feature_names=names)
    assert set(table["feature"]) <= set(names)
    assert pipe[-1].top_features(2)["feature"].str.startswith("x").all()
    with pytest.raises(ValueError, match=r"must hold .* names"):
        pipe[-1].top_features(feature_names=names[1:])
    with pytest.raises(ValueError, match="positive integer"):
        pipe[-1].top_features(-1)


def test_the_best_paths_of_a_sequence(text):
    X, _ = text
    model = tagger(init="random").fit(X)
    for sequence, paths in zip(X[:4], model.predict_k_best(X[:4], k=3), strict=True):
        assert paths[0][0].tolist() == model.predict([sequence])[0].tolist()
        log_probs = [log_prob for _, log_prob in paths]
        assert log_probs == sorted(log_probs, reverse=True) and log_probs[0] < 0


@pytest.mark.parametrize("weight", [1.0, 1 / 300])
def test_states_without_tokens_are_told_whatever_the_weights(weight):
    X = [list("abcab")] * 30
    with pytest.warns(ConvergenceWarning, match="[12] of 4 states have no tokens"):
        tagger(4, max_iter=12).fit(X, sample_weight=np.full(30, weight))


def test_one_token_is_in_no_state_more_than_in_others():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tagger().fit([["a"]])


def test_empty_input_has_no_kind(text):
    X, _ = text
    model = tagger(init="random").fit(TokenFeaturizer().fit_transform(X))
    assert [len(y) for y in model.predict([[], []])] == [0, 0]
    assert model.score([[]]) == 0
    assert model.predict_proba([[]])[0].shape == (0, 3)


def test_a_frozen_featurizer(text):
    X, _ = text
    frozen = FrozenEstimator(TokenFeaturizer(window=0).fit(X))
    model = tagger(init="random", featurizer=frozen).fit(X)
    assert len(model.coef_) == frozen.estimator.n_features_out_


BAD = {
    "weights beyond the range": ({}, {"sample_weight": 1e308}, "at most 1e"),
    "a number as a target": (
        {"reconstruction": Product([("v", View(5))])},
        {},
        "target of view 'v' must be a name, a transformer",
    ),
    "a target that answers nothing": (
        {"reconstruction": Product([("v", View(FunctionTransformer(lambda X: None)))])},
        {},
        "target of view 'v' must answer a Ragged",
    ),
    "a start of several columns": ({"init": TokenFeaturizer()}, {}, "one label for ea"),
    "a folder that cannot be": ({"memory": "/proc/none"}, {}, "memory=.* be written"),
}


@pytest.mark.parametrize(("params", "fit", "message"), BAD.values(), ids=BAD)
def test_bad_components_are_named(text, params, fit, message):
    X, _ = text
    with pytest.raises(ValueError, match=message):
        tagger(**params).fit(X, **fit)


def test_feature_dicts_are_dicts_everywhere():
    dicts = np.array([None, {"a": 1.0}], dtype=object)
    X = Ragged.from_arrays(dicts, [0, 2], tokens=["u", "v"])
    with pytest.raises(ValueError, match="sequence 0, position 0 is None"):
        tagger().fit(X)


def test_a_series_of_numbers_is_one_of_vectors():
    rng = np.random.default_rng(0)
    series = [np.r_[rng.normal(0, 1, 30), rng.normal(9, 1, 30)] for _ in range(3)]
    model = tagger(2).fit(series)
    assert model.n_features_in_ == 1
    assert np.array_equal(
        np.concatenate(model.predict(series)),
        np.concatenate(model.predict([s[:, None] for s in series])),
    )


def test_a_view_stands_for_a_product_of_one(text):
    X, _ = text
    model = tagger(init="random", reconstruction=View(len)).fit(X)
    assert list(model.reconstruction_.emissions_) == ["view"]


def test_the_penalty_suits_what_names_the_states(text):
    X, y = text
    few = [list(labels) if i < 5 else None for i, labels in enumerate(y)]
    dictionary = TagDictionary.from_tagged(X, y, keep=8)
    for l2, params, labels in (
        (0.6, {}, None),
        (10.0, {"tag_dictionary": dictionary}, None),
        (30.0, {"supervision": "clamp"}, few),
    ):
        one = tagger(None if params else 3, **params).fit(X, labels)
        other = tagger(None if params else 3, encoder_l2=l2, **params).fit(X, labels)
        assert_allclose(one.coef_, other.coef_)

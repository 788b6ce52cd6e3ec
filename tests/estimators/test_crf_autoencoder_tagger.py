"""CRFAutoencoderTagger: what it climbs and what it answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.containers import Ragged
from skstruct.datasets import make_gaussian_hmm_sequences
from skstruct.emissions import Categorical, Gaussian, LogLinear, Poisson, Product, View
from skstruct.estimators import CRFAutoencoderTagger, TagDictionary
from skstruct.featurizers import TokenFeaturizer
from skstruct.metrics import v_measure
from tests.estimators._autoencoder_oracle import (
    ByNumber,
    Enumerated,
    objectives,
    words,
)

VIEWS = Product(
    [
        ("letter", View(lambda word: word[0], exponent=0.7, offset=1)),
        ("length", View(len, Poisson(), exponent=2.0)),
        ("own", View("token", LogLinear(l2=0.5))),
    ]
)
RECONSTRUCTIONS = {
    "auto": "auto",
    "brown": "brown",
    "token": "token",
    "loglinear": "loglinear",
    "emission": Categorical(alpha=0.2),
    "views": VIEWS,
}


def tagger(n_states=3, **params):
    params = {"random_state": 0, "max_iter": 12} | params
    return CRFAutoencoderTagger(n_states, **params)


@pytest.fixture(scope="module")
def text():
    return words()


@pytest.fixture(scope="module")
def vectors():
    return make_gaussian_hmm_sequences(
        8, n_states=3, n_features=2, length=(1, 12), random_state=0
    )


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"encoder_steps": 3},
        {"reconstruction_steps": 2, "encoder_l2": 0.01},
        {"init": "random", "encoder_l2": 0.001},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:1 of 3 states have no tokens")
@pytest.mark.parametrize("reconstruction", RECONSTRUCTIONS)
def test_the_objective_never_falls(reconstruction, params):
    for seed in range(2):
        X, _ = words(seed=seed)
        weight = np.random.default_rng(seed).integers(0, 3, len(X))
        model = tagger(reconstruction=RECONSTRUCTIONS[reconstruction], **params)
        climbed = objectives(model.fit(X, sample_weight=weight))
        rises = np.diff(climbed)
        assert rises.min() >= -1e-12 and rises.max() > 1e-5
        assert len(climbed) == model.n_iter_ <= 12


@pytest.mark.parametrize("emission", ["auto", Gaussian("full"), Gaussian("spherical")])
def test_the_objective_of_vectors_never_falls(vectors, emission):
    for init in ("hmm", "random"):
        model = tagger(reconstruction=emission, init=init).fit(vectors[0])
        assert np.diff(objectives(model)).min() >= -1e-12
        assert v_measure(vectors[1], model.predict(vectors[0])) > 0.6


def test_the_objective_with_labels_and_dictionary_never_falls(text):
    X, y = text
    y = [list(s) if i % 4 == 0 else None for i, s in enumerate(y)]
    dictionary = TagDictionary.from_tagged(X, text[1], keep=5)
    for given in ({"tag_dictionary": dictionary}, {}):
        model = tagger(3, supervision="clamp", **given).fit(X, y)
        assert np.diff(objectives(model)).min() >= -1e-12


@pytest.mark.parametrize("l2", [0.0, 0.6])
def test_the_last_objective_is_that_of_the_attributes(text, l2):
    X, _ = text
    weight = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    model = tagger(encoder_l2=l2, reconstruction=Categorical(alpha=0.5))
    model.fit(X, sample_weight=weight)
    by_hand = Enumerated(model, X)
    (emission,) = model.reconstruction_.emissions_.values()
    likelihood = weight @ by_hand.log_likelihood
    lambdas = (model.coef_, model.transition_coef_, model.start_coef_)
    penalty = l2 / 2 * sum((w**2).sum() for w in lambdas)
    total = (likelihood + emission.log_prior()) / weight.sum() - penalty
    assert_allclose(model.history_[-1]["objective"], total, rtol=1e-10)
    expected = likelihood / (weight @ X.lengths)
    assert_allclose(model.history_[-1]["log_likelihood"], expected, rtol=1e-10)
    assert_allclose(model.score(X, sample_weight=weight), expected, rtol=1e-10)
    assert [h["iteration"] for h in model.history_] == [*range(1, model.n_iter_ + 1)]


def test_adagrad_reaches_what_lbfgs_does(text):
    X, _ = text
    params = {"init": ByNumber(), "reconstruction": "token", "tol": 0.0}
    lbfgs = tagger(**params, max_iter=100).fit(X)
    adagrad = tagger(**params, solver="adagrad", batch_size=10, max_iter=150).fit(X)
    # Hills have many tops once the reconstruction moves, too.
    assert_allclose(objectives(adagrad)[-1], objectives(lbfgs)[-1], rtol=0.03)
    assert objectives(adagrad)[-1] > objectives(adagrad)[0] + 0.2


@pytest.mark.parametrize("reconstruction", RECONSTRUCTIONS)
def test_answers_equal_enumeration(text, reconstruction):
    X, _ = text
    model = tagger(reconstruction=RECONSTRUCTIONS[reconstruction]).fit(X)
    # With empty sequences and words never seen.
    new = Ragged([[], *X[:4], ["new", X.values[0], "Words-2"], []])
    by_hand = Enumerated(model, new)
    assert_allclose(model.score_samples(new), by_hand.log_likelihood, atol=1e-10)
    weight = np.arange(len(new), dtype=float)
    for w in (None, weight):
        each = np.ones(len(new)) if w is None else w
        mean = each @ by_hand.log_likelihood / (each @ new.lengths)
        assert_allclose(model.score(new, sample_weight=w), mean)
    assert_allclose(model.predict_proba(new).values, by_hand.proba, atol=1e-10)
    assert_array_equal(model.predict(new).values, by_hand.path)
    model.set_params(decoding="posterior")
    assert_array_equal(model.predict(new).values, by_hand.proba.argmax(axis=1))


def test_answers_for_vectors_equal_enumeration(vectors):
    X = vectors[0]
    model = tagger().fit(X)
    new = Ragged([X[0][:3], np.zeros((0, 2)), X[1][:5]])
    by_hand = Enumerated(model, new)
    assert_allclose(model.score_samples(new), by_hand.log_likelihood)
    assert_allclose(model.predict_proba(new).values, by_hand.proba, atol=1e-10)
    assert_array_equal(model.predict(new).values, by_hand.path)


def test_labels_that_are_observed_hold(text):
    X, _ = text
    model = tagger().fit(X)
    labels = np.where(np.arange(X.n_tokens) % 3, -1, np.arange(X.n_tokens) % 2)
    by_hand = Enumerated(model, X, labels=labels)
    observed = X.with_values(labels)
    proba = model.predict_proba(X, observed_labels=observed)
    assert_allclose(proba.values, by_hand.proba, atol=1e-10)
    answers = model.predict(X, observed_labels=observed).values
    assert_array_equal(answers, by_hand.path)
    known = labels >= 0
    assert (model.predict(X).values[known] != labels[known]).any()
    model.set_params(decoding="type")
    answers = model.predict(X, observed_labels=observed).values
    assert_array_equal(answers[known], labels[known])


def test_one_state_for_each_word(text):
    X, _ = text
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    follower = Product([("next", View("token", offset=1))])
    model = tagger(decoding="type", reconstruction=follower)
    model.fit(X, sample_weight=weight)
    votes = model.predict_proba(X).values * np.repeat(weight, X.lengths)[:, None]
    best = {}
    for word in set(X.values[np.repeat(weight > 0, X.lengths)]):
        best[word] = votes[X.values == word].sum(axis=0).argmax()
    # Unknown words are found by their place.
    new = Ragged([[*X[3], "unheard"], *X[:9]])
    path = Enumerated(model, new).path
    expected = [best.get(w, k) for w, k in zip(new.values, path, strict=True)]
    assert_array_equal(model.predict(new).values, expected)
    assert (np.array(expected) != path).any()


def test_states_are_numbered_by_frequency():
    for seed in range(4):
        X, _ = words(seed=seed)
        model = tagger(init="random", random_state=seed).fit(X)
        assert (np.diff(model.predict_proba(X).values.sum(axis=0)) <= 1e-9).all()
        assert model.states_.tolist() == [0, 1, 2]


def same(a, b, tolerance=0.0):
    for name in ("coef_", "transition_coef_", "start_coef_"):
        assert_allclose(getattr(a, name), getattr(b, name), atol=tolerance)
    return True


@pytest.mark.parametrize("solver", ["lbfgs", "adagrad"])
@pytest.mark.parametrize("init", ["random", "hmm", "exchange"])
def test_random_state(text, init, solver):
    X, _ = text
    params = {"init": init, "solver": solver, "batch_size": 7, "max_iter": 3}
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, two = (tagger(**params, n_jobs=n).fit(X) for n in (1, 2))
    assert same(one, two) and one.history_ == two.history_
    assert same(
        one, tagger(**params | {"random_state": np.random.RandomState(0)}).fit(X)
    )
    assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002
    if init == "random":
        other = tagger(**params | {"random_state": 1}).fit(X)
        assert not np.allclose(one.coef_, other.coef_)


def test_arrays_of_the_user_are_left_alone(vectors):
    values, weight = vectors[0].values.copy(), np.ones(len(vectors[0]))
    kept = values.copy()
    values.flags.writeable = weight.flags.writeable = False
    X = Ragged.from_arrays(values, vectors[0].offsets)
    model = tagger().fit(X, sample_weight=weight)
    model.predict_proba(X)
    model.score(X, sample_weight=weight)
    assert_array_equal(values, kept)


@pytest.mark.parametrize("reconstruction", ["token", "loglinear"])
@pytest.mark.parametrize("clamp", [False, True])
def test_weights_are_repetitions(text, reconstruction, clamp):
    X, y = text
    weight = np.arange(len(X)) % 3
    rows = np.repeat(np.arange(len(X)), weight)
    model = tagger(reconstruction=reconstruction, init=ByNumber())
    labels = None
    if clamp:
        model.set_params(supervision="clamp")
        labels = y.with_values(np.where(np.arange(X.n_tokens) % 5, -1, y.values))
    weighted = model.fit(X, labels, sample_weight=weight)
    repeated = tagger(**model.get_params() | {"n_states": 3})
    repeated.fit(X[rows], labels if labels is None else labels[rows])
    assert same(weighted, repeated, tolerance=1e-7)
    assert_allclose(objectives(weighted), objectives(repeated))


def test_features_that_speak_for_states(text):
    X, _ = text
    model = tagger(featurizer=TokenFeaturizer(window=0, min_identity_count=1)).fit(X)
    names = model.encoder_feature_names_
    assert names.tolist() == model.featurizer_.get_feature_names_out().tolist()
    table = model.top_features(4)
    assert (
        table.shape == (12, 3)
        and table["state"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    )
    centred = model.coef_ - model.coef_.mean(axis=1, keepdims=True)
    for k, rows in table.groupby("state"):
        best = np.sort(centred[:, k])[::-1][:4]
        assert_allclose(rows["weight"], best)
        places = [names.tolist().index(f) for f in rows["feature"]]
        assert_allclose(centred[places, k], best)
    assert len(model.top_features(10**6)) == 3 * len(names)

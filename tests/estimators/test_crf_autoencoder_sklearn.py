"""CRFAutoencoderTagger among scikit-learn's tools: search, pipelines, callbacks."""

import pickle
from copy import deepcopy

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import DictVectorizer
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import Pipeline, make_pipeline

from skstruct.containers import Ragged
from skstruct.emissions import Categorical, LogLinear, Product, View
from skstruct.estimators import AnnealedHMM, CRFAutoencoderTagger
from skstruct.featurizers import PerToken, TokenFeaturizer
from skstruct.metrics import v_measure_scorer
from tests.estimators._autoencoder_oracle import ByNumber, assert_same_fit, words


def tagger(n_states=3, **params):
    params = {"random_state": 0, "max_iter": 6} | params
    return CRFAutoencoderTagger(n_states, **params)


def neighbours(**options):
    """A reconstruction with a name for each view."""
    views = [("own", View("token", LogLinear())), ("next", View("token", offset=1))]
    return Product(views).set_params(**options)


@pytest.fixture(scope="module")
def text():
    return words(length=(2, 6))


def test_clone_pickle_repr(text):
    X, _ = text
    model = tagger(featurizer=TokenFeaturizer(window=2), reconstruction=neighbours())
    copy = clone(model)
    assert repr(copy) == repr(model)
    assert copy.featurizer is not model.featurizer
    assert "TokenFeaturizer(window=2)" in repr(model)
    assert "CRFAutoencoderTagger" in model._repr_html_()
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X)
    assert "CRFAutoencoderTagger" in model._repr_html_()
    again = pickle.loads(pickle.dumps(model))
    assert_same_fit(again, model)
    for decoding in ("viterbi", "type"):
        answers = [m.set_params(decoding=decoding).predict(X) for m in (again, model)]
        assert_array_equal(answers[0].values, answers[1].values)
    assert again.score(X) == model.score(X)


def test_fit_changes_no_parameter(text):
    X, y = text
    params = {
        "featurizer": TokenFeaturizer(),
        "reconstruction": neighbours(),
        "init": [ByNumber(), "random"],
        "tag_dictionary": None,
        "random_state": np.random.RandomState(0),
    }
    model = CRFAutoencoderTagger(3, **params)
    before = repr(model)
    model.fit(X, y).predict(X)
    assert repr(model) == before
    for name, value in params.items():
        assert getattr(model, name) is value
    assert not hasattr(params["featurizer"], "vocabulary_")
    assert not hasattr(params["reconstruction"], "emissions_")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("featurizer__window", "featurizer=TokenFeaturizer()"),
        ("reconstruction__next__exponent", "reconstruction=Product"),
        ("init__n_init", "init=ExchangeClusterer"),
    ],
)
def test_parameters_of_a_name_have_a_hint(name, hint):
    with pytest.raises(ValueError, match=name) as raised:
        CRFAutoencoderTagger().set_params(**{name: 1})
    assert hint in str(raised.value)


def test_nested_parameters_are_used(text):
    X, _ = text
    model = tagger(featurizer=TokenFeaturizer(), reconstruction=neighbours())
    model.set_params(
        featurizer__window=0,
        reconstruction__next__exponent=0.25,
        reconstruction__own__emission__l2=5.0,
    ).fit(X)
    assert len(model.coef_) == model.featurizer_.n_features_out_
    assert model.featurizer_.window == 0
    assert_array_equal(model.reconstruction_.product.exponents_, [1.0, 0.25])
    assert model.reconstruction_.emissions_["own"].l2 == 5.0


def test_the_featurizer_may_be_a_step_before(text):
    X, _ = text
    pipe = Pipeline([("features", TokenFeaturizer()), ("tagger", tagger())]).fit(X)
    inside = tagger(featurizer=TokenFeaturizer()).fit(X)
    default = tagger().fit(X)
    assert_same_fit(pipe["tagger"], inside)
    assert_same_fit(pipe["tagger"], default)
    new = [["x0", "unheard", "Of"], [], list(X[0])]
    for method in ("predict", "predict_proba"):
        a, b = (getattr(m, method)(new) for m in (pipe, inside))
        assert isinstance(b, np.ndarray) and len(b) == 3
        assert_array_equal(np.concatenate(list(a)), np.concatenate(list(b)))
    assert pipe.score(new) == inside.score(new)
    assert pipe["tagger"].n_features_in_ == len(inside.coef_)
    assert not hasattr(inside, "n_features_in_")


def describe(word):
    return {"capital": word.isupper(), "first": word[0]}


def test_other_featurizers(text):
    X, _ = text
    dicts = make_pipeline(PerToken(describe), PerToken(DictVectorizer()))
    model = tagger(featurizer=dicts).fit(X)
    assert len(model.coef_) == 4
    assert model.encoder_feature_names_.tolist() == ["x0", "x1", "x2", "x3"]
    # Feature dicts that carry their tokens.
    carried = Ragged.from_arrays(
        np.array([describe(w) for w in X.values], dtype=object),
        X.offsets,
        tokens=X.values,
    )
    assert_same_fit(tagger().fit(carried), model)


@pytest.mark.parametrize("form", [lambda X: X, list, lambda X: [list(s) for s in X]])
def test_grid_search(text, form):
    X, y = (form(batch) for batch in text)
    model = tagger(
        featurizer=TokenFeaturizer(), reconstruction=neighbours(), init=ByNumber()
    )
    grid = [
        {"featurizer__window": [0, 1], "encoder_l2": [0.6, 1e3]},
        {"reconstruction__next__exponent": [0.5]},
    ]
    search = GridSearchCV(
        model, grid, scoring=v_measure_scorer, cv=2, error_score="raise"
    ).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert len(scores) == 5 and np.isfinite(scores).all()
    assert np.ptp(scores) > 0.01
    assert search.best_score_ == scores.max()
    assert [len(s) for s in search.predict(X)] == [len(s) for s in X]


def test_grid_search_over_a_pipeline(text):
    X, y = text
    pipe = Pipeline([("features", TokenFeaturizer()), ("tagger", tagger())])
    grid = {"features__window": [0, 1], "tagger__reconstruction": ["token", "brown"]}
    search = GridSearchCV(
        pipe, grid, scoring=v_measure_scorer, cv=2, error_score="raise"
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    # Without a scorer, by the model's own score.
    grid = {"tagger__encoder_l2": [0.3, 3.0]}
    search = GridSearchCV(pipe, grid, cv=2, error_score="raise").fit(X)
    half = len(X) // 2
    by_hand = pipe.set_params(tagger__encoder_l2=0.3).fit(X[half:]).score(X[:half])
    assert_allclose(search.cv_results_["split0_test_score"][0], by_hand)


def test_cross_validation_tools(text):
    X, y = text
    model = tagger(init=ByNumber(), reconstruction="token")
    for method, width in [("predict", ()), ("predict_proba", (3,))]:
        out = cross_val_predict(model, X, cv=2, method=method)
        assert [np.shape(o) for o in out] == [(n, *width) for n in X.lengths]
    _, _, test = learning_curve(
        model, X, y, cv=2, train_sizes=[0.5, 1.0], scoring=v_measure_scorer
    )
    assert np.isfinite(test).all()


def test_weights_with_metadata_routing(text):
    X, y = text
    weight = np.random.RandomState(0).randint(1, 4, size=len(X)).astype(float)
    plain = tagger(init=ByNumber(), reconstruction="token", max_iter=3)
    direct = clone(plain).fit(X, sample_weight=weight)
    piped = make_pipeline(clone(plain))
    piped.fit(X, crfautoencodertagger__sample_weight=weight)
    assert_same_fit(piped[-1], direct)
    weighted_fit = cross_validate(
        clone(plain), X, cv=2, params={"sample_weight": weight}, error_score="raise"
    )
    with config_context(enable_metadata_routing=True):
        model = clone(plain).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        fitted = make_pipeline(model).fit(X, sample_weight=weight)
        assert_same_fit(fitted[-1], direct)
        routed = cross_validate(
            model, X, cv=2, params={"sample_weight": weight}, error_score="raise"
        )
        scorer = deepcopy(v_measure_scorer).set_score_request(sample_weight=True)
        GridSearchCV(
            model, {"encoder_l2": [0.6]}, scoring=scorer, cv=2, error_score="raise"
        ).fit(X, y, sample_weight=weight)
    half = len(X) // 2
    by_hand = clone(plain).fit(X[half:], sample_weight=weight[half:])
    expected = by_hand.score(X[:half], sample_weight=weight[:half])
    assert_allclose(routed["test_score"][0], expected)
    assert_allclose(weighted_fit["test_score"][0], by_hand.score(X[:half]))


class Counted(BaseEstimator):
    """A start, or a target, that counts how often any of its kind is fitted."""

    fits = 0

    def __init__(self, modulus=3):
        self.modulus = modulus

    def fit(self, X, y=None):
        Counted.fits += 1
        self.fitted_ = True
        return self

    def transform(self, X):
        return X.with_values([int(word[1:]) % self.modulus for word in X.values])


def test_memory_keeps_starts_and_targets(text, tmp_path):
    X, _ = text
    views = Product([("a", View(Counted(5))), ("b", View(Counted(4), offset=1))])
    params = {"init": Counted(), "reconstruction": views}
    for memory, expected in [
        (None, 6),
        (str(tmp_path / "a"), 3),
        (joblib.Memory(tmp_path / "b", verbose=0), 3),
    ]:
        Counted.fits = 0
        model = tagger(**params, memory=memory).fit(X)
        again = tagger(**params, memory=memory, encoder_l2=0.1).fit(X)
        assert Counted.fits == expected
        assert not np.allclose(model.coef_, again.coef_)
        assert_same_fit(model, tagger(**params).fit(X))
    Counted.fits = 0
    model.fit(X[:20])  # other data
    assert Counted.fits == 3


def test_a_search_with_memory_fits_each_start_once_a_fold(text, tmp_path):
    X, y = text
    model = tagger(init=Counted(), reconstruction="token", memory=str(tmp_path))
    Counted.fits = 0
    GridSearchCV(
        model, {"encoder_l2": [0.1, 0.6, 2.0]}, scoring=v_measure_scorer, cv=2
    ).fit(X, y)
    assert Counted.fits == 3  # two folds and all


def test_a_second_fit_forgets_the_first(text):
    X, _ = text
    rows = Ragged([np.random.RandomState(i).normal(size=(5, 2)) for i in range(6)])
    model = tagger().fit(rows)
    assert model.n_features_in_ == 2
    model.fit(X)
    assert not hasattr(model, "n_features_in_")
    assert_same_fit(model, tagger().fit(X))


FORMS = {
    "Ragged": Ragged,
    "list": list,
    "tuple": tuple,
    "object array": lambda X: np.asarray(Ragged(X)),
    "pandas": lambda X: pd.Series(X, index=range(7, 7 + len(X))),
}


@pytest.mark.parametrize("form", FORMS)
def test_answers_have_the_form_of_the_question(text, form):
    X = FORMS[form]([[], *map(list, text[0][:12])])
    model = tagger(2).fit(X)
    for answer, width in [
        (model.predict(X), ()),
        (model.fit_predict(X), ()),
        (model.predict_proba(X), (2,)),
    ]:
        if form == "Ragged":
            assert isinstance(answer, Ragged)
        else:
            assert answer.dtype == object and answer.shape == (13,)
        assert [np.shape(a) for a in answer] == [(len(x), *width) for x in X]
    assert model.score_samples(X).shape == (13,) and model.score_samples(X)[0] == 0


@pytest.mark.filterwarnings("ignore:All sequences have length one")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_answers_for_a_table():
    rows = pd.DataFrame(np.random.RandomState(0).normal(size=(30, 2)), columns=[*"uv"])
    model = tagger(2).fit(rows)
    assert model.predict(rows).shape == (30,)
    assert model.predict_proba(rows).shape == (30, 2)
    assert model.feature_names_in_.tolist() == ["u", "v"]
    assert_allclose(
        model.predict_proba(rows.to_numpy()), model.predict_proba(rows), rtol=1e-12
    )


def test_sequences_do_not_depend_on_their_batch_mates(text):
    X, _ = text
    model = tagger(reconstruction=Categorical(alpha=0.1)).fit(X)
    proba, scores, states = (
        model.predict_proba(X),
        model.score_samples(X),
        model.predict(X),
    )
    for i in (0, 7, 33):
        assert_allclose(model.predict_proba([X[i]])[0], proba[i], atol=1e-12)
        assert_allclose(model.score_samples([X[i]])[0], scores[i], atol=1e-12)
        assert_array_equal(model.predict([X[i]])[0], states[i])


def test_posteriors_of_one_model_start_another(text):
    X, _ = text
    start = AnnealedHMM(3, n_init=1, random_state=0)
    search = GridSearchCV(
        tagger(init=start), {"init__max_iter": [200, 300]}, cv=2, error_score="raise"
    ).fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert not hasattr(start, "transmat_")

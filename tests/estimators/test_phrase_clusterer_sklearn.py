"""Clusterers of tables among scikit-learn's tools, and the forms of their answers."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone, is_clusterer
from sklearn.metrics import v_measure_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import Pipeline, make_pipeline

from skstruct.constraints import Sparsity
from skstruct.containers import Ragged
from skstruct.datasets import make_hmm_sequences, make_phrase_table, write_phrase_labels
from skstruct.estimators import PitmanYorClusterer, PosteriorRegularizedClusterer
from skstruct.featurizers import PhraseExtractor
from skstruct.metrics import v_measure_scorer
from tests.estimators._clustering_oracle import assert_same_fit

CLUSTERERS = [
    PosteriorRegularizedClusterer(3, n_init=2, max_iter=8, warmup=3, random_state=0),
    PosteriorRegularizedClusterer(3, constraint="type", random_state=0, max_iter=8),
    PosteriorRegularizedClusterer(
        3, agreement="direction", n_init=1, max_iter=5, random_state=0
    ),
    PitmanYorClusterer(3, n_init=1, max_iter=8, random_state=0),
]
NAMES = ["sparsity", "type", "direction", "pitman-yor"]
each = pytest.mark.parametrize("model", CLUSTERERS, ids=NAMES)
pytestmark = pytest.mark.filterwarnings("ignore:agreement='direction'")


@pytest.fixture(scope="module")
def rows():
    return make_phrase_table(150, n_phrases=30, random_state=0)


@pytest.fixture(scope="module")
def text():
    """Sentences, the phrases of each, and the state of the first word of each."""
    X, y = make_hmm_sequences(
        40, n_states=3, n_symbols=12, length=(1, 6), random_state=0
    )
    X = X.with_values(np.array([f"w{v}" for v in X.values], dtype=object))
    spans = PhraseExtractor(max_length=2).fit(X).spans(X)
    return X, Ragged([np.asarray(s)[p[:, 0]] for s, p in zip(y, spans, strict=True)])


def test_kind():
    for model in CLUSTERERS:
        assert is_clusterer(model)
        assert model.__sklearn_tags__().input_tags.string
    assert "n_clusters=3" in repr(CLUSTERERS[0])


@each
def test_labels(model, rows):
    X, _ = rows
    fitted = clone(model)
    assert fitted.fit(X) is fitted
    assert_array_equal(fitted.labels_, fitted.regularized_posterior_.argmax(axis=1))
    assert fitted.labels_.shape == (150,) and fitted.labels_.dtype == np.intp
    assert_array_equal(clone(model).fit_predict(X), fitted.labels_)
    assert_array_equal(fitted.predict(X), fitted.predict_proba(X).argmax(axis=1))
    assert type(fitted.score(X)) is float and fitted.n_features_in_ == 3
    # A phrase seen once was left out: its category is the model's.
    once = [i for i, p in enumerate(X[:, 0]) if (X[:, 0] == p).sum() == 1]
    assert once and not set(X[once, 0]) & set(fitted.phrases_)
    assert_array_equal(fitted.labels_[once], fitted.predict(X[once]))
    both = np.isin(X[:, 0], fitted.phrases_).sum()
    table = fitted.phrase_table()
    assert_allclose(table["probability"] @ table["count"], both)


@each
def test_clone_and_pickle(model, rows):
    X, _ = rows
    fitted = clone(model).fit(X)
    for copy in (pickle.loads(pickle.dumps(fitted)), clone(fitted)):
        assert repr(copy) == repr(model)
    loaded = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    assert_array_equal(loaded.labels_, fitted.labels_)
    assert_array_equal(loaded.regularized_posterior_, fitted.regularized_posterior_)
    assert not hasattr(clone(fitted), "labels_")
    assert_same_fit(clone(fitted).fit(X), fitted)


@each
def test_answers_change_nothing(model, rows):
    X, _ = rows
    given, weight = X.copy(), np.linspace(0, 2, 150)
    before_weight = weight.copy()
    fitted = clone(model).fit(given, sample_weight=weight)
    before = joblib.hash(fitted)
    for name in ("predict", "predict_proba", "score"):
        getattr(fitted, name)(given[:30])
    fitted.phrase_table()["count"][:] = 0
    fitted.n_clusters_per_phrase()[:] = 0
    fitted.regularized_posterior_[:] = 0
    assert joblib.hash(fitted) == before
    assert_array_equal(given, X)
    assert_array_equal(weight, before_weight)
    locked = X.copy()
    locked.flags.writeable = weight.flags.writeable = False
    assert_same_fit(clone(model).fit(locked, sample_weight=weight), fitted)


@each
def test_an_answer_depends_on_its_row_only(model, rows):
    X, _ = rows
    fitted = clone(model).fit(X)
    proba = fitted.predict_proba(X)
    order = np.random.default_rng(0).permutation(150)
    assert_array_equal(fitted.predict_proba(X[order]), proba[order])
    for i in (0, 7, 149):
        assert_array_equal(fitted.predict_proba(X[i : i + 1])[0], proba[i])


def test_parameters_of_the_constraint(rows):
    X, _ = rows
    model = clone(CLUSTERERS[0]).set_params(constraint=Sparsity())
    model.set_params(constraint__sigma=0.5, constraint__min_count=3)
    assert model.constraint.sigma == 0.5 and model.constraint.min_count == 3
    assert model.get_params()["constraint__sigma"] == 0.5
    with pytest.raises(ValueError, match=r"pass constraint=Sparsity\(\)"):
        clone(CLUSTERERS[0]).set_params(constraint__sigma=1)
    constraint = model.constraint
    before = dict(vars(constraint))
    model.fit(X)
    assert model.constraint is constraint and vars(constraint) == before
    default = clone(CLUSTERERS[0]).set_params(constraint=Sparsity()).fit(X)
    assert_same_fit(default, clone(CLUSTERERS[0]).fit(X))


def test_grid_search(rows):
    X, y = rows
    model = clone(CLUSTERERS[0]).set_params(constraint=Sparsity())
    grid = {"constraint__sigma": [0.0, 30.0], "context_alpha": [0.01, 1.0]}
    search = GridSearchCV(model, grid, scoring=v_measure_scorer, cv=2).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all() and np.ptp(scores) > 0.01
    half = len(X) // 2
    first = search.cv_results_["params"][0]
    by_hand = clone(model).set_params(**first).fit(X[half:]).predict(X[:half])
    assert_allclose(
        search.cv_results_["split0_test_score"][0], v_measure_score(y[:half], by_hand)
    )


def test_a_pipeline_of_sentences(text):
    X, y = text
    pipe = Pipeline(
        [
            ("phrases", PhraseExtractor(max_length=2)),
            ("cluster", clone(CLUSTERERS[0]).set_params(constraint=Sparsity())),
        ]
    )
    labels = pipe.fit_predict(X)
    assert isinstance(labels, Ragged) and len(labels) == len(X)
    assert_array_equal(labels.values, pipe[-1].labels_)
    found = pipe.predict(X)
    assert [len(item) for item in found] == [len(item) for item in y]
    assert pipe.predict_proba(X).values.shape == (y.n_tokens, 3)
    grid = {"cluster__constraint__sigma": [0.0, 10.0], "phrases__n_context": [1, 2]}
    search = GridSearchCV(
        pipe, grid, scoring=v_measure_scorer, cv=2, error_score="raise"
    ).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    for method in ("predict", "predict_proba"):
        out = cross_val_predict(pipe, X, cv=KFold(2), method=method)
        assert [len(item) for item in out] == [len(item) for item in y]
    first = clone(pipe).fit(X[20:]).predict(X[:20])
    out = cross_val_predict(pipe, X, cv=KFold(2))
    for a, b in zip(out[:20], first, strict=True):
        assert_array_equal(a, b)


@each
def test_ragged_rows_are_rows(model, rows):
    X, _ = rows
    lengths = [40, 0, 100, 10]
    ragged = Ragged.from_lengths(X, lengths)
    weight = [2.0, 1.0, 0.0, 1.0]
    fitted = clone(model).fit(ragged, sample_weight=weight)
    by_row = np.repeat(weight, lengths)
    plain = clone(model).fit(X, sample_weight=by_row)
    assert_same_fit(fitted, plain)
    assert_array_equal(fitted.labels_, plain.labels_)
    score = plain.score(X, sample_weight=by_row)
    assert_allclose(fitted.score(ragged, sample_weight=weight), score)
    for name in ("predict", "predict_proba"):
        answer = getattr(fitted, name)(ragged)
        assert_array_equal(answer.offsets, ragged.offsets)
        assert_array_equal(answer.values, getattr(plain, name)(X))


@each
def test_rows_without_weight_are_not_there(model, rows):
    X, _ = rows
    strange = [("strange", "of its own", X[0, 2]), (X[0, 0], X[0, 1], "new")]
    more = np.vstack([strange, X, strange])
    weight = np.pad(np.ones(150), 2)
    fitted = clone(model).fit(more, sample_weight=weight)
    plain = clone(model).fit(X)
    assert_same_fit(fitted, plain)
    assert_array_equal(fitted.labels_[2:-2], plain.labels_)
    assert_array_equal(fitted.labels_[:2], plain.predict(strange))
    assert_array_equal(fitted.n_clusters_per_phrase(), plain.n_clusters_per_phrase())


def test_metadata_routing(rows):
    X, _ = rows
    weight = np.random.default_rng(0).integers(1, 4, size=150)
    plain = clone(CLUSTERERS[0])
    half = len(X) // 2
    by_hand = clone(plain).fit(X[half:], sample_weight=weight[half:])
    expected = by_hand.score(X[:half], sample_weight=weight[:half])
    with config_context(enable_metadata_routing=True):
        model = clone(plain).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        fitted = make_pipeline(model).fit(X, sample_weight=weight)
        assert_same_fit(fitted[-1], clone(plain).fit(X, sample_weight=weight))
        routed = cross_validate(model, X, cv=2, params={"sample_weight": weight})
    assert_allclose(routed["test_score"][0], expected)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@each
def test_frames(model, frame, rows):
    X, _ = rows
    plain = clone(model).fit(X)
    columns = {"left": X[:, 1], "phrase": X[:, 0], "right": X[:, 2]}
    data = frame({name: column.tolist() for name, column in columns.items()})
    fitted = clone(model).set_params(phrase="phrase").fit(data)
    assert_same_fit(fitted, plain)
    assert_array_equal(fitted.labels_, plain.labels_)
    assert fitted.feature_names_in_.tolist() == ["left", "phrase", "right"]
    assert_array_equal(fitted.predict_proba(data), plain.predict_proba(X))
    assert_same_fit(clone(model).set_params(phrase=1).fit(data), plain)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(data[["phrase", "left", "right"]])
    # The next fit has no names.
    assert not hasattr(fitted.set_params(phrase=0).fit(X), "feature_names_in_")


def test_rows_cut_from_a_frame(rows):
    X, _ = rows
    data = pd.DataFrame(X, columns=["phrase", "left", "right"])
    data["sentence"] = np.arange(150) // 7
    ragged = Ragged.from_frame(data, ["left", "phrase", "right"], group="sentence")
    model = clone(CLUSTERERS[0]).set_params(phrase="phrase").fit(ragged)
    assert model.feature_names_in_.tolist() == ["left", "phrase", "right"]
    assert_same_fit(model, clone(CLUSTERERS[0]).fit(X))
    answer = model.predict(ragged)
    assert_array_equal(answer.values, model.predict(data[model.feature_names_in_]))
    framed = ragged.to_frame(answer, name="category")
    assert_array_equal(framed["category"], answer.values)
    other = Ragged.from_frame(data, ["phrase", "left", "right"], group="sentence")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(other)


def test_named_views(rows):
    X, _ = rows
    data = pd.DataFrame(X, columns=["phrase", "left", "right"])
    params = {"agreement": "view", "constraint": None, "max_iter": 4}
    by_name, by_number = (
        clone(CLUSTERERS[0]).set_params(views=views, **params).fit(data)
        for views in (
            [["phrase", "left"], ["phrase", "right"]],
            ([0, 1], (0, -1)),
        )
    )
    assert_same_fit(by_name, by_number)
    assert len(by_name.context_given_cluster_) == 1


def test_columns_of_several_kinds(rows):
    X, _ = rows
    rng = np.random.default_rng(0)
    number = np.unique(X[:, 1], return_inverse=True)[1]
    data = pd.DataFrame({"p": X[:, 0], "n": number, "x": rng.normal(size=150)})
    model = clone(CLUSTERERS[0]).fit(data)
    assert model.context_names_[0].dtype == np.int64
    assert len(model.context_names_[1]) == 10
    assert_same_fit(model, clone(CLUSTERERS[0]).fit(data.to_numpy()))
    assert_same_fit(model, clone(CLUSTERERS[0]).fit(pl.DataFrame(data.to_dict("list"))))
    as_float = data.assign(n=data["n"].astype(float))
    assert_array_equal(model.predict_proba(as_float), model.predict_proba(data))
    half = data.assign(n=data["n"] + 0.5)
    none = data.assign(n=10**6)
    assert_array_equal(model.predict_proba(half), model.predict_proba(none))
    category = data.assign(p=data["p"].astype("category"), n=data["n"].astype("int8"))
    assert_same_fit(model, clone(CLUSTERERS[0]).fit(category))


@each
def test_forms_of_text(model, rows):
    X, _ = rows
    plain = clone(model).fit(X)
    for form in (X.tolist(), X.astype(str), pd.DataFrame(X).to_numpy()):
        fitted = clone(model).fit(form)
        assert_same_fit(fitted, plain)
        assert_array_equal(fitted.predict(form), plain.predict(X))


@each
def test_a_table_of_phrases(model, rows, tmp_path):
    X, _ = rows
    weight = np.random.default_rng(0).integers(1, 4, size=150)
    fitted = clone(model).fit(X, sample_weight=weight)
    table = fitted.phrase_table()
    rest = {}
    for phrase, label, w in zip(X[:, 0], fitted.labels_, weight, strict=True):
        own = rest.setdefault(phrase, {})
        own[label] = own.get(label, 0) + w
    used = dict(zip(fitted.phrases_, fitted.n_clusters_per_phrase(), strict=True))
    last = (np.inf, np.inf)
    for phrase, label, share, count in zip(*table.values(), strict=True):
        total = sum(rest[phrase].values())
        assert count == total and share == rest[phrase][label] / total
        assert used[phrase] == len(rest[phrase])
        assert count < last[0] or share <= last[1] or share + last[1] > 1
        last = (count, share)
    assert len(table["phrase"]) == sum(used.values())
    many = fitted.phrase_table(min_count=10)
    assert set(many["phrase"]) == {p for p in used if sum(rest[p].values()) >= 10}
    write_phrase_labels(table, tmp_path / "labels.tsv")
    write_phrase_labels(pd.DataFrame(table), tmp_path / "frame.tsv")
    lines = (tmp_path / "labels.tsv").read_text().splitlines()
    assert lines == (tmp_path / "frame.tsv").read_text().splitlines()
    fields = [line.split("\t") for line in lines]
    assert [f[0] for f in fields] == table["phrase"].tolist()
    assert [int(f[1]) for f in fields] == table["category"].tolist()
    assert_allclose([float(f[2]) for f in fields], table["probability"], rtol=1e-5)
    assert [int(f[3]) for f in fields] == table["count"].tolist()


def test_columns_of_labels_that_do_not_fit(tmp_path):
    columns = {"phrase": ["a"], "category": [0], "probability": [1.0]}
    with pytest.raises(ValueError, match="no column 'count'"):
        write_phrase_labels(columns, tmp_path / "x")
    with pytest.raises(ValueError, match=r"columns of lengths \[1, 2\]"):
        write_phrase_labels({**columns, "count": [1, 2]}, tmp_path / "x")

"""Clusterers of tables on bad or odd input: a clear error, or a sound answer."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from skstruct.constraints import Bijectivity, Constraints, Sparsity
from skstruct.containers import Ragged
from skstruct.datasets import make_phrase_table
from skstruct.estimators import PitmanYorClusterer, PosteriorRegularizedClusterer
from tests.estimators._clustering_oracle import assert_same_fit

X, Y = make_phrase_table(60, n_phrases=8, random_state=0)
FRAME = pd.DataFrame(X, columns=["phrase", "left", "right"])
NUMBERS = np.random.default_rng(0).integers(3, size=(60, 3))
MEASURED = np.random.default_rng(0).normal(size=(60, 3))
VIEWS = [[0, 1], [0, 2]]


def clusterer(n_clusters=2, cls=PosteriorRegularizedClusterer, **params):
    params = {"n_init": 1, "max_iter": 4, "random_state": 0} | params
    return cls(n_clusters, **params)


def with_cell(value, row=7, column=1):
    out = X.copy()
    out[row, column] = value
    return out


def assert_sound(model, X):
    n_clusters = model.n_clusters
    if isinstance(model, PitmanYorClusterer):
        n_clusters = min(n_clusters, len(set(map(tuple, np.array(X).tolist()))))
    for posterior in (model.regularized_posterior_, model.predict_proba(X)):
        assert posterior.shape == (len(X), n_clusters)
        assert_allclose(posterior.sum(axis=1), 1)
    assert np.isfinite(model.score(X))
    assert all(np.isfinite(list(record.values())).all() for record in model.history_)
    assert_array_equal(model.labels_, model.regularized_posterior_.argmax(axis=1))


MISSING = {
    "None": None,
    "NaN": np.nan,
    "inf": np.inf,
    "-inf": np.float32(-np.inf),
    "NA": pd.NA,
    "NaT": pd.NaT,
    "datetime NaT": np.datetime64("NaT"),
}
CONTAINERS = {
    "list": ["a"],
    "dict": {"a": 1},
    "tuple": ("a", "b"),
    "bytes": b"a",
    "array": np.zeros(2),
}


@pytest.mark.parametrize("column", [0, 2])
@pytest.mark.parametrize("cls", [PosteriorRegularizedClusterer, PitmanYorClusterer])
def test_cells_that_are_no_categories(cls, column):
    fitted = clusterer(cls=cls).fit(X)
    for value in MISSING.values():
        data = with_cell(value, column=column)
        for call in (clusterer(cls=cls).fit, fitted.predict, fitted.score):
            with pytest.raises(ValueError, match=f"row 7, column {column}, is "):
                call(data)
    for value in CONTAINERS.values():
        data = X.copy()
        data[7:8, column : column + 1] = np.array([[None]], dtype=object)
        data[7, column] = value
        for call in (clusterer(cls=cls).fit, fitted.predict):
            with pytest.raises(TypeError, match=f"row 7, column {column}.*number, got"):
                call(data)


def test_missing_cells_of_frames():
    text = pd.array(["x", pd.NA] * 30, dtype="string")
    for values in (text, pd.array([1, pd.NA] * 30, dtype="Int64"), ["x", None] * 30):
        for data in (FRAME.assign(left=values), FRAME.assign(left=values).to_numpy()):
            with pytest.raises(ValueError, match=r"row 1, column 1, is .*missing"):
                clusterer().fit(data)
    data = pl.DataFrame({"p": ["a", "b"] * 10, "c": ["x", None] * 10})
    with pytest.raises(ValueError, match="row 1, column 1, is None"):
        clusterer().fit(data)
    for value in (np.nan, np.inf):
        numbers = MEASURED.copy()
        numbers[5, 2] = value
        with pytest.raises(ValueError, match=f"row 5, column 2, is {value}"):
            clusterer().fit(numbers)


UNREADABLE = {
    "one column": (X[:, :1], {}, "n_features=1: beside the column of phrases"),
    "one column, by Ragged": (
        Ragged.from_lengths(X[:, :1], [60]),
        {},
        "beside the column of phrases",
    ),
    "no rows": (X[:0], {}, "0 sample"),
    "no columns": (X[:, :0], {}, "0 feature"),
    "an empty list": ([], {}, "0 sample.*A table is wanted, one occurrence a row"),
    "one dimension": (X[:, 0], {}, "Expected 2D array.*PhraseExtractor"),
    "a list of words": (["a", "b"], {}, r"shape \(2,\).*table is wanted.*Reshape your"),
    "a series of sentences": (
        pd.Series([["a", "b"]] * 2),
        {},
        "holds sequences.*Phrase",
    ),
    "three dimensions": (X[None], {}, "dim 3"),
    "a phrase": ("the man", {}, "Expected 2D array"),
    "None": (None, {}, "2D array|NoneType|None"),
    "Ragged of tokens": (Ragged([["a", "b"], ["c"]]), {}, "Expected 2D array"),
    "sentences": (
        [["a", "b"], ["a", "c"], ["c"]],
        {},
        "row 2, has 1 columns, row 0 has 2; .*equally many.*through PhraseExtractor",
    ),
    "sentences of different lengths, by polars": (
        pl.Series([["a"], ["a", "c"]]),
        {},
        "row 1, has 2 columns",
    ),
    "sentences of rows": ([X[:3].tolist(), X[3:6].tolist()], {}, "dim 3"),
    "sparse": (sp.csr_array(np.eye(4)), {}, "Sparse data"),
    "complex": (np.ones((5, 2)) * 1j, {}, "Complex data"),
    "each phrase once": (
        np.column_stack([np.arange(60), NUMBERS]),
        {},
        "No phrase occurs min_count=2 times among the 60 rows.*column 0",
    ),
    "no phrase often enough": (X, {"min_count": 61}, "min_count=61 times"),
    "text beside measurements": (with_cell(0.5), {}, "column 1: text.*0.5"),
    "no such column": (X, {"phrase": 3}, "phrase: X has 3 columns and none is 3"),
    "no such column, from the end": (X, {"phrase": -4}, "none is -4"),
    "no such name": (FRAME, {"phrase": "word"}, "none is 'word'.*phrase, left, right"),
    "a name without names": (X, {"phrase": "phrase"}, "none is 'phrase'.*no names"),
}


@pytest.mark.parametrize("case", UNREADABLE)
@pytest.mark.parametrize("cls", [PosteriorRegularizedClusterer, PitmanYorClusterer])
def test_data_that_cannot_be_read(cls, case):
    data, params, message = UNREADABLE[case]
    model = clusterer(**{"cls": cls} | params)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(data)
    assert not [name for name in vars(model) if name.endswith("_")]
    for name in ("predict", "predict_proba", "score"):
        with pytest.raises(NotFittedError):
            getattr(model, name)(X)
    for name in ("phrase_table", "n_clusters_per_phrase"):
        with pytest.raises(NotFittedError):
            getattr(model, name)()
    assert not hasattr(model, "regularized_posterior_")


def test_more_categories_than_rows():
    with pytest.raises(ValueError, match="n_samples=9 should be >= n_clusters=10"):
        clusterer(10).fit(X[:9])
    # A truncation is no wish: what could not be used is not there.
    model = PitmanYorClusterer(random_state=0).fit(X[:20])
    fitted = X[:20][np.isin(X[:20, 0], model.phrases_)]
    n_different = len(set(map(tuple, fitted.tolist())))
    assert n_different < len(fitted)
    assert model.cluster_given_phrase_.shape == (len(model.phrases_), n_different)
    assert {len(p) for p in model.context_given_cluster_} == {n_different}
    assert model.predict_proba(X).shape == (60, n_different)
    assert model.regularized_posterior_.shape == (20, n_different)
    assert model.phrase_table()["category"].max() < n_different
    assert_same_fit(model, PitmanYorClusterer(n_different, random_state=0).fit(X[:20]))
    rows, counts = np.unique(X[:20].astype(str), axis=0, return_counts=True)
    weighted = PitmanYorClusterer(random_state=0).fit(rows, sample_weight=counts)
    assert_same_fit(weighted, model)


PARAMETERS = {
    "negative sigma": ({"constraint": Sparsity(-1.0)}, "sigma must be .*-1"),
    "sigma NaN": ({"constraint": Sparsity(np.nan)}, "sigma must be a finite"),
    "sigma text": ({"constraint": Sparsity("10")}, "sigma must be a finite"),
    "bijectivity": (
        {"constraint": Bijectivity()},
        "Bijectivity.*cannot project",
    ),
    "constraints": (
        {"constraint": Constraints([Sparsity()])},
        "cannot project",
    ),
    "unknown constraint": ({"constraint": "bijectivity"}, "'constraint' parameter"),
    "list of constraints": ({"constraint": [Sparsity()]}, "'constraint' parameter"),
    "class of a constraint": ({"constraint": Sparsity}, "'constraint' parameter"),
    "unknown agreement": ({"agreement": "both"}, "'agreement' parameter"),
    "view without views": ({"agreement": "view"}, "views, two lists of columns"),
    "views without view": ({"views": VIEWS}, "goes with agreement='view'"),
    "views with direction": (
        {"views": VIEWS, "agreement": "direction"},
        "goes with agreement='view'",
    ),
    "type with agreement": (
        {"constraint": "type", "agreement": "direction"},
        "set agreement=None",
    ),
    "unknown init": ({"init": "kmeans"}, "'init' parameter"),
    "unknown init in a list": ({"init": ["type", "kmeans"]}, "'type' and 'random'"),
    "list in a list of inits": ({"init": [["type"]]}, "'type' and 'random'"),
    "no init": ({"init": []}, "'type' and 'random'"),
    "no starts": ({"n_init": 0}, "'n_init' parameter"),
    "no categories": ({"n_clusters": 0}, "'n_clusters' parameter"),
    "half a category": ({"n_clusters": 2.5}, "'n_clusters' parameter"),
    "bool": ({"n_clusters": True}, "n_clusters must not be a bool"),
    "bool phrase": ({"phrase": False}, "phrase must not be a bool"),
    "negative warm-up": ({"warmup": -1}, "'warmup' parameter"),
    "negative alpha": ({"context_alpha": -0.1}, "'context_alpha' parameter"),
    "no iterations": ({"max_iter": 0}, "'max_iter' parameter"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters(case):
    params, message = PARAMETERS[case]
    with pytest.raises((ValueError, TypeError), match=message):
        clusterer(**params).fit(X)


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ([0, 1], "views must be two lists"),
        ([[0, 1]], "views must be two lists"),
        ([[0, 1], [0, 2], [0, 1]], "views must be two lists"),
        ([[0, 1], []], "views must be two lists"),
        ([[0], [1]], "each with the column of a phrase and those of its contexts"),
        (["ab", "cd"], "views must be two lists"),
        ([None, [0, 1]], "views must be two lists"),
        ([[0, 1], [0, 3]], "views: X has 3 columns and none is 3"),
        ([[0, 1], [0, 1.5]], "none is 1.5"),
        ([[0, 1], [0, "word"]], "none is 'word'.*phrase, left, right"),
        ([[0, 0], [1, 2]], "names a column twice"),
        ([[0, 1], [1, 2, -1]], "names a column twice"),
    ],
)
def test_views(views, message):
    with pytest.raises(ValueError, match=message):
        clusterer(agreement="view", views=views).fit(FRAME)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"discount": 1.0}, "'discount' parameter"),
        ({"discount": -0.1}, "'discount' parameter"),
        ({"concentration": 0}, "'concentration' parameter"),
        ({"phrase_concentration": -1}, "'phrase_concentration' parameter"),
        ({"init": ["k"]}, "'type' and 'random'"),
    ],
)
def test_parameters_of_pitman_yor(params, message):
    with pytest.raises(ValueError, match=message):
        clusterer(cls=PitmanYorClusterer, **params).fit(X)


@pytest.mark.parametrize(
    "weight", [np.zeros(60), -np.ones(60), np.ones(59), np.full(60, np.nan), "a"]
)
def test_weights(weight):
    with pytest.raises(ValueError, match="sample_weight"):
        clusterer().fit(X, sample_weight=weight)
    with pytest.raises(ValueError, match="sample_weight"):
        clusterer().fit(X).score(X, sample_weight=weight)


ODD = {
    "one phrase": np.column_stack([np.full(60, "a"), X[:, 1:]]),
    "one context": np.column_stack([X[:, 0], np.full(60, "a")]),
    "all rows alike": np.full((60, 3), "a"),
    "bools": MEASURED > 0,
    "dates": np.array(["2020-01-01", "2020-01-02"] * 60, "M8[D]").reshape(60, 2),
    "timestamps": FRAME.assign(left=pd.date_range("2020", periods=60)),
    "a date": with_cell(datetime.date(2020, 1, 1)),
    "a bool": with_cell(True),
    "a number": with_cell(3),
    "long text": with_cell("x" * 10**6, column=0),
    "no text": with_cell("", column=0),
    "spaces": with_cell("  ", column=0),
    "half precision": NUMBERS.astype(np.float16),
    "large measurements": MEASURED * 1e300,
    "one large measurement": np.where(MEASURED > 2, 1e308, MEASURED),
    "unsigned": NUMBERS.astype(np.uint64) + np.uint64(2**63),
    "negative": NUMBERS - 5,
    "equal measurements": np.column_stack([NUMBERS[:, 0], np.full(60, 0.5)]),
}
KINDS = {
    "sparsity": {},
    "direction": {"agreement": "direction"},
    "type": {"constraint": "type"},
    "without prior": {"context_alpha": 0, "constraint": None},
    "pitman-yor": {"cls": PitmanYorClusterer},
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore:agreement='direction'")
def test_odd_columns(kind, case):
    data = ODD[case]
    model = clusterer(n_clusters=3, init=["random"], **KINDS[kind]).fit(data)
    assert_sound(model, data)


def test_huge_whole_numbers_stay_apart():
    for first in (2**60, 2**63 - 3, 2**64, 10**30):
        phrase = [first + i % 3 for i in range(60)]
        data = np.column_stack([np.array(phrase, dtype=object), X[:, 1:]])
        model = clusterer().fit(data)
        assert model.phrases_.tolist() == [first, first + 1, first + 2]
        number = np.column_stack([np.arange(60) % 3, X[:, 1:]])
        assert_array_equal(model.labels_, clusterer().fit(number).labels_)
        assert_array_equal(model.predict(data), clusterer().fit(number).predict(number))


def test_columns_of_other_kinds_in_predict():
    model = clusterer().fit(NUMBERS)
    proba = model.predict_proba(NUMBERS)
    for form in (float, object, np.uint8, np.float16):
        assert_array_equal(model.predict_proba(NUMBERS.astype(form)), proba)
    as_objects = NUMBERS.astype(float).astype(object)
    assert_array_equal(model.predict_proba(as_objects), proba)
    new = model.predict_proba(np.full((60, 3), 99))
    for other in (X, X.astype(str), NUMBERS + 0.5, np.full((60, 3), 1e300)):
        assert_array_equal(model.predict_proba(other), new)
    measured = clusterer().fit(MEASURED)
    proba = measured.predict_proba(MEASURED)
    with pytest.raises(ValueError, match="column 0: it was of measurements in fit"):
        measured.predict(X)
    assert_array_equal(measured.predict_proba(MEASURED.astype(object)), proba)
    assert np.isfinite(measured.predict_proba(NUMBERS)).all()
    text = clusterer().fit(X)
    for other in (NUMBERS, MEASURED, MEASURED.astype(object)):
        assert_array_equal(text.predict_proba(other), text.predict_proba(NUMBERS))


def test_other_columns_in_predict():
    model = clusterer().fit(X)
    with pytest.raises(ValueError, match=r"2 features.*expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="0 sample"):
        model.predict(X[:0])
    with pytest.raises(ValueError, match="Expected 2D array"):
        model.predict(X[0])


def test_a_context_that_few_directions_know():
    rows = np.column_stack([X[:, 0], np.arange(60), np.arange(60)])
    with pytest.warns(UserWarning, match="most contexts are seen once") as record:
        clusterer(agreement="direction").fit(rows)
    assert record[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clusterer(agreement="direction").fit(np.vstack([rows, rows]))


def test_contexts_of_many_columns():
    # Numbers of contexts outgrow 64 bits.
    rng = np.random.default_rng(0)
    wide = np.column_stack([X[:, 0], rng.integers(50, size=(60, 14))])
    wide = np.vstack([wide, wide])
    model = clusterer(agreement="direction").fit(wide)
    assert_sound(model, wide)
    one_phrase = np.vstack([wide, wide[:1]])
    assert_same_fit(
        clusterer(agreement="direction").fit(one_phrase),
        clusterer(agreement="direction").fit(
            wide, sample_weight=1.0 + (np.arange(120) == 0)
        ),
        rtol=1e-9,
    )

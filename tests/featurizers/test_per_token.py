"""Ordinary transformers on the tokens of a batch."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import skops.io
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
    TargetEncoder,
)
from sklearn.utils.estimator_checks import parametrize_with_checks

import skstruct
from skstruct.containers import Ragged
from skstruct.featurizers import PerToken
from tests.containers._dummies import ParityTagger

LENGTHS = [3, 0, 1, 4]
ROWS = np.random.RandomState(0).normal(size=(8, 3)) + np.array([0, 5, 10])
WORDS = [["a", "rose"], [], ["is", "a", "rose"]]


@pytest.fixture
def series():
    return Ragged.from_lengths(ROWS, LENGTHS, tokens=list("abcdefgh"))


# Lists of lists are sequences here, rows of a table there.
EXPECTED = {"check_transformer_data_not_an_array": "lists of numbers are sequences"}


@parametrize_with_checks(
    [
        PerToken(StandardScaler()),
        PerToken(make_pipeline(StandardScaler(), PCA())),
        PerToken(OneHotEncoder(handle_unknown="ignore")),
        PerToken(TargetEncoder(target_type="continuous")),
    ],
    expected_failed_checks=lambda estimator: EXPECTED,
    xfail_strict=True,
)
def test_estimator_checks(estimator, check):
    check(estimator)


# --- what comes out -------------------------------------------------------------------


@pytest.mark.parametrize(
    "transformer",
    [
        StandardScaler(),
        make_pipeline(StandardScaler(), PCA(2)),
        FeatureUnion([("scale", StandardScaler()), ("pca", PCA(1))]),
        ColumnTransformer([("scale", StandardScaler(), [0, 2])], remainder="drop"),
        FunctionTransformer(np.abs),
    ],
)
def test_values_are_those_of_the_transformer_on_all_rows(transformer, series):
    out = PerToken(transformer).fit_transform(series)
    assert type(out) is Ragged
    assert out.lengths.tolist() == LENGTHS and out.tokens is series.tokens
    np.testing.assert_allclose(out.values, clone(transformer).fit_transform(ROWS))
    fitted = PerToken(transformer).fit(series)
    np.testing.assert_allclose(fitted.transform(series).values, out.values)
    part = fitted.transform(series[[3, 2]])
    np.testing.assert_allclose(part.values, out[[3, 2]].values)


@pytest.mark.parametrize("form", [list, lambda b: np.asarray(b), pd.Series])
def test_list_likes_are_answered_in_a_container(form, series):
    out = PerToken(StandardScaler()).fit_transform(form(series))
    assert type(out) is Ragged and out.lengths.tolist() == LENGTHS
    np.testing.assert_allclose(out.values.mean(axis=0), 0, atol=1e-12)


def test_tables_are_answered_as_the_transformer_answers():
    scaler = PerToken(StandardScaler()).fit(ROWS)
    expected = StandardScaler().fit_transform(ROWS)
    out = scaler.transform(ROWS)
    assert type(out) is np.ndarray
    np.testing.assert_allclose(out, expected)
    # Rows learnt from a table hold for sequences too.
    assert scaler.transform([ROWS[:5], ROWS[5:]]).lengths.tolist() == [5, 3]
    back = PerToken(MinMaxScaler()).fit(sp.csr_array(ROWS).toarray())
    np.testing.assert_allclose(back.inverse_transform(back.transform(ROWS)), ROWS)


def test_tables_of_text_reach_the_transformer():
    frame = pd.DataFrame({"word": ["a", "b", "a"]})
    out = PerToken(OneHotEncoder(sparse_output=False)).fit_transform(frame)
    assert out.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_frames_keep_their_names():
    frame = pd.DataFrame(ROWS, columns=["u", "v", "w"])
    chosen = ColumnTransformer([("scale", StandardScaler(), ["u", "w"])])
    fitted = PerToken(chosen).fit(frame)
    assert fitted.feature_names_in_.tolist() == ["u", "v", "w"]
    assert fitted.n_features_in_ == 3
    names = fitted.get_feature_names_out()
    assert names.tolist() == ["scale__u", "scale__w"]


def test_the_frame_behind_a_batch_stays_known():
    frame = pl.DataFrame({"id": [1, 2, 1], "load": [1.0, 2.0, 3.0]})
    X = Ragged.from_frame(frame, ["load"], group="id")
    out = PerToken(MinMaxScaler()).fit_transform(X)
    beside = out.to_frame(out.with_values(out.values[:, 0]))
    assert beside["prediction"].to_list() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_output_configuration_does_not_break_batches(output, series):
    with config_context(transform_output=output):
        out = PerToken(StandardScaler()).fit_transform(series)
        inner = PerToken(StandardScaler().set_output(transform=output)).fit(series)
        again = inner.transform(series)
    for batch in (out, again):
        assert type(batch) is Ragged and type(batch.values) is np.ndarray
        np.testing.assert_allclose(batch.values, StandardScaler().fit_transform(ROWS))


def test_sparse_answers_stay_sparse():
    out = PerToken(OneHotEncoder()).fit_transform(WORDS)
    assert sp.issparse(out.values) and out.lengths.tolist() == [2, 0, 3]
    assert out[0].toarray().tolist() == [[1, 0, 0], [0, 0, 1]]


# --- tokens that are no vectors -------------------------------------------------------


def lower(rows):
    return np.char.lower(rows.astype(str))


class WordLength(TransformerMixin, BaseEstimator):
    """One column: the number of characters."""

    def __init__(self, sparse_output=False):
        self.sparse_output = sparse_output

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        sizes = np.array([[float(len(str(token)))] for (token,) in X])
        return sp.csr_array(sizes) if self.sparse_output else sizes


def test_one_column_of_tokens_comes_back_as_tokens():
    lowered = PerToken(FunctionTransformer(lower)).fit_transform([["A", "B"], ["C"]])
    assert lowered.values.tolist() == ["a", "b", "c"]
    scaled = PerToken(MinMaxScaler()).fit_transform([[0.0, 2.0], [4.0]])
    assert scaled.values.tolist() == [0, 0.5, 1]


def test_transformers_of_text_and_dicts():
    counts = PerToken(CountVectorizer(analyzer="char")).fit_transform(WORDS)
    assert counts.values.shape == (5, 6)
    nested = make_pipeline(
        FeatureUnion([("char", CountVectorizer(analyzer="char"))]),
        StandardScaler(with_mean=False),
    )
    assert PerToken(nested).fit_transform(WORDS).values.shape == (5, 6)
    dicts = [[{"w": "a"}, {"w": "b"}], [{"n": 2.0}]]
    out = PerToken(DictVectorizer(sparse=False)).fit_transform(dicts)
    assert out.values.tolist() == [[0, 1, 0], [0, 0, 1], [2, 0, 0]]


@pytest.mark.parametrize("words", [WORDS, [[3, 1], [], [4, 1, 5]]])
def test_features_of_tokens_carry_them(words):
    union = FeatureUnion(
        [("identity", OneHotEncoder()), ("size", WordLength(sparse_output=True))]
    )
    fitted = PerToken(union).fit(words)
    out = fitted.transform(words)
    flat = [token for sequence in words for token in sequence]
    assert out.tokens.tolist() == flat and out.values.shape[0] == len(flat)
    assert out.values[:, [-1]].toarray()[:, 0].tolist() == [len(str(t)) for t in flat]
    assert out[[2]].tokens.tolist() == words[2]
    assert fitted.transform([[], []]).tokens.tolist() == []
    dense = PerToken(WordLength()).fit_transform(words)  # one column is none
    assert dense.values.ndim == 1 and dense.tokens.tolist() == flat


def test_tokens_for_tokens_carry_none():
    assert PerToken(str.lower).fit_transform(WORDS).tokens is None
    assert PerToken(len).fit_transform(WORDS).tokens is None
    encoder = PerToken(OneHotEncoder()).fit(WORDS)
    assert encoder.inverse_transform([np.eye(3)]).tokens is None


def test_what_is_no_token_is_not_carried():
    dicts = [[{"w": "a"}, {"w": "b"}], [{"n": 2.0}]]
    for transformer, X in (
        (DictVectorizer(), dicts),
        (MinMaxScaler(), [[0.5, 1.0], [2.0]]),
        (StandardScaler(), [ROWS]),
        (OneHotEncoder(), [np.array([["a", "b"], ["c", "d"]], dtype=object)]),
    ):
        out = PerToken(transformer).fit_transform(X)
        assert type(out) is Ragged and out.tokens is None


def test_functions_that_answer_by_dicts_keep_the_tokens():
    pipe = make_pipeline(PerToken(is_long), PerToken(DictVectorizer()))
    out = pipe.fit_transform(WORDS)
    assert out.tokens.tolist() == ["a", "rose", "is", "a", "rose"]
    assert out.values.toarray()[:, 0].tolist() == [0, 1, 0, 0, 1]


def test_inverse_transform():
    encoder = PerToken(OneHotEncoder()).fit(WORDS)
    back = encoder.inverse_transform(encoder.transform(WORDS))
    assert [s.tolist() for s in back] == WORDS
    scaler = PerToken(StandardScaler()).fit([ROWS])
    np.testing.assert_allclose(
        scaler.inverse_transform(scaler.transform([ROWS])).values, ROWS
    )
    assert not hasattr(PerToken(FeatureUnion([])), "inverse_transform")
    assert not hasattr(PerToken(SelectNothing()), "get_feature_names_out")


def test_batches_of_empty_sequences(series):
    scaler = PerToken(make_pipeline(StandardScaler(), PCA(2))).fit(series)
    out = scaler.transform([[], []])
    assert out.lengths.tolist() == [0, 0] and out.values.shape == (0, 2)
    assert scaler.inverse_transform(out).values.shape == (0, 3)
    encoder = PerToken(OneHotEncoder()).fit(WORDS)
    assert encoder.transform([[]]).values.shape == (0, 3)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        PerToken(StandardScaler()).fit([[], []])


# --- labels and metadata --------------------------------------------------------------


class SelectNothing(TransformerMixin, BaseEstimator):
    """Remembers what ``fit`` was given."""

    def fit(self, X, y=None, sample_weight=None):
        self.y_, self.sample_weight_ = y, sample_weight
        return self

    def transform(self, X):
        return X


def test_labels_reach_transformers_that_need_them(series):
    y = [["A", "B", "A"], [], ["B"], ["A", "A", "B", "B"]]
    out = PerToken(SelectKBest(f_classif, k=1)).fit_transform(series, y)
    expected = SelectKBest(f_classif, k=1).fit_transform(ROWS, list("ABABAABB"))
    np.testing.assert_array_equal(out.values, expected)


@pytest.mark.parametrize(
    "y", [None, [0, 1, 0, 1], [[0, None, 0], None, [1], None], np.zeros((4, 2))]
)
def test_labels_of_another_kind_do_not_reach_the_transformer(series, y):
    assert PerToken(SelectNothing()).fit(series, y).transformer_.y_ is None


def test_labels_that_are_needed_must_be_there(series):
    encoder = PerToken(TargetEncoder())
    with pytest.raises(ValueError, match="TargetEncoder needs a label for each token"):
        encoder.fit(series, [[0, None, 0], None, [1], [0, 1, 0, 1]])
    with pytest.raises(ValueError, match="sequence 0 has 1 labels, but X has 3 tokens"):
        encoder.fit(series, [[0], [], [1], [0, 1, 0, 1]])


WEIGHT = [1.0, 2.0, 3.0, 4.0]
PER_TOKEN = np.repeat(WEIGHT, LENGTHS)


@pytest.mark.parametrize("method", ["fit", "fit_transform"])
@pytest.mark.parametrize("given", [WEIGHT, Ragged.from_lengths(PER_TOKEN, LENGTHS)])
def test_weights_of_sequences_are_weights_of_their_tokens(method, given, series):
    expected = StandardScaler().fit(ROWS, sample_weight=PER_TOKEN).mean_
    direct = PerToken(StandardScaler())
    getattr(direct, method)(series, sample_weight=given)
    np.testing.assert_allclose(direct.transformer_.mean_, expected)
    with config_context(enable_metadata_routing=True):
        inner = StandardScaler().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(PerToken(inner), FunctionTransformer())
        getattr(pipeline, method)(series, sample_weight=given)
    np.testing.assert_allclose(pipeline[0].transformer_.mean_, expected)


def test_weights_that_were_not_requested_raise(series):
    with config_context(enable_metadata_routing=True):
        with pytest.raises(ValueError, match="sample_weight"):
            PerToken(StandardScaler()).fit(series, sample_weight=WEIGHT)
        refused = StandardScaler().set_fit_request(sample_weight=False)
        with pytest.raises(TypeError, match="sample_weight"):
            PerToken(refused).fit(series, sample_weight=WEIGHT)


def test_searches_hand_weights_through(series):
    X = series[[0, 2, 3, 0, 2, 3]]
    with config_context(enable_metadata_routing=True):
        inner = StandardScaler().set_fit_request(sample_weight=True)
        tagger = ParityTagger().set_score_request(sample_weight=True)
        search = GridSearchCV(
            make_pipeline(PerToken(inner), tagger),
            {"pertoken__transformer__with_std": [True, False]},
            cv=KFold(2),
            error_score="raise",
        )
        y = X.with_values(np.zeros(X.n_tokens, dtype=int))
        search.fit(X, y, sample_weight=np.arange(1, 7))
    expected = np.average(
        X.values, axis=0, weights=np.repeat(np.arange(1, 7), X.lengths)
    )
    np.testing.assert_allclose(search.best_estimator_[0].transformer_.mean_, expected)


# --- estimator manners ----------------------------------------------------------------


def test_nothing_is_answered_before_fit(series):
    scaler = PerToken(StandardScaler())
    for method in ("transform", "inverse_transform"):
        with pytest.raises(NotFittedError):
            getattr(scaler, method)(series)
    with pytest.raises(NotFittedError):
        scaler.get_feature_names_out()
    assert not hasattr(scaler, "n_features_in_")
    with pytest.raises(ValueError, match="could not convert string to float"):
        scaler.fit(WORDS)
    assert not hasattr(scaler, "transformer_")


def test_the_transformer_given_stays_unfitted(series):
    given = StandardScaler()
    fitted = PerToken(given).fit(series)
    assert not hasattr(given, "mean_") and fitted.transformer_ is not given
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(
        again.transform(series).values, fitted.transform(series).values
    )


@pytest.mark.parametrize("wrong", [None, "scale", ParityTagger()])
def test_what_is_no_transformer_raises(wrong, series):
    with pytest.raises(ValueError, match="has no fit and transform"):
        PerToken(wrong).fit(series)


def test_transformers_that_drop_rows_raise(series):
    with pytest.raises(ValueError, match="answered 2 rows for 8 tokens"):
        PerToken(FunctionTransformer(lambda rows: rows[:2])).fit_transform(series)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (ROWS[:, 0], r"Expected 2D array, got 1D array instead.*\[X\]"),
        (["a rose"], "X: Sample 0 is a single str"),
        (np.zeros((2, 2, 2)), "dim 3"),
        ([ROWS, ROWS[:, :2]], r"Sample 1 has tokens of shape \(2,\)"),
    ],
)
def test_bad_input(X, message):
    with pytest.raises(ValueError, match=message):
        PerToken(StandardScaler()).fit(X)


def test_widths_must_be_those_of_fit(series):
    scaler = PerToken(StandardScaler()).fit(series)
    with pytest.raises(
        ValueError, match="2 features, but StandardScaler is expecting 3"
    ):
        scaler.transform([ROWS[:, :2]])


def test_columns_of_a_frame_are_compared():
    frame = pd.DataFrame({"u": [1.0, 3.0], "v": [5.0, 5.0]})
    X = Ragged.from_frame(frame, ["u", "v"])
    scaler = PerToken(StandardScaler()).fit(X)
    assert scaler.feature_names_in_.tolist() == ["u", "v"]
    assert scaler.transform(X).values[:, 0].tolist() == [-1.0, 1.0]
    for swapped in (Ragged.from_frame(frame, ["v", "u"]), [frame[["v", "u"]]]):
        with pytest.raises(ValueError, match="same order as they were in fit"):
            scaler.transform(swapped)


def is_long(word):
    return {"long": len(word) > 3}


def test_a_function_answers_for_each_token():
    X = [["The", "DOGS"], [], ["run"]]
    lower = PerToken(str.lower).fit(X)
    again = pickle.loads(pickle.dumps(clone(lower).fit(X)))
    for each in (lower, again):
        out = each.transform(X)
        assert [s.tolist() for s in out] == [["the", "dogs"], [], ["run"]]
    assert lower.transform([[]]).values.size == 0
    lengths = PerToken(len).fit_transform(X)
    assert lengths.values.tolist() == [3, 4, 3] and lengths.values.dtype == int
    pipe = make_pipeline(PerToken(is_long), PerToken(DictVectorizer(sparse=False)))
    assert pipe.fit_transform(X).values.tolist() == [0.0, 1.0, 0.0]
    rows = PerToken(np.sum).fit_transform([np.eye(2), np.ones((1, 2))])
    assert [s.tolist() for s in rows] == [[1.0, 1.0], [2.0]]
    assert PerToken(np.sum).fit_transform(np.eye(2)).tolist() == [1.0, 1.0]


class _DropsRows(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X[1:]


def test_a_failed_fit_transform_leaves_what_was_fitted(series):
    step = PerToken(StandardScaler()).fit(series)
    before = step.transform(series).values
    step.set_params(transformer=_DropsRows())
    with pytest.raises(ValueError, match="answered 7 rows for 8 tokens"):
        step.fit_transform(series)
    np.testing.assert_array_equal(step.transform(series).values, before)
    with pytest.raises(NotFittedError):
        new = PerToken(_DropsRows())
        with pytest.raises(ValueError, match="answered 7 rows"):
            new.fit_transform(series)
        new.transform(series)


@pytest.mark.parametrize("library", [pd, pl])
def test_columns_of_a_frame_keep_names_and_types(library):
    frame = library.DataFrame(
        {
            "day": [1, 1, 2],
            "load": [1.0, 3.0, 5.0],
            "temp": [2, 3, 7],
            "shift": ["early", "late", "early"],
        }
    )
    X = Ragged.from_frame(frame, ["load", "temp", "shift"], group="day")
    by_name = ColumnTransformer(
        [
            ("scaled", StandardScaler(), ["temp", "load"]),
            ("kind", OneHotEncoder(sparse_output=False), ["shift"]),
        ]
    )
    per_token = PerToken(by_name)
    out = per_token.fit_transform(X)
    assert out.lengths.tolist() == [2, 1]
    expected = StandardScaler().fit_transform([[2, 1.0], [3, 3.0], [7, 5.0]])
    np.testing.assert_allclose(out.values[:, :2], expected)
    assert out.values[:, 2:].tolist() == [[1, 0], [0, 1], [1, 0]]
    assert per_token.get_feature_names_out().tolist() == [
        *("scaled__temp", "scaled__load", "kind__shift_early", "kind__shift_late")
    ]
    assert per_token.feature_names_in_.tolist() == ["load", "temp", "shift"]
    again = per_token.transform(X)
    np.testing.assert_array_equal(again.values, out.values)
    # No estimator holds a frame, which skops could not save.
    saved = skops.io.dumps(per_token)
    loaded = skops.io.loads(saved, trusted=skstruct.trusted_types())
    np.testing.assert_array_equal(loaded.transform(X).values, out.values)

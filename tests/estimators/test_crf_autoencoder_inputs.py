"""CRFAutoencoderTagger on bad or odd input: a clear error, or a sound answer."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skstruct.containers import Ragged
from skstruct.emissions import Categorical, Gaussian, Product, View
from skstruct.estimators import AnnealedHMM, CRFAutoencoderTagger, TagDictionary
from skstruct.featurizers import ExchangeClusterer, PerToken, TokenFeaturizer
from tests.estimators._autoencoder_oracle import ByNumber, objectives, words

X, Y = words(20, length=(2, 5))
NAMES = [list(map("ABC".__getitem__, s)) for s in Y]
RNG = np.random.RandomState(0)
VECTORS = X.with_values(RNG.normal(size=(X.n_tokens, 2)) + 4 * (Y.values[:, None] == 1))
FEATURES = TokenFeaturizer().fit_transform(X)
BARE = Ragged.from_arrays(FEATURES.values, X.offsets)
DICTS = X.with_values(np.array([{"w": w} for w in X.values], dtype=object))
WITH_WORDS = Ragged.from_arrays(VECTORS.values, X.offsets, tokens=X.values)


def tagger(n_states=3, **params):
    params = {"random_state": 0, "max_iter": 5} | params
    return CRFAutoencoderTagger(n_states, **params)


def assert_sound(model, X):
    """Everything that the model says is a number, and it has climbed."""
    for name in ("coef_", "transition_coef_", "start_coef_"):
        assert np.isfinite(getattr(model, name)).all()
    rises = np.diff(objectives(model))
    assert (rises >= -1e-12 * np.abs(objectives(model)[1:])).all()
    for p in model.predict_proba(X):
        assert p.shape[1] == len(model.states_)
        assert_allclose(p.sum(axis=1), 1)
    assert np.isfinite(model.score_samples(X)).all()
    lengths = X.lengths if isinstance(X, Ragged) else [len(s) for s in X]
    assert [len(s) for s in model.predict(X)] == list(lengths)


def spoilt(value, t=7):
    values = VECTORS.values.copy()
    values[t, 1] = value
    return X.with_values(values)


PLACE = "(sequence|sample) {}, position {}".format(
    np.searchsorted(X.offsets, 7, side="right") - 1,
    7 - X.offsets[np.searchsorted(X.offsets, 7, side="right") - 1],
)

UNREADABLE = {
    "no sequences": ([], {}, "empty"),
    "empty sequences": ([[], []], {}, "X holds no tokens"),
    "one sequence": (["a", "b"], {}, r"write one sequence as \[sequence\]"),
    "table of strings": (np.array([["a", "b"], ["c", "d"]]), {}, "from_rows"),
    "sparse features without tokens": (BARE, {}, "without tokens.*tokens=words"),
    "sparse table": (sp.csr_array(np.eye(3)), {}, "Sparse data"),
    "feature dicts without tokens": (DICTS, {}, "without tokens.*tokens=words"),
    "feature dicts, random": (list(DICTS), {"init": "random"}, "without tokens"),
    "vectors, brown": (VECTORS, {"reconstruction": "brown"}, "'brown' reads words"),
    "vectors, token": (VECTORS, {"reconstruction": "token"}, "'token' reads words"),
    "vectors, exchange": (VECTORS, {"init": "exchange"}, "init='exchange' reads words"),
    "vectors, dictionary": (
        VECTORS,
        {"tag_dictionary": {"a": "A", "b": "BC"}, "n_states": None},
        "tag_dictionary lists states of words",
    ),
    "words, Gaussian": (X, {"reconstruction": Gaussian()}, "Gaussian needs numbers"),
    "NaN": (spoilt(np.nan), {}, f"{PLACE} holds NaN"),
    "NaN, no featurizer for it": (
        spoilt(np.nan),
        {"reconstruction": Gaussian(missing="marginalize")},
        f"{PLACE} hold NaN or inf",
    ),
    "inf": (spoilt(-np.inf), {}, PLACE),
    "huge": (spoilt(1e200), {}, f"{PLACE}.*rescale"),
    "ragged vectors": ([[[1.0, 2.0]], [[1.0]]], {}, "X"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_data_that_cannot_be_read(case):
    data, params, message = UNREADABLE[case]
    model = tagger(**params)
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(data)
    assert not [name for name in vars(model) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        model.predict(X)


class Answers(BaseEstimator):
    """A start that answers what it is told to."""

    def __init__(self, answer=None, method="predict"):
        self.answer = answer
        self.method = method

    def fit(self, X, y=None):
        if self.method == "predict":
            self.predict = self.answer
        else:
            self.predict_proba = self.answer
        return self


def proba(value, n_states=3):
    def answer(X):
        out = np.full((X.n_tokens, n_states), 1 / n_states)
        out[7] = value
        return X.with_values(out)

    return Answers(answer, "predict_proba")


BAD_STARTS = {
    "name": ("feature", "init must be 'auto', one of .*'feature_hmm'"),
    "no start": ([], "init is an empty list"),
    "number": (["random", 3], "init must hold names or estimators, got 3"),
    "class": (ExchangeClusterer, "init must hold names or estimators"),
    "no labels": ("supervised", "supervision='clamp'"),
    "wrong K": (proba(0.5, 2), "probabilities of 2 states .* but there are 3"),
    "NaN": (proba(np.nan), f"init: Answers gives no probabilities at {PLACE}"),
    "zeros": (proba(0.0), f"init: Answers gives no probabilities at {PLACE}"),
    "negative": (proba(-1.0), f"init: Answers gives no probabilities at {PLACE}"),
    "too few tokens": (
        Answers(lambda X: [["u", "v"]]),
        "init: Answers has 1 sequences, X has 20",
    ),
    "too many classes": (ExchangeClusterer(4, random_state=0), "4 classes, .* is 3"),
    "frozen, wrong K": (
        FrozenEstimator(AnnealedHMM(2, n_init=1, random_state=0).fit(X)),
        "of 2 states",
    ),
}


@pytest.mark.parametrize("case", BAD_STARTS)
def test_starts_that_cannot_be(case):
    init, message = BAD_STARTS[case]
    with pytest.raises(ValueError, match=message):
        tagger(init=init).fit(X)


def test_a_frozen_start_must_be_fitted():
    with pytest.raises(NotFittedError, match="ExchangeClusterer"):
        tagger(init=FrozenEstimator(ExchangeClusterer(3))).fit(X)


BAD_PARAMETERS = {
    "bool": ({"n_states": True}, "n_states"),
    "no states": ({"n_states": 0}, "n_states"),
    "NaN": ({"encoder_l2": np.nan}, "encoder_l2"),
    "reconstruction": ({"reconstruction": "words"}, "reconstruction must be one of"),
    "class": ({"reconstruction": Categorical}, "reconstruction must be"),
    "target": (
        {"reconstruction": Product([("a", View("stem"))])},
        "target of view 'a' must be one of",
    ),
    "no views": ({"reconstruction": Product([])}, "views"),
    "views of columns": ({"reconstruction": Product()}, "has no views; name them"),
    "no name": ({"reconstruction": Product([View()])}, r"list of \(name, View\)"),
    "featurizer": ({"featurizer": TokenFeaturizer(window=-1)}, "window"),
    "rate": ({"solver": "adagrad", "learning_rate": 1e300}, "learning_rate"),
    "dicts": ({"featurizer": TokenFeaturizer(output="dicts")}, "must answer a Ragged"),
    "rows": (
        {"featurizer": FunctionTransformer(lambda X: np.ones((3, 2)))},
        r"featurizer must answer .*\(3, 2\)",
    ),
    "emission": ({"reconstruction": Categorical(alpha=-1)}, "alpha"),
    "vectors have no next": (
        {"reconstruction": Product([("a", View(lambda w: [1.0, 2.0], offset=1))])},
        "'a'",
    ),
}


@pytest.mark.parametrize("case", BAD_PARAMETERS)
@pytest.mark.filterwarnings("ignore:overflow")
def test_parameters_that_cannot_be(case):
    params, message = BAD_PARAMETERS[case]
    with pytest.raises(ValueError, match=message):
        tagger(**params).fit(X)


FEW = [NAMES[0], *[None] * (len(X) - 1)]
BAD_LABELS = {
    "count": (NAMES[:3], {}, "y has 3 sequences, X has 20"),
    "length": ([NAMES[0][:-1], *NAMES[1:]], {}, "y: sequence 0"),
    "too many states": (NAMES, {"n_states": 2}, "n_states: 2, y: 3"),
    "unknown name": (
        [["Q", *NAMES[0][1:]], *NAMES[1:]],
        {"n_states": None, "tag_dictionary": {"x0": ["A", "B", "C"]}},
        "y, sequence 0, position 0: 'Q' is not one of",
    ),
    "numbered start": (NAMES, {"init": "exchange"}, "use init='auto'"),
    "n_states and dictionary": (
        NAMES,
        {"n_states": 5, "tag_dictionary": {"x0": ["A", "B", "C"]}},
        "n_states: 5, tag_dictionary: 3",
    ),
    "start with other names": (
        NAMES,
        {"init": Answers(lambda X: [["u"] * len(s) for s in X])},
        "init: Answers, sequence 0, position 0: 'u'",
    ),
}


@pytest.mark.parametrize("case", BAD_LABELS)
def test_labels_that_cannot_hold(case):
    y, params, message = BAD_LABELS[case]
    with pytest.raises(ValueError, match=message):
        tagger(**params, supervision="clamp").fit(X, y)


@pytest.mark.filterwarnings("ignore:All sequences have length one")
def test_lengths_in_the_place_of_labels():
    rows = np.random.RandomState(0).normal(size=(12, 2))
    model = tagger(2).fit(rows)
    for method in (model.fit, model.score):
        with pytest.raises(ValueError, match="looks like the lengths"):
            method(rows, [5, 7])


def test_labels_that_hold_must_be_given():
    with pytest.raises(ValueError, match="y is None: pass them as y, with None"):
        tagger(supervision="clamp").fit(X)


def test_no_known_label_is_worth_a_warning():
    with pytest.warns(UserWarning, match="no label is known") as record:
        tagger(supervision="clamp").fit(X, [None] * len(X))
    assert record[0].filename == __file__


def test_what_deserves_a_warning():
    with pytest.warns(UserWarning, match="supervision='ignore' reads none"):
        tagger().fit(X, FEW)
    with pytest.warns(UserWarning, match="All sequences have length one"):
        tagger(2, init="random").fit(VECTORS.values)
    others = [name for name in "ABC" if name != NAMES[0][0]]
    wrong = TagDictionary({X.values[0]: others}, states=list("ABC"))
    with pytest.warns(UserWarning, match="contradict tag_dictionary.* 0, position 0"):
        model = tagger(supervision="clamp", tag_dictionary=wrong)
        answers = model.fit_predict(X, FEW)
    assert answers[0].tolist() == NAMES[0]


def test_short_runs_of_a_start_are_no_news():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "[12] of 3 states have no tokens")
        for init in ("hmm", "feature_hmm"):
            tagger(init=init).fit(X)


def without_columns(X):
    out = TokenFeaturizer().fit_transform(X)
    return Ragged.from_arrays(out.values[:, :0], out.offsets, tokens=out.tokens)


ODD = {
    "no features": (without_columns(X), {}),
    "a featurizer without features": (
        X,
        {"featurizer": FunctionTransformer(without_columns)},
    ),
    "empty sequences between": (Ragged([[], *X[:9], [], ["a"], []]), {}),
    "one token": ([["a"]], {"n_states": 1}),
    "one type": ([["a"] * 4] * 3, {}),
    "one long sequence": ([list(X.values)], {}),
    "numbers": ([[1, 2, 3], [2, 1], [3, 3]], {}),
    "K beyond types": ([["a", "b"], ["b", "c"]], {"n_states": 7}),
    "K beyond types, hmm": ([["a", "b"], ["b", "c"]], {"n_states": 7, "init": "hmm"}),
    "K beyond types, brown": ([["a", "b"], ["b"]], {"n_states": 7, "init": "brown"}),
    "K beyond types, random": ([["a", "b"], ["b"]], {"n_states": 7, "init": "random"}),
    "huge features": (
        Ragged.from_arrays(FEATURES.values * 1e200, X.offsets, tokens=X.values),
        {},
    ),
    "vectors and words": (WITH_WORDS, {}),
    "constant vectors": (Ragged([np.ones((4, 2)), np.ones((3, 2))]), {}),
    "one vector": (Ragged([np.ones((1, 2))]), {"n_states": 2}),
    "no penalty": (X, {"encoder_l2": 0.0}),
    "strong penalty": (X, {"encoder_l2": 1e12}),
    "NaN imputed": (
        spoilt(np.nan),
        {
            "featurizer": PerToken(make_pipeline(SimpleImputer())),
            "reconstruction": Gaussian(missing="marginalize"),
        },
    ),
}


@pytest.mark.parametrize("solver", ["lbfgs", "adagrad"])
@pytest.mark.parametrize("case", ODD)
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_odd_data_give_a_sound_model(case, solver):
    data, params = ODD[case]
    model = tagger(**params, solver=solver).fit(data)
    if solver == "lbfgs":
        assert_sound(model, data)
    assert np.isfinite(model.score(data))


def test_states_without_tokens_are_told():
    with pytest.warns(ConvergenceWarning, match="states have no tokens"):
        tagger(20, init="random").fit([["a", "b"], ["b"]])


def test_tokens_never_seen_have_answers():
    new = [["Unheard-of", "42"], [], ["x0", "Zzz"]]
    for reconstruction in ("auto", "brown", "token", "loglinear"):
        model = tagger(reconstruction=reconstruction, decoding="type").fit(X)
        assert_sound(model, new)


OTHER = {
    "wider": (VECTORS, [np.ones((3, 4))], "X has 4 features, .* expecting 2"),
    "words": (VECTORS, X, "fitted to 2 features"),
    "narrower": (
        FEATURES,
        Ragged.from_arrays(FEATURES.values[:, :3], X.offsets, tokens=X.values),
        "X has 3 features",
    ),
    "no tokens": (FEATURES, BARE, "without tokens"),
    "vectors": (X, VECTORS, "TokenFeaturizer"),
    "tokens left out": (WITH_WORDS, VECTORS, "no words"),
    "NaN": (VECTORS, spoilt(np.nan), f"{PLACE} hold NaN or inf"),
    "inf": (VECTORS, spoilt(np.inf), f"{PLACE} hold NaN or inf"),
    "huge": (VECTORS, spoilt(1e200), f"{PLACE}.*rescale"),
}


@pytest.mark.parametrize("case", OTHER)
def test_data_unlike_those_of_fit(case):
    data, new, message = OTHER[case]
    model = tagger().fit(data)
    for method in (model.predict, model.predict_proba, model.score):
        with pytest.raises(ValueError, match=message):
            method(new)


def test_labels_that_are_observed_must_be_states():
    model = tagger().fit(X)
    with pytest.raises(ValueError, match="observed_labels, sequence 0, position 0: 9"):
        model.predict(X, observed_labels=[[9] * len(s) for s in X])
    with pytest.raises(ValueError, match="observed_labels has 1 sequences"):
        model.predict(X, observed_labels=[[0]])


@pytest.mark.parametrize(
    ("params", "data"),
    [
        ({}, [[], []]),
        ({"init": "nothing"}, X),
        ({"featurizer": TokenFeaturizer(window=-1)}, X),
        ({"solver": "adagrad", "learning_rate": 1e300}, X),
        ({"reconstruction": Gaussian()}, X),
        ({}, spoilt(np.nan)),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_a_failing_fit_leaves_the_earlier_model(params, data):
    model = tagger(init=ByNumber()).fit(X)
    before = {k: v for k, v in vars(model).items() if k.endswith("_") or k[0] == "_"}
    answers = model.predict(X).values
    with pytest.raises(ValueError):
        model.set_params(**params).fit(data)
    assert all(vars(model)[name] is value for name, value in before.items())
    assert_array_equal(model.predict(X).values, answers)

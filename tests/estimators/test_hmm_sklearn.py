"""AnnealedHMM as a scikit-learn estimator: its checks, and ours for symbols."""

import os
import pickle
import subprocess
import sys
from copy import deepcopy

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skstruct.containers import Ragged
from skstruct.datasets import (
    make_gaussian_hmm_sequences,
    make_hmm_sequences,
    read_conll,
)
from skstruct.emissions import Categorical
from skstruct.estimators import AnnealedHMM, TagDictionary
from skstruct.featurizers import PerToken
from skstruct.metrics import v_measure, v_measure_scorer
from tests._instances import expected_failed_checks, instances
from tests.conftest import ROOT

FITTED = ("startprob_", "transmat_", "emissionprob_")


@parametrize_with_checks(
    list(instances()), expected_failed_checks=expected_failed_checks, xfail_strict=True
)
@pytest.mark.filterwarnings("ignore:All sequences have length one")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_few_checks_are_expected_to_fail():
    assert all(len(expected_failed_checks(e)) <= 3 for e in instances())


@pytest.fixture(scope="module")
def text():
    """Words of three kinds, easy to tell apart, and their states."""
    X, y = make_hmm_sequences(
        60, n_states=3, n_symbols=15, length=(2, 9), random_state=0
    )
    words = [f"W{s}" if i % 2 else f"w{s}" for i, s in enumerate(X.values)]
    return X.with_values(words), y


def lower(X):
    return X.with_values([word.lower() for word in X.values])


def tagger(**params):
    return make_pipeline(
        FunctionTransformer(lower),
        AnnealedHMM(**{"n_states": 3, "random_state": 0, "max_iter": 100, **params}),
    )


def assert_same_fit(a, b):
    for name in FITTED:
        assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.history_ == b.history_
    assert a.symbols_.tolist() == b.symbols_.tolist()


def test_clone_pickle_repr(text):
    X, _ = text
    hmm = AnnealedHMM(3, emissions=Categorical(alpha=0.5), n_init=2, random_state=0)
    assert clone(hmm).get_params().keys() == hmm.get_params().keys()
    assert "alpha=0.5" in repr(hmm)
    hmm.fit(X)
    again = pickle.loads(pickle.dumps(hmm))
    assert_same_fit(again, hmm)
    assert_array_equal(again.predict(X).values, hmm.predict(X).values)
    with pytest.raises(NotFittedError):
        clone(hmm).predict(X)


def test_nested_parameters(text):
    X, _ = text
    hmm = AnnealedHMM(3, emissions=Categorical(), n_init=1, random_state=0)
    assert hmm.get_params()["emissions__alpha"] == 0.0
    hmm.set_params(emissions__alpha=2.0).fit(X)
    assert hmm.emissions_.alpha == 2.0 and hmm.emissionprob_.min() > 0
    assert not hasattr(hmm.emissions, "probabilities_")
    search = GridSearchCV(
        hmm, {"emissions__alpha": [0.1, 1e4]}, cv=2, error_score="raise"
    )
    with pytest.warns(ConvergenceWarning, match="All states are identical"):
        search.fit(X)
    # Scored by the likelihood of unseen sequences: no flat model wins.
    assert search.best_params_ == {"emissions__alpha": 0.1}


def test_fit_changes_no_parameter(text):
    X, y = text
    dictionary = TagDictionary.from_tagged(X, y, keep=5)
    params = {
        "emissions": Categorical(alpha=0.1),
        "tag_dictionary": dictionary,
        "startprob_init": [0.2, 0.3, 0.5],
        "betas": [0.5, 1.0],
        "fixed": ["startprob"],
        "random_state": np.random.RandomState(0),
    }
    hmm = AnnealedHMM(**params)
    before = {name: repr(value) for name, value in hmm.get_params().items()}
    hmm.fit(X).predict(X)
    for name, value in params.items():
        assert getattr(hmm, name) is value
    after = {name: repr(value) for name, value in hmm.get_params().items()}
    assert before == after
    assert vars(params["emissions"]).keys() == {"alpha", "update", "init", "symbols"}


def test_grid_search_chooses_the_better_candidate(text):
    X, y = text
    # Annealing without guidance ends where all states are alike.
    with pytest.warns(UserWarning):
        search = GridSearchCV(
            tagger(),
            {"annealedhmm__beta_min": [0.1, 1.0]},
            scoring=v_measure_scorer,
            cv=3,
            error_score="raise",
        ).fit(X, y)
    assert search.best_params_ == {"annealedhmm__beta_min": 1.0}
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0] + 0.2
    assert search.best_score_ > 0.5


@pytest.mark.filterwarnings("ignore:Annealing from beta")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_grid_search_on_a_treebank(corpora):
    X, y = read_conll(corpora / "pos" / "da-cdt" / "dev.tsv.gz", [0, 1])
    X, y = X[:150], y[:150]
    search = GridSearchCV(
        tagger(n_states=12, n_init=1, max_iter=25),
        {"annealedhmm__beta_min": [0.5, 1.0]},
        scoring=v_measure_scorer,
        cv=2,
        error_score="raise",
    ).fit(X, y)
    scores = [v for k, v in search.cv_results_.items() if k.endswith("test_score")]
    assert len(scores) >= 4 and np.isfinite(np.concatenate(scores)).all()
    tags = search.predict(X)
    assert tags.lengths.tolist() == X.lengths.tolist()
    assert v_measure(y, tags) > 0.1


def test_y_is_for_the_scorer_only(text):
    X, y = text
    with_labels = tagger().fit(X, y)[-1]
    assert_same_fit(with_labels, tagger().fit(X)[-1])
    nonsense = Ragged.from_arrays(np.zeros(X.n_tokens, dtype=int), X.offsets)
    assert_same_fit(with_labels, tagger().fit(X, nonsense)[-1])


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_cross_val_predict(text, method):
    X, _ = text
    model = tagger(n_init=1, max_iter=1000)
    out = cross_val_predict(model, X, cv=3, method=method)
    assert [len(o) for o in out] == X.lengths.tolist()
    assert isinstance(out, Ragged)
    if method == "predict_proba":
        assert_allclose(out.values.sum(axis=1), 1)
    else:
        first = model.fit(X[20:]).predict(X[:20])
        assert_array_equal(out[:20].values, first.values)


def test_learning_curve(text):
    X, y = text
    sizes, train, test = learning_curve(
        tagger(),
        X,
        y,
        cv=3,
        train_sizes=[0.2, 1.0],
        scoring=v_measure_scorer,
        error_score="raise",
    )
    assert sizes.tolist() == [8, 40]
    assert np.isfinite(train).all() and np.isfinite(test).all()
    assert test[1].mean() > test[0].mean()


def test_series_in_a_pipeline():
    X, y = make_gaussian_hmm_sequences(
        20, n_states=3, n_features=2, length=(5, 20), random_state=0
    )
    X = X.with_values(X.values * [1.0, 1e4] + [50.0, 0.0])
    model = make_pipeline(PerToken(StandardScaler()), AnnealedHMM(3, random_state=0))
    scores = cross_val_score(model, X, y, scoring=v_measure_scorer, cv=2)
    assert scores.min() > 0.5
    # Maximum likelihood does not mind the units.
    raw = AnnealedHMM(3, random_state=0).fit(X)
    assert_array_equal(raw.predict(X).values, model.fit(X).predict(X).values)


def test_weights_with_metadata_routing(text):
    X, y = text
    weight = np.random.RandomState(0).randint(1, 4, size=len(X)).astype(float)
    plain = AnnealedHMM(3, random_state=0, n_init=1)
    direct = clone(plain).fit(X, sample_weight=weight)
    piped = make_pipeline(clone(plain)).fit(X, annealedhmm__sample_weight=weight)
    assert_same_fit(piped[-1], direct)
    unweighted = cross_validate(clone(plain), X, cv=2, error_score="raise")
    weighted_fit = cross_validate(
        clone(plain),
        X,
        cv=2,
        params={"sample_weight": weight},
        error_score="raise",
    )
    with config_context(enable_metadata_routing=True):
        hmm = plain.set_fit_request(sample_weight=True)
        hmm = hmm.set_score_request(sample_weight=True)
        assert_same_fit(make_pipeline(hmm).fit(X, sample_weight=weight)[-1], direct)
        routed = cross_validate(
            hmm, X, cv=2, params={"sample_weight": weight}, error_score="raise"
        )
        score = deepcopy(v_measure_scorer).set_score_request(sample_weight=True)
        GridSearchCV(
            hmm, {"beta_min": [1.0]}, scoring=score, cv=2, error_score="raise"
        ).fit(X, y, sample_weight=weight)
    half = len(X) // 2
    by_hand = clone(plain).fit(X[half:], sample_weight=weight[half:])
    expected = by_hand.score(X[:half], sample_weight=weight[:half])
    assert_allclose(routed["test_score"][0], expected)
    assert_allclose(weighted_fit["test_score"][0], by_hand.score(X[:half]))
    assert unweighted["test_score"][0] != weighted_fit["test_score"][0]


def test_weights_are_repetitions(text):
    X, _ = text
    weight = np.arange(len(X)) % 3
    many = X[np.repeat(np.arange(len(X)), weight)]
    init = np.random.RandomState(0).dirichlet(np.ones(15), size=3)
    symbols = sorted({w.lower() for w in X.values})
    init = init[:, : len(symbols)] / init[:, : len(symbols)].sum(axis=1, keepdims=True)
    hmm = AnnealedHMM(
        emissions=Categorical(init=init, symbols=symbols), n_init=1, random_state=0
    )
    a = clone(hmm).fit(lower(X), sample_weight=weight)
    b = clone(hmm).fit(lower(many))
    assert_allclose(a.transmat_, b.transmat_, atol=1e-8)
    assert_allclose(a.emissionprob_, b.emissionprob_, atol=1e-8)


def test_answers_do_not_depend_on_n_jobs():
    X, _ = make_hmm_sequences(300, n_states=3, n_symbols=30, length=300, random_state=0)
    params = {"n_states": 3, "n_init": 1, "max_iter": 3, "random_state": 0}
    with pytest.warns(ConvergenceWarning):
        one, two = (AnnealedHMM(**params, n_jobs=n).fit(X) for n in (1, 2))
    assert_same_fit(one, two)
    assert_array_equal(one.predict_proba(X).values, two.predict_proba(X).values)
    assert_array_equal(one.score_samples(X), two.score_samples(X))


def test_a_second_fit_forgets_the_first(text):
    X, _ = text
    hmm = AnnealedHMM(3, random_state=0).fit(X[:20])
    hmm.partial_fit(X[20:30]).fit(X[30:])
    assert_same_fit(hmm, AnnealedHMM(3, random_state=0).fit(X[30:]))
    X, _ = make_gaussian_hmm_sequences(5, n_states=3, random_state=0)
    hmm.fit(X)
    assert hmm.n_features_in_ == X.values.shape[1]
    with pytest.raises(AttributeError, match="Gaussian"):
        hmm.symbols_  # noqa: B018
    hmm.fit([["a", "b"], ["b"] * 5])
    assert not hasattr(hmm, "n_features_in_")


def test_random_state(text):
    X, _ = text
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    a, b, c = (AnnealedHMM(3, random_state=s, n_init=1).fit(X) for s in (0, 0, 1))
    assert_same_fit(a, b)
    assert not np.array_equal(a.transmat_, c.transmat_)
    rng = np.random.RandomState(0)
    assert_same_fit(a, AnnealedHMM(3, random_state=rng, n_init=1).fit(X))
    first, _ = a.sample(3, length=4, random_state=7)
    assert_array_equal(first.values, a.sample(3, length=4, random_state=7)[0].values)
    assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


WORDS = [["a", "rose", "is"], ["a", "rose"], ["is", "it"]]
FORMS = {
    "Ragged": Ragged,
    "list": list,
    "tuple": tuple,
    "object array": lambda X: np.asarray(Ragged(X)),
    "pandas": lambda X: pd.Series(X, index=[7, 3, 5]),
}


@pytest.mark.parametrize("form", FORMS)
def test_answers_have_the_form_of_the_question(form):
    X = FORMS[form](WORDS)
    hmm = AnnealedHMM(2, random_state=0).fit(X)
    for answer, width in [
        (hmm.predict(X), ()),
        (hmm.fit_predict(X), ()),
        (hmm.predict_proba(X), (2,)),
        (hmm.filter_proba(X), (2,)),
    ]:
        if form == "Ragged":
            assert isinstance(answer, Ragged)
        else:
            assert answer.dtype == object and answer.shape == (3,)
        assert [np.shape(a) for a in answer] == [(n, *width) for n in (3, 2, 2)]
    assert hmm.score_samples(X).shape == (3,)
    assert hmm.predict_next_proba(X).shape == (3, 2)
    paths, _ = zip(*hmm.predict_k_best(X, k=2)[1], strict=True)
    assert len(paths) == 2 and paths[0].shape == (2,)


@pytest.mark.filterwarnings("ignore:All sequences have length one")
def test_answers_for_a_table():
    rows = np.random.RandomState(0).normal(size=(30, 2))
    for X in (rows, pd.DataFrame(rows, columns=["u", "v"])):
        hmm = AnnealedHMM(2, random_state=0).fit(X)
        assert hmm.predict(X).shape == (30,) and hmm.predict(X).dtype.kind == "i"
        assert hmm.predict_proba(X).shape == (30, 2)
    assert hmm.feature_names_in_.tolist() == ["u", "v"]


def test_sequences_do_not_depend_on_their_batch_mates(text):
    X, _ = text
    hmm = AnnealedHMM(3, random_state=0).fit(X)
    proba, scores, states = hmm.predict_proba(X), hmm.score_samples(X), hmm.predict(X)
    for i in (0, 7, 33):
        assert_allclose(hmm.predict_proba([X[i]])[0], proba[i], atol=1e-12)
        assert_allclose(hmm.score_samples([X[i]])[0], scores[i], atol=1e-12)
        assert_array_equal(hmm.predict([X[i]])[0], states[i])
    order = np.random.RandomState(0).permutation(len(X))
    assert_array_equal(hmm.predict(X[order]).values, states[order].values)


SCRIPT = """
from skstruct.estimators import AnnealedHMM
X = [list("rose is a rose"), list("is a rose"), list("a rose is"), list("eros")]
y = [["P", None] * 7, None, None, ["Q", "P", None, None]]
hmm = AnnealedHMM(3, random_state=0, n_init=2).fit(X)
print(hmm.transmat_.tolist(), hmm.predict(X).tolist())
hmm = AnnealedHMM(supervision="clamp", tag_dictionary={"r": ["Q", "P"]}).fit(X, y)
print(hmm.states_.tolist(), hmm.transmat_.tolist(), hmm.predict(X).tolist())
"""


def test_answers_do_not_depend_on_the_hash_seed():
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            env=env | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    first, second = (run.communicate()[0] for run in runs)
    assert "[" in first and first == second


def test_skew_from_survives_clone_and_search(text):
    X, _ = text
    start = AnnealedHMM(3, random_state=0, max_iter=5, n_init=1)
    with pytest.warns(ConvergenceWarning):
        start.fit(X)
    hmm = AnnealedHMM(3, skew_from=FrozenEstimator(start))
    assert joblib.hash(clone(hmm).fit(X).transmat_) == joblib.hash(hmm.fit(X).transmat_)
    GridSearchCV(hmm, {"beta_growth": [1.5, 3.0]}, cv=2, error_score="raise").fit(X)

"""Aligners among scikit-learn's tools, and the forms of their answers."""

import json
import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.utils import estimator_checks as checks

from skstruct import Bitext, Ragged
from skstruct.datasets import make_bitext
from skstruct.estimators import (
    CRFAutoencoderAligner,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
    SymmetrizedAligner,
)
from skstruct.metrics import aer_scorer, alignment_error_rate
from skstruct.model_selection import TransductiveSplit
from tests.conftest import ROOT

ALIGNERS = [
    IBM1Aligner(),
    DiagonalAligner(),
    HMMAligner(),
    CRFAutoencoderAligner(random_state=0, encoder_sample=20, max_iter=3),
]
JOINT = ALIGNERS[2:]
each = pytest.mark.parametrize("model", ALIGNERS, ids=lambda m: type(m).__name__)
joint = pytest.mark.parametrize("model", JOINT, ids=lambda m: type(m).__name__)
METHODS = ("predict", "predict_proba", "score", "score_samples", "link_table")


@pytest.fixture(scope="module")
def text():
    X, y = make_bitext(60, random_state=0)
    pairs = [(s.tolist(), t.tolist()) for s, t in X]
    pairs[3] = ([], pairs[3][1])
    pairs[7] = (pairs[7][0], [])
    y[3] = y[7] = np.zeros((0, 3), dtype=int)
    return pairs, y


def as_lists(links):
    return [pair.tolist() for pair in links]


def fit(model, X, **params):
    return clone(model).set_params(**params).fit(X)


@each
def test_links_are_those_of_fit_predict(model, text):
    X, y = text
    found = clone(model).fit_predict(X, y)
    fitted = fit(model, X)
    assert as_lists(found) == as_lists(fitted.links_)
    assert isinstance(fitted.links_, Ragged) and len(fitted.links_) == len(X)
    assert alignment_error_rate(y, found) < 0.6
    assert as_lists(clone(model).fit_predict(pair for pair in X)) == as_lists(found)


@pytest.mark.parametrize("model", ALIGNERS[:2], ids=["ibm1", "diagonal"])
def test_independent_links_of_the_training_text_are_predicted(model, text):
    for update in ("map", "variational"):
        params = {"update": update, "alpha": 0.1, "store_posteriors": True}
        fitted = fit(model, text[0], **params)
        assert as_lists(fitted.predict(text[0])) == as_lists(fitted.links_)
        proba = fitted.predict_proba(text[0])
        for a, b in zip(proba, fitted.posteriors_, strict=True):
            assert_array_equal(a, b)
    fitted = fit(model, text[0])
    assert not hasattr(fitted, "posteriors_")


@each
def test_an_answer_depends_on_its_pair_only(model, text):
    X, _ = text
    fitted = fit(model, X[:40])
    new = [*X[30:], (["the", "unicorn"], ["monoceros", "it"]), ([], []), *X[30:33]]
    links, proba, scores = (
        getattr(fitted, name)(new) for name in ("predict", "predict_proba", METHODS[3])
    )
    before = joblib.hash(fitted)
    order = np.random.default_rng(0).permutation(len(new))
    shuffled = [new[k] for k in order]
    assert as_lists(fitted.predict(shuffled)) == as_lists(links[order])
    assert_allclose(fitted.score_samples(shuffled), scores[order], rtol=1e-5)
    for k in (0, 3, 30, 31, 34):
        assert as_lists(fitted.predict(new[k : k + 1])) == [links[k].tolist()]
        alone = fitted.predict_proba(new[k : k + 1])[0]
        assert_allclose(alone, proba[k], rtol=1e-4, atol=1e-6)
        assert_allclose(fitted.score_samples(new[k : k + 1]), scores[k], rtol=1e-5)
    assert as_lists(fitted.predict(new)) == as_lists(links)
    assert joblib.hash(fitted) == before


@each
def test_forms(model, text):
    X = text[0][:20]
    forms = [X, tuple(X), np.asarray(Bitext(X)), pd.Series(X), Bitext(X)]
    fits = [fit(model, form) for form in forms]
    expected = as_lists(fits[0].predict(X))
    for form, fitted in zip(forms, fits, strict=True):
        assert as_lists(fitted.links_) == as_lists(fits[0].links_)
        found = fitted.predict(form)
        assert isinstance(found, Ragged if form is forms[-1] else np.ndarray)
        assert as_lists(found) == expected
        assert found[0].dtype == np.intp and found[3].shape == (0, 2)
        proba = fitted.predict_proba(form)
        assert [p.shape for p in proba] == [(len(s), len(t)) for s, t in X]
        assert all(p.dtype == float for p in proba)
        assert type(fitted.score(form)) is float


@joint
def test_sides_swapped_are_links_swapped(model, text):
    X, _ = text
    forward = fit(model, X, store_posteriors=True)
    reverse = fit(model, [(t, s) for s, t in X], store_posteriors=True)
    for a, b in zip(forward.posteriors_, reverse.posteriors_, strict=True):
        assert_allclose(a, b.T, atol=0.01)
    same = [
        a.tolist() == sorted(b[:, ::-1].tolist())
        for a, b in zip(forward.links_, reverse.links_, strict=True)
    ]
    assert np.mean(same) > 0.95


@joint
@pytest.mark.parametrize(
    "method", ["union", "intersection", "grow-diag-final-and", "forward", "reverse"]
)
def test_symmetrizations_join_the_directions(model, text, method):
    X, _ = text
    fitted = fit(model, X, symmetrization=method)
    links = fitted.predict(X)
    forward, reverse = (
        fitted.set_params(symmetrization=name).predict(X)
        for name in ("forward", "reverse")
    )
    for own, f, r in zip(links, forward, reverse, strict=True):
        own, f, r = ({tuple(link) for link in each.tolist()} for each in (own, f, r))
        assert f & r <= own <= f | r
        assert method != "union" or own == f | r
        assert method != "intersection" or own == f & r
        assert len({t for _, t in f}) == len(f) and len({s for s, _ in r}) == len(r)


@joint
def test_the_threshold_of_the_mean(model, text):
    X, _ = text
    fitted = fit(model, X)
    proba = fitted.predict_proba(X)
    for threshold in (0.0, 0.3, 0.9):
        links = fitted.set_params(threshold=threshold).predict(X)
        expected = [np.argwhere(p > threshold).tolist() for p in proba]
        assert as_lists(links) == expected


@each
def test_tables(model, text):
    X, _ = text
    fitted = fit(model, X)
    table = pd.DataFrame(fitted.link_table(X))
    assert len(table) == sum(map(len, fitted.predict(X)))
    for row in table.itertuples():
        source, target = X[row.pair]
        assert row.source == source[row.source_position]
        assert row.target == target[row.target_position]
        assert 0 <= row.probability <= 1
    lexicon = pd.DataFrame(fitted.lexicon(min_count=1))
    lexicon = lexicon.rename(columns={"count": "n_links"})
    words = [
        (X[n][0][i], X[n][1][j])
        for n, links in enumerate(fitted.links_)
        for i, j in links
    ]
    assert lexicon["n_links"].is_monotonic_decreasing
    assert len(lexicon) == len(set(words))
    for row in lexicon.itertuples():
        n = words.count((row.source, row.target))
        assert row.n_links == n
        of_source = sum(s == row.source for s, _ in words)
        of_target = sum(t == row.target for _, t in words)
        shares = row.target_given_source, row.source_given_target
        assert shares == pytest.approx((n / of_source, n / of_target))
    assert (fitted.lexicon(min_count=3)["count"] >= 3).all()
    for wrong in (0, 2.5, None):
        with pytest.raises(ValueError, match="min_count must be an integer"):
            fitted.lexicon(wrong)


@each
def test_scores_are_means_of_those_of_pairs(model, text):
    X, _ = text
    fitted = fit(model, X)
    two = hasattr(fitted, "directions_")
    n_words = np.array([len(t) + two * len(s) for s, t in X])
    logs = fitted.score_samples(X) * np.maximum(n_words, 1)
    assert fitted.score(X) == pytest.approx(logs.sum() / n_words.sum())
    weight = np.arange(len(X))
    expected = weight @ logs / (weight @ n_words)
    assert fitted.score(X, sample_weight=weight) == pytest.approx(expected)
    # A pair of sentences that do not belong together is less likely.
    wrong = [(X[0][0], X[20][1])]
    assert fitted.score(wrong) < fitted.score(X[:1])


@each
def test_clone_pickle_and_dump(model, text, tmp_path):
    X, _ = text
    assert not hasattr(clone(model), "links_")
    fitted = fit(model, X)
    joblib.dump(fitted, tmp_path / "model")
    for copy in (
        pickle.loads(pickle.dumps(fitted)),
        joblib.load(tmp_path / "model"),
    ):
        assert as_lists(copy.links_) == as_lists(fitted.links_)
        assert as_lists(copy.predict(X)) == as_lists(fitted.predict(X))
        assert copy.score(X) == fitted.score(X)
        assert copy.history_ == fitted.history_
    with pytest.raises(NotFittedError):
        clone(fitted).predict(X)
    assert type(model).__name__ in fitted._repr_html_()


@each
def test_checks_that_need_no_data(model):
    name = type(model).__name__
    for check in (
        checks.check_estimator_cloneable,
        checks.check_estimator_repr,
        checks.check_get_params_invariance,
        checks.check_set_params,
        checks.check_no_attributes_set_in_init,
        checks.check_parameters_default_constructible,
        checks.check_do_not_raise_errors_in_init_or_set_params,
        checks.check_valid_tag_types,
    ):
        check(name, clone(model))
    with pytest.warns(SkipTestWarning, match="Can't test estimator"):
        checks.check_estimator(clone(model))


@each
def test_fit_changes_neither_parameters_nor_input(model, text):
    X, y = text
    bitext, weight = Bitext(X), np.linspace(0.5, 1, len(X))
    for side in (bitext.source, bitext.target):
        side.values.flags.writeable = side.offsets.flags.writeable = False
    weight.flags.writeable = False
    lexicon = {("queen", "regina"): 1.0}
    estimator = clone(model).set_params(lexicon_prior=lexicon)
    before = dict(estimator.get_params())
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    estimator.fit(bitext, y, sample_weight=weight).predict(bitext)
    assert estimator.get_params() == before
    assert lexicon == {("queen", "regina"): 1.0}
    assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert fit(model, X).score(X) == fit(model, X).score(X)


@each
def test_not_fitted(model, text):
    for method in METHODS:
        with pytest.raises(NotFittedError):
            getattr(clone(model), method)(text[0])
    with pytest.raises(NotFittedError):
        clone(model).lexicon()


@each
def test_a_failed_fit_leaves_what_was_fitted(model, text):
    X, _ = text
    fitted = fit(model, X, store_posteriors=True)
    before = dict(vars(fitted))
    answers = as_lists(fitted.predict(X))
    for bad, weight in [([], None), (X, np.ones(2)), ([(["a"], [])], None)]:
        with pytest.raises(ValueError):
            fitted.fit(bad, sample_weight=weight)
    assert all(vars(fitted)[name] is value for name, value in before.items())
    assert as_lists(fitted.predict(X)) == answers
    fitted.set_params(store_posteriors=False).fit(X)
    assert not hasattr(fitted, "posteriors_")


@each
def test_threads_change_nothing(model, text):
    X = text[0] * 3
    one, three = (fit(model, X, n_jobs=n) for n in (None, 3))
    assert as_lists(one.links_) == as_lists(three.links_)
    for method in ("score_samples", "predict_proba"):
        for a, b in zip(*(getattr(m, method)(X) for m in (one, three)), strict=True):
            assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_random_state_draws_the_sample_of_the_encoder(text):
    X, _ = text
    model = CRFAutoencoderAligner(encoder_sample=5, max_iter=2)
    coefs = [fit(model, X, random_state=seed).coef_ for seed in (0, 0, 1)]
    assert_array_equal(coefs[0], coefs[1])
    assert np.abs(coefs[0] - coefs[2]).max() > 0.01
    rng = np.random.RandomState(0)
    assert_array_equal(fit(model, X, random_state=rng).coef_, coefs[0])
    whole = [
        fit(model, X, encoder_sample=None, random_state=seed).coef_ for seed in (0, 1)
    ]
    assert_array_equal(*whole)


DIGEST = """
import json, sys
from skstruct.datasets import make_bitext
from skstruct.estimators import CRFAutoencoderAligner, HMMAligner
X, _ = make_bitext(25, random_state=0)
models = [
    HMMAligner(reconstruction="brown", max_iter=2, constraint="symmetry"),
    CRFAutoencoderAligner(random_state=0, max_iter=2, features="paper"),
]
answers = [m.fit(X).history_ for m in models]
"""


def test_hash_seeds_change_nothing():
    done = subprocess.run(
        [sys.executable, "-c", DIGEST + "json.dump(answers, sys.stdout)"],
        env=os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    here = {}
    exec(DIGEST, here)
    assert json.loads(done.stdout) == here["answers"] and len(here["answers"]) == 2


class Stopper:
    """Stop a fit, or break it, after some iterations; keep the models on the way."""

    def __init__(self, after=None, error=None):
        self.after, self.error, self.models, self.scores = after, error, [], []

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        if context.task_name != "iteration":
            return False
        self.models.append(fitted_estimator)
        self.scores.append(fitted_estimator.score(X))
        if len(self.models) == self.after and self.error is not None:
            raise self.error
        return len(self.models) == self.after


@each
def test_a_callback_sees_models_and_stops_the_fit(model, text):
    X, _ = text
    params = {"agreement": None} if "agreement" in model.get_params() else {}
    stopper = Stopper(2)
    fitted = clone(model).set_params(max_iter=3, **params).set_callbacks(stopper)
    fitted.fit(X)
    assert fitted.n_iter_ == len(fitted.history_) == len(stopper.models) == 2
    short = fit(model, X, max_iter=2, **params)
    assert as_lists(short.links_) == as_lists(fitted.links_)
    assert short.score(X) == fitted.score(X) == stopper.scores[-1]
    # What was seen on the way stays as it was.
    assert [m.score(X) for m in stopper.models] == stopper.scores
    assert [m.n_iter_ for m in stopper.models] == [1, 2]
    assert stopper.scores[0] != stopper.scores[1]


@each
def test_a_callback_that_only_looks_changes_nothing(model, text):
    X, _ = text
    stopper = Stopper()
    fitted = clone(model).set_callbacks(stopper).fit(X)
    plain = fit(model, X)
    assert len(stopper.models) == fitted.n_iter_ == plain.n_iter_ == model.max_iter
    assert fitted.history_ == plain.history_
    assert as_lists(fitted.links_) == as_lists(plain.links_)


@each
@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("full")])
def test_an_interrupted_fit_leaves_no_half_of_a_model(model, text, error):
    X, _ = text
    fitted = clone(model).set_callbacks(Stopper(2, error))
    with pytest.raises(type(error)):
        fitted.fit(X)
    assert not hasattr(fitted, "links_") and not hasattr(fitted, "_model")
    fitted = fit(model, X)
    before = dict(vars(fitted))
    fitted.set_callbacks(Stopper(2, error))
    with pytest.raises(type(error)):
        fitted.fit(X[:10])
    assert all(vars(fitted)[name] is value for name, value in before.items())


@each
def test_progress_bar(model, text, capsys):
    clone(model).set_callbacks(ProgressBar()).fit(text[0][:10])
    assert type(model).__name__ in capsys.readouterr().out


@pytest.mark.parametrize("form", [list, Bitext])
def test_grid_search(text, form):
    X, y = text
    gold = [links if k % 3 else None for k, links in enumerate(y)]
    search = GridSearchCV(
        HMMAligner(max_iter=2),
        {"reconstruction": ["word", "stem"], "symmetrization": ["mean", "union"]},
        scoring=aer_scorer,
        cv=3,
        error_score="raise",
    ).fit(form(X), gold)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all() and len(set(scores)) > 1
    assert search.best_estimator_.n_iter_ == 2
    search.set_params(cv=TransductiveSplit()).fit(form(X), gold)
    rate = alignment_error_rate(gold, search.best_estimator_.predict(X))
    assert search.best_score_ == pytest.approx(-rate, abs=0.1)


def test_nested_search_and_threads(text):
    X, y = text
    search = GridSearchCV(
        SymmetrizedAligner(IBM1Aligner(max_iter=2)),
        {"aligner__null_prob": [0.05, 0.3], "method": ["intersection", "mean"]},
        scoring=aer_scorer,
        cv=TransductiveSplit(),
        error_score="raise",
    ).fit(X, y)
    assert len(set(search.cv_results_["mean_test_score"])) > 1


@each
@pytest.mark.parametrize("form", [list, Bitext])
def test_cross_val_predict(model, text, form):
    X = text[0][:20]
    model = clone(model).set_params(max_iter=1)
    found = cross_val_predict(model, form(X), cv=KFold(2))
    expected = [*fit(model, X[10:]).predict(X[:10])]
    expected += [*fit(model, X[:10]).predict(X[10:])]
    assert as_lists(found) == as_lists(expected)


@pytest.mark.parametrize("routing", [False, True])
def test_weights_in_cross_validation(text, routing):
    X, y = text
    weight = np.linspace(1, 2, len(X))
    with config_context(enable_metadata_routing=routing):
        model = IBM1Aligner(max_iter=2)
        if routing:
            model.set_fit_request(sample_weight=True)
            model.set_score_request(sample_weight=False)
        result = cross_validate(
            model, X, y, cv=2, params={"sample_weight": weight}, error_score="raise"
        )
    fitted = fit(IBM1Aligner(max_iter=2), X[30:])
    expected = clone(fitted).fit(X[30:], sample_weight=weight[30:]).score(X[:30])
    assert result["test_score"][0] == pytest.approx(expected)
    assert expected != fitted.score(X[:30])


@each
def test_integer_tokens(model, text):
    X = text[0][:30]
    words = sorted({word for pair in X for side in pair for word in side})
    number = {word: 1000 + k for k, word in enumerate(words)}
    numbers = [([number[w] for w in s], [number[w] for w in t]) for s, t in X]
    # Strings of the same digits, so that features of spelling are the same.
    digits = [([str(k) for k in s], [str(k) for k in t]) for s, t in numbers]
    fitted, same = fit(model, numbers), fit(model, digits)
    assert as_lists(fitted.links_) == as_lists(same.links_)
    assert fitted.score(numbers) == pytest.approx(same.score(digits))
    assert fitted.lexicon(1)["source"].dtype.kind in "iO"
    assert (
        fitted.link_table(numbers)["source"][0]
        == numbers[0][0][fitted.link_table(numbers)["source_position"][0]]
    )

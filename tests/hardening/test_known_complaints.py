"""What users of similar libraries complain of, one test for each complaint.

Problems that concern one estimator's method closely have more tests beside it, in
tests/estimators; here each is tried on all estimators that it can concern.
"""

import ast
import gc
import os
import pickle
import sys
import tempfile
import time
import tomllib
import tracemalloc
import warnings
from itertools import product
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV

from skstruct import (
    AnnealedHMM,
    Bitext,
    CRFAutoencoderTagger,
    Ragged,
)
from skstruct.emissions import Categorical
from skstruct.metrics import classification_report, token_f1
from tests._instances import expected_failed_checks, instances
from tests.hardening._cases import CASES, DATA, KINDS, WORDS, answers, fit, flat

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "skstruct").rglob("*.py"))
ignore_slow = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)
# A few iterations do not converge, and six sentences are few.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*did not converge", "ignore:After max_iter"
)


def those(has, kinds="words numbers labelled pairs table"):
    """Runs a test for the estimators and kinds of data that have something."""
    pairs = [
        (name, kind)
        for name, kind in KINDS
        if kind in kinds.split() and has(CASES[name].make)
    ]
    return pytest.mark.parametrize(("name", "kind"), pairs)


def method(*names):
    return lambda model: any(hasattr(model, name) for name in names)


def parameter(name):
    return lambda model: name in model.get_params(deep=False)


each = those(lambda model: True)


@pytest.fixture(scope="module")
def fitted():
    return {pair: fit(*pair) for pair in KINDS}


@pytest.fixture
def model(fitted, name, kind):
    return fitted[name, kind]


def assert_alike(found, expected):
    for key in expected:
        a, b = flat(found[key]), flat(expected[key])
        same = [x == y or x == pytest.approx(y) for x, y in zip(a, b, strict=True)]
        assert all(same), key


def hmm(n_states=2, **params):
    return AnnealedHMM(n_states, random_state=0, **params)


# Scikit-learn


@each
def test_constructor_arguments_are_kept_under_their_names(name, kind):
    make = type(CASES[name].make)
    given = {key: object() for key in clone(CASES[name].make).get_params(deep=False)}
    model = make(**given)
    assert all(getattr(model, key) is value for key, value in given.items())
    again = clone(CASES[name].make)
    assert repr(clone(again)) == repr(again) and type(again).__name__ in repr(again)


def test_a_report_works_with_keyword_only_arguments_of_scikit_learn():
    report = classification_report(DATA["labelled"][1], DATA["labelled"][1], digits=3)
    assert "1.000" in report


def test_f1_of_exactly_two_names():
    gold, found = [["N", "V"], ["N", "N"]], [["N", "V"], ["V", "N"]]
    assert token_f1(gold, found) == pytest.approx((0.8 + 2 / 3) / 2)


@those(method("score"))
def test_grid_search(name, kind):
    option = sorted(CASES[name].options.keys() - {"loss", "alpha"})[0]
    grid = {option: CASES[name].options[option][:2]}
    search = GridSearchCV(clone(CASES[name].make), grid, cv=2, error_score="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # folds are tiny
        search.fit(*DATA[kind])
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert option in search.best_params_


def test_checks_of_scikit_learn_that_fail_are_few_and_have_reasons():
    for model in instances():
        failures = expected_failed_checks(model)
        assert len(failures) <= 1 and all(failures.values())


def test_private_parts_of_scikit_learn_are_imported_in_one_place():
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = getattr(node, "module", None) or ""
            if module.startswith("sklearn.") and "._" in module:
                found.add(path.name)
    assert found <= {"_params.py"}


def test_integers_are_symbols_and_counts_only_by_name():
    X = [[0, 5, 0], [5, 5]]
    assert hmm().fit(X).emissionprob_.shape == (2, 2)
    assert hmm(emissions="poisson").fit(X).rates_.shape == (2, 1)
    with pytest.raises(ValueError, match=r"emissions.*categorical"):
        hmm(emissions="multinomial").fit(X)


# Several sequences


@each
def test_all_take_sequences_in_all_forms(name, kind, model):
    if kind == "table":
        forms = [np.asarray, pd.DataFrame, lambda X: Ragged([[row] for row in X])]
    else:
        batch = Bitext if kind == "pairs" else Ragged
        forms = [list, tuple, batch, lambda X: np.asarray(batch(X)), pd.Series]
    expected = answers(model, *DATA[kind])
    for form in forms:
        data = [form(part) for part in DATA[kind]]
        found = answers(clone(model).fit(*data), *data)
        assert_alike(found, expected)


@those(method("predict"), "words numbers labelled")
def test_wrong_shapes_name_the_right_call(name, kind):
    y = DATA[kind][1:]
    for X, message in [
        (np.array([["a", "b"], ["c", "d"]]), "from_rows"),
        (["a", "b"], r"\[sequence\]|single str"),
        (np.arange(6.0), r"\[X\].*from_lengths"),
        ([[1.0, 2.0], 3.0], "single float"),
    ]:
        with pytest.raises(ValueError, match=message):
            clone(CASES[name].make).fit(X, *y)


@those(parameter("n_states"), "numbers")
def test_a_series_in_the_place_of_a_table_warns(name, kind):
    with pytest.warns(UserWarning, match=r"length one.*\[X\]"):
        clone(CASES[name].make).fit(np.arange(12.0)[:, None])


@those(parameter("n_states"), "numbers")
def test_starts_of_sequences_of_unlike_lengths(name, kind):
    model = clone(CASES[name].make).set_params(max_iter=1)
    model.fit(DATA[kind][0])
    assert np.isfinite(model.score(DATA[kind][0]))


@pytest.mark.parametrize("lengths", [[3, 100], [3, 1], [-1, 6], [2.5, 2.5]])
def test_lengths_that_do_not_fit(lengths):
    with pytest.raises(ValueError, match="length"):
        Ragged.from_lengths(list("abcde"), lengths)


@those(method("score_samples"))
def test_each_sample_has_a_likelihood(name, kind, model):
    each_one = model.score_samples(*DATA[kind])
    assert each_one.shape == (len(DATA[kind][0]),)
    assert np.isfinite(each_one).all() and len(set(each_one)) > 1
    alone = [
        model.score_samples(*([part[i]] for part in DATA[kind]))[0]
        for i in range(len(DATA[kind][0]))
    ]
    assert_allclose(each_one, alone)


# Convergence and degenerate models

LIKELIHOOD = [
    "AnnealedHMM",
    "AnnealedHMM, missing numbers",
    "CRFAutoencoderTagger",
    "IBM1Aligner",
    "DiagonalAligner",
    "PosteriorRegularizedClusterer",
    "PitmanYorClusterer",
]


@pytest.mark.parametrize(("name", "kind"), [p for p in KINDS if p[0] in LIKELIHOOD])
def test_objectives_rise_until_converged(name, kind):
    # A warmup without the constraint has another objective, and variational updates
    # ascend a bound.
    ascent = {"warmup": 0, "update": "map", "alpha": 0.0}
    ascent = {k: v for k, v in ascent.items() if parameter(k)(CASES[name].make)}
    model = fit(name, kind, max_iter=200, **ascent)
    values = [r.get("objective", r.get("log_likelihood")) for r in model.history_]
    assert len(values) > 2
    assert np.diff(values).min() > -1e-6
    if hasattr(model, "converged_"):
        assert model.converged_ and model.n_iter_ < 200


@those(method("predict_proba"))
def test_posteriors_are_not_all_alike(name, kind, model):
    rows = np.array(flat(model.predict_proba(DATA[kind][0])))
    assert rows.std() > 1e-3


def test_states_that_stay_alike_are_told():
    with pytest.warns(ConvergenceWarning, match="identical"):
        hmm().fit([["a", "a"], ["a"]])


@pytest.mark.parametrize(
    "parameter_name", ["alpha", "context_alpha", "transition_alpha"]
)
def test_small_priors_give_probabilities_and_negative_ones_an_error(parameter_name):
    tried = 0
    for name, kind in KINDS:
        model = clone(CASES[name].make)
        if parameter_name not in model.get_params(deep=False):
            continue
        tried += 1
        model.set_params(**{parameter_name: 1e-9}).fit(*DATA[kind])
        proba = np.array(flat(model.predict_proba(DATA[kind][0])))
        assert (proba >= 0).all() and (proba <= 1 + 1e-9).all()
        with pytest.raises(ValueError, match=parameter_name):
            model.set_params(**{parameter_name: -0.5}).fit(*DATA[kind])
    assert tried


@those(method("set_fit_request"))
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e90])
def test_zeros_and_scales_of_weights_give_no_numeric_warnings(name, kind, scale):
    model = clone(CASES[name].make)
    if model.get_params().get("update") == "map":
        model.set_params(alpha=0.0)
    if kind == "table":  # whose weights are counts
        scale = max(scale, 1.0)
    weight = np.full(len(DATA[kind][0]), scale)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model.fit(*DATA[kind], sample_weight=weight)
        found = answers(model, *DATA[kind])
    numbers = [v for v in flat(found) if isinstance(v, float)]
    assert np.isfinite(numbers).all()


@those(lambda model: True, "words labelled pairs table")
def test_many_symbols_do_not_overflow(name, kind):
    words = [f"w{i}" for i in range(600)]
    sentences = [words[i : i + 60] for i in range(0, 600, 60)]
    X = {
        "pairs": [*zip(sentences, sentences[::-1], strict=True)],
        "table": np.array([["p", left, left] for left in words], dtype=object),
    }.get(kind, sentences)
    y = [[list("NVD")[i % 3] for i in range(60)]] * 10 if kind == "labelled" else None
    model = clone(CASES[name].make).fit(X, y) if y else clone(CASES[name].make).fit(X)
    numbers = [v for r in getattr(model, "history_", []) for v in r.values()]
    numbers += [
        v for v in flat(answers(model, X[:2], y and y[:2])) if isinstance(v, float)
    ]
    assert np.isfinite(numbers).all() and (numbers or not hasattr(model, "score"))


def test_an_impossible_sequence_is_named_in_fit_and_scored_in_predict():
    strict = hmm(
        emissions=Categorical(init=np.eye(2)),
        startprob_init=[1, 0],
        transmat_init=[[0, 1], [0, 1]],
        fixed=["startprob", "transmat", "emission"],
    )
    with pytest.raises(ValueError, match="Sequence 1 has probability zero"):
        clone(strict).fit([["a", "b"], ["b", "a"]])
    model = strict.fit([["a", "b"]])
    assert model.score_samples([["b", "a"], ["a"]]).tolist() == [-np.inf, 0]
    assert set(model.predict([["b", "a"]])[0]) <= {0, 1}


@those(method("predict"))
def test_fits_learn_more_than_one_answer(name, kind, model):
    found = flat(model.predict(DATA[kind][0]))
    assert len(set(found)) > 1


@pytest.mark.parametrize("order", [1, 2])
def test_transitions_are_learnt_however_the_model_was_built(order):
    X = [list("abab"), list("ba"), list("abb")]
    n = (2,) * (order + 1)
    ways = [{}, {"transmat_init": np.full(n, 0.5)}, {"startprob_init": [0.5, 0.5]}]
    for way in ways:
        emissions = Categorical(init=[[0.8, 0.2], [0.3, 0.7]], symbols=["a", "b"])
        model = hmm(order=order, emissions=emissions, **way).fit(X)
        assert np.abs(model.transmat_ - 0.5).max() > 0.05


@those(lambda model: True, "labelled")
def test_transitions_of_labels_are_learnt(name, kind, model):
    assert np.abs(model.transition_coef_).max() > 1e-3


# Symbols and missing values


def test_known_symbols_that_do_not_occur_keep_a_probability():
    emissions = Categorical(alpha=0.5, symbols=["a", "b", "z"])
    model = hmm(1, emissions=emissions).fit([["a", "b"], ["b"]])
    assert (model.emissionprob_[:, 2] > 1e-3).all()
    assert np.isfinite(model.score([["z"]]))


@those(method("predict", "transform"), "words labelled pairs table")
def test_symbols_never_seen_have_answers(name, kind, model):
    X = {"pairs": [(["q"], ["r", "q"])], "table": np.array([["q"] * 3], dtype=object)}
    found = answers(model, X.get(kind, [["q", "r"], ["q"]]))
    assert np.isfinite([v for v in flat(found) if isinstance(v, float)]).all()


@those(lambda model: True, "numbers labelled")
def test_missing_numbers_are_named_or_marginalised(name, kind):
    X = [np.ones((3, 2)), np.arange(8.0).reshape(4, 2)]
    X[1][2, 0] = np.nan
    y = [["N"] * 3, ["V"] * 4]
    model = clone(CASES[name].make)
    if name == "AnnealedHMM, missing numbers":
        assert np.isfinite(model.fit(X).score(X))
        return
    with pytest.raises(ValueError, match=r"NaN|nan"):
        model.fit(X, *([y] if kind == "labelled" else []))


# Signs, masks and use before fit


@pytest.mark.parametrize(("name", "kind"), [p for p in KINDS if p[0] in LIKELIHOOD])
def test_a_better_model_has_the_greater_score(name, kind):
    X = DATA[kind][0]
    params = {"constraint": None} if parameter("constraint")(CASES[name].make) else {}
    worse, better = (fit(name, kind, max_iter=n, **params) for n in (1, 30))
    assert better.score(X) > worse.score(X)


@those(lambda model: True, "labelled")
def test_right_labels_have_the_greater_score(name, kind, model):
    X, y = DATA[kind]
    wrong = [list(map({"D": "N", "N": "V", "V": "D"}.get, labels)) for labels in y]
    assert model.score(X, y) > model.score(X, wrong)
    assert model.surrogate(X, y) < model.surrogate(X, wrong)


@those(parameter("supervision"), "words")
@pytest.mark.parametrize("unknown", [None, np.nan])
def test_labels_unknown_inside_a_sequence(name, kind, unknown):
    y = [
        ["D", unknown, "V", unknown, "N"],
        ["D", "N"],
        [],
        [unknown],
        None,
        list("DNV"),
    ]
    model = clone(CASES[name].make).set_params(n_states=3, supervision="clamp")
    model.fit(WORDS, y)
    assert model.states_.tolist() == ["D", "N", "V"]
    assert model.score(WORDS) < 0
    assert [len(labels) for labels in model.predict(WORDS)] == [5, 2, 0, 1, 5, 3]
    assert model.predict(WORDS[:1], observed_labels=y[:1])[0][
        [0, 2, 4]
    ].tolist() == list("DVN")


@each
def test_nothing_is_learnt_before_fit_and_all_of_it_afterwards(name, kind, model):
    new = clone(CASES[name].make)
    assert not [key for key in vars(new) if key.endswith("_")]
    learnt = {key: value for key, value in vars(model).items() if key.endswith("_")}
    assert learnt
    for key, value in learnt.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert np.isfinite(value).all(), key


@each
def test_use_before_fit(name, kind):
    asked = 0
    for each_method in (
        "predict",
        "predict_proba",
        "predict_k_best",
        "predict_equilibrium",
        "edge_proba",
        "filter_proba",
        "predict_next_proba",
        "score_samples",
        "score",
        "transform",
        "link_table",
        "aic",
        "bic",
        "surrogate",
    ):
        model = clone(CASES[name].make)
        if not hasattr(model, each_method):
            continue
        asked += 1
        data = DATA[kind] if each_method in ("score", "surrogate") else DATA[kind][:1]
        more = (2,) if each_method == "predict_k_best" else ()
        with pytest.raises(NotFittedError):
            getattr(model, each_method)(*data, *more)
    assert asked


# Memory and speed


@those(lambda model: True, "labelled")
def test_sparse_features_are_taken_as_they_are(name, kind):
    X, y = DATA[kind]
    words = sorted({w for s in X for w in s})
    rows = np.eye(len(words))[[words.index(w) for s in X for w in s]]
    lengths = [len(s) for s in X]
    dense = Ragged.from_lengths(rows, lengths)
    sparse = Ragged.from_lengths(sp.csr_array(rows), lengths)
    a, b = (clone(CASES[name].make).fit(batch, y) for batch in (dense, sparse))
    assert_allclose(a.coef_, b.coef_, atol=1e-6)
    assert_array_equal(flat(a.predict(dense)), flat(b.predict(sparse)))


@those(lambda model: True, "words numbers labelled pairs")
def test_generators_are_read(name, kind, model):
    found = clone(model).fit((x for x in DATA[kind][0]), *DATA[kind][1:])
    assert_alike(answers(found, DATA[kind][0]), answers(model, DATA[kind][0]))


@ignore_slow
def test_batches_can_be_learnt_from_one_by_one():
    model = hmm()
    for batch in ([["a", "b"] * 3], [["b", "a"]], [["a", "c"]]):
        model.partial_fit(batch)
    assert model.symbols_.tolist() == ["a", "b", "c"]


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@those(method("predict"), "words numbers labelled pairs")
def test_a_batch_is_no_loop_over_samples(name, kind, model):
    X = DATA[kind][0]
    many, few = (type(X)(X) * n for n in (60, 6))
    ways = [
        lambda: model.predict(many),
        lambda: [model.predict([x]) for x in few],
    ]
    # A tenth of the samples, one at a time, takes longer than all of them at once.
    batch, loop = (min(seconds(way) for _ in range(2)) for way in ways)
    assert batch < loop


@pytest.mark.parametrize(
    "model",
    [AnnealedHMM(3, tol=0, n_init=1), CRFAutoencoderTagger(3, init="random", tol=0)],
    ids=lambda model: type(model).__name__,
)
@ignore_slow
def test_memory_does_not_grow_with_iterations(model):
    X = WORDS * 50
    model.set_params(n_jobs=2, random_state=0, max_iter=3).fit(X)

    def peak(max_iter):
        gc.collect()
        tracemalloc.start()
        clone(model).set_params(max_iter=max_iter).fit(X)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(40) < 1.3 * peak(4)


# Files and processes


@each
def test_a_pickled_model_is_the_model(name, kind, model):
    again = pickle.loads(pickle.dumps(model))
    assert_alike(answers(again, *DATA[kind]), answers(model, *DATA[kind]))


@each
def test_a_saved_model_has_the_same_parameters(name, kind, model, tmp_path):
    joblib.dump(model, tmp_path / "model")
    again = joblib.load(tmp_path / "model")
    assert repr(again) == repr(model) and vars(again).keys() == vars(model).keys()
    for key, value in vars(model).items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            assert_array_equal(getattr(again, key), value, err_msg=key)


@each
def test_models_leave_no_files(name, kind, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    model = pickle.loads(pickle.dumps(fit(name, kind)))
    answers(model, *DATA[kind])
    assert os.listdir(tmp_path) == []


def compiled():
    """Decorators of all compiled functions."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for decorator in getattr(node, "decorator_list", []):
                called = getattr(decorator, "func", decorator)
                if getattr(called, "id", None) in ("njit", "jit", "vectorize"):
                    yield path.name, decorator


def test_compiled_code_lets_other_threads_run():
    found = list(compiled())
    assert len(found) > 30
    for where, decorator in found:
        options = ast.unparse(decorator)
        assert "nogil=True" in options, f"{where}:{decorator.lineno}"


# Installation


def test_nothing_is_built_on_installation():
    files = {p.suffix for p in (ROOT / "skstruct").rglob("*") if p.is_file()}
    assert files - {".pyc", ".nbi", ".nbc"} <= {".py", ".typed", ".html", ".css"}


def declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {r.split(">")[0].split("=")[0] for r in project["dependencies"]}
    return {{"scikit-learn": "sklearn"}.get(name, name) for name in names}


def test_what_is_imported_with_the_package_is_declared():
    found = set()
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module.split(".")[0])
    assert {"numpy", "numba"} < found
    assert found - set(sys.stdlib_module_names) - {"skstruct"} <= declared()


# What users ask for


@those(method("score"))
def test_samples_have_weights(name, kind):
    n = len(DATA[kind][0])
    fits = [
        clone(CASES[name].make).fit(*DATA[kind], sample_weight=weight)
        for weight in (None, np.ones(n), np.arange(1.0, n + 1) ** 2)
    ]
    plain, ones, unlike = (
        flat(m.coef_ if kind == "labelled" else m.predict_proba(DATA[kind][0]))
        for m in fits
    )
    assert plain == pytest.approx(ones) and plain != pytest.approx(unlike)


@those(parameter("supervision"), "words")
def test_known_states_can_be_learnt_from(name, kind):
    X, y = DATA["labelled"]
    model = clone(CASES[name].make).set_params(n_states=None, supervision="clamp")
    model.fit(X, y)
    assert model.states_.tolist() == ["D", "N", "V"]
    assert flat(model.predict(X)) == flat(y)
    if name == "AnnealedHMM":
        assert_allclose(model.transmat_, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-9)


def test_tokens_and_sequences_have_probabilities(fitted):
    model = fitted["ConditionalRandomField", "labelled"]
    X = [["the", "dog", "saw"]]
    labelings = [list(y) for y in product(model.classes_, repeat=3)]
    p = np.exp([model.score_samples(X, [y])[0] for y in labelings])
    assert p.sum() == pytest.approx(1)
    first = sum(q for q, y in zip(p, labelings, strict=True) if y[0] == "D")
    assert model.predict_proba(X)[0][0, 0] == pytest.approx(first)
    # Pairs of labels, from the same enumeration.
    pair = sum(q for q, y in zip(p, labelings, strict=True) if y[:2] == ["D", "N"])
    assert model.edge_proba(X)[0][0][0, 1] == pytest.approx(pair)


def test_weights_of_transitions_and_features_can_be_read(fitted):
    model = fitted["ConditionalRandomField", "labelled"]
    K = len(model.classes_)
    assert model.transition_coef_.shape == (K, K)
    names = model.featurizer_.get_feature_names_out()
    assert model.coef_.shape == (K, len(names))
    tagger = fitted["CRFAutoencoderTagger", "words"]
    assert len(tagger.top_features(3)) > 0


def test_criteria_choose_the_number_of_states():
    rng = np.random.RandomState(0)
    series = np.r_[rng.normal(size=60), rng.normal(9, 1, 60)]
    X = [series[:, None]]
    criteria = {k: hmm(k).fit(X) for k in (1, 2, 3)}
    assert min(criteria, key=lambda k: criteria[k].bic(X)) == 2
    assert criteria[2].aic(X) < criteria[1].aic(X)


@those(lambda m: parameter("n_init")(m) and method("score")(m), "words")
def test_more_starts_are_no_worse(name, kind):
    one, many = (fit(name, kind, n_init=n) for n in (1, 6))
    assert many.score(WORDS) >= one.score(WORDS) - 1e-12


@ignore_slow
def test_states_have_an_order_that_seeds_do_not_change():
    rng = np.random.RandomState(0)
    X = [np.r_[rng.normal(size=(40, 1)), rng.normal(9, 1, (20, 1))]]
    for make in (hmm, CRFAutoencoderTagger):
        fits = [make(2).set_params(random_state=seed).fit(X) for seed in range(3)]
        paths = [m.predict(X)[0].tolist() for m in fits]
        assert paths[0] == paths[1] == paths[2] == [0] * 40 + [1] * 20


@those(parameter("supervision"), "words")
def test_some_labels_can_be_fixed_in_predict(name, kind, model):
    free = model.predict(WORDS)
    other = model.states_[1] if free[0][1] == model.states_[0] else model.states_[0]
    fixed = [[None] * len(s) for s in WORDS]
    fixed[0][1] = other
    assert model.predict(WORDS, observed_labels=fixed)[0][1] == other
    proba = model.predict_proba(WORDS, observed_labels=fixed)[0]
    assert proba[1].max() == pytest.approx(1)


@those(method("predict_proba"))
def test_what_probabilities_mean_is_documented(name, kind, model):
    first = type(model).predict_proba.__doc__.splitlines()[0].lower()
    assert "probabili" in first
    assert any(w in first for w in ("state", "label", "link", "catego"))
    if kind != "pairs":
        p = model.predict_proba(DATA[kind][0])
        rows = p if kind == "table" else np.concatenate(list(p))
        assert_allclose(rows.sum(axis=1), 1)

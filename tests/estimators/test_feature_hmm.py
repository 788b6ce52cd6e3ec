"""The feature HMM: log-linear emissions, by EM or by L-BFGS on the likelihood."""

import pickle
import warnings
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator

from skstruct.containers import Ragged
from skstruct.emissions import LogLinear
from skstruct.estimators import AnnealedHMM
from skstruct.estimators._hmm._direct import _Weights
from skstruct.estimators._hmm._em import Trainer
from skstruct.estimators._hmm._training import Training
from skstruct.metrics import token_accuracy
from tests import _oracles as oracle
from tests.estimators._hmm_oracle import (
    DICTIONARY,
    STATES,
    SYMBOLS,
    WEIGHT,
    K,
    X,
    guidance,
    random_parameters,
)

NAMES = {"a": ["vowel"], "b": ["round"], "c": ["round"], "d": []}
SOLVERS = ["em", "lbfgs"]


def text(n=120, seed=0):
    """Sentences of a stem and an ending, and the endings' states."""
    rng = np.random.default_rng(seed)
    transmat = np.array([[0.1, 0.8, 0.1], [0.2, 0.1, 0.7], [0.7, 0.2, 0.1]])
    endings = ["ing", "ous", "eld"]
    sentences, tags = [], []
    for _ in range(n):
        y = [rng.integers(3)]
        for _ in range(rng.integers(2, 8)):
            y.append(rng.choice(3, p=transmat[y[-1]]))
        sentences.append([f"{'bcdfghkl'[rng.integers(8)]}{endings[k]}" for k in y])
        tags.append(y)
    return sentences, tags


def feature_hmm(solver="lbfgs", n_states=K, **params):
    params = {"emissions": LogLinear(NAMES.get, symbols=SYMBOLS, l2=0.3)} | params
    return AnnealedHMM(
        n_states, **{"solver": solver, "random_state": 0, "n_init": 1} | params
    )


def quiet_fit(model, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*args, **kwargs)


def marginal_objective(model, mask, labels):
    """By enumeration: log-likelihood and log-priors a token, of the model's tables."""
    total = model.alpha * sum(
        np.log(p[may]).sum()
        for p, may in zip(model._tables(), model._possible, strict=True)
    )
    total -= 0.15 * (model.emission.coef_**2).sum()
    design = np.array([[1.0, 0], [0, 1], [0, 1], [0, 0]])
    coef = model.emission.coef_
    log_b = log_softmax(np.where(mask, design @ coef[:2] + coef[2:], -np.inf), axis=0)
    with np.errstate(divide="ignore"):
        log_pi, log_a = np.log(model.start), np.log(model.transmat)
        log_2 = None if model.second is None else np.log(model.second)
    for i, sequence in enumerate(X):
        codes = [SYMBOLS.index(w) for w in sequence]
        paths = oracle.enumerate_paths(len(codes), K)
        scores = oracle.chain_scores(
            paths, log_b[codes], log_a, log_pi, second=log_2, order=model.order
        )
        for t, label in enumerate((labels and labels[i]) or []):
            if label is not None:
                scores[paths[:, t] != STATES.index(label)] = -np.inf
        if WEIGHT[i]:
            total += WEIGHT[i] * oracle.log_partition(scores)
    return total / (WEIGHT @ [len(s) for s in X])


@pytest.mark.parametrize("guide", ["nothing", "dictionary", "labels"])
@pytest.mark.parametrize("order", [1, 2])
def test_gradient_of_the_marginal_likelihood(guide, order):
    mask, dictionary, labels = guidance(guide)
    start = random_parameters(0, order, mask)
    start.start[0] = 0.0
    start = start._replace(start=start.start / start.start.sum())
    hmm = feature_hmm(
        order=order,
        tag_dictionary=dictionary,
        supervision="ignore" if labels is None else "clamp",
        transition_alpha=0.2,
        startprob_init=start.start if guide == "nothing" else None,
        transmat_init=start.transmat,
    )
    training = Training(hmm, X, labels, WEIGHT)
    trainer = Trainer(training.batch, training.weight, None, None)
    model = training._start(np.random.RandomState(0), trainer)
    weights = _Weights(model)
    x = weights.get()
    x += 0.5 * np.random.default_rng(1).standard_normal(len(x))

    def objective(x):
        weights.set(x)
        return marginal_objective(model, mask, labels)

    step = 1e-5 * np.eye(len(x))
    slope = [(objective(x + h) - objective(x - h)) / 2e-5 for h in step]
    value = objective(x)
    posterior = trainer.posterior(model, 1.0)
    assert_allclose(trainer.objective(model, posterior, 1.0), value)
    gradient = weights.gradient(model.statistics(training.batch, posterior))
    assert_allclose(gradient / trainer.n_tokens, slope, atol=1e-8)
    if guide == "nothing":
        assert model.start[0] == 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_objective_never_falls(solver):
    sentences, _ = text()
    hmm = feature_hmm(solver, 3, emissions="loglinear", max_iter=60)
    quiet_fit(hmm, sentences)
    objective = np.array([record["objective"] for record in hmm.history_])
    assert (np.diff(objective) >= -1e-12).all()
    assert objective[-1] > objective[0] + 0.1
    # The history holds the objective of the model of the time.
    likelihood = hmm.history_[-1]["log_likelihood"]
    prior = hmm.emissions_.log_prior() / sum(map(len, sentences))
    assert_allclose(hmm.history_[-1]["objective"], likelihood + prior, rtol=1e-3)
    if solver == "lbfgs":
        assert_allclose(hmm.score(sentences), likelihood)


def test_em_and_lbfgs_reach_the_same_optimum():
    sentences, _ = text()
    fits = {
        solver: feature_hmm(
            solver, 3, emissions="loglinear", max_iter=2000, tol=1e-10
        ).fit(sentences)
        for solver in SOLVERS
    }
    em, direct = fits["em"], fits["lbfgs"]
    assert direct.converged_ and em.converged_
    assert direct.n_e_steps_ > direct.n_iter_
    for name, tolerance in (("transmat_", 2e-3), ("emissionprob_", 2e-3)):
        assert_allclose(getattr(em, name), getattr(direct, name), atol=tolerance)
    assert_allclose(
        em.history_[-1]["objective"], direct.history_[-1]["objective"], rtol=1e-5
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_unknown_words_are_told_by_their_suffix(solver):
    sentences, tags = text()
    hmm = feature_hmm(solver, 3, emissions=LogLinear(l2=0.1), max_iter=80, n_init=3)
    quiet_fit(hmm, sentences)
    named = dict(
        zip(np.concatenate(hmm.predict(sentences)), np.concatenate(tags), strict=True)
    )
    assert len(named) == 3
    new = [["zing", "zous", "zeld"], ["weld"], ["xyz"]]
    # Alone, without a neighbour that could tell.
    alone = [[w] for w in new[0]]
    assert [named[y[0]] for y in hmm.predict(alone)] == [0, 1, 2]
    proba = hmm.predict_proba([["xyz"]])[0][0]
    assert_allclose(proba, hmm.startprob_, atol=1e-12)
    assert np.isfinite(hmm.score_samples(new)).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_dictionary(solver):
    sentences, tags = text()
    names = np.array(["V", "A", "N"])
    dictionary = {"bing": "V", "bous": "A", "beld": "N", "cing": ["V", "N"]}
    unseen = {"zing": "N"}
    hmm = feature_hmm(
        solver,
        None,
        emissions="loglinear",
        tag_dictionary=dictionary | unseen,
        max_iter=200,
    )
    quiet_fit(hmm, sentences)
    gold = [names[y].tolist() for y in tags]
    assert token_accuracy(gold, hmm.predict(sentences)) > 0.95
    states, symbols = hmm.states_.tolist(), hmm.symbols_.tolist()
    for word, listed in dictionary.items():
        possible = hmm.emissionprob_[:, symbols.index(word)] > 0
        assert_array_equal(possible, [s in listed for s in states])
    # Listed words that training never saw are held to their states, others not.
    assert [*map(str, np.concatenate(hmm.predict([["zing"], ["zous"]])))] == ["N", "A"]


def test_labels_hold():
    hmm = feature_hmm(n_states=None, supervision="clamp", max_iter=300)
    labels = guidance("labels")[2]
    quiet_fit(hmm, X, labels, sample_weight=WEIGHT)
    again = hmm.predict(X, observed_labels=labels)
    assert again[0][2] == "B" and again[3].tolist()[::2] == ["C", "A"]


def test_all_labels_are_known():
    """Then the optimum in the transitions is relative frequency."""
    labels = [list("ABCA"), ["C"], [], ["C", "A", "A"], ["A", "B"], list("ABBA")]
    hmm = feature_hmm(n_states=None, supervision="clamp", tol=1e-13, max_iter=2000)
    hmm.fit(X, labels, sample_weight=WEIGHT)
    counts = np.zeros((3, 3))
    for y, w in zip(labels, WEIGHT, strict=True):
        for a, b in pairwise(y):
            counts[STATES.index(a), STATES.index(b)] += w
    seen = counts.sum(axis=1) > 0
    expected = counts[seen] / counts[seen].sum(axis=1, keepdims=True)
    assert_allclose(hmm.transmat_[seen], expected, atol=2e-3)


@pytest.mark.parametrize("order", [1, 2])
def test_zeros_and_fixed_parts_stay(order):
    transmat = np.full((K,) * (order + 1), 1 / 2)
    transmat[..., 0] = 0.0
    hmm = feature_hmm(
        order=order,
        startprob_init=[1.0, 0, 0],
        transmat_init=transmat,
        fixed="startprob",
        max_iter=20,
    )
    quiet_fit(hmm, X)
    assert_array_equal(hmm.startprob_, [1, 0, 0])
    assert (hmm.transmat_[..., 0] == 0).all()
    assert not np.allclose(hmm.transmat_, transmat)
    coef = np.random.default_rng(0).standard_normal((len(SYMBOLS) + 2, K))
    held = clone(hmm).set_params(
        emissions=LogLinear(NAMES.get, symbols=SYMBOLS, init=coef),
        fixed=("startprob", "transmat", "emission"),
    )
    held.fit(X)
    assert_array_equal(held.emissions_.coef_, coef)
    assert_array_equal(held.transmat_, transmat)
    assert held.n_iter_ == 1 and held.converged_


def test_start_weights_say_how_many_states_there_are():
    coef = np.random.default_rng(0).standard_normal((len(SYMBOLS) + 2, 5))
    emission = LogLinear(NAMES.get, symbols=SYMBOLS, init=coef)
    hmm = quiet_fit(feature_hmm(n_states=None, emissions=emission, max_iter=2), X)
    assert len(hmm.states_) == 5
    with pytest.raises(ValueError, match="n_states"):
        feature_hmm(n_states=3, emissions=emission).fit(X)


def test_same_seed_same_model_and_restarts():
    sentences, _ = text(40)
    params = {"emissions": "loglinear", "max_iter": 15}
    one, two = (quiet_fit(feature_hmm(**params), sentences) for _ in range(2))
    assert_array_equal(one.emissions_.coef_, two.emissions_.coef_)
    best = quiet_fit(feature_hmm(**params, n_init=4), sentences)
    assert best.history_[-1]["objective"] >= one.history_[-1]["objective"]
    assert best.n_e_steps_ > one.n_e_steps_


class Stopper:
    def __init__(self, after):
        self.after, self.scores = after, []

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        if context.task_name == "iteration":
            self.scores.append(fitted_estimator.score(X))
        return len(self.scores) == self.after


def test_callbacks_see_each_iteration_and_stop():
    sentences, _ = text(40)
    stopper = Stopper(4)
    hmm = feature_hmm(emissions="loglinear").set_callbacks(stopper)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hmm.fit(sentences)
    assert hmm.n_iter_ == 4 and not hmm.converged_
    likelihoods = [record["log_likelihood"] for record in hmm.history_]
    assert_allclose(stopper.scores, likelihoods)
    assert_allclose(hmm.score(sentences), likelihoods[-1])


def test_too_few_iterations_warn():
    with pytest.warns(ConvergenceWarning, match="L-BFGS did not converge in 2"):
        feature_hmm(emissions="loglinear", max_iter=2).fit(text(40)[0])


@pytest.mark.parametrize("solver", SOLVERS)
def test_pickle_and_clone(solver):
    hmm = quiet_fit(feature_hmm(solver, emissions="loglinear", max_iter=9), text(40)[0])
    new = [["zing", "bous"], []]
    other = pickle.loads(pickle.dumps(hmm))
    assert_array_equal(other.score_samples(new), hmm.score_samples(new))
    assert clone(hmm).get_params()["solver"] == solver


@pytest.mark.parametrize("solver", SOLVERS)
def test_partial_fit_goes_on(solver):
    sentences, _ = text()
    hmm = feature_hmm(solver, 3, emissions="loglinear", max_iter=100)
    quiet_fit(hmm, sentences)
    before = hmm.score(sentences)
    known = len(hmm.symbols_)
    hmm.partial_fit([["zing", "zous"], ["bing"]])
    assert hmm.symbols_[known:].tolist() == ["zing", "zous"]
    assert hmm.score(sentences) > before - 0.1
    for _ in range(5):
        hmm.partial_fit(sentences)
    assert hmm.score(sentences) > before - 0.05


def test_a_stream_from_nothing():
    sentences, _ = text()
    hmm = AnnealedHMM(3, emissions="loglinear", random_state=0)
    for i in range(0, 120, 30):
        hmm.partial_fit(sentences[i : i + 30])
    first = hmm.score(sentences)
    for _ in range(3):
        for i in range(0, 120, 30):
            hmm.partial_fit(sentences[i : i + 30])
    assert hmm.score(sentences) > first


@pytest.mark.parametrize("solver", SOLVERS)
def test_skewed_start(solver):
    sentences, _ = text(40)
    plain = quiet_fit(AnnealedHMM(3, random_state=0, n_init=1, max_iter=30), sentences)
    hmm = AnnealedHMM(
        3,
        emissions="loglinear",
        solver=solver,
        skew_from=FrozenEstimator(plain),
        beta_min=1.0,
        max_iter=1,
        random_state=0,
    )
    quiet_fit(hmm, sentences)
    share = np.mean(
        np.concatenate(hmm.predict(sentences))
        == np.concatenate(plain.predict(sentences))
    )
    assert share > 0.8


@pytest.mark.parametrize("solver", SOLVERS)
def test_integers(solver):
    values = np.random.default_rng(0).integers(3, 7, 60)
    hmm = feature_hmm(solver, 2, emissions="loglinear", max_iter=10)
    quiet_fit(hmm, Ragged.from_lengths(values, [20, 0, 40]))
    assert hmm.symbols_.tolist() == [3, 4, 5, 6]
    assert np.isfinite(hmm.score_samples([[3, 99], ["three"]])).all()


def test_annealing_works_by_em():
    hmm = feature_hmm("em", None, tag_dictionary=DICTIONARY, betas=[0.3, 1.0])
    quiet_fit(hmm, X)
    assert {record["beta"] for record in hmm.history_} == {0.3, 1.0}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"emissions": "categorical"}, "needs emissions that give gradients.*Categ"),
        ({"beta_min": 0.5}, "without annealing"),
        ({"beta_max": 2.0}, "without annealing"),
        ({"betas": [0.2, 1.0]}, "without annealing"),
        ({"solver": "newton"}, "solver"),
    ],
)
def test_what_lbfgs_cannot_do(params, message):
    with pytest.raises(ValueError, match=message):
        feature_hmm(**params).fit(X)


def test_impossible_sequences_are_named():
    hmm = feature_hmm(
        startprob_init=[1.0, 0, 0],
        transmat_init=np.eye(3),
        supervision="clamp",
    )
    with pytest.raises(ValueError, match="Sequence 0 has probability zero"):
        hmm.fit([["a", "b"]], [["A", "B"]])


@pytest.mark.parametrize("seed", [34, 35, 36])
def test_a_try_that_goes_too_far_is_no_error(seed):
    X = [["the"], ["the"] * 3, ["the", "dog", "dog", "the"], [], ["the", "the"]]
    y = [[None], [None, None, "B"], ["C", None, "C", None], [], [None, "C"]]
    model = AnnealedHMM(
        3,
        solver="lbfgs",
        emissions=LogLinear(l2=0.1),
        supervision="clamp",
        random_state=seed,
    )
    assert np.isfinite(model.fit(X, y).history_[-1]["objective"])

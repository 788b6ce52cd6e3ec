"""Fits of graphical models against exact optima and other programs."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
import sklearn_crfsuite
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from skstruct import (
    AdversarialGraphicalModel,
    ConditionalRandomField,
    Ragged,
    StructuredSVM,
)
from tests import _game_oracles as exact
from tests.estimators._graphical_oracle import (
    COST,
    FORESTS,
    LABELS,
    LOOPY,
    TinySet,
    theta,
)

L2 = 0.1
LINE = abs(np.subtract.outer(range(3), range(3))).astype(float)
LOSSES = {
    "zero_one": ("zero_one", 1 - np.eye(3)),
    "absolute": ("absolute", LINE),
    "squared": ("squared", LINE**2),
    "cost": (COST, COST),
}
CERTIFIED = [AdversarialGraphicalModel, StructuredSVM]
ORACLES = {
    AdversarialGraphicalModel: (exact.fit_exact, exact.objective),
    StructuredSVM: (exact.fit_exact_hinge, exact.hinge_objective),
}


def assert_certified(model, samples, tol):
    """The bracket holds the optimum, and the weights are as good as they say."""
    fit, objective = ORACLES[type(model)]
    best = fit(samples, 3, model.l2, tol=1e-6)
    last = model.history_[-1]
    reached = objective(samples, 3, theta(model), model.l2)
    assert last["lower"] <= best.upper + 1e-9
    assert best.lower <= last["upper"] + 1e-9
    # The upper bound is that of the returned weights.
    assert reached <= last["upper"] + 1e-9
    assert reached >= best.lower - 1e-9
    assert (reached - best.lower) / reached <= model.duality_gap_ + 1e-6
    assert model.converged_ and model.duality_gap_ <= tol
    assert model.duality_gap_ == pytest.approx(
        (last["upper"] - last["lower"]) / last["upper"]
    )
    assert model.n_iter_ == len(model.history_) == last["iteration"]
    uppers, lowers = ([h[k] for h in model.history_] for k in ("upper", "lower"))
    assert (np.diff(uppers) <= 0).all() and (np.diff(lowers) >= 0).all()


@pytest.mark.parametrize("shapes", [FORESTS, LOOPY], ids=["forests", "loopy"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("estimator", CERTIFIED)
def test_the_bracket_holds_the_optimum(estimator, loss, shapes):
    data = TinySet(shapes)
    spec, cost = LOSSES[loss]
    model = estimator(spec, classes=LABELS, l2=L2, tol=1e-3)
    model.fit(data.X, data.y)
    assert_certified(model, data.samples(cost), 1e-3)


@pytest.mark.parametrize("n_edge_features", [None, 2])
@pytest.mark.parametrize("estimator", CERTIFIED)
def test_weights_of_samples_and_nodes(estimator, n_edge_features):
    data = TinySet(n_edge_features=n_edge_features, seed=2)
    repeats = np.arange(len(data.y)) % 3
    node_weight = data.weights()
    model = estimator(COST, classes=LABELS, l2=L2)
    model.fit(data.X, data.y, sample_weight=repeats, node_weight=node_weight)
    assert_certified(model, data.samples(COST, node_weight, repeats), 1e-2)


@pytest.mark.parametrize("estimator", CERTIFIED)
def test_costs_of_nodes_and_classes(estimator):
    data = TinySet(seed=3)
    rng = np.random.default_rng(0)
    tables = [rng.random((len(c), 3, 3)) * (1 - np.eye(3)) for c in data.codes]
    model = estimator(classes=LABELS, l2=L2).fit(data.X, data.y, node_cost=tables)
    assert_certified(model, data.samples(tables), 1e-2)
    weight = {"a": 3.0, "c": 0.5}
    for loss in ("zero_one", "absolute"):
        model = estimator(loss, classes=LABELS, l2=L2, class_weight=weight)
        model.fit(data.X, data.y)
        cost = np.array([3.0, 1.0, 0.5])[:, None] * LOSSES[loss][1]
        assert_allclose(model.cost_, cost)
        assert_certified(model, data.samples(cost), 1e-2)


@pytest.mark.parametrize("estimator", CERTIFIED)
def test_no_costs_need_no_weights(estimator):
    data = TinySet()
    model = estimator(np.zeros((3, 3)), classes=LABELS, l2=L2).fit(data.X, data.y)
    assert not theta(model).any() and model.duality_gap_ <= 1e-2


def test_two_sides_of_a_bracket_meet():
    data = TinySet()
    model = AdversarialGraphicalModel(classes=LABELS, l2=L2, tol=1e-6).fit(
        data.X, data.y
    )
    best = exact.fit_exact(data.samples(1 - np.eye(3)), 3, L2)
    assert model.history_[-1]["upper"] == pytest.approx(best.upper, rel=2e-6)
    # The optimum is unique.
    assert_allclose(theta(model), best.theta, atol=1e-2)


@pytest.mark.parametrize("loss", ["zero_one", "absolute", "cost"])
def test_the_subgradient_method_comes_close(loss):
    data = TinySet()
    spec, cost = LOSSES[loss]
    model = AdversarialGraphicalModel(
        spec, classes=LABELS, l2=L2, solver="subgradient", max_iter=80, tol=1e-6
    )
    with pytest.warns(ConvergenceWarning, match="max_iter=80 passes.*relative gap"):
        model.fit(data.X, data.y)
    samples = data.samples(cost)
    best = exact.fit_exact(samples, 3, L2)
    reached = exact.objective(samples, 3, theta(model), L2)
    assert best.lower - 1e-9 <= reached <= 1.08 * best.upper
    # The gap that it tells is true.
    assert (reached - best.upper) / reached <= model.duality_gap_
    assert len(model.history_) == model.n_iter_ == 80


@pytest.mark.parametrize("shapes", [FORESTS, LOOPY], ids=["forests", "loopy"])
@pytest.mark.parametrize("loss", ["zero_one", "cost"])
def test_the_smoothed_game_is_solved(loss, shapes):
    data = TinySet(shapes[:3])
    spec, cost = LOSSES[loss]
    model = AdversarialGraphicalModel(
        spec, classes=LABELS, l2=L2, temperature=0.5, tol=1e-4
    ).fit(data.X, data.y)
    samples, eps = data.samples(cost), 0.5 * cost.max()

    def objective(weights):
        values = [
            exact.game_value_smoothed(
                *exact.potentials(weights, s, 3), s.cost, s.weight, eps=eps
            ).value
            - weights @ exact.true_moments(s, 3)
            for s in samples
        ]
        return np.mean(values) + L2 / 2 * weights @ weights

    here = theta(model)
    reached = objective(here)
    assert model.history_[-1]["objective"] == pytest.approx(reached, abs=1e-5)
    rng = np.random.default_rng(0)
    for scale in (0.1, 1.0):
        for _ in range(3):
            assert reached <= objective(here + scale * rng.normal(size=len(here)))


@pytest.mark.parametrize("shapes", [FORESTS, LOOPY], ids=["forests", "loopy"])
def test_much_temperature_makes_a_crf(shapes):
    data = TinySet(shapes, 1)
    temperature = 1e5
    eps = temperature * COST.max()
    hot = AdversarialGraphicalModel(
        COST, classes=LABELS, l2=L2 / eps, temperature=temperature, tol=1e-8
    ).fit(data.X, data.y)
    crf = ConditionalRandomField(COST, classes=LABELS, l2=L2, tol=1e-9)
    crf.fit(data.X, data.y)
    assert_allclose(theta(hot) / eps, theta(crf), atol=1e-4)
    for own, other in zip(hot.predict(data.X), crf.predict(data.X), strict=True):
        assert own.tolist() == other.tolist()
    assert (
        clone(hot)
        .set_params(prediction="map")
        .fit(data.X, data.y)
        .predict(data.X)
        .values.tolist()
        == clone(crf)
        .set_params(prediction="map")
        .fit(data.X, data.y)
        .predict(data.X)
        .values.tolist()
    )


@pytest.fixture(scope="module")
def sentences():
    """Feature dicts and labels, all values positive: CRFsuite drops others."""
    rng = np.random.default_rng(0)
    X, y = [], []
    for length in (1, 5, 8, 3, 6, 7, 2, 9, 4, 5):
        labels = rng.integers(3, size=length)
        words = labels + 3 * rng.integers(3, size=length)
        words[rng.random(length) < 0.3] = 9
        X.append(
            [
                {f"w{w}": 1.0, "size": float(1 + k * rng.random())}
                for k, w in zip(labels, words, strict=True)
            ]
        )
        y.append(LABELS[labels].tolist())
    return X, y


def test_the_optimum_is_that_of_crfsuite(sentences):
    X, y = sentences
    l2, n = 0.05, len(X)
    ours = ConditionalRandomField(l2=l2, tol=1e-8, prediction="map").fit(X, y)
    theirs = sklearn_crfsuite.CRF(
        algorithm="lbfgs",
        c1=0.0,
        c2=n * l2 / 2,
        max_iterations=2000,
        epsilon=1e-12,
        delta=1e-14,
        all_possible_states=True,
        all_possible_transitions=True,
    )
    constant = [[token | {"one": 1.0} for token in sentence] for sentence in X]
    theirs.fit(constant, y)
    names = ours.featurizer_[-1] if hasattr(ours.featurizer_, "steps") else None
    names = names or ours.featurizer_
    names = names.get_feature_names_out().tolist()
    state, pairs = theirs.state_features_, theirs.transition_features_
    coef = [[state[name, k] for name in [*names, "one"]] for k in LABELS]
    edge = [[pairs[j, k] for k in LABELS] for j in LABELS]
    weights = np.concatenate([np.ravel(coef), np.ravel(edge)])
    objectives = [enumerated(w, ours, X, y, l2) for w in (theta(ours), weights)]
    assert objectives[0] == pytest.approx(ours.history_[-1]["objective"])
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)
    assert_allclose(theta(ours), weights, atol=1e-3)
    predicted = [labels.tolist() for labels in ours.predict(X)]
    assert predicted == [list(labels) for labels in theirs.predict(constant)]
    proba = ours.predict_proba(X)
    for got, true in zip(proba, theirs.predict_marginals(constant), strict=True):
        assert_allclose(got, [[t[k] for k in LABELS] for t in true], atol=1e-4)


def enumerated(weights, model, X, y, l2):
    """The objective of a chain CRF; sentences too long to enumerate go by sums."""
    features = model.featurizer_.transform(Ragged(X))
    rows = features.values.toarray()
    K = len(LABELS)
    coef = weights[: -K * K].reshape(K, -1)
    edge = weights[-K * K :].reshape(K, K)
    total = 0.0
    for (a, b), labels in zip(pairwise(features.offsets), y, strict=True):
        node = rows[a:b] @ coef[:, :-1].T + coef[:, -1]
        forward = node[0]
        for scores in node[1:]:
            forward = np.logaddexp.reduce(forward[:, None] + edge, axis=0) + scores
        codes = [LABELS.tolist().index(label) for label in labels]
        path = node[np.arange(b - a), codes].sum() + sum(
            edge[j, k] for j, k in pairwise(codes)
        )
        total += np.logaddexp.reduce(forward) - path
    return total / len(y) + l2 / 2 * weights @ weights


def test_weights_of_zero_are_not_taken_for_the_optimum():
    # They are within half a per cent of it, as these features say little.
    rng = np.random.default_rng(0)
    y = [rng.choice(3, p=[0.5, 0.3, 0.2], size=8) for _ in range(60)]
    X = [0.25 * np.eye(3)[labels] + rng.normal(size=(8, 3)) for labels in y]
    model = StructuredSVM().fit(X, y)
    best = StructuredSVM(tol=1e-5, max_iter=2000).fit(X, y)
    last, optimum = model.history_[-1], best.history_[-1]["upper"]
    zero = 8.0  # every node is a mistake
    assert 0.99 * zero < optimum < zero
    assert last["upper"] - optimum <= 0.1 * (zero - optimum)
    assert len(np.unique(np.concatenate(model.predict(X)))) > 1


@pytest.mark.parametrize("factor", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("estimator", CERTIFIED)
def test_large_costs_beside_which_weights_gain_little(estimator, factor):
    rng = np.random.default_rng(0)
    y = [rng.integers(3, size=6) for _ in range(40)]
    X = [np.eye(3)[labels] + 0.3 * rng.normal(size=(6, 3)) for labels in y]
    model = estimator(factor * (1 - np.eye(3))).fit(X, y)
    assert model.converged_ and model.n_iter_ < 40
    assert np.mean(np.concatenate(model.predict(X)) == np.concatenate(y)) > 0.9


def test_a_tolerance_that_is_met_too_early_is_told():
    rng = np.random.default_rng(0)
    y = [rng.choice(3, p=[0.5, 0.3, 0.2], size=8) for _ in range(60)]
    X = [0.25 * np.eye(3)[labels] + rng.normal(size=(8, 3)) for labels in y]
    with pytest.warns(ConvergenceWarning, match="may still gain over a tenth"):
        model = StructuredSVM(max_iter=3, tol=0.1).fit(X, y)
    assert model.duality_gap_ <= 0.1 and not model.converged_


def test_nothing_to_gain_is_no_reason_to_go_on():
    X = [np.zeros((4, 1))] * 6
    y = [np.array([0, 1, 2, 1])] * 6
    model = StructuredSVM(l2=1e4).fit(X, y)
    assert model.converged_ and model.n_iter_ < 20


@pytest.mark.parametrize("estimator", CERTIFIED)
def test_too_few_iterations_warn(estimator):
    data = TinySet()
    model = estimator(l2=1e-3, tol=1e-9, max_iter=2)
    with pytest.warns(match="max_iter=2 proximal points.*tol=1e-09") as caught:
        model.fit(data.X, data.y)
    assert caught[0].filename == __file__
    assert not model.converged_ and model.n_iter_ == 2
    assert model.duality_gap_ > 1e-9 and np.isfinite(theta(model)).all()


@pytest.mark.parametrize(
    "model",
    [ConditionalRandomField(l2=1e-3), AdversarialGraphicalModel(temperature=1.0)],
)
def test_too_few_iterations_of_lbfgs_warn(model):
    data = TinySet()
    with pytest.warns(match="max_iter=1[.]") as caught:
        model = clone(model).set_params(max_iter=1).fit(data.X, data.y)
    assert caught[0].filename == __file__
    assert not model.converged_ and model.n_iter_ == 1


def test_a_default_penalty_is_one_by_the_sum_of_weights():
    data = TinySet()
    weight = np.arange(1.0, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (
            ConditionalRandomField(tol=1e-8),
            AdversarialGraphicalModel(tol=1e-4),
        ):
            auto = clone(model).fit(data.X, data.y, weight)
            by_hand = clone(model).set_params(l2=1 / 15).fit(data.X, data.y, weight)
            assert_allclose(theta(auto), theta(by_hand), atol=1e-10)

"""Objectives of graphical models, their gradients and cuts, by enumeration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from skstruct import (
    AdversarialGraphicalModel,
    ConditionalRandomField,
    StructuredSVM,
)
from skstruct.estimators._graphical._training import Training
from skstruct.surrogates import Adversarial, Hinge, Logistic
from tests import _game_oracles as exact
from tests.estimators._graphical_oracle import (
    COST,
    FORESTS,
    LABELS,
    LOOPY,
    TinySet,
    log_loss,
    log_loss_gradient,
    theta,
)

L2 = 0.05
SURROGATES = {"adversarial": Adversarial(), "hinge": Hinge(), "logistic": Logistic()}
SHAPES = {"forests": FORESTS, "loopy": LOOPY}


def make_problem(surrogate, data, *, loss=COST, chains=False, **fit_params):
    model = AdversarialGraphicalModel(loss, classes=LABELS, l2=L2)
    given = {"sample_weight": None, "node_weight": None, "node_cost": None}
    training = Training(model, data.X, data.y, **(given | fit_params))
    return training.problem(SURROGATES[surrogate], chains=chains)


def random_point(problem, seed=1):
    """Weights, and a predictor (the true labels for the hinge)."""
    rng = np.random.default_rng(seed)
    predictor = problem.predictor
    if problem.surrogate is SURROGATES["adversarial"]:
        predictor = rng.dirichlet(np.ones(problem.linear.n_states), len(predictor))
    return rng.normal(size=problem.linear.n_weights), predictor


@pytest.mark.parametrize("n_edge_features", [None, 2])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("surrogate", SURROGATES)
def test_gradient_by_finite_differences(surrogate, shapes, n_edge_features):
    data = TinySet(SHAPES[shapes], n_edge_features)
    n = len(data.y)
    problem = make_problem(
        surrogate,
        data,
        sample_weight=np.linspace(0.5, 2, n),
        node_weight=data.weights(),
    )
    weights, predictor = random_point(problem)
    temperature = 1.0 if surrogate == "logistic" else 0.7
    centre = None
    for _ in range(2):
        _, gradient, *_ = problem.smoothed(
            weights, predictor, temperature, centre, n_sweeps=0
        )
        steps = 1e-5 * np.eye(len(weights))
        up, down = (
            [
                problem.smoothed(w, predictor, temperature, centre, n_sweeps=0).value
                for w in weights + sign * steps
            ]
            for sign in (1, -1)
        )
        assert_allclose((np.array(up) - down) / 2e-5, gradient, atol=1e-8)
        if surrogate == "logistic":
            break
        # Once more near another adversary.
        centre = problem.centre(centre, weights, predictor, temperature)
        weights, predictor = random_point(problem, seed=2)


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("loss", ["zero_one", "cost"])
def test_gradient_where_the_predictor_is_best(shapes, loss):
    data = TinySet(SHAPES[shapes], 1)
    problem = make_problem(
        "adversarial", data, loss=COST if loss == "cost" else "zero_one"
    )
    weights, _ = random_point(problem)
    weights = 0.3 * weights

    def evaluate(weights):
        predictor = problem.predictor.copy()
        for _ in range(40):
            found = problem.smoothed(weights, predictor, 1.0, n_sweeps=5)
        assert found.gap < 1e-9
        return found

    gradient = evaluate(weights).gradient
    for j in range(0, len(weights), 4):
        step = np.zeros_like(weights)
        step[j] = 1e-4
        up, down = evaluate(weights + step).value, evaluate(weights - step).value
        assert (up - down) / 2e-4 == pytest.approx(gradient[j], abs=1e-6)


@pytest.mark.parametrize("n_edge_features", [None, 1])
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("surrogate", ["adversarial", "hinge"])
def test_upper_bounds_and_cuts(surrogate, shapes, n_edge_features):
    data = TinySet(SHAPES[shapes], n_edge_features, seed=1)
    repeats = np.arange(len(data.y)) % 2 + 1
    node_weight = data.weights()
    problem = make_problem(
        surrogate, data, sample_weight=repeats, node_weight=node_weight
    )
    samples = data.samples(COST, node_weight, repeats)
    objective = {"adversarial": exact.objective, "hinge": exact.hinge_objective}
    objective = objective[surrogate]
    to_oracle = weights_in_oracle_order(problem)
    points = [random_point(problem, seed) for seed in range(4)]
    objectives = [objective(samples, 3, to_oracle(w), L2) for w, _ in points]
    for (weights, predictor), value in zip(points, objectives, strict=True):
        upper = problem.upper(weights, predictor)
        if surrogate == "hinge":
            assert upper == pytest.approx(value)
        else:
            assert upper >= value - 1e-9
        for temperature in (2.0, 0.01):
            found = problem.smoothed(weights, predictor.copy(), temperature)
            for (other, _), there in zip(points, objectives, strict=True):
                cut = found.risk + found.slope @ other + L2 / 2 * other @ other
                assert cut <= there + 1e-9
        # Near temperature zero the last cut touches, but for the predictor's gap.
        touch = found.risk + found.slope @ weights + L2 / 2 * weights @ weights
        assert touch >= value - found.gap - 0.5


def weights_in_oracle_order(problem):
    def convert(weights):
        coef, intercept, transition, edge_coef = problem.linear.split(weights)
        node = np.column_stack([coef.T, intercept])
        edge = np.concatenate([transition[None], edge_coef])
        return np.concatenate([node.ravel(), edge.ravel()])

    return convert


def test_chains_and_trees_are_one_problem():
    data = TinySet([(4, [(0, 1), (1, 2), (2, 3)]), (1, []), (2, [(0, 1)])])
    for surrogate in ("logistic", "hinge"):
        one, two = (make_problem(surrogate, data, chains=c) for c in (True, False))
        assert type(one.structure) is not type(two.structure)
        weights, predictor = random_point(one)
        if surrogate == "hinge":
            assert one.upper(weights, predictor) == pytest.approx(
                two.upper(weights, predictor)
            )
            continue
        a, b = (p.smoothed(weights, predictor, 1.0) for p in (one, two))
        assert_allclose(a.value, b.value, rtol=1e-12)
        assert_allclose(a.gradient, b.gradient, atol=1e-12)


@pytest.mark.parametrize("n_edge_features", [None, 2])
@pytest.mark.parametrize("shapes", SHAPES)
def test_crf_at_its_optimum(shapes, n_edge_features):
    data = TinySet(SHAPES[shapes], n_edge_features)
    repeats = np.arange(len(data.y)) % 3  # one sample does not count
    model = ConditionalRandomField(classes=LABELS, l2=L2, tol=1e-8)
    model.fit(data.X, data.y, sample_weight=repeats)
    assert model.converged_
    samples = data.samples(COST, sample_weight=repeats)
    gradient = log_loss_gradient(samples, 3, theta(model), L2)
    assert_allclose(gradient, 0, atol=1e-6)
    objective = log_loss(samples, 3, theta(model), L2)
    assert model.history_[-1]["objective"] == pytest.approx(objective)
    mean = model.surrogate(data.X, data.y, sample_weight=repeats)
    assert mean == pytest.approx(objective - L2 / 2 * theta(model) @ theta(model))
    # log p(y | x) of each sample.
    losses = [log_loss([s], 3, theta(model), 0.0) for s in data.samples(COST)]
    assert_allclose(model.score_samples(data.X, data.y), -np.array(losses), atol=1e-9)


@pytest.mark.parametrize("shapes", SHAPES)
def test_what_a_crf_answers(shapes):
    data = TinySet(SHAPES[shapes], 1)
    model = ConditionalRandomField(COST, classes=LABELS, l2=L2).fit(data.X, data.y)
    mode = clone(model).set_params(prediction="map").fit(data.X, data.y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    proba, pairs = model.predict_proba(data.X), model.edge_proba(data.X)
    bayes, best = model.predict(data.X), mode.predict(data.X)
    k_best, sure = model.predict_k_best(data.X, 4), model.score_samples(data.X)
    for i, s in enumerate(data.samples(COST)):
        ys = exact.labelings(len(s.labels), 3)
        scores = exact.scores(ys, *exact.potentials(theta(model), s, 3))
        p = np.exp(scores - np.logaddexp.reduce(scores))
        node = np.tensordot(p, exact.node_indicators(ys, 3), axes=1)
        edge = np.tensordot(p, exact.edge_indicators(ys, s.edges, 3), axes=1)
        assert_allclose(proba[i], node, atol=1e-10)
        assert_allclose(pairs[i], edge, atol=1e-10)
        assert bayes[i].tolist() == model.classes_[(node @ COST).argmin(1)].tolist()
        assert best[i].tolist() == model.classes_[ys[p.argmax()]].tolist()
        assert sure[i] == pytest.approx(np.log(p.max()))
        labels, logs = k_best[i]
        order = np.argsort(-p)[: min(4, len(p))]
        assert labels.tolist() == model.classes_[ys[order]].tolist()
        assert_allclose(logs, np.log(p[order]), atol=1e-10)


@pytest.mark.parametrize(
    "model",
    [
        AdversarialGraphicalModel(COST, classes=LABELS, l2=L2),
        StructuredSVM(COST, classes=LABELS, l2=L2),
    ],
)
def test_surrogate_at_the_fitted_weights(model):
    data = TinySet()
    node_weight, repeats = data.weights(), np.arange(len(data.y)) % 2 + 1
    fit_params = {"node_weight": node_weight, "sample_weight": repeats}
    model = clone(model).fit(data.X, data.y, **fit_params)
    mean = model.surrogate(data.X, data.y, **fit_params)
    samples = data.samples(COST, node_weight, repeats)
    if isinstance(model, StructuredSVM):
        true = exact.hinge_objective(samples, 3, theta(model), 0.0)
        assert mean == pytest.approx(true)
    else:
        true = exact.objective(samples, 3, theta(model), 0.0)
        assert true - 1e-9 <= mean <= true + 1e-5 * 4 * 2 * 4

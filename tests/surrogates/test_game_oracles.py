"""The exact oracles themselves, against results known by hand and their own bounds."""

import numpy as np
import pytest

from tests import _game_oracles as exact

CHAIN = np.array([(0, 1), (1, 2)])
CYCLE = np.array([(0, 1), (1, 2), (2, 0)])
POSITIONS = np.arange(3.0)
COSTS = {
    "zero_one": 1 - np.eye(3),
    "absolute": abs(POSITIONS[:, None] - POSITIONS),
    "squared": (POSITIONS[:, None] - POSITIONS) ** 2,
    "general": np.array([[0, 2.0, 0.3], [1.1, 0, 0.7], [0.2, 1.9, 0]]),
}


def one_node_samples(counts, cost):
    """A single node without features but a constant, seen counts[k] times as k."""
    labels = np.repeat(np.arange(3), counts)
    edges = np.empty((0, 2), dtype=int)
    return [exact.Sample(np.ones((1, 1)), edges, [y], cost) for y in labels]


def test_adversarial_fit_finds_the_bayes_class_where_the_hinge_finds_none():
    samples = one_node_samples([8, 7, 5], COSTS["zero_one"])
    adversarial = exact.fit_exact(samples, 3, 1e-4)
    hinge = exact.fit_exact_hinge(samples, 3, 1e-4)
    np.testing.assert_allclose(
        adversarial.theta[:3], [2 / 3, -1 / 3, -1 / 3], atol=1e-5
    )
    assert adversarial.upper == pytest.approx(0.6, abs=1e-3)  # the Bayes risk
    np.testing.assert_allclose(hinge.theta, 0, atol=1e-5)
    assert hinge.upper == pytest.approx(1)


def test_absolute_cost_leads_to_the_median():
    samples = one_node_samples([6, 5, 9], COSTS["absolute"])
    fit = exact.fit_exact(samples, 3, 1e-4)
    assert fit.theta[:3].argmax() == 1
    assert fit.upper == pytest.approx(15 / 20, abs=1e-3)


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("edges", [CHAIN, CYCLE])
def test_game_value_lies_between_what_each_player_secures(name, edges):
    rng = np.random.default_rng(0)
    node, tables = rng.normal(size=(3, 3)), rng.normal(size=(len(edges), 3, 3))
    weight = np.array([0.5, 2.0, 0.0])
    game = exact.game_value(node, edges, tables, COSTS[name], weight)
    score = exact.scores(exact.labelings(3, 3), node, edges, tables)
    conceded = exact.augmented_max(node, edges, tables, COSTS[name], weight, game.p)
    secured = exact.bayes_risk(game.r, COSTS[name], weight) + game.q @ score
    assert conceded == pytest.approx(game.value, abs=1e-7)
    assert secured == pytest.approx(game.value, abs=1e-7)
    smooth = exact.game_value_smoothed(
        node, edges, tables, COSTS[name], weight, eps=0.01
    )
    assert 0 <= smooth.value - game.value + 1e-7 <= 0.01 * 3 * np.log(3)


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("edges", [CHAIN, CYCLE])
def test_trainings_attain_their_bounds(name, edges):
    rng = np.random.default_rng(0)
    samples = [
        exact.Sample(
            rng.normal(size=(3, 2)),
            edges,
            rng.integers(3, size=3),
            COSTS[name],
            edge_features=rng.normal(size=(len(edges), 2)),
        )
        for _ in range(4)
    ]
    fit = exact.fit_exact(samples, 3, 0.05)
    hinge = exact.fit_exact_hinge(samples, 3, 0.05)
    assert exact.objective(samples, 3, fit.theta, 0.05) == pytest.approx(fit.upper)
    nodes, tables = exact.marginals(samples, 3, fit.distributions)
    assert exact.infeasibility(edges, nodes[0], tables[0]) < 1e-9
    assert exact.infeasibility(edges, nodes[0], np.roll(tables[0], 1, 2)) > 1e-3
    # Any other parameters are worse.
    other = fit.theta + 0.1 * rng.normal(size=fit.theta.shape)
    assert exact.objective(samples, 3, other, 0.05) > fit.upper
    other = hinge.theta + 0.1 * rng.normal(size=hinge.theta.shape)
    assert exact.hinge_objective(samples, 3, other, 0.05) > hinge.upper

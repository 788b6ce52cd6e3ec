"""The paper's own solver against linear programs over all labelings."""

import numpy as np
import pytest

from skstruct.kernels._node_game import ABSOLUTE, GENERAL, SQUARED, ZERO_ONE, Game
from skstruct.optim import subgradient_descent
from skstruct.solvers import AdaGrad
from skstruct.structures import Potentials, Tree
from skstruct.surrogates import _node_responses
from skstruct.surrogates._dual_decomposition import subgradient_oracle
from tests import _game_oracles as exact

KINDS = {
    "zero_one": ZERO_ONE,
    "absolute": ABSOLUTE,
    "squared": SQUARED,
    "general": GENERAL,
}


def make_game(kind, n_nodes, K, rng, weight=None, n_tables=1):
    # Only zero-one and general costs have more than one table.
    values = np.cumsum(0.5 + rng.random(K))
    apart = values[:, None] - values
    cost = {
        ZERO_ONE: lambda: (1 + rng.random()) * (1 - np.eye(K)),
        ABSOLUTE: lambda: abs(apart),
        SQUARED: lambda: apart**2,
        GENERAL: lambda: 2 * rng.random((K, K)) * (1 - np.eye(K)),
    }[kind]
    weight = np.ones(n_nodes) if weight is None else weight
    index = rng.integers(n_tables, size=n_nodes)
    return Game(
        kind, np.array([cost() for _ in range(n_tables)]), index, weight, values
    )


def random_forests(n, N, rng):
    """Local edges of chains and trees in turn, of any orientation and order."""
    out = []
    for s in range(n):
        edges = [(i if s % 2 else rng.integers(i + 1), i + 1) for i in range(N - 1)]
        out.append([edge[:: rng.choice([1, -1])] for edge in rng.permutation(edges)])
    return np.array(out)


class Batch:
    """Random forests of one size, with a table of potentials for each edge."""

    def __init__(self, kind, n=40, N=4, K=3, seed=0, weight=None):
        rng = np.random.default_rng(seed)
        self.local = random_forests(n, N, rng)
        starts = N * np.arange(n + 1)
        edges = (self.local + starts[:-1, None, None]).reshape(-1, 2)
        self.tree = Tree(starts, edges, (N - 1) * np.arange(n + 1))
        self.potentials = Potentials(
            rng.normal(size=(n * N, K)), rng.normal(size=(n * (N - 1), K, K))
        )
        self.game = make_game(kind, n * N, K, rng, weight)
        self.shape = n, N, K

    def samples(self, *arrays):
        """node, edges, tables, cost and weight of each sample, and parts of arrays."""
        n, N, K = self.shape
        split = [
            self.potentials.node.reshape(n, N, K),
            self.local,
            self.potentials.edge.reshape(n, N - 1, K, K),
            [self.game.cost[0]] * n,
            self.game.weight.reshape(n, N),
            *(a.reshape(n, -1, *a.shape[1:]) for a in arrays),
        ]
        return zip(*split, strict=True)

    def values(self):
        return np.array([exact.game_value(*sample).value for sample in self.samples()])


@pytest.mark.parametrize("K", [1, 2, 4])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("max_candidates", [20_000, 0])
def test_single_nodes_are_solved_exactly(kind, K, max_candidates, monkeypatch):
    monkeypatch.setattr(_node_responses, "_MAX_CANDIDATES", max_candidates)
    rng = np.random.default_rng(0)
    a = 2 * rng.normal(size=(30, K))
    weight = rng.choice([0, 0.01, 1, 3], size=30)
    n_tables = 2 if kind in (ZERO_ONE, GENERAL) else 1
    game = make_game(kind, 30, K, rng, weight, n_tables)
    values, r = _node_responses.responder(game)(a)
    p = _node_responses.equilibria(game, a)
    np.testing.assert_allclose([r.sum(axis=1), p.sum(axis=1)], 1)
    assert min(r.min(), p.min()) >= 0
    none = np.empty((0, 2), dtype=int), np.empty((0, K, K))
    for i in range(30):
        costs = game.cost[game.index[i]], weight[i : i + 1]
        true = exact.game_value(a[i : i + 1], *none, *costs).value
        secured = a[i] @ r[i] + exact.bayes_risk(r[i : i + 1], *costs)
        conceded = exact.augmented_max(a[i : i + 1], *none, *costs, p[i : i + 1])
        assert [values[i], secured, conceded] == pytest.approx([true] * 3, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_bounds_enclose_the_game_and_are_attained(kind):
    n = 12
    weight = np.random.default_rng(1).choice([0, 0.5, 1], size=4 * n)
    batch = Batch(kind, n, weight=weight)
    found = subgradient_oracle(batch.tree, batch.potentials, batch.game, max_iter=300)
    true = batch.values()
    assert (found.secured <= true + 1e-7).all()
    assert (found.value >= true - 1e-7).all()
    assert found.value.sum() - found.secured.sum() < 0.05 * n
    parts = batch.samples(found.predictor, found.node, found.edge)
    for s, (*sample, predictor, node, edge) in enumerate(parts):
        conceded = exact.augmented_max(*sample, predictor)
        assert conceded <= found.value[s] + 1e-7
        scores, edges, tables, *costs = sample
        worth = exact.bayes_risk(node, *costs) + (node * scores).sum()
        assert worth + (edge * tables).sum() == pytest.approx(found.secured[s])
        assert exact.infeasibility(edges, node, edge) < 1e-7


@pytest.mark.parametrize("kind", [ZERO_ONE, ABSOLUTE])
def test_bounds_converge(kind):
    batch = Batch(kind)
    problem = batch.tree, batch.potentials, batch.game
    found = subgradient_oracle(*problem, max_iter=3000)
    true = batch.values()
    assert (found.value - true).max() < 1e-2
    assert (true - found.secured).max() < 1e-2


def test_without_averages_marginals_may_lose():
    # One step from the best multipliers recovers r there, as the paper does.
    batch = Batch(ZERO_ONE)
    problem = batch.tree, batch.potentials, batch.game
    found = subgradient_oracle(*problem, max_iter=500)
    single = subgradient_oracle(*problem, max_iter=1, multipliers=found.multipliers)
    np.testing.assert_allclose(single.value, found.value)
    lost = found.value - single.secured
    assert (found.value - found.secured).max() < 0.05
    assert (lost > 0.1).sum() >= 3


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_marginals_are_a_subgradient_up_to_the_bounds(kind):
    batch = Batch(kind, n=5)
    found = subgradient_oracle(batch.tree, batch.potentials, batch.game, max_iter=100)
    rng = np.random.default_rng(1)
    for _ in range(3):
        moves = [0.3 * rng.normal(size=table.shape) for table in batch.potentials[:2]]
        samples = batch.samples(found.node, found.edge, *moves)
        for s, (node, edges, tables, *costs, r, q, by, along) in enumerate(samples):
            value = exact.game_value(node + by, edges, tables + along, *costs).value
            linear = found.secured[s] + (r * by).sum() + (q * along).sum()
            assert value >= linear - 1e-7


def test_shared_tables_and_weights_of_samples():
    batch = Batch(ZERO_ONE, n=6)
    shared = batch.potentials.edge[0]
    repeated = np.tile(shared, (len(batch.tree.edges), 1, 1))
    weight = np.array([0.5, 0, 2, 1, 1, 3])
    one, many, plain = (
        subgradient_oracle(
            batch.tree, batch.potentials._replace(edge=edge), batch.game, weight=w
        )
        for edge, w in ((shared, weight), (repeated, weight), (repeated, None))
    )
    np.testing.assert_allclose(one.edge, many.edge.sum(axis=0))
    np.testing.assert_allclose(
        many.edge, plain.edge * np.repeat(weight, 3)[:, None, None]
    )
    np.testing.assert_allclose(one.node, plain.node * np.repeat(weight, 4)[:, None])
    np.testing.assert_allclose(one.secured, plain.secured)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_forests_with_lone_nodes_and_empty_samples(kind):
    rng = np.random.default_rng(0)
    tree = Tree([0, 0, 5, 5, 6], [(4, 2), (0, 4)], [0, 0, 2, 2, 2])
    potentials = Potentials(rng.normal(size=(6, 3)), rng.normal(size=(2, 3, 3)))
    game = make_game(kind, 6, 3, rng)
    found = subgradient_oracle(tree, potentials, game, max_iter=500)
    big = exact.game_value(
        potentials.node[:5], tree.edges, potentials.edge, game.cost[0]
    ).value
    none = tree.edges[:0], potentials.edge[:0]
    lone = exact.game_value(potentials.node[5:], *none, game.cost[0]).value
    np.testing.assert_allclose(found.value, [0, big, 0, lone], atol=0.03)
    np.testing.assert_allclose(found.secured, [0, big, 0, lone], atol=0.03)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_batch_without_nodes(kind):
    rng = np.random.default_rng(0)
    tree = Tree([0, 0], np.empty((0, 2)), [0, 0])
    potentials = Potentials(np.empty((0, 3)), np.zeros((3, 3)))
    found = subgradient_oracle(tree, potentials, make_game(kind, 0, 3, rng))
    np.testing.assert_array_equal(found.value, [0])
    np.testing.assert_array_equal(found.edge, 0)


def test_training_comes_close_to_the_exact_optimum():
    rng = np.random.default_rng(0)
    K, l2, cost = 3, 0.1, 1 - np.eye(3)
    edges = np.array([(0, 1), (2, 1), (1, 3)])
    samples = [
        exact.Sample(rng.normal(size=(4, 2)), edges, rng.integers(K, size=4), cost)
        for _ in range(6)
    ]
    true = np.mean([exact.true_moments(s, K) for s in samples], axis=0)
    features = np.vstack([s.features for s in samples])
    starts = np.arange(7)
    tree = Tree(
        4 * starts, (edges + 4 * starts[:-1, None, None]).reshape(-1, 2), 3 * starts
    )
    game = make_game(ZERO_ONE, 24, K, rng)._replace(cost=cost[None])
    start = {"multipliers": None}

    def subgradient(theta, _):
        coef, edge_coef = exact.split_theta(theta, samples[0], K)
        found = subgradient_oracle(
            tree,
            Potentials(features @ coef.T, edge_coef[0]),
            game,
            max_iter=20,
            weight=np.full(6, 1 / 6),
            **start,
        )
        start["multipliers"] = found.multipliers
        moments = np.append(found.node.T @ features, found.edge)
        loss = found.value.mean() - true @ theta + l2 / 2 * theta @ theta
        return loss, moments - true + l2 * theta

    theta, stopped = subgradient_descent(
        subgradient, AdaGrad().step, np.zeros(15), batches=[None], max_iter=50
    )
    optimum = exact.fit_exact(samples, K, l2)
    assert not stopped
    assert exact.objective(samples, K, np.zeros(15), l2) > optimum.upper + 0.3
    assert exact.objective(samples, K, theta, l2) < optimum.upper + 0.05

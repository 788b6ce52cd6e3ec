"""Surrogates of chains, trees and graphs against programs over all labelings."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skstruct.kernels._node_game import (
    ABSOLUTE,
    BY_TRUTH,
    GENERAL,
    SQUARED,
    ZERO_ONE,
    Game,
)
from skstruct.structures import Chain, Junction, Potentials, Tree
from skstruct.surrogates import (
    Adversarial,
    Hinge,
    Logistic,
    smoothed_predictor,
    solve_game,
)
from tests import _game_oracles as exact
from tests import _oracles

KINDS = {
    "zero_one": ZERO_ONE,
    "by_truth": BY_TRUTH,
    "absolute": ABSOLUTE,
    "squared": SQUARED,
    "general": GENERAL,
}
K = 3
# Local edges and number of nodes of each sample, of any direction and order.
GRAPHS = {
    "chains": [(4, [(0, 1), (1, 2), (2, 3)]), (1, []), (0, []), (3, [(0, 1), (1, 2)])],
    "trees": [
        (4, [(2, 0), (2, 3), (1, 2)]),
        (5, [(4, 0), (1, 3)]),
        (0, []),
        (3, [(1, 0), (2, 0)]),
    ],
    "loopy": [
        (4, [(0, 1), (1, 2), (3, 2), (0, 3)]),
        (3, [(2, 0), (0, 1), (2, 1)]),
        (5, [(0, 1), (2, 1), (2, 3), (3, 0), (3, 1)]),
        (2, [(1, 0)]),
    ],
}


def make_cost(kind, rng):
    """cost[predicted, adversary], and where the labels are on a line."""
    values = np.cumsum(0.5 + rng.random(K))
    apart = np.subtract.outer(values, values)
    cost = {
        ZERO_ONE: 1.7 * (1 - np.eye(K)),
        BY_TRUTH: rng.uniform(0.2, 3, size=K) * (1 - np.eye(K)),
        ABSOLUTE: abs(apart),
        SQUARED: apart**2,
        GENERAL: 2 * rng.random((K, K)) * (1 - np.eye(K)),
    }[kind]
    return cost, values


class Batch:
    """Samples of one family of graphs, random potentials, labels and costs."""

    def __init__(self, graphs, kind, *, weighted=False, by_node=False, seed=0):
        rng = np.random.default_rng(seed)
        self.sizes, self.edges = zip(*GRAPHS[graphs], strict=True)
        self.offsets = np.cumsum([0, *self.sizes])
        self.edge_offsets = np.cumsum([0, *map(len, self.edges)])
        N, M = self.offsets[-1], self.edge_offsets[-1]
        moved = [
            np.reshape(pairs, (-1, 2)) + first
            for pairs, first in zip(self.edges, self.offsets[:-1], strict=True)
        ]
        graph = self.offsets, np.concatenate(moved).astype(np.intp), self.edge_offsets
        if graphs == "loopy":
            self.structure = Junction(*graph, n_states=K, max_treewidth=2)
        else:
            self.structure = Tree(*graph)
        self.potentials = Potentials(
            1.5 * rng.normal(size=(N, K)), 1.5 * rng.normal(size=(M, K, K))
        )
        self.labels = rng.integers(K, size=N)
        weight = rng.choice([0.0, 0.3, 1.0, 4.0], size=N) if weighted else np.ones(N)
        cost, values = make_cost(kind, rng)
        cost, index = cost[None], np.zeros(N, dtype=np.intp)
        if by_node:
            cost = np.array([make_cost(kind, rng)[0] for _ in range(N)])
            index = rng.permutation(N)
        self.game = Game(kind, cost, index, weight, values)

    def samples(self):
        """node, edges, tables, costs, weight and labels of each sample."""
        nodes, edges = pairwise(self.offsets), pairwise(self.edge_offsets)
        for (a, b), (c, d), local in zip(nodes, edges, self.edges, strict=True):
            yield (
                self.potentials.node[a:b],
                local,
                self.potentials.edge[c:d],
                self.game.cost[self.game.index[a:b]],
                self.game.weight[a:b],
                self.labels[a:b],
            )

    def largest(self):
        """What each sample could cost at most."""
        return [
            (costs.max(axis=(1, 2)) * w).sum() for *_, costs, w, _ in self.samples()
        ]


def score(node, edges, tables, labels):
    return exact.scores(labels[None], node, edges, tables)[0]


def exact_games(batch):
    """Values of the games; samples without nodes are worth nothing."""
    return np.array(
        [
            exact.game_value(*sample[:5]).value if len(sample[0]) else 0.0
            for sample in batch.samples()
        ]
    )


CASES = [
    (graphs, kind, options)
    for graphs in GRAPHS
    for kind in KINDS
    for options in [{}, {"weighted": True}]
] + [(graphs, "general", {"weighted": True, "by_node": True}) for graphs in GRAPHS]


@pytest.mark.parametrize(("graphs", "kind", "options"), CASES)
def test_the_game_is_bracketed(graphs, kind, options):
    batch = Batch(graphs, KINDS[kind], **options)
    before = [a.copy() for a in (*batch.potentials[:2], *batch.game[1:])]
    game = batch.structure, batch.potentials, batch.game
    found = solve_game(*game, tol=1e-3)
    true = exact_games(batch)
    assert (found.lower <= true + 1e-9).all() and (true <= found.upper + 1e-9).all()
    width = found.upper - found.lower
    assert (width <= 1e-3 * np.array(batch.largest()) + 1e-9).all()
    # The predictor itself concedes no more than it says.
    for sample, (a, b), upper in zip(
        batch.samples(), pairwise(batch.offsets), found.upper, strict=True
    ):
        p = found.predictor[a:b]
        assert_allclose(p.sum(axis=1), 1)
        assert p.min(initial=0) >= 0
        if len(p):
            assert exact.augmented_max(*sample[:5], p) <= upper + 1e-9
    values = Adversarial().values(*game, batch.labels)
    scores = [score(*s[:3], s[5]) for s in batch.samples()]
    assert_allclose(values, found.upper - scores, atol=1e-12)
    for old, new in zip(before, (*batch.potentials[:2], *batch.game[1:]), strict=True):
        assert np.array_equal(old, new)


@pytest.mark.parametrize("graphs", GRAPHS)
def test_the_game_is_solved_as_narrowly_as_is_asked(graphs):
    batch = Batch(graphs, ZERO_ONE)
    found = solve_game(batch.structure, batch.potentials, batch.game, tol=1e-5)
    assert_allclose(found.upper, exact_games(batch), atol=1e-4)
    assert_allclose(found.lower, exact_games(batch), atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("graphs", GRAPHS)
def test_hinge(graphs, kind):
    batch = Batch(graphs, KINDS[kind], weighted=True, by_node=kind == "general")
    hinge = Hinge()
    values = hinge.values(
        batch.structure, batch.potentials, hinge.game(batch.game), batch.labels
    )
    for value, (node, edges, tables, costs, weight, labels) in zip(
        values, batch.samples(), strict=True
    ):
        # costs[i, predicted, true], the adversary being the truth.
        ys = exact.labelings(len(labels), K)
        paid = [
            sum(weight[i] * costs[i, k, labels[i]] for i, k in enumerate(y)) for y in ys
        ]
        true = (exact.scores(ys, node, edges, tables) + paid).max()
        assert value == pytest.approx(true - score(node, edges, tables, labels))
        assert value >= -1e-12


@pytest.mark.parametrize("graphs", GRAPHS)
def test_logistic(graphs):
    batch = Batch(graphs, ZERO_ONE)
    values = Logistic().values(batch.structure, batch.potentials, None, batch.labels)
    for value, (node, edges, tables, *_, labels) in zip(
        values, batch.samples(), strict=True
    ):
        scores = exact.scores(exact.labelings(len(labels), K), node, edges, tables)
        true = _oracles.log_partition(scores) - score(node, edges, tables, labels)
        assert value == pytest.approx(true, abs=1e-10)


def test_a_chain_and_a_tree_agree():
    batch = Batch("chains", GENERAL, weighted=True)
    offsets = batch.offsets
    edge = np.random.default_rng(1).normal(size=(K, K))
    potentials = Potentials(batch.potentials.node, edge)
    chain = Chain(offsets, np.arange(offsets[-1]))
    for surrogate in (Hinge(), Logistic()):
        game = surrogate.game(batch.game)
        one, two = (
            surrogate.values(s, potentials, game, batch.labels)
            for s in (chain, batch.structure)
        )
        assert_allclose(one, two, rtol=1e-12, atol=1e-12)


class TestSingleNodes:
    """Values of the adversarial surrogate that are known in closed form."""

    def values(self, kind, cost, values, f, labels, weight=1.0):
        n = len(labels)
        structure = Tree(np.arange(n + 1), np.zeros((0, 2), np.intp), np.zeros(n + 1))
        game = Game(
            kind,
            cost[None],
            np.zeros(n, dtype=np.intp),
            np.full(n, weight),
            np.asarray(values, dtype=float),
        )
        potentials = Potentials(f, np.zeros((len(cost), len(cost))))
        return Adversarial().values(structure, potentials, game, labels, tol=1e-6)

    @pytest.mark.parametrize("size", [1, 2, 3, 6])
    def test_zero_one(self, size):
        rng = np.random.default_rng(size)
        f, labels = rng.normal(size=(20, size)), rng.integers(size, size=20)
        got = self.values(ZERO_ONE, 1 - np.eye(size), range(size), f, labels)
        # The adversary mixes the j best labels: mean of f, plus (j - 1) / j.
        top, j = np.cumsum(-np.sort(-f, axis=1), axis=1), np.arange(1, size + 1)
        true = ((top + j - 1) / j).max(axis=1) - f[np.arange(20), labels]
        assert_allclose(got, true, atol=1e-5)

    @pytest.mark.parametrize("weight", [0.0, 0.5, 3.0])
    def test_absolute(self, weight):
        rng = np.random.default_rng(0)
        f, labels = rng.normal(size=(20, 4)), rng.integers(4, size=20)
        values = np.array([0.0, 1.0, 2.5, 7.0])
        cost = abs(np.subtract.outer(values, values))
        got = self.values(ABSOLUTE, cost, values, f, labels, weight)
        # One half at the best label to either side.
        w = weight * values
        true = ((f + w).max(axis=1) + (f - w).max(axis=1)) / 2
        true -= f[np.arange(20), labels]
        assert_allclose(got, true, atol=1e-5 * max(weight * 7, 1))

    def test_two_labels_of_unlike_costs(self):
        # The adversary makes the predictor indifferent: r = (b, a) / (a + b).
        a, b = 1.0, 4.0  # of predicting 0 where 1 is true, and 1 where 0 is
        cost = np.array([[0.0, a], [b, 0.0]])
        got = self.values(GENERAL, cost, [0, 1], np.zeros((1, 2)), np.zeros(1, int))
        assert_allclose(got, a * b / (a + b), atol=1e-5)


@pytest.mark.parametrize("graphs", GRAPHS)
@pytest.mark.parametrize("kind", ["zero_one", "absolute", "general"])
def test_smoothed_predictor(graphs, kind):
    batch = Batch(graphs, KINDS[kind], weighted=True)
    temperature = 0.7
    p = smoothed_predictor(batch.structure, batch.potentials, batch.game, temperature)
    assert_allclose(p.sum(axis=1), 1)
    checked = 0
    for (node, edges, tables, costs, weight, _), (a, b) in zip(
        batch.samples(), pairwise(batch.offsets), strict=True
    ):
        if not 0 < len(node) <= 3:
            continue
        true = exact.game_value_smoothed(
            node, edges, tables, costs, weight, eps=temperature
        )
        gain = np.einsum("i,iac,ia->ic", weight, costs, p[a:b])
        scores = exact.scores(exact.labelings(len(node), K), node + gain, edges, tables)
        value = temperature * _oracles.log_partition(scores / temperature)
        assert value == pytest.approx(true.value, abs=1e-5)
        checked += 1
    assert checked

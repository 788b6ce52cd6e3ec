"""Every verb of forests against enumeration, whatever the range of the potentials."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skstruct.kernels._node_game import augmentation, bayes_risks, expected_costs
from skstruct.structures import Chain, Potentials, Tree
from tests import _oracles as oracle
from tests.structures._forests import (
    GAMES,
    K,
    potentials,
    random_forests,
    random_game,
    samples,
)

EXACT = {"rtol": 1e-12, "atol": 1e-10}


def _check_posterior(tree, p, weight):
    found = tree.posterior(p, weight=weight)
    log_z, pairs = tree.log_partition(p), tree.edge_marginals(p)
    counts = np.zeros(pairs.shape)
    for i, (nodes, edges, labelings, scores, ends) in enumerate(samples(tree, p)):
        expected = oracle.log_partition(scores)
        np.testing.assert_allclose(found.log_partition[i], expected, **EXACT)
        np.testing.assert_allclose(log_z[i], expected, **EXACT)
        expected = oracle.node_marginals(labelings, scores, K)
        np.testing.assert_allclose(found.node[nodes], weight[i] * expected, **EXACT)
        expected = oracle.graph_edge_marginals(labelings, scores, ends, K)
        np.testing.assert_allclose(pairs[edges], expected, **EXACT)
        counts[edges] = weight[i] * expected
    if np.ndim(p.edge) == 2:
        counts = counts.sum(axis=0)
    np.testing.assert_allclose(found.edge, counts, **EXACT)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    node_scale=st.sampled_from([0.1, 1.0, 30.0, 300.0, 1e4]),
    edge_scale=st.sampled_from([0.1, 1.0, 30.0, 300.0, 1e4]),
    shared=st.booleans(),
    forbidden=st.sampled_from([0.0, 0.15, 0.5]),
)
def test_sums_are_exact_at_any_range(seed, node_scale, edge_scale, shared, forbidden):
    rng = np.random.default_rng(seed)
    tree = random_forests(rng)
    p = potentials(rng, tree, node_scale, edge_scale, shared, forbidden)
    _check_posterior(tree, p, rng.uniform(size=len(tree)))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    shared=st.booleans(),
    forbidden=st.sampled_from([0.0, 0.3]),
    ties=st.booleans(),
)
def test_best_labels(seed, shared, forbidden, ties):
    rng = np.random.default_rng(seed)
    tree = random_forests(rng)
    p = potentials(rng, tree, 1.0, 1.0, shared, forbidden)
    if ties:
        p = Potentials(np.round(p.node), np.round(p.edge))
    labels, score = tree.argmax(p)
    np.testing.assert_allclose(score, tree.score(labels, p))
    best = tree.k_best(p, 4)
    for i, (nodes, _, labelings, scores, ends) in enumerate(samples(tree, p)):
        assert score[i] == pytest.approx(scores.max())
        if scores.max() > -np.inf:
            order = _depth_first(labelings.shape[1], ends)
            expected = oracle.first_argmax(labelings, scores, order)
            np.testing.assert_array_equal(labels[nodes], expected)
        expected, _ = oracle.k_best(labelings, scores, 4)
        np.testing.assert_allclose(best[i][1], expected)
        assert best[i][0].shape == (len(expected), labelings.shape[1])
        assert len(np.unique(best[i][0], axis=0)) == len(expected)
        for rank, y in enumerate(best[i][0]):
            found = scores[(labelings == y).all(axis=1)]
            np.testing.assert_allclose(found, expected[rank])


def _depth_first(n, edges):
    """Nodes as they are decided: from the lowest one of each component."""
    order = []

    def visit(v):
        order.append(v)
        for u, w in edges:
            for a, b in ((u, w), (w, u)):
                if a == v and b not in order:
                    visit(b)

    for v in range(n):
        if v not in order:
            visit(v)
    return np.array(order, dtype=int)


def test_an_impossible_sample_is_labelled_with_few_broken_rules():
    edges = np.array([[0, 1], [1, 2]])
    only_same = np.where(np.eye(2, dtype=bool), 0.0, -np.inf)
    node = np.array([[0.0, -np.inf], [-np.inf, 0.0], [0.0, 1.0]])
    labels, score = Tree([0, 3], edges, [0, 2]).argmax(Potentials(node, only_same))
    assert score[0] == -np.inf
    np.testing.assert_array_equal(labels, [0, 1, 1])


def test_draws_have_the_distribution():
    edges = np.array([[1, 0], [1, 2]])
    rng = np.random.default_rng(0)
    p = Potentials(rng.normal(size=(4, 2)), 2 * rng.normal(size=(2, 2, 2)))
    p.edge[1, 0, 1] = -np.inf
    once = Tree([0, 4], edges, [0, 2])
    n = 4000
    many, nodes, rows = once.take(np.zeros(n, dtype=int))
    copies = Potentials(p.node[nodes], p.edge[rows])
    drawn = many.sample(copies, random_state=0).reshape(n, 4)
    ((_, _, labelings, scores, _),) = samples(once, p)
    frequency = (drawn[:, None] == labelings).all(axis=2).mean(axis=0)
    expected = oracle.probabilities(scores)
    np.testing.assert_allclose(frequency, expected, atol=4 * np.sqrt(0.25 / n))
    assert frequency[expected == 0].sum() == 0
    np.testing.assert_array_equal(many.sample(copies, 0).reshape(n, 4), drawn)


def test_take_repeats_and_reorders():
    rng = np.random.default_rng(1)
    tree = random_forests(rng)
    p = potentials(rng, tree, 1.0, 1.0, False, 0.0)
    chosen = np.array([3, 1, 3, 0])
    part, nodes, edges = tree.take(chosen)
    q = Potentials(p.node[nodes], p.edge[edges])
    whole, found = tree.posterior(p), part.posterior(q)
    np.testing.assert_allclose(found.log_partition, whole.log_partition[chosen])
    np.testing.assert_allclose(found.node, whole.node[nodes], atol=1e-12)
    np.testing.assert_allclose(found.edge, whole.edge[edges], atol=1e-12)


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(2)
    n, length = 1500, 30
    offsets, edge_offsets = np.arange(n + 1) * length, np.arange(n + 1) * (length - 1)
    parents = (rng.uniform(size=(n, length - 1)) * np.arange(1, length)).astype(int)
    first = offsets[:-1, None]
    edges = np.stack([parents + first, first + np.arange(1, length)], axis=-1)
    tree = Tree(offsets, edges.reshape(-1, 2), edge_offsets)
    p = Potentials(rng.normal(size=(n * length, K)), rng.normal(size=(K, K)))
    game = random_game(rng, n * length, "zero-one")
    results = []
    for n_jobs in (1, 2):
        predictor = np.full((n * length, K), 1 / K)
        results.append(tree.game_sweep(p, game, predictor, n_sweeps=2, n_jobs=n_jobs))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_long_chain_and_a_large_star_stay_in_range():
    n = 5000
    chain = Tree(
        [0, n], np.column_stack([np.arange(n - 1), np.arange(1, n)]), [0, n - 1]
    )
    star = Tree([0, n], np.column_stack([np.arange(1, n), np.zeros(n - 1)]), [0, n - 1])
    rng = np.random.default_rng(3)
    p = Potentials(3 * rng.normal(size=(n, K)), 3 * rng.normal(size=(K, K)))
    alpha = p.node[0]
    for row in p.node[1:]:
        alpha = np.logaddexp.reduce(alpha[:, None] + p.edge, axis=0) + row
    expected = np.logaddexp.reduce(alpha)
    assert chain.log_partition(p)[0] == pytest.approx(expected, rel=1e-12)
    leaves = np.logaddexp.reduce(p.node[1:, :, None] + p.edge, axis=1).sum(axis=0)
    expected = np.logaddexp.reduce(p.node[0] + leaves)
    assert star.log_partition(p)[0] == pytest.approx(expected, rel=1e-12)
    for tree in (chain, star):
        found = tree.posterior(p)
        np.testing.assert_allclose(found.node.sum(axis=1), 1)
        assert found.edge.sum() == pytest.approx(n - 1)


@pytest.mark.parametrize(
    ("offsets", "edges", "edge_offsets", "message"),
    [
        ([0, 2, 5], [[0, 1], [2, 3], [3, 4], [4, 2]], [0, 1, 4], "Sample 1 .* edge 2"),
        ([0, 2], [[0, 1], [1, 0]], [0, 2], "Sample 0 .* edge 1, from node 1 to node 0"),
        ([0, 2], [[1, 1]], [0, 1], "from node 1 to node 1, lies on a cycle"),
        ([0, 2, 4], [[1, 2]], [0, 0, 1], r"Edge 0 of sample 1 .* \(-1, 0\).* 0 to 1"),
        ([0, 2], [[0, 2]], [0, 1], "Edge 0 of sample 0"),
        ([0, 2], [0, 1], [0, 1], r"shape \(n_edges, 2\)"),
        ([0, 2], [[0, 1]], [0, 1, 1], "edge_offsets"),
        ([0, 2], [[0, 1]], [0, 2], "edge_offsets"),
    ],
)
def test_what_is_no_batch_of_forests(offsets, edges, edge_offsets, message):
    with pytest.raises(ValueError, match=message):
        Tree(offsets, edges, edge_offsets)


@pytest.mark.parametrize(
    ("node", "edge", "message"),
    [((2, 3), (3, 3), "one row a node"), ((3, 3), (1, 3, 3), r"\(2, 3, 3\)")],
)
def test_potentials_that_do_not_fit(node, edge, message):
    tree = Tree([0, 3], [[0, 1], [1, 2]], [0, 2])
    with pytest.raises(ValueError, match=message):
        tree.posterior(Potentials(np.zeros(node), np.zeros(edge)))


def test_no_samples_no_nodes_no_edges():
    nothing = np.zeros((0, 2), dtype=int)
    p = Potentials(np.zeros((0, K)), np.zeros((K, K)))
    for n in (0, 2):
        tree = Tree(np.zeros(n + 1), nothing, np.zeros(n + 1))
        found = tree.posterior(p)
        np.testing.assert_array_equal(found.log_partition, np.zeros(n))
        assert found.node.shape == (0, K)
        assert not found.edge.any()
        assert [len(scores) for _, scores in tree.k_best(p, 2)] == [1] * n


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(sorted(GAMES)),
    scale=st.sampled_from([0.3, 3.0, 300.0]),
    weight=st.sampled_from([0.3, 3.0, 3000.0]),
    forbidden=st.sampled_from([0.0, 0.15]),
)
def test_half_sweeps_never_raise_the_value(seed, loss, scale, weight, forbidden):
    rng = np.random.default_rng(seed)
    tree = random_forests(rng)
    p = potentials(rng, tree, scale, scale, seed % 2 == 0, forbidden)
    game = random_game(rng, len(p.node), loss, weight)
    predictor = rng.dirichlet(np.ones(K), size=len(p.node))
    before = np.inf
    for n_sweeps in (0, 1, 2, 3, 1):
        start, samples_weight = predictor.copy(), rng.uniform(size=len(tree))
        found = tree.game_sweep(
            p, game, predictor, n_sweeps=n_sweeps, weight=samples_weight
        )
        assert n_sweeps or (start == predictor).all()
        possible = np.isfinite(found.log_partition)
        rounding = 1e-12 * np.abs(found.log_partition[possible]) + 1e-10
        worse = (
            found.log_partition[possible] - np.broadcast_to(before, len(tree))[possible]
        )
        assert (worse <= rounding).all()
        before = found.log_partition
        _check_sweep(tree, p, game, predictor, samples_weight, found)


def _check_sweep(tree, p, game, predictor, weight, found):
    """A sweep answers the posterior under the predictor that it leaves."""
    np.testing.assert_allclose(predictor.sum(axis=1), 1)
    assert predictor.min() >= 0
    augmented = Potentials(p.node + augmentation(game, predictor), p.edge)
    expected = tree.posterior(augmented)
    np.testing.assert_allclose(found.log_partition, expected.log_partition, **EXACT)
    rows = np.repeat(weight, np.diff(tree.offsets))[:, None]
    np.testing.assert_allclose(found.node, rows * expected.node, atol=1e-9)
    weighted = tree.posterior(augmented, weight=weight).edge
    np.testing.assert_allclose(found.edge, weighted, atol=1e-9)
    risks = bayes_risks(game, expected.node)
    gaps = expected_costs(game, predictor, expected.node) - risks
    for i, (a, b) in enumerate(pairwise(tree.offsets)):
        scale = 1 + game.weight[a:b].sum()
        assert found.risk[i] == pytest.approx(risks[a:b].sum(), abs=1e-8 * scale)
        assert found.gap[i] == pytest.approx(gaps[a:b].sum(), abs=1e-8 * scale)
    assert found.gap.min() >= 0


@pytest.mark.parametrize("loss", sorted(GAMES))
@pytest.mark.parametrize("weight", [0.5, 3.0])
def test_many_half_sweeps_find_the_least_value(loss, weight):
    rng = np.random.default_rng(5)
    tree = random_forests(rng, sizes=(4, 1, 3))
    p = potentials(rng, tree, 1.0, 1.0, True, 0.0)
    game = random_game(rng, len(p.node), loss, weight)
    predictor = np.full((len(p.node), K), 1 / K)
    found = tree.game_sweep(p, game, predictor, n_sweeps=300)
    for i, (nodes, _, labelings, scores, _) in enumerate(samples(tree, p)):
        cost = game.cost[game.index[nodes]]
        value, gap = oracle.game_optimum(labelings, scores, cost, game.weight[nodes])
        assert found.log_partition[i] == pytest.approx(value, abs=1e-7 + gap)
        assert found.gap[i] < 1e-5


def test_nodes_without_weight_keep_their_predictor():
    rng = np.random.default_rng(6)
    tree = random_forests(rng)
    p = potentials(rng, tree, 1.0, 1.0, True, 0.0)
    game = random_game(rng, len(p.node), "zero-one")
    game.weight[::2] = 0
    start = rng.dirichlet(np.ones(K), size=len(p.node))
    predictor = start.copy()
    tree.game_sweep(p, game, predictor, n_sweeps=3)
    np.testing.assert_array_equal(predictor[::2], start[::2])
    assert (predictor[1::2] != start[1::2]).any(axis=1).all()


def test_impossible_samples_are_not_played():
    tree = Tree([0, 2, 4], [[0, 1], [2, 3]], [0, 1, 2])
    node = np.zeros((4, 2))
    node[0] = -np.inf
    game = random_game(np.random.default_rng(7), 4, "absolute", n_labels=2)
    predictor = np.full((4, 2), [0.9, 0.1])
    found = tree.game_sweep(Potentials(node, np.zeros((2, 2))), game, predictor)
    np.testing.assert_array_equal(predictor[:2], [[0.9, 0.1]] * 2)
    assert found.log_partition[0] == -np.inf
    assert not found.node[:2].any()
    assert (found.risk[0], found.gap[0]) == (0, 0)
    np.testing.assert_allclose(predictor[2:], 0.5)


@pytest.mark.parametrize("edges", ["shared", "table"])
def test_a_chain_plays_as_its_trees_do(edges):
    rng = np.random.default_rng(8)
    offsets, index = np.array([0, 3, 3, 4, 8]), rng.integers(0, 5, size=8)
    edge_index = None if edges == "shared" else rng.integers(0, 2, size=8)
    edge = rng.normal(size=(K, K) if edges == "shared" else (2, K, K))
    p = Potentials(rng.normal(size=(5, K)), edge, *rng.normal(size=(2, K)))
    chain = Chain(offsets, index, edge_index=edge_index)
    game = random_game(rng, 8, "zero-one")
    predictor, weight = np.full((8, K), 1 / K), rng.uniform(size=4)
    found = chain.game_sweep(p, game, predictor, n_sweeps=200, weight=weight)
    assert found.gap.max() < 1e-6
    node = p.node[index] + augmentation(game, predictor)
    own_rows = Chain(offsets, np.arange(8), edge_index=edge_index)
    expected = own_rows.posterior(p._replace(node=node), weight=weight)
    np.testing.assert_allclose(found.log_partition, expected.log_partition)
    np.testing.assert_allclose(found.node, expected.node)
    np.testing.assert_allclose(found.edge, expected.edge)

"""Potentials of graphs: layout, values, and gradients against finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.potentials import LinearGraph, _features, seen_pairs

N, M, F, G, K = 7, 5, 4, 2, 3
FORMS = {
    "dense": np.asarray,
    "csr": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc": sp.csc_array,
}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def build(rng, form="dense", edge_features=True):
    x = rng.normal(size=(N, F)) * (rng.random((N, F)) < 0.5)
    z = rng.normal(size=(M, G)) if edge_features else None
    return x, z, LinearGraph(FORMS[form](x), z, n_states=K)


@pytest.mark.parametrize("form", FORMS)
def test_potentials_are_linear_in_features_of_nodes_and_edges(rng, form):
    x, z, linear = build(rng, form)
    weights = rng.normal(size=linear.n_weights)
    w, c, a, v = linear.split(weights)
    assert [part.shape for part in (w, c, a, v)] == [(F, K), (K,), (K, K), (G, K, K)]
    node, edge = linear.potentials(weights)
    assert type(node) is np.ndarray
    assert_allclose(node, [[x[i] @ w[:, k] + c[k] for k in range(K)] for i in range(N)])
    assert_allclose(edge, [a + sum(z[m, g] * v[g] for g in range(G)) for m in range(M)])


def test_without_edge_features_one_table_serves_all_edges(rng):
    _, _, linear = build(rng, edge_features=False)
    assert linear.n_weights == F * K + K + K * K
    weights = rng.normal(size=linear.n_weights)
    assert linear.split(weights)[3].shape == (0, K, K)
    assert_array_equal(linear.potentials(weights)[1], weights[-K * K :].reshape(K, K))


@pytest.mark.parametrize("edge_features", [False, True])
def test_split_and_join_are_inverse_and_share_memory(rng, edge_features):
    _, _, linear = build(rng, edge_features=edge_features)
    weights = np.arange(linear.n_weights, dtype=float)
    parts = linear.split(weights)
    assert all(part.size == 0 or np.shares_memory(part, weights) for part in parts)
    joined = linear.join(*parts)
    assert_array_equal(joined, weights)
    assert not np.shares_memory(joined, weights)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("edge_features", [False, True])
def test_gradient_is_the_slope_of_counts_times_potentials(rng, form, edge_features):
    _, _, linear = build(rng, form, edge_features)
    shapes = (N, K), (M, K, K) if edge_features else (K, K)
    counts = [rng.normal(size=shape) for shape in shapes]
    weights = rng.normal(size=linear.n_weights)

    def value(weights):
        parts = zip(counts, linear.potentials(weights), strict=True)
        return sum(float((c * p).sum()) for c, p in parts)

    h = 1e-5
    slopes = [
        (value(weights + h * e) - value(weights - h * e)) / (2 * h)
        for e in np.eye(linear.n_weights)
    ]
    gradient = linear.gradient(*counts)
    assert gradient.shape == (linear.n_weights,)
    assert_allclose(gradient, slopes, atol=1e-8)


@pytest.mark.parametrize("edge_features", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_curvature_is_of_squares_shared_among_labels(rng, form, edge_features):
    dense, _, linear = build(rng, form, edge_features)
    node_weight, edge_weight = rng.uniform(size=N), rng.uniform(size=M)
    found = linear.split(linear.curvature(node_weight, edge_weight))
    coef, intercept, transition, edge = found
    for k in range(K):
        assert_allclose(coef[:, k], node_weight @ dense**2 / K)
    assert_allclose(intercept, node_weight.sum() / K)
    assert_allclose(transition, edge_weight.sum() / K**2)
    if edge_features:
        squares = edge_weight @ linear.edge_features**2 / K**2
        assert_allclose(edge, np.tile(squares[:, None, None], (1, K, K)))
    else:
        assert edge.shape == (0, K, K)


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_a_part_has_the_potentials_of_its_rows(rng, form):
    _, _, linear = build(rng, form)
    weights = rng.normal(size=linear.n_weights)
    nodes, edges = np.array([5, 0, 2]), np.array([4, 1])
    part = linear.take(nodes, edges)
    assert part.n_weights == linear.n_weights
    for own, whole, rows in zip(
        part.potentials(weights),
        linear.potentials(weights),
        (nodes, edges),
        strict=True,
    ):
        assert_allclose(own, whole[rows])


def test_a_part_without_edge_features_reads_no_edge_rows(rng):
    _, _, linear = build(rng, edge_features=False)
    weights = rng.normal(size=linear.n_weights)
    part = linear.take(np.array([1, 2]), None)
    assert_array_equal(part.potentials(weights)[1], linear.potentials(weights)[1])


@pytest.mark.parametrize("form", FORMS)
def test_no_features_leave_the_intercept(form):
    linear = LinearGraph(FORMS[form](np.zeros((3, 0))), n_states=2)
    assert linear.n_weights == 6
    node, edge = linear.potentials(np.arange(6.0))
    assert_array_equal(node, [[0, 1]] * 3)
    assert_array_equal(edge, [[2, 3], [4, 5]])
    gradient = linear.gradient(np.ones((3, 2)), np.ones((2, 2)))
    assert_array_equal(gradient, [3, 3, 1, 1, 1, 1])


@pytest.mark.parametrize("form", FORMS)
def test_no_nodes(form):
    linear = LinearGraph(FORMS[form](np.zeros((0, 2))), np.zeros((0, 1)), n_states=2)
    node, edge = linear.potentials(np.arange(14.0))
    assert node.shape == (0, 2) and edge.shape == (0, 2, 2)
    assert_array_equal(linear.gradient(node, edge), np.zeros(14))


@pytest.mark.parametrize("n_frequent", [0, 1, 2, 4])
def test_frequent_and_rare_features_are_summed_alike(rng, monkeypatch, n_frequent):
    monkeypatch.setattr(_features, "_N_FREQUENT", n_frequent)
    x, _, linear = build(rng, "csr", edge_features=False)
    counts = rng.normal(size=(N, K))
    coef = linear.split(linear.gradient(counts, np.zeros((K, K))))[0]
    assert_allclose(coef, x.T @ counts, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_users_features_are_not_changed_and_may_be_whole_numbers(form):
    x = np.array([[0, 2], [1, 0], [3, 1]])
    mine = FORMS[form](x)
    linear = LinearGraph(mine, n_states=2)
    node, edge = linear.potentials(np.arange(10.0))
    assert_allclose(node, x @ np.arange(4.0).reshape(2, 2) + [4, 5])
    linear.gradient(node, edge)
    assert mine.dtype == x.dtype
    assert_array_equal(mine if form == "dense" else mine.toarray(), x)


def some_pairs(rng):
    """A graph in which only some pairs have weights, and the one that has all."""
    _, z, every = build(rng, "csr")
    mask = rng.random((F, K)) < 0.5
    mask[0] = False
    some = LinearGraph(every.features, z, n_states=K, pairs=sp.csr_array(mask))
    return mask, some, every


@pytest.mark.parametrize("n_frequent", [0, 1, 2, 4])
def test_pairs_without_a_weight_weigh_nothing(rng, monkeypatch, n_frequent):
    monkeypatch.setattr(_features, "_N_FREQUENT", n_frequent)
    mask, some, every = some_pairs(rng)
    assert some.n_weights == every.n_weights - (~mask).sum()
    weights = rng.normal(size=some.n_weights)
    parts = some.split(weights)
    assert_array_equal(parts[0] != 0, mask)
    assert_array_equal(some.join(*parts), weights)
    for own, whole in zip(
        some.potentials(weights), every.potentials(every.join(*parts)), strict=True
    ):
        assert_allclose(own, whole, atol=1e-12)


@pytest.mark.parametrize("n_frequent", [0, 1, 2, 4])
def test_gradient_of_pairs_is_that_of_all_where_they_are(rng, monkeypatch, n_frequent):
    monkeypatch.setattr(_features, "_N_FREQUENT", n_frequent)
    mask, some, every = some_pairs(rng)
    counts = rng.normal(size=(N, K)), rng.normal(size=(M, K, K))
    whole = every.split(every.gradient(*counts))
    expected = some.join(*whole)
    assert_allclose(some.gradient(*counts), expected, atol=1e-12)
    assert_array_equal(expected[: mask.sum()], whole[0][mask])


def test_a_part_has_the_same_pairs(rng):
    _, some, _ = some_pairs(rng)
    weights = rng.normal(size=some.n_weights)
    nodes, edges = np.array([5, 0, 2]), np.array([4, 1])
    part = some.take(nodes, edges)
    for own, whole, rows in zip(
        part.potentials(weights), some.potentials(weights), (nodes, edges), strict=True
    ):
        assert_allclose(own, whole[rows])


def test_pairs_are_seen_where_a_feature_stands_at_a_label(rng):
    x = rng.integers(-1, 2, size=(40, 6))  # values may cancel, presence may not
    x[:2, 0], labels = (1, -1), rng.integers(3, size=40)
    labels[:2] = 2
    mine = sp.csr_array(x)
    seen = seen_pairs(mine, labels, 4)
    assert seen.shape == (6, 4)
    expected = [[(x[labels == k, f] != 0).sum() for k in range(4)] for f in range(6)]
    assert_array_equal(seen.toarray(), expected)
    assert_array_equal(mine.toarray(), x)

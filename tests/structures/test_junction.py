"""Every verb of low-treewidth graphs against enumeration."""

import itertools

import numpy as np
import pytest

from skstruct.kernels._node_game import ABSOLUTE, GENERAL, SQUARED, ZERO_ONE, Game
from skstruct.structures import Junction, Potentials, Tree
from tests import _oracles as oracle

K = 3
RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
GRID = [(0, 1), (2, 1), (3, 4), (4, 5), (0, 3), (4, 1), (2, 5)]
FULL = [(1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (2, 3)]
PIECES = [(4, 1), (0, 2), (1, 2), (2, 4)]
PARALLEL = [(0, 1), (1, 0), (2, 1), (0, 1)]
GRAPHS = [
    (4, RING),
    (0, []),
    (6, GRID),
    (1, []),
    (4, FULL),
    (5, PIECES),
    (3, PARALLEL),
    (4, RING),
    (3, []),
]


def _batch(graphs):
    """Offsets, global edges and their offsets."""
    offsets = np.cumsum([0] + [n for n, _ in graphs])
    edge_offsets = np.cumsum([0] + [len(e) for _, e in graphs])
    edges = [
        np.reshape(e, (-1, 2)).astype(int) + a
        for (_, e), a in zip(graphs, offsets, strict=False)
    ]
    return offsets, np.concatenate(edges), edge_offsets


OFFSETS, EDGES, EDGE_OFFSETS = _batch(GRAPHS)
NODES = [slice(a, b) for a, b in itertools.pairwise(OFFSETS)]
EDGES_OF = [slice(a, b) for a, b in itertools.pairwise(EDGE_OFFSETS)]


def _structure():
    return Junction(OFFSETS, EDGES, EDGE_OFFSETS, n_states=K)


def _potentials(seed, *, shared=False, scale=1.0, forbidden=0.0, no_pairs=0.0):
    rng = np.random.default_rng(seed)

    def table(shape, share):
        out = scale * rng.normal(size=shape)
        out[rng.uniform(size=shape) < share] = -np.inf
        return out

    shape = (K, K) if shared else (len(EDGES), K, K)
    return Potentials(table((OFFSETS[-1], K), forbidden), table(shape, no_pairs))


def _enumerated(p):
    """Labelings and scores of each graph."""
    out = []
    for (n, edges), nodes, own in zip(GRAPHS, NODES, EDGES_OF, strict=True):
        edge = p.edge if p.edge.ndim == 2 else p.edge[own]
        labelings = oracle.enumerate_paths(n, K)
        scores = oracle.graph_scores(labelings, p.node[nodes], edges, edge)
        out.append((labelings, scores))
    return out


CASES = {
    "edge tables": {},
    "shared edges": {"shared": True},
    "forbidden labels": {"forbidden": 0.3},
    "forbidden pairs": {"no_pairs": 0.2, "forbidden": 0.1},
    "forbidden pairs, shared": {"no_pairs": 0.2, "shared": True},
    "wide": {"scale": 20.0},
    "wide, shared": {"scale": 20.0, "shared": True},
    "wider": {"scale": 60.0},
    "huge": {"scale": 1e4, "forbidden": 0.2},
    "huge, shared": {"scale": 1e4, "shared": True},
}
cases = pytest.mark.parametrize("options", CASES.values(), ids=CASES.keys())
seeds = pytest.mark.parametrize("seed", range(3))


def close(a, b):
    """Marginals to 1e-10; sums of huge potentials to the last digits they have."""
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-10)


@seeds
@cases
def test_sums_equal_enumeration(seed, options):
    p = _potentials(seed, **options)
    weight = np.random.default_rng(seed).uniform(size=len(GRAPHS))
    found = _structure().posterior(p, weight=weight)
    edges = _structure().edge_marginals(p)
    counts = np.zeros((len(EDGES), K, K))
    for i, (y, scores) in enumerate(_enumerated(p)):
        close(found.log_partition[i], oracle.log_partition(scores))
        node = oracle.node_marginals(y, scores, K)
        close(found.node[NODES[i]], weight[i] * node)
        expected = oracle.graph_edge_marginals(y, scores, GRAPHS[i][1], K)
        close(edges[EDGES_OF[i]], expected)
        counts[EDGES_OF[i]] = weight[i] * expected
    close(found.edge, counts.sum(axis=0) if options.get("shared") else counts)
    close(_structure().log_partition(p), found.log_partition)


@seeds
@cases
def test_argmax_and_score_equal_enumeration(seed, options):
    p = _potentials(seed, **options)
    states, score = _structure().argmax(p)
    close(_structure().score(states, p), score)
    for i, (y, scores) in enumerate(_enumerated(p)):
        best, path = oracle.argmax(y, scores)
        close(score[i], best)
        if best > -np.inf:
            np.testing.assert_array_equal(states[NODES[i]], path)


def test_equals_prefer_lower_states():
    p = Potentials(np.zeros((OFFSETS[-1], K)), np.zeros((K, K)))
    states, score = _structure().argmax(p)
    assert not states.any()
    assert not score.any()


@pytest.mark.parametrize("shared", [True, False])
def test_k_best_equals_enumeration(shared):
    p = _potentials(3, shared=shared, forbidden=0.2)
    for (y, scores), (labels, score) in zip(
        _enumerated(p), _structure().k_best(p, 5), strict=True
    ):
        best, paths = oracle.k_best(y, scores, 5)
        close(score, best)
        np.testing.assert_array_equal(labels, paths)


def test_an_impossible_graph_gets_labels_that_break_few_rules():
    structure = Junction(
        [0, 4, 8], np.add(RING + RING, [[0]] * 4 + [[4]] * 4), [0, 4, 8], n_states=2
    )
    node = np.zeros((8, 2))
    node[0] = -np.inf
    node[2, 0] = -np.inf
    equal = np.array([[0.0, -5.0], [-5.0, 0.0]])
    p = Potentials(node, equal)
    states, score = structure.argmax(p)
    np.testing.assert_array_equal(states[:4], [1, 1, 1, 1])
    np.testing.assert_array_equal(score, [-np.inf, 0.0])
    found = structure.posterior(p)
    np.testing.assert_array_equal(found.log_partition[0], -np.inf)
    assert not found.node[:4].any()
    close(found.node[4:].sum(axis=1), 1.0)


@pytest.mark.parametrize("scale", [0.7, 400.0])
def test_draws_have_the_marginals(scale):
    n_draws = 4000
    rng = np.random.default_rng(0)
    node, edge = rng.normal(size=(4, K)), scale * rng.normal(size=(4, K, K))
    node[1, 2] = -np.inf
    offsets, edges, edge_offsets = _batch([(4, RING)] * n_draws)
    structure = Junction(offsets, edges, edge_offsets, n_states=K)
    p = Potentials(np.tile(node, (n_draws, 1)), np.tile(edge, (n_draws, 1, 1)))
    drawn = structure.sample(p, random_state=3).reshape(n_draws, 4)
    y = oracle.enumerate_paths(4, K)
    scores = oracle.graph_scores(y, node, RING, edge)
    expected = oracle.graph_edge_marginals(y, scores, RING, K)
    for (u, v), table in zip(RING, expected, strict=True):
        seen = np.zeros((K, K))
        np.add.at(seen, (drawn[:, u], drawn[:, v]), 1 / n_draws)
        np.testing.assert_allclose(seen, table, atol=0.04)
    np.testing.assert_array_equal(structure.sample(p, random_state=3), drawn.ravel())


@pytest.mark.parametrize("shared", [True, False])
def test_taken_graphs_keep_their_results(shared):
    p = _potentials(0, shared=shared)
    samples = np.array([5, 2, 2, 1])
    part, nodes, edges = _structure().take(samples)
    assert len(part) == 4
    cut = Potentials(p.node[nodes], p.edge if shared else p.edge[edges])
    whole, found = _structure().posterior(p), part.posterior(cut)
    np.testing.assert_array_equal(found.log_partition, whole.log_partition[samples])
    np.testing.assert_array_equal(found.node, whole.node[nodes])
    np.testing.assert_array_equal(
        part.edge_marginals(cut), _structure().edge_marginals(p)[edges]
    )


def test_empty_batch():
    structure = Junction([0], np.zeros((0, 2), int), [0], n_states=K)
    p = Potentials(np.zeros((0, K)), np.zeros((K, K)))
    found = structure.posterior(p)
    assert found.log_partition.shape == (0,)
    np.testing.assert_array_equal(found.edge, np.zeros((K, K)))
    assert structure.argmax(p)[0].shape == (0,)


def _game(kind, seed, scale=2.0):
    rng = np.random.default_rng(seed)
    values = np.array([0.0, 1.0, 2.5])
    distance = np.abs(values[:, None] - values)
    cost = {
        ZERO_ONE: 1.0 - np.eye(K),
        ABSOLUTE: distance,
        SQUARED: distance**2,
        GENERAL: rng.uniform(size=(K, K)) * (1 - np.eye(K)),
    }[kind]
    N = OFFSETS[-1]
    weight = scale * rng.uniform(0.2, 1.0, size=N)
    weight[2] = 0.0
    # Nodes are solved by their positions where the kind says so, whatever their table.
    factor = 1.0 if kind in (ABSOLUTE, SQUARED) else 0.5
    cost = np.stack([cost, factor * cost])
    return Game(kind, cost, rng.integers(0, 2, size=N), weight, values)


kinds = pytest.mark.parametrize("kind", [ZERO_ONE, ABSOLUTE, SQUARED, GENERAL])


def _uniform():
    return np.full((OFFSETS[-1], K), 1 / K)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (ZERO_ONE, {}),
        (ABSOLUTE, {"forbidden": 0.2}),
        (SQUARED, {"no_pairs": 0.1}),
        (GENERAL, {}),
    ],
)
def test_sweeps_reach_the_best_predictor(kind, options):
    p, game, predictor = _potentials(1, **options), _game(kind, 1), _uniform()
    found = _structure().game_sweep(p, game, predictor, n_sweeps=400)
    np.testing.assert_array_equal(predictor[2], np.full(K, 1 / K))
    np.testing.assert_allclose(predictor.sum(axis=1), 1.0)
    for i, (y, scores) in enumerate(_enumerated(p)):
        nodes = NODES[i]
        if y.shape[1] == 0 or scores.max() == -np.inf:
            continue
        cost, weight = game.cost[game.index[nodes]], game.weight[nodes]
        value, gap = oracle.game_optimum(y, scores, cost, weight)
        assert gap < 1e-4
        assert value - gap - 1e-7 <= found.log_partition[i] <= value + 1e-7
        assert found.gap[i] < 1e-5


@kinds
@pytest.mark.parametrize("options", [{}, {"scale": 200.0}, {"no_pairs": 0.1}])
def test_each_sweep_lowers_the_value_and_ends_in_exact_marginals(kind, options):
    p, game, predictor = _potentials(2, **options), _game(kind, 2), _uniform()
    weight = np.random.default_rng(0).uniform(size=len(GRAPHS))
    before = np.inf
    for n_sweeps in (0, 1, 1, 2, 3):
        found = _structure().game_sweep(
            p, game, predictor, n_sweeps=n_sweeps, weight=weight
        )
        assert np.all(found.log_partition <= before + 1e-9)
        before = found.log_partition
        for i, (y, scores) in enumerate(_enumerated(p)):
            nodes = NODES[i]
            cost, w = game.cost[game.index[nodes]], game.weight[nodes]
            scores = oracle.augmented_scores(y, scores, cost, w, predictor[nodes])
            close(found.log_partition[i], oracle.log_partition(scores))
            r = oracle.node_marginals(y, scores, K)
            close(found.node[nodes], weight[i] * r)
            edges = oracle.graph_edge_marginals(y, scores, GRAPHS[i][1], K)
            close(found.edge[EDGES_OF[i]], weight[i] * edges)
            costs = w[:, None] * np.einsum("iac,ic->ia", cost, r)
            close(found.risk[i], costs.min(axis=1, initial=np.inf).sum())
            expected = (predictor[nodes] * costs).sum()
            close(found.gap[i], expected - costs.min(axis=1, initial=np.inf).sum())


def test_trees_equal_the_tree():
    rng = np.random.default_rng(0)
    graphs = [
        (n, [(rng.integers(0, v), v)[:: rng.choice([1, -1])] for v in range(1, n)])
        for n in (1, 7, 12, 30)
    ]
    offsets, edges, edge_offsets = _batch(graphs)
    N, weight = offsets[-1], rng.uniform(size=4)
    p = Potentials(rng.normal(size=(N, K)), rng.normal(size=(len(edges), K, K)))
    cost = (1 - np.eye(K))[None]
    game = Game(ZERO_ONE, cost, np.zeros(N, int), rng.uniform(size=N), np.arange(K))
    results = []
    for structure in (
        Junction(offsets, edges, edge_offsets, n_states=K),
        Tree(offsets, edges, edge_offsets),
    ):
        predictor = np.full((N, K), 1 / K)
        sweep = structure.game_sweep(p, game, predictor, n_sweeps=60, weight=weight)
        results.append(
            [
                *structure.posterior(p, weight=weight)[:3],
                *structure.argmax(p),
                structure.edge_marginals(p),
                sweep.log_partition,
            ]
        )
        assert sweep.gap.max() < 1e-8
    for junction, tree in zip(*results, strict=True):
        close(junction, tree)


@pytest.fixture(scope="module")
def grids(corpora):
    """Offsets, edges and their offsets of the grids of three airports by hours."""
    data = np.load(corpora / "graphs" / "flight-delay" / "flight_delay_grid.npz")
    offsets = np.append(0, np.cumsum(data["n_nodes"].astype(int)))
    edge_offsets = np.append(0, np.cumsum(data["n_edges"].astype(int)))
    begins = np.repeat(offsets[:-1], np.diff(edge_offsets))
    return offsets, data["edges"] + begins[:, None], edge_offsets


def _grid_potentials(grids):
    rng = np.random.default_rng(0)
    return Potentials(rng.normal(size=(grids[0][-1], 4)), rng.normal(size=(4, 4)))


def _contract(factors, kept):
    """Sum the product of factors (table, nodes) over all nodes but one, or all."""
    while left := {v for _, nodes in factors for v in nodes} - {kept}:
        scopes = {v: set() for v in left}
        for _, nodes in factors:
            for v in left.intersection(nodes):
                scopes[v] |= set(nodes)
        v = min(left, key=lambda v, s=scopes: (len(s[v]), v))
        names = {u: name for name, u in enumerate(scopes[v])}
        joined = [f for f in factors if v in f[1]]
        others = sorted(scopes[v] - {v})
        terms = [x for t, nodes in joined for x in (t, [names[u] for u in nodes])]
        table = np.einsum(*terms, [names[u] for u in others])
        factors = [f for f in factors if v not in f[1]] + [(table, others)]
    out = np.ones(())
    for table, _ in factors:
        out = out * table
    return out


def test_real_grids_equal_tensor_contraction(grids):
    p = _grid_potentials(grids)
    structure = Junction(*grids, n_states=4, max_treewidth=3)
    found = structure.posterior(p)
    for i in (0, 200):
        begin, end = grids[0][i : i + 2]
        edges = grids[1][grids[2][i] : grids[2][i + 1]] - begin
        factors = [(np.exp(row), [v]) for v, row in enumerate(p.node[begin:end])]
        top = p.edge.max()
        factors += [(np.exp(p.edge - top), edge) for edge in edges.tolist()]
        z = _contract(factors, None)
        close(found.log_partition[i], np.log(z) + len(edges) * top)
        for v in (0, 30, end - begin - 1):
            close(found.node[begin + v], _contract(factors, v) / z)


@pytest.mark.compiled
def test_results_do_not_depend_on_threads(grids):
    p = _grid_potentials(grids)
    structure = Junction(*grids, n_states=4)
    N = grids[0][-1]
    cost = (1 - np.eye(4))[None]
    game = Game(ZERO_ONE, cost, np.zeros(N, int), np.ones(N), np.arange(4))
    results = []
    for n_jobs in (1, 2):
        predictor = np.full((N, 4), 0.25)
        posterior = structure.posterior(p, n_jobs=n_jobs)[:3]
        sweep = structure.game_sweep(p, game, predictor, n_sweeps=2, n_jobs=n_jobs)
        results.append([*posterior, *sweep, predictor])
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_graph_too_wide_is_named_with_what_it_would_need():
    pairs = list(itertools.combinations(range(6), 2))
    offsets, edges, edge_offsets = _batch([(4, RING), (6, pairs)])
    with pytest.raises(ValueError, match="max_treewidth=4") as error:
        Junction(offsets, edges, edge_offsets, n_states=20, max_treewidth=4)
    # 8 bytes times 20^6 + 20^5 + ... + 20.
    assert "sample 1 has treewidth 5" in str(error.value)
    assert "514 MiB" in str(error.value)
    Junction(offsets, edges, edge_offsets, n_states=2, max_treewidth=5)


def test_a_large_dense_graph_is_refused_at_once():
    pairs = np.array(list(itertools.combinations(range(300), 2)))
    with pytest.raises(ValueError, match=r"treewidth 299.*more than an exbibyte"):
        Junction([0, 300], pairs, [0, len(pairs)], n_states=4)


@pytest.mark.parametrize("edge", [(3, 4), (-1, 0), (2, 2)])
def test_edges_stay_in_their_graph(edge):
    with pytest.raises(ValueError, match="Edge 1 of sample 1 joins"):
        Junction([0, 2, 4, 6], [(0, 1), (2, 3), edge], [0, 1, 3, 3], n_states=2)


def test_potentials_of_another_shape_are_refused():
    p = _potentials(0)
    with pytest.raises(ValueError, match="Edge potentials must have shape"):
        _structure().posterior(p._replace(edge=p.edge[1:]))
    with pytest.raises(ValueError, match=r"2 labels.*n_states=3"):
        _structure().argmax(p._replace(node=p.node[:, 1:]))

"""The k best labelings of large graphs, and graphs that take too much memory."""

import numpy as np
import pytest

from skstruct.structures import Chain, Junction, Potentials, Tree
from skstruct.structures._triangulation import eliminate


def _path(n):
    return np.column_stack([np.arange(n - 1), np.arange(1, n)])


def test_long_chains_equal_those_of_chain():
    n, K, k = 3000, 3, 8
    rng = np.random.default_rng(0)
    node, edge = rng.normal(size=(n, K)), rng.normal(size=(K, K))
    node[rng.uniform(size=n) < 0.2, 1] = -np.inf
    p = Potentials(node, edge)
    [(labels, score)] = Tree([0, n], _path(n), [0, n - 1]).k_best(p, k)
    [(expected, best)] = Chain(np.array([0, n]), np.arange(n)).k_best(p, k)
    np.testing.assert_allclose(score, best, rtol=1e-12)
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("n_states", [1, 2])
def test_all_labelings_where_there_are_fewer(n_states):
    p = Potentials(np.zeros((4, n_states)), np.zeros((n_states, n_states)))
    ring = Junction(
        [0, 0, 4], [(0, 1), (1, 2), (2, 3), (3, 0)], [0, 0, 4], n_states=n_states
    )
    (none, zero), (labels, score) = ring.k_best(p, 100)
    assert none.shape == (1, 0) and zero.tolist() == [0.0]
    assert len({tuple(row) for row in labels.tolist()}) == n_states**4 == len(labels)
    assert not score.any()


def test_memory_that_many_labels_would_need():
    edges = [(0, 1), (1, 2), (2, 3), (3, 0)]
    with pytest.raises(ValueError, match=r"sample 1 .*treewidth 2.*9000 labels.*TiB"):
        Junction([0, 1, 5], np.add(edges, 1), [0, 0, 4], n_states=9000)
    Junction([0, 4], edges, [0, 4], n_states=100)


def test_a_wheel_is_eliminated_from_its_rim():
    n = 3000  # one by one, the neighbours of the hub are not counted again
    rim = [(v, (v + 1) % n) for v in range(n)]
    order, around = eliminate(n + 1, rim + [(v, n) for v in range(n)], 5)
    assert sorted(order) == list(range(n + 1)) and max(map(len, around)) == 3


def test_orders_are_by_least_fill_at_every_step():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = 12
        edges = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(22)]
        order, around = eliminate(n, edges, 50)
        near = {v: set() for v in range(n)}
        for u, v in edges:
            near[u].add(v)
            near[v].add(u)

        def fill(v, near=near):
            return sum(len(near[v] - near[u]) - 1 for u in near[v])

        for v, neighbours in zip(order, around, strict=True):
            assert neighbours == near[v]
            assert fill(v) == min(map(fill, near))
            for u in near.pop(v):
                near[u] |= neighbours
                near[u] -= {u, v}

"""The k best labelings of large graphs, and graphs that take too much memory."""

import numpy as np
import pytest

from skstruct.structures import Chain, Junction, Potentials, Tree
from skstruct.structures._triangulation import by_least_fill, by_sweep, eliminate


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


@pytest.mark.parametrize("rule", ["least fill", "sweep"])
def test_orders_follow_their_rule_at_every_step(rule):
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = 12
        near = [set() for _ in range(n)]
        for _ in range(22):
            u, v = rng.choice(n, 2, replace=False).tolist()
            near[u].add(v)
            near[v].add(u)
        find = by_least_fill if rule == "least fill" else by_sweep
        order, around = find([s.copy() for s in near], 50)
        left, front = dict(enumerate(near)), set()

        def key(v, left=left):
            if rule == "sweep":
                return len(left[v])
            return sum(len(left[v] - left[u]) - 1 for u in left[v])

        for v, neighbours in zip(order, around, strict=True):
            assert neighbours == left[v]
            choice = front if front and rule == "sweep" else left
            assert key(v) == min(map(key, choice)) and v in choice
            front = (front | neighbours) - {v}
            for u in left.pop(v):
                left[u] |= neighbours
                left[u] -= {u, v}


def test_a_sweep_that_would_be_broader_is_given_up():
    star = [{1, 2, 3, 4}, {0}, {0}, {0}, {0}]
    assert by_sweep([s.copy() for s in star], 2) is None
    order, _ = by_sweep(star, 3)
    assert sorted(order) == [0, 1, 2, 3, 4]

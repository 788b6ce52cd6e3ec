"""Elimination orders: known widths, and junction trees that are ones."""

import itertools

import numpy as np
import pytest

from skstruct.structures._triangulation import triangulate


def _cliques(n_nodes, edges, max_width=20):
    edges = np.array(edges, dtype=np.intp).reshape(-1, 2)
    return triangulate(n_nodes, edges.tobytes(), max_width)


def _grid(n_rows, n_columns):
    at = np.arange(n_rows * n_columns).reshape(n_rows, n_columns)
    down = zip(at[:-1].ravel(), at[1:].ravel(), strict=True)
    right = zip(at[:, :-1].ravel(), at[:, 1:].ravel(), strict=True)
    return [*down, *right]


WIDTHS = {
    "nothing": (0, [], 0),
    "no edges": (3, [], 0),
    "path": (5, [(0, 1), (1, 2), (3, 2), (3, 4)], 1),
    "star": (5, [(0, v) for v in range(1, 5)], 1),
    "ring": (7, [(v, (v + 1) % 7) for v in range(7)], 2),
    "ladder": (20, _grid(2, 10), 2),
    "three rows": (57, _grid(3, 19), 3),
    "square": (25, _grid(5, 5), 5),
    "broad": (256, _grid(8, 32), 8),
    "complete": (7, list(itertools.combinations(range(7), 2)), 6),
    "two parts": (8, [(0, 1), (1, 2), (2, 0), (5, 6)], 2),
}
graphs = pytest.mark.parametrize(
    ("n_nodes", "edges", "width"), WIDTHS.values(), ids=WIDTHS.keys()
)


@graphs
def test_widths_of_known_graphs_are_found(n_nodes, edges, width):
    assert _cliques(n_nodes, edges).width == width


@graphs
def test_cliques_hold_all_edges_and_hang_together(n_nodes, edges, width):
    cliques = _cliques(n_nodes, edges)
    assert sorted(cliques.order) == list(range(n_nodes))
    homes = {}
    for b, (separator, own) in enumerate(
        zip(cliques.separators, cliques.edges, strict=True)
    ):
        assert separator == sorted(set(separator))
        assert all(other > b for other in separator)
        if separator:  # running intersection
            assert set(separator[1:]) <= set(cliques.separators[separator[0]])
        for e, other, flipped in own:
            assert other in separator
            ends = cliques.order[b], cliques.order[other]
            homes[e] = ends if flipped else ends[::-1]
    assert [homes[e] for e in range(len(edges))] == [tuple(map(int, e)) for e in edges]


@graphs
def test_no_separator_is_crossed_by_more_edges_than_told(n_nodes, edges, width):
    cliques = _cliques(n_nodes, edges)
    place = {v: b for b, v in enumerate(cliques.order)}
    most = 0
    for b, separator in enumerate(cliques.separators):
        below = {b}
        for c in range(b, -1, -1):
            if cliques.separators[c] and cliques.separators[c][0] in below:
                below.add(c)
        clique = {b, *separator}
        touching = [
            (u, v)
            for u, v in edges
            if {place[u], place[v]} & below and {place[u], place[v]} & clique
        ]
        most = max(most, len(touching))
    assert cliques.crossing == most


def test_above_the_limit_an_order_is_still_found():
    edges = list(itertools.combinations(range(30), 2))
    cliques = _cliques(30, edges, max_width=3)
    assert cliques.width == 29
    assert cliques.n_entries(2) == 2**31 - 2

"""Graphs that are none: messages name sample and edge, and say what to do."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from skstruct.containers import GraphBatch, Ragged
from tests.containers._graph_examples import NX_NODES, VALUES, Graph


@pytest.mark.parametrize(
    ("graphs", "options", "message"),
    [
        ([Graph(NX_NODES, [])], {"feature": "y"}, "Sample 0: node 'root' .* 'y'"),
        (
            [Graph({}, []), Graph(NX_NODES, [(7, "root", {})])],
            {"edge_feature": "kind"},
            r"Sample 1: edge \(7, 'root'\) .* 'kind'",
        ),
        (
            [Graph(NX_NODES, [])],
            {"feature": ["x", "y"]},
            "node 'root' .* 'y'.*feature=",
        ),
        (
            [Graph(NX_NODES, [])],
            {"feature": ["x", "w"]},
            "Sample 0: node 'root': the attribute 'w' is 'a'; .*columns",
        ),
        ([Graph({0: {"a": None}}, [])], {"feature": ["a"]}, "node 0: .*'a' is None"),
        (
            [Graph(NX_NODES, [(7, "root", {"m": [[1]]})])],
            {"edge_feature": ["m"]},
            r"Sample 0: edge \(7, 'root'\): the attribute 'm' is \[\[1\]\]",
        ),
        (["root"], {}, r"Sample 0 is a str, not a networkx graph.*\[graph\]"),
        (
            [Graph(NX_NODES, [(7, "root", {}), ("root", 7, {})])],
            {},
            r"Sample 0, edge 1: \(0, 1\) joins the nodes of edge 0 again, \(1, 0\)",
        ),
    ],
)
def test_networkx_errors(graphs, options, message):
    with pytest.raises(ValueError, match=message):
        GraphBatch.from_networkx(graphs, **options)


PAIR = ["a", "b"]
BAD_GRAPHS = {
    "range": (
        [(PAIR, [(0, 1)]), (PAIR, [(1, 0), (1, 2)])],
        "Sample 1, edge 1: .* out of",
    ),
    "negative": ([(PAIR, [(0, -1)])], r"Sample 0, edge 0: \(0, -1\) is out of range"),
    "empty": ([([], [(0, 1)])], "Sample 0, edge 0: .* 0 nodes"),
    "loop": ([(PAIR, []), (PAIR, [(0, 1), (1, 1)])], "Sample 1, edge 1: .* itself"),
    "twice": ([(PAIR, [(0, 1), (0, 1)])], "Sample 0, edge 1: .* edge 0 again"),
    "the first of two": (
        [(list("abc"), [(0, 1), (1, 2), (2, 1), (1, 0)])],
        "Sample 0, edge 2: .* edge 1 again",
    ),
    "back": (
        [(PAIR, [(0, 1)]), ([], []), (list("abc"), [(2, 0), (1, 0), (0, 2)])],
        r"Sample 2, edge 2: \(0, 2\) joins the nodes of edge 0 again, \(2, 0\)",
    ),
    "triples": ([(PAIR, [(0, 1, 1)])], r"Sample 0: edges .* \(1, 3\)"),
    "turned": ([(PAIR * 2, [[0, 1, 2], [1, 2, 3]])], r"\(2, 3\). Pass edges.T"),
    "floats": ([(PAIR, [(0.0, 1.0)])], "Sample 0: edges .* float64"),
    "names": ([(PAIR, [("a", "b")])], "Sample 0: edges .* <U1"),
    "adjacency": ([(PAIR, sp.eye_array(2))], "Sample 0: edges .* np.argwhere"),
    "rows": ([(PAIR, [(0, 1)], [[1.0], [2.0]])], "Sample 0: edge_features .* 1 edges"),
    "text": ([(PAIR, [(0, 1)], ["x"])], "Sample 0: edge_features must hold numbers"),
    "sparse": ([(PAIR, [(0, 1)], sp.eye_array(1))], "edge_features must be dense"),
    "nan": (
        [(PAIR, [(0, 1)], [[1.0]]), (PAIR, [(1, 0)], [[np.nan]])],
        r"Sample 1, edge 0: \(1, 0\) has edge features \[nan\]",
    ),
    "inf": ([(PAIR, [(0, 1)], [[np.inf]])], "Sample 0, edge 0: .* finite"),
    "some": (
        [(PAIR, [(0, 1)], [[1.0]]), (["a"], []), (PAIR, [(0, 1)])],
        "Sample 2 has no edge features, but sample 0 has",
    ),
    "width": (
        [(PAIR, [(0, 1)], [[1.0, 2.0]]), (PAIR, [(0, 1)], [[1.0]])],
        "Sample 1 has 1 features an edge, sample 0 2",
    ),
    "single": ((VALUES, [(0, 1)]), r"Sample 0 is a ndarray .*\[\(features, edges\)\]"),
    "no edges": ([(PAIR,)], "Sample 0 is a tuple of 1 entries"),
    "four": ([(PAIR, [], [], [])], "Sample 0 is a tuple of 4 entries"),
    "number": (5, "list of graphs .* got a int"),
    "table": (pd.DataFrame({"a": [1]}), "got a DataFrame; .*from_arrays"),
    "sequences": (Ragged([PAIR]), "from_sequences"),
    "bare text": ([("ab", [(0, 1)])], "Node features: Sample 0 is a single str"),
    "widths": (
        [(np.zeros((2, 3)), []), (np.zeros((2, 4)), [])],
        "Node features: Sample 1 has tokens of shape",
    ),
}


@pytest.mark.parametrize("kind", BAD_GRAPHS)
def test_bad_graphs_are_named(kind):
    graphs, message = BAD_GRAPHS[kind]
    with pytest.raises(ValueError, match=message):
        GraphBatch.from_graphs(graphs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": [(0, 1), (1, 2), (3, 4)]}, r"Sample 1, edge 0: \(3, 4\) .* within"),
        ({"edge_offsets": [0, 3]}, "edge_offsets must be 3 integers"),
        ({"edge_offsets": [0.0, 2.0, 3.0]}, "edge_offsets .* float64"),
        ({"edge_offsets": [0, 4, 3]}, "never fall"),
        ({"edge_offsets": [0, 2, 2]}, "number of edges, 3"),
        ({"edge_values": np.zeros((2, 1))}, "edge_values .* 3 edges"),
        ({"edge_values": [1.0, 2.0, np.nan]}, "Sample 1, edge 0: .* finite"),
        ({"offsets": [0, 3, 6]}, "number of tokens, 5"),
        ({"tokens": ["a"]}, "tokens has 1 entries"),
    ],
)
def test_bad_arrays_are_named(change, message):
    good = {
        "values": np.arange(5.0),
        "offsets": [0, 3, 5],
        "edges": [(0, 1), (1, 2), (0, 1)],
        "edge_offsets": [0, 2, 3],
    }
    GraphBatch.from_arrays(**good)
    with pytest.raises(ValueError, match=message):
        GraphBatch.from_arrays(**good | change)


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ([-1, 2, 3, 1, 0], "nodes 3 -> 2 -> 1 -> 3 form a cycle"),
        ([-1, 1], "nodes 1 -> 1 form a cycle .*give one of .* of the cycle.$"),
        ([1, 2, 3, 2], "nodes 3 -> 2 -> 3 form a cycle"),
        ([-1, 2], "parent of node 1 is 2, but nodes are numbered from 0 to 1"),
        ([-1, 0, -2], "parent of node 2 is -2"),
        ([0, 0, 0], r"nodes 0 -> 0 form a cycle.*count from 0, and a root is -1"),
        ([2, 0, 2], r"cycle.*CoNLL.*np\.subtract\(heads, 1\)"),
        ([2, 3, 0], r"parent of node 1 is 3, .*CoNLL.*np\.subtract\(heads, 1\)"),
        ([-1.0, 0.0], "float64"),
        ([0, None, 0], "node 1 has the parent None; a root has the parent -1"),
        ([np.nan, 0], "node 0 has the parent nan; a root has the parent -1"),
        (["a", "b"], "must be a 1-D array of integers"),
        ([[-1, 0]], r"shape \(1, 2\)"),
    ],
)
def test_bad_parents_are_named(parents, message):
    with pytest.raises(ValueError, match=message):
        GraphBatch.tree(parents)


BAD_SHAPES = [
    *((2, -1), (2.5, 1), (True, 2), (2, None), [[2, 2]], np.array([2.0, 3.0])),
    *(-1, 2.5, True, np.True_, None, "ab", b"ab", {2, 3}, {2: 1}),
]


@pytest.mark.parametrize("shape", BAD_SHAPES, ids=repr)
def test_bad_grids(shape):
    with pytest.raises(ValueError, match="integers from 0; got"):
        GraphBatch.grid(shape)
    with pytest.raises(ValueError, match="integers from 0; got"):
        GraphBatch.chain(shape)


@pytest.mark.parametrize("name", ["from_lengths", "from_rows", "from_frame"])
def test_constructors_of_sequences_tell_where_edges_come_from(name):
    with pytest.raises(TypeError, match=r"GraphBatch\.from_sequences"):
        getattr(GraphBatch, name)(VALUES, [10])


GRID, PICTURE = GraphBatch.grid((3, 4)), np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    ("features", "edges", "message"),
    [
        (np.zeros((12, 1)), GraphBatch.grid((3, 3)), r"\(12, 1\).* 9 nodes.*grid"),
        (np.zeros((8, 1)), GraphBatch.grid((3, 3)), r"\(8, 1\).* 9 nodes.*grid"),
        (list("abcd"), GraphBatch.tree([-1, 0, 0]), r"\(4,\).* 3 nodes.*parents"),
        (np.arange(3.0), GraphBatch.chain(2), r"\(3,\).* 2 nodes.*np.asarray"),
        (sp.eye_array(2), GraphBatch.chain(1), r"\(2, 2\).* 1 nodes"),
        ([{"a": 1}], GraphBatch.tree([]), r"\(1,\).* 0 nodes"),
        (PICTURE, GRID, r"\(3, 4\).* 12 nodes.*image\.reshape\(-1, channels\)"),
        (PICTURE[..., None], GRID, r"\(3, 4, 1\).* 12 nodes.*image\.reshape"),
        (PICTURE[..., None], GRID.tolist(), r"\(3, 4, 1\).*each node\. .*reshape"),
    ],
)
def test_edges_know_their_nodes(features, edges, message):
    with pytest.raises(ValueError, match=f"Sample 1 has features of shape {message}"):
        GraphBatch([([], []), (features, edges)])

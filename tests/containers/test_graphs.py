"""Graphs: construction, cutting, joining, networkx."""

import copy
import pickle

import joblib
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import skstruct
from skstruct.containers import GraphBatch, Ragged
from tests.containers._graph_examples import (
    ALL_EDGES,
    EDGE_OFFSETS,
    EDGE_VALUES,
    EDGES,
    FEATURES,
    N_NODES,
    NX_NODES,
    OFFSETS,
    VALUES,
    Graph,
    as_plain,
    cut,
    with_edge_values,
)


@pytest.fixture(params=FEATURES)
def features(request):
    return FEATURES[request.param]()


def test_graphs_and_flat_arrays_make_the_same_batch(features):
    graphs = zip(cut(features, OFFSETS), EDGES, strict=True)
    batch = GraphBatch.from_graphs(graphs)
    flat = GraphBatch.from_arrays(features, OFFSETS, ALL_EDGES, EDGE_OFFSETS)
    assert as_plain(batch) == as_plain(flat)
    assert type(batch.values) is type(flat.values)
    for part in (batch, flat):
        assert part.offsets.tolist() == OFFSETS.tolist()
        assert part.edge_offsets.tolist() == EDGE_OFFSETS.tolist()
        assert part.edge_values is None
        assert part.edges.dtype == part.edge_offsets.dtype == np.intp
        assert [e.tolist() for _, e in part] == [list(map(list, e)) for e in EDGES]
    if sp.issparse(features):
        assert isinstance(batch.values, sp.csr_array)


def test_edge_features_go_with_their_edges():
    batch = with_edge_values()
    parts = zip(
        cut(VALUES, OFFSETS), EDGES, cut(EDGE_VALUES, EDGE_OFFSETS), strict=True
    )
    assert as_plain(GraphBatch(parts)) == as_plain(batch)
    assert batch[4][2].tolist() == EDGE_VALUES[3:].tolist()
    assert batch[[4, 2]].edge_values.tolist() == EDGE_VALUES[[3, 4, 5, 2]].tolist()


def test_a_number_an_edge_is_one_column():
    batch = GraphBatch([(["a", "b", "c"], [(0, 1), (1, 2)], [5, 6]), (["d"], [], [])])
    assert batch.edge_values.tolist() == [[5.0], [6.0]]


def test_graphs_without_edges_need_no_edge_features():
    graphs = [(["a"], []), (["a", "b"], [(0, 1)], [[2.0, 3.0]])]
    assert GraphBatch(graphs).edge_values.tolist() == [[2.0, 3.0]]
    alone = GraphBatch([(["a"], [], np.zeros((0, 2)))])
    assert alone.edge_values.shape == (0, 2)


def test_names_of_features_become_dicts():
    batch = GraphBatch([([["tag=NN", "title"], []], [(0, 1)]), ([["title"]], [])])
    assert batch.values.tolist() == [{"tag=NN": 1.0, "title": 1.0}, {}, {"title": 1.0}]
    again = batch.with_values([["a"], ["b"], ["a", "b"]])
    assert again.values.tolist() == [{"a": 1.0}, {"b": 1.0}, {"a": 1.0, "b": 1.0}]


def test_no_graphs():
    batch = GraphBatch([])
    assert len(batch) == 0 and batch.edges.shape == batch.global_edges.shape == (0, 2)
    assert len(with_edge_values()[:0]) == 0


def test_global_edges_point_at_rows():
    batch = with_edge_values()
    pairs = [
        (first + u, first + v)
        for first, edges in zip(OFFSETS, EDGES, strict=False)
        for u, v in edges
    ]
    assert batch.global_edges.tolist() == list(map(list, pairs))
    assert batch[[3, 2]].global_edges.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "key", [[4, 0, 0], slice(None, None, -2), [True, False, False, True, True], [-1]]
)
def test_cutting_keeps_graphs_whole(features, key):
    batch = GraphBatch.from_arrays(
        features, OFFSETS, ALL_EDGES, EDGE_OFFSETS, tokens=range(N_NODES)
    )
    part, ids = batch[key], np.arange(5)[key]
    assert type(part) is GraphBatch
    assert as_plain(part) == [as_plain(batch)[i] for i in ids]
    assert (
        part.tokens.tolist()
        == np.concatenate(
            [np.arange(N_NODES)[OFFSETS[i] : OFFSETS[i + 1]] for i in ids]
        ).tolist()
    )


def test_joining(features):
    batch = GraphBatch.from_arrays(features, OFFSETS, ALL_EDGES, EDGE_OFFSETS)
    joined = np.concatenate([batch[3:], batch[:3]])
    assert type(joined) is GraphBatch
    assert as_plain(joined) == as_plain(batch)[3:] + as_plain(batch)[:3]


def test_joining_edge_features():
    batch, bare = with_edge_values(), GraphBatch([(VALUES[:1], [])])
    joined = np.concatenate([bare, batch[[4, 1]], batch[2:3]])
    assert joined.edge_values.tolist() == EDGE_VALUES[[3, 4, 5, 2]].tolist()
    without = GraphBatch([(VALUES[:2], [(0, 1)])])
    with pytest.raises(ValueError, match="no edge features"):
        np.concatenate([batch, without])


def test_sequences_do_not_join_graphs():
    for parts in ([with_edge_values(), Ragged([VALUES])],) * 2:
        with pytest.raises(ValueError, match="from_sequences"):
            np.concatenate(parts)
        parts.reverse()


def test_other_values_on_the_same_graphs():
    batch = with_edge_values()
    other = batch.with_values(np.arange(N_NODES))
    assert type(other) is GraphBatch and other.values.tolist() == list(range(N_NODES))
    assert other.edges is batch.edges and other.edge_values is batch.edge_values
    with pytest.raises(ValueError, match="9 rows"):
        batch.with_values(np.arange(9))


def test_views_of_a_batch():
    batch = with_edge_values()
    assert as_plain(GraphBatch(batch)) == as_plain(GraphBatch(list(batch)))
    assert as_plain(GraphBatch(np.asarray(batch))) == as_plain(batch)
    nodes = Ragged(batch)
    assert type(nodes) is Ragged and nodes.values is batch.values
    assert batch.shape == (5,) and "sequence" not in f"{batch[:1].shape[0]}"


def test_chains():
    X = Ragged.from_arrays(VALUES[:6], [0, 3, 3, 4, 6], tokens=list("abcdef"))
    batch = GraphBatch.from_sequences(X)
    assert [e.tolist() for _, e in batch] == [[[0, 1], [1, 2]], [], [], [[0, 1]]]
    assert batch.tokens.tolist() == list("abcdef")
    assert [len(GraphBatch.chain(n)) for n in (0, 1, 4)] == [0, 0, 3]


def test_chains_know_their_frame():
    frame = pd.DataFrame({"id": [7, 8, 7], "load": [1.0, 2.0, 3.0]})
    sequences = Ragged.from_frame(frame, ["load"], group="id")
    batch = GraphBatch.from_sequences(sequences)[[1, 0]]
    assert batch.header.columns.tolist() == ["load"]
    assert batch.to_frame([["b"], ["a", "c"]])["prediction"].tolist() == ["a", "b", "c"]


def test_trees():
    assert GraphBatch.tree([2, 2, -1, 1, -1]).tolist() == [[2, 0], [2, 1], [1, 3]]
    assert GraphBatch.tree([]).shape == GraphBatch.tree([-1]).shape == (0, 2)
    assert len(GraphBatch.tree(np.arange(-1, 20_000))) == 20_000


def test_grids():
    edges = GraphBatch.grid((2, 3)).tolist()
    assert edges == [[0, 3], [1, 4], [2, 5], [0, 1], [3, 4], [1, 2], [4, 5]]
    assert GraphBatch.grid(4).tolist() == GraphBatch.chain(4).tolist()
    assert GraphBatch.grid(np.array([2, 3])).tolist() == edges
    assert len(GraphBatch.grid((2, 2, 2))) == 12
    assert GraphBatch.grid((1, 1)).shape == GraphBatch.grid((0, 3)).shape == (0, 2)


@pytest.mark.parametrize("edges", [GraphBatch.grid((2, 2)), GraphBatch.tree([-1, 0])])
def test_edges_are_arrays_and_what_is_made_of_them_fits_any_graph(edges):
    features = np.zeros((8, 1))
    for other in (
        *(np.asarray(edges), edges[1:], edges.T[::-1].T, edges + 1, edges.copy()),
        *(edges[edges[:, 0] == 0], np.concatenate([edges, edges + 4])),
        *(pickle.loads(pickle.dumps(edges)), copy.deepcopy(edges), edges.tolist()),
    ):
        assert len(GraphBatch([(features, other)]).edges) == len(other)
    X = GraphBatch([(features[: edges.max() + 1], edges)])
    assert type(X.edges) is type(X[0][1]) is np.ndarray
    assert type(pickle.loads(pickle.dumps(edges))) is np.ndarray
    assert repr(edges) == repr(np.asarray(edges))


@pytest.mark.parametrize(
    ("batch", "text"),
    [
        (with_edge_values(), "GraphBatch(5 graphs, 10 nodes, 6 edges, float64 x 2)"),
        (GraphBatch([(["a"], [])]), "GraphBatch(1 graph, 1 node, 0 edges, str)"),
    ],
)
def test_repr(batch, text):
    assert repr(batch) == text


def test_networkx_interface():
    graph = Graph(NX_NODES, [(7, "root", {"kind": [5, 6]})])
    batch = GraphBatch.from_networkx([graph, Graph({}, [])])
    assert as_plain(batch)[0] == [[[1.0, 2.0], [3.0, 4.0]], [[1, 0]]]
    assert batch.lengths.tolist() == [2, 0] and batch.edge_values is None
    batch = GraphBatch.from_networkx([graph], feature="w", edge_feature="kind")
    assert as_plain(batch) == [[["a", "b"], [[1, 0]], [[5.0, 6.0]]]]


def test_networkx_attributes_become_columns():
    edge = {"w": 0.5, "way": [1, 2]}
    nodes = {0: {"a": 1, "b": True, "x": [2.0, 3.0]}, 1: {"a": 4, "b": 0, "x": (5, 6)}}
    batch = GraphBatch.from_networkx(
        [Graph({}, []), Graph(nodes, [(1, 0, edge)])], ["a", "x", "b"], ["way", "w"]
    )
    assert batch.values.tolist() == [[1, 2, 3, 1], [4, 5, 6, 0]]
    assert batch.edge_values.tolist() == [[1, 2, 0.5]]
    again = GraphBatch.from_networkx([Graph(nodes, [(1, 0, edge)])], ["a"], ["w"])
    assert as_plain(again) == [[[[1], [4]], [[1, 0]], [[0.5]]]]


def test_networkx_itself():
    graph = nx.DiGraph([("c", "a"), ("c", "b")])
    nx.set_node_attributes(graph, {"a": 1.0, "b": 2.0, "c": 3.0}, "x")
    nx.set_edge_attributes(graph, 0.5, "strength")
    batch = GraphBatch.from_networkx([graph], edge_feature="strength")
    assert as_plain(batch) == [[[3.0, 1.0, 2.0], [[0, 1], [0, 2]], [[0.5], [0.5]]]]
    with pytest.raises(ValueError, match=r"Sample 1, edge 2: .* itself"):
        graph.add_edge("b", "b", strength=1.0)
        GraphBatch.from_networkx([nx.Graph(), graph])


def test_the_arrays_given_are_not_changed():
    edges = np.array(ALL_EDGES, dtype=np.int32)
    arrays = [
        VALUES.copy(),
        OFFSETS.copy(),
        edges,
        EDGE_OFFSETS.copy(),
        EDGE_VALUES.copy(),
    ]
    before = [a.copy() for a in arrays]
    for a in arrays:
        a.flags.writeable = False
    batch = GraphBatch.from_arrays(*arrays)
    np.concatenate([batch[1:], batch[:2]])
    assert all((a == b).all() for a, b in zip(arrays, before, strict=True))


def test_pickles_copies_and_hashes(features):
    batch = GraphBatch.from_arrays(
        features, OFFSETS, ALL_EDGES, EDGE_OFFSETS, EDGE_VALUES
    )
    for again in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert as_plain(again) == as_plain(batch) and type(again) is GraphBatch
        assert joblib.hash(again) == joblib.hash(batch)
    turned = GraphBatch.from_arrays(
        features, OFFSETS, np.array(ALL_EDGES)[:, ::-1], EDGE_OFFSETS, EDGE_VALUES
    )
    assert joblib.hash(turned) != joblib.hash(batch)


def test_it_is_exported():
    assert skstruct.GraphBatch is GraphBatch

"""Graphs where sequences are expected: what to write is said, nothing is read."""

from collections import UserDict

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from skstruct import ConditionalRandomField
from skstruct.containers import GraphBatch, Ragged

EDGES = GraphBatch.grid((3, 4))
GRAPH = nx.DiGraph([("a", "b"), ("a", "c")])


def fit(graphs):
    ConditionalRandomField().fit(graphs, [["r", "s", "t"]] * len(graphs))


@pytest.mark.parametrize("read", [Ragged, GraphBatch, fit])
@pytest.mark.parametrize("graphs", [[GRAPH], [nx.Graph(), GRAPH], GRAPH])
def test_networkx(read, graphs):
    with pytest.raises(ValueError, match=r"Graph.*GraphBatch\.from_networkx\(graphs"):
        read(graphs)


def test_frames_may_have_columns_of_these_names():
    frame = pd.DataFrame({"nodes": [1.0, 2.0], "edges": [0.0, 1.0]})
    assert Ragged([frame]).values.tolist() == frame.to_numpy().tolist()


@pytest.mark.parametrize("kind", [tuple, list])
@pytest.mark.parametrize(
    "features",
    [
        *(np.zeros((12, d)) for d in (1, 2, 4)),
        sp.csr_array(np.eye(12)),
        ["a"] * 12,
        [["a"], ["a", "b"]] * 6,
        [{"a": 1.0}] * 12,
    ],
    ids=["1", "2", "4", "sparse", "words", "names", "dicts"],
)
def test_lists_of_graphs(kind, features):
    for graph in ((features, EDGES), (features, EDGES.tolist(), np.ones((17, 1)))):
        with pytest.raises(ValueError, match=r"X: Sample 0.*pass GraphBatch\(samples"):
            ConditionalRandomField().fit([kind(graph)] * 2, [[0] * 12] * 2)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("edges", [EDGES, []])
def test_one_graph_is_no_batch(width, edges):
    X = GraphBatch([(np.eye(12)[:, :width], edges, np.ones((len(edges), 1)))])
    model = ConditionalRandomField().fit(X, [[0, 1] * 6])
    for sample in (X[0], X[0][:2]):
        with pytest.raises(ValueError, match=r"one graph.* X\[:1\], not X\[0\]"):
            model.predict(sample)


def test_two_sequences_are_no_graph():
    rows = np.array([[1, 5], [0, 2]])
    assert len(Ragged((rows, rows))) == len(Ragged((rows, -rows))) == 2
    assert len(Ragged((rows / 2, rows / 2))) == len(Ragged([rows[:1], rows * 0])) == 2


def test_mappings_are_no_sequences():
    mapping = UserDict({0: "a"})
    for given in (mapping, [mapping]):
        with pytest.raises(ValueError, match=r"single UserDict|got one UserDict"):
            Ragged(given)

"""Five graphs, of none to four nodes, by their parts."""

from itertools import chain, pairwise

import numpy as np
import scipy.sparse as sp

from skstruct.containers import GraphBatch

EDGES = [[(1, 0), (1, 2)], [], [(0, 1)], [], [(3, 0), (0, 1), (2, 3)]]
ALL_EDGES = list(chain.from_iterable(EDGES))
SIZES = [3, 0, 2, 1, 4]
OFFSETS = np.cumsum([0, *SIZES])
EDGE_OFFSETS = np.cumsum([0, *map(len, EDGES)])
N_NODES, N_EDGES = sum(SIZES), len(ALL_EDGES)
VALUES = np.arange(2.0 * N_NODES).reshape(-1, 2)
EDGE_VALUES = np.arange(3.0 * N_EDGES).reshape(-1, 3)

FEATURES = {
    "dense": lambda: VALUES,
    "csr": lambda: sp.csr_array(VALUES),
    "numbers": lambda: np.arange(N_NODES) / 2,
    "words": lambda: ["w" * (i + 1) for i in range(N_NODES)],
    "dicts": lambda: [{"position": i} for i in range(N_NODES)],
    "names": lambda: [[f"position={i}", "node"][: i % 3] for i in range(N_NODES)],
}


def cut(rows, offsets):
    return [rows[a:b] for a, b in pairwise(offsets)]


def with_edge_values():
    return GraphBatch.from_arrays(VALUES, OFFSETS, ALL_EDGES, EDGE_OFFSETS, EDGE_VALUES)


def as_plain(batch):
    """Everything a batch says, as lists that compare."""
    out = []
    for item in batch:
        arrays = [a.toarray() if sp.issparse(a) else np.asarray(a) for a in item]
        out.append([a.tolist() for a in arrays])
    return out


class Nodes(dict):
    def __call__(self, data):
        assert data is True
        return list(self.items())


class Graph:
    """As much of networkx as is asked for."""

    def __init__(self, nodes, links):
        self.nodes, self._links = Nodes(nodes), links

    def edges(self, data):
        assert data is True
        return iter(self._links)


NX_NODES = {"root": {"x": [1.0, 2.0], "w": "a"}, 7: {"x": [3.0, 4.0], "w": "b"}}

"""Random forests and games for tests of structures."""

from itertools import pairwise

import numpy as np

from skstruct.kernels._node_game import ABSOLUTE, GENERAL, SQUARED, ZERO_ONE, Game
from skstruct.structures import Potentials, Tree
from tests import _oracles as oracle

K = 3
SIZES = (4, 0, 1, 5, 2, 3)
GAMES = {
    "zero-one": ZERO_ONE,
    "absolute": ABSOLUTE,
    "squared": SQUARED,
    "random": GENERAL,
}


def _random_edges(rng, n):
    """Edges of a forest of several components, in any order and orientation."""
    names, edges = rng.permutation(n), []
    for i in range(1, n):
        if rng.uniform() < 0.8:
            edge = names[i], names[rng.integers(i)]
            edges.append(edge if rng.uniform() < 0.5 else edge[::-1])
    return rng.permutation(np.array(edges, dtype=int).reshape(-1, 2))


def random_forests(rng, sizes=SIZES):
    edges = [_random_edges(rng, n) for n in sizes]
    offsets = np.cumsum([0, *sizes])
    moved = [e + begin for e, begin in zip(edges, offsets[:-1], strict=True)]
    return Tree(offsets, np.concatenate(moved), np.cumsum([0, *map(len, edges)]))


def potentials(rng, tree, node_scale, edge_scale, shared, forbidden):
    def table(shape, scale):
        out = scale * rng.normal(size=shape)
        out[rng.uniform(size=shape) < forbidden] = -np.inf
        return out

    shape = (K, K) if shared else (len(tree.edges), K, K)
    return Potentials(
        table((tree.offsets[-1], K), node_scale), table(shape, edge_scale)
    )


def samples(tree, p):
    """Of each sample: slices of nodes and edges, labelings, scores, local edges."""
    bounds = pairwise(tree.offsets), pairwise(tree.edge_offsets)
    for (a, b), (c, d) in zip(*bounds, strict=True):
        ends = tree.edges[c:d] - a
        labelings = oracle.enumerate_paths(b - a, p.node.shape[1])
        edge = p.edge if np.ndim(p.edge) == 2 else p.edge[c:d]
        scores = oracle.graph_scores(labelings, p.node[a:b], ends, edge)
        yield slice(a, b), slice(c, d), labelings, scores, ends


def random_game(rng, n_nodes, loss, weight=1.0, n_labels=K):
    """Two tables of costs, used in turn by the nodes, and random weights."""
    values = np.sort(rng.uniform(0, n_labels, size=n_labels))
    distance = np.abs(values[:, None] - values)
    cost = {
        "zero-one": 1 - np.eye(n_labels),
        "absolute": distance,
        "squared": distance**2,
        "random": rng.uniform(size=(n_labels, n_labels)) * (1 - np.eye(n_labels)),
    }[loss]
    tables = np.stack([cost, cost if loss == "absolute" else 2 * cost])
    weights = weight * rng.uniform(0.1, 1, size=n_nodes)
    return Game(GAMES[loss], tables, np.arange(n_nodes) % 2, weights, values)

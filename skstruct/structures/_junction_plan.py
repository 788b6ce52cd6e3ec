"""The cliques of all shapes of a batch as flat arrays that kernels walk over."""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

__all__ = ["Plan", "make_plan"]


class Plan(NamedTuple):
    """Junction trees side by side: clique tables, and where factors enter them.

    A clique table is (S, K): one row for each labelling of the separator, one column
    for each label of the clique's node. A factor of the node and of some others from
    the separator, (T, K), enters row s by its row ``rows[at + s]``.

    Attributes
    ----------
    first : ndarray of shape (n_shapes + 1,)
        Where the cliques of each shape begin.
    node : ndarray of shape (n_cliques,)
        Node of each clique, counted in its sample.
    parent : ndarray of shape (n_cliques,)
        The clique above, -1 for none.
    n_rows : ndarray of shape (n_cliques,)
        S.
    at : ndarray of shape (n_cliques,)
        Row where the clique's table begins among those of its shape.
    size : ndarray of shape (n_shapes,)
        Rows of all tables of a shape.
    first_edge : ndarray of shape (n_cliques + 1,)
        Where the edges of each clique begin.
    edge : ndarray of shape (n_edges,)
        Edge, counted in its sample.
    flipped : ndarray of bool of shape (n_edges,)
        Whether the edge leads from the clique's node to another.
    edge_rows : ndarray of shape (n_edges,)
        Where its rows are told.
    first_child : ndarray of shape (n_cliques + 1,)
        Where the children of each clique begin.
    child : ndarray of shape (n_children,)
        Cliques.
    child_rows : ndarray of shape (n_children,)
        Where the rows of its message are told.
    rows : ndarray
        Rows of factors.
    """

    first: np.ndarray
    node: np.ndarray
    parent: np.ndarray
    n_rows: np.ndarray
    at: np.ndarray
    size: np.ndarray
    first_edge: np.ndarray
    edge: np.ndarray
    flipped: np.ndarray
    edge_rows: np.ndarray
    first_child: np.ndarray
    child: np.ndarray
    child_rows: np.ndarray
    rows: np.ndarray


class _Rows:
    """Rows of factors by row of a clique table, each pattern kept once."""

    def __init__(self, n_states):
        self.n_states = n_states
        self.begin = {}
        self.pieces = []
        self.length = 0

    def __call__(self, width, axes):
        """Where the rows of a factor of these axes of a separator are told."""
        key = width, tuple(axes)
        if key not in self.begin:
            K = self.n_states
            row = np.arange(K**width)
            out = np.zeros_like(row)
            for axis in axes:
                out = out * K + row // K ** (width - 1 - axis) % K
            self.begin[key] = self.length
            self.pieces.append(out)
            self.length += len(row)
        return self.begin[key]


def make_plan(shapes, n_states):
    """Lay out the cliques of several shapes.

    Parameters
    ----------
    shapes : list of Cliques
        Junction trees.
    n_states : int
        K.

    Returns
    -------
    Plan
    """
    rows = _Rows(n_states)
    first, node, parent, n_rows, at, size = [0], [], [], [], [], []
    edges, n_edges, children, n_children = [], [], [], []
    for cliques in shapes:
        base = len(node)
        of_shape = [n_states ** len(s) for s in cliques.separators]
        n_rows += of_shape
        *begins, total = accumulate(of_shape, initial=0)
        at += begins
        size.append(total)
        node += cliques.order
        first.append(len(node))
        below = [[] for _ in cliques.order]
        for b, s in enumerate(cliques.separators):
            parent.append(base + s[-1] if s else -1)
            edges += [(e, f, rows(len(s), [axis])) for e, axis, f in cliques.edges[b]]
            n_edges.append(len(cliques.edges[b]))
            if s:
                above = cliques.separators[s[-1]]
                axes = [above.index(other) for other in s[:-1]]
                below[s[-1]].append((base + b, rows(len(above), axes)))
        children += [pair for pairs in below for pair in pairs]
        n_children += map(len, below)

    def columns(pairs, width):
        return np.array(pairs, dtype=np.intp).reshape(-1, width).T.copy()

    def begins_of(counts):
        return np.array([0, *accumulate(counts)], dtype=np.intp)

    edge, flipped, edge_rows = columns(edges, 3)
    return Plan(
        *(np.array(x, dtype=np.intp) for x in (first, node, parent, n_rows, at, size)),
        begins_of(n_edges),
        edge,
        flipped.astype(bool),
        edge_rows,
        begins_of(n_children),
        *columns(children, 2),
        np.concatenate([np.zeros(0, dtype=np.intp), *rows.pieces]),
    )

"""The cliques of all shapes of a batch as flat arrays that kernels walk over."""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

__all__ = ["Plan", "make_plan"]


class Plan(NamedTuple):
    """Junction trees side by side: clique tables, and where factors enter them.

    A clique table is (K, S): one row for each label of the clique's node, one column
    for each labelling of the separator. A factor of the node and of some others from
    the separator, (K, T), enters column s by its column ``columns[begin + s]``; the
    columns that its column t enters are ``groups[begin + t::T]``, S / T of them.
    A message to the parent, (S,), is a factor there: the parent comes first in S.

    Attributes
    ----------
    first : ndarray of shape (n_shapes + 1,)
        Where the cliques of each shape begin.
    node : ndarray of shape (n_cliques,)
        Node of each clique, counted in its sample.
    parent : ndarray of shape (n_cliques,)
        The clique above, -1 for none.
    width : ndarray of shape (n_cliques,)
        S.
    at : ndarray of shape (n_cliques,)
        Where the clique's columns begin among those of its shape.
    size : ndarray of shape (n_shapes,)
        Columns of all tables of a shape.
    first_edge : ndarray of shape (n_cliques + 1,)
        Where the edges of each clique begin.
    edge : ndarray of shape (n_edges,)
        Edge, counted in its sample.
    flipped : ndarray of bool of shape (n_edges,)
        Whether the edge leads from the clique's node to another.
    edge_begin : ndarray of shape (n_edges,)
        Where its columns are told.
    first_child : ndarray of shape (n_cliques + 1,)
        Where the children of each clique begin.
    child : ndarray of shape (n_children,)
        Cliques.
    child_begin : ndarray of shape (n_children,)
        Where the columns of its message are told.
    columns, groups : ndarray
        Columns of factors and of tables.
    """

    first: np.ndarray
    node: np.ndarray
    parent: np.ndarray
    width: np.ndarray
    at: np.ndarray
    size: np.ndarray
    first_edge: np.ndarray
    edge: np.ndarray
    flipped: np.ndarray
    edge_begin: np.ndarray
    first_child: np.ndarray
    child: np.ndarray
    child_begin: np.ndarray
    columns: np.ndarray
    groups: np.ndarray


class _Columns:
    """Columns of factors by column of a clique table, each pattern kept once."""

    def __init__(self, n_states):
        self.n_states = n_states
        self.begin = {}
        self.pieces = []
        self.length = 0

    def __call__(self, separator, nodes):
        """Where the columns of a factor of these nodes of a separator are told."""
        axes = tuple(separator.index(node) for node in nodes)
        key = len(separator), axes
        if key not in self.begin:
            self.begin[key] = self.length
            self.pieces.append(self._columns(*key))
            self.length += len(self.pieces[-1])
        return self.begin[key]

    def _columns(self, n_axes, axes):
        K = self.n_states
        column = np.arange(K**n_axes)
        out = np.zeros_like(column)
        for axis in axes:
            out = out * K + column // K ** (n_axes - 1 - axis) % K
        return out

    def arrays(self):
        """Columns, and for each pattern the columns of the table that share one."""
        groups = [
            np.argsort(piece, kind="stable").reshape(piece.max() + 1, -1).T.ravel()
            for piece in self.pieces
        ]
        nothing = np.zeros(0, dtype=np.uint32)
        return tuple(
            np.concatenate([nothing, *pieces], dtype=np.uint32, casting="unsafe")
            for pieces in (self.pieces, groups)
        )


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
    columns = _Columns(n_states)
    first, node, parent, width, at, size = [0], [], [], [], [], []
    edges, n_edges, children, n_children = [], [], [], []
    for cliques in shapes:
        base = len(node)
        of_shape = [n_states ** len(s) for s in cliques.separators]
        width += of_shape
        *begins, total = accumulate(of_shape, initial=0)
        at += begins
        size.append(total)
        node += cliques.order
        first.append(len(node))
        below = [[] for _ in cliques.order]
        for b, s in enumerate(cliques.separators):
            parent.append(base + s[0] if s else -1)
            edges += [(e, f, columns(s, [other])) for e, other, f in cliques.edges[b]]
            n_edges.append(len(cliques.edges[b]))
            if s:
                begin = columns(cliques.separators[s[0]], s[1:])
                below[s[0]].append((base + b, begin))
        children += [pair for pairs in below for pair in pairs]
        n_children += map(len, below)

    edge, flipped, edge_begin = _transposed(edges, 3)
    return Plan(
        *(np.array(x, dtype=np.intp) for x in (first, node, parent, width, at, size)),
        _begins(n_edges),
        edge,
        flipped.astype(bool),
        edge_begin,
        _begins(n_children),
        *_transposed(children, 2),
        *columns.arrays(),
    )


def _transposed(records, n_fields):
    return np.array(records, dtype=np.intp).reshape(-1, n_fields).T.copy()


def _begins(counts):
    return np.array([0, *accumulate(counts)], dtype=np.intp)

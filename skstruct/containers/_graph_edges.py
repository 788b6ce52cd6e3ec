"""Edges of trees and grids, which know how many nodes they are made for."""

from math import prod
from numbers import Integral

import numpy as np

from skstruct.containers._reading import is_missing

__all__ = ["Edges", "grid_edges", "tree_edges"]


class Edges(np.ndarray):
    """An array of edges with ``n_nodes``, which what is cut or made of it has not."""

    n_nodes = None

    def __repr__(self):
        return repr(np.asarray(self))

    def __reduce__(self):
        return np.asarray(self).__reduce__()  # a plain array, as it is shown


def _edges_of(n_nodes, pairs):
    edges = pairs.astype(np.intp).view(Edges)
    edges.n_nodes = n_nodes
    return edges


_NO_ROOT = (
    " Heads count from 0, and a root is -1; those of CoNLL, which count from 1, are "
    "np.subtract(heads, 1)."
)


def tree_edges(parents):
    """(parent, child) for each child."""
    parents = np.asarray(parents)
    _reject_missing(parents)
    if parents.ndim != 1 or (parents.size and parents.dtype.kind not in "iu"):
        raise ValueError(
            "parents must be a 1-D array of integers, -1 for a root; got dtype "
            f"{parents.dtype} and shape {parents.shape}."
        )
    n, no_root = len(parents), "" if (parents < 0).any() else _NO_ROOT
    wrong = np.flatnonzero((parents < -1) | (parents >= n))
    if wrong.size:
        raise ValueError(
            f"parents: the parent of node {wrong[0]} is {parents[wrong[0]]}, but nodes "
            f"are numbered from 0 to {n - 1}; a root has the parent -1.{no_root}"
        )
    cycle = _find_cycle(parents.tolist())
    if cycle:
        path = " -> ".join(map(str, [*cycle, cycle[0]]))
        raise ValueError(
            f"parents: nodes {path} form a cycle of parents and children; give one of "
            f"them the parent -1, or another outside of the cycle.{no_root}"
        )
    children = np.flatnonzero(parents >= 0)
    return _edges_of(n, np.column_stack([parents[children], children]))


def _reject_missing(parents):
    if parents.ndim != 1 or parents.dtype.kind not in "Of":
        return
    missing = [node for node, parent in enumerate(parents) if is_missing(parent)]
    if missing:
        raise ValueError(
            f"parents: node {missing[0]} has the parent {parents[missing[0]]}; a root "
            "has the parent -1."
        )


def _find_cycle(parents):
    """Nodes of a cycle of parents, each before its child; empty if there is none."""
    walk_of = [None] * len(parents)
    for start in range(len(parents)):
        node = start
        while node >= 0 and walk_of[node] is None:
            walk_of[node] = start
            node = parents[node]
        if node >= 0 and walk_of[node] == start:
            cycle = [node]
            while parents[cycle[-1]] != node:
                cycle.append(parents[cycle[-1]])
            return cycle[::-1]
    return []


def grid_edges(shape):
    """Pairs of neighbours in a grid, axis by axis."""
    sizes = shape if isinstance(shape, tuple | list) else np.atleast_1d(shape).tolist()
    if not all(
        isinstance(n, Integral) and not isinstance(n, bool) and n >= 0 for n in sizes
    ):
        given = ", ".join(map(repr, sizes))
        raise ValueError(f"Numbers of nodes are integers from 0; got {given}.")
    number = np.arange(prod(sizes)).reshape(sizes)
    pairs = [np.zeros((0, 2), dtype=np.intp)]
    for axis in range(number.ndim):
        lines = np.moveaxis(number, axis, 0)
        pairs.append(np.column_stack([lines[:-1].ravel(), lines[1:].ravel()]))
    return _edges_of(number.size, np.concatenate(pairs))

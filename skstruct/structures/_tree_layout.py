"""The order in which a batch of forests is walked."""

from typing import NamedTuple

import numpy as np
from numba import njit

from skstruct.containers import locate

__all__ = ["Layout", "checked_graph", "forest_layout"]


class Layout(NamedTuple):
    """Nodes in depth-first preorder; every component is rooted at its lowest node.

    The nodes of a sample keep their places ``offsets[i]:offsets[i + 1]``; positions
    below count from the first of them, -1 is none.

    Attributes
    ----------
    node : ndarray of shape (N,)
        Node at each place.
    parent, last_child, previous : ndarray of shape (N,)
        Position of the parent, of the child that is visited last, and of the sibling
        that is visited before.
    edge : ndarray of shape (N,)
        Edge between a node and its parent; -1 at roots.
    is_second : ndarray of int of shape (N,)
        1 where the node is the second end of that edge, 0 where it is the first.
    """

    node: np.ndarray
    parent: np.ndarray
    last_child: np.ndarray
    previous: np.ndarray
    edge: np.ndarray
    is_second: np.ndarray


@njit(cache=True, nogil=True)
def _adjacency(edges, n_nodes):
    """The edges at each node, in the order given: ids and where each node's begin."""
    begins = np.zeros(n_nodes + 1, np.intp)
    for e in range(len(edges)):
        for side in range(2):
            begins[edges[e, side] + 1] += 1
    for v in range(n_nodes):
        begins[v + 1] += begins[v]
    free, incident = begins[:-1].copy(), np.empty(2 * len(edges), np.intp)
    for e in range(len(edges)):
        for side in range(2):
            v = edges[e, side]
            incident[free[v]] = e
            free[v] += 1
    return begins, incident


@njit(cache=True, nogil=True)
def _depth_first(edges, n_nodes, node, parent, edge, is_second):
    """Fill the layout, with places in the batch; answers an edge of a cycle or -1."""
    begins, incident = _adjacency(edges, n_nodes)
    ends, following = begins[1:], begins[:-1].copy()
    place = np.full(n_nodes, -1, np.intp)
    n_placed = 0
    for root in range(n_nodes):
        if place[root] >= 0:
            continue
        place[root], node[n_placed] = n_placed, root
        here, n_placed = n_placed, n_placed + 1
        while here >= 0:
            v = node[here]
            if following[v] == ends[v]:
                here = parent[here]
                continue
            e = incident[following[v]]
            following[v] += 1
            if e == edge[here]:
                continue
            second = 1 if edges[e, 0] == v else 0
            child = edges[e, second]
            if place[child] >= 0:
                return e
            place[child], node[n_placed] = n_placed, child
            parent[n_placed], edge[n_placed] = here, e
            is_second[n_placed] = second
            here, n_placed = n_placed, n_placed + 1
    return -1


@njit(cache=True, nogil=True)
def _link(offsets, parent, last_child, previous):
    """Make places positions in the sample, and link children to one another."""
    for s in range(len(offsets) - 1):
        begin = offsets[s]
        for i in range(begin, offsets[s + 1]):
            if parent[i] >= 0:
                above = parent[i]
                parent[i] -= begin
                previous[i] = last_child[above]
                last_child[above] = i - begin


def checked_graph(offsets, edges, edge_offsets):
    """Arrays of a batch of graphs, with every edge inside of its sample.

    Parameters
    ----------
    offsets : array-like of shape (n + 1,)
        Sample i has the nodes ``offsets[i]:offsets[i + 1]``.
    edges : array-like of shape (M, 2)
        Nodes of the batch that each edge joins.
    edge_offsets : array-like of shape (n + 1,)
        Sample i has the edges ``edge_offsets[i]:edge_offsets[i + 1]``.

    Returns
    -------
    offsets, edges, edge_offsets : ndarray of intp

    Raises
    ------
    ValueError
        If shapes do not fit, or an edge leaves its sample.
    """
    offsets = np.ascontiguousarray(offsets, dtype=np.intp)
    edges = np.ascontiguousarray(edges, dtype=np.intp)
    edge_offsets = np.ascontiguousarray(edge_offsets, dtype=np.intp)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise ValueError(
            f"edges must have shape (n_edges, 2), a pair of nodes each; got "
            f"{edges.shape}."
        )
    if offsets.shape != edge_offsets.shape or edge_offsets[-1] != len(edges):
        raise ValueError(
            "edge_offsets must have one entry a sample and one more, like offsets, and "
            f"end at the number of edges, {len(edges)}; got shape "
            f"{edge_offsets.shape}, offsets has {offsets.shape}."
        )
    n_edges = np.diff(edge_offsets)
    low, high = np.repeat(offsets[:-1], n_edges), np.repeat(offsets[1:], n_edges)
    outside = ((edges < low[:, None]) | (edges >= high[:, None])).any(axis=1)
    if outside.any():
        e = int(outside.argmax())
        sample, position = locate(edge_offsets, e)
        raise ValueError(
            f"Edge {position} of sample {sample} joins the nodes "
            f"{tuple((edges[e] - low[e]).tolist())}; the sample has the nodes 0 to "
            f"{high[e] - low[e] - 1}."
        )
    return offsets, edges, edge_offsets


def forest_layout(offsets, edges, edge_offsets):
    """Layout of a batch of forests, given by checked arrays.

    Raises
    ------
    ValueError
        If edges close a cycle; the message names the sample and one of its edges.
    """
    N = int(offsets[-1])
    layout = Layout(*(np.full(N, -1, dtype=np.intp) for _ in Layout._fields))
    node, parent, last_child, previous, edge, is_second = layout
    on_cycle = _depth_first(edges, N, node, parent, edge, is_second)
    if on_cycle >= 0:
        sample, position = locate(edge_offsets, on_cycle)
        u, v = (edges[on_cycle] - offsets[sample]).tolist()
        raise ValueError(
            f"Sample {sample} is no forest: its edge {position}, from node {u} to node "
            f"{v}, lies on a cycle. Leave an edge of the cycle out, or use Junction, "
            "which takes any graph."
        )
    _link(offsets, parent, last_child, previous)
    return layout

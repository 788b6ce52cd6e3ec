"""The order in which a batch of forests is walked."""

import numpy as np
from numba import njit

from skstruct.containers import locate

__all__ = [
    "EDGE",
    "IS_SECOND",
    "LAST_CHILD",
    "NODE",
    "PARENT",
    "PREVIOUS",
    "checked_graph",
    "forest_layout",
]


# Columns of a layout.
NODE, PARENT, LAST_CHILD, PREVIOUS, EDGE, IS_SECOND = range(6)


@njit(cache=True, nogil=True, error_model="numpy")
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


@njit(cache=True, nogil=True, error_model="numpy")
def _depth_first(edges, layout):
    """Fill a layout with places, nodes and edges of the batch.

    Answers an edge of a cycle, or -1.
    """
    begins, incident = _adjacency(edges, len(layout))
    ends, following = begins[1:], begins[:-1].copy()
    place = np.full(len(layout), -1, np.intp)
    n_placed = 0
    for root in range(len(layout)):
        if place[root] >= 0:
            continue
        place[root], layout[n_placed, NODE] = n_placed, root
        here, n_placed = n_placed, n_placed + 1
        while here >= 0:
            v = layout[here, NODE]
            if following[v] == ends[v]:
                here = layout[here, PARENT]
                continue
            e = incident[following[v]]
            following[v] += 1
            if e == layout[here, EDGE]:
                continue
            second = 1 if edges[e, 0] == v else 0
            child = edges[e, second]
            if place[child] >= 0:
                return e
            place[child] = n_placed
            layout[n_placed, NODE], layout[n_placed, EDGE] = child, e
            layout[n_placed, PARENT], layout[n_placed, IS_SECOND] = here, second
            here, n_placed = n_placed, n_placed + 1
    return -1


@njit(cache=True, nogil=True, error_model="numpy")
def _link(offsets, edge_offsets, layout):
    """Link children to one another, and count all from the first of the sample."""
    for s in range(len(offsets) - 1):
        begin = offsets[s]
        for i in range(begin, offsets[s + 1]):
            layout[i, NODE] -= begin
            above = layout[i, PARENT]
            if above >= 0:
                layout[i, EDGE] -= edge_offsets[s]
                layout[i, PARENT] -= begin
                layout[i, PREVIOUS] = layout[above, LAST_CHILD]
                layout[above, LAST_CHILD] = i - begin


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
    """Nodes in depth-first preorder; every component is rooted at its lowest node.

    Parameters
    ----------
    offsets, edges, edge_offsets : ndarray of intp
        A batch of graphs, as ``checked_graph`` answers it.

    Returns
    -------
    ndarray of intp of shape (N, 6)
        A row for each place; those of sample i are ``offsets[i]:offsets[i + 1]``. All
        is counted from the first node, place or edge of the sample, and -1 is none. The
        columns: NODE at this place; places of its PARENT, its LAST_CHILD and the
        PREVIOUS child of its parent; EDGE to its parent, and whether it IS_SECOND
        there (1) or first (0).

    Raises
    ------
    ValueError
        If edges close a cycle; the message names the sample and one of its edges.
    """
    layout = np.full((int(offsets[-1]), 6), -1, dtype=np.intp)
    on_cycle = _depth_first(edges, layout)
    if on_cycle >= 0:
        sample, position = locate(edge_offsets, on_cycle)
        u, v = (edges[on_cycle] - offsets[sample]).tolist()
        raise ValueError(
            f"Sample {sample} is no forest: its edge {position}, from node {u} to node "
            f"{v}, lies on a cycle. Leave an edge of the cycle out, or use Junction, "
            "which takes any graph."
        )
    _link(offsets, edge_offsets, layout)
    return layout

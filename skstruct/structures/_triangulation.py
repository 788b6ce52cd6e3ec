"""How a graph becomes a tree of small cliques: one for each node, by elimination."""

import math
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

__all__ = [
    "Cliques",
    "by_least_fill",
    "by_sweep",
    "eliminate",
    "shapes_of",
    "triangulate",
]


class Cliques(NamedTuple):
    """A junction tree; clique b is of the b-th node that is eliminated.

    Node and clique are numbered by the order of elimination, so that the parent of a
    clique, its node's first neighbour to be eliminated later, has a higher number.

    Attributes
    ----------
    order : list of int
        The node of each clique.
    separators : list of list of int
        What else is in the clique, by rising number: the parent first, and all the
        others are in the parent's separator.
    edges : list of list of (edge, other, flipped)
        Edges that find both their ends in this clique first: the end in the separator,
        and whether the edge leads from the clique's node to it.
    crossing : int
        At most so many edges lie between a clique and what was eliminated before it.
    """

    order: list
    separators: list
    edges: list
    crossing: int

    @property
    def width(self):
        """Nodes of the largest clique, less one."""
        return max(map(len, self.separators), default=0)

    def n_entries(self, n_states):
        """Entries of all clique tables together."""
        return sum(n_states ** (len(s) + 1) for s in self.separators)


def shapes_of(offsets, edges, edge_offsets, max_width):
    """The cliques of all graphs of a batch; those of equal shape share them.

    Parameters
    ----------
    offsets, edges, edge_offsets : ndarray of intp
        A batch of graphs, as ``checked_graph`` answers it.
    max_width : int
        As in `triangulate`.

    Returns
    -------
    shapes : list of Cliques
        One for each shape.
    shape : ndarray of shape (n,)
        Which of them each graph has.
    first : list of int
        The first graph of each shape.
    """
    lengths = np.diff(edge_offsets)
    local = edges - np.repeat(offsets[:-1], lengths)[:, None]
    shapes, first, numbers = [], [], {}
    shape = np.zeros(len(lengths), dtype=np.intp)
    for i, n_nodes in enumerate(np.diff(offsets).tolist()):
        key = n_nodes, local[edge_offsets[i] : edge_offsets[i + 1]].tobytes()
        if key not in numbers:
            numbers[key] = len(shapes)
            first.append(i)
            shapes.append(triangulate(*key, max_width))
        shape[i] = numbers[key]
    return shapes, shape, first


@lru_cache(maxsize=4096)
def triangulate(n_nodes, edges, max_width):
    """The cliques of a graph; graphs of equal shape are worked on once.

    Parameters
    ----------
    n_nodes : int
        Nodes.
    edges : bytes
        Of the C-contiguous array (m, 2) of dtype intp.
    max_width : int
        With a clique above this width, edges are not given homes.

    Returns
    -------
    Cliques
    """
    pairs = np.frombuffer(edges, dtype=np.intp).reshape(-1, 2).tolist()
    order, neighbours = eliminate(n_nodes, pairs, max_width)
    place = {v: b for b, v in enumerate(order)}
    separators = [sorted(place[u] for u in s) for s in neighbours]
    homes = [[] for _ in order]
    if max(map(len, separators), default=0) > max_width:
        return Cliques(order, separators, homes, 0)
    n_ending = [0] * n_nodes
    for e, (u, v) in enumerate(pairs):
        home, other = sorted((place[u], place[v]))
        homes[home].append((e, other, place[u] == home))
        n_ending[other] += 1
    below = [0] * n_nodes
    most = 0
    for b, separator in enumerate(separators):
        inside = len(homes[b]) + below[b]
        most = max(most, inside)
        if separator:
            below[separator[0]] += inside - n_ending[b]
    return Cliques(order, separators, homes, most)


def eliminate(n_nodes, edges, max_width):
    """The better of two orders of elimination: by least fill, and by a sweep.

    Least fill is better for most graphs, a sweep for broad grids: there it finds the
    treewidth, the shorter side, and least fill up to half as much again.

    Parameters
    ----------
    n_nodes : int
        Nodes.
    edges : list of (int, int)
        Any number of them between two nodes, none from a node to itself.
    max_width : int
        Nodes of more neighbours are not compared by fill.

    Returns
    -------
    order : list of int
        Nodes.
    neighbours : list of set of int
        Of each node in this order, at the time when it is eliminated.
    """

    def sizes(elimination):
        return sorted(map(len, elimination[1]), reverse=True)

    near = [set() for _ in range(n_nodes)]
    for u, v in edges:
        near[u].add(v)
        near[v].add(u)
    by_fill = by_least_fill([s.copy() for s in near], max_width)
    width = max(map(len, by_fill[1]), default=0)
    if width <= 2:
        return by_fill
    return min(by_fill, by_sweep(near, width) or by_fill, key=sizes)


def by_least_fill(near, max_width):
    """Least fill first, then least degree, then number."""

    def key(v):
        degree = len(near[v])
        # Counting pairs takes long in dense graphs, where it no longer helps.
        if degree > max_width:
            return math.inf, degree, v
        return sum(len(near[v] - near[u]) - 1 for u in near[v]), degree, v

    keys = [key(v) for v in range(len(near))]
    heap = list(keys)
    heapify(heap)
    order, neighbours = [], []
    while heap:
        least = heappop(heap)
        _, degree, v = least
        if keys[v] != least:
            continue
        keys[v] = None
        around = near[v]
        order.append(v)
        neighbours.append(around)
        if degree == len(near) - len(order):  # what is left is one clique
            rest = sorted(around)
            order += rest
            neighbours += [set(rest[i:]) for i in range(1, len(rest) + 1)]
            break
        changed = set(around)
        for u in around:
            near[u].discard(v)
            for w in around - near[u] - {u}:
                near[u].add(w)
                near[w].add(u)
                # A new edge is one less to fill for those that both its ends are near.
                changed |= near[u] & near[w]
        for u in changed:
            if keys[u] != (new := key(u)):
                keys[u] = new
                heappush(heap, new)
    return order, neighbours


def by_sweep(near, most):
    """Among neighbours of those eliminated, least degree, then longest in sight.

    None if a node has more than ``most`` neighbours when its turn comes.
    """
    left = dict.fromkeys(sorted(range(len(near)), key=lambda v: len(near[v])))
    front, order, neighbours = {}, [], []  # a dict's order is that of insertion
    while left:
        v = min(front, key=lambda u: len(near[u])) if front else next(iter(left))
        around = near[v]
        if len(around) > most:
            return None
        order.append(v)
        neighbours.append(around)
        del left[v]
        front.pop(v, None)
        for u in sorted(around):
            near[u] |= around
            near[u] -= {u, v}
            front.setdefault(u)
    return order, neighbours

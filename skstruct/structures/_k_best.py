"""The k best labelings of graphs, whatever the structure."""

from itertools import pairwise

import numpy as np
from numba import njit

from skstruct.structures._base import Potentials
from skstruct.structures._junction_plan import make_plan
from skstruct.structures._triangulation import shapes_of

__all__ = ["k_best_labelings", "take_potentials"]


def take_potentials(potentials, node_rows, edge_rows):
    """Potentials of the samples for which ``take`` answered these rows."""
    node, edge = potentials.node[node_rows], potentials.edge
    return Potentials(node, edge if np.ndim(edge) == 2 else edge[edge_rows])


def k_best_labelings(structure, potentials, k):
    """The k most probable labelings of each sample, by Lawler's partitioning.

    Nodes are decided from the root of the tree of cliques down. What remains of a part
    without its best labeling is split by the first node that differs. As all that hangs
    below a node depends on what was decided above, the best of such a part lacks as
    much as the second best label of that node does, given those: one upward pass
    serves all answers, and each of them takes one walk down.

    Parameters
    ----------
    structure : Tree or Junction
        A batch of graphs.
    potentials : Potentials
        Log-potentials.
    k : int
        How many.

    Returns
    -------
    list of (labels, score)
        For each sample: labels (m, n_nodes) and log-potentials (m,), best first; m < k
        where fewer labelings are possible.
    """
    node = np.ascontiguousarray(potentials.node, dtype=float)
    K = node.shape[1]
    edge = np.ascontiguousarray(potentials.edge, dtype=float).reshape(-1, K, K)
    plan, shape = _plan_of(structure, K)
    best = structure.argmax(potentials)[1]
    found = []
    for s, (begin, end) in enumerate(pairwise(structure.offsets.tolist())):
        if best[s] == -np.inf:
            found.append((np.zeros((0, end - begin), dtype=np.intp), np.zeros(0)))
            continue
        first_edge = structure.edge_offsets[s]
        found.append(
            _best_of_sample(
                plan, shape[s], node[begin:end], edge, first_edge, best[s], k
            )
        )
    return found


def _plan_of(structure, n_states):
    """The cliques of a batch, and the shape of each graph."""
    if hasattr(structure, "_plan"):
        return structure._plan, structure._shape
    graph = structure.offsets, structure.edges, structure.edge_offsets
    shapes, shape, _ = shapes_of(*graph, max_width=1)  # trees
    return make_plan(shapes, n_states), shape


@njit(cache=True, nogil=True)
def _add_edge(plan, i, column, edge, first_edge, logs):
    """Add the logs of an edge in one column of a clique."""
    table = edge[0 if len(edge) == 1 else first_edge + plan.edge[i]]
    other = plan.columns[plan.edge_begin[i] + column]
    for a in range(len(logs)):
        logs[a] += table[a, other] if plan.flipped[i] else table[other, a]


@njit(cache=True, nogil=True)
def _logs_of_column(plan, c, column, node, edge, first_edge, up, logs):
    """The best that each label of a clique's node can reach, given those above."""
    K = len(logs)
    logs[:] = node[plan.node[c]]
    for i in range(plan.first_edge[c], plan.first_edge[c + 1]):
        _add_edge(plan, i, column, edge, first_edge, logs)
    for j in range(plan.first_child[c], plan.first_child[c + 1]):
        child = plan.child[j]
        first = plan.at[child] + plan.columns[plan.child_begin[j] + column]
        for a in range(K):
            logs[a] += up[first + a * (plan.width[child] // K)]


@njit(cache=True, nogil=True)
def _messages(plan, g, node, edge, first_edge, logs):
    """What is best below each clique, for each labelling of its separator."""
    up = np.empty(plan.size[g])
    for c in range(plan.first[g], plan.first[g + 1]):
        own = up[plan.at[c] : plan.at[c] + plan.width[c]]
        for column in range(len(own)):
            _logs_of_column(plan, c, column, node, edge, first_edge, up, logs)
            own[column] = logs.max()
        top = own.max()
        if top > -np.inf:  # differences are what counts: numbers stay small
            own -= top
    return up


@njit(cache=True, nogil=True)
def _walk(plan, g, node, edge, first_edge, up, labels, place, banned, columns, lacks):
    """Decide the labels from a place of the walk on, and what others would lack.

    Labels before are kept, and those that are banned at the place avoided.
    """
    K, begin, end = len(banned), plan.first[g], plan.first[g + 1]
    logs = np.empty(K)
    for step in range(end - begin):
        c = end - 1 - step
        i, column = plan.node[c], columns[c - begin]
        if step >= place:
            _logs_of_column(plan, c, column, node, edge, first_edge, up, logs)
            best, second = -1, -np.inf
            for a in range(K):
                if step == place and banned[a]:
                    continue
                if best < 0 or logs[a] > logs[best]:
                    second = -np.inf if best < 0 else logs[best]
                    best = a
                elif logs[a] > second:
                    second = logs[a]
            labels[i] = best
            lacks[step] = logs[best] - second if second > -np.inf else np.inf
        for j in range(plan.first_child[c], plan.first_child[c + 1]):
            child = plan.child[j]
            t = np.intp(plan.columns[plan.child_begin[j] + column])
            columns[child - begin] = labels[i] * (plan.width[child] // K) + t


@njit(cache=True, nogil=True)
def _keep(value, answer, place, values, origins, n):
    """Insert a part among the n best ones, in falling order; returns how many."""
    if n == len(values) and (n == 0 or not value > values[n - 1]):
        return n
    n = min(n + 1, len(values))
    i = n - 1
    while i > 0 and value > values[i - 1]:
        values[i] = values[i - 1]
        origins[i] = origins[i - 1]
        i -= 1
    values[i], origins[i, 0], origins[i, 1] = value, answer, place
    return n


@njit(cache=True, nogil=True)
def _best_of_sample(plan, g, node, edge, first_edge, best, k):
    """Labels (m, n_nodes) and scores (m,) of one possible sample."""
    n_nodes, K = node.shape
    up = _messages(plan, g, node, edge, first_edge, np.empty(K))
    columns, lacks = np.zeros(n_nodes, np.intp), np.empty(n_nodes)
    # Parts that are waiting: the best score of each, the answer that it was split
    # from, and the place of the walk where it differs.
    values, origins, n_parts = np.empty(k), np.empty((k, 2), np.intp), 0
    rows, scores = [np.zeros(n_nodes, np.intp)], [best]
    places, banned = [0], [np.zeros(K, np.bool_)]
    while True:
        last = len(rows) - 1
        _walk(
            plan,
            g,
            node,
            edge,
            first_edge,
            up,
            rows[last],
            places[last],
            banned[last],
            columns,
            lacks,
        )
        for step in range(places[last], n_nodes):
            value = scores[last] - lacks[step]
            if value > -np.inf:
                n_parts = _keep(value, last, step, values, origins, n_parts)
        if len(rows) == k or n_parts == 0:
            break
        answer, place = origins[0]
        scores.append(values[0])
        n_parts -= 1
        values[:n_parts] = values[1 : n_parts + 1].copy()
        origins[:n_parts] = origins[1 : n_parts + 1].copy()
        rows.append(rows[answer].copy())
        places.append(place)
        avoided = np.zeros(K, np.bool_)
        if place == places[answer]:
            avoided[:] = banned[answer]
        avoided[rows[answer][plan.node[plan.first[g + 1] - 1 - place]]] = True
        banned.append(avoided)
    labels = np.empty((len(rows), n_nodes), np.intp)
    for r in range(len(rows)):
        labels[r] = rows[r]
    return labels, np.array(scores)

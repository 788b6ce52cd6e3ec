"""The k best labelings of graphs, whatever the structure."""

from heapq import heappop, heappush
from itertools import count, pairwise
from typing import NamedTuple

import numpy as np

from skstruct.structures._base import Potentials

__all__ = ["k_best_labelings", "take_potentials"]

# Nodes that are labelled by one call.
_MOST_NODES = 1 << 18


class _Part(NamedTuple):
    """Some labelings of a sample, and the best one of them.

    All have its labels before node ``n_fixed``, and none of the labels ``banned``
    there. The best parts sort first; ``number`` keeps arrays from being compared.
    """

    cost: float
    number: int
    labels: np.ndarray
    n_fixed: int
    banned: tuple


def take_potentials(potentials, node_rows, edge_rows):
    """Potentials of the samples for which ``take`` answered these rows."""
    node, edge = potentials.node[node_rows], potentials.edge
    return Potentials(node, edge if np.ndim(edge) == 2 else edge[edge_rows])


def k_best_labelings(structure, potentials, k):
    """The k most probable labelings of each sample, by Lawler's partitioning.

    What remains of a part without its best labeling is split by the first node where it
    differs from that; the best of each new part is an argmax whose node potentials
    forbid other labels. The parts of all samples are solved together.

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
    numbers = count()
    waiting, found = ([[] for _ in range(len(structure))] for _ in range(2))
    labels, score = structure.argmax(potentials)
    for s, (begin, end) in enumerate(pairwise(structure.offsets.tolist())):
        if score[s] > -np.inf:
            part = _Part(-score[s], next(numbers), labels[begin:end], 0, ())
            waiting[s].append(part)
    for rank in range(k):
        tasks = []
        for s, parts in enumerate(waiting):
            if parts:
                best = heappop(parts)
                found[s].append(best)
                tasks += [(s, *rest) for rest in _split(best)]
        if rank + 1 < k:
            for piece in _pieces(structure, tasks):
                for s, *part in _solved(structure, potentials, piece):
                    heappush(waiting[s], _Part(part[0], next(numbers), *part[1:]))
    return [
        (
            np.array([part.labels for part in best], dtype=np.intp).reshape(
                len(best), n
            ),
            np.array([-part.cost for part in best]),
        )
        for best, n in zip(found, np.diff(structure.offsets), strict=True)
    ]


def _split(part):
    """Labels, number of fixed nodes and banned labels of the parts it leaves."""
    for v in range(part.n_fixed, len(part.labels)):
        banned = part.banned if v == part.n_fixed else ()
        yield part.labels, v, (*banned, part.labels[v])


def _pieces(structure, tasks):
    """Tasks cut into runs that are not too large to be solved by one call."""
    sizes = np.diff(structure.offsets)[[s for s, *_ in tasks]] if tasks else []
    piece = np.cumsum(sizes) // _MOST_NODES
    bounds = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), len(tasks)]
    return [tasks[a:b] for a, b in pairwise(bounds) if a < b]


def _solved(structure, potentials, tasks):
    """Samples and parts of the tasks that leave any labeling possible."""
    copies, *rows = structure.take(np.array([s for s, *_ in tasks]))
    p = take_potentials(potentials, *rows)
    for begin, (_, labels, v, banned) in zip(copies.offsets[:-1], tasks, strict=True):
        fixed = np.arange(begin, begin + v), labels[:v]
        kept = p.node[fixed]
        p.node[begin : begin + v] = -np.inf
        p.node[fixed] = kept
        p.node[begin + v, list(banned)] = -np.inf
    best, score = copies.argmax(p)
    for i, (s, _, v, banned) in enumerate(tasks):
        if score[i] > -np.inf:
            labels = best[copies.offsets[i] : copies.offsets[i + 1]]
            yield s, -score[i], labels, v, banned

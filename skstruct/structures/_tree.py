"""Forests: trees over the nodes of a graph, with exact inference."""

from functools import reduce

import numpy as np

from skstruct.kernels._blas import one_blas_thread
from skstruct.kernels._node_game import GENERAL, Game
from skstruct.kernels._threads import chunks, run_chunks
from skstruct.structures._chain_parts import scaled_rows
from skstruct.structures._graph import GraphStructure
from skstruct.structures._tree_game import make_work
from skstruct.structures._tree_layout import checked_graph, forest_layout
from skstruct.structures._tree_marginals import forest_sums
from skstruct.structures._tree_messages import (
    LOGARITHMS,
    TINY,
    both_ways,
    edge_tables,
)
from skstruct.structures._tree_paths import best_labels, draw_labels

__all__ = ["Tree"]

# Nats between the gains of a node above which the game is played in log space.
_WIDEST_GAME = -0.8 * np.log(TINY)
# What is played for where no game is.
_NO_GAME = Game(
    GENERAL, np.zeros((1, 1, 1)), np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0)
)


class Tree(GraphStructure):
    r"""A batch of forests over K labels, with exact inference.

    .. math:: p(y) \propto \exp\Big(\sum_v n_{v, y_v}
        + \sum_{(u, v)} e_{(u, v), y_u, y_v}\Big)

    with log-potentials n of nodes and e of edges.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Sample i has the nodes ``offsets[i]:offsets[i + 1]``; empty ones are allowed,
        and so are several components and isolated nodes.
    edges : ndarray of shape (M, 2)
        Nodes of the batch that each edge joins: edge (u, v) reads ``[y_u, y_v]``.
    edge_offsets : ndarray of shape (n + 1,)
        Sample i has the edges ``edge_offsets[i]:edge_offsets[i + 1]``.

    Raises
    ------
    ValueError
        If an edge leaves its sample, or edges close a cycle; the message names both.

    Notes
    -----
    Every verb takes ``Potentials(node, edge)`` in log space: node (N, K), one row a
    node; edge (K, K), shared, or (M, K, K), one table an edge; ``-inf`` forbids. Time
    is O(N K^2), memory O(N K) beside the tables. Results do not depend on ``n_jobs``.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, Tree
    >>> tree = Tree([0, 3], [[0, 1], [0, 2]], [0, 2])
    >>> alike = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> p = Potentials(np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 1.0]]), alike)
    >>> tree.argmax(p)
    (array([0, 0, 0]), array([5.]))
    >>> tree.posterior(p).node.round(2)
    array([[0.61, 0.39],
           [0.94, 0.06],
           [0.35, 0.65]])
    """

    def __init__(self, offsets, edges, edge_offsets):
        graph = checked_graph(offsets, edges, edge_offsets)
        self.offsets, self.edges, self.edge_offsets = graph
        self._layout = forest_layout(*graph)
        self._longest = int(np.diff(self.offsets).max(initial=0))
        self._chunks = chunks(self.offsets, 1 << 14) or [(0, len(self))]

    def _sums(
        self,
        potentials,
        weight,
        n_jobs,
        game=None,
        predictor=None,
        n_sweeps=0,
        marginals=True,
    ):
        """Log-partitions, unweighted marginals of nodes, weighted counts of edges."""
        node, edge = self._checked(potentials)
        if game is None:
            game, predictor = _NO_GAME, np.zeros((0, node.shape[1]))
        shared = np.ndim(potentials.edge) == 2
        common = edge_tables(edge) if shared else None
        wide = game.weight.max(initial=0.0) * np.ptp(game.cost) > _WIDEST_GAME
        weight = np.ones(len(self)) if weight is None else np.asarray(weight, float)
        log_z, out = np.empty(len(self)), np.empty(node.shape)
        counts = None if shared else np.zeros(edge.shape)

        def do(first, last):
            nodes = slice(self.offsets[first], self.offsets[last])
            edges = slice(self.edge_offsets[first], self.edge_offsets[last])
            *tables, mode = common or edge_tables(edge[edges])
            own = np.zeros(edge.shape) if shared else counts[edges]
            forest_sums(
                self.offsets[first : last + 1] - nodes.start,
                self.edge_offsets[first : last + 1] - edges.start,
                self._layout[nodes],
                node[nodes],
                *scaled_rows(node[nodes]),
                *tables,
                game._replace(index=game.index[nodes], weight=game.weight[nodes]),
                predictor[nodes],
                n_sweeps,
                weight[first:last],
                LOGARITHMS if wide else mode,
                marginals,
                make_work(self._longest, node.shape[1]),
                log_z[first:last],
                out[nodes],
                own,
            )
            return own

        with one_blas_thread:
            parts = run_chunks(do, self._chunks, n_jobs)
        return log_z, out, reduce(np.add, parts)[0] if shared else counts

    def _best(self, potentials):
        node, edge = self._checked(potentials)
        labels = np.zeros(len(node), dtype=np.intp)
        best_labels(
            self.offsets, self.edge_offsets, self._layout, node, both_ways(edge), labels
        )
        return labels

    def _draw(self, potentials, uniforms):
        node, edge = self._checked(potentials)
        labels = np.zeros(len(node), dtype=np.intp)
        *tables, _ = edge_tables(edge)
        draw_labels(
            self.offsets,
            self.edge_offsets,
            self._layout,
            node,
            scaled_rows(node)[1],
            *tables,
            _NO_GAME,
            0,
            False,
            LOGARITHMS,
            make_work(self._longest, node.shape[1]),
            uniforms,
            labels,
        )
        return labels

    def _part(self, samples, offsets, edges, edge_offsets):
        return Tree(offsets, edges, edge_offsets)

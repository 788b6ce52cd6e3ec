"""Forests: trees over the nodes of a graph, with exact inference."""

from functools import reduce

import numpy as np
from sklearn.utils import check_random_state

from skstruct.containers import gather
from skstruct.kernels._blas import one_blas_thread
from skstruct.kernels._node_game import (
    GENERAL,
    Game,
    bayes_risks,
    expected_costs,
)
from skstruct.kernels._threads import chunks, run_chunks
from skstruct.structures._base import Posterior, Potentials, Sweep, sum_by_sequence
from skstruct.structures._k_best import k_best_labelings, take_potentials
from skstruct.structures._tree_layout import checked_graph, forest_layout
from skstruct.structures._tree_messages import TINY, edge_tables, plain_tables
from skstruct.structures._tree_paths import best_labels, draw_labels
from skstruct.structures._tree_sums import forest_sums

__all__ = ["Tree"]

# Nats between the gains of a node above which the game is played in log space.
_WIDEST_GAME = -0.8 * np.log(TINY)
# What is played for, by whom, where no game is.
_NO_GAME = Game(
    GENERAL, np.zeros((1, 1, 1)), np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0)
)
_NOBODY = np.zeros((0, 1))


class Tree:
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
    array([[0.82, 0.18],
           [0.97, 0.03],
           [0.44, 0.56]])
    """

    def __init__(self, offsets, edges, edge_offsets):
        graph = checked_graph(offsets, edges, edge_offsets)
        self.offsets, self.edges, self.edge_offsets = graph
        self._layout = forest_layout(*graph)
        self._chunks = chunks(self.offsets, 1 << 14) or [(0, len(self))]

    def __len__(self):
        return len(self.offsets) - 1

    def log_partition(self, potentials, *, n_jobs=None):
        """Log-partition of each sample, shape (n,).

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ndarray of shape (n,)
            0 for an empty sample, ``-inf`` for an impossible one.
        """
        return self._sums(potentials, None, n_jobs, marginals=False)[0]

    def posterior(self, potentials, *, weight=None, n_jobs=None):
        """Log-partitions, marginals of nodes and expected counts of edges.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        weight : ndarray of shape (n,), default=None
            A factor for the marginals and counts of each sample.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        Posterior
            ``start`` and ``stop`` are None; zeros for an impossible sample.
        """
        log_z, node, edge = self._sums(potentials, weight, n_jobs)
        return Posterior(log_z, self._weighted(node, weight), edge, None, None)

    def game_sweep(
        self, potentials, game, predictor, *, n_sweeps=1, weight=None, n_jobs=None
    ):
        r"""Improve the predictor of the adversarial game, and answer its adversary.

        .. math:: \min_p \log \sum_y \exp\big(\mathrm{score}(y)
            + \sum_v w_v p_v^T L_v[:, y_v]\big)

        is lowered node by node: each half-sweep sets every p_v, once, to the exact
        minimiser given all others.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials, without the game's.
        game : Game
            What is played for at each node, divided by the temperature.
        predictor : ndarray of shape (N, K)
            Distributions over labels; changed in place.
        n_sweeps : int, default=1
            Half-sweeps. 0 leaves the predictor as it is.
        weight : ndarray of shape (n,), default=None
            A factor for the marginals and counts of each sample.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        Sweep
            Of the predictor after the sweeps. An impossible sample is not played and
            has zeros.

        Notes
        -----
        A half-sweep is a walk around the tree, which updates nodes as it enters them;
        every second one updates them as the same walk leaves them again, and is the
        cheaper for it.
        """
        log_z, r, edge = self._sums(
            potentials, weight, n_jobs, game, predictor, n_sweeps
        )
        risks = bayes_risks(game, r)
        gaps = np.maximum(expected_costs(game, predictor, r) - risks, 0.0)
        return Sweep(
            log_z,
            self._weighted(r, weight),
            edge,
            sum_by_sequence(risks, self.offsets),
            sum_by_sequence(gaps, self.offsets),
        )

    def _sums(
        self,
        potentials,
        weight,
        n_jobs,
        game=_NO_GAME,
        predictor=_NOBODY,
        n_sweeps=0,
        marginals=True,
    ):
        """Log-partitions, unweighted marginals of nodes, weighted counts of edges."""
        node, edge = self._checked(potentials)
        wide = game.weight.max(initial=0.0) * np.ptp(game.cost)
        weight = np.ones(len(self)) if weight is None else np.asarray(weight, float)
        shared = np.ndim(potentials.edge) == 2
        log_z, out = np.empty(len(self)), np.empty(node.shape if marginals else (0, 1))
        common = edge_tables(edge, 0) if shared else None
        counts = None if shared or not marginals else np.zeros(edge.shape)

        def do(first, last):
            edges = slice(self.edge_offsets[first], self.edge_offsets[last])
            tables, strict = common or edge_tables(edge[edges], edges.start)
            own = np.zeros(edge.shape) if counts is None else counts[edges]
            forest_sums(
                self.offsets[first : last + 1],
                self._layout,
                node,
                tables,
                game,
                predictor,
                n_sweeps,
                weight[first:last],
                wide > _WIDEST_GAME,
                strict,
                marginals,
                log_z[first:last],
                out,
                own,
            )
            return own

        with one_blas_thread:
            parts = run_chunks(do, self._chunks, n_jobs)
        if shared:
            counts = reduce(np.add, parts)[0]
        return log_z, out, counts

    def _weighted(self, node, weight):
        if weight is not None:
            node *= np.repeat(weight, np.diff(self.offsets))[:, None]
        return node

    def _checked(self, potentials):
        """Node (N, K) and edge (E, K, K) potentials, E = 1 where shared."""
        node = np.ascontiguousarray(potentials.node, dtype=float)
        edge = np.ascontiguousarray(potentials.edge, dtype=float)
        N, K = int(self.offsets[-1]), node.shape[-1]
        if node.shape != (N, K):
            raise ValueError(
                f"Node potentials must have one row a node, ({N}, K); got {node.shape}."
            )
        if edge.shape not in [(K, K), (len(self.edges), K, K)]:
            raise ValueError(
                f"Edge potentials must have shape ({K}, {K}) or "
                f"({len(self.edges)}, {K}, {K}), one table an edge; got {edge.shape}."
            )
        return node, edge.reshape(-1, K, K)

    def argmax(self, potentials):
        """Most probable labels.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.

        Returns
        -------
        labels : ndarray of shape (N,)
            Of equals, the lowest label at the lowest node of each component, and so on
            from parents to children. Of an impossible sample, the labels that break the
            fewest forbidden potentials.
        score : ndarray of shape (n,)
            Log-potential of the labels; ``-inf`` for an impossible sample.
        """
        labels, score = self._argmax(potentials)
        impossible = np.flatnonzero(np.isneginf(score))
        if impossible.size:
            part, nodes, edges = self.take(impossible)
            p = take_potentials(potentials, nodes, edges).soften()
            labels[nodes] = part._argmax(p)[0]
        return labels, score

    def _argmax(self, potentials):
        node, edge = self._checked(potentials)
        labels, score = np.zeros(len(node), dtype=np.intp), np.empty(len(self))
        tables = plain_tables(edge, 0)
        best_labels(self.offsets, self._layout, node, tables, labels, score)
        return labels, score

    def k_best(self, potentials, k):
        """The k most probable labelings of each sample.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        k : int
            How many.

        Returns
        -------
        list of (labels, score)
            For each sample: labels (m, n_nodes) and log-potentials (m,), best first;
            m < k where fewer labelings are possible.
        """
        return k_best_labelings(self, potentials, k)

    def sample(self, potentials, random_state=None):
        """Draw the labels of every sample from p(y).

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        random_state : int, RandomState or None, default=None
            Source of randomness.

        Returns
        -------
        ndarray of shape (N,)
            Labels; zeros for an impossible sample.
        """
        node, edge = self._checked(potentials)
        uniforms = check_random_state(random_state).uniform(size=len(node))
        labels = np.zeros(len(node), dtype=np.intp)
        tables, _ = edge_tables(edge, 0)
        draw_labels(
            self.offsets,
            self._layout,
            node,
            tables,
            _NO_GAME,
            _NOBODY,
            uniforms,
            labels,
        )
        return labels

    def score(self, labels, potentials):
        """Log-potential of given labels, shape (n,).

        Parameters
        ----------
        labels : ndarray of shape (N,)
            A label for each node.
        potentials : Potentials
            Log-potentials.

        Returns
        -------
        ndarray of shape (n,)
            Without the log-partition: log p(y) is ``score - log_partition``.
        """
        node, edge = self._checked(potentials)
        labels = np.asarray(labels, dtype=np.intp)
        table = np.arange(len(self.edges)) if np.ndim(potentials.edge) == 3 else 0
        ends = labels[self.edges].T
        return sum_by_sequence(
            node[np.arange(len(node)), labels], self.offsets
        ) + sum_by_sequence(edge[table, ends[0], ends[1]], self.edge_offsets)

    def edge_marginals(self, potentials):
        """Marginal of the two ends of each edge, shape (M, K, K)."""
        node, edge = self._checked(potentials)
        edge = np.broadcast_to(edge, (len(self.edges), *edge.shape[1:]))
        return self.posterior(Potentials(node, edge)).edge

    def take(self, samples):
        """Some samples as a batch of their own.

        Parameters
        ----------
        samples : ndarray of int of shape (m,)
            Which ones, in the order wanted; one may be taken several times.

        Returns
        -------
        structure : Tree
            These samples.
        node_rows, edge_rows : ndarray
            Nodes and edges of this batch that the nodes and edges there are copies of.
        """
        node_rows, offsets = gather(self.offsets, samples)
        edge_rows, edge_offsets = gather(self.edge_offsets, samples)
        moved = np.repeat(offsets[:-1] - self.offsets[samples], np.diff(edge_offsets))
        edges = self.edges[edge_rows] + moved[:, None]
        return Tree(offsets, edges, edge_offsets), node_rows, edge_rows

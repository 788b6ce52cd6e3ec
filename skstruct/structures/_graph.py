"""What batches of graphs have in common, whatever makes their inference exact."""

import numpy as np
from sklearn.utils import check_random_state

from skstruct.containers import gather
from skstruct.kernels._node_game import bayes_risks, expected_costs
from skstruct.structures._base import Posterior, Sweep, sum_by_sequence
from skstruct.structures._k_best import k_best_labelings, take_potentials

__all__ = ["GraphStructure"]


class GraphStructure:
    """A batch of graphs over K labels: every verb but the inference itself.

    A subclass sets ``offsets``, ``edges`` and ``edge_offsets``, and gives

    - ``_sums(potentials, weight, n_jobs, game=None, predictor=None, n_sweeps=0,
      marginals=True)``: log-partitions, unweighted marginals of nodes and weighted
      counts of edges, after sweeps of a game, if any;
    - ``_best(potentials)``: labels (N,), anything for an impossible sample;
    - ``_draw(potentials, uniforms)``: labels (N,) from one number in [0, 1) a node;
    - ``_part(samples, offsets, edges, edge_offsets)``: a structure of some samples.
    """

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
        log_z, node, edge = self._sums(
            potentials, weight, n_jobs, game, predictor, n_sweeps
        )
        risks = bayes_risks(game, node)
        gaps = np.maximum(expected_costs(game, predictor, node) - risks, 0.0)
        return Sweep(
            log_z,
            self._weighted(node, weight),
            edge,
            sum_by_sequence(risks, self.offsets),
            sum_by_sequence(gaps, self.offsets),
        )

    def _weighted(self, node, weight):
        if weight is not None:
            node *= np.repeat(weight, np.diff(self.offsets))[:, None]
        return node

    def _checked(self, potentials):
        """Node (N, K) and edge (E, K, K) potentials, E = 1 where shared."""
        node = np.ascontiguousarray(potentials.node, dtype=float)
        edge = np.ascontiguousarray(potentials.edge, dtype=float)
        N, M, K = int(self.offsets[-1]), len(self.edges), node.shape[-1]
        if node.shape != (N, K):
            raise ValueError(
                f"Node potentials must have one row a node, ({N}, K); got {node.shape}."
            )
        if edge.shape not in [(K, K), (M, K, K)]:
            raise ValueError(
                f"Edge potentials must have shape ({K}, {K}) or ({M}, {K}, {K}), one "
                f"table an edge; got {edge.shape}."
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
            Nodes are decided one after another from the root of each tree, or tree of
            cliques; of equals, the lowest label given those decided before. Of an
            impossible sample, labels that break the fewest forbidden potentials.
        score : ndarray of shape (n,)
            Log-potential of the labels; ``-inf`` for an impossible sample.
        """
        labels = self._best(potentials)
        score = self.score(labels, potentials)
        impossible = np.flatnonzero(np.isneginf(score))
        if impossible.size:
            part, nodes, edges = self.take(impossible)
            p = take_potentials(potentials, nodes, edges)
            labels[nodes] = part._best(p.soften())
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
            Labels; any for an impossible sample.
        """
        uniforms = check_random_state(random_state).uniform(size=self.offsets[-1])
        return self._draw(potentials, uniforms)

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
        u, v = labels[self.edges].T
        return sum_by_sequence(
            node[np.arange(len(node)), labels], self.offsets
        ) + sum_by_sequence(edge[table, u, v], self.edge_offsets)

    def edge_marginals(self, potentials):
        """Marginal of the two ends of each edge, shape (M, K, K)."""
        _, edge = self._checked(potentials)
        edge = np.broadcast_to(edge, (len(self.edges), *edge.shape[1:]))
        return self._sums(potentials._replace(edge=edge), None, None)[2]

    def take(self, samples):
        """Some samples as a batch of their own.

        Parameters
        ----------
        samples : ndarray of int of shape (m,)
            Which ones, in the order wanted; one may be taken several times.

        Returns
        -------
        structure : Tree or Junction
            These samples.
        node_rows, edge_rows : ndarray
            Nodes and edges of this batch that the nodes and edges there are copies of.
        """
        samples = np.asarray(samples, dtype=np.intp)
        node_rows, offsets = gather(self.offsets, samples)
        edge_rows, edge_offsets = gather(self.edge_offsets, samples)
        moved = np.repeat(offsets[:-1] - self.offsets[samples], np.diff(edge_offsets))
        edges = self.edges[edge_rows] + moved[:, None]
        return self._part(samples, offsets, edges, edge_offsets), node_rows, edge_rows

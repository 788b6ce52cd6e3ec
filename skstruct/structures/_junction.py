"""Graphs of low treewidth: grids, ladders, trees with a few more edges."""

from functools import reduce

import numpy as np
from sklearn.utils import check_random_state

from skstruct.containers import gather
from skstruct.kernels._node_game import augmentation, bayes_risks, expected_costs
from skstruct.kernels._threads import chunks, run_chunks
from skstruct.structures._base import Posterior, Sweep, sum_by_sequence
from skstruct.structures._junction_game import play_games
from skstruct.structures._junction_paths import choose_states
from skstruct.structures._junction_plan import make_plan
from skstruct.structures._junction_sums import LOG, MAX, SUM, marginals_of
from skstruct.structures._triangulation import triangulate

__all__ = ["Junction"]

# Logs that products of probabilities may range over: far inside that of floats.
_SAFE_RANGE = 500.0


class Junction:
    r"""A batch of graphs over K states, with exact inference.

    .. math:: p(y) \propto \exp\Big(\sum_i n_{i, y_i}
        + \sum_{(u, v)} e_{(u, v), y_u, y_v}\Big)

    with log-potentials n of the nodes and e of the edges, one table shared by all edges
    or one for each. Graphs may have cycles, several components and parallel edges.
    Each is triangulated by minimal fill, once for all graphs of equal shape.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Graph i has the nodes ``offsets[i]:offsets[i + 1]``; empty ones are allowed.
    edges : ndarray of shape (M, 2)
        Nodes that are joined, counted over the whole batch.
    edge_offsets : ndarray of shape (n + 1,)
        Graph i has the edges ``edge_offsets[i]:edge_offsets[i + 1]``.
    n_states : int
        K.
    max_treewidth : int, default=5
        Widest graph to accept: cliques of w + 1 nodes have tables of K^(w + 1) numbers.
        Trees have width 1, a ring 2, a grid of r rows r.

    Raises
    ------
    ValueError
        If an edge leaves its graph or joins a node to itself, or the elimination order
        that was found is wider than ``max_treewidth``.

    Notes
    -----
    Every verb takes `Potentials` in log space; ``-inf`` forbids. Time and memory are
    O(K^(w + 1)) for each node; memory is that of the largest graph for each thread.
    Results do not depend on ``n_jobs``.
    """

    def __init__(self, offsets, edges, edge_offsets, *, n_states, max_treewidth=5):
        self.offsets = np.ascontiguousarray(offsets, dtype=np.intp)
        self.edges = np.ascontiguousarray(edges, dtype=np.intp).reshape(-1, 2)
        self.edge_offsets = np.ascontiguousarray(edge_offsets, dtype=np.intp)
        self.n_states = n_states
        self._check_edges()
        shapes, numbers = [], {}
        self._shape = np.zeros(len(self), dtype=np.intp)
        for i, key in enumerate(self._keys()):
            if key not in numbers:
                numbers[key] = len(shapes)
                shapes.append(triangulate(*key, max_treewidth))
                self._check_width(i, shapes[-1], max_treewidth)
            self._shape[i] = numbers[key]
        self._crossing = np.array([c.crossing for c in shapes])[self._shape]
        self._plan = make_plan(shapes, n_states)

    def __len__(self):
        return len(self.offsets) - 1

    def _check_edges(self):
        sample = np.repeat(np.arange(len(self)), np.diff(self.edge_offsets))
        first, last = self.offsets[sample], self.offsets[sample + 1]
        u, v = self.edges.T
        low, high = np.minimum(u, v), np.maximum(u, v)
        wrong = np.flatnonzero((low < first) | (high >= last) | (low == high))
        if wrong.size:
            e = wrong[0]
            i = sample[e]
            raise ValueError(
                f"Edge {e - self.edge_offsets[i]} of sample {i} joins nodes "
                f"{u[e] - first[e]} and {v[e] - first[e]}; it must join two different "
                f"nodes of the sample's {last[e] - first[e]}."
            )

    def _keys(self):
        """Number of nodes and local edges of each graph: what makes its shape."""
        sample = np.repeat(np.arange(len(self)), np.diff(self.edge_offsets))
        local = self.edges - self.offsets[sample][:, None]
        for i, n_nodes in enumerate(np.diff(self.offsets).tolist()):
            own = local[self.edge_offsets[i] : self.edge_offsets[i + 1]]
            yield n_nodes, own.tobytes()

    def _check_width(self, i, cliques, limit):
        if cliques.width > limit:
            size = _human_size(8 * cliques.n_entries(self.n_states))
            raise ValueError(
                f"The graph of sample {i} has treewidth {cliques.width} (by least "
                f"fill), more than max_treewidth={limit}; with {self.n_states} labels "
                f"its clique tables would need {size}. Remove edges, merge labels, or "
                f"set max_treewidth={cliques.width} if there is memory enough."
            )

    def log_partition(self, potentials, *, n_jobs=None):
        """Log-partition of each graph, shape (n,).

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ndarray of shape (n,)
            0 for an empty graph, ``-inf`` for an impossible one.
        """
        return self._sums(potentials, None, n_jobs, counts=False)[0]

    def posterior(self, potentials, *, weight=None, n_jobs=None):
        """Log-partitions, marginals of nodes and expected counts of edges.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        weight : ndarray of shape (n,), default=None
            A factor for the counts of each graph.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        Posterior
            An impossible graph counts nothing.
        """
        log_z, node, edge = self._sums(potentials, weight, n_jobs)
        return Posterior(log_z, self._weighted(node, weight), edge, None, None)

    def game_sweep(
        self, potentials, game, predictor, *, n_sweeps=1, weight=None, n_jobs=None
    ):
        """Answer an adversary at every node, and what is expected of that adversary.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        game : Game
            What is played for at the nodes.
        predictor : ndarray of shape (N, K)
            Distributions of predictions, set in place: n_sweeps times over all nodes,
            each exactly given all others.
        n_sweeps : int, default=1
            How often; two sweeps are made in one tour of the tree. With 0 the predictor
            is left alone.
        weight : ndarray of shape (n,), default=None
            A factor for the counts of each graph.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        Sweep
            For the predictor as it has become.
        """
        log_z, node, edge = self._sums(
            potentials, weight, n_jobs, play=(game, predictor, n_sweeps)
        )
        risks = bayes_risks(game, node)
        gaps = expected_costs(game, predictor, node) - risks
        return Sweep(
            log_z,
            self._weighted(node, weight),
            edge,
            sum_by_sequence(risks, self.offsets),
            sum_by_sequence(gaps, self.offsets),
        )

    def _weighted(self, node, weight):
        if weight is None:
            return node
        return node * np.repeat(weight, np.diff(self.offsets))[:, None]

    def _sums(self, potentials, weight, n_jobs, *, counts=True, play=None):
        """Log-partitions, marginals of nodes, and weighted counts of edges."""
        node, edge = self._complete(potentials)
        weight = np.ones(len(self)) if weight is None else np.asarray(weight, float)
        log_z = np.zeros(len(self))
        node_out = np.zeros(node.shape if counts else (0, self.n_states))
        shared = potentials.edge.ndim == 2
        edge_out = np.zeros(edge.shape)
        factors = _Factors(edge)
        in_logs = self._need_logs(factors.range)
        kernel, more = marginals_of, ()
        if play is not None:
            kernel, more = play_games, (node, *play)
            node = node + augmentation(*play[:2])

        def do(first, last):
            own = np.zeros_like(edge) if shared else edge_out
            samples = np.arange(first, last)
            for mode, table in ((SUM, factors.exp), (LOG, factors.log)):
                kernel(
                    self._plan,
                    samples[in_logs[samples] == (mode == LOG)],
                    self._shape,
                    self.offsets,
                    self.edge_offsets,
                    node,
                    table,
                    mode,
                    weight,
                    log_z,
                    node_out,
                    own,
                    *more,
                )
            return own

        parts = run_chunks(do, self._chunks(), n_jobs)
        if shared:
            edge_out = reduce(np.add, parts, edge_out)[0]
        return log_z + self._sum_edges(factors.shift), node_out, edge_out

    def _chunks(self):
        rows = np.concatenate([[0], np.cumsum(self._plan.size[self._shape])])
        return chunks(rows * self.n_states, 1 << 18)

    def _need_logs(self, ranges):
        """Graphs in which products of probabilities might leave the range of floats."""
        if len(ranges) == 1:
            widest = np.full(len(self), ranges[0])
        else:
            widest = np.zeros(len(self))
            sample = np.repeat(np.arange(len(self)), np.diff(self.edge_offsets))
            np.maximum.at(widest, sample, ranges)
        with np.errstate(invalid="ignore"):
            return (self._crossing > 0) & (self._crossing * widest > _SAFE_RANGE)

    def _complete(self, potentials):
        """Node and edge potentials, the latter 3-D."""
        node = np.ascontiguousarray(potentials.node, dtype=float)
        edge = np.ascontiguousarray(potentials.edge, dtype=float)
        K = self.n_states
        M = len(self.edges)
        if node.shape != (self.offsets[-1], K) or edge.shape not in (
            (K, K),
            (M, K, K),
        ):
            raise ValueError(
                f"Potentials must have nodes of shape {(int(self.offsets[-1]), K)} and "
                f"edges of shape {(K, K)} or {(M, K, K)}; got {node.shape} and "
                f"{edge.shape}."
            )
        return node, edge.reshape(-1, K, K)

    def _sum_edges(self, terms):
        """Sums of the edges of each graph; of one number, as if each had it."""
        if len(terms) == 1:
            return terms[0] * np.diff(self.edge_offsets)
        return sum_by_sequence(terms, self.edge_offsets)

    def argmax(self, potentials):
        """Most probable states.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.

        Returns
        -------
        states : ndarray of shape (N,)
            Nodes are decided against the order of elimination, each for the lowest
            state that is best given those decided before. Of an impossible graph, the
            states that break the fewest forbidden potentials.
        score : ndarray of shape (n,)
            Their log-potential; ``-inf`` for an impossible graph.
        """
        states = self._choose(potentials, MAX, np.empty(0))
        score = self.score(states, potentials)
        impossible = np.flatnonzero(np.isneginf(score))
        if impossible.size:
            part, nodes, edges = self.take(impossible)
            p = potentials._replace(node=potentials.node[nodes]).soften()
            if p.edge.ndim == 3:
                p = p._replace(edge=p.edge[edges])
            states[nodes] = part._choose(p, MAX, np.empty(0))
        return states, score

    def _choose(self, potentials, mode, uniforms):
        node, edge = self._complete(potentials)
        states = np.zeros(len(node), dtype=np.intp)
        choose_states(
            self._plan,
            np.arange(len(self)),
            self._shape,
            self.offsets,
            self.edge_offsets,
            node,
            _Factors(edge).log,
            mode,
            uniforms,
            states,
        )
        return states

    def sample(self, potentials, random_state=None):
        """Draw the states of every graph from p(y).

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        random_state : int, RandomState or None, default=None
            Source of randomness.

        Returns
        -------
        ndarray of shape (N,)
            States.
        """
        uniforms = check_random_state(random_state).uniform(size=self.offsets[-1])
        return self._choose(potentials, LOG, uniforms)

    def score(self, states, potentials):
        """Log-potential of given states, shape (n,).

        Parameters
        ----------
        states : ndarray of shape (N,)
            A state for each node.
        potentials : Potentials
            Log-potentials.

        Returns
        -------
        ndarray of shape (n,)
            Without the log-partition: log p(y) is ``score - log_partition``.
        """
        node, edge = self._complete(potentials)
        states = np.asarray(states, dtype=np.intp)
        u, v = self.edges.T
        table = np.zeros(len(u), dtype=np.intp) if len(edge) == 1 else np.arange(len(u))
        nodes = sum_by_sequence(node[np.arange(len(node)), states], self.offsets)
        return nodes + sum_by_sequence(
            edge[table, states[u], states[v]], self.edge_offsets
        )

    def edge_marginals(self, potentials):
        """Marginal of the two states of each edge, shape (M, K, K)."""
        shape = (len(self.edges), self.n_states, self.n_states)
        edge = np.broadcast_to(potentials.edge, shape)
        return self.posterior(potentials._replace(edge=edge)).edge

    def take(self, samples):
        """The graphs of some samples.

        Parameters
        ----------
        samples : ndarray of shape (m,)
            Numbers of samples.

        Returns
        -------
        structure : Junction
            Of these samples, in this order.
        node_rows : ndarray
            Which nodes of the batch its nodes are.
        edge_rows : ndarray
            Which edges of the batch its edges are.
        """
        samples = np.asarray(samples, dtype=np.intp)
        nodes, offsets = gather(self.offsets, samples)
        rows, edge_offsets = gather(self.edge_offsets, samples)
        moved = np.repeat(offsets[:-1] - self.offsets[samples], np.diff(edge_offsets))
        out = Junction.__new__(Junction)
        out.offsets, out.edge_offsets = offsets, edge_offsets
        out.edges = self.edges[rows] + moved[:, None]
        out.n_states = self.n_states
        out._plan = self._plan
        out._shape = self._shape[samples]
        out._crossing = self._crossing[samples]
        return out, nodes, rows


class _Factors:
    """Edge tables with their largest entries taken out, as logs and as numbers."""

    def __init__(self, edge):
        top = edge.max(axis=(1, 2), initial=-np.inf)
        self.shift = np.where(np.isneginf(top), 0.0, top)
        self.log = edge - self.shift[:, None, None]
        self.exp = np.exp(self.log)
        self.range = -self.log.min(axis=(1, 2), initial=0.0)


def _human_size(n_bytes):
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if n_bytes < 1024:
            return f"{n_bytes} {unit}"
        n_bytes = n_bytes // 1024
    return "more than an exbibyte"

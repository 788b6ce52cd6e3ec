"""Graphs of low treewidth: grids, ladders, trees with a few more edges."""

import copy
from functools import reduce

import numpy as np

from skstruct.containers import locate
from skstruct.kernels._node_game import augmentation
from skstruct.kernels._threads import chunks, run_chunks
from skstruct.structures._base import sum_by_sequence
from skstruct.structures._graph import GraphStructure
from skstruct.structures._junction_game import play_games
from skstruct.structures._junction_paths import choose_labels
from skstruct.structures._junction_plan import make_plan
from skstruct.structures._junction_sums import LOG, MAX, SUM, marginals_of
from skstruct.structures._tree_layout import checked_graph
from skstruct.structures._triangulation import shapes_of

__all__ = ["Junction"]

# Logs that products of probabilities may range over: far inside that of floats.
_SAFE_RANGE = 500.0
# Of the clique tables of a sample, of which each thread holds those of one.
_MOST_BYTES = 1 << 32
# Entries of clique tables in one piece of work.
_CHUNK = 1 << 18


class Junction(GraphStructure):
    r"""A batch of graphs of low treewidth over K labels, with exact inference.

    .. math:: p(y) \propto \exp\Big(\sum_v n_{v, y_v}
        + \sum_{(u, v)} e_{(u, v), y_u, y_v}\Big)

    with log-potentials n of nodes and e of edges. Graphs may have cycles, several
    components and parallel edges. Nodes are eliminated by least fill or, where that is
    narrower, in a sweep over the graph, and messages pass between the cliques that
    this makes; graphs of equal shape share them.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Sample i has the nodes ``offsets[i]:offsets[i + 1]``; empty ones are allowed.
    edges : ndarray of shape (M, 2)
        Nodes of the batch that each edge joins: edge (u, v) reads ``[y_u, y_v]``.
    edge_offsets : ndarray of shape (n + 1,)
        Sample i has the edges ``edge_offsets[i]:edge_offsets[i + 1]``.
    n_states : int
        K, the number of labels.
    max_treewidth : int, default=5
        Widest graph to accept: at width w, each node has a table of up to K^(w + 1)
        numbers. Trees have width 1, rings 2, a grid of r rows r.

    Raises
    ------
    ValueError
        If an edge leaves its sample or joins a node to itself, or a graph is wider than
        ``max_treewidth`` or its tables take more than 4 GiB; the message tells the
        memory that it would need.

    Notes
    -----
    Every verb takes ``Potentials(node, edge)`` in log space: node (N, K), one row a
    node; edge (K, K), shared, or (M, K, K), one table an edge; ``-inf`` forbids. Time
    is O(N K^(w + 1)), memory that of the largest sample for each thread. Results do not
    depend on ``n_jobs``.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Junction, Potentials
    >>> ring = Junction([0, 3], [[0, 1], [1, 2], [2, 0]], [0, 3], n_states=2)
    >>> alike = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> p = Potentials(np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 1.0]]), alike)
    >>> ring.argmax(p)
    (array([0, 0, 0]), array([6.]))
    >>> ring.posterior(p).node.round(2)
    array([[0.68, 0.32],
           [0.92, 0.08],
           [0.56, 0.44]])
    """

    def __init__(self, offsets, edges, edge_offsets, *, n_states, max_treewidth=5):
        graph = checked_graph(offsets, edges, edge_offsets)
        self.offsets, self.edges, self.edge_offsets = graph
        self.n_states = n_states
        self._check_loops()
        shapes, self._shape, first = shapes_of(*graph, max_treewidth)
        for i, cliques in zip(first, shapes, strict=True):
            self._check_width(i, cliques, max_treewidth)
        self._crossing = np.array([c.crossing for c in shapes])
        self._plan = make_plan(shapes, n_states)

    def _check_loops(self):
        loops = np.flatnonzero(self.edges[:, 0] == self.edges[:, 1])
        if loops.size:
            sample, position = locate(self.edge_offsets, loops[0])
            node = self.edges[loops[0], 0] - self.offsets[sample]
            raise ValueError(
                f"Edge {position} of sample {sample} joins node {node} to itself; add "
                "its potentials to those of the node."
            )

    def _samples_of_edges(self):
        return np.repeat(np.arange(len(self)), np.diff(self.edge_offsets))

    def _check_width(self, i, cliques, limit):
        n_bytes = 8 * cliques.n_entries(self.n_states)
        size = _human_size(n_bytes)
        width = f"The graph of sample {i} has treewidth {cliques.width}"
        need = f"with {self.n_states} labels its tables would need {size}"
        if cliques.width > limit:
            raise ValueError(
                f"{width} (no order of elimination with less was found), more than "
                f"max_treewidth={limit}; {need}. Remove edges, merge labels, or set "
                f"max_treewidth={cliques.width} if there is memory enough."
            )
        if n_bytes > _MOST_BYTES:
            raise ValueError(
                f"{width}; {need}, and a sample may take {_human_size(_MOST_BYTES)}. "
                "Remove edges, merge labels, or cut the graph."
            )

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
        node, edge = self._checked(potentials)
        weight = np.ones(len(self)) if weight is None else np.asarray(weight, float)
        shared = np.ndim(potentials.edge) == 2
        factors = _Factors(edge)
        in_logs = self._need_logs(factors.range)
        log_z, counts = np.zeros(len(self)), np.zeros(edge.shape)
        out = np.zeros(node.shape if marginals else (0, self.n_states))
        kernel, more = marginals_of, ()
        if game is not None:
            kernel, more = play_games, (node, game, predictor, n_sweeps)
            node = node + augmentation(game, predictor)

        def do(first, last):
            own = np.zeros(edge.shape) if shared else counts
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
                    out,
                    own,
                    *more,
                )
            return own

        parts = run_chunks(do, self._chunks(), n_jobs)
        if shared:
            counts = reduce(np.add, parts, counts)[0]
        shifts = np.broadcast_to(factors.shift, len(self.edges))
        return log_z + sum_by_sequence(shifts, self.edge_offsets), out, counts

    def _chunks(self):
        columns = np.cumsum(self._plan.size[self._shape])
        return chunks(np.append(0, columns) * self.n_states, _CHUNK)

    def _need_logs(self, ranges):
        """Samples whose products of probabilities might leave the range of floats."""
        widest = np.zeros(len(self))
        ranges = np.broadcast_to(ranges, len(self.edges))
        np.maximum.at(widest, self._samples_of_edges(), ranges)
        n_factors = np.maximum(self._crossing[self._shape], 1)
        return n_factors * widest > _SAFE_RANGE

    def _checked(self, potentials):
        n_labels = np.shape(potentials.node)[-1]
        if n_labels != self.n_states:
            raise ValueError(
                f"Potentials have {n_labels} labels; the structure has n_states="
                f"{self.n_states}."
            )
        return super()._checked(potentials)

    def _best(self, potentials):
        return self._labels(potentials, MAX, np.empty(0))

    def _draw(self, potentials, uniforms):
        return self._labels(potentials, LOG, uniforms)

    def _labels(self, potentials, mode, uniforms):
        node, edge = self._checked(potentials)
        labels = np.zeros(len(node), dtype=np.intp)
        choose_labels(
            self._plan,
            np.arange(len(self)),
            self._shape,
            self.offsets,
            self.edge_offsets,
            node,
            _Factors(edge).log,
            mode,
            uniforms,
            labels,
        )
        return labels

    def _part(self, samples, offsets, edges, edge_offsets):
        out = copy.copy(self)
        out.offsets, out.edges, out.edge_offsets = offsets, edges, edge_offsets
        out._shape = self._shape[samples]
        return out


class _Factors:
    """Edge tables with their largest entries taken out, as logs and as numbers."""

    def __init__(self, edge):
        top = edge.max(axis=(1, 2), initial=-np.inf)
        self.shift = np.where(np.isneginf(top), 0.0, top)
        self.log = edge - self.shift[:, None, None]
        self.exp = np.exp(self.log)
        self.range = -self.log.min(axis=(1, 2), initial=0.0)


def _human_size(n_bytes):
    for power, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB")):
        if n_bytes < 1024 ** (power + 1):
            return f"{n_bytes / 1024**power:.4g} {unit}"
    return "more than an exbibyte"

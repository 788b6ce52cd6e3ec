"""Batches of any accepted form as graphs with features of nodes and edges."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from skstruct.containers import GraphBatch, Ragged, offsets_of, place
from skstruct.structures import Chain, Junction, Tree

__all__ = ["Graphs", "as_graphs"]

# Beside features above this, floats have no room for those of one.
_LARGEST = 1e15


class Graphs(NamedTuple):
    """Graphs, wherever their edges come from.

    Attributes
    ----------
    batch : Ragged
        Nodes.
    edges : ndarray of shape (M, 2)
        Numbers of the nodes of the batch that edges join.
    edge_offsets : ndarray of shape (n + 1,)
        Where the edges of each graph begin.
    edge_values : ndarray of shape (M, G) or None
        Features of edges.
    """

    batch: Ragged
    edges: np.ndarray
    edge_offsets: np.ndarray
    edge_values: np.ndarray | None

    @property
    def are_chains(self):
        """Whether edges lead from each node to the next one, all alike."""
        if self.edge_values is not None:
            return False
        if not isinstance(self.batch, GraphBatch):
            return True
        return np.array_equal(self.edges, _chain_edges(self.batch.offsets)[0])

    def structure(self, n_states, max_treewidth, *, chains):
        """What inference is made on.

        Parameters
        ----------
        n_states : int
            Number of labels K.
        max_treewidth : int
            Bound on the width of graphs with cycles.
        chains : bool
            Whether chains may be of class Chain, which is faster where no predictor
            moves.

        Returns
        -------
        Chain, Tree or Junction
        """
        offsets = self.batch.offsets
        if chains and self.are_chains:
            return Chain(offsets, np.arange(offsets[-1]))
        graph = offsets, self.edges, self.edge_offsets
        if self._are_forests():
            return Tree(*graph)
        return Junction(*graph, n_states=n_states, max_treewidth=max_treewidth)

    def _are_forests(self):
        n_nodes, n_edges = int(self.batch.offsets[-1]), len(self.edges)
        ones = np.ones(n_edges)
        graph = csr_array((ones, tuple(self.edges.T)), shape=(n_nodes, n_nodes))
        return connected_components(graph, directed=False)[0] == n_nodes - n_edges

    def reject_huge(self, features):
        """Raise if features of nodes, or of edges, are too large to reckon with."""
        _reject_huge(features, self.batch.offsets, "nodes")
        if self.edge_values is not None:
            _reject_huge(self.edge_values, self.edge_offsets, "edges")

    def take(self, samples):
        """Some of the graphs."""
        return as_graphs(self.batch[samples])


def as_graphs(batch):
    """Graphs of a GraphBatch; any other batch is of chains."""
    if isinstance(batch, GraphBatch):
        return Graphs(batch, batch.global_edges, batch.edge_offsets, batch.edge_values)
    return Graphs(batch, *_chain_edges(batch.offsets), None)


def _reject_huge(features, offsets, what):
    flat = features.data if issparse(features) else features
    largest = max(flat.max(initial=0.0), -flat.min(initial=0.0))
    if largest > _LARGEST:
        row = np.flatnonzero((abs(features) > _LARGEST).sum(axis=1))[0]
        raise ValueError(
            f"Features of {what} must be below {_LARGEST:g}, but those at "
            f"{place(row, offsets)} are not; the largest is {largest:.3g}. Scale them."
        )


def _chain_edges(offsets):
    """Edges of chains over all samples, and where those of each sample begin."""
    first = np.zeros(offsets[-1], dtype=bool)
    first[offsets[:-1][np.diff(offsets) > 0]] = True
    after = np.flatnonzero(~first)
    lengths = np.maximum(np.diff(offsets) - 1, 0)
    return np.column_stack([after - 1, after]), offsets_of(lengths)

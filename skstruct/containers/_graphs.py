"""Graphs of different sizes as flat arrays of nodes and edges."""

from typing import Self

import numpy as np

from skstruct.containers._batch import Batch, gather, offsets_of
from skstruct.containers._graph_edges import grid_edges, tree_edges
from skstruct.containers._graph_reading import (
    check_edges,
    join_edge_values,
    name_features,
    read_edge_offsets,
    read_edge_values,
    read_edges,
    read_graphs,
    read_networkx,
)
from skstruct.containers._ragged import Ragged
from skstruct.containers._reading import describe

__all__ = ["GraphBatch"]


class GraphBatch(Ragged):
    """A batch of graphs: nodes are its tokens, beside them the edges that join them.

    The nodes of graph ``i`` are ``values[offsets[i]:offsets[i + 1]]``, its edges
    ``edges[edge_offsets[i]:edge_offsets[i + 1]]``. scikit-learn sees a batch of shape
    ``(n_graphs,)`` and cuts, shuffles and joins whole graphs. Labels, and all else that
    is said of nodes, are a :class:`Ragged` or a list with a sequence for each graph, in
    the order of its nodes.

    Parameters
    ----------
    graphs : iterable of (features, edges) or (features, edges, edge_features)
        ``features`` has one entry for each node: an array of shape (n, d), dense or
        CSR, a list of words, of feature dicts, or of lists of names such as
        ``["tag=NN", "title"]``, each read as the dict that says 1.0 of every name.
        ``edges`` are pairs (u, v) of node numbers, from 0 in each graph;
        ``edge_features`` one row of finite numbers for each edge. Any two nodes have
        one edge at most, whose direction is kept. Graphs may be empty, fall into parts
        and have nodes without edges.

    Attributes
    ----------
    values : ndarray or csr_array of shape (n_nodes, ...)
        All nodes in order.
    offsets : ndarray of shape (n_graphs + 1,), dtype intp
        Where the nodes of each graph begin.
    edges : ndarray of shape (n_edges, 2), dtype intp
        All edges in order; nodes are numbered from 0 within each graph.
    edge_offsets : ndarray of shape (n_graphs + 1,), dtype intp
        Where the edges of each graph begin.
    edge_values : ndarray of shape (n_edges, n_edge_features) or None
        Features of the edges.
    tokens, source, header
        As of :class:`Ragged`.

    Raises
    ------
    ValueError
        If an edge joins no two nodes of its graph, or nodes that are joined already,
        or features do not fit nodes and edges; the message names sample and edge.

    See Also
    --------
    GraphBatch.from_arrays : Flat arrays.
    GraphBatch.from_sequences : Sequences as chains.
    GraphBatch.from_networkx : Graphs of networkx.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct import GraphBatch
    >>> X = GraphBatch(
    ...     [
    ...         (np.zeros((3, 5)), GraphBatch.tree([-1, 0, 0])),
    ...         (np.zeros((4, 5)), GraphBatch.grid((2, 2))),
    ...         (np.zeros((2, 5)), []),
    ...     ]
    ... )
    >>> X
    GraphBatch(3 graphs, 9 nodes, 6 edges, float64 x 5)
    >>> features, edges = X[0]
    >>> edges
    array([[0, 1],
           [0, 2]])
    >>> X[[2, 1]].lengths
    array([2, 4])
    """

    __slots__ = ("edge_offsets", "edge_values", "edges")

    # The advice that Ragged gives beside a single sample is for sequences.
    shape = Batch.shape

    def __init__(self, graphs):
        if isinstance(graphs, GraphBatch):
            self._fill(graphs, *graphs._graph)
            return
        features, edges, edge_values = read_graphs(graphs)
        try:
            nodes = Ragged(features)
        except ValueError as error:
            raise ValueError(f"Node features: {error}") from error
        n_edges = [len(pairs) for pairs in edges]
        self._fill(
            nodes,
            np.concatenate([np.zeros((0, 2), dtype=np.intp), *edges]),
            offsets_of(n_edges),
            join_edge_values(edge_values, n_edges),
        )
        check_edges(self.offsets, *self._graph)

    def _fill(self, nodes, edges, edge_offsets, edge_values):
        super().__init__(nodes)
        self.edges, self.edge_offsets = edges, edge_offsets
        self.edge_values = edge_values

    @property
    def _graph(self):
        return self.edges, self.edge_offsets, self.edge_values

    @classmethod
    def _on(cls, nodes, *graph):
        """A batch of a Ragged of nodes and what joins them, which fits."""
        out = cls.__new__(cls)
        out._fill(nodes, *graph)
        return out

    @classmethod
    def from_graphs(cls, graphs) -> Self:
        """From one tuple for each graph, as the class itself reads them.

        Parameters
        ----------
        graphs : iterable of (features, edges) or (features, edges, edge_features)
            As for the class.

        Returns
        -------
        GraphBatch

        Examples
        --------
        >>> from skstruct import GraphBatch
        >>> GraphBatch.from_graphs([(["a", "rose"], [(0, 1)])])
        GraphBatch(1 graph, 2 nodes, 1 edge, str)
        """
        return cls(graphs)

    @classmethod
    def from_arrays(
        cls, values, offsets, edges, edge_offsets, edge_values=None, tokens=None
    ) -> Self:
        """From flat values and edges, and the offsets that cut them.

        Parameters
        ----------
        values : array-like or sparse array of shape (n_nodes, ...)
            All nodes in order.
        offsets : array-like of shape (n_graphs + 1,)
            Non-decreasing, from 0 to ``n_nodes``.
        edges : array-like of shape (n_edges, 2)
            All edges in order; nodes are numbered from 0 within each graph.
        edge_offsets : array-like of shape (n_graphs + 1,)
            Non-decreasing, from 0 to ``n_edges``.
        edge_values : array-like of shape (n_edges, n_edge_features), default=None
            Features of the edges.
        tokens : array-like of shape (n_nodes,), default=None
            Surface tokens carried beside ``values``.

        Returns
        -------
        GraphBatch

        Raises
        ------
        ValueError
            If offsets do not cut their array, or an edge does not fit its graph.

        Examples
        --------
        >>> from skstruct import GraphBatch
        >>> X = GraphBatch.from_arrays(
        ...     values=[7.0, 8.0, 9.0, 5.0, 6.0],
        ...     offsets=[0, 3, 5],
        ...     edges=[(0, 1), (1, 2), (0, 1)],
        ...     edge_offsets=[0, 2, 3],
        ... )
        >>> X.global_edges
        array([[0, 1],
               [1, 2],
               [3, 4]])
        """
        nodes = Ragged.from_arrays(name_features(values), offsets, tokens=tokens)
        edges = read_edges(edges, "edges")
        edge_offsets = read_edge_offsets(edge_offsets, len(nodes), len(edges))
        edge_values = read_edge_values(edge_values, len(edges), "edge_values")
        check_edges(nodes.offsets, edges, edge_offsets, edge_values)
        return cls._on(nodes, edges, edge_offsets, edge_values)

    @classmethod
    def from_sequences(cls, sequences) -> Self:
        """From sequences, each of which becomes a chain.

        Parameters
        ----------
        sequences : Ragged or iterable of sequences
            As :class:`Ragged` reads them.

        Returns
        -------
        GraphBatch
            Edges lead from each token to the next one.

        Examples
        --------
        >>> from skstruct import GraphBatch
        >>> GraphBatch.from_sequences([["a", "rose"], [], ["is", "a", "rose"]])
        GraphBatch(3 graphs, 5 nodes, 3 edges, str)
        """
        nodes = Ragged(sequences)
        edge_offsets = offsets_of(np.maximum(nodes.lengths - 1, 0))
        starts = np.arange(edge_offsets[-1])
        starts -= np.repeat(edge_offsets[:-1], np.diff(edge_offsets))
        edges = np.column_stack([starts, starts + 1])
        return cls._on(nodes, edges, edge_offsets, None)

    @classmethod
    def _refuse(cls, *args, **kwargs):
        """Sequences have no edges: see `from_sequences` and `from_arrays`."""
        raise TypeError(
            "This makes sequences, which have no edges. Make them by Ragged and pass "
            "them to GraphBatch.from_sequences, which joins neighbours, or their "
            "values and offsets to GraphBatch.from_arrays with the edges."
        )

    from_lengths = from_rows = from_frame = _refuse

    @classmethod
    def from_networkx(cls, graphs, feature="x", edge_feature=None) -> Self:
        """From graphs of networkx, or any with the same interface.

        Parameters
        ----------
        graphs : iterable of networkx Graph or DiGraph
            Nodes are taken in the order of the graph, edges as it lists them: a
            ``DiGraph`` tells their direction.
        feature : str or list of str, default="x"
            The node attribute that holds its features: a vector, a number, a word, a
            dict or a list of names. Several attributes, numbers or vectors, become
            columns in the order of the list.
        edge_feature : str, list of str or None, default=None
            The edge attribute that holds its features: a number or a vector; or
            several.

        Returns
        -------
        GraphBatch

        Raises
        ------
        ValueError
            If a node or an edge lacks the attribute, one of several is no number, or a
            graph has loops or parallel edges.

        Examples
        --------
        Labels in the same order are had by a line such as::

            y = [[graph.nodes[v]["label"] for v in graph] for graph in graphs]
        """
        return cls(read_networkx(graphs, feature, edge_feature))

    @staticmethod
    def chain(n) -> np.ndarray:
        """Edges of a chain of nodes.

        Parameters
        ----------
        n : int
            Number of nodes.

        Returns
        -------
        ndarray of shape (n - 1, 2)
            Each node and the next one.

        Examples
        --------
        >>> from skstruct import GraphBatch
        >>> GraphBatch.chain(3)
        array([[0, 1],
               [1, 2]])
        """
        return grid_edges((n,))

    @staticmethod
    def tree(parents) -> np.ndarray:
        """Edges of a tree, or of several, given by the parent of each node.

        Parameters
        ----------
        parents : array-like of int of shape (n,)
            Number of the parent of each node; -1 for a root.

        Returns
        -------
        ndarray of shape (n_edges, 2)
            (parent, child) for each child, in the order of nodes.

        Raises
        ------
        ValueError
            If a parent is no node, or nodes are their own ancestors; they are named.

        Examples
        --------
        >>> from skstruct import GraphBatch
        >>> GraphBatch.tree([1, -1, 1])
        array([[1, 0],
               [1, 2]])
        """
        return tree_edges(parents)

    @staticmethod
    def grid(shape) -> np.ndarray:
        """Edges of a rectangular grid, whose nodes are numbered row by row.

        Parameters
        ----------
        shape : tuple of int
            Number of nodes along each axis.

        Returns
        -------
        ndarray of shape (n_edges, 2)
            First all edges along the first axis (down the columns), then those along
            the next one (along the rows), each from the lower to the higher number.

        Examples
        --------
        >>> from skstruct import GraphBatch
        >>> GraphBatch.grid((2, 2)).tolist()
        [[0, 2], [1, 3], [0, 1], [2, 3]]
        """
        return grid_edges(shape)

    @property
    def global_edges(self):
        """Edges with nodes numbered through the whole batch, shape (n_edges, 2)."""
        first_node = np.repeat(self.offsets[:-1], np.diff(self.edge_offsets))
        return self.edges + first_node[:, None]

    def with_values(self, values) -> Self:
        """The same graphs with other values (one for each node).

        Parameters
        ----------
        values : array-like of shape (n_nodes, ...)
            New values in the same order.

        Returns
        -------
        GraphBatch
            It still has its edges and their features, its tokens and its frame.
        """
        return self._on(super().with_values(name_features(values)), *self._graph)

    def _item(self, i):
        part = slice(self.edge_offsets[i], self.edge_offsets[i + 1])
        item = super()._item(i), self.edges[part]
        return item if self.edge_values is None else (*item, self.edge_values[part])

    def _take(self, ids):
        rows, edge_offsets = gather(self.edge_offsets, ids)
        edge_values = None if self.edge_values is None else self.edge_values[rows]
        return self._on(super()._take(ids), self.edges[rows], edge_offsets, edge_values)

    @classmethod
    def _concat(cls, parts):
        parts = [cls(part) for part in parts]
        n_edges = [len(part.edges) for part in parts]
        return cls._on(
            Ragged._concat(parts),
            np.concatenate([part.edges for part in parts]),
            offsets_of(np.concatenate([np.diff(part.edge_offsets) for part in parts])),
            join_edge_values([part.edge_values for part in parts], n_edges, "Batch"),
        )

    def __repr__(self):
        counts = {"graph": len(self), "node": self.n_tokens, "edge": len(self.edges)}
        size = ", ".join(f"{n} {name}{'s' * (n != 1)}" for name, n in counts.items())
        return f"{type(self).__name__}({size}, {describe(self.values)})"

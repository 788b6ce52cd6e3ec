"""Potentials that are linear in the features of nodes and edges."""

import numpy as np

from skstruct.potentials._features import AllPairs, SeenPairs, square_sums

__all__ = ["LinearGraph"]


class LinearGraph:
    r"""Log-potentials of chains, trees and graphs, linear in weights.

    .. math:: n_{ik} = x_i \cdot w_k + c_k, \qquad
        e_{mjk} = a_{jk} + \sum_g z_{mg} v_{gjk}

    with features :math:`x_i` of each node and :math:`z_m` of each edge, weights w, a
    and v, and an intercept c.

    Parameters
    ----------
    features : ndarray or csr_array of shape (N, F)
        Features of all nodes.
    edge_features : ndarray of shape (M, G), default=None
        Features of all edges; None: one table serves all edges.
    n_states : int
        Number of states K.
    pairs : sparse array of shape (F, K), default=None
        Of sparse features: which pairs of a feature and a state have a weight, where
        it is not zero; the others' weights are 0. None: all have.

    Notes
    -----
    Solvers see the weights as one vector: w (F, K) or its pairs, c (K,), a (K, K) and
    v (G, K, K), in this order.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.potentials import LinearGraph
    >>> linear = LinearGraph(np.array([[1.0], [2.0]]), n_states=2)
    >>> weights = linear.join([[0.5, -0.5]], [0.0, 1.0], np.eye(2))
    >>> node, edge = linear.potentials(weights)
    >>> node
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> edge
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(self, features, edge_features=None, *, n_states, pairs=None):
        self._products = (
            AllPairs(features, n_states)
            if pairs is None
            else SeenPairs(features, pairs)
        )
        self.features = self._products.values
        self.edge_features = edge_features
        self.n_states = n_states
        self.pairs = pairs

    @property
    def _sizes(self):
        """Of the parts of a vector of weights."""
        K = self.n_states
        G = 0 if self.edge_features is None else self.edge_features.shape[1]
        return self._products.n_weights, K, K * K, G * K * K

    @property
    def n_weights(self):
        """Length of the vector of weights."""
        return sum(self._sizes)

    def _views(self, weights):
        """The parts of a vector of weights, that of features as it is."""
        K = self.n_states
        coef, intercept, *rest = np.split(weights, np.cumsum(self._sizes)[:-1])
        transition, edge_coef = (part.reshape(-1, K, K) for part in rest)
        return coef, intercept, transition[0], edge_coef

    def split(self, weights):
        """The parts of a vector of weights.

        Parameters
        ----------
        weights : ndarray of shape (n_weights,)
            One vector.

        Returns
        -------
        tuple of ndarrays of shapes (F, K), (K,), (K, K), (G, K, K)
            Of features, intercept, transitions and edge features; G is 0 without
            edge features. Views, but for that of features where only some pairs have
            weights.
        """
        coef, *others = self._views(weights)
        return self._products.table(coef), *others

    def join(self, coef, intercept, transition, edge_coef=()):
        """The vector of weights, or of its gradient, with these parts."""
        parts = self._products.pick(coef), intercept, transition, edge_coef
        return np.concatenate([np.ravel(part) for part in parts])

    def potentials(self, weights, *, n_jobs=None):
        """Log-potentials.

        Parameters
        ----------
        weights : ndarray of shape (n_weights,)
            One vector.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        node : ndarray of shape (N, K)
            Of nodes.
        edge : ndarray of shape (K, K), or (M, K, K) with edge features
            Of edges.
        """
        coef, intercept, transition, edge_coef = self._views(weights)
        node = self._products.scores(coef, intercept, n_jobs)
        if self.edge_features is None:
            return node, transition
        edge = np.tensordot(self.edge_features, edge_coef, axes=1)
        edge += transition
        return node, edge

    def gradient(self, node, edge, *, n_jobs=None):
        """Gradient of sum(counts * potentials) with respect to the weights.

        Parameters
        ----------
        node : ndarray of shape (N, K)
            (Differences of) expected counts of states.
        edge : ndarray of shape (K, K), or (M, K, K) with edge features
            Of pairs of states along edges.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ndarray of shape (n_weights,)
        """
        out = np.empty(self.n_weights)
        coef, intercept, transition, edge_coef = self._views(out)
        self._products.gradient(node, coef, n_jobs)
        np.sum(node, axis=0, out=intercept)
        if self.edge_features is None:
            transition[:] = edge
        else:
            np.sum(edge, axis=0, out=transition)
            edge_coef[:] = np.tensordot(self.edge_features, edge, axes=(0, 0))
        return out

    def curvature(self, node_weight, edge_weight):
        """How strongly the log-partition curves along each weight, roughly.

        Sums of squares of the features, shared among the labels: it serves to choose
        the units of the weights.

        Parameters
        ----------
        node_weight : ndarray of shape (N,)
            How much each node counts.
        edge_weight : ndarray of shape (M,)
            How much each edge counts.

        Returns
        -------
        ndarray of shape (n_weights,)
        """
        K = self.n_states
        node = square_sums(self.features, node_weight) / K
        transition = np.full((K, K), edge_weight.sum() / K**2)
        edge = np.zeros((0, K, K))
        if self.edge_features is not None:
            squares = square_sums(self.edge_features, edge_weight) / K**2
            edge = np.tile(squares[:, None, None], (1, K, K))
        intercept = np.full(K, node_weight.sum() / K)
        return self.join(np.tile(node[:, None], (1, K)), intercept, transition, edge)

    def take(self, node_rows, edge_rows):
        """The potentials of some of the nodes and edges, with the same weights.

        Parameters
        ----------
        node_rows, edge_rows : ndarray of int
            Which ones; edge rows are not read without edge features.

        Returns
        -------
        LinearGraph
        """
        edges = self.edge_features
        edges = None if edges is None else edges[edge_rows]
        return LinearGraph(
            self.features[node_rows],
            edges,
            n_states=self.n_states,
            pairs=self.pairs,
        )

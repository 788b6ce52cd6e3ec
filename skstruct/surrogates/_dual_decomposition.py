"""Adversaries on forests by dual decomposition: the reference, slow and plain."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, eye_array, hstack, kron
from scipy.sparse.csgraph import breadth_first_order, connected_components

from skstruct.kernels._node_game import bayes_risks
from skstruct.surrogates._node_responses import equilibria, responder

__all__ = ["Adversary", "subgradient_oracle"]


class Adversary(NamedTuple):
    """A strategy of the adversary, what it secures, and what it cannot exceed.

    Attributes
    ----------
    value : ndarray of shape (n,)
        Least dual value that was met: never below the value of the game, and at least
        what ``predictor`` concedes.
    secured : ndarray of shape (n,)
        What the marginals below are worth: never above the value of the game.
    node : ndarray of shape (N, K)
        Marginals of nodes, times the weight of their sample.
    edge : ndarray of shape (K, K) or (M, K, K)
        Expected counts of edges, shaped as ``Potentials.edge``, weighted likewise.
    predictor : ndarray of shape (N, K)
        The predictor's distribution at every node.
    multipliers : ndarray of shape (M, K)
        Where another call at similar potentials may start.
    """

    value: np.ndarray
    secured: np.ndarray
    node: np.ndarray
    edge: np.ndarray
    predictor: np.ndarray
    multipliers: np.ndarray


def subgradient_oracle(
    structure, potentials, game, *, max_iter=200, multipliers=None, weight=None
):
    r"""Play the game of predictor and adversary on forests by dual decomposition.

    .. math:: \max_Q \sum_i w_i \min_a (L r_i)_a + \langle Q, \mathrm{score} \rangle
        = \min_u \sum_i \max_{r \in \Delta} a_i(u) \cdot r + w_i \min_a (L r)_a

    (Fathony et al., 2018, equations 6 to 8). Each node owns the edge to its parent;
    the multipliers :math:`u` of an edge make its two ends agree, and

    .. math:: a_i(l) = b_i(l) + \max_k (B_i(k, l) - u_i(k)) + \sum_{c} u_c(l)

    over the children c of i. Subgradient steps of length 0.5 scale / sqrt(t) lower the
    right-hand side, scale being the largest cost of a node. Marginals of edges follow
    from those of nodes by optimal transport.

    Two things differ from the paper. The maximisers r at the best u are not unique,
    and those that happen to be found need not belong together: on random trees of four
    nodes, with zero-one costs, they lose in one case of six, up to the size of the
    potentials. Here r is the average over the second half of the steps, which
    converges. And both bounds are returned, so that the error is known.

    Parameters
    ----------
    structure : Tree
        Forests: ``offsets`` (n + 1,) and ``edges`` (M, 2), nodes of the batch.
    potentials : Potentials
        Finite ``node`` (N, K) and ``edge`` (K, K) or (M, K, K).
    game : Game
        Costs at the nodes.
    max_iter : int, default=200
        Number of steps.
    multipliers : ndarray of shape (M, K), default=None
        Where to start; zeros if None.
    weight : ndarray of shape (n,), default=None
        Factor for the marginals of each sample; ones if None.

    Returns
    -------
    Adversary

    Notes
    -----
    A step takes O(K^2) time an edge, as the maxima over k do. Costs that are neither
    zero-one nor absolute are far dearer with more than 8 labels: each step then solves
    a linear program.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, Tree
    >>> from skstruct.surrogates import Game, subgradient_oracle
    >>> tree = Tree([0, 2], [[0, 1]], [0, 1])
    >>> p = Potentials(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))
    >>> game = Game.of(1 - np.eye(2), n_nodes=2)
    >>> found = subgradient_oracle(tree, p, game)
    >>> bool((found.secured <= found.value + 1e-9).all())
    True
    >>> found.predictor[0].round(2)
    array([1., 0.])
    """
    split = _Split(structure, potentials)
    u, least, averaged = _descend(split, game, max_iter, multipliers)
    a, _ = split.node_potentials(u)
    joint = transport(split.tables, averaged[split.parent], averaged[split.child])
    worth = bayes_risks(game, averaged) + (potentials.node * averaged).sum(axis=1)
    secured = split.sum_nodes(worth)
    secured += split.sum_edges((split.tables * joint).sum(axis=(1, 2)))
    edge = np.where(split.flipped[:, None, None], joint.transpose(0, 2, 1), joint)
    if weight is not None:
        averaged = averaged * weight[split.sample][:, None]
        edge = edge * weight[split.sample[split.child]][:, None, None]
    if potentials.edge.ndim == 2:
        edge = edge.sum(axis=0)
    return Adversary(least, secured, averaged, edge, equilibria(game, a), u)


def _descend(split, game, max_iter, u):
    """Best multipliers of each sample, their dual values, and averaged r."""
    M, K = split.tables.shape[:2]
    u = np.zeros((M, K)) if u is None else u
    respond = responder(game)
    scale = game.weight.max(initial=0) * game.cost.max(initial=0) or 1.0
    least = np.full(split.n_samples, np.inf)
    best, averaged = u, np.zeros((len(split.sample), K))
    first = max_iter // 2
    for t in range(max_iter):
        a, tops = split.node_potentials(u)
        values, r = respond(a)
        value = split.sum_nodes(values)
        lower = (value < least)[split.sample[split.child]]
        best = np.where(lower[:, None], u, best)
        least = np.minimum(value, least)
        if t >= first:
            averaged += r / (max_iter - first)
        u = u - 0.5 * scale / np.sqrt(t + 1) * split.disagreement(r, tops)
    return best, least, averaged


class _Split:
    """A batch of forests, split into nodes that own the edge to their parent."""

    def __init__(self, structure, potentials):
        offsets, edges = structure.offsets, structure.edges
        self.n_samples = len(offsets) - 1
        self.sample = np.repeat(np.arange(self.n_samples), np.diff(offsets))
        self.node = potentials.node
        self.flipped = _points_to_parent(edges, len(self.node))
        ends = np.where(self.flipped[:, None], edges[:, ::-1], edges)
        self.parent, self.child = ends.T
        K = self.node.shape[1]
        tables = np.broadcast_to(potentials.edge, (len(edges), K, K))
        turned = tables.transpose(0, 2, 1)
        self.tables = np.where(self.flipped[:, None, None], turned, tables)

    def node_potentials(self, u):
        """The a (N, K); for each edge and label of the child, the parent's label."""
        reduced = self.tables - u[:, :, None]
        a = self.node.copy()
        np.add.at(a, self.parent, u)
        a[self.child] += reduced.max(axis=1)
        return a, reduced.argmax(axis=1)

    def disagreement(self, r, tops):
        """Subgradient by u: the parent's r less what the child expects of it."""
        out = r[self.parent]
        np.subtract.at(out, (np.arange(len(out))[:, None], tops), r[self.child])
        return out

    def sum_nodes(self, terms):
        return np.bincount(self.sample, terms, self.n_samples)

    def sum_edges(self, terms):
        return np.bincount(self.sample[self.child], terms, self.n_samples)


def _points_to_parent(edges, n_nodes):
    """Whether the second end of each edge is nearer to the root of its component."""
    ones = np.ones(len(edges))
    graph = coo_array((ones, edges.T), shape=(n_nodes + 1, n_nodes + 1))
    _, component = connected_components(graph, directed=False)
    _, roots = np.unique(component[:-1], return_index=True)
    # One more node above all roots: a single search then reaches every component.
    above = coo_array(
        (np.ones(len(roots)), (np.full(len(roots), n_nodes), roots)), shape=graph.shape
    )
    _, parent = breadth_first_order(csr_array(graph + above), n_nodes, directed=False)
    return parent[edges[:, 0]] == edges[:, 1]


def transport(gain, sources, targets):
    """The joint distributions of greatest gain that have given marginals.

    Parameters
    ----------
    gain : ndarray of shape (M, K, K)
        Gain by each pair of labels.
    sources, targets : ndarray of shape (M, K)
        Marginals of rows and columns.

    Returns
    -------
    ndarray of shape (M, K, K)
    """
    M, K, _ = gain.shape
    if M == 0:
        return np.zeros(gain.shape)
    ones, one = np.ones((1, K)), eye_array(K)
    marginals = [kron(eye_array(M), kron(*pair)) for pair in ((one, ones), (ones, one))]
    found = linprog(
        -gain.ravel(),
        A_eq=csr_array(hstack([m.T for m in marginals]).T),
        b_eq=np.concatenate([sources.ravel(), targets.ravel()]),
        method="highs",
    )
    if found.status != 0:
        raise RuntimeError(f"No transport between marginals was found: {found.message}")
    return np.maximum(found.x, 0).reshape(gain.shape)

"""The game of predictor and adversary at given potentials."""

from typing import NamedTuple

import numpy as np

from skstruct.kernels._node_game import augmentation, bayes_risks
from skstruct.kernels._threads import chunks
from skstruct.surrogates._settle import Settler

__all__ = ["Equilibrium", "smoothed_predictor", "solve_game"]

# Half-sweeps from one proximal point to the next, and the temperature as a share of
# the largest cost.
_SWEEPS = 5
_TEMPERATURE = 0.1
# Numbers in the tables of the edges of one part of a batch.
_PART = 1 << 22
# A smoothed game is solved when the predictor could gain so little, as a share of the
# temperature, or after so many rounds of sweeps.
_SMOOTH_GAP = 1e-6
_SMOOTH_ROUNDS = 200


class Equilibrium(NamedTuple):
    """The best strategies found, and the bracket that proves how good they are.

    Attributes
    ----------
    predictor : ndarray of shape (N, K)
        The predictor's distribution at every node.
    upper, lower : ndarray of shape (n,)
        What predictor and adversary can guarantee; the value lies between.
    """

    predictor: np.ndarray
    upper: np.ndarray
    lower: np.ndarray


def solve_game(structure, potentials, game, *, tol=1e-3, max_iter=300, n_jobs=None):
    r"""Solve the game of each sample until its bracket is narrow.

    .. math:: \min_p \max_Q \; \langle Q, \text{score} \rangle
        + \sum_i w_i \, p_i^\top L \, r_i

    by proximal points of the adversary: :math:`Q_{k+1}` maximises this, less
    :math:`\varepsilon \, \mathrm{KL}(Q \Vert Q_k)`, at one temperature throughout.

    Parameters
    ----------
    structure : Tree or Junction
        A batch of graphs.
    potentials : Potentials
        Log-potentials.
    game : Game
        Costs.
    tol : float, default=1e-3
        Width wanted, as a share of what the sample could cost at most.
    max_iter : int, default=300
        Bound on the proximal points.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    Equilibrium

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, Tree
    >>> from skstruct.surrogates import Game, solve_game
    >>> tree = Tree([0, 2], [[0, 1]], [0, 1])
    >>> p = Potentials(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))
    >>> game = Game.of(1 - np.eye(2), n_nodes=2)
    >>> found = solve_game(tree, p, game)
    >>> found.upper.round(2), found.upper - found.lower < 2e-3
    (array([2.5]), array([ True]))
    >>> found.predictor[0].round(2)
    array([1., 0.])
    """
    n_states = potentials.node.shape[1]
    parts = []
    for first, last in chunks(structure.offsets, max(_PART // n_states**2, 1)):
        part, nodes, edges = structure.take(np.arange(first, last))
        solver = _Solver(part, *_rows(potentials, game, nodes, edges), n_jobs)
        parts.append(solver.run(tol, max_iter))
    if not parts:
        return Equilibrium(np.zeros((0, n_states)), *np.zeros((2, len(structure))))
    return Equilibrium(*map(np.concatenate, zip(*parts, strict=True)))


def _rows(potentials, game, nodes, edges):
    """Potentials, with a table for each edge, and game of some nodes and edges."""
    K = potentials.node.shape[1]
    table = potentials.edge
    if table.ndim == 2:
        table = np.broadcast_to(table, (len(edges), K, K))
    else:
        table = table[edges]
    cut = potentials._replace(
        node=potentials.node[nodes], edge=np.ascontiguousarray(table)
    )
    return cut, game._replace(index=game.index[nodes], weight=game.weight[nodes])


class _Solver:
    """The samples that are not solved yet, and the best of all so far."""

    def __init__(self, structure, potentials, game, n_jobs):
        self.n_jobs = n_jobs
        n_states = potentials.node.shape[1]
        self.best = Equilibrium(
            np.full((len(game.index), n_states), 1.0 / n_states),
            np.full(len(structure), np.inf),
            np.full(len(structure), -np.inf),
        )
        self.samples = np.arange(len(structure))
        self.nodes = np.arange(len(game.index))
        self.structure, self.potentials, self.game = structure, potentials, game
        largest = game.cost.max(axis=(1, 2))[game.index] * game.weight
        # Where nothing can be lost, any temperature serves.
        self.temperature = _TEMPERATURE * largest.max(initial=0.0) or 1.0
        self.largest = self._by_node(largest)
        self.predictor = self.best.predictor.copy()
        self.centre = np.zeros_like(potentials.node)
        # Running averages of both players.
        self.means = [np.zeros_like(potentials.node), np.zeros_like(potentials.node)]
        self.means.append(np.zeros_like(potentials.edge))

    def run(self, tol, max_iter):
        for iteration in range(max_iter):
            self._move(iteration)
            upper, lower = self.best.upper[self.samples], self.best.lower[self.samples]
            open_ = upper - lower > tol * self.largest + 1e-12 * np.abs(upper)
            if not open_.any():
                break
            # A batch is not cut anew for each sample that drops out.
            if np.mean(open_) < 0.7:
                self._keep(np.flatnonzero(open_))
        return self.best

    def _move(self, iteration):
        """One proximal point, what both players guarantee at it, and on average."""
        t, share = self.temperature, (iteration + 1) / self.temperature
        found = self.structure.game_sweep(
            self.potentials._replace(
                node=share * self.potentials.node + self.centre,
                edge=share * self.potentials.edge,
            ),
            self.game._replace(weight=self.game.weight / t),
            self.predictor,
            n_sweeps=_SWEEPS,
            n_jobs=self.n_jobs,
        )
        rho = max(2 / (iteration + 2), 0.2)
        new = self.predictor, found.node, found.edge
        for mean, part in zip(self.means, new, strict=True):
            mean += rho * (part - mean)
        for predictor, node, edge in (new, self.means):
            self._improve(predictor, node, edge)
        self.centre += augmentation(self.game, self.predictor) / t
        self.centre -= self.centre.max(axis=1, keepdims=True)

    def _improve(self, predictor, node, edge):
        """Keep what is better than the best so far."""
        p = self.potentials
        lower = self._by_node(
            np.einsum("ik,ik->i", node, p.node) + bayes_risks(self.game, node)
        ) + self._by_edge(np.einsum("ejk,ejk->e", edge, p.edge))
        augmented = p._replace(node=p.node + augmentation(self.game, predictor))
        _, upper = self.structure.argmax(augmented)
        best = self.best
        best.lower[self.samples] = np.maximum(best.lower[self.samples], lower)
        better = upper < best.upper[self.samples]
        best.upper[self.samples[better]] = upper[better]
        rows = np.repeat(better, np.diff(self.structure.offsets))
        best.predictor[self.nodes[rows]] = predictor[rows]

    def _keep(self, ids):
        """Go on with some of the samples only."""
        self.structure, nodes, edges = self.structure.take(ids)
        self.potentials, self.game = _rows(self.potentials, self.game, nodes, edges)
        self.samples, self.nodes = self.samples[ids], self.nodes[nodes]
        self.largest = self.largest[ids]
        self.predictor, self.centre = self.predictor[nodes], self.centre[nodes]
        self.means = [self.means[0][nodes], self.means[1][nodes], self.means[2][edges]]

    def _by_node(self, terms):
        return _sums(terms, self.structure.offsets)

    def _by_edge(self, terms):
        return _sums(terms, self.structure.edge_offsets)


def _sums(terms, offsets):
    """Sums of the terms of each sample."""
    samples = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(samples, terms, minlength=len(offsets) - 1)


def smoothed_predictor(structure, potentials, game, temperature, *, n_jobs=None):
    r"""The predictor of the game with the entropy of the adversary in it.

    .. math:: \arg\min_p \; \varepsilon \log \sum_y \exp \frac1\varepsilon \Big[
        \text{score}(y) + \sum_i w_i (L^\top p_i)_{y_i} \Big]

    Parameters
    ----------
    structure : Tree or Junction
        A batch of graphs.
    potentials : Potentials
        Log-potentials.
    game : Game
        Costs.
    temperature : float
        :math:`\varepsilon > 0`.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    ndarray of shape (N, K)
        The predictor's distribution at every node.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, Tree
    >>> from skstruct.surrogates import Game, smoothed_predictor
    >>> tree = Tree([0, 2], [[0, 1]], [0, 1])
    >>> p = Potentials(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))
    >>> game = Game.of(1 - np.eye(2), n_nodes=2)
    >>> smoothed_predictor(tree, p, game, 0.1).round(2)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    cooled = potentials._replace(
        node=potentials.node / temperature, edge=potentials.edge / temperature
    )
    game = game._replace(weight=game.weight / temperature)
    n_nodes, n_states = potentials.node.shape
    predictor = np.full((n_nodes, n_states), 1.0 / n_states)
    Settler(structure.offsets).settle(
        lambda: structure.game_sweep(
            cooled, game, predictor, n_sweeps=2, n_jobs=n_jobs
        ),
        predictor,
        lambda found: found.gap.max(initial=0.0) <= _SMOOTH_GAP,
        _SMOOTH_ROUNDS,
    )
    return predictor

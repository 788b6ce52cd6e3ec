"""The objective of supervised graphical models, as solvers see it."""

from typing import NamedTuple

import numpy as np

from skstruct.kernels._node_game import augmentation
from skstruct.structures import Potentials
from skstruct.surrogates import Settler

__all__ = ["Centre", "Evaluation", "Problem"]

# Objectives below this share of the largest cost of a sample are as good as zero: where
# labels are separable and the penalty is tiny, no share of the optimum can be proven.
_LEAST = 1e-3


class Evaluation(NamedTuple):
    """The objective at some weights.

    Attributes
    ----------
    value, gradient : float, ndarray of shape (n_weights,)
        Of the objective at a temperature.
    risk, slope : float, ndarray of shape (n_weights,)
        A cutting plane: at temperature zero, and without penalty, the objective is
        nowhere below ``risk + slope @ weights``.
    gap : float
        A bound on how much the predictor could still lower the value.
    n_rounds : int
        How often the predictor was moved.
    """

    value: float
    gradient: np.ndarray
    risk: float
    slope: np.ndarray
    gap: float
    n_rounds: int


class Centre(NamedTuple):
    """The adversary that a proximal point is near to, as potentials added to all."""

    weights: np.ndarray
    node: np.ndarray


class Problem:
    r"""A training set under a surrogate.

    .. math:: \frac{l_2}{2} \lVert \theta \rVert^2
        + \frac{1}{\sum_s \omega_s} \sum_s \omega_s f_s(\theta)

    Parameters
    ----------
    surrogate : Surrogate
        f.
    structure : Chain, Tree or Junction
        The graphs.
    linear : LinearGraph
        Their potentials by weights.
    game : Game
        Costs of nodes.
    labels : ndarray of shape (N,)
        True labels.
    edges : ndarray of shape (M, 2)
        Nodes that edges join.
    sample_weight : ndarray of shape (n,)
        :math:`\omega`.
    l2 : float
        Strength of the penalty.
    n_jobs : int, default=None
        Threads.
    """

    def __init__(
        self,
        surrogate,
        structure,
        linear,
        game,
        labels,
        edges,
        sample_weight,
        l2,
        n_jobs=None,
    ):
        self.surrogate, self.structure, self.linear = surrogate, structure, linear
        self.game, self.l2, self.n_jobs = game, l2, n_jobs
        self.sample_weight, self.n_samples = sample_weight, sample_weight.sum()
        sizes = np.diff(structure.offsets)
        self.mean_size = self._mean(sizes)
        self.largest_costs = game.cost.max(axis=(1, 2))[game.index] * game.weight
        most = np.repeat(sample_weight, sizes) @ self.largest_costs / self.n_samples
        self.least = max(_LEAST * float(most), 1e-12)
        self.observed = self._observed(labels, edges)
        self.predictor = surrogate.predictor(labels, linear.n_states)
        self._settler = Settler(structure.offsets)
        self._edges = edges

    @property
    def scale(self):
        """One over the root of about the curvature of each weight."""
        node_weight = np.repeat(self.sample_weight, np.diff(self.structure.offsets))
        edge_weight = node_weight[self._edges[:, 0]]
        curvature = self.linear.curvature(node_weight, edge_weight) / self.n_samples
        return 1.0 / np.sqrt(self.l2 + curvature)

    def _observed(self, labels, edges):
        """Mean features of the true labels."""
        K, weight = self.linear.n_states, self.sample_weight
        node_weight = np.repeat(weight, np.diff(self.structure.offsets))
        node = np.zeros((len(labels), K))
        node[np.arange(len(labels)), labels] = node_weight
        before, after = labels[edges].T
        edge_weight = node_weight[edges[:, 0]]
        if self.linear.edge_features is None:
            edge = np.zeros((K, K))
            np.add.at(edge, (before, after), edge_weight)
        else:
            edge = np.zeros((len(edges), K, K))
            edge[np.arange(len(edges)), before, after] = edge_weight
        return self.linear.gradient(node, edge) / self.n_samples

    def smoothed(
        self,
        weights,
        predictor,
        temperature,
        centre=None,
        *,
        n_sweeps=2,
        enough=np.inf,
        max_rounds=1,
    ):
        r"""The objective at a temperature, near a centre; the predictor is moved.

        Parameters
        ----------
        weights : ndarray of shape (n_weights,)
            :math:`\theta`.
        predictor : ndarray of shape (N, K) or None
            Where it starts; changed in place.
        temperature : float
            Factor of the entropy.
        centre : Centre or None, default=None
            None: the uniform distribution.
        n_sweeps : int, default=2
            How often the predictor is moved in a round.
        enough : float, default=inf
            No more rounds where the gap is no larger.
        max_rounds : int, default=1
            Bound on the rounds, between which the predictor is extrapolated.

        Returns
        -------
        Evaluation
        """
        scaled = weights / temperature
        if centre is not None:
            scaled += centre.weights
        node, edge = self.linear.potentials(scaled, n_jobs=self.n_jobs)
        if centre is not None:
            node += centre.node
        game = self.game._replace(weight=self.game.weight / temperature)

        def sweep():
            return self.surrogate.sweep(
                self.structure,
                Potentials(node, edge),
                game,
                predictor,
                n_sweeps=n_sweeps,
                weight=self.sample_weight,
                n_jobs=self.n_jobs,
            )

        if predictor is None:
            found, n_rounds = sweep(), 1
        else:
            found, n_rounds = self._settler.settle(
                sweep,
                predictor,
                lambda found: temperature * self._mean(found.gap) <= enough,
                max_rounds,
            )
        counts = self.linear.gradient(found.node, found.edge, n_jobs=self.n_jobs)
        slope = counts  # in place: there may be millions of weights
        slope /= self.n_samples
        slope -= self.observed
        value = (
            temperature * self._mean(found.log_partition)
            - self.observed @ weights
            + self.l2 / 2 * (weights @ weights)
        )
        risk = gap = 0.0
        if predictor is not None:
            risk = temperature * self._mean(found.risk)
            gap = temperature * self._mean(found.gap)
        gradient = self.l2 * weights
        gradient += slope
        return Evaluation(value, gradient, risk, slope, gap, n_rounds)

    def _mean(self, terms):
        return float(self.sample_weight @ terms / self.n_samples)

    def upper(self, weights, predictor):
        """The objective at temperature zero against a given predictor."""
        node, edge = self.linear.potentials(weights, n_jobs=self.n_jobs)
        node += augmentation(self.game, predictor)
        _, score = self.structure.argmax(Potentials(node, edge))
        return (
            self._mean(score)
            - float(self.observed @ weights)
            + self.l2 / 2 * float(weights @ weights)
        )

    def centre(self, centre, weights, predictor, temperature):
        """The adversary that answers weights and predictor near a centre."""
        node = augmentation(self.game, predictor) / temperature
        weights = weights / temperature
        if centre is not None:
            node += centre.node
            weights += centre.weights
        # Constants of a node change nothing; without them numbers stay small.
        node -= node.max(axis=1, keepdims=True)
        return Centre(weights, node)

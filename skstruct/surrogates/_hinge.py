"""The margin-rescaled hinge, of structured support vector machines."""

import numpy as np

from skstruct.kernels._node_game import GENERAL, augmentation
from skstruct.surrogates._base import Surrogate

__all__ = ["Hinge"]


class Hinge(Surrogate):
    r"""Margin-rescaled hinge: the game against a predictor who knows the truth.

    .. math:: f(\theta) = \max_{y'} \Big[ \text{score}_\theta(y') + \sum_i w_i
        \text{cost}(y_i, y'_i) \Big] - \text{score}_\theta(y)

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, Tree
    >>> from skstruct.surrogates import Game, Hinge
    >>> tree = Tree([0, 2], [[0, 1]], [0, 1])
    >>> p = Potentials(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))
    >>> game = Game.of(1 - np.eye(2), n_nodes=2)
    >>> Hinge().values(tree, p, game, np.array([0, 0])).round(2)
    array([1.])
    """

    def game(self, game):
        """The predictor plays the true label, and the adversary the prediction."""
        cost = np.ascontiguousarray(game.cost.transpose(0, 2, 1))
        kind = game.kind if np.array_equal(cost, game.cost) else GENERAL
        return game._replace(kind=kind, cost=cost)

    def predictor(self, labels, n_states):
        """The true labels, which is what margins are measured from."""
        out = np.zeros((len(labels), n_states))
        out[np.arange(len(labels)), labels] = 1.0
        return out

    def sweep(
        self,
        structure,
        potentials,
        game,
        predictor,
        *,
        n_sweeps=1,
        weight=None,
        n_jobs=None,
    ):
        """Loss-augmented expected counts; see `Surrogate.sweep`."""
        found = structure.game_sweep(
            potentials,
            game,
            predictor,
            n_sweeps=0,
            weight=weight,
            n_jobs=n_jobs,
        )
        cost = found.risk + found.gap
        return found._replace(risk=cost, gap=np.zeros_like(cost))

    def values(self, structure, potentials, game, labels, *, tol=1e-3, n_jobs=None):
        """Loss-augmented maximum less the score of the true labels, exactly."""
        truth = self.predictor(labels, potentials.node.shape[1])
        costs = augmentation(game, truth)
        score = structure.score(labels, potentials)
        augmented = potentials._replace(node=potentials.node + costs)
        return structure.argmax(augmented)[1] - score

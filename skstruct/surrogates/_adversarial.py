"""The adversarial surrogate, of adversarial graphical models."""

import numpy as np

from skstruct.surrogates._base import Surrogate
from skstruct.surrogates._equilibrium import solve_game

__all__ = ["Adversarial"]


class Adversarial(Surrogate):
    r"""The value of a game of a predictor p and an adversary Q.

    .. math:: f(\theta) = \min_p \max_Q \Big[ \langle Q, \text{score}_\theta \rangle
        + \sum_i w_i \, p_i^\top L \, r_i \Big] - \text{score}_\theta(y)

    The predictor has a distribution of labels at every node.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, Tree
    >>> from skstruct.surrogates import Adversarial, Game
    >>> tree = Tree([0, 2], [[0, 1]], [0, 1])
    >>> p = Potentials(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))
    >>> game = Game.of(1 - np.eye(2), n_nodes=2)
    >>> Adversarial().values(tree, p, game, np.array([0, 0])).round(2)
    array([0.5])
    """

    def predictor(self, labels, n_states):
        """All labels alike."""
        return np.full((len(labels), n_states), 1.0 / n_states)

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
        """Expected counts of the adversary; see `Surrogate.sweep`."""
        return structure.game_sweep(
            potentials,
            game,
            predictor,
            n_sweeps=n_sweeps,
            weight=weight,
            n_jobs=n_jobs,
        )

    def values(self, structure, potentials, game, labels, *, tol=1e-3, n_jobs=None):
        """The value of the game less the score of the true labels, within tol."""
        found = solve_game(structure, potentials, game, tol=tol, n_jobs=n_jobs)
        return found.upper - structure.score(labels, potentials)

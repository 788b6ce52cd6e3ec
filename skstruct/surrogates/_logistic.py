"""The logistic surrogate, of conditional random fields."""

from skstruct.surrogates._base import Surrogate

__all__ = ["Logistic"]


class Logistic(Surrogate):
    r"""Negative log-likelihood.

    .. math:: f(\theta) = \log \sum_{y'} \exp \text{score}_\theta(y')
        - \text{score}_\theta(y)

    Costs do not enter: they are heeded when decisions are made.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, Tree
    >>> from skstruct.surrogates import Game, Logistic
    >>> tree = Tree([0, 2], [[0, 1]], [0, 1])
    >>> p = Potentials(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))
    >>> game = Game.of(1 - np.eye(2), n_nodes=2)
    >>> Logistic().values(tree, p, game, np.array([0, 0])).round(2)
    array([0.63])
    """

    def predictor(self, labels, n_states):
        """None: no cost is played for."""

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
        """Expected counts under p(y | x), a Posterior; see `Surrogate.sweep`."""
        return structure.posterior(potentials, weight=weight, n_jobs=n_jobs)

    def values(self, structure, potentials, game, labels, *, tol=1e-3, n_jobs=None):
        """-log p(y | x) of each sample, exactly."""
        log_partition = structure.log_partition(potentials, n_jobs=n_jobs)
        return log_partition - structure.score(labels, potentials)

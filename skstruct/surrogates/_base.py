"""What a surrogate is to the solvers: a game on the structure of every sample."""

from abc import ABC, abstractmethod

__all__ = ["Surrogate"]


class Surrogate(ABC):
    r"""A convex bound on the loss of a sample, as a function of its potentials.

    All are of one form,

    .. math:: f(\theta) = \min_{p \in P} \max_Q \Big[ \langle Q,
        \text{score}_\theta \rangle + \sum_i w_i \, p_i^\top L \, r_i
        + \varepsilon H(Q) \Big] - \text{score}_\theta(y)

    with r the marginals of a distribution Q of labelings. They differ in what the
    predictor p may be, and in the temperature :math:`\varepsilon`.

    Examples
    --------
    >>> from skstruct.surrogates import Adversarial, Hinge, Logistic
    >>> Adversarial().predictor([0, 1], 2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    >>> Hinge().predictor([0, 1], 2)
    array([[1., 0.],
           [0., 1.]])
    >>> Logistic().predictor([0, 1], 2)
    """

    def game(self, game):
        """The game that is played, by the costs of predicting and of being true."""
        return game

    @abstractmethod
    def predictor(self, labels, n_states):
        """Where the predictor starts, (N, K); None if no cost is played for."""

    @abstractmethod
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
        """Answer the predictor, at temperature one, and move it where it is free.

        Parameters
        ----------
        structure : Chain, Tree or Junction
            A batch of graphs.
        potentials : Potentials
            Log-potentials, divided by the temperature.
        game : Game
            As `game` gives it, with the weights of nodes divided by the temperature.
        predictor : ndarray of shape (N, K)
            Moved in place.
        n_sweeps : int, default=1
            How often a free predictor is moved.
        weight : ndarray of shape (n,), default=None
            Factors for the counts of samples.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        Sweep
            ``log_partition`` is f but for the score of y, ``risk`` the least cost that
            P admits against the answer, ``gap`` what the predictor costs above that.
        """

    @abstractmethod
    def values(self, structure, potentials, game, labels, *, tol=1e-3, n_jobs=None):
        """The surrogate of each sample.

        Parameters
        ----------
        structure : Chain, Tree or Junction
            A batch of graphs.
        potentials : Potentials
            Log-potentials.
        game : Game
            As `game` gives it.
        labels : ndarray of shape (N,)
            True labels.
        tol : float, default=1e-3
            How much too large a value may be where it is found by iteration, as a
            share of the largest cost of the sample.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ndarray of shape (n,)
        """

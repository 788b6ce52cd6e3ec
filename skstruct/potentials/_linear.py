"""Potentials that are linear in the features of a token."""

import numpy as np

from skstruct.potentials._features import AllPairs

__all__ = ["LinearChain"]


class LinearChain:
    r"""Log-potentials of a chain, linear in weights.

    .. math:: n_{tk} = x_t \cdot w_k, \qquad e_{jk} = a_{jk}, \qquad s_k = b_k

    with features :math:`x_t` of each token, weights w, a and b.

    Parameters
    ----------
    features : ndarray or csr_array of shape (T, F)
        Features of all tokens.
    n_states : int
        Number of states K.

    Notes
    -----
    Solvers see the weights as one vector: w (F, K), a (K, K) and b (K,), in this
    order.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.potentials import LinearChain
    >>> linear = LinearChain(np.array([[1.0], [2.0]]), n_states=2)
    >>> weights = linear.join([[0.5, -0.5]], np.eye(2), [0.0, 1.0])
    >>> node, edge, start = linear.potentials(weights)
    >>> node
    array([[ 0.5, -0.5],
           [ 1. , -1. ]])
    >>> linear.gradient(np.eye(2), edge, start)[:2]
    array([1., 2.])
    """

    def __init__(self, features, n_states):
        self._products = AllPairs(features, n_states)
        self.features = self._products.values
        self.n_states = n_states

    @property
    def n_weights(self):
        """Length of the vector of weights."""
        return self.n_states * (self.features.shape[1] + self.n_states + 1)

    def split(self, weights):
        """The parts of a vector of weights, as views.

        Parameters
        ----------
        weights : ndarray of shape (n_weights,)
            One vector.

        Returns
        -------
        tuple of ndarrays of shapes (F, K), (K, K), (K,)
            Of features, transitions and first states.
        """
        K, F = self.n_states, self.features.shape[1]
        coef, transition, start = np.split(weights, [F * K, F * K + K * K])
        return coef.reshape(F, K), transition.reshape(K, K), start

    def join(self, coef, transition, start):
        """The vector of weights, or of its gradient, with these parts."""
        return np.concatenate([np.ravel(coef), np.ravel(transition), start])

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
        tuple of ndarrays of shapes (T, K), (K, K), (K,)
            Of tokens, transitions and first states.
        """
        coef, transition, start = self.split(weights)
        node = self._products.scores(coef, np.zeros(self.n_states), n_jobs)
        return node, transition, start

    def gradient(self, node, edge, start, *, n_jobs=None):
        """Gradient of sum(counts * potentials) with respect to the weights.

        Parameters
        ----------
        node : ndarray of shape (T, K)
            (Differences of) expected counts of states.
        edge : ndarray of shape (K, K)
            Of transitions.
        start : ndarray of shape (K,)
            Of first states.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ndarray of shape (n_weights,)
        """
        out = np.empty(self.n_weights)
        coef, transition, first = self.split(out)
        self._products.gradient(node, coef, n_jobs)
        transition[:], first[:] = edge, start
        return out

"""AdaGrad."""

import numpy as np

__all__ = ["AdaGrad"]


class AdaGrad:
    r"""Steps against stochastic gradients, each coordinate at a rate of its own.

    .. math:: x_i \leftarrow x_i - \eta \, g_i \Big/ \sqrt{\textstyle\sum g_i^2}

    with the sum over all gradients so far, this one included, which
    stays between calls (Duchi, Hazan and Singer, 2011).

    Parameters
    ----------
    learning_rate : float, default=0.1
        :math:`\eta`.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.solvers import AdaGrad
    >>> solver, x = AdaGrad(learning_rate=1.0), np.zeros(2)
    >>> for _ in range(300):
    ...     x = solver.step(x, 2 * (x - np.array([3.0, -1.0])))
    >>> x.round(3)
    array([ 3., -1.])
    """

    def __init__(self, learning_rate=0.1):
        self.learning_rate = learning_rate
        self._scale = 0.0

    def step(self, x, gradient):
        """One step from ``x``.

        Parameters
        ----------
        x : ndarray of shape (n,)
            Where to start.
        gradient : ndarray of shape (n,)
            A gradient there, of the whole or a sample.

        Returns
        -------
        ndarray of shape (n,)
            The new point, a new array.
        """
        scale = self._scale = np.hypot(self._scale, gradient)  # squares may overflow
        move = np.divide(gradient, scale, out=np.zeros_like(gradient), where=scale > 0)
        return x - self.learning_rate * move

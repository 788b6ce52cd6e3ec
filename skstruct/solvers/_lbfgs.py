"""Limited-memory BFGS, one step at a time."""

from collections import deque

import numpy as np
from scipy.linalg.blas import daxpy, ddot

__all__ = ["LBFGS"]

_SUFFICIENT = 1e-4
_MAX_HALVINGS = 20
_TINY = 1e-200


class LBFGS:
    r"""Minimise a function whose other variables move between steps.

    A step solves :math:`\min_x f_\theta(x)` roughly: along
    :math:`d = -H \nabla f_\theta(x)`, with :math:`H` made of the last pairs of moves
    and changes of the gradient, back from the full length until Armijo's condition
    holds. Pairs stay when :math:`\theta` changes between two calls; the gradients of
    one pair are always taken at one :math:`\theta`.

    Parameters
    ----------
    memory : int, default=10
        Number of pairs kept.

    Notes
    -----
    ``scipy.optimize`` has the method, but forgets the curvature at every call.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.solvers import LBFGS
    >>> def evaluate(x):
    ...     return (x - 3) @ (x - 3), 2 * (x - 3)
    >>> solver, x = LBFGS(), np.zeros(2)
    >>> state = evaluate(x)
    >>> for _ in range(4):
    ...     x, state, _ = solver.step(evaluate, x, state)
    >>> x.round(6)
    array([3., 3.])
    """

    def __init__(self, memory=10):
        self._pairs = deque(maxlen=memory)

    def step(self, evaluate, x, state):
        """One step from ``x``.

        Parameters
        ----------
        evaluate : callable
            ``evaluate(x)`` returns a tuple that begins with value and gradient.
        x : ndarray of shape (n,)
            Where to start.
        state : tuple
            What ``evaluate`` returns there.

        Returns
        -------
        x : ndarray of shape (n,)
            The new point, a new array.
        state : tuple
            What ``evaluate`` returned at it.
        moved : bool
            Whether there was a better point along the direction. If not, the pairs
            are forgotten, and the point is the old one.
        """
        value, gradient = state[:2]
        direction = self._direction(gradient)
        slope = direction @ gradient
        if slope >= 0:
            self._pairs.clear()
            direction = self._direction(gradient)
            slope = direction @ gradient
        length = 1.0
        for _ in range(_MAX_HALVINGS):
            if slope == 0:
                break
            reached = x + length * direction
            new = evaluate(reached)
            if new[0] <= value + _SUFFICIENT * length * slope:
                self._remember(length * direction, new[1] - gradient)
                return reached, new, True
            length /= 2
        self._pairs.clear()
        return x, state, False

    def _direction(self, gradient):
        """Two-loop recursion; without pairs, a cautious gradient step."""
        if not self._pairs:
            return -gradient / max(1.0, np.abs(gradient).sum())
        d, factors = -gradient, []
        for move, change, product in reversed(self._pairs):
            factors.append(ddot(move, d) / product)
            daxpy(change, d, a=-factors[-1])  # in place
        move, change, product = self._pairs[-1]
        d *= product / ddot(change, change)
        for move, change, product in self._pairs:
            daxpy(move, d, a=factors.pop() - ddot(change, d) / product)
        return d

    def _remember(self, move, change):
        product = ddot(move, change)
        squares = ddot(move, move), ddot(change, change)
        # Else the curvature is lost in rounding, or below the range of numbers.
        if min(product, *squares) > _TINY and product > 1e-10 * np.sqrt(
            squares[0]
        ) * np.sqrt(squares[1]):
            self._pairs.append((move, change, product))

"""Limited-memory BFGS, one step at a time."""

import numpy as np
from scipy.linalg.blas import ddot

from skstruct.kernels._history import combination, inner_products

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
    scale : ndarray of shape (n,), default=None
        Units of the variables: moves are sought as if x / scale were minimised over.
        Where the curvature is known to differ, one over its root is the best. None:
        all are 1.
    n_jobs : int, default=None
        Threads; results do not depend on their number.

    Notes
    -----
    ``scipy.optimize`` has the method, but forgets the curvature at every call. Here the
    two loops of the method run over inner products alone: with millions of variables
    a step costs what it takes to read all pairs twice.

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

    def __init__(self, memory=10, scale=None, n_jobs=None):
        self._scale = 1.0 if scale is None else scale
        self._pairs = _Pairs(memory, n_jobs)

    def step(self, evaluate, x, state, *, slack=0.0):
        """One step from ``x``.

        Parameters
        ----------
        evaluate : callable
            ``evaluate(x)`` returns a tuple that begins with value and gradient.
        x : ndarray of shape (n,)
            Where to start.
        state : tuple
            What ``evaluate`` returns there.
        slack : float, default=0.0
            How much the value may rise, where it is known no better.

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
        value, gradient = state[0], self._scale * state[1]
        direction = self._pairs.direction(gradient)
        slope = direction @ gradient
        if slope >= 0:
            self._pairs.clear()
            direction = self._pairs.direction(gradient)
            slope = direction @ gradient
        length = 1.0
        for _ in range(_MAX_HALVINGS):
            if slope == 0:
                break
            reached = x + self._scale * direction
            new = evaluate(reached)
            if new[0] <= value + _SUFFICIENT * length * slope + slack:
                self._pairs.append(direction, self._scale * new[1], gradient)
                return reached, new, True
            direction *= 0.5
            length /= 2
        self._pairs.clear()
        return x, state, False


class _Pairs:
    """Moves s and changes y of the gradient, and the inner products among them.

    A pair stays where it was put; the oldest one gives its place to the next.
    """

    def __init__(self, memory, n_jobs):
        self._memory, self._n_jobs = memory, n_jobs
        self._vectors = None
        # Places: from that of the oldest pair to that of the newest, and unused ones.
        self._order, self._free = [], list(reversed(range(memory)))
        # By place: s_i y_j where i is no newer than j, and y_i y_j.
        self._moves, self._changes = np.zeros((2, memory, memory))

    def clear(self):
        """Forget all pairs."""
        self._free += self._order
        self._order = []

    def append(self, move, new, old):
        """Remember a move, and the gradients after and before it."""
        if self._vectors is None:
            self._vectors = np.empty((self._memory, 2, len(move)))
        place = self._free.pop() if self._free else self._order.pop(0)
        s, y = self._vectors[place]
        s[:] = move
        np.subtract(new, old, out=y)
        product, squares = ddot(s, y), (ddot(s, s), ddot(y, y))
        # Else the curvature is lost in rounding, or below the range of numbers.
        told = min(product, *squares) > _TINY and product > 1e-10 * np.sqrt(
            squares[0]
        ) * np.sqrt(squares[1])
        (self._order if told else self._free).append(place)

    def direction(self, gradient):
        """Two-loop recursion; without pairs, a cautious gradient step."""
        if not self._order:
            return -gradient / max(1.0, np.abs(gradient).sum())
        order, newest = np.array(self._order), self._order[-1]
        change = self._vectors[newest, 1]
        found = inner_products(self._vectors, order, gradient, change, self._n_jobs)
        self._moves[order, newest] = found[:, 0, 1]
        self._changes[order, newest] = self._changes[newest, order] = found[:, 1, 1]
        among = np.ix_(order, order)
        factors, scale = _two_loops(
            found[:, :, 0], self._moves[among], self._changes[among]
        )
        return combination(
            self._vectors, order, factors, gradient, -scale, self._n_jobs
        )


def _two_loops(slopes, moves, changes):
    """Factors (n, 2) of s and y in the direction, and minus that of the gradient.

    Parameters
    ----------
    slopes : ndarray of shape (n, 2)
        Inner products of s and y with the gradient, from the oldest pair to the newest.
    moves, changes : ndarrays of shape (n, n)
        Inner products of s (up to the diagonal) and y with y.
    """
    n, curvature = len(slopes), moves.diagonal()
    scale = curvature[-1] / changes[-1, -1]
    first, second = np.zeros(n), np.zeros(n)
    for i in reversed(range(n)):
        first[i] = -(slopes[i, 0] + moves[i] @ first) / curvature[i]
    along = -scale * (slopes[:, 1] + changes @ first)
    for i in range(n):
        second[i] = first[i] - (along[i] + second @ moves[:, i]) / curvature[i]
    return np.column_stack([second, -scale * first]), scale

"""Cutting planes of a regularised convex function: a lower bound without its parts."""

import numpy as np

__all__ = ["Cuts"]

# Share of the largest weight below which a vertex is left, so that steps stay away
# from rounding.
_TINY = 1e-14


class Cuts:
    r"""Lower bound on a penalised minimum.

    .. math:: \min_\theta \frac{l_2}{2} \lVert \theta \rVert^2 + f(\theta)

    With cuts :math:`f(\theta) \ge r_j + d_j \cdot \theta` it is

    .. math:: \max_{\alpha \in \Delta} \; \alpha \cdot r
        - \frac{1}{2 l_2} \Big\lVert \sum_j \alpha_j d_j \Big\rVert^2

    by pairwise Frank-Wolfe steps. Every :math:`\alpha` gives a valid bound.

    Parameters
    ----------
    l2 : float
        Strength of the penalty.
    size : int
        Cuts kept; the one of least weight is dropped, the oldest of equal ones.

    Examples
    --------
    Both cuts of the distance of x from 1; with the penalty its minimum is 1/2, at 1:

    >>> import numpy as np
    >>> from skstruct.optim import Cuts
    >>> cuts = Cuts(l2=1.0, size=10)
    >>> cuts.add(1.0, np.array([-1.0]))
    0.5
    >>> cuts.add(-1.0, np.array([1.0]))
    -1.5
    >>> round(cuts.bound(), 6)
    0.5
    """

    def __init__(self, l2, size):
        self._l2, self._size = l2, size
        self._slopes = []
        self._offsets = np.zeros(0)
        self._gram = np.zeros((0, 0))
        self._alpha = np.zeros(0)

    def add(self, offset, slope):
        """Add a cut; return the bound that it gives alone.

        Parameters
        ----------
        offset : float
            Its value at zero.
        slope : ndarray of shape (n_weights,)
            Its gradient; it is kept, not copied.

        Returns
        -------
        float
        """
        if len(self._slopes) == self._size:
            self._drop(int(self._alpha.argmin()))
        self._slopes.append(slope)
        row = np.array([slope @ other for other in self._slopes])
        n = len(row)
        gram = np.empty((n, n))
        gram[:-1, :-1] = self._gram
        gram[-1] = gram[:, -1] = row
        self._gram = gram
        self._offsets = np.append(self._offsets, offset)
        self._alpha = np.append(self._alpha, 0.0 if n > 1 else 1.0)
        return float(offset - row[-1] / (2 * self._l2))

    def _drop(self, j):
        self._slopes.pop(j)
        self._gram = np.delete(np.delete(self._gram, j, axis=0), j, axis=1)
        self._offsets = np.delete(self._offsets, j)
        self._alpha = np.delete(self._alpha, j)
        total = self._alpha.sum()
        if total > 0:
            self._alpha /= total
        else:
            self._alpha[-1] = 1.0

    def bound(self, n_steps=100):
        """The lower bound, improved by some steps.

        Parameters
        ----------
        n_steps : int, default=100
            How many.

        Returns
        -------
        float
        """
        alpha, gram, l2 = self._alpha, self._gram, self._l2
        product = gram @ alpha
        for _ in range(n_steps):
            gradient = self._offsets - product / l2
            up = int(gradient.argmax())
            down = int(np.where(alpha > 0, gradient, np.inf).argmin())
            slope = gradient[up] - gradient[down]
            if slope <= _TINY * np.abs(gradient).max():
                break
            curvature = (gram[up, up] - 2 * gram[up, down] + gram[down, down]) / l2
            step = alpha[down]
            if curvature > 0:
                step = min(step, slope / curvature)
            alpha[up] += step
            alpha[down] = 0.0 if step == alpha[down] else alpha[down] - step
            product += step * (gram[up] - gram[down])
        product = gram @ alpha
        return float(alpha @ self._offsets - alpha @ product / (2 * l2))

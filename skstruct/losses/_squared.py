"""Mistakes that cost their squared distance."""

import numpy as np

from skstruct.kernels._node_game import SQUARED
from skstruct.losses._ordinal import Ordinal

__all__ = ["Squared"]


class Squared(Ordinal):
    """Cost (true - predicted)²: decisions are the labels nearest to the mean.

    Numbers are read as they are: 10 and 12 are two apart. Labels that are not numbers
    are one apart, in the order of ``classes`` of the estimator.

    Parameters
    ----------
    weight : {None, "position"}, default=None
        How much the nodes of a sequence count, as in `Loss`.

    Attributes
    ----------
    kind : int
        How the games of predictor and adversary are solved.

    Examples
    --------
    >>> from skstruct.losses import Squared
    >>> Squared().cost([0, 1, 3])
    array([[0., 1., 9.],
           [1., 0., 4.],
           [9., 4., 0.]])
    """

    kind = SQUARED

    def cost(self, classes):
        """Squared distances of the labels.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            ``cost[true, predicted]``.
        """
        values = self.values(classes)
        return np.subtract.outer(values, values) ** 2

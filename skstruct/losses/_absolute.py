"""Mistakes that cost their distance."""

import numpy as np

from skstruct.kernels._node_game import ABSOLUTE
from skstruct.losses._ordinal import Ordinal

__all__ = ["Absolute"]


class Absolute(Ordinal):
    """Cost ``|true - predicted|``: decisions are medians of what may be true.

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
    >>> from skstruct.losses import Absolute
    >>> Absolute().cost(["low", "middle", "high"])
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    >>> Absolute().cost([10, 12])
    array([[0., 2.],
           [2., 0.]])
    """

    kind = ABSOLUTE

    def cost(self, classes):
        """Distances of the labels.

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
        return np.abs(np.subtract.outer(values, values))

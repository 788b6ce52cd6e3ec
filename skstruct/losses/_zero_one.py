"""Mistakes that cost alike."""

import numpy as np

from skstruct.kernels._node_game import ZERO_ONE
from skstruct.losses._base import Loss

__all__ = ["ZeroOne"]


class ZeroOne(Loss):
    """Each wrong label costs 1: the number of mistakes, also called Hamming loss.

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
    >>> from skstruct.losses import ZeroOne
    >>> ZeroOne().cost(["noun", "verb"])
    array([[0., 1.],
           [1., 0.]])
    """

    kind = ZERO_ONE

    def cost(self, classes):
        """1 off the diagonal.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            ``cost[true, predicted]``.
        """
        return 1.0 - np.eye(len(classes))

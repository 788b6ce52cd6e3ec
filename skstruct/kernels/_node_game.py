"""The game of predictor and adversary at one node, inside message passing."""

from typing import NamedTuple

import numpy as np

__all__ = ["ABSOLUTE", "GENERAL", "SQUARED", "ZERO_ONE", "Game"]

ZERO_ONE, ABSOLUTE, SQUARED, GENERAL = range(4)


class Game(NamedTuple):
    """What predictor and adversary play for at every node.

    Attributes
    ----------
    kind : int
        ZERO_ONE, ABSOLUTE, SQUARED or GENERAL: how nodes are solved.
    cost : ndarray of shape (C, K, K)
        Tables of ``cost[predicted, adversary]``.
    index : ndarray of shape (N,)
        Table of each node.
    weight : ndarray of shape (N,)
        Factor for the costs of each node, not negative.
    values : ndarray of shape (K,)
        Rising positions of the labels on a line, for ABSOLUTE and SQUARED.
    """

    kind: int
    cost: np.ndarray
    index: np.ndarray
    weight: np.ndarray
    values: np.ndarray

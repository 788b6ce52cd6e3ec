"""Fitting loops: they know objectives and steps, no estimators."""

from skstruct.optim._annealing import anneal, geometric_schedule
from skstruct.optim._block import block_coordinate_descent
from skstruct.optim._cuts import Cuts
from skstruct.optim._descent import descend
from skstruct.optim._em import expectation_maximization
from skstruct.optim._loop import best_of
from skstruct.optim._projection import Projection, project_posterior
from skstruct.optim._proximal import Certificate, minimize_game
from skstruct.optim._subgradient import subgradient_descent

__all__ = [
    "Certificate",
    "Cuts",
    "Projection",
    "anneal",
    "best_of",
    "block_coordinate_descent",
    "descend",
    "expectation_maximization",
    "geometric_schedule",
    "minimize_game",
    "project_posterior",
    "subgradient_descent",
]

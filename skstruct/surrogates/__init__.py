"""What supervised graphical models minimise: convex bounds on the loss."""

from skstruct.kernels._node_game import Game
from skstruct.surrogates._adversarial import Adversarial
from skstruct.surrogates._base import Surrogate
from skstruct.surrogates._dual_decomposition import Adversary, subgradient_oracle
from skstruct.surrogates._equilibrium import (
    Equilibrium,
    smoothed_predictor,
    solve_game,
)
from skstruct.surrogates._hinge import Hinge
from skstruct.surrogates._logistic import Logistic
from skstruct.surrogates._settle import Settler

__all__ = [
    "Adversarial",
    "Adversary",
    "Equilibrium",
    "Game",
    "Hinge",
    "Logistic",
    "Settler",
    "Surrogate",
    "smoothed_predictor",
    "solve_game",
    "subgradient_oracle",
]

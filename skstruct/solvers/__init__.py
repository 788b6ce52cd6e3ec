"""Solvers: optimisers on arrays and callables that keep their state between calls."""

from skstruct.solvers._adagrad import AdaGrad
from skstruct.solvers._lbfgs import LBFGS
from skstruct.solvers._smooth import Minimum, minimize_smooth

__all__ = ["LBFGS", "AdaGrad", "Minimum", "minimize_smooth"]

"""Emissions: distributions of an observation given its state."""

from skstruct.emissions._base import Emission, Observations
from skstruct.emissions._categorical import Categorical
from skstruct.emissions._gaussian import Gaussian
from skstruct.emissions._loglinear import LogLinear
from skstruct.emissions._poisson import Poisson
from skstruct.emissions._product import Product
from skstruct.emissions._view import View

EMISSIONS = {
    "categorical": Categorical,
    "gaussian": Gaussian,
    "loglinear": LogLinear,
    "poisson": Poisson,
    "product": Product,
}

__all__ = [
    "EMISSIONS",
    "Categorical",
    "Emission",
    "Gaussian",
    "LogLinear",
    "Observations",
    "Poisson",
    "Product",
    "View",
]

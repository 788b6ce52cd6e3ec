"""Emissions: distributions of an observation given its state."""

from skstruct.emissions._base import Emission, Observations
from skstruct.emissions._categorical import Categorical

EMISSIONS = {"categorical": Categorical}

__all__ = ["EMISSIONS", "Categorical", "Emission", "Observations"]

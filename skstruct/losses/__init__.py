"""Losses that add over nodes: what each mistake costs, as a table of the labels."""

from skstruct.losses._absolute import Absolute
from skstruct.losses._base import Loss
from skstruct.losses._cost_matrix import CostMatrix
from skstruct.losses._registry import LOSSES, as_loss
from skstruct.losses._squared import Squared
from skstruct.losses._zero_one import ZeroOne

__all__ = ["LOSSES", "Absolute", "CostMatrix", "Loss", "Squared", "ZeroOne", "as_loss"]

"""Graph shapes with exact inference: the same verbs for each of them."""

from skstruct.structures._base import Posterior, Potentials, Sweep, marginals
from skstruct.structures._chain import Chain
from skstruct.structures._independent import IndependentLinks
from skstruct.structures._junction import Junction
from skstruct.structures._lattice import (
    Lattice,
    LatticePosterior,
    LatticePotentials,
)
from skstruct.structures._second_order import SecondOrderChain
from skstruct.structures._tree import Tree

__all__ = [
    "Chain",
    "IndependentLinks",
    "Junction",
    "Lattice",
    "LatticePosterior",
    "LatticePotentials",
    "Posterior",
    "Potentials",
    "SecondOrderChain",
    "Sweep",
    "Tree",
    "marginals",
]

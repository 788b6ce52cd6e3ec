"""Posterior constraints: what latent models shall have in expectation."""

from skstruct.constraints._base import Constraint
from skstruct.constraints._bijectivity import Bijectivity
from skstruct.constraints._cells import Cells
from skstruct.constraints._constraints import Constraints
from skstruct.constraints._symmetry import Symmetry

CONSTRAINTS = {
    "bijectivity": Bijectivity,
    "symmetry": Symmetry,
}

__all__ = [
    "CONSTRAINTS",
    "Bijectivity",
    "Cells",
    "Constraint",
    "Constraints",
    "Symmetry",
]

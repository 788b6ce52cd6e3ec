"""Posterior constraints: what latent models shall have in expectation."""

from skstruct.constraints._base import Constraint
from skstruct.constraints._bijectivity import Bijectivity
from skstruct.constraints._cells import Cells
from skstruct.constraints._constraints import Constraints
from skstruct.constraints._rows import Rows
from skstruct.constraints._sparsity import Sparsity
from skstruct.constraints._symmetry import Symmetry

CONSTRAINTS = {
    "bijectivity": Bijectivity,
    "sparsity": Sparsity,
    "symmetry": Symmetry,
}

__all__ = [
    "CONSTRAINTS",
    "Bijectivity",
    "Cells",
    "Constraint",
    "Constraints",
    "Rows",
    "Sparsity",
    "Symmetry",
]

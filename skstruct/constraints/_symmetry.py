"""Two models expect the same links."""

from typing import ClassVar

from skstruct.constraints._base import Constraint
from skstruct.constraints._cells import Cells
from skstruct.constraints._rows import Rows

__all__ = ["Symmetry"]


class Symmetry(Constraint):
    r"""Two models expect every link with the same probability.

    .. math:: \mathrm{E}_{q_1}[\text{link } c] = \mathrm{E}_{q_2}[\text{link } c]

    for each cell c, with a free multiplier :math:`\lambda_c` that is taken off the
    log-potential of the link in the first model and added in the second.

    References
    ----------
    .. [1] K. Ganchev, J. Graça, J. Gillenwater, B. Taskar, "Posterior regularization
       for structured latent variable models", JMLR 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.constraints import Cells, Symmetry
    >>> symmetry = Symmetry().bind(Cells(np.array([2]), np.array([1])))
    >>> symmetry.violation([np.array([0.9, 0.1]), np.array([0.4, 0.2])]).round(6)
    array([ 0.5, -0.1])
    """

    n_models: ClassVar[int] = 2
    layouts: ClassVar[tuple] = (Cells, Rows)

    def blocks(self):
        """Number of cells of each sample."""
        return [self.layout_.counts]

    def shift(self, dual):
        """Minus and plus the multiplier of each cell."""
        return [-dual, dual]

    def violation(self, expectations):
        """Difference of the expected links of the two models."""
        first, second = expectations
        return first - second

"""No word is linked more than once."""

from typing import ClassVar

import numpy as np

from skstruct.constraints._base import Constraint
from skstruct.constraints._cells import Cells

__all__ = ["Bijectivity"]


class Bijectivity(Constraint):
    r"""No word is linked more than once in expectation.

    In a forward model, where each target word chooses a source word,

    .. math:: \mathrm{E}_q[\text{number of target words linked to } i] \le 1

    for each source word i; in a reverse model the same for each target word. Links to
    no word are free, which keeps the constraint possible. Each model obeys by itself.
    The dual has :math:`\lambda_i \ge 0`; every link of word i loses
    :math:`\lambda_i` of its log-potential.

    It cures rare words of gathering links that nothing else explains.

    References
    ----------
    .. [1] K. Ganchev, J. Graça, J. Gillenwater, B. Taskar, "Posterior regularization
       for structured latent variable models", JMLR 2010.

    Examples
    --------
    Two target words choose the first of two source words.

    >>> import numpy as np
    >>> from skstruct.constraints import Bijectivity, Cells
    >>> cells = Cells(np.array([2]), np.array([2]), directions=("forward",))
    >>> Bijectivity().bind(cells).violation([np.array([0.9, 0.8, 0.1, 0.2])]).round(6)
    array([ 0.7, -0.7])
    """

    n_models: ClassVar[int] = 1
    layouts: ClassVar[tuple] = (Cells,)

    def blocks(self):
        """Numbers of words that may be linked more than once, for each model."""
        cells = self.layout_
        return [cells.shared_words(direction) for direction in cells.directions]

    def shift(self, dual):
        """Every link loses the multiplier of its shared word."""
        cells = self.layout_
        return [
            cells.spread_shared(-words, direction)
            for words, direction in zip(self.split(dual), cells.directions, strict=True)
        ]

    def violation(self, expectations):
        """Expected number of links of each shared word, less 1."""
        cells = self.layout_
        sums = [
            cells.sum_shared(links, direction)
            for links, direction in zip(expectations, cells.directions, strict=True)
        ]
        return np.concatenate(sums, dtype=expectations[0].dtype) - 1

    def project_dual(self, dual):
        """Negative multipliers become 0."""
        return np.maximum(dual, 0)

    def bound_term(self, dual):
        """Sum of the multipliers of each pair: every bound is 1."""
        return self.sum_by_sample(dual)

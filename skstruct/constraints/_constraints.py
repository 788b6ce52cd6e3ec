"""Several constraints at once."""

from itertools import accumulate

import numpy as np
from sklearn.base import clone

from skstruct.constraints._base import Constraint

__all__ = ["Constraints"]


class Constraints(Constraint):
    r"""Several constraints on the same models, which must hold together.

    The multipliers are those of the constraints, one after the other, and the shifts
    add up:

    .. math:: q_m \propto p_m \, e^{-\sum_c \lambda_c \cdot \phi_{cm}}

    Parameters
    ----------
    constraints : list of Constraint
        At least one.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.constraints import Bijectivity, Cells, Constraints, Symmetry
    >>> both = Constraints([Bijectivity(), Symmetry()])
    >>> both.n_models
    2
    >>> both.bind(Cells(np.array([2]), np.array([3]))).start().shape
    (11,)
    """

    def __init__(self, constraints):
        self.constraints = constraints

    @property
    def n_models(self):
        """Number of models that one of them ties to one another."""
        return max(part.n_models for part in self.constraints)

    @property
    def layouts(self):
        """The layouts that all of them speak of."""
        return tuple(set.intersection(*(set(c.layouts) for c in self.constraints)))

    def bind(self, layout):
        """Get each constraint ready for a batch."""
        given = self.constraints
        if not given or not all(isinstance(part, Constraint) for part in given):
            raise ValueError(
                f"constraints must be a list of at least one constraint, got {given!r}."
            )
        bound = clone(self)
        bound.layout_ = layout
        bound.bound_ = [part.bind(layout) for part in given]
        return bound

    def blocks(self):
        """Of all constraints in turn."""
        return [block for part in self.bound_ for block in part.blocks()]

    def _parts(self, dual):
        """Each bound constraint and its multipliers."""
        sizes = [sum(int(b.sum()) for b in part.blocks()) for part in self.bound_]
        return zip(
            self.bound_, np.split(dual, list(accumulate(sizes))[:-1]), strict=True
        )

    def shift(self, dual):
        """The sum of the shifts of all."""
        shifts = [part.shift(multipliers) for part, multipliers in self._parts(dual)]
        return [sum(model) for model in zip(*shifts, strict=True)]

    def violation(self, expectations):
        """Slopes of all in turn."""
        return np.concatenate([part.violation(expectations) for part in self.bound_])

    def project_dual(self, dual):
        """Allowed multipliers of each."""
        return np.concatenate(
            [part.project_dual(own) for part, own in self._parts(dual)]
        )

    def bound_term(self, dual):
        """The sum of the terms of all, (n,)."""
        return sum(part.bound_term(own) for part, own in self._parts(dual))

    def penalty(self, expectations):
        """The sum of what all cost, (n,)."""
        return sum(part.penalty(expectations) for part in self.bound_)

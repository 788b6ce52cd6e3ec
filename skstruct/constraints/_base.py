"""The contract of posterior constraints."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone

__all__ = ["Constraint"]


class Constraint(BaseEstimator, ABC):
    r"""What the posteriors of latent models shall have in expectation.

    The E-step projects the posteriors :math:`p_m` of one or more models:

    .. math:: \min_q \sum_m \mathrm{KL}(q_m \,\|\, p_m)
        \quad \text{s.t.} \quad \mathrm{E}_q[\phi] \le b \ (\text{or} = b).

    With multipliers :math:`\lambda` its dual, concave, is

    .. math:: \max_{\lambda \in \Lambda} \; -b \cdot \lambda
        - \sum_m \log Z_m(\lambda), \qquad
        q_m \propto p_m \, e^{-\lambda \cdot \phi_m},

    where :math:`Z_m(\lambda)` is the partition function of the shifted model m. The
    slope is :math:`\mathrm{E}_q[\phi] - b`, and :math:`\Lambda` holds what multipliers
    may be: all numbers for equalities, no negative ones for inequalities, a smaller set
    where breaking the constraint has a finite price. At the optimum the dual is minus
    the regularised log-likelihood, :math:`\sum_m \log Z_m(0) - \mathrm{KL}` and price.

    A constraint is a description; ``bind`` gives a copy that works for one batch::

        bound = constraint.bind(layout)
        dual = bound.start()
        repeat:                                   # skstruct.optim.project_posterior
            expectations, log_partitions = infer(bound.shift(dual))
            value = bound.dual_value(dual, log_partitions)
            dual = bound.project_dual(dual + step * bound.violation(expectations))

    Samples are independent: multipliers come in blocks, a block in order of samples.

    Attributes
    ----------
    n_models : int
        Number of models that it ties to one another; 1 if it concerns each by itself.
        Set by the class.
    layouts : tuple of classes
        The layouts that it speaks of. Set by the class.
    layout_ : Cells or other layout
        Of a bound constraint: where the batch has what constraints speak of. A layout
        has ``directions``, a name for each model, and ``counts`` (n,), the number of
        cells of each sample.

    Notes
    -----
    Where the rows of a layout are independent, a constraint may have besides

    ``project_rows(p, multiplicity)``
        The projection itself, exact, of posteriors of shape (n_rows, K) that occur
        ``multiplicity`` (n_rows,) times; it leaves what the problem of each sample has
        come to, divergence and price, as ``values_`` (n,).

    Callers that have such rows prefer it to steps on the dual.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.constraints import Bijectivity, Cells
    >>> bound = Bijectivity().bind(Cells(np.array([1]), np.array([2]), ("forward",)))
    >>> bound.violation([np.array([0.9, 0.8])]).round(2)  # used 1.7 times
    array([0.7])
    >>> bound.shift(np.array([0.5]))
    [array([-0.5, -0.5])]
    """

    n_models: ClassVar[int] = 1
    layouts: ClassVar[tuple] = ()

    def bind(self, layout):
        """Get ready for a batch.

        Parameters
        ----------
        layout : Cells or other layout
            Where the batch has what the constraint speaks of.

        Returns
        -------
        Constraint
            A copy with ``layout_``.

        Raises
        ------
        ValueError
            If the layout is of another kind, or has fewer models than the constraint
            ties.
        """
        if not isinstance(layout, tuple(self.layouts)):
            raise ValueError(
                f"{type(self).__name__} is no constraint on {type(layout).__name__}."
            )
        if len(layout.directions) < self.n_models:
            raise ValueError(
                f"{type(self).__name__} ties {self.n_models} models, but only "
                f"{', '.join(layout.directions)} is there. Train both directions, or "
                "drop the constraint."
            )
        bound = clone(self)
        bound.layout_ = layout
        return bound

    @abstractmethod
    def blocks(self):
        """Numbers of multipliers of each sample, an array (n,) for each block."""

    @abstractmethod
    def shift(self, dual):
        """Additions ``-dual @ phi`` to log-potentials.

        Parameters
        ----------
        dual : ndarray of shape (n_multipliers,)
            Multipliers; not changed.

        Returns
        -------
        list of ndarray of shape (n_cells,)
            For each model, of the dual's dtype; to be read, not written.
        """

    @abstractmethod
    def violation(self, expectations):
        """Slope of the dual, ``E_q[phi] - b``.

        Parameters
        ----------
        expectations : list of ndarray of shape (n_cells,)
            Posterior of each cell under the shifted models.

        Returns
        -------
        ndarray of shape (n_multipliers,)
        """

    def project_dual(self, dual):
        """The nearest multipliers that are allowed; all are, for equalities."""
        return dual

    def bound_term(self, dual):
        """The term ``b @ dual`` of each sample, (n,)."""
        return np.zeros(len(self.blocks()[0]))

    def dual_value(self, dual, log_partitions):
        """The dual of each sample.

        Parameters
        ----------
        dual : ndarray of shape (n_multipliers,)
            Multipliers.
        log_partitions : list of ndarray of shape (n,)
            Of each model, shifted by ``shift(dual)``.

        Returns
        -------
        ndarray of shape (n,)
        """
        return -self.bound_term(dual) - sum(log_partitions)

    def penalty(self, expectations):
        """What posteriors of each sample cost besides the divergence.

        Parameters
        ----------
        expectations : list of ndarray of shape (n_cells,)
            Posterior of each cell under each model.

        Returns
        -------
        ndarray of shape (n,)
            Where a constraint must hold, whatever it costs: the sum of the amounts by
            which it is broken, 0 if it holds.
        """
        return self.sum_by_sample(
            np.abs(self.project_dual(self.violation(expectations)))
        )

    def start(self):
        """Multipliers that shift nothing, float32."""
        return np.zeros(sum(int(block.sum()) for block in self.blocks()), np.float32)

    def spread(self, values):
        """Give each multiplier the value (n,) of its sample."""
        return np.concatenate([np.repeat(values, block) for block in self.blocks()])

    def split(self, dual):
        """The blocks of multipliers, as views."""
        ends = np.cumsum([block.sum() for block in self.blocks()])
        return np.split(dual, ends[:-1])

    def sum_by_sample(self, dual):
        """Sum values of multipliers over those of each sample, (n,)."""
        blocks = self.blocks()
        out = np.zeros(len(blocks[0]))
        for values, block in zip(self.split(dual), blocks, strict=True):
            filled = block > 0
            first = (np.cumsum(block) - block)[filled]
            out[filled] += np.add.reduceat(values, first, dtype=np.float64)
        return out

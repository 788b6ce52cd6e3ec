"""Features that are never told apart, as one feature."""

import numpy as np
import scipy.sparse as sp

from skstruct.kernels._columns import number_equal_columns

__all__ = ["DistinctFeatures"]


class DistinctFeatures:
    r"""A smaller problem with the same optimum: equal sparse features become one.

    Where m features have the same column x, a linear model with an :math:`l_2` penalty
    gives them the same weight v. One feature :math:`\sqrt m\, x` with the weight
    :math:`\sqrt m\, v` has the same potentials and the same penalty, so an optimum is
    the same, and so is every step of a solver that starts at zero and moves along
    gradients. Of the features of a text most are seen once, and many of these at the
    same token.

    Parameters
    ----------
    values : ndarray or sparse array of shape (N, F)
        Features of all tokens or nodes. Dense ones are kept as they are.

    Attributes
    ----------
    values : ndarray or csr_array of shape (N, U)
        Distinct features: frequent ones, then others in the order in which they are
        first seen. What one token reads lies close together.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from skstruct.potentials import DistinctFeatures
    >>> x = sp.csr_array([[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
    >>> distinct = DistinctFeatures(x)
    >>> distinct.values.toarray().round(3)
    array([[1.414, 0.   , 0.   ],
           [0.   , 1.   , 0.   ]])
    >>> distinct.expand(np.array([[2.0], [3.0], [0.0]])).round(3)
    array([[3.   ],
           [1.414],
           [0.   ],
           [1.414]])
    """

    def __init__(self, values):
        self.values, self._number = values, None
        if not sp.issparse(values):
            return
        # By way of rows, so that the arrays are new ones, and sorted.
        columns = sp.csc_array(sp.csr_array(values, dtype=float))
        columns.sum_duplicates()
        self._number = number_equal_columns(columns)
        _, chosen, counts = np.unique(
            self._number, return_index=True, return_counts=True
        )
        self._scale = np.sqrt(counts)
        columns = columns[:, chosen]
        columns.data *= np.repeat(self._scale, np.diff(columns.indptr))
        self.values = sp.csr_array(columns)

    def expand(self, coef):
        """Weights of all features from those of the distinct ones.

        Parameters
        ----------
        coef : ndarray of shape (U, K)
            Weights of distinct features.

        Returns
        -------
        ndarray of shape (F, K)
        """
        if self._number is None:
            return coef
        return (coef / self._scale[:, None])[self._number]

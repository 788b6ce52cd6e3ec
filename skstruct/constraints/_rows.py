"""Where the rows of a clustered table lie."""

from typing import NamedTuple

import numpy as np

__all__ = ["Rows"]


class Rows(NamedTuple):
    """Layout of clustered phrases: rows of K cells, one for each category.

    A row is what occurs of a phrase in one context, however often. Rows are sorted by
    phrase, and a phrase is a sample. All models share the layout.

    Attributes
    ----------
    groups : ndarray of shape (N,), dtype integer
        Number of the phrase of each row, from 0; never falls.
    multiplicity : ndarray of shape (N,)
        How often each row occurs, or its weight; 0 or more.
    n_states : int
        Number K of categories.
    directions : tuple of str
        A name for each model of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.constraints import Rows
    >>> rows = Rows(np.array([0, 0, 1]), np.array([3.0, 1.0, 2.0]), n_states=2)
    >>> rows.starts, rows.counts
    (array([0, 2, 3]), array([4, 2]))
    """

    groups: np.ndarray
    multiplicity: np.ndarray
    n_states: int
    directions: tuple = ("forward",)

    @property
    def starts(self):
        """Where the rows of each phrase begin, and the end, (G + 1,)."""
        n_phrases = self.groups[-1] + 1 if len(self.groups) else 0
        return np.searchsorted(self.groups, np.arange(n_phrases + 1))

    @property
    def counts(self):
        """Number of cells of each phrase, (G,)."""
        return np.diff(self.starts) * self.n_states

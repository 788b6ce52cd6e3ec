"""The states that tokens may take, as lists that kernels can walk."""

import copy

import numpy as np

from skstruct.containers._batch import offsets_of

__all__ = ["Support"]


class Support:
    """Allowed states of the rows of a node table, equal rows stored once.

    Parameters
    ----------
    allowed : ndarray of bool of shape (U, K)
        At least one state in each row.

    Attributes
    ----------
    pattern : ndarray of shape (U,)
        The distinct set of states that each row allows.
    ptr, states : ndarray
        Set p is ``states[ptr[p]:ptr[p + 1]]``, in rising order.
    sizes : ndarray
        Number of states of each set.
    row_ptr : ndarray of shape (U + 1,)
        Where the entries of each row begin in `gather`.
    """

    def __init__(self, allowed):
        self.allowed = np.ascontiguousarray(allowed, dtype=bool)
        self.n_states = self.allowed.shape[1]
        empty = np.flatnonzero(~self.allowed.any(axis=1))
        if empty.size:
            raise ValueError(
                f"Row {empty[0]} of `allowed` allows no state; each needs one at least."
            )
        bits = np.packbits(self.allowed, axis=1)
        keys = np.ascontiguousarray(bits).view(f"V{bits.shape[1]}").ravel()
        _, where, pattern = np.unique(keys, return_index=True, return_inverse=True)
        self.pattern = pattern.reshape(-1).astype(np.intp)
        distinct = self.allowed[where]
        self.sizes = distinct.sum(axis=1)
        self.ptr = offsets_of(self.sizes)
        self.states = np.nonzero(distinct)[1].astype(np.intp)
        self.row_ptr = offsets_of(self.sizes[self.pattern])
        self._where = np.flatnonzero(self.allowed)

    @classmethod
    def full(cls, n_rows, n_states):
        """Every state for every row."""
        return cls(np.ones((n_rows, n_states), dtype=bool))

    def rows(self, part):
        """The support of a slice ``lo:hi`` of the rows."""
        out = copy.copy(self)
        out.pattern, out.allowed = self.pattern[part], self.allowed[part]
        ends = self.row_ptr[part.start : part.stop + 1]
        out.row_ptr = ends - ends[0]
        out._where = self._where[ends[0] : ends[-1]] - part.start * self.n_states
        return out

    def gather(self, table):
        """Allowed entries of a table (U, K), row by row."""
        return table.ravel()[self._where]

    def scatter(self, entries):
        """A table (U, K) of allowed entries, 0 elsewhere."""
        out = np.zeros(self.allowed.shape)
        out.ravel()[self._where] = entries
        return out

    def mask(self, node):
        """The node table with ``-inf`` where a state is not allowed."""
        return np.where(self.allowed, node, -np.inf)

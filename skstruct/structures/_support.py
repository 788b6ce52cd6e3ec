"""The states that tokens may take, as lists that kernels can walk."""

import copy

import numpy as np

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
        self.ptr = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)
        self.states = np.nonzero(distinct)[1].astype(np.intp)

    @classmethod
    def full(cls, n_rows, n_states):
        """Every state for every row."""
        out = cls(np.ones((1, n_states), dtype=bool))
        out.pattern = np.zeros(n_rows, dtype=np.intp)
        out.allowed = np.broadcast_to(out.allowed, (n_rows, n_states))
        return out

    def rows(self, part):
        """The support of a slice of the rows."""
        out = copy.copy(self)
        out.pattern, out.allowed = self.pattern[part], self.allowed[part]
        return out

    def mask(self, node):
        """The node table with ``-inf`` where a state is not allowed."""
        return np.where(self.allowed, node, -np.inf)

"""Features of tokens or nodes, and the products that linear potentials need."""

from functools import cached_property

import numpy as np
import scipy.sparse as sp

from skstruct.kernels._products import (
    pairs_times,
    pairs_transposed,
    sparse_times,
    transposed_times,
)

__all__ = ["AllPairs", "SeenPairs", "seen_pairs", "square_sums"]

# So many features whose gradient a cache holds are summed token by token.
_N_FREQUENT = 4096


class _Sparse:
    """Sparse features in two parts, frequent and rare ones.

    A frequent feature would read the counts of tokens all over the batch, a rare one
    would write sums all over the gradient.
    """

    def __init__(self, x):
        F = x.shape[1]
        self.frequent, rare = np.arange(F), np.zeros(F, dtype=bool)
        if F > _N_FREQUENT:
            counts = np.bincount(x.indices, minlength=F)
            most = np.argpartition(-counts, _N_FREQUENT)[:_N_FREQUENT]
            self.frequent = np.sort(most)
            rare[:] = True
            rare[self.frequent] = False
        self.columns = x[:, self.frequent]
        kept = rare[x.indices]
        ends = np.zeros(len(kept) + 1, x.indptr.dtype)
        np.cumsum(kept, out=ends[1:])
        ends = ends[x.indptr]
        self.rest = sp.csr_array((x.data[kept], x.indices[kept], ends), shape=x.shape)
        self.transposed_rest = sp.csr_array(self.rest.T)


class AllPairs:
    """Features with a weight for each pair of a feature and a label.

    Dense features are left to BLAS, and to the number of threads that it is given.

    Parameters
    ----------
    values : ndarray or sparse array of shape (N, F)
        One row for each token or node.
    n_states : int
        Number of labels K.
    """

    def __init__(self, values, n_states):
        if sp.issparse(values):
            values = sp.csr_array(values)
            values = values.astype(float, copy=False)
        self.values, self.shape = values, (values.shape[1], n_states)

    @property
    def n_weights(self):
        """Number of weights."""
        return self.shape[0] * self.shape[1]

    @cached_property
    def _parts(self):
        return _Sparse(self.values)

    def table(self, weights):
        """Weights as a table (F, K): a view."""
        return weights.reshape(self.shape)

    def pick(self, table):
        """Weights from a table (F, K)."""
        return np.ravel(table)

    def scores(self, weights, base, n_jobs=None):
        """Sum of the weights of each token's features.

        Parameters
        ----------
        weights : ndarray of shape (n_weights,)
            Weights.
        base : ndarray of shape (K,)
            Added to every row.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ndarray of shape (N, K)
        """
        coef = self.table(weights)
        if not sp.issparse(self.values):
            out = self.values @ coef
            out += base
            return out
        out = np.empty((self.values.shape[0], len(base)))
        sparse_times(self.values, coef, base, out, n_jobs)
        return out

    def gradient(self, counts, out, n_jobs=None):
        """Write the gradient of ``sum(counts * scores)``.

        Parameters
        ----------
        counts : ndarray of shape (N, K)
            (Differences of) expected counts.
        out : ndarray of shape (n_weights,)
            Receives the gradient.
        n_jobs : int, default=None
            Threads.
        """
        out = self.table(out)
        if not sp.issparse(self.values):
            np.matmul(self.values.T, counts, out=out)
            return
        parts, counts = self._parts, np.ascontiguousarray(counts, float)
        base = np.zeros(self.shape[1])
        sparse_times(parts.transposed_rest, counts, base, out, n_jobs)
        out[parts.frequent] += transposed_times(parts.columns, counts, n_jobs)


class SeenPairs:
    """Sparse features with weights for some pairs of a feature and a label only.

    The methods are those of `AllPairs`.

    Parameters
    ----------
    values : sparse array of shape (N, F)
        One row for each token or node.
    pairs : sparse array of shape (F, K)
        Not zero where there is a weight.
    """

    def __init__(self, values, pairs):
        self.values = sp.csr_array(values, dtype=float)
        self.pairs, self.shape = sp.csr_array(pairs), pairs.shape
        self._parts = parts = _Sparse(self.values)
        rank = np.full(self.shape[0], -1)
        rank[parts.frequent] = np.arange(len(parts.frequent))
        rows = np.repeat(rank, np.diff(self.pairs.indptr))
        # Where the weights of frequent features are, and their places in a table.
        self._dense = np.flatnonzero(rows >= 0)
        self._places = rows[self._dense], self.pairs.indices[self._dense]

    @property
    def n_weights(self):
        """Number of weights."""
        return self.pairs.nnz

    def table(self, weights):
        """Weights as a new table (F, K)."""
        parts = weights, self.pairs.indices, self.pairs.indptr
        return sp.csr_array(parts, shape=self.shape).toarray()

    def pick(self, table):
        """Weights from a table (F, K)."""
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.pairs.indptr))
        return np.asarray(table)[rows, self.pairs.indices]

    def scores(self, weights, base, n_jobs=None):
        """See `AllPairs`."""
        frequent = np.zeros((len(self._parts.frequent), self.shape[1]))
        frequent[self._places] = weights[self._dense]
        out = np.empty((self.values.shape[0], self.shape[1]))
        sparse_times(self._parts.columns, frequent, base, out, n_jobs)
        pairs_times(self._parts.rest, self.pairs, weights, out, n_jobs)
        return out

    def gradient(self, counts, out, n_jobs=None):
        """See `AllPairs`."""
        parts, counts = self._parts, np.ascontiguousarray(counts, float)
        pairs_transposed(parts.transposed_rest, self.pairs, counts, out, n_jobs)
        frequent = transposed_times(parts.columns, counts, n_jobs)
        out[self._dense] = frequent[self._places]


def square_sums(values, weight):
    """Sum of squares of each feature (F,) over rows that count ``weight`` (N,)."""
    if sp.issparse(values):
        squares = sp.csr_array(
            (values.data**2, values.indices, values.indptr), shape=values.shape
        )
        return squares.T @ weight
    return np.einsum("if,if,i->f", values, values, weight)


def seen_pairs(values, labels, n_states):
    """How often sparse features stand at tokens with each label.

    Parameters
    ----------
    values : sparse array of shape (N, F)
        One row for each token or node.
    labels : ndarray of shape (N,), int
        Labels from 0.
    n_states : int
        Number of labels K.

    Returns
    -------
    csr_array of shape (F, K)
        ``pairs`` for `LinearGraph`.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from skstruct.potentials import seen_pairs
    >>> x = sp.csr_array([[1, 0], [1, 2], [0, 3]])
    >>> seen_pairs(x, np.array([0, 1, 1]), 2).toarray()
    array([[1, 1],
           [0, 2]])
    """
    values, N = sp.csr_array(values), len(labels)
    ones = np.ones(values.nnz, dtype=np.intp)
    present = sp.csr_array((ones, values.indices, values.indptr), shape=values.shape)
    index = values.indices.dtype
    taken = np.ones(N, np.intp), labels.astype(index), np.arange(N + 1, dtype=index)
    return sp.csr_array(present.T @ sp.csr_array(taken, shape=(N, n_states)))

"""Features of tokens or nodes, and the products that linear potentials need."""

from functools import cached_property

import numpy as np
import scipy.sparse as sp

from skstruct.kernels._products import sparse_times, transposed_times

__all__ = ["Features"]

# So many features whose gradient a cache holds are summed token by token.
_N_FREQUENT = 4096


class Features:
    """A matrix of features with its two products.

    Dense features are left to BLAS, and to the number of threads that it is given.

    Parameters
    ----------
    values : ndarray or sparse array of shape (N, F)
        One row for each token or node.
    """

    def __init__(self, values):
        if sp.issparse(values):
            values = sp.csr_array(values)
            values = values.astype(float, copy=False)
        self.values = values

    @cached_property
    def _parts(self):
        """Frequent features, their columns (N, P), and the rest transposed (F, N).

        A frequent feature would read the counts of tokens all over the batch, a rare
        one would write sums all over the gradient.
        """
        x, F = self.values, self.values.shape[1]
        counts = np.bincount(x.indices, minlength=F)
        frequent = np.arange(F)
        if F > _N_FREQUENT:
            frequent = np.sort(np.argpartition(-counts, _N_FREQUENT)[:_N_FREQUENT])
        rare = np.ones(F, dtype=bool)
        rare[frequent] = False
        rest = sp.csr_array(x.T)
        kept = np.repeat(rare, counts)
        ends = np.concatenate([[0], np.cumsum(counts * rare)])
        parts = rest.data[kept], rest.indices[kept], ends
        return frequent, x[:, frequent], sp.csr_array(parts, shape=rest.shape)

    def scores(self, coef, base, n_jobs=None):
        """``base + values @ coef``.

        Parameters
        ----------
        coef : ndarray of shape (F, K)
            Weights.
        base : ndarray of shape (K,)
            Added to every row.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ndarray of shape (N, K)
        """
        if not sp.issparse(self.values):
            out = self.values @ coef
            out += base
            return out
        out = np.empty((self.values.shape[0], len(base)))
        sparse_times(self.values, np.ascontiguousarray(coef), base, out, n_jobs)
        return out

    def gradient(self, counts, out, n_jobs=None):
        """Write ``values.T @ counts`` to ``out``.

        Parameters
        ----------
        counts : ndarray of shape (N, K)
            (Differences of) expected counts.
        out : ndarray of shape (F, K)
            Receives the gradient.
        n_jobs : int, default=None
            Threads.
        """
        if not sp.issparse(self.values):
            np.matmul(self.values.T, counts, out=out)
            return
        base, counts = np.zeros(out.shape[1]), np.ascontiguousarray(counts, float)
        frequent, columns, rest = self._parts
        sparse_times(rest, counts, base, out, n_jobs)
        out[frequent] += transposed_times(columns, counts, n_jobs)

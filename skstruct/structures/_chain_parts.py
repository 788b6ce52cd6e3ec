"""A run of sequences handed to the sum-product kernels as one piece of work."""

import numpy as np
from numba import njit

from skstruct.containers import gather
from skstruct.structures._base import sum_by_sequence
from skstruct.structures._chain_log import log_messages, log_space_sums
from skstruct.structures._chain_sparse import sparse_sums
from skstruct.structures._chain_sums import TINY, dense_sums

__all__ = ["Part", "Scaled", "scaled_exp", "scaled_rows"]

# What a possible potential is raised to when it would vanish beside its row's largest:
# still far inside the range of floats, and far enough below TINY to be noticed.
_FLOOR = 1e-200


# `max` turns into vector instructions only where NaN need not be thought of.
@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _subtract_row_max(log_table, out, shift):
    """Rows less their largest entry; a row of ``-inf`` stays as it is."""
    U, K = log_table.shape
    for u in range(U):
        top = -np.inf
        for b in range(K):
            top = max(top, log_table[u, b])
        shift[u] = 0.0 if top == -np.inf else top
        for b in range(K):
            out[u, b] = log_table[u, b] - shift[u]


def _exp(shifted):
    """``exp`` in place; what is possible never becomes 0."""
    possible = None
    if shifted.min(initial=0.0) < np.log(_FLOOR):
        possible = shifted > -np.inf
    np.exp(shifted, out=shifted)
    if possible is not None:
        shifted[possible & (shifted < _FLOOR)] = _FLOOR
    return shifted


def scaled_exp(log_table):
    """``exp(log_table - shift)`` with largest entry one, and the shift."""
    shift = log_table.max(initial=-np.inf)
    shift = shift if np.isfinite(shift) else 0.0
    return _exp(log_table - shift), shift


def scaled_rows(log_table, support=None):
    """The same row by row; with a support, of allowed entries only, flat."""
    if support is None:
        table, shift = np.empty_like(log_table), np.empty(len(log_table))
        _subtract_row_max(log_table, table, shift)
    else:
        table = support.gather(log_table)
        shift = np.maximum.reduceat(table, support.row_ptr[:-1])
        shift[np.isneginf(shift)] = 0.0
        table -= np.repeat(shift, np.diff(support.row_ptr))
    return _exp(table), shift


class Scaled:
    """Edge, start and stop tables as probabilities, with what was divided out."""

    def __init__(self, potentials):
        self.edge, self.edge_shift = scaled_exp(potentials.edge)
        self.start, self.start_shift = scaled_exp(potentials.start)
        self.stop, self.stop_shift = scaled_exp(potentials.stop)
        # Where every state can follow every other, a message that is lost comes back
        # with the next token; otherwise losses must be watched for.
        self.strict = bool(self.edge.min(initial=1.0) < TINY)


class Part:
    """Sequences with the rows that their tokens read.

    Parameters
    ----------
    offsets : ndarray of shape (m + 1,)
        Where the sequences lie in ``index`` and ``edge_index``.
    index, edge_index : ndarray
        Rows of the node and edge tables.
    potentials : Potentials
        Complete log-potentials.
    support : Support or None
        Where to walk over allowed states only; None takes matrix products.
    node : tuple (table, shift)
        What `scaled_rows` made of the node table.
    """

    def __init__(self, offsets, index, edge_index, potentials, support, node):
        self.offsets = offsets
        self.index = index
        self.edge_index = edge_index
        self.potentials = potentials
        self.node = node
        self.support = support

    def sums(self, scaled, weight, backward):
        """Log-partitions and counts of node, edge, start and stop."""
        lengths = np.diff(self.offsets)
        order = np.argsort(-lengths, kind="stable")
        node, node_shift = self.node
        arguments = (lengths[order], self.offsets[:-1][order], self.index)
        if self.support is None:
            sums = dense_sums(
                *arguments,
                scaled.start,
                scaled.edge[0],
                node,
                scaled.stop,
                weight[order],
                scaled.strict,
                backward,
            )
        else:
            sums = sparse_sums(
                *arguments,
                self.edge_index,
                self.support.pattern,
                self.support.ptr,
                self.support.states,
                self.support.row_ptr,
                node,
                scaled.start,
                scaled.edge,
                scaled.stop,
                weight[order],
                scaled.strict,
            )
        sorted_log_z, lost, *counts = sums
        counts[1] = counts[1].reshape(scaled.edge.shape)
        log_z = np.empty_like(sorted_log_z)
        log_z[order] = sorted_log_z
        tokens = self.index[self.offsets[0] : self.offsets[-1]]
        log_z += sum_by_sequence(node_shift[tokens], self.offsets)
        log_z += np.maximum(lengths - 1, 0) * scaled.edge_shift
        log_z[lengths > 0] += scaled.start_shift + scaled.stop_shift
        for s in order[lost]:
            log_z[s] = self._redo(s, weight[s], counts if backward else None)
        return log_z, *counts

    def _redo(self, s, weight, counts):
        """Log-partition of sequence s in log space; its counts are added to counts."""
        p = self.potentials
        tokens = slice(self.offsets[s], self.offsets[s + 1])
        rows = self.index[tokens]
        node = p.node[rows]
        if self.support is not None:
            node[~self.support.allowed[rows]] = -np.inf
        L = len(rows)
        edge_index = self.edge_index[tokens]
        what = (0, L, np.arange(L), p.start, p.edge, edge_index, node)
        if counts is None:
            alpha, taken = log_messages(*what)
            return taken + np.logaddexp.reduce(alpha[-1] + p.stop)
        own = np.zeros_like(node)
        log_z = log_space_sums(*what, p.stop, weight, own, *counts[1:])
        if self.support is not None:
            own = own[self.support.allowed[rows]]
            rows, _ = gather(self.support.row_ptr, rows)
        np.add.at(counts[0], rows, own)
        return log_z

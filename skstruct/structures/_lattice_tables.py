"""Potentials of alignment chains: as scaled probabilities, or of one pair as logs."""

import numpy as np

from skstruct.structures._base import sum_by_sequence
from skstruct.structures._chain_parts import scaled_exp
from skstruct.structures._chain_sums import TINY
from skstruct.structures._lattice_sums import Tables

__all__ = ["PairTables", "scaled_tables"]

_NONE32, _NO_INDEX = np.zeros(0, np.float32), np.zeros(0, np.int32)


def scaled_tables(potentials, lattice):
    """What the kernels read, and the log of what was taken off each filled pair.

    Parameters
    ----------
    potentials : LatticePotentials
        Checked, ``jump`` with two axes.
    lattice : Lattice
        Whose pairs are to be done.

    Returns
    -------
    Tables
        Largest entries are 1.
    ndarray of shape (n,)
        What the log-partitions lack.
    """
    node, null, jump, factor = potentials
    T = int(lattice.chain_offsets[-1])
    kinds, node_shift = np.zeros(0), 0.0
    if node is not None:
        kinds, node_shift = scaled_exp(node)
    table, jump_shift = scaled_exp(jump)
    # A link costs a node and, unless normalised, a jump; the scale of a token is the
    # larger one of link and NULL.
    link = node_shift + (0.0 if lattice.local else jump_shift)
    null = np.full(T, -np.inf) if null is None else null
    shift = np.maximum(null, link)
    total = sum_by_sequence(shift, lattice.chain_offsets)
    # Where every jump is possible, a message that is lost comes back with the next
    # link; otherwise losses must be watched for.
    span = table.min(initial=1.0) ** (2 if lattice.local else 1)
    tables = Tables(
        (_NO_INDEX if node is None else lattice.index).view(np.uint32),
        kinds,
        _NONE32 if factor is None else factor,
        _exp_within(null - shift),
        _exp_within(link - shift),
        table,
        lattice.local,
        bool(span < TINY),
    )
    return tables, total + (0.0 if lattice.local else jump_shift)


class PairTables:
    """Log-potentials of one pair: node (J, K), null (J,), T (K + 1, K + 1), end."""

    def __init__(self, potentials, lattice, n):
        node, null, jump, factor = potentials
        K = int(lattice.n_states[n])
        a, b = lattice.chain_offsets[n : n + 2]
        self.tokens = slice(a, b)
        self.cells = slice(*lattice.cell_offsets[n : n + 2])
        self._shape = (b - a, K) if lattice.reverse else (K, b - a)
        self._reverse, self._local = lattice.reverse, lattice.local
        value = np.zeros(K * (b - a))
        if node is not None:
            value += node[lattice.index[self.cells]]
        if factor is not None:
            with np.errstate(divide="ignore"):
                value += np.log(factor[self.cells], dtype=float)
        self.node = np.ascontiguousarray(self.by_chain(value))
        self.null = np.full(b - a, -np.inf) if null is None else null[self.tokens]
        first = lattice.state_offsets[n]
        self.group = np.zeros(K + 1, dtype=np.intp)
        if len(jump) > 1:
            self.group[1:] = lattice.jump_group[first : first + K]
        M = jump.shape[1] // 2
        width = np.arange(1, K + 2) - np.arange(K + 1)[:, None]
        self.column = np.clip(width, -M, M) + M
        onward = jump[self.group[:, None], self.column]
        self.T, self.end = np.full((K + 1, K + 1), -np.inf), np.zeros(K + 1)
        self.T[:, 1:] = onward[:, :K]
        if lattice.local:
            total = np.logaddexp.reduce(onward[:, :K], axis=1)
            self.T[:, 1:] -= np.where(np.isneginf(total), 0.0, total)[:, None]
        else:
            self.end = onward[:, K].copy()

    def by_chain(self, values):
        """Values of the cells as an array (J, K)."""
        values = values.reshape(self._shape)
        return values if self._reverse else values.T

    def by_cell(self, values):
        """The values (J, K) in the order of the cells."""
        return (values if self._reverse else values.T).ravel()

    def add_jumps(self, jumps, ends, counts):
        """Add expected jumps (K + 1, K + 1) and end jumps to counts of the table."""
        group = self.group[:, None]
        np.add.at(counts, (group, self.column[:, :-1]), jumps[:, 1:])
        if not self._local:
            np.add.at(counts, (self.group, self.column[:, -1]), ends)


def _exp_within(log_values):
    """``exp`` of values up to 0, floored as `scaled_exp` does."""
    return scaled_exp(np.append(log_values, 0.0))[0][:-1]

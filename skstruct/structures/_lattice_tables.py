"""Potentials of alignment chains: as scaled probabilities, or of one pair as logs."""

import numpy as np

from skstruct.structures._base import sum_by_sequence
from skstruct.structures._chain_parts import scaled_exp
from skstruct.structures._chain_sums import TINY
from skstruct.structures._lattice_sums import Tables

__all__ = [
    "PairTables",
    "checked_indices",
    "checked_lengths",
    "checked_potentials",
    "checked_weight",
    "scaled_tables",
]

_NONE32, _NO_INDEX = np.zeros(0, np.float32), np.zeros(0, np.int32)


def checked_lengths(source, target):
    """Both as arrays, equally many and none negative."""
    source, target = map(np.asarray, (source, target))
    for side, lengths in (("source", source), ("target", target)):
        if lengths.size and lengths.dtype.kind not in "iu":
            raise ValueError(
                f"The {side} lengths are of dtype {lengths.dtype}; expected integers."
            )
    source, target = (x.astype(np.intp, copy=False) for x in (source, target))
    if source.shape != target.shape or source.ndim != 1:
        raise ValueError(
            f"{source.size} source and {target.size} target lengths; expected one of "
            "each for every pair of sentences."
        )
    for side, lengths in (("source", source), ("target", target)):
        if lengths.min(initial=0) < 0:
            n = int(lengths.argmin())
            raise ValueError(f"The {side} length of pair {n} is {lengths[n]}.")
    return source, target


def checked_indices(name, values, n, what):
    """Values as int32, one for each of n, none negative; empty where None."""
    if values is None:
        return np.zeros(0, dtype=np.int32)
    values = np.ascontiguousarray(values, dtype=np.int32)
    if values.shape != (n,):
        raise ValueError(
            f"{name} has shape {values.shape}; expected ({n},), one entry a {what}."
        )
    if values.min(initial=0) < 0:
        at = int(values.argmin())
        raise ValueError(f"{name}[{at}] is {values[at]}; expected at least 0.")
    return values


def checked_weight(weight, n):
    """Weights of n pairs of sentences as an array; None: 1."""
    if weight is None:
        return np.ones(n)
    weight = np.asarray(weight, dtype=float)
    if weight.shape != (n,):
        raise ValueError(
            f"weight has shape {weight.shape}; expected ({n},), one entry a pair."
        )
    return weight


def checked_potentials(potentials, lattice):
    """Potentials as arrays that the kernels may read without looking."""
    node, null, jump, factor = potentials
    C, T = int(lattice.cell_offsets[-1]), int(lattice.chain_offsets[-1])
    if node is not None:
        node = _log_table("node", node, 1)
        if len(lattice.index) < C:
            raise ValueError(
                "potentials.node needs an index, which says which entry each cell "
                "reads; give index= to Lattice."
            )
        _at_least("node", len(node), lattice._n_kinds, "index")
    if null is not None:
        null = _log_table("null", null, 1)
        if len(null) != T:
            raise ValueError(
                f"potentials.null has {len(null)} entries for {T} chain tokens."
            )
    jump = np.atleast_2d(_log_table("jump", jump, np.ndim(jump)))
    if jump.ndim != 2 or jump.shape[1] % 2 == 0:
        raise ValueError(
            f"potentials.jump has shape {jump.shape}; expected (2 M + 1,) or "
            "(G, 2 M + 1), the jump by 0 in the middle."
        )
    if len(jump) > 1:
        if len(lattice.jump_group) < lattice.state_offsets[-1]:
            raise ValueError(
                "potentials.jump has several rows; give jump_group= to Lattice to "
                "say which of them jumps from a word read."
            )
        _at_least("jump", len(jump), lattice._n_groups, "jump_group")
    if factor is not None:
        factor = np.ascontiguousarray(factor, dtype=np.float32)
        if factor.shape != (C,):
            raise ValueError(
                f"potentials.factor has shape {factor.shape} for {C} cells."
            )
        if C and not (factor.min() >= 0 and factor.max() < np.inf):
            raise ValueError(
                "potentials.factor must be finite and at least 0 everywhere."
            )
    return potentials._replace(node=node, null=null, jump=jump, factor=factor)


def _log_table(name, values, ndim):
    values = np.ascontiguousarray(values, dtype=float)
    if values.ndim != ndim:
        raise ValueError(f"potentials.{name} has {values.ndim} axes; expected {ndim}.")
    if not (values < np.inf).all():
        raise ValueError(
            f"potentials.{name} must hold log-potentials below infinity, without NaN."
        )
    return values


def _at_least(name, n, needed, index):
    if n < needed:
        raise ValueError(
            f"potentials.{name} has {n} rows, but {index} asks for row {needed - 1}."
        )


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

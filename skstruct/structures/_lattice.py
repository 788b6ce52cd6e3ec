"""Alignment chains: each token of one sentence is linked to a position of another."""

from functools import reduce
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from skstruct.kernels._blas import one_blas_thread
from skstruct.kernels._threads import chunks, run_chunks
from skstruct.structures._base import _PENALTY, sum_by_sequence
from skstruct.structures._lattice_log import log_forward, log_space_sums
from skstruct.structures._lattice_paths import (
    Logs,
    best_paths,
    draw_log,
    sample_paths,
    score_paths,
)
from skstruct.structures._lattice_sums import Layout, Sums, lattice_sums
from skstruct.structures._lattice_tables import (
    PairTables,
    checked_indices,
    checked_lengths,
    checked_potentials,
    checked_weight,
    scaled_tables,
)

__all__ = ["Lattice", "LatticePosterior", "LatticePotentials"]

# A matrix of jumps is faster than a band while positions are no more than this and the
# number of widths: measured with 21 and 61 widths, where they meet at 150 to 300.
_WIDEST = 128


class LatticePotentials(NamedTuple):
    """Log-potentials of alignment chains; ``-inf`` forbids, None is absent.

    Attributes
    ----------
    node : ndarray of shape (U,) or None
        Of each kind of cell; the lattice's index says of which kind a cell is.
    null : ndarray of shape (T,) or None
        Of NULL at each chain token; without it every token is linked.
    jump : ndarray of shape (2 M + 1,) or (G, 2 M + 1)
        Entry M + d: for a link d positions after the last one (before the first: after
        position 0, counting from 1); wider jumps than M read the first or last entry.
    factor : ndarray of shape (C,) or None
        Multiplies ``exp(node)``, a probability for each cell, at least 0.
    """

    node: np.ndarray | None
    null: np.ndarray | None
    jump: np.ndarray
    factor: np.ndarray | None = None


class LatticePosterior(NamedTuple):
    """Expected counts under p(links) over a batch.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        Of each pair of sentences; ``-inf`` for an impossible one.
    cell : ndarray of shape (C,) and dtype float32, or None
        Probability of the link of each cell.
    null : ndarray of shape (T,)
        Probability of NULL at each chain token; 0 where the other side is empty, so
        that such a pair feeds no counts.
    node : ndarray of shape (U,) or None
        Expected number of links of each kind.
    jump : ndarray
        Expected number of jumps of each width, shaped as ``LatticePotentials.jump``.
    """

    log_partition: np.ndarray
    cell: np.ndarray | None
    null: np.ndarray
    node: np.ndarray | None
    jump: np.ndarray


class Lattice:
    r"""A batch of word-alignment chains, with exact inference.

    Each token of one sentence is linked to one position of the other sentence, or to
    NULL; the jump from the last link to the next one has a potential by its width.

    .. math:: p(y) \propto \prod_{j: y_j > 0} \exp(n_{j, y_j} + g_{y_j - \ell_j})
        \prod_{j: y_j = 0} \exp(r_j)

    with log-potentials n of cells, g of jumps, r of NULL, and :math:`\ell_j` the last
    position linked before token j (0: none yet).

    Parameters
    ----------
    source_lengths, target_lengths : array-like of int of shape (n,)
        Words of the two sides of each pair; 0 is allowed.
    index : ndarray of int of shape (C,), default=None
        Kind of each cell: which entry of the node potentials it reads. The pair of
        source word i and target word j is cell ``offset + i * n_target_words + j``, for
        both directions. None where potentials have no nodes.
    reverse : bool, default=False
        False: a chain over target words, each linked to a source word. True: a chain
        over source words, each linked to a target word.
    local : bool, default=False
        True: jumps from a position are normalised over the positions there are (a
        hidden Markov model). False: they are not, and one more jump leads from the last
        link to the position after the end (a conditional random field).
    jump_group : ndarray of int of shape (n_state_words,), default=None
        For potentials with several rows of jumps: the row behind jumps that leave a
        position. Jumps before the first link read row 0.
    n_jobs : int, default=None
        Threads. Results do not depend on it.

    Raises
    ------
    ValueError
        Where lengths, index and groups do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Lattice, LatticePotentials
    >>> lattice = Lattice([2], [2], index=[1, 0, 0, 1])
    >>> node, jump = np.array([0.0, 2.0]), np.array([0.0, 0.0, 1.0])
    >>> posterior = lattice.posterior(LatticePotentials(node, None, jump))
    >>> print(posterior.cell.reshape(2, 2).round(2))
    [[0.95 0.05]
     [0.05 0.95]]
    """

    def __init__(
        self,
        source_lengths,
        target_lengths,
        index=None,
        *,
        reverse=False,
        local=False,
        jump_group=None,
        n_jobs=None,
    ):
        source, target = checked_lengths(source_lengths, target_lengths)
        self.reverse, self.local, self.n_jobs = bool(reverse), bool(local), n_jobs
        self.cell_offsets = _offsets(source * target)
        self.n_states, chain = (target, source) if reverse else (source, target)
        self.state_offsets, self.chain_offsets = (
            _offsets(self.n_states),
            _offsets(chain),
        )
        C = self.cell_offsets[-1]
        self.index = checked_indices("index", index, C, "cell")
        self.jump_group = checked_indices(
            "jump_group", jump_group, self.state_offsets[-1], "word of the state side"
        )
        self._n_kinds = int(self.index.max(initial=-1)) + 1
        self._n_groups = int(self.jump_group.max(initial=-1)) + 1
        self._filled = (source > 0) & (target > 0)
        # Chains with equally many positions are neighbours, the longest one first.
        order = np.lexsort([-chain, self.n_states])
        self._order = order[self._filled[order]]
        self._layout = Layout(
            self.n_states,
            self.state_offsets,
            self.chain_offsets,
            self.cell_offsets,
            self.reverse,
            self.jump_group,
        )

    def __len__(self):
        return len(self.n_states)

    def log_partition(self, potentials):
        """Log-partition of each pair of sentences.

        Parameters
        ----------
        potentials : LatticePotentials
            Log-potentials.

        Returns
        -------
        ndarray of shape (n,)
            0 where no token is to be linked, ``-inf`` where none can be.
        """
        return self._sums(potentials, None, False, False).log_partition

    def posterior(self, potentials, weight=None, *, cells=True):
        """Log-partitions, probabilities of links, and expected counts.

        Parameters
        ----------
        potentials : LatticePotentials
            Log-potentials.
        weight : ndarray of shape (n,), default=None
            A factor for the node and jump counts of each pair; None: 1.
        cells : bool, default=True
            False: probabilities of cells are not kept, and pairs of weight 0 not
            visited; their log-partition and NULL probabilities read 0.

        Returns
        -------
        LatticePosterior
            Probabilities by cell and NULL, not weighted, and weighted counts.
        """
        return self._sums(potentials, weight, True, cells)

    def _sums(self, potentials, weight, backward, cells):
        p = checked_potentials(potentials, self)
        tables, shift = scaled_tables(p, self)
        weight = checked_weight(weight, len(self))
        pairs = self._order[weight[self._order] != 0]
        if cells or not backward:
            uncounted = self._order[weight[self._order] == 0]
            pairs = np.concatenate([pairs, uncounted])
        log_z = self._of_empty(p.null)
        cell = np.zeros(int(self.cell_offsets[-1]) if cells else 0, dtype=np.float32)
        null = np.zeros(int(self.chain_offsets[-1]))
        widest = _WIDEST + p.jump.shape[1]

        def do(first, last):
            part = pairs[first:last]
            counts = np.zeros(len(tables.node)), np.zeros(p.jump.shape)
            out = Sums(log_z, cell, null, *counts)
            lost = lattice_sums(
                part, self._layout, tables, weight, widest, backward, out
            )
            log_z[part] += shift[part]
            for n in part[lost]:
                self._redo(n, p, weight[n], out)
            return counts

        with one_blas_thread:
            found = run_chunks(do, self._cut(pairs), self.n_jobs)
        node, jump = (reduce(np.add, part) for part in zip(*found, strict=True))
        return LatticePosterior(
            log_z,
            cell if cells else None,
            null,
            None if p.node is None else node,
            jump.reshape(np.shape(potentials.jump)),
        )

    def _redo(self, n, p, weight, out):
        """Pair n in log space."""
        pair = PairTables(p, self, n)
        sums = log_space_sums(pair.node, pair.null, pair.T, pair.end)
        out.log_z[n], links, out.null[pair.tokens], jumps, ends = sums
        links = pair.by_cell(links)
        if len(out.cell):
            out.cell[pair.cells] = links
        if len(out.node):
            np.add.at(out.node, self.index[pair.cells], weight * links)
        pair.add_jumps(weight * jumps, weight * ends, out.jump)

    def argmax(self, potentials):
        """Most probable links of every pair of sentences.

        Parameters
        ----------
        potentials : LatticePotentials
            Log-potentials.

        Returns
        -------
        ndarray of shape (T,)
            For each chain token the position it is linked to, from 0 in its pair; -1:
            NULL. Of an impossible pair, the links that break the fewest forbidden
            potentials.
        """
        p = checked_potentials(potentials, self)
        path = np.full(int(self.chain_offsets[-1]), -1, dtype=np.intp)
        score = np.zeros(len(self))

        def do(first, last):
            best_paths(pairs[first:last], self._layout, logs, floor, path, score)

        pairs, logs, floor = self._order, self._logs(p), -np.inf
        run_chunks(do, self._cut(pairs), self.n_jobs)
        pairs = pairs[np.isneginf(score[pairs])]
        if pairs.size:
            floor = -_PENALTY
            soft = LatticePotentials(
                p.node,
                None if p.null is None else np.maximum(p.null, floor),
                np.maximum(p.jump, floor),
                p.factor,
            )
            logs = self._logs(soft)
            run_chunks(do, self._cut(pairs), self.n_jobs)
        return path

    def sample(self, potentials, random_state=None):
        """Draw the links of every pair of sentences.

        Parameters
        ----------
        potentials : LatticePotentials
            Log-potentials.
        random_state : int, RandomState or None, default=None
            Source of randomness.

        Returns
        -------
        ndarray of shape (T,)
            Positions as `argmax` gives them; of an impossible pair -1.
        """
        p = checked_potentials(potentials, self)
        rng = check_random_state(random_state)
        tables, _ = scaled_tables(p, self)
        path = np.full(int(self.chain_offsets[-1]), -1, dtype=np.intp)
        uniforms, ends = rng.uniform(size=(len(path), 2)), rng.uniform(size=len(self))
        widest = _WIDEST + p.jump.shape[1]

        def do(first, last):
            part = self._order[first:last]
            lost = sample_paths(
                part, self._layout, tables, widest, uniforms, ends, path
            )
            for n in part[lost]:
                x = PairTables(p, self, n)
                m, real = log_forward(x.node, x.null, x.T)
                own = uniforms[x.tokens]
                draw_log(m, real, x.null, x.T, x.end, own, ends[n], path[x.tokens])

        with one_blas_thread:
            run_chunks(do, self._cut(self._order), self.n_jobs)
        return path

    def score(self, potentials, path):
        """Log-potential of given links.

        Parameters
        ----------
        potentials : LatticePotentials
            Log-potentials.
        path : ndarray of int of shape (T,)
            Positions as `argmax` gives them.

        Returns
        -------
        ndarray of shape (n,)
            Without the log-partition: log p(links) is ``score - log_partition``.
        """
        p = checked_potentials(potentials, self)
        path = np.ascontiguousarray(path, dtype=np.intp)
        lengths = np.diff(self.chain_offsets)
        limit = np.repeat(self.n_states, lengths)
        if path.shape != limit.shape:
            raise ValueError(
                f"path has shape {path.shape}; expected ({len(limit)},), one entry a "
                "chain token."
            )
        wrong = np.flatnonzero((path < -1) | (path >= limit))
        if wrong.size:
            t = int(wrong[0])
            n = int(np.searchsorted(self.chain_offsets, t, side="right")) - 1
            raise ValueError(
                f"path[{t}], of pair {n}, is {path[t]}; expected -1 (NULL) to "
                f"{limit[t] - 1}."
            )
        score = np.zeros(len(self))
        score_paths(self._layout, self._logs(p), path, score)
        return score

    def _logs(self, p):
        """Checked potentials as the kernels over paths read them."""
        no_null = np.full(int(self.chain_offsets[-1]), -np.inf)
        return Logs(
            (self.index if p.node is not None else self.index[:0]).view(np.uint32),
            np.zeros(0) if p.node is None else p.node,
            np.zeros(0, np.float32) if p.factor is None else p.factor,
            no_null if p.null is None else p.null,
            p.jump,
            self.local,
        )

    def _cut(self, pairs):
        """Runs of pairs, by their cells; each has tables of counts of its own."""
        offsets = _offsets(np.diff(self.cell_offsets)[pairs])
        return chunks(offsets, max(1 << 16, offsets[-1] // 16 + 1)) or [(0, 0)]

    def _of_empty(self, null):
        """Log-partitions where a side is empty; 0 elsewhere."""
        lengths = np.diff(self.chain_offsets)
        all_null = np.where(lengths > 0, -np.inf, 0.0)
        if null is not None:
            all_null = sum_by_sequence(null, self.chain_offsets)
        return np.where(self._filled, 0.0, all_null)


def _offsets(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.intp)

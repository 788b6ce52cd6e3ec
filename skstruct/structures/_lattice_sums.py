"""Sum-product over alignment chains, in probabilities rescaled at every token.

Chains with equally many positions share their jumps and go through them together, a
matrix product for all their tokens at time t. What leaves the range of floats is
reported back, to be done again in log space.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from skstruct.structures._chain_sums import TINY, UNSEEN, _layout
from skstruct.structures._lattice_jumps import (
    Jumps,
    ahead,
    back,
    count_ends,
    count_jumps,
    jumps_of,
    padded,
)

__all__ = [
    "Layout",
    "Sums",
    "Tables",
    "groups_of",
    "lattice_sums",
    "messages",
    "steps_of",
]

# What lets loops turn into vectors, but never drops infinities.
_FAST = {"contract", "reassoc", "nsz"}
# Chains that go together, and about how many tokens they may have.
_WIDTH, _MAX_ROWS = 64, 1 << 12


class Layout(NamedTuple):
    """Where pairs of sentences lie.

    Pair n has ``n_states[n]`` positions from ``states[n]`` on, tokens
    ``tokens[n]:tokens[n + 1]`` and cells from ``cells[n]`` on, by token where
    ``by_token`` is true, else by position. ``groups`` are rows of the jump table by
    position.
    """

    n_states: np.ndarray
    states: np.ndarray
    tokens: np.ndarray
    cells: np.ndarray
    by_token: bool
    groups: np.ndarray


class Tables(NamedTuple):
    """Scaled probabilities; ``index`` and ``factor`` are empty where there are none.

    A NULL weighs ``null``, a link ``link`` times what its cell and its jump do.
    """

    index: np.ndarray
    node: np.ndarray
    factor: np.ndarray
    null: np.ndarray
    link: np.ndarray
    jump: np.ndarray
    local: bool
    strict: bool


class Sums(NamedTuple):
    """What is written, as in `LatticePosterior`; ``cell`` may be empty."""

    log_z: np.ndarray
    cell: np.ndarray
    null: np.ndarray
    node: np.ndarray
    jump: np.ndarray


class Messages(NamedTuple):
    """Forward messages of a block, by time: rows ``first[t]`` on are tokens t.

    Of the chains, ``active[t]`` have a token t. ``m`` comes before a token, ``into`` is
    what it links, after scaling; ``last`` comes after the last token, and ``ends`` is
    what follows there, divided by the partition.
    """

    jumps: Jumps
    active: np.ndarray
    first: np.ndarray
    u: np.ndarray
    null: np.ndarray
    m: np.ndarray
    into: np.ndarray
    scale: np.ndarray
    last: np.ndarray
    ends: np.ndarray
    log_z: np.ndarray


# Unsigned numbers: signed ones would be looked at for counting from the end.
@njit(cache=True, nogil=True)
def _gather(cell, steps, rows, K, tables, link, u):
    """Fill ``u[rows[j], 1 + k]`` with the potentials of a pair's cells."""
    index, node, factor = tables.index, tables.node, tables.factor
    step = np.uintp(steps[1])
    for j in range(len(rows)):
        row, w, c = u[rows[j]], link[j], np.uintp(cell + j * steps[0])
        if len(index) and len(factor):
            for k in range(1, K + 1):
                row[k] = w * (node[index[c]] * factor[c])
                c += step
        elif len(index):
            for k in range(1, K + 1):
                row[k] = w * node[index[c]]
                c += step
        elif len(factor):
            for k in range(1, K + 1):
                row[k] = w * factor[c]
                c += step
        else:
            row[1 : K + 1] = w


@njit(cache=True, nogil=True)
def _scatter(cell, steps, rows, K, index, weight, p, cells, counts):
    """Write a pair's posteriors to its cells and add them to the counts of kinds."""
    step = np.uintp(steps[1])
    for j in range(len(rows)):
        row, begin = p[rows[j]], np.uintp(cell + j * steps[0])
        if len(cells):
            c = begin
            for k in range(1, K + 1):
                cells[c] = row[k]
                c += step
        if weight != 0.0 and len(index):
            c = begin
            for k in range(1, K + 1):
                counts[index[c]] += weight * row[k]
                c += step


@njit(cache=True, nogil=True)
def _watch(row, u, null, z, dropped):
    """Zero what is too small to carry on; no more than the returned share is lost."""
    top = 0.0
    for k in range(len(u)):
        top = max(top, u[k])
    dropped = min(dropped * (len(u) * top + null) / z, 1.0)
    for k in range(len(row)):
        if row[k] < TINY:
            dropped += row[k]
            row[k] = 0.0
    return dropped


# Loops this short pay for themselves only in vectors: one kind of work in each.
@njit(cache=True, nogil=True)
def _multiply(a, b):
    for x in range(len(a)):
        a[x] *= b[x]


@njit(cache=True, nogil=True, fastmath=_FAST)
def _total(a):
    total = 0.0
    for x in range(len(a)):
        total += a[x]
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _move(into, before, now, scale, stay):
    """Rescale what is linked by a token, and add what stays where it was."""
    for k in range(len(into)):
        x = into[k] * scale
        into[k] = x
        now[k] = x + stay * before[k]


@njit(cache=True, nogil=True, fastmath=_FAST)
def _dot(a, b):
    total = 0.0
    for x in range(len(a)):
        total += a[x] * b[x]
    return total


@njit(cache=True, nogil=True, fastmath=_FAST)
def _split(into, p, onward, scale):
    """Posteriors of a token's links to ``p``, what jumps lead to, to ``into``."""
    for k in range(len(into)):
        x = onward[k]
        posterior = into[k] * x
        into[k] = p[k] * (x * scale)
        p[k] = posterior


@njit(cache=True, nogil=True, fastmath=_FAST)
def _stay(onward, jumped, stay):
    for k in range(len(onward)):
        onward[k] = stay * onward[k] + jumped[k]


@njit(cache=True, nogil=True)
def _mask(onward, before):
    for k in range(len(onward)):
        if before[k] == 0.0:
            onward[k] = 0.0


@njit(cache=True, nogil=True)
def _forward(active, first, u, null, jumps, strict, m, into, scale, last, total):
    """Fill the messages of one block; returns bounds of the shares that were dropped.

    ``m[row]`` comes before the token of the row, ``last[i]`` after the last token of
    chain i. ``total``: the logs of what was taken off, ``-inf`` where they underflow.
    """
    product, dropped = np.ones(len(last)), np.zeros(len(last))
    m[: active[0]] = 0.0
    m[: active[0], 0] = 1.0
    for t in range(len(active) - 1):
        f, n = first[t], active[t]
        ahead(m[f : f + n], jumps, into[f : f + n])
        _multiply(into[f : f + n].reshape(-1), u[f : f + n].reshape(-1))
        for i in range(n):
            row = f + i
            now = m[f + n + i] if i < active[t + 1] else last[i]
            z = _total(into[row]) + null[row]  # messages sum to one
            if not z >= TINY:
                total[i], z = -np.inf, np.inf
            r = 1.0 / z
            scale[row] = r
            _move(into[row], m[row], now, r, null[row] * r)
            if strict:
                dropped[i] = _watch(now, u[row], null[row], z, dropped[i])
            product[i] *= z
            if product[i] < TINY or product[i] > 1 / TINY:
                total[i] += np.log(product[i])
                product[i] = 1.0
    total += np.log(product)
    return dropped


@njit(cache=True, nogil=True)
def _backward(x, strict):
    """Replace ``u``, ``null`` by posteriors, ``into`` by what is ahead of jumps."""
    active, first, u, null, m, into = x.active, x.first, x.u, x.null, x.m, x.into
    scale, ends = x.scale, x.ends
    b, jumped = np.empty(ends.shape), np.empty(ends.shape)
    for t in range(len(active) - 2, -1, -1):
        f, n = first[t], active[t]
        b[active[t + 1] : n] = ends[active[t + 1] : n]
        for i in range(n):
            row = f + i
            _split(into[row], u[row], b[i], scale[row])
            scale[row] *= null[row]
            null[row] = _dot(m[row], b[i]) * scale[row]
        back(into[f : f + n], x.jumps, jumped[:n])
        for i in range(n):
            _stay(b[i], jumped[i], scale[f + i])
            if strict:
                # Where nothing comes from the left, nothing bounds what is ahead.
                _mask(b[i], m[f + i])


@njit(cache=True, nogil=True)
def groups_of(n, layout, table):
    """Rows of a jump table that jumps from each last position of pair n read."""
    groups = np.zeros(layout.n_states[n] + 1, np.intp)
    if len(table) > 1:
        first = layout.states[n]
        groups[1:] = layout.groups[first : first + layout.n_states[n]]
    return groups


@njit(cache=True, nogil=True)
def steps_of(n, layout):
    """How far the cells of neighbouring tokens, and of positions, are apart."""
    if layout.by_token:
        return layout.n_states[n], 1
    return 1, layout.tokens[n + 1] - layout.tokens[n]


@njit(cache=True, nogil=True)
def messages(block, layout, tables, banded, lost):
    """Forward messages of chains with equally many positions, by falling length."""
    K, tokens = layout.n_states[block[0]], layout.tokens
    groups = groups_of(block[0], layout, tables.jump)
    jumps, unscaled = jumps_of(tables.jump, groups, tables.local, banded)
    lengths = tokens[block + 1] - tokens[block]
    active = np.empty(lengths[0] + 1, np.intp)
    first = np.empty(lengths[0] + 1, np.intp)
    _layout(lengths, active, first)
    shape = (first[lengths[0]], padded(K))
    u, into, m = np.zeros(shape), np.empty(shape), np.empty(shape)
    null, scale = np.empty(shape[0]), np.empty(shape[0])
    for i in range(len(block)):
        n, rows = block[i], first[: lengths[i]] + i
        t = slice(tokens[n], tokens[n + 1])
        steps = steps_of(n, layout)
        _gather(layout.cells[n], steps, rows, K, tables, tables.link[t], u)
        null[rows] = tables.null[t]
    last, log_z = np.empty((len(block), shape[1])), np.zeros(len(block))
    dropped = _forward(
        active, first, u, null, jumps, tables.strict, m, into, scale, last, log_z
    )
    end, ends = np.zeros(shape[1]), np.zeros(last.shape)
    M = tables.jump.shape[1] // 2
    for i in range(K + 1):
        end[i] = 1.0 if tables.local else tables.jump[groups[i], M + min(K + 1 - i, M)]
    for i in range(len(block)):
        final = _dot(last[i], end)
        lost[i] = unscaled or log_z[i] == -np.inf or final < TINY
        lost[i] |= dropped[i] > UNSEEN * final
        if not lost[i]:
            log_z[i] += np.log(final)
            ends[i] = np.where(last[i] > 0.0, end / final, 0.0)
    return Messages(jumps, active, first, u, null, m, into, scale, last, ends, log_z)


@njit(cache=True, nogil=True)
def _count(block, layout, tables, weight, x, out):
    """Posteriors and expected counts of what went through `messages`."""
    _backward(x, tables.strict)
    counted = weight[block[0]] != 0.0
    for i in range(len(block)):
        n = block[i]
        J, w = layout.tokens[n + 1] - layout.tokens[n], weight[n]
        rows = x.first[:J] + i
        where = (layout.cells[n], steps_of(n, layout), rows, layout.n_states[n])
        _scatter(*where, tables.index, w, x.u, out.cell, out.node)
        out.null[layout.tokens[n] : layout.tokens[n + 1]] = x.null[rows]
        if counted and w != 1.0:
            for row in rows:
                x.m[row] *= w
        if counted and not tables.local:
            count_ends(w * x.last[i] * x.ends[i], x.jumps, out.jump)
    if counted:
        count_jumps(x.m, x.into, x.jumps, out.jump)


@njit(cache=True, nogil=True)
def lattice_sums(pairs, layout, tables, weight, widest, backward, out):
    """Log-partitions and expected counts of the given pairs, written to ``out``.

    They come by number of positions, counted ones (of weight not 0) apart, and by
    falling length. More positions than ``widest`` are done with a band. Returns a mark
    for each pair that must be done again in log space.
    """
    lost = np.zeros(len(pairs), dtype=np.bool_)
    begin, rows = 0, 0
    for x in range(1, len(pairs) + 1):
        before = pairs[x - 1]
        K = layout.n_states[before]
        rows += layout.tokens[before + 1] - layout.tokens[before]
        banded = bool(widest < K)
        if (
            x == len(pairs)
            or len(tables.jump) > 1  # jumps of their own
            or banded
            or x - begin == _WIDTH
            or rows > _MAX_ROWS
            or layout.n_states[pairs[x]] != K
            or (weight[pairs[x]] == 0.0) != (weight[before] == 0.0)
        ):
            block = pairs[begin:x]
            found = messages(block, layout, tables, banded, lost[begin:x])
            out.log_z[block] = found.log_z
            if backward:
                _count(block, layout, tables, weight, found, out)
            begin, rows = x, 0
    return lost

"""Greedy merges of classes that cost the least mutual information of neighbours.

With n of N bigrams in each cell of the table of adjacent classes, and T tokens in each
class, N times the mutual information is, but for a constant, the sum of ``n log n``
over the cells less that of ``n log T`` over their rows and over their columns. To merge
two classes joins cells. Joining counts a and b gains ``(a + b) log(a + b) - a log a -
b log b``, which is zero if either is: what merges cost changes only where a changed
class has neighbours, and a rare type has few.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

__all__ = ["merge_classes"]

# How many numbers x have x log x in a table.
_TABLED = 2**20
# Pairs of classes that a call of a kernel looks at: far less than a second.
_BLOCK = 10**7
# Differences of costs below this share of N log N are taken for rounding.
_TIE = 1e-12


class _Classes(NamedTuple):
    """Present classes, each in a place."""

    after: np.ndarray  # how often class t follows class s
    before: np.ndarray  # its transpose, for the speed of rows
    shared: np.ndarray  # gain of joining the cells of s and t beside all others
    costs: np.ndarray  # of merging s and t, times N
    sizes: np.ndarray  # tokens
    ends: np.ndarray  # tokens beside present classes, counted on each side
    stale: np.ndarray  # whose costs have changed
    root: np.ndarray  # the type that stands for the class


class _Types(NamedTuple):
    """All types: a forest of those that have been merged."""

    parent: np.ndarray
    place: np.ndarray  # of the class that a root stands for; -1 before it enters


def merge_classes(pairs, n_fixed, n_classes):
    """Merge types to classes, and those down to one.

    Types enter in their order. As soon as there is one class more than asked for, the
    two are merged that cost the least mutual information of what has entered.

    Parameters
    ----------
    pairs : csr_array of shape (V, V)
        ``pairs[v, w]`` is how often type w follows type v; each type is followed as
        often as it follows.
    n_fixed : int
        So many types, the first ones, are neighbours like others but never merge.
    n_classes : int
        Number of other classes, at most that of other types.

    Returns
    -------
    labels : ndarray of shape (V - n_fixed,)
        Class of each type, numbered by their first types.
    merges : ndarray of shape (n_classes - 1, 2)
        Pairs of classes that are merged next; a merged class keeps the lower number.
    costs : ndarray of shape (n_classes - 1,)
        The mutual information that each merge costs, in nats.
    """
    n_types, total, m = pairs.shape[0], int(pairs.sum()), n_fixed + n_classes + 1
    bigrams = [(t.indptr, t.indices, t.data) for t in (pairs, pairs.T.tocsr())]
    types = _Types(np.arange(n_types), np.full(n_types, -1))
    classes = _Classes(
        *(np.zeros((m, m), np.int64) for _ in ("after", "before")),
        *(np.zeros((m, m)) for _ in ("shared", "costs")),
        *(np.zeros(m, np.int64) for _ in ("sizes", "ends")),
        stale=np.zeros(m, np.bool_),
        root=np.zeros(m, np.int64),
    )
    numbers = _numbers(total)
    # Python sees an interrupt between two blocks.
    step = max(1, _BLOCK // m**2)
    for first in range(0, n_types, step):
        last = min(first + step, n_types)
        _add_types(first, last, n_fixed, *bigrams, types, classes, numbers)
    names, labels = np.unique(_roots(types.parent)[n_fixed:], return_inverse=True)
    merged = [
        _merge_cheapest(n_fixed, n_present, types, classes, numbers)
        for n_present in range(n_fixed + n_classes, n_fixed + 1, -1)
    ]
    merges = np.array([pair for *pair, _ in merged], np.intp).reshape(-1, 2)
    # A merge that costs nothing may come out just below zero.
    costs = np.array([max(cost / total, 0.0) for *_, cost in merged])
    return labels, np.searchsorted(names, merges), costs


def _numbers(total):
    """Table of x log x, its grid, and the difference of costs that does not count.

    Sums that are kept up to date do not drift, since multiples of a power of two add
    without rounding while they are not too large.
    """
    largest = total * np.log(total)
    grid = 2.0 ** (np.ceil(np.log2(largest)) - 50)
    x = np.arange(min(total + 1, _TABLED))
    table = np.rint(x * np.log(np.maximum(x, 1)) / grid) * grid
    return table, grid, _TIE * largest


@njit(cache=True, nogil=True)
def _x_log_x(x, numbers):
    table, grid, _ = numbers
    if x < len(table):
        return table[x]
    return np.rint(x * np.log(x) / grid) * grid


@njit(cache=True, nogil=True)
def _join(gains, sign, count, cells, numbers):
    """Add, or take away, what joining a cell of that count with each other gains."""
    if count > 0:
        own = _x_log_x(count, numbers)
        for t in range(len(gains)):
            if cells[t] > 0:
                both = _x_log_x(count + cells[t], numbers)
                gains[t] += sign * (both - own - _x_log_x(cells[t], numbers))


@njit(cache=True, nogil=True)
def _neighbours(k, m, classes):
    """Places of the classes, but k, that have been seen beside class k."""
    near, n_near = np.empty(m, np.int64), 0
    for u in range(m):
        if u != k and classes.after[k, u] + classes.before[k, u] > 0:
            near[n_near] = u
            n_near += 1
    return near[:n_near]


@njit(cache=True, nogil=True)
def _share(sign, k, near, m, classes, numbers):
    """Add, or take away, the gains in cells between class k and those near it."""
    after, before, shared = classes.after, classes.before, classes.shared
    classes.stale[k] = True
    for u in near:
        classes.stale[u] = True
        # Beside u, class k and others; beside k, class u and others; but what is
        # between the two of them is no cell that a third class is beside.
        unchanged = shared[k, u]
        for c, beside in ((k, u), (u, k)):
            _join(shared[c, :m], sign, after[c, beside], before[beside], numbers)
            _join(shared[c, :m], sign, before[c, beside], after[beside], numbers)
            shared[c, beside] = unchanged
    # Only now, since the rows of two near classes have each been added to.
    for t in range(m):
        shared[t, k] = shared[k, t]
    for u in near:
        for t in range(m):
            shared[t, u] = shared[u, t]


@njit(cache=True, nogil=True)
def _find(parent, v):
    """The type that stands for the class of v; shortens the way to it."""
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@njit(cache=True, nogil=True)
def _roots(parent):
    roots = np.empty_like(parent)
    for v in range(len(parent)):
        roots[v] = _find(parent, v)
    return roots


@njit(cache=True, nogil=True)
def _count(row, v, bigrams, types):
    """Count present classes on one side of type v; the answer is all that is there."""
    starts, others, counts = bigrams
    total = 0
    for p in range(starts[v], starts[v + 1]):
        total += counts[p]
        u = types.place[_find(types.parent, others[p])]
        if u >= 0:
            row[u] += counts[p]
    return total


@njit(cache=True, nogil=True)
def _enter(v, k, followers, leaders, types, classes, numbers):
    """Make type v the class in place k, the last one."""
    after, before = classes.after, classes.before
    types.place[v], classes.root[k] = k, v
    classes.ends[k] = 0
    for u in range(k + 1):
        after[k, u] = before[k, u] = 0
        classes.shared[k, u] = 0.0
    classes.sizes[k] = _count(after[k], v, followers, types)
    _count(before[k], v, leaders, types)
    for u in range(k + 1):
        after[u, k], before[u, k] = before[k, u], after[k, u]
        both = after[k, u] + before[k, u]
        classes.ends[k] += both
        if u < k:
            classes.ends[u] += both
    _share(1.0, k, _neighbours(k, k + 1, classes), k + 1, classes, numbers)


@njit(cache=True, nogil=True)
def _update_costs(n_fixed, m, classes, numbers):
    """N times the mutual information that it costs to merge a stale class with any."""
    after, sizes, ends = classes.after, classes.sizes, classes.ends
    alone = ends[:m] * np.log(np.maximum(sizes[:m], 1))
    for s in np.flatnonzero(classes.stale[:m]):
        for t in range(n_fixed, m):
            cost = (ends[s] + ends[t]) * np.log(sizes[s] + sizes[t])
            cost -= alone[s] + alone[t] + classes.shared[s, t]
            inside = after[s, s] + after[s, t] + after[t, s] + after[t, t]
            if inside > 0:
                cost -= _x_log_x(inside, numbers)
                cost += _x_log_x(after[s, s], numbers) + _x_log_x(after[s, t], numbers)
                cost += _x_log_x(after[t, s], numbers) + _x_log_x(after[t, t], numbers)
            classes.costs[s, t] = classes.costs[t, s] = cost
    classes.stale[:m] = False


@njit(cache=True, nogil=True)
def _cheapest(n_fixed, m, costs, tie):
    """The first pair of m classes that costs least to merge, and what it costs."""
    least, i, j = np.inf, 0, 0
    for s in range(n_fixed, m):
        for t in range(s + 1, m):
            if costs[s, t] < least - tie:
                least, i, j = costs[s, t], s, t
    return i, j, least


@njit(cache=True, nogil=True)
def _merge_cheapest(n_fixed, m, types, classes, numbers):
    """Merge two of m classes; the last one takes the place of the one that vanishes.

    Returns the types that stood for them, the lower number first, and the cost.
    """
    _update_costs(n_fixed, m, classes, numbers)
    i, j, cost = _cheapest(n_fixed, m, classes.costs, numbers[2])
    near = _neighbours(j, m, classes)
    _share(-1.0, j, near, m, classes, numbers)
    near = near[near != i]
    _share(-1.0, i, near, m, classes, numbers)
    _unite(i, j, m, classes.after)
    _unite(i, j, m, classes.before)
    _share(1.0, i, near, m, classes, numbers)
    root = classes.root
    kept, gone = min(root[i], root[j]), max(root[i], root[j])
    types.parent[gone] = root[i] = kept
    types.place[kept] = i
    for tokens in (classes.sizes, classes.ends):
        tokens[i] += tokens[j]
    if j < m - 1:
        _move(m - 1, j, m, types, classes)
    return kept, gone, cost


@njit(cache=True, nogil=True)
def _unite(i, j, m, counts):
    """Add row and column j to row and column i, and leave zeros."""
    for t in range(m):
        counts[i, t] += counts[j, t]
        counts[j, t] = 0
    for t in range(m):
        counts[t, i] += counts[t, j]
        counts[t, j] = 0


@njit(cache=True, nogil=True)
def _move(old, new, m, types, classes):
    """Move a class to another place."""
    for counts in (classes.after, classes.before):
        _copy(old, new, m, counts)
    for gains in (classes.shared, classes.costs):
        _copy(old, new, m, gains)
    for row in (classes.sizes, classes.ends, classes.root):
        row[new] = row[old]
    classes.stale[new] = classes.stale[old]
    types.place[classes.root[old]] = new


@njit(cache=True, nogil=True)
def _copy(old, new, m, table):
    """Copy a row and a column to another."""
    for t in range(m):
        table[new, t] = table[old, t]
    for t in range(m):
        table[t, new] = table[t, old]


@njit(cache=True, nogil=True)
def _add_types(first, last, n_fixed, followers, leaders, types, classes, numbers):
    """Let types enter one by one, each followed by a merge once there are enough."""
    full = len(classes.sizes) - 1
    for v in range(first, last):
        k = min(v, full)
        _enter(v, k, followers, leaders, types, classes, numbers)
        if k == full:
            _merge_cheapest(n_fixed, full + 1, types, classes, numbers)

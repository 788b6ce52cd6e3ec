"""Links between the tokens of sentence pairs."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from skstruct.containers import Bitext, Ragged
from skstruct.containers._reading import is_missing

__all__ = ["Links", "as_links"]


class Links(NamedTuple):
    """Distinct links of all pairs, ordered by pair, source and target."""

    pair: np.ndarray
    source: np.ndarray
    target: np.ndarray
    sure: np.ndarray
    known: np.ndarray


def as_links(y, sizes=None, name="y"):
    """Read the links of sentence pairs, some of which may be unknown.

    Parameters
    ----------
    y : Ragged, or list-like of links
        For each pair an array, list or set of ``(source, target)``, counted from 0, or
        of ``(source, target, sure)`` with 1 for sure and 0 for possible; None or NaN
        where the links of a pair are unknown. A link given twice counts once, as sure
        if it is sure once.
    sizes : Bitext, tuple (source lengths, target lengths) or None, default=None
        The pairs that the links belong to, or the numbers of their tokens. None leaves
        number and range unchecked.
    name : str, default="y"
        The name used in errors.

    Returns
    -------
    Links
        ``pair``, ``source`` and ``target`` (intp) and ``sure`` (bool), each of shape
        (n_links,); ``known``, bool of shape (n_pairs,).

    Raises
    ------
    ValueError
        If there are not as many entries as pairs, or a link is no pair of whole
        numbers, negative or out of range; the message names pair and link.

    Examples
    --------
    >>> from skstruct._validation import as_links
    >>> links = as_links([{(0, 0), (1, 0)}, None, [(1, 0, 0)]])
    >>> links.pair, links.source, links.sure
    (array([0, 0, 2]), array([0, 1, 1]), array([ True,  True, False]))
    >>> links.known
    array([ True, False,  True])
    """
    known, counts, rows = _stack(y, name)
    if isinstance(sizes, Bitext):
        sizes = sizes.source.lengths, sizes.target.lengths
    if sizes is not None and len(sizes[0]) != len(known):
        raise ValueError(
            f"{name} has links for {len(known)} pairs, X has {len(sizes[0])}; give one "
            "entry for each pair, None where its links are unknown."
        )
    pair = np.repeat(np.arange(len(known)), counts)
    _check_range(pair, rows, sizes, name)
    source, target, sure = rows[:, 0], rows[:, 1], rows[:, 2] == 1
    # Of equal links the sure one comes first, and the first one stays.
    order = np.lexsort((~sure, target, source, pair))
    pair, source, target = pair[order], source[order], target[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(pair) != 0) | (np.diff(source) != 0) | (np.diff(target) != 0)
    return Links(pair[first], source[first], target[first], sure[order][first], known)


def _stack(y, name):
    """Which pairs are known, the number of their links, and (n_links, 3) rows."""
    if _is_plain(y):
        rows = np.ones((y.n_tokens, 3), dtype=np.intp)
        rows[:, :2] = y.values
        return np.ones(len(y), dtype=bool), y.lengths, rows
    if (
        isinstance(y, str | bytes | Mapping)
        or hasattr(y, "columns")
        or not hasattr(y, "__iter__")
    ):
        raise ValueError(
            f"{name} must be a list with the links of each pair, arrays of shape "
            f"(n_links, 2); got a {type(y).__name__}."
        )
    entries = list(y)
    known = np.array([not is_missing(entry) for entry in entries], dtype=bool)
    rows = [
        _as_rows([] if is_missing(entry) else entry, f"{name}, pair {i}")
        for i, entry in enumerate(entries)
    ]
    counts = np.array([len(r) for r in rows], dtype=np.intp)
    return known, counts, np.concatenate([np.zeros((0, 3), dtype=np.intp), *rows])


def _is_plain(y):
    """Whether these are links as aligners predict them, alike in all pairs."""
    if not isinstance(y, Ragged) or y.values.shape[1:] != (2,):
        return False
    return y.values.dtype.kind in "iu"


def _as_rows(links, where):
    """Links of one pair as rows (source, target, 1 if sure)."""
    if isinstance(links, set | frozenset):
        links = list(links)
    if isinstance(links, str | bytes | Mapping) or not hasattr(links, "__len__"):
        raise ValueError(
            f"{where}: links are an array of shape (n_links, 2), or a list or set of "
            f"(source, target), got a {type(links).__name__}; files are read by "
            "skstruct.datasets.read_links."
        )
    if len(links) == 0:
        return np.zeros((0, 3), dtype=np.intp)
    try:
        table = np.asarray(links)
    except ValueError:  # rows of different lengths
        table = np.asarray(links, dtype=object)
    if table.ndim != 2 or table.shape[1] not in (2, 3):
        raise ValueError(
            f"{where}: links must be (source, target), or (source, target, sure) with "
            f"1 or 0, all alike; got an array of shape {table.shape}. Links of a "
            "matrix are numpy.argwhere(matrix)."
        )
    rows = np.ones((len(table), 3), dtype=np.intp)
    rows[:, : table.shape[1]] = _as_integers(table, where)
    marks = np.flatnonzero((rows[:, 2] != 0) & (rows[:, 2] != 1))
    if marks.size:
        raise ValueError(
            f"{where}: the link {_shown(table[marks[0]])} is marked "
            f"{rows[marks[0], 2]}; a mark is 1 (sure) or 0 (possible)."
        )
    return rows


def _as_integers(table, where):
    if table.dtype.kind in "iu":
        return table
    if table.dtype.kind in "Of":
        try:
            numbers = table.astype(np.float64)
        except (TypeError, ValueError):
            numbers = np.full(table.shape, np.nan)
        # Positions stay far below the integers that floats cannot tell apart.
        whole = (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**53)
        if whole.all():
            return numbers.astype(np.intp)
        row = table[np.flatnonzero(~whole.all(axis=1))[0]]
    else:
        row = table[0]
    raise ValueError(f"{where}: the link {_shown(row)} is not made of whole numbers.")


def _check_range(pair, rows, sizes, name):
    negative = np.flatnonzero((rows < 0).any(axis=1))
    if negative.size:
        row = negative[0]
        raise ValueError(
            f"{name}, pair {pair[row]}: the link {_shown(rows[row, :2])} is negative; "
            "tokens are counted from 0, and a token without a partner has no link."
        )
    if sizes is None:
        return
    n_source, n_target = (np.asarray(lengths)[pair] for lengths in sizes)
    outside = np.flatnonzero((rows[:, 0] >= n_source) | (rows[:, 1] >= n_target))
    if outside.size:
        row = outside[0]
        raise ValueError(
            f"{name}, pair {pair[row]}: the link {_shown(rows[row, :2])} is out of "
            f"range, since the source has {n_source[row]} tokens and the target "
            f"{n_target[row]}. Tokens are counted from 0; files that count from 1 are "
            "the usual reason: read_links(path, one_based=True)."
        )


def _shown(link):
    return f"({', '.join(map(str, link.tolist()))})"

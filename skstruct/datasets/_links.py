"""Word links: Pharaoh lines and the format of the shared tasks (NAACL, WPT)."""

import re
from numbers import Integral

import numpy as np

from skstruct._validation import as_links
from skstruct.datasets._lines import bad_line, read_lines, write_lines
from skstruct.datasets._text import tokenize

__all__ = ["read_links", "write_links"]

# A slip of the pen must not ask for a billion pairs.
_MAX_DIGITS = 7
_NUMBER = rf"0*(\d{{1,{_MAX_DIGITS}}})"
# A mark stands between the numbers, or after links with a hyphen.
_match_pharaoh = re.compile(
    rf"{_NUMBER}(?:-|([?p])){_NUMBER}(?(2)|([SP])?)", re.ASCII
).fullmatch
_match_naacl = re.compile(
    rf"\s*{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}(?:\s+([SP]))?(?:\s+\d*\.?\d+)?\s*",
    re.ASCII,
).fullmatch


def read_links(
    path, *, format="pharaoh", reverse=False, one_based=None, n_pairs=None
) -> np.ndarray:
    r"""Read the links of sentence pairs.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file, gzipped if its name ends in ``.gz``.
    format : {"pharaoh", "naacl"}, default="pharaoh"
        Pharaoh: a line for each pair, ``i-j`` or ``i-jS`` for a sure link of source
        token i and target token j, ``i?j``, ``ipj`` or ``i-jP`` for a possible one; an
        empty line is a pair without links. NAACL (WPT): a line ``sentence source target
        [S|P] [confidence]`` for each link, S (sure) where there is no mark; confidence
        is not kept. A position 0 of a file that counts from 1 stands for no partner.
    reverse : bool, default=False
        Whether the file names the target token first.
    one_based : bool, default=None
        Whether tokens, and sentences of NAACL, count from 1. None: NAACL does, Pharaoh
        does not.
    n_pairs : int, default=None
        The number of pairs, where the file holds the first of them or leaves some out.
        None: up to the last one in the file.

    Returns
    -------
    ndarray of object of shape (n_pairs,)
        For each pair an int array (n_links, 2) of source and target, counted from 0.
        If the file has possible links, all arrays are (n_links, 3), with 1 for sure and
        0 for possible. None for pairs that the file leaves out: nothing is known of
        them, and scorers skip them.

    Raises
    ------
    ValueError
        If a line or link does not follow the format, or there are more pairs than
        ``n_pairs``; the message names file and line.

    See Also
    --------
    read_bitext : The sentences.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import read_links
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "gold.txt")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("0?0 1-0\n\n0-0\n")
    ...     links = read_links(path, n_pairs=4)
    >>> [None if pair is None else pair.tolist() for pair in links]
    [[[0, 0, 0], [1, 0, 1]], [], [[0, 0, 1]], None]
    """
    base = _base(format, one_based)
    if n_pairs is not None and not (
        isinstance(n_pairs, Integral) and not isinstance(n_pairs, bool) and n_pairs >= 0
    ):
        raise ValueError(f"n_pairs must be a number of pairs or None, got {n_pairs!r}.")
    found = {}
    read_rows = _read_pharaoh if format == "pharaoh" else _read_naacl
    for number, pair, rows in read_rows(path, base):
        if n_pairs is not None and pair >= n_pairs:
            raise bad_line(
                path, number, f"pair {pair + base} is beyond n_pairs={n_pairs}."
            )
        found.setdefault(pair, []).extend(rows)
    n_pairs = max(found, default=-1) + 1 if n_pairs is None else n_pairs
    marked = any(not sure for rows in found.values() for *_, sure in rows)
    columns = [1, 0, 2] if reverse else [0, 1, 2]
    links = np.full(n_pairs, None, dtype=object)
    for pair, rows in found.items():
        table = np.array(rows, dtype=np.intp).reshape(-1, 3)
        links[pair] = table[:, columns if marked else columns[:2]]
    return links


def _base(format, one_based):
    """The number of the first token (and sentence)."""
    if format not in ("pharaoh", "naacl"):
        raise ValueError(f"format must be 'pharaoh' or 'naacl', got {format!r}.")
    if one_based not in (None, True, False):
        raise ValueError(f"one_based must be True, False or None, got {one_based!r}.")
    return int(format == "naacl" if one_based is None else one_based)


def _read_pharaoh(path, base):
    """Yield (line number, pair, links) of each line."""
    for number, line in read_lines(path):
        rows = []
        for text in tokenize(line):
            match = _match_pharaoh(text)
            if match is None:
                raise bad_line(
                    path,
                    number,
                    f"{text[:40]!r} is no link; links are i-j or i-jS (sure), "
                    "i?j, ipj or i-jP (possible).",
                )
            source, between, target, after = match.groups()
            source, target = int(source) - base, int(target) - base
            if min(source, target) < 0:
                raise bad_line(
                    path,
                    number,
                    f"the link {text} counts from 0, not from 1; pass one_based=False.",
                )
            sure = not between and after != "P"
            rows.append((source, target, int(sure)))
        yield number, number - 1, rows


def _read_naacl(path, base):
    """Yield (line number, pair, links) of each line."""
    for number, line in read_lines(path):
        if not tokenize(line):
            continue
        match = _match_naacl(line)
        if match is None:
            raise bad_line(
                path,
                number,
                f"{line[:40]!r} is not 'sentence source target [S|P] [confidence]'.",
            )
        *numbers, mark = match.groups()
        pair, source, target = (int(n) - base for n in numbers)
        if pair < 0:
            raise bad_line(
                path,
                number,
                "sentence 0 counts from 0, not from 1; pass one_based=False.",
            )
        is_link = min(source, target) >= 0
        yield number, pair, [(source, target, int(mark != "P"))] if is_link else []


def write_links(
    links, path, *, format="pharaoh", reverse=False, one_based=None
) -> None:
    """Write links as `read_links` reads them.

    Parameters
    ----------
    links : Ragged, or list-like of links
        For each pair an array (n_links, 2), or (n_links, 3) with 1 for sure and 0 for
        possible, or a set or list of tuples; None where nothing is known.
    path : str or path-like
        The file to write, gzipped if its name ends in ``.gz``.
    format : {"pharaoh", "naacl"}, default="pharaoh"
        See `read_links`. NAACL has no line for a pair without links, which is read back
        as None.
    reverse : bool, default=False
        Whether to name the target token first.
    one_based : bool, default=None
        Whether to count from 1. None: NAACL does, Pharaoh does not.

    Raises
    ------
    ValueError
        If links are not pairs of whole numbers from 0 of at most 7 digits, or a pair of
        which nothing is known stands before others, which Pharaoh cannot tell from one
        without links; nothing is written then.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import read_links, write_links
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "links.txt")
    ...     write_links([[(0, 0), (1, 0)], [(2, 1)]], path, format="naacl")
    ...     print(open(path).read(), end="")
    0001 1 1
    0001 2 1
    0002 3 2
    """
    base = _base(format, one_based)
    pair, source, target, sure, known = as_links(links, name="links")
    numbered = [source, target] if format == "pharaoh" else [source, target, pair]
    _check_digits(np.array(numbered) + base, pair)
    first, second = (target, source) if reverse else (source, target)
    rows = zip(
        pair.tolist(),
        (first + base).tolist(),
        (second + base).tolist(),
        sure.tolist(),
        strict=True,
    )
    if format == "pharaoh":
        write_lines(path, _pharaoh_lines(rows, known))
    else:
        marks = ("", "") if sure.all() else (" P", " S")
        write_lines(path, (f"{p + base:04d} {i} {j}{marks[s]}" for p, i, j, s in rows))


def _check_digits(numbers, pair):
    """Raise if a file would hold numbers that `read_links` refuses."""
    large = np.argwhere(numbers.T >= 10**_MAX_DIGITS)
    if len(large):
        link, column = large[0]
        raise ValueError(
            f"links, pair {pair[link]}: the number {numbers[column, link]} has more "
            f"than {_MAX_DIGITS} digits, which read_links takes for a slip of the pen."
        )


def _pharaoh_lines(rows, known):
    """A line for each pair up to the last one that is known."""
    lines = [[] for _ in range(np.flatnonzero(known).max(initial=-1) + 1)]
    unknown = np.flatnonzero(~known[: len(lines)])
    if unknown.size:
        raise ValueError(
            f"links, pair {unknown[0]}: nothing is known of it, which a Pharaoh file "
            "cannot say, since an empty line is a pair without links. Leave such pairs "
            "out, or write format='naacl'."
        )
    for p, i, j, sure in rows:
        lines[p].append(f"{i}{'?-'[sure]}{j}")
    return map(" ".join, lines)

"""Tables of phrases in contexts, and of the categories of phrases."""

from math import isfinite
from numbers import Integral, Real

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skstruct.datasets._lines import bad_line, holds_surrogate, read_lines, write_lines

__all__ = ["make_phrase_table", "read_phrase_table", "write_phrase_labels"]


def read_phrase_table(path, n_context=None, *, label=True):
    r"""Read occurrences of phrases with their contexts.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file, gzipped if its name ends in ``.gz``, without a header. A line for
        each occurrence of a phrase: ``phrase TAB contexts TAB label``, where contexts
        are as many columns for the left side as for the right, in reading order.
    n_context : int, default=None
        Number of contexts to keep on either side, the nearest ones. None: all.
    label : bool, default=True
        Whether the last column is the category of the phrase.

    Returns
    -------
    X : ndarray of object of shape (n_rows, 1 + 2 n_context)
        Phrase, left contexts and right contexts, str.
    y : ndarray of object of shape (n_rows,)
        Categories, str. Only if ``label``.

    Raises
    ------
    ValueError
        If the file has no lines or not as many contexts, or a line has another number
        of columns than the first; the message names file and line.

    See Also
    --------
    skstruct.featurizers.PhraseExtractor : Such tables from sentences.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import read_phrase_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "phrases.tsv")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("the old man\the\tsaw\t.\t</s>\tNP\n")
    ...     X, y = read_phrase_table(path, n_context=1)
    >>> X
    array([['the old man', 'saw', '.']], dtype=object)
    >>> y
    array(['NP'], dtype=object)
    """
    if n_context is not None:
        check_scalar(n_context, "n_context", Integral, min_val=0)
    flat, width = [], None
    # Equal strings become one object: a table holds far fewer of them than cells.
    share = {}.setdefault
    for number, line in read_lines(path):
        fields = line.split("\t")
        if width is None:
            width = len(fields)
            _check_width(path, width - 1 - bool(label), n_context, label)
        if len(fields) != width:
            raise bad_line(
                path,
                number,
                f"expected {width} columns as in line 1, found {len(fields)} in "
                f"{line[:60]!r}; columns are separated by tabs.",
            )
        flat.extend(map(share, fields, fields))
    if width is None:
        raise ValueError(f"{path} has no lines.")
    table = np.array(flat, dtype=object).reshape(-1, width)
    n_given = (width - 1 - bool(label)) // 2
    n = n_given if n_context is None else n_context
    X = table[:, [0, *range(1 + n_given - n, 1 + n_given + n)]]
    return (X, table[:, -1].copy()) if label else X


def _check_width(path, n_slots, n_context, label):
    """Raise if the columns of the first line cannot be a phrase in its contexts."""
    form = "phrase, contexts, label" if label else "phrase, contexts"
    if n_slots < 0 or n_slots % 2:
        raise bad_line(
            path,
            1,
            f"label={label} leaves {n_slots} columns of contexts in ({form}), which "
            "must be as many for the left side as for the right; check `label`.",
        )
    if n_context is not None and n_slots < 2 * n_context:
        raise bad_line(
            path,
            1,
            f"there are {n_slots // 2} contexts on either side in ({form}), less than "
            f"n_context={n_context}.",
        )


def write_phrase_labels(table, path) -> None:
    """Write the categories of phrases, for programs that extract grammars.

    Parameters
    ----------
    table : iterable of rows, dict of columns, or pandas or polars DataFrame
        (phrase, category, probability, count): how probable the category is, given the
        phrase, and how often the phrase occurs. The columns of a dict or DataFrame bear
        these names; others are left out.
    path : str or path-like
        A line ``phrase<TAB>category<TAB>probability<TAB>count`` for each row, in the
        order given; UTF-8, gzipped if the name ends in ``.gz``. Probabilities have six
        digits.

    Raises
    ------
    ValueError
        If a column is missing, a row is of another length, a phrase or category has a
        tab, a line end or what cannot be encoded, a probability is not from 0 to 1, or
        a count is negative; the message names the row.

    See Also
    --------
    read_phrase_table : Occurrences of phrases.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import write_phrase_labels
    >>> table = [("the man", 3, 1.0, 12), ("run", 0, 0.75, 8), ("run", 3, 0.25, 8)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "labels.tsv")
    ...     write_phrase_labels(table, path)
    ...     print(open(path).read().expandtabs(10), end="")
    the man   3         1         12
    run       0         0.75      8
    run       3         0.25      8
    """
    write_lines(path, (_label_line(i, row) for i, row in enumerate(_rows(table))))


_COLUMNS = ("phrase", "category", "probability", "count")


def _rows(table):
    if not isinstance(table, dict) and not hasattr(table, "columns"):
        return table
    names = list(table if isinstance(table, dict) else table.columns)
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        raise ValueError(
            f"table has no column {missing[0]!r}; its columns are {names}, those "
            f"needed {', '.join(_COLUMNS)}."
        )
    if isinstance(table, dict):
        columns = [np.asarray(table[name]).tolist() for name in _COLUMNS]
        if len(lengths := set(map(len, columns))) > 1:
            raise ValueError(f"table has columns of lengths {sorted(lengths)}.")
        return zip(*columns, strict=True)
    return nw.from_native(table, eager_only=True).select(*_COLUMNS).iter_rows()


def _label_line(i, row):
    is_row = hasattr(row, "__len__") and not isinstance(row, str)
    if not is_row or len(row) != len(_COLUMNS):
        raise ValueError(
            f"table, row {i}: expected ({', '.join(_COLUMNS)}), got {row!r}."
        )
    phrase, category, probability, count = row
    for name, text in (("phrase", str(phrase)), ("category", str(category))):
        if any(end in text for end in "\t\n\r"):
            raise ValueError(
                f"table, row {i}: the {name} {text!r} has a tab or a line end, which "
                "would break its line."
            )
        if holds_surrogate(text):
            raise ValueError(
                f"table, row {i}: the {name} {text!r} holds half of a surrogate pair, "
                "which UTF-8 cannot encode."
            )
    if not isinstance(probability, Real) or not 0 <= probability <= 1:
        raise ValueError(
            f"table, row {i}: the probability of {phrase!r} is {probability!r}, not a "
            "number from 0 to 1."
        )
    if not isinstance(count, Real) or not isfinite(count) or count < 0:
        raise ValueError(
            f"table, row {i}: the count of {phrase!r} is {count!r}, not a number from "
            "0."
        )
    return f"{phrase}\t{category}\t{probability:.6g}\t{count:.12g}"


def make_phrase_table(
    n_rows=2000,
    *,
    n_categories=4,
    n_phrases=200,
    n_slots=2,
    ambiguity=0.1,
    random_state=None,
):
    r"""Draw occurrences of phrases whose categories are known.

    .. math:: p \sim 1 / \text{rank}(p), \quad z \mid p, \quad
        c_s \sim P_s(\cdot \mid z)

    Phrases, some frequent and most rare, have one category each, but for a share
    ``ambiguity`` of the rows, whose category is drawn from all. Each slot has 10 words
    for each category, some frequent; half of its words, those at even ranks, are
    shared with the next category, so that no single context gives a category away.

    Parameters
    ----------
    n_rows : int, default=2000
        Number of occurrences.
    n_categories : int, default=4
        Number of categories.
    n_phrases : int, default=200
        Number of distinct phrases to draw from.
    n_slots : int, default=2
        Number of context slots.
    ambiguity : float, default=0.1
        Share of the rows whose category does not depend on the phrase, from 0 to 1.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.

    Returns
    -------
    X : ndarray of object of shape (n_rows, 1 + n_slots)
        Phrase and contexts, str.
    y : ndarray of int of shape (n_rows,)
        Categories from 0.

    See Also
    --------
    read_phrase_table : Real phrases.

    Examples
    --------
    >>> from skstruct.datasets import make_phrase_table
    >>> X, y = make_phrase_table(3, random_state=0)
    >>> X.shape, y.shape
    ((3, 3), (3,))
    """
    sizes = {"n_rows": n_rows, "n_categories": n_categories, "n_phrases": n_phrases}
    for name, size in sizes.items():
        check_scalar(size, name, Integral, min_val=1)
    check_scalar(n_slots, "n_slots", Integral, min_val=0)
    if not isinstance(ambiguity, Real) or not 0 <= ambiguity <= 1:
        raise ValueError(f"ambiguity must be from 0 to 1, got {ambiguity!r}.")
    rng = check_random_state(random_state)
    phrase = _draw_ranks(n_phrases, n_rows, rng)
    y = phrase % n_categories
    is_free = rng.uniform(size=n_rows) < ambiguity
    y[is_free] = rng.randint(n_categories, size=is_free.sum())
    X = np.empty((n_rows, 1 + n_slots), dtype=object)
    X[:, 0] = [f"phrase{p}" for p in phrase]
    for s in range(1, 1 + n_slots):
        rank = _draw_ranks(10, n_rows, rng)
        owner = np.where((rank % 2 == 0) & (rng.uniform(size=n_rows) < 0.5), y + 1, y)
        X[:, s] = [f"slot{s}word{w}" for w in owner % n_categories * 10 + rank]
    return X, y


def _draw_ranks(n, size, rng):
    """Numbers below n, number r with probability proportional to 1 / (r + 1)."""
    weights = 1 / np.arange(1, n + 1)
    return rng.choice(n, size, p=weights / weights.sum())

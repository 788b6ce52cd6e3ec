"""CoNLL-U, the format of Universal Dependencies."""

import re
from itertools import repeat
from numbers import Integral
from operator import itemgetter

from sklearn.utils import Bunch

from skstruct.containers import Ragged
from skstruct.datasets._lines import (
    bad_line,
    holds_surrogate,
    read_lines,
    stack_rows,
    write_lines,
)

__all__ = [
    "looks_like_conllu",
    "read_conllu",
    "read_treebank",
    "replace_column",
    "write_conllu",
]

FIELDS = (
    *("id", "form", "lemma", "upos", "xpos"),
    *("feats", "head", "deprel", "deps", "misc"),
)
# Only here does "_" say "not annotated"; it is a real word, or says "no features".
LABELS = ("upos", "xpos", "deprel")

# Python reads no integer of thousands of digits.
_is_number = re.compile(r"\d{1,9}").fullmatch
_is_not_a_word = re.compile(r"\d+-\d+|\d+\.\d+").fullmatch


def read_conllu(path, *, return_X_y=True, tag="upos"):
    """Read words and labels of a treebank in CoNLL-U.

    Comments, multiword ranges (``3-4``) and empty nodes (``5.1``) are skipped: a token
    is a syntactic word.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file, gzipped if its name ends in ``.gz``.
    return_X_y : bool, default=True
        Whether to return words and one column of labels rather than all columns.
    tag : {"upos", "xpos", "deprel", "lemma", "feats", "head", "deps", "misc"}, \
            default="upos"
        The column that becomes ``y``.

    Returns
    -------
    X, y : Ragged, Ragged
        Words and labels, str. A ``_`` among the labels of ``upos``, ``xpos`` and
        ``deprel`` means "not annotated" and is read as None, an unknown label.
    columns : Bunch
        In their place, if ``return_X_y`` is False: a Ragged for each column of the
        format, ``form``, ``lemma``, ``upos``, ``xpos``, ``feats``, ``head`` (str),
        ``deprel``, ``deps`` and ``misc``.

    Raises
    ------
    ValueError
        If a line is malformed or ids do not rise within a sentence, or the file is not
        UTF-8 or not gzip; the message names file and line.

    See Also
    --------
    write_conllu : The way back.
    to_universal_tags : Coarser tags.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import read_conllu, write_conllu
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tiny.conllu.gz")
    ...     write_conllu(path, [["Birds", "sing"]], [["NOUN", "VERB"]])
    ...     X, y = read_conllu(path)
    >>> X[0].tolist(), y[0].tolist()
    (['Birds', 'sing'], ['NOUN', 'VERB'])
    """
    return read_treebank([path], return_X_y=return_X_y, tag=tag)


def read_treebank(paths, *, return_X_y, tag):
    """Read several CoNLL-U files as one; see `read_conllu`."""
    names = ["form", _check_tag(tag)] if return_X_y else FIELDS[1:]
    ids = [FIELDS.index(name) for name in names]
    rows = (row for path in paths for row in _rows(path, ids))
    columns = dict(zip(names, stack_rows(rows, len(ids)), strict=True))
    for name in LABELS:
        if name in columns:
            values = columns[name].values
            values[values == "_"] = None
    return tuple(columns.values()) if return_X_y else Bunch(**columns)


def _check_tag(tag):
    if tag not in FIELDS[2:]:
        raise ValueError(f"tag must be one of {list(FIELDS[2:])}, got {tag!r}.")
    return tag


def _rows(path, ids):
    pick, last = itemgetter(*ids), 0
    for number, line in read_lines(path):
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) == len(FIELDS):
            if not fields[0].isdecimal() and _is_not_a_word(fields[0]):
                continue
            row = pick(fields)
            problem = _problem(fields[0], last, row, ids)
            if problem:
                raise bad_line(path, number, problem)
            last = int(fields[0])
            yield row
        elif line.strip(" \t"):
            raise bad_line(
                path,
                number,
                f"expected {len(FIELDS)} columns separated by tabs, found "
                f"{len(fields)} in {line[:60]!r}.",
            )
        else:
            last = 0
            yield None
    yield None


def _problem(token_id, last, row, ids):
    """What is wrong with the line of a word, or None."""
    if not _is_number(token_id):
        return (
            f"id {token_id[:20]!r} is no number of at most 9 digits, range (3-4) or "
            "empty node (5.1)."
        )
    if int(token_id) <= last:
        return (
            f"id {token_id} follows id {last}; is the blank line between two sentences "
            "missing?"
        )
    if "" in row:
        return f"column {FIELDS[ids[row.index('')]]} is empty; CoNLL-U writes '_'."
    return None


def write_conllu(path, X, y=None, *, tag="upos") -> None:
    """Write words, and labels beside them, in CoNLL-U.

    Nothing is written unless all sentences are valid; a file that is there already is
    replaced when the new one is complete.

    Parameters
    ----------
    path : str or path-like
        The file to write, gzipped if its name ends in ``.gz``.
    X : Ragged or list of lists of str
        Sentences of words.
    y : Ragged or list of lists of str, int or None, default=None
        A label for each word; None, for a word or a whole sentence, and -1 mean
        unknown and are written ``_``. Other integers (states of a model) are written
        as digits.
    tag : {"upos", "xpos", "deprel", "lemma", "feats", "head", "deps", "misc"}, \
            default="upos"
        The column that ``y`` fills.

    Raises
    ------
    ValueError
        If a sentence is empty, a word or label is empty, no string, holds a tab or
        line break or cannot be encoded, or lengths differ; the message names sentence
        and position.

    See Also
    --------
    read_conllu : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import write_conllu
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "states.conllu")
    ...     write_conllu(path, [["Birds", "sing"]], [[3, 0]], tag="xpos")
    ...     with open(path, encoding="utf-8") as file:
    ...         print(file.readline().split())
    ['1', 'Birds', '_', '_', '3', '_', '_', '_', '_', '_']
    """
    column = FIELDS.index(_check_tag(tag))
    X = Ragged(X)
    labels = repeat(None, len(X)) if y is None else y
    if y is not None and len(y) != len(X):
        raise ValueError(f"X has {len(X)} sentences, y has {len(y)}.")
    lines = []
    for i, (words, tags) in enumerate(zip(X, labels, strict=True)):
        tags = [None] * len(words) if tags is None else tags
        if len(words) == 0:
            raise ValueError(
                f"Sentence {i} is empty, which CoNLL-U cannot express; leave it out "
                "(X[X.lengths > 0] of a Ragged)."
            )
        if len(words) != len(tags):
            raise ValueError(
                f"Sentence {i} has {len(words)} words in X but {len(tags)} labels in y."
            )
        for j, (word, label) in enumerate(zip(words, tags, strict=True)):
            fields = [str(j + 1), _field(word, "word", i, j), *"_" * 8]
            fields[column] = _label(label, i, j)
            lines.append("\t".join(fields))
        lines.append("")
    write_lines(path, lines)


def looks_like_conllu(path):
    """Whether the first line that is no comment has the columns of a word."""
    lines = (line for _, line in read_lines(path))
    first = next((line for line in lines if line.strip() and line[0] != "#"), "")
    fields = first.split("\t")
    is_word = fields[0].isdecimal() or _is_not_a_word(fields[0])
    return len(fields) == len(FIELDS) and bool(is_word)


def replace_column(path, output, y, *, tag):
    """Copy a CoNLL-U file, with other labels of its words in one column.

    In ``misc`` they are ``key=value``, and take the place of what the key had, or are
    added to what there is. Nothing is written unless all labels are valid.
    """
    column = FIELDS.index(tag)
    cells = ((i, j, new) for i, row in enumerate(y) for j, new in enumerate(row))
    labels = iter([_label(new, i, j) for i, j, new in cells])

    def relabelled(line):
        fields = line.split("\t")
        if len(fields) != len(FIELDS) or not fields[0].isdecimal():
            return line
        label, old = next(labels), fields[column]
        fields[column] = _added(old, label) if tag == "misc" else label
        return "\t".join(fields)

    write_lines(output, (relabelled(line) for _, line in read_lines(path)))


def _added(entries, entry):
    """Entries of ``misc`` with this one, which replaces those of the same key."""
    key = entry.partition("=")[0]
    old = [] if entries == "_" else entries.split("|")
    return "|".join([*(e for e in old if e.partition("=")[0] != key), entry])


def _label(label, i, j):
    if label is None or (isinstance(label, Integral) and label == -1):
        return "_"
    text = str(label) if isinstance(label, Integral) else label
    return _field(text, "label", i, j)


def _field(text, what, i, j):
    """The text of a column, if CoNLL-U can hold it."""
    if not isinstance(text, str):
        problem = "is not a string"
    elif not text:
        problem = "is empty"
    elif any(c in text for c in "\t\n\r"):
        problem = "holds a tab or a line break"
    elif holds_surrogate(text):
        problem = "holds half of a surrogate pair, which UTF-8 cannot encode"
    else:
        return text
    raise ValueError(f"Sentence {i}, position {j}: the {what} {text!r} {problem}.")

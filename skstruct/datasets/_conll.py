"""Column files: one token a line, a blank line between sentences."""

from collections.abc import Iterable
from numbers import Integral

from skstruct.datasets._lines import bad_line, read_lines, stack_rows

__all__ = ["read_conll"]


def read_conll(path, columns, *, sep=None):
    r"""Read columns of a file with one token a line and blank lines between sentences.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file, gzipped if its name ends in ``.gz``.
    columns : int or list of int
        The columns to read, counted from 0; negative ones count from the last.
    sep : str, default=None
        What separates columns. None: a tab in lines that hold one (words may then
        contain spaces), otherwise runs of spaces.

    Returns
    -------
    Ragged or tuple of Ragged
        One Ragged of str for one column; a tuple, in the order asked for, for a list.

    Raises
    ------
    ValueError
        If a line has too few columns, or the file is not UTF-8 or not gzip; the message
        names file and line.

    See Also
    --------
    read_conllu : The format of Universal Dependencies, with its comments and ranges.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import read_conll
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "chunks.txt")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("He PRP B-NP\nsleeps VBZ B-VP\n\nWhy WRB B-ADVP\n")
    ...     X, y = read_conll(path, [0, -1])
    >>> [sentence.tolist() for sentence in y]
    [['B-NP', 'B-VP'], ['B-ADVP']]
    """
    ids = list(columns) if isinstance(columns, Iterable) else [columns]
    if not ids or not all(isinstance(i, Integral) for i in ids):
        raise ValueError(
            f"columns must be an integer or a list of integers, got {columns!r}."
        )
    if sep == "":
        raise ValueError("sep must not be empty; use None for white space.")
    batches = stack_rows(_rows(path, ids, sep), len(ids))
    return batches[0] if isinstance(columns, Integral) else tuple(batches)


def _rows(path, ids, sep):
    # [0, -1] needs two columns, or the word would be read as its own tag.
    needed = max(len(set(ids)), *(i + 1 if i >= 0 else -i for i in ids))
    for number, line in read_lines(path):
        if not line.strip(" \t"):
            yield None
            continue
        fields = _split(line, sep)
        if len(fields) < needed:
            raise bad_line(
                path,
                number,
                f"expected at least {needed} columns for columns={ids}, found "
                f"{len(fields)} in {line[:60]!r}; check `columns` and `sep`.",
            )
        yield [fields[i] for i in ids]


def _split(line, sep):
    if sep is None and "\t" not in line:
        return [field for field in line.split(" ") if field]
    return line.split(sep or "\t")

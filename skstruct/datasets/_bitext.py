"""Sentences beside their translations, in one file or two."""

import re

import numpy as np

from skstruct.containers import Bitext, locate
from skstruct.datasets._lines import (
    SURROGATES,
    bad_line,
    holds_surrogate,
    is_same_file,
    read_lines,
    write_files,
    write_lines,
)
from skstruct.datasets._text import read_text, stack_sentences, tokenize

__all__ = ["read_bitext", "write_bitext"]

_SEPARATOR = "|||"
_is_token = re.compile(rf"[^\s{SURROGATES}]+", re.ASCII).fullmatch


def read_bitext(path, target_path=None, *, sep=_SEPARATOR) -> Bitext:
    r"""Read tokenised sentences and their translations.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file with lines ``source ||| target``, or the source sentences, one a
        line; gzipped if its name ends in ``.gz``. Tokens are separated by ASCII white
        space.
    target_path : str or path-like, default=None
        The target sentences, where they have a file of their own.
    sep : str, default="|||"
        What separates the sides in one file: a token, or white space such as ``"\t"``.
        A token counts only where it stands alone, so that ``a|||b`` is text.

    Returns
    -------
    Bitext
        Pair ``i`` is line ``i``; an empty side gives an empty sentence.

    Raises
    ------
    ValueError
        If two files have different numbers of lines, a line of one file does not hold
        the separator once, or a file is not UTF-8 or not gzip; the message names file
        and line.

    See Also
    --------
    read_links : Links between the tokens.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import read_bitext
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "roses.txt")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("the roses ||| rosae\nthey love ||| amant\n")
    ...     X = read_bitext(path)
    >>> X
    Bitext(2 pairs, 4 + 2 tokens)
    """
    if target_path is None:
        sides = stack_sentences(_split_lines(path, sep))
        return Bitext.from_sides(sides[::2], sides[1::2])
    source, target = read_text(path), read_text(target_path)
    if len(source) != len(target):
        raise ValueError(
            f"{path} has {len(source)} lines, {target_path} has {len(target)}; line i "
            "of one must translate line i of the other, an empty line where there is "
            "no translation."
        )
    return Bitext.from_sides(source, target)


def _splitter(sep):
    """What splits a line where the separator stands alone, or is white space."""
    if isinstance(sep, str) and sep and sep.isspace():
        return re.compile(re.escape(sep)).split
    if isinstance(sep, str) and _is_token(sep):
        return re.compile(rf"(?<!\S){re.escape(sep)}(?!\S)", re.ASCII).split
    raise ValueError(
        f"sep must be one token, such as {_SEPARATOR!r}, or white space; got {sep!r}."
    )


def _split_lines(path, sep):
    """Yield source and target of each line in turn."""
    split = _splitter(sep)
    for number, line in read_lines(path):
        sides = split(line)
        if len(sides) != 2:
            problem = f"expected one separator {sep!r}, got {len(sides) - 1}"
            raise bad_line(path, number, f"{problem}. {_advice(line, sides)}")
        yield from map(tokenize, sides)


def _advice(line, sides):
    """What to do about a line that is not cut in two."""
    two_files = "read_bitext(path, target_path)"
    if len(sides) > 1:
        return f"Text that holds the separator needs two files, {two_files}."
    if "\t" in line:
        return 'The line has a tab: if it parts the sides, pass sep="\\t".'
    return (
        f"Target sentences in a file of their own are read by {two_files}. An empty "
        "side is nothing beside the separator."
    )


def write_bitext(X, path, target_path=None) -> None:
    """Write sentence pairs as `read_bitext` reads them.

    Parameters
    ----------
    X : Bitext or list-like of (source, target)
        The pairs. Integer tokens are written as text.
    path : str or path-like
        The file to write, gzipped if its name ends in ``.gz``: lines
        ``source ||| target``, or the source sentences.
    target_path : str or path-like, default=None
        The file to write the target sentences to; None writes one file.

    Raises
    ------
    ValueError
        If a token is empty, holds white space or cannot be encoded, or in one file is
        ``|||``, or both files are the same; nothing is written then.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import read_bitext, write_bitext
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "love.txt.gz")
    ...     write_bitext([(["they", "love"], ["amant"]), ([], ["et"])], path)
    ...     read_bitext(path)
    Bitext(2 pairs, 2 + 2 tokens)
    """
    X = Bitext(X)
    separators = {_SEPARATOR} if target_path is None else set()
    source = _as_lines(X.source, "source", separators)
    target = _as_lines(X.target, "target", separators)
    if target_path is None:
        pairs = zip(source, target, strict=True)
        write_lines(path, (f" {_SEPARATOR} ".join(pair) for pair in pairs))
    else:
        if is_same_file(path, target_path):
            raise ValueError(
                f"path and target_path are the same file, {path}; without target_path "
                "both sides go to one."
            )
        write_files([(path, source), (target_path, target)])


def _as_lines(side, name, separators):
    words = [str(token) for token in side.values]
    for row, word in enumerate(words):
        if word in separators or not _is_token(word):
            i, position = locate(side.offsets, row)
            raise ValueError(
                f"Pair {i}: token {position} of the {name}, {word!r}, "
                f"{_problem(word, separators)}."
            )
    bounds = np.stack([side.offsets[:-1], side.offsets[1:]], axis=1).tolist()
    return [" ".join(words[start:stop]) for start, stop in bounds]


def _problem(word, separators):
    """Why a word cannot be written."""
    if word in separators:
        return "is the separator; write two files, write_bitext(X, path, target_path)"
    if holds_surrogate(word):
        return "holds half of a surrogate pair, which UTF-8 cannot encode"
    return "is empty or holds white space, so that it would not be read back"

"""Files of word clusters: a path of bits, a word and its count on each line."""

import gzip
import zlib
from pathlib import Path

__all__ = ["read_paths", "write_paths"]


def read_paths(path):
    """Rows ``(bits, word, count)`` of a UTF-8 file, gzipped if so named.

    Raises
    ------
    ValueError
        If a line is not of that form, a word stands twice, or there is no line; or if
        the file is not gzip though named so.
    """
    try:
        with _opener(path)(path, "rb") as file:
            lines = file.readlines()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is not a complete gzip file ({error}).") from error
    rows, seen = [], {}
    for number, line in enumerate(lines, 1):
        try:
            bits, word, count = _parse(line)
            if word in seen:
                raise ValueError(f"the word {word!r} is on line {seen[word]} too.")
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
        seen[word] = number
        rows.append((bits, word, count))
    if not rows:
        raise ValueError(f"{path} is empty; it should hold a word on each line.")
    return rows


def write_paths(path, rows) -> None:
    """Write rows ``(bits, word, count)``, gzipped if the name ends in ``.gz``.

    Raises
    ------
    ValueError
        If a word is no text, or has a tab or a line end.
    """
    for _, word, _ in rows:
        if not isinstance(word, str) or {"\t", "\n", "\r"} & set(word):
            raise ValueError(
                f"The word {word!r} cannot be written: words of such a file are text "
                "without tabs and line ends."
            )
    lines = [f"{bits}\t{word}\t{count}\n".encode() for bits, word, count in rows]
    with _opener(path)(path, "wb") as file:
        file.writelines(lines)


def _opener(path):
    return gzip.open if Path(path).suffix.lower() == ".gz" else open


def _parse(line):
    try:
        columns = line.decode("utf-8").rstrip("\r\n").split("\t")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 ({error.reason}); convert the file.") from error
    if len(columns) != 3:
        raise ValueError(
            f"expected bits, word and count with tabs between them, got {len(columns)} "
            f"column{'s' * (len(columns) != 1)}."
        )
    bits, word, count = columns
    if not bits or bits.strip("01"):
        raise ValueError(f"the path must be made of 0 and 1, got {bits!r}.")
    if not (count.isascii() and count.isdigit()):
        raise ValueError(f"the count must be a whole number, got {count!r}.")
    return bits, word, int(count)

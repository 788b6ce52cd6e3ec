"""Lines of text files, plain or gzipped, and sentences made of their rows."""

import gzip
import os
import re
import zlib
from contextlib import ExitStack, contextmanager
from errno import ENOENT
from pathlib import Path

import numpy as np

from skstruct.containers import Ragged

__all__ = [
    "SURROGATES",
    "bad_line",
    "holds_surrogate",
    "is_same_file",
    "read_lines",
    "replaced",
    "stack_rows",
    "write_files",
    "write_lines",
]

BOM = b"\xef\xbb\xbf"
SURROGATES = "\ud800-\udfff"
holds_surrogate = re.compile(f"[{SURROGATES}]").search


def _opener(path):
    return gzip.open if Path(path).suffix.lower() == ".gz" else open


def bad_line(path, number, problem):
    """The error that says where in a file something is wrong."""
    return ValueError(f"{path}, line {number}: {problem}")


def read_lines(path):
    """Yield ``(number, line)`` of a UTF-8 file, without line ends; gzip by suffix."""
    number = 0
    try:
        # Bytes, since text mode would also cut lines at a lone carriage return, and
        # would report a bad byte without its line.
        with _opener(path)(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if number == 1:
                    line = line.removeprefix(BOM)
                yield number, line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise bad_line(
            path, number, f"not UTF-8 ({error.reason}); convert the file to UTF-8."
        ) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise bad_line(
            path, number + 1, f"not a complete gzip file ({error})."
        ) from error


@contextmanager
def replaced(path):
    """A path to write to; an older file is there until the new one is complete.

    What is no regular file, such as a pipe, is written to as it is.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        yield path
        return
    if not path.parent.is_dir():  # said of this file, not of the unfinished one
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path))
    path = path.resolve()
    unfinished = path.with_name(f".{path.name}.part")
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def is_same_file(path, other):
    """Whether both names lead to one file, which need not be there yet."""
    path, other = Path(path), Path(other)
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


def write_lines(path, lines) -> None:
    """Write lines as UTF-8, gzipped where the name of the file ends in ``.gz``.

    An older file is there until the new one is complete.
    """
    write_files([(path, lines)])


def write_files(files) -> None:
    """Write lines to each of several files; older ones stay until all are complete."""
    with ExitStack() as stack:
        for path, lines in files:
            unfinished = stack.enter_context(replaced(path))
            with _opener(path)(unfinished, "wb") as file:
                file.writelines(_encoded(lines))


def _encoded(lines):
    for number, line in enumerate(lines):
        if number == 0 and line.startswith("\ufeff"):
            yield BOM  # readers take one away, which must not be that of the text
        yield f"{line}\n".encode()


def stack_rows(rows, width):
    """Columns of sentences as one Ragged each.

    Parameters
    ----------
    rows : iterable of (sequence of ``width`` str or None)
        A row for each token; None ends a sentence. Sentences without tokens vanish.
    width : int
        The number of columns.

    Returns
    -------
    list of Ragged
    """
    flat, offsets, n = [], [0], 0
    # Equal strings become one object: a corpus holds far fewer types than tokens.
    share = {}.setdefault
    for row in rows:
        if row is not None:
            flat.extend(map(share, row, row))
            n += 1
        elif n > offsets[-1]:
            offsets.append(n)
    if n > offsets[-1]:
        offsets.append(n)
    offsets = np.array(offsets, dtype=np.intp)
    return [Ragged.from_arrays(flat[i::width], offsets) for i in range(width)]

"""Standard input and output in the place of files."""

import errno
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "STANDARD",
    "check_content",
    "check_folder",
    "check_output",
    "errors_about",
    "is_same_file",
    "shown",
    "to_read",
    "to_write",
]

STANDARD = "-"


def shown(path):
    """What to call what is read from this path."""
    return "standard input" if path == STANDARD else path


@contextmanager
def to_read(path):
    """A file to read; what can be read only once is copied to one, as ``-`` is."""
    if path != STANDARD and (Path(path).is_file() or not Path(path).exists()):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, Path(shown(path)).name)
        with copy.open("wb") as file:
            if path == STANDARD:
                _check_open(sys.stdin, "input")
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                with open(path, "rb") as pipe:
                    shutil.copyfileobj(pipe, file)
        yield copy


def check_content(X, path, what):
    """Raise if there is nothing in what was read from this path."""
    if not len(X):
        raise ValueError(f"{shown(path)} holds no {what}.")


def check_folder(path):
    """Raise before there is work to lose if a file cannot be written for its folder."""
    if not Path(path).resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def check_output(path):
    """Raise before there is work to lose if there is nowhere to write."""
    if path == STANDARD:
        _check_open(sys.stdout, "output")
    else:
        check_folder(path)


def _check_open(stream, name):
    if stream is None:  # as Python tells of streams that the shell has closed
        raise ValueError(f"standard {name} is closed.")


def is_same_file(path, other):
    """Whether both names lead to one file, which need not be there yet."""
    path, other = Path(path), Path(other)
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


@contextmanager
def to_write(path):
    """A file to write; for ``-`` it goes to standard output in the end."""
    if path != STANDARD:
        with errors_about(path):
            yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "standard output")
        yield copy
        with copy.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


@contextmanager
def errors_about(path):
    """Errors of the system name this path, not that of an unfinished file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error

"""Standard input and output in the place of files."""

import errno
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from skstruct.datasets._lines import is_same_file

__all__ = [
    "STANDARD",
    "check_apart",
    "check_content",
    "check_output",
    "check_regular",
    "errors_about",
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


def _check_place(path):
    """Raise if no file can be written to this path."""
    if not Path(path).resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)


def check_regular(option, path):
    """Raise before there is work to lose if this can be no file on a disk."""
    _check_place(path)
    if Path(path).exists() and not Path(path).is_file():
        raise ValueError(f"{option} needs a file on a disk, and {path} is none.")


def check_apart(option, path, others):
    """Raise if a file to write would take the place of another of the command."""
    for name, other in others.items():
        if other and STANDARD not in (path, other) and is_same_file(path, other):
            raise ValueError(
                f"{option} and {name} are the same file, {other}; choose another name."
            )


def check_output(path):
    """Raise before there is work to lose if there is nowhere to write."""
    if path == STANDARD:
        _check_open(sys.stdout, "output")
    else:
        _check_place(path)


def _check_open(stream, name):
    if stream is None:  # as Python tells of streams that the shell has closed
        raise ValueError(f"standard {name} is closed.")


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

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
    "replaced",
    "to_read",
    "to_write",
]

STANDARD = "-"


@contextmanager
def to_read(path):
    """A file to read; standard input is copied to one for ``-``."""
    if path != STANDARD:
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "standard input")
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy


def check_content(X, path, what):
    """Raise if there is nothing in what was read from this path."""
    if not len(X):
        name = "standard input" if path == STANDARD else path
        raise ValueError(f"{name} holds no {what}.")


def check_folder(path):
    """Raise before there is work to lose if a file cannot be written for its folder."""
    if path != STANDARD and not Path(path).resolve().parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


@contextmanager
def to_write(path):
    """A file to write; for ``-`` it goes to standard output in the end."""
    if path != STANDARD:
        with _errors_about(path):
            yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "standard output")
        yield copy
        with copy.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


@contextmanager
def replaced(path):
    """A path to write to; what was there stays until all is written."""
    path = Path(path).resolve()
    unfinished = path.with_name(f".{path.name}.part")
    with _errors_about(path):
        try:
            yield unfinished
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)


@contextmanager
def _errors_about(path):
    """Errors of the system name this path, not that of an unfinished file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error

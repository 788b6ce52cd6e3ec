"""Standard input and output in the place of files."""

import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

__all__ = ["STANDARD", "replaced", "to_read", "to_write"]

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


@contextmanager
def to_write(path):
    """A file to write; for ``-`` it goes to standard output in the end."""
    if path != STANDARD:
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
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)

"""The command line: align translations, tag text."""

from skstruct._cli._main import main

__all__ = ["main"]

"""``python -m skstruct align`` and ``python -m skstruct tag``."""

from skstruct._cli import main

__all__ = []

if __name__ == "__main__":
    raise SystemExit(main())

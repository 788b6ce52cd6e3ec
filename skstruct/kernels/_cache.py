"""A place for compiled kernels where no cache folder is writable."""

import os
import tempfile
import warnings

import numba

__all__ = ["ensure_cache"]

# Kept for the life of the process: its finalizer removes the folder.
_folders = []


def ensure_cache():
    """Give numba a temporary cache folder where it can write to no other.

    numba caches a function beside its file or in the user's cache folder, and raises
    at import where neither is writable: in a read-only container, say, or for a
    service without a home.

    Warns
    -----
    RuntimeWarning
        When a temporary folder is used: each new process compiles again.
    """
    try:
        numba.njit(cache=True)(_probe)
    except RuntimeError:
        folder = tempfile.TemporaryDirectory(
            prefix="skstruct-", ignore_cleanup_errors=True
        )
        _folders.append(folder)
        # The variable is for worker processes, which share the folder.
        os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = folder.name
        warnings.warn(
            "No cache folder is writable for compiled code, so it goes to a temporary "
            "one and every new process compiles again, which takes some seconds. Set "
            "the environment variable NUMBA_CACHE_DIR to a folder that can be kept.",
            RuntimeWarning,
            stacklevel=2,
        )


def _probe():
    """What numba is asked to cache; it is never compiled."""

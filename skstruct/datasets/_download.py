"""Files from the network, complete or not at all, and where they are kept."""

import hashlib
import math
import os
import re
import shutil
import tempfile
import time
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from numbers import Integral, Real
from pathlib import Path
from urllib.error import HTTPError

from sklearn.datasets import get_data_home

__all__ = ["cached_folder", "check_retries", "download"]

SUMS = "SHA256SUMS"
_TIMEOUT = 30  # seconds without a byte
# The server is busy or broken; anything else below 500 will not change.
_TRANSIENT = {408, 425, 429}
_CHUNK = 1 << 16
# As sha256sum writes it: the star stands for binary mode.
_sum_of = re.compile(r"([0-9a-fA-F]{64})\s+\*?(.+)").fullmatch


def check_retries(n_retries, delay):
    """Raise ValueError unless a download can be tried so often, with such waits."""
    if not isinstance(n_retries, Integral) or n_retries < 0:
        raise ValueError(f"n_retries must be an integer, 0 or more, got {n_retries!r}.")
    if not isinstance(delay, Real) or not 0 <= delay < math.inf:
        raise ValueError(
            f"delay must be a finite number of seconds, 0 or more, got {delay!r}."
        )


def download(url, path, *, n_retries, delay):
    """Download a file; what can pass is tried again, each time after twice the wait.

    `sklearn.datasets.fetch_file` has no timeout, and asks again for what is not there.

    Raises
    ------
    FileNotFoundError
        If the server has no such file.
    OSError
        If it could not be had, or not completely.
    """
    for attempt in range(n_retries + 1):
        try:
            return _download_once(url, path)
        except (OSError, HTTPException) as error:
            problem = error
        code = getattr(problem, "code", 500)
        if code < 500 and code not in _TRANSIENT:
            break
        if attempt < n_retries:
            time.sleep(delay * 2**attempt)
    kind = FileNotFoundError if code in (404, 410) else OSError
    tries = f" after {attempt + 1} attempts" if attempt else ""
    raise kind(f"Could not download {url}{tries}: {_reason(problem)}.") from problem


def _download_once(url, path):
    with (
        urllib.request.urlopen(url, timeout=_TIMEOUT) as answer,
        open(path, "wb") as file,
    ):
        shutil.copyfileobj(answer, file, _CHUNK)
        promised, n_bytes = answer.headers.get("Content-Length"), file.tell()
    # A connection that breaks off looks like the end of the file.
    if promised is not None and int(promised) != n_bytes:
        raise OSError(f"the answer broke off, {n_bytes} of {promised} bytes came")


def _reason(error):
    if isinstance(error, HTTPError):
        return f"the server answered {error.code} ({error.reason})"
    return f"{getattr(error, 'reason', error) or type(error).__name__}"


def cached_folder(place, fill, *, data_home, sha256, download_if_missing):
    """The folder of some files, which are fetched where it is not there yet.

    Parameters
    ----------
    place : tuple of str
        Path of the folder below scikit-learn's data home.
    fill : callable
        ``fill(folder)`` puts the files into a folder. Others do not see it until it is
        complete; of two processes that fetch at once, the first one's stays.
    data_home : str or path-like or None
        As in scikit-learn.
    sha256 : dict of str to str, or None
        Checksums that files must have.
    download_if_missing : bool
        Whether the network may be used.

    Returns
    -------
    Path

    Raises
    ------
    OSError
        If the files are not there and may not, or cannot, be fetched, or a checksum is
        another one.
    """
    folder = Path(get_data_home(data_home)).joinpath(*place)
    if not folder.is_dir():
        if not download_if_missing:
            raise OSError(
                f"{folder} is not there, and download_if_missing is False; fetch it "
                "with the network, or copy the folder from another machine."
            )
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".part-") as room:
            new = Path(room, folder.name)
            new.mkdir()
            _fill(fill, new, folder)
            sums = _sums(new)
            _check_sums(sums, sha256 or {}, f"What came for {'/'.join(place)}")
            lines = (f"{digest}  {name}\n" for name, digest in sums.items())
            (new / SUMS).write_text("".join(lines), encoding="utf-8")
            with suppress(OSError):
                os.rename(new, folder)
        if not folder.is_dir():
            raise OSError(f"{folder} cannot be made; is its disk full or read-only?")
    where = f"{folder} (remove the folder to fetch it again)"
    for expected in (_recorded(folder), sha256 or {}):
        _check_sums(_sums(folder), expected, where)
    return folder


def _fill(fill, new, folder):
    try:
        fill(new)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise OSError(
            f"{error} Where there is no network, {folder} can be copied from a machine "
            "that has fetched it."
        ) from error


def _sums(folder):
    """Checksums of the files of a folder, by name."""
    files = (file for file in sorted(folder.iterdir()) if file.name != SUMS)
    return {file.name: _sha256(file) for file in files}


def _recorded(folder):
    """Checksums that the files had when they came, unless somebody put them there."""
    path = folder / SUMS
    if not path.exists():
        return {}
    found = {}
    for i, line in enumerate(path.read_bytes().decode(errors="replace").splitlines()):
        match = _sum_of(line.strip())
        if match:
            found[match[2]] = match[1]
        elif line.strip():
            raise OSError(
                f"{path}: line {i + 1} must be a SHA-256 checksum (64 hexadecimal "
                f"digits) and the name of a file, got {line!r}; mend the line, or "
                "remove the folder to fetch it again."
            )
    return found


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_sums(found, expected, where):
    for name, digest in expected.items():
        if name not in found:
            raise OSError(f"{where}: {name} is missing; there are {sorted(found)}.")
        if found[name] != digest.lower():
            raise OSError(
                f"{where}: {name} has the SHA-256 checksum {found[name]}, expected "
                f"{digest}."
            )

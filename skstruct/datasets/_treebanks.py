"""Treebanks of Universal Dependencies, by name."""

import re
import shutil
import stat
import zlib
from functools import partial
from pathlib import PurePosixPath
from zipfile import BadZipFile, ZipFile

from skstruct.datasets._conllu import read_treebank
from skstruct.datasets._download import cached_folder, check_retries, download

__all__ = ["fetch_ud_treebank"]

SOURCE = "https://github.com/UniversalDependencies/{name}/archive/{ref}.zip"
PARTS = ("train", "dev", "test")
_is_name = re.compile(r"UD_[A-Za-z]+(_[A-Za-z]+)*-[A-Za-z0-9]+", re.ASCII).fullmatch
_is_release = re.compile(r"\d+\.\d+", re.ASCII).fullmatch
_is_commit = re.compile(r"[0-9a-f]{40}", re.ASCII).fullmatch
_is_wanted = re.compile(
    r"[\w-]+-ud-(train|dev|test)[\w-]*\.conllu|LICENSE\.txt|README\.(md|txt)", re.ASCII
).fullmatch


def fetch_ud_treebank(
    name,
    *,
    version="2.16",
    part="all",
    return_X_y=True,
    tag="upos",
    data_home=None,
    sha256=None,
    download_if_missing=True,
    n_retries=3,
    delay=1.0,
):
    """Fetch a treebank of Universal Dependencies, or read it where it is kept.

    The files come from GitHub the first time and stay in
    ``data_home/ud_treebanks/name/version``, with their licence (each treebank has its
    own), README and checksums (``SHA256SUMS``, which ``sha256sum -c`` reads). Later
    calls do not use the network, and raise if a file has changed.

    Parameters
    ----------
    name : str
        Such as "UD_Latin-ITTB"; https://universaldependencies.org lists them.
    version : str, default="2.16"
        A release of Universal Dependencies, or the 40 digits of a commit.
    part : {"all", "train", "dev", "test"}, default="all"
        Which sentences; "all" are those of the parts that there are, in this order.
    return_X_y : bool, default=True
        Whether to return words and one column of labels rather than all columns.
    tag : str, default="upos"
        The column that becomes ``y``; see `read_conllu`.
    data_home : str or path-like, default=None
        Where to keep the files. None: scikit-learn's ``get_data_home()``, which is
        ``$SCIKIT_LEARN_DATA`` or ``~/scikit_learn_data``.
    sha256 : dict of file name to str, default=None
        Checksums that files must have, as ``SHA256SUMS`` of a fetch that you trust
        names them. None: whatever came first is what must stay.
    download_if_missing : bool, default=True
        Whether the network may be used.
    n_retries : int, default=3
        How often a download is tried again when a server or the network fails.
    delay : float, default=1.0
        Seconds before the second attempt; they double each time.

    Returns
    -------
    X, y : Ragged, Ragged
        Words and labels.
    columns : Bunch
        In their place, if ``return_X_y`` is False: a Ragged for each column; see
        `read_conllu`.

    Raises
    ------
    OSError
        If the treebank cannot be had, its folder holds none, or a checksum is not as
        expected. Among them FileNotFoundError, if there is no such treebank in this
        version.
    ValueError
        If ``name``, ``version``, ``part`` or ``tag`` is none, the treebank lacks this
        part, or ``n_retries`` or ``delay`` is negative.

    See Also
    --------
    load_turkish_treebank : A treebank that needs no network.
    read_conllu : A file of your own.

    Examples
    --------
    >>> from skstruct.datasets import fetch_ud_treebank
    >>> X, y = fetch_ud_treebank("UD_Latin-ITTB", part="test")  # doctest: +SKIP
    """
    if part not in ("all", *PARTS):
        raise ValueError(f'part must be "all", "train", "dev" or "test", got {part!r}.')
    if not isinstance(name, str) or not _is_name(name):
        raise ValueError(
            f"name must be that of a treebank, such as 'UD_Latin-ITTB', got {name!r}; "
            "https://universaldependencies.org lists them."
        )
    check_retries(n_retries, delay)
    fill = partial(
        _fetch, SOURCE.format(name=name, ref=_ref(version)), n_retries, delay
    )
    folder = cached_folder(
        ("ud_treebanks", name, version),
        fill,
        data_home=data_home,
        sha256=sha256,
        download_if_missing=download_if_missing,
    )
    return read_treebank(_paths(folder, part), return_X_y=return_X_y, tag=tag)


def _ref(version):
    if isinstance(version, str) and _is_release(version):
        return f"refs/tags/r{version}"
    if isinstance(version, str) and _is_commit(version):
        return version
    raise ValueError(
        "version must be a release, such as '2.16', or the 40 hexadecimal digits of a "
        f"commit; got {version!r}."
    )


def _paths(folder, part):
    found = {p: sorted(folder.glob(f"*-ud-{p}*.conllu")) for p in PARTS}
    if not any(found.values()):
        raise OSError(
            f"{folder} holds no CoNLL-U files of a treebank (*-ud-train.conllu, ...); "
            "remove the folder to fetch it again."
        )
    if part != "all" and not found[part]:
        there = [p for p in PARTS if found[p]]
        raise ValueError(f"The treebank has no part {part!r}, only {there}.")
    return [path for p in PARTS if part in ("all", p) for path in found[p]]


def _fetch(url, n_retries, delay, folder):
    archive = folder.with_suffix(".zip")
    try:
        download(url, archive, n_retries=n_retries, delay=delay)
        _unpack(archive, folder)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{error} Is the name spelt as on https://universaldependencies.org, and "
            "is the treebank in this version?"
        ) from error
    except (BadZipFile, zlib.error) as error:
        raise OSError(
            f"What came from {url} is no sound zip archive: {error}."
        ) from error
    if not any(folder.glob("*.conllu")):
        raise OSError(f"What came from {url} holds no CoNLL-U files.")


def _unpack(archive, folder):
    """The wanted files of an archive's one folder; nothing that lies elsewhere."""
    with ZipFile(archive) as files:
        for member in files.infolist():
            where = PurePosixPath(member.filename)
            is_link = stat.S_ISLNK(member.external_attr >> 16)
            if where.is_absolute() or ".." in where.parts:
                raise BadZipFile(f"{member.filename!r} would be written elsewhere")
            if len(where.parts) == 2 and _is_wanted(where.name) and not is_link:
                with files.open(member) as source, open(folder / where.name, "xb") as f:
                    shutil.copyfileobj(source, f)

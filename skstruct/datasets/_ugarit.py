"""Ancient Greek and its translations, with links made by hand."""

from skstruct.datasets._bitext import read_bitext
from skstruct.datasets._download import cached_folder, check_retries, download
from skstruct.datasets._links import read_links

__all__ = ["fetch_greek_alignments"]

COMMIT = "71ecd92479ae7025a6d3a3b340edf14ffe148281"
SOURCE = (
    "https://raw.githubusercontent.com/UgaritAlignment/Alignment-Gold-Standards/"
    "{commit}/grc-{code}/{file}"
)
CODES = {"english": "eng", "latin": "lat", "portuguese": "por"}


def fetch_greek_alignments(
    target="english",
    *,
    data_home=None,
    sha256=None,
    download_if_missing=True,
    n_retries=3,
    delay=1.0,
):
    """Fetch Ancient Greek sentences, their translations, and links made by hand.

    Some 270 sentence pairs with English (Homer, Attic prose), 100 with Latin, 180 with
    Portuguese; the gold standards of the Ugarit project (Yousef et al. 2022), CC BY-SA
    4.0. They come from GitHub the first time, from one commit for ever, and stay in
    ``data_home/greek_alignments``; later calls do not use the network, and raise if a
    file has changed.

    Parameters
    ----------
    target : {"english", "latin", "portuguese"}, default="english"
        The language of the translations.
    data_home : str or path-like, default=None
        Where to keep the files. None: scikit-learn's ``get_data_home()``.
    sha256 : dict of file name to str, default=None
        Checksums that files must have; see `fetch_ud_treebank`.
    download_if_missing : bool, default=True
        Whether the network may be used.
    n_retries : int, default=3
        How often a download is tried again when a server or the network fails.
    delay : float, default=1.0
        Seconds before the second attempt; they double each time.

    Returns
    -------
    X : Bitext
        The sentences, tokenised.
    y : ndarray of object of shape (n_pairs,)
        Links (source, target, 1 for sure or 0 for possible); see `read_links`.

    Raises
    ------
    OSError
        If the files cannot be had, or a checksum is not as expected.
    ValueError
        If ``target`` is another language, or ``n_retries`` or ``delay`` is negative.

    Examples
    --------
    >>> from skstruct.datasets import fetch_greek_alignments
    >>> X, y = fetch_greek_alignments("latin")  # doctest: +SKIP
    """
    if target not in CODES:
        raise ValueError(f"target must be one of {list(CODES)}, got {target!r}.")
    check_retries(n_retries, delay)
    code = CODES[target]
    source, translation = "grc.txt", f"{code}.txt"
    links = f"alignment_grc_{code}.txt"
    files = (source, translation, links)

    def fill(folder):
        for file in files:
            url = SOURCE.format(commit=COMMIT, code=code, file=file)
            download(url, folder / file, n_retries=n_retries, delay=delay)

    folder = cached_folder(
        ("greek_alignments", target),
        fill,
        data_home=data_home,
        sha256=sha256,
        download_if_missing=download_if_missing,
    )
    missing = [file for file in files if not (folder / file).is_file()]
    if missing:
        raise OSError(f"{folder} lacks {missing}; remove the folder to fetch it again.")
    X = read_bitext(folder / source, folder / translation)
    return X, read_links(folder / links, n_pairs=len(X))

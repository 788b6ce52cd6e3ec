"""The Turkish treebanks that ship as a wheel."""

from importlib import metadata

from skstruct.datasets._conllu import read_treebank

__all__ = ["load_turkish_treebank"]

PARTS = ("web", "wiki")


def load_turkish_treebank(*, part="all", return_X_y=True, tag="upos"):
    """Load the Turkish web and Wikipedia treebanks (Apache-2.0; no network).

    4,851 sentences, 81,370 tokens; words with derivations are cut into inflectional
    groups. The files come with ``pip install skstruct[data]``. Tags in ``upos`` are
    those of this treebank, not of Universal Dependencies;
    ``to_universal_tags(y, "turkish-petrov12")`` makes them the 12 universal ones.

    Parameters
    ----------
    part : {"all", "web", "wiki"}, default="all"
        Which sentences: 2,541 from the web, 2,310 from Wikipedia, or both in this
        order.
    return_X_y : bool, default=True
        Whether to return words and one column of labels rather than all columns.
    tag : str, default="upos"
        The column that becomes ``y``; see `read_conllu`.

    Returns
    -------
    X, y : Ragged, Ragged
        Words and labels.
    columns : Bunch
        In their place, if ``return_X_y`` is False: a Ragged for each column; see
        `read_conllu`.

    Raises
    ------
    ImportError
        If the files are not installed.

    Examples
    --------
    >>> from skstruct.datasets import load_turkish_treebank
    >>> X, y = load_turkish_treebank()  # doctest: +SKIP
    >>> X  # doctest: +SKIP
    Ragged(4851 sequences, 81370 tokens, str)
    """
    if part not in ("all", *PARTS):
        raise ValueError(f'part must be "all", "web" or "wiki", got {part!r}.')
    paths = [_locate(name) for name in (PARTS if part == "all" else (part,))]
    return read_treebank(paths, return_X_y=return_X_y, tag=tag)


def _locate(name):
    # The package itself stays unimported: it needs protobuf, and only files matter.
    try:
        files = metadata.files("turkish-treebanks") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.parts[-2:] == ("data", f"{name}.conllu") and file.locate().is_file():
            return file.locate()
    raise ImportError(
        "The Turkish treebank is not installed; get it by "
        "`pip install skstruct[data]` (the package turkish-treebanks)."
    )

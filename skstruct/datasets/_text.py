"""Plain text, a sentence a line."""

import re

import numpy as np

from skstruct.containers import Ragged
from skstruct.datasets._lines import read_lines

__all__ = ["read_text", "stack_sentences", "tokenize"]

# Corpora keep no-break and ideographic spaces inside tokens, and `str.split` would cut
# there, so that token positions no longer match annotations made elsewhere.
tokenize = re.compile(r"\S+", re.ASCII).findall


def read_text(path) -> Ragged:
    r"""Read tokenised text, one sentence a line.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file, gzipped if its name ends in ``.gz``. Tokens are separated by ASCII
        white space.

    Returns
    -------
    Ragged
        The tokens, str. Sequence ``i`` is line ``i``: an empty line gives an empty
        sequence, so that the two files of a parallel corpus stay aligned.

    Raises
    ------
    ValueError
        If the file is not UTF-8 or not gzip; the message names file and line.

    See Also
    --------
    read_conll : Columns, one token a line.
    read_conllu : Universal Dependencies.

    Examples
    --------
    >>> import os, tempfile
    >>> from skstruct.datasets import read_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "roses.txt")
    ...     with open(path, "w", encoding="utf-8") as file:
    ...         _ = file.write("a rose is a rose\nis a rose\n")
    ...     X = read_text(path)
    >>> X
    Ragged(2 sequences, 8 tokens, str)
    >>> X[1].tolist()
    ['is', 'a', 'rose']
    """
    return stack_sentences(tokenize(line) for _, line in read_lines(path))


def stack_sentences(sentences):
    """Lists of words as a Ragged."""
    tokens, offsets = [], [0]
    # Equal strings become one object: a corpus holds far fewer types than tokens.
    share = {}.setdefault
    for words in sentences:
        tokens.extend(map(share, words, words))
        offsets.append(len(tokens))
    return Ragged.from_arrays(tokens, np.array(offsets, dtype=np.intp))

"""Forms of words, as featurizers and clusterers of word types read them."""

import re
import unicodedata

import numpy as np

__all__ = ["first_non_token", "lower_letters", "prefix", "suffix", "word_shape"]

_REPEATED = re.compile(r"(.)(?=\1)")


class _Kinds(dict):
    """The kind of each character by its code, worked out when first asked for."""

    def __missing__(self, code):
        character = chr(code)
        if unicodedata.category(character)[0] == "M":
            kind = ""
        # A title-case letter, such as the digraph U+01C5, is no upper-case one.
        elif character.isupper() or character.istitle():
            kind = "A"
        elif character.islower():
            kind = "a"
        elif character.isdigit():
            kind = "0"
        else:
            kind = "b" if character.isalpha() else "#"
        self[code] = kind
        return kind


_KINDS = _Kinds()


def word_shape(word, length=None) -> str:
    """Shape of a word: its kinds of characters, each run written once.

    Kinds are ``A`` (upper case), ``a`` (lower case), ``b`` (a letter of a script
    without case), ``0`` (digit) and ``#`` (anything else). Combining marks have none:
    they belong to the character before them.

    Parameters
    ----------
    word : str
        The word.
    length : int or None, default=None
        Number of runs after which the shape is cut.

    Returns
    -------
    str
        The shape.

    Examples
    --------
    >>> [word_shape(word) for word in ("Rome", "NATO-led", "3.5%", "東京")]
    ['Aa', 'A#a', '0#0#', 'b']
    >>> word_shape("Mc-Donald's", length=3)
    'Aa#'
    """
    return _REPEATED.sub("", word.translate(_KINDS))[:length]


def lower_letters(word):
    """Characters of a word in lower case, as many as the word has.

    Parameters
    ----------
    word : str
        The word.

    Returns
    -------
    str or list of str
        A list if one becomes two code points, as the dotted capital I of Turkish does.
    """
    form = word.lower()
    return form if len(form) == len(word) else [c.lower() for c in word]


def prefix(letters, n):
    """The first ``n`` letters of a longer word, or None."""
    return "".join(letters[:n]) if len(letters) > n else None


def suffix(letters, n):
    """The last ``n`` letters of a longer word, or None."""
    return "".join(letters[-n:]) if len(letters) > n else None


def first_non_token(values):
    """Row of the first entry that is no token, a str or int; None if all are.

    Parameters
    ----------
    values : ndarray or sparse array of shape (T, ...)
        Flat values of a batch. Rows of a table are no tokens.

    Returns
    -------
    int or None
        The row.
    """
    if values.ndim != 1:
        return 0
    entries = values.tolist()
    strange = {kind for kind in set(map(type, entries)) if not _is_token(kind)}
    if not strange:
        return None
    return next(t for t, entry in enumerate(entries) if type(entry) in strange)


def _is_token(kind):
    return issubclass(kind, str | int | np.integer) and kind is not bool

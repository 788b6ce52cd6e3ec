"""Forms of words, as featurizers and clusterers of word types read them."""

import unicodedata

__all__ = ["prefix", "suffix", "word_shape"]


def _kind(character):
    # A title-case letter, such as the digraph U+01C5, is no upper-case one.
    if character.isupper() or character.istitle():
        return "A"
    if character.islower():
        return "a"
    if character.isdigit():
        return "0"
    return "b" if character.isalpha() else "#"


def word_shape(word, length=None):
    """Shape of a word: its kinds of characters, each run written once.

    Kinds are ``A`` (upper case), ``a`` (lower case), ``b`` (a letter of a script
    without case), ``0`` (digit) and ``#`` (anything else). Combining marks belong to
    the character before them.

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
    runs = []
    for character in word:
        if runs and unicodedata.category(character)[0] == "M":
            continue
        kind = _kind(character)
        if not runs or runs[-1] != kind:
            runs.append(kind)
    return "".join(runs[:length])


def prefix(word, n):
    """The first ``n`` characters of a longer word, or None."""
    return word[:n] if len(word) > n else None


def suffix(word, n):
    """The last ``n`` characters of a longer word, or None."""
    return word[-n:] if len(word) > n else None

"""Spans of tokens: all of them, given ones, and their texts."""

import numpy as np

from skstruct.containers import Ragged

__all__ = ["all_spans", "expand", "join_spans", "read_spans"]


def expand(counts):
    """Number items of which there are several copies.

    Parameters
    ----------
    counts : ndarray of shape (n,)
        Copies of each item.

    Returns
    -------
    item : ndarray of shape (counts.sum(),)
        The item of each copy.
    copy : ndarray of shape (counts.sum(),)
        The number of the copy among those of its item.

    Examples
    --------
    >>> import numpy as np
    >>> expand(np.array([2, 0, 3]))
    (array([0, 0, 2, 2, 2]), array([0, 1, 0, 1, 2]))
    """
    item = np.repeat(np.arange(len(counts)), counts)
    return item, np.arange(len(item)) - np.repeat(np.cumsum(counts) - counts, counts)


def all_spans(offsets, max_length):
    """Every span of up to ``max_length`` rows of one sequence, by start, then length.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Where sequences begin.
    max_length : int
        Bound on the length of a span.

    Returns
    -------
    sequence, start, stop : ndarrays of shape (n_spans,)
        The sequence of each span, its first row and the one after its last.
    """
    owner, _ = expand(np.diff(offsets))
    start, longer = expand(
        np.minimum(offsets[owner + 1] - np.arange(len(owner)), max_length)
    )
    return owner[start], start, start + longer + 1


def join_spans(words, codes, start, stop) -> np.ndarray:
    """Texts of spans, words joined by spaces; equal spans share one string.

    Parameters
    ----------
    words : ndarray of object of shape (V,)
        Texts of the distinct words.
    codes : ndarray of shape (n_tokens,)
        The word of each row.
    start, stop : ndarray of shape (n_spans,)
        First row of each span, and the one after its last.

    Returns
    -------
    ndarray of object of shape (n_spans,)

    Examples
    --------
    >>> import numpy as np
    >>> words = np.array(["a", "rose", "is"], dtype=object)
    >>> codes = np.array([0, 1, 2, 0, 1])
    >>> join_spans(words, codes, np.array([0, 1, 3]), np.array([2, 4, 5]))
    array(['a rose', 'rose is a', 'a rose'], dtype=object)
    """
    lengths = stop - start
    longest = lengths.max(initial=0)
    by_length = np.argsort(lengths, kind="stable")
    ends = np.searchsorted(lengths[by_length], np.arange(longest + 1), side="right")
    reach = np.zeros(len(codes), dtype=np.intp)
    np.maximum.at(reach, start, lengths)
    out = np.empty(len(start), dtype=object)
    # A span is numbered by the number of the span without its last word, and that word.
    alive, number, texts = np.flatnonzero(reach), codes.copy(), words
    for length in range(1, longest + 1):
        if length > 1:
            alive = alive[reach[alive] >= length]
            keys = number[alive] * len(words) + codes[alive + length - 1]
            keys, number[alive] = np.unique(keys, return_inverse=True)
            texts = texts[keys // len(words)] + " " + words[keys % len(words)]
        rows = by_length[ends[length - 1] : ends[length]]
        out[rows] = texts[number[start[rows]]]
    return out


def read_spans(spans, *sides):
    """Read spans that a user gives, and check that they lie in their sentences.

    Parameters
    ----------
    spans : Ragged, or list-like with an array-like of shape (n_spans, 2 S) each
        (start, stop) on each side, counted from 0; stop is not part of the span.
    *sides : Ragged
        The sentences, on each of S sides.

    Returns
    -------
    sentence : ndarray of shape (n_spans,)
        The sentence of each span.
    table : ndarray of shape (n_spans, 2 S), dtype intp
        The spans.

    Raises
    ------
    ValueError
        If there are not as many entries as sentences, or a span is not of whole
        numbers, empty or out of range; the message names sentence and span.
    """
    try:
        spans = Ragged(spans)
    except ValueError as error:
        raise ValueError(
            "spans must give each sentence a list of (start, stop), an empty one where "
            f"there is none. {error}"
        ) from error
    if len(spans) != len(sides[0]):
        raise ValueError(
            f"spans has {len(spans)} entries, X has {len(sides[0])} sentences; give "
            "each a list of spans, an empty one where there is none."
        )
    sentence, number = expand(spans.lengths)
    table = _as_numbers(spans.values, 2 * len(sides))
    wrong = table != np.floor(table)  # also where NaN stands for what is no number
    for column, side in zip(range(0, table.shape[1], 2), sides, strict=True):
        start, stop = table[:, column], table[:, column + 1]
        wrong[:, column] |= ~((start >= 0) & (start < stop))
        wrong[:, column + 1] |= ~(stop <= side.lengths[sentence])
    if wrong.any():
        row = np.flatnonzero(wrong.any(axis=1))[0]
        i = sentence[row]
        tokens = " and ".join(str(side.lengths[i]) for side in sides)
        shown = ", ".join(
            f"{v:g}" if isinstance(v, float) else str(v)
            for v in spans.values[row].tolist()
        )
        raise ValueError(
            f"spans, sentence {i}: span {number[row]} is ({shown}), but the sentence "
            f"has {tokens} tokens; a span is (start, stop) with 0 <= start < stop <= "
            "the number of tokens."
        )
    return sentence, table.astype(np.intp)


def _as_numbers(values, width):
    if values.size == 0:
        return np.zeros((0, width))
    if values.ndim != 2 or values.shape[1] != width:
        raise ValueError(
            f"spans: a span must be {width} numbers, (start, stop) on each side; got "
            f"values of shape {values.shape[1:]}."
        )
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.full(values.shape, np.nan)

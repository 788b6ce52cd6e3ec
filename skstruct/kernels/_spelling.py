"""Spelling of pairs of words: edit distance and common prefix."""

import numpy as np
from numba import njit

__all__ = ["LONGEST", "spelling"]

# Letters of a word that are compared: as many as a machine word has bits.
LONGEST = 64

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@njit(cache=True, nogil=True)
def spelling(source, target, pair_source, pair_target):
    """Compare the first 64 letters of two words, for many pairs.

    Consecutive pairs that share the source word are cheapest.

    Parameters
    ----------
    source, target : tuple (letters, offsets)
        Code points, uint32, of all words of a side; those of word v lie from
        ``offsets[v]`` to ``offsets[v + 1]``.
    pair_source, pair_target : ndarrays of shape (P,)
        Numbers of the words.

    Returns
    -------
    distance : ndarray of shape (P,), uint8
        Levenshtein distance.
    prefix : ndarray of shape (P,), uint8
        Number of first letters that agree.
    """
    (a, a_offsets), (b, b_offsets) = source, target
    distance = np.empty(len(pair_source), np.uint8)
    prefix = np.empty(len(pair_source), np.uint8)
    # Bit i of places[c]: the source word has c as its letter i.
    places = np.zeros(1 + max(a.max(), b.max()), np.uint64)
    start, n, last = 0, 0, -1
    for p in range(len(pair_source)):
        v, w = pair_source[p], pair_target[p]
        if v != last:
            places[a[start : start + n]] = _ZERO
            start, last = a_offsets[v], v
            n = min(a_offsets[v + 1] - start, LONGEST)
            for i in range(n):
                places[a[start + i]] |= _ONE << np.uint64(i)
        first = b_offsets[w]
        m = min(b_offsets[w + 1] - first, LONGEST)
        k = 0
        while k < n and k < m and a[start + k] == b[first + k]:
            k += 1
        prefix[p] = k
        distance[p] = _distance(places, n, b, first, m)
    return distance, prefix


@njit(cache=True, nogil=True)
def _distance(places, n, letters, first, m):
    """Levenshtein distance of the word of n letters in ``places`` to another.

    A column of the table of distances is held as its differences, one bit each, after
    Myers (1999): all rows advance at once.
    """
    if n == 0:
        return m
    up, down = ~_ZERO, _ZERO
    bottom, distance = _ONE << np.uint64(n - 1), n
    for j in range(first, first + m):
        equal = places[letters[j]]
        level = (((equal & up) + up) ^ up) | equal | down
        right_up = down | ~(level | up)
        right_down = up & level
        if right_up & bottom:
            distance += 1
        elif right_down & bottom:
            distance -= 1
        right_up = (right_up << _ONE) | _ONE
        up = (right_down << _ONE) | ~(level | right_up)
        down = right_up & level
    return distance

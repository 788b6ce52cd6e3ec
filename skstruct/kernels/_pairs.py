"""Distinct pairs of words that stand in the cells of a bitext.

Cells are source-major: pair of sentences n with I source and J target words owns the
cells ``cells[n] + i * J + j``.
"""

import numpy as np
from numba import njit

__all__ = [
    "count_sentences",
    "find_pairs",
    "link_cells",
    "number_pairs",
    "unseen_outcomes",
]


@njit(cache=True, nogil=True)
def _by_word(codes, offsets, n_words):
    """Tokens of each word, and the sentence of each token."""
    starts = np.zeros(n_words + 1, np.int64)
    for code in codes:
        starts[code + 1] += 1
    for word in range(n_words):
        starts[word + 1] += starts[word]
    tokens = np.empty(len(codes), np.int64)
    sentence = np.empty(len(codes), np.int32)
    filled = starts[:-1].copy()
    for n in range(len(offsets) - 1):
        for t in range(offsets[n], offsets[n + 1]):
            sentence[t] = n
            tokens[filled[codes[t]]] = t
            filled[codes[t]] += 1
    return starts, tokens, sentence


@njit(cache=True, nogil=True)
def _grown(array):
    out = np.empty(2 * len(array), array.dtype)
    out[: len(array)] = array
    return out


@njit(cache=True, nogil=True)
def number_pairs(source, source_offsets, n_source, target, target_offsets, n_target):
    """Number the pairs of words that share a pair of sentences.

    Parameters
    ----------
    source, target : ndarray of int of shape (n_tokens,)
        Words of both sides.
    source_offsets, target_offsets : ndarray of shape (n + 1,)
        Where sentences begin.
    n_source, n_target : int
        Number of words of both sides.

    Returns
    -------
    index : ndarray of int32 of shape (C,)
        Number of the pair in each cell.
    starts : ndarray of shape (n_source + 1,)
        Pairs ``starts[s]:starts[s + 1]`` are those of source word s.
    outcome : ndarray of int32 of shape (P,)
        Target word of each pair, increasing for one source word.
    """
    n_sentences = len(source_offsets) - 1
    cells = np.zeros(n_sentences + 1, np.int64)
    for n in range(n_sentences):
        height = source_offsets[n + 1] - source_offsets[n]
        width = target_offsets[n + 1] - target_offsets[n]
        cells[n + 1] = cells[n] + height * width
    first, tokens, sentence = _by_word(source, source_offsets, n_source)
    index = np.empty(cells[-1], np.int32)
    starts = np.zeros(n_source + 1, np.int64)
    outcome = np.empty(1024, np.int32)
    number = np.full(n_target, -1, np.int64)
    row = np.empty(n_target, np.int32)
    n_pairs = 0
    # One source word after another, so that a mark for each target word is enough to
    # know a pair again: no sort, no hash table of all cells.
    for s in range(n_source):
        found = 0
        for k in range(first[s], first[s + 1]):
            n = sentence[tokens[k]]
            for t in range(target_offsets[n], target_offsets[n + 1]):
                word = target[t]
                if number[word] < n_pairs:
                    number[word] = n_pairs + found
                    row[found] = word
                    found += 1
        row[:found].sort()
        while n_pairs + found > len(outcome):
            outcome = _grown(outcome)
        for k in range(found):
            outcome[n_pairs + k] = row[k]
            number[row[k]] = n_pairs + k
        for k in range(first[s], first[s + 1]):
            n = sentence[tokens[k]]
            width = target_offsets[n + 1] - target_offsets[n]
            c = cells[n] + (tokens[k] - source_offsets[n]) * width
            for t in range(width):
                index[c + t] = number[target[target_offsets[n] + t]]
        n_pairs += found
        starts[s + 1] = n_pairs
    return index, starts, outcome[:n_pairs].copy()


@njit(cache=True, nogil=True)
def find_pairs(starts, outcome, source, source_offsets, target, target_offsets):
    """Numbers of pairs in the cells of other text, (C,) int32; -1 for a new pair.

    Words are numbered as for ``number_pairs``; larger numbers are new words.
    """
    n_cells = 0
    for n in range(len(source_offsets) - 1):
        height = source_offsets[n + 1] - source_offsets[n]
        n_cells += height * (target_offsets[n + 1] - target_offsets[n])
    index = np.full(n_cells, -1, np.int32)
    c = 0
    for n in range(len(source_offsets) - 1):
        for s in range(source_offsets[n], source_offsets[n + 1]):
            known = source[s] < len(starts) - 1
            for t in range(target_offsets[n], target_offsets[n + 1]):
                if known:
                    low, end = starts[source[s]], starts[source[s] + 1]
                    high = end
                    while low < high:
                        middle = (low + high) // 2
                        if outcome[middle] < target[t]:
                            low = middle + 1
                        else:
                            high = middle
                    if low < end and outcome[low] == target[t]:
                        index[c] = low
                c += 1
    return index


@njit(cache=True, nogil=True)
def unseen_outcomes(index, states, chain, offsets, chain_offsets, n_words, reverse):
    """For each state token, how many words of the chain are new beside it.

    Parameters
    ----------
    index : ndarray of shape (C,)
        Numbers of pairs, -1 for new ones.
    states : int
        Number of state tokens.
    chain : ndarray of shape (n_chain_tokens,)
        Words of the chain, below ``n_words``.
    offsets, chain_offsets : ndarray of shape (n + 1,)
        Where sentences of states and of the chain begin.
    n_words : int
        Number of words of the chain.
    reverse : bool
        Whether states are the target words.
    """
    out = np.zeros(states)
    mark = np.full(n_words, -1, np.int64)
    base = 0
    for n in range(len(offsets) - 1):
        n_states = offsets[n + 1] - offsets[n]
        length = chain_offsets[n + 1] - chain_offsets[n]
        step, hop = (1, n_states) if reverse else (length, 1)
        for k in range(n_states):
            s = offsets[n] + k
            for t in range(length):
                word = chain[chain_offsets[n] + t]
                if index[base + k * step + t * hop] < 0 and mark[word] != s:
                    mark[word] = s
                    out[s] += 1
        base += n_states * length
    return out


@njit(cache=True, nogil=True)
def link_cells(posterior, null, offsets, chain_offsets, reverse):
    """Mark the best link of each chain token where it is likelier than none.

    Returns
    -------
    ndarray of bool of shape (C,)
    """
    out = np.zeros(len(posterior), np.bool_)
    base = 0
    for n in range(len(offsets) - 1):
        n_states = offsets[n + 1] - offsets[n]
        length = chain_offsets[n + 1] - chain_offsets[n]
        step, hop = (1, n_states) if reverse else (length, 1)
        for t in range(length):
            best, at = null[chain_offsets[n] + t], -1
            for k in range(n_states):
                c = base + k * step + t * hop
                if posterior[c] > best:
                    best, at = posterior[c], c
            if at >= 0:
                out[at] = True
        base += n_states * length
    return out


@njit(cache=True, nogil=True)
def count_sentences(index, offsets, n):
    """In how many samples each number below n occurs, (n,)."""
    out = np.zeros(n, np.int64)
    last = np.full(n, -1, np.int64)
    for sample in range(len(offsets) - 1):
        for c in range(offsets[sample], offsets[sample + 1]):
            if last[index[c]] != sample:
                last[index[c]] = sample
                out[index[c]] += 1
    return out

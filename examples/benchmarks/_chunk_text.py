"""A text like that of CoNLL-2000's chunking task, and the features of its tokens."""

import numpy as np
import scipy.sparse as sp

__all__ = ["N_LABELS", "encode", "features", "generate", "names"]

N_LABELS, N_TAGS, N_WORDS = 23, 45, 40_000
EDGE = 99_999  # stands beyond the ends of a sentence
SPANS = {
    "word": [(-2, 1), (-1, 1), (0, 1), (1, 1), (2, 1), (-1, 2), (0, 2)],
    "tag": [(i, n) for n in (1, 2, 3) for i in range(-2, 4 - n)],
}


def generate(n_sentences, seed=0):
    """Words, tags and labels of all tokens as numbers, and offsets of sentences.

    A label depends on the one before, a tag on its label, and a word on its tag: by
    Zipf's law, or half the time on the word before as well.
    """
    model, rng = np.random.default_rng(12345), np.random.default_rng(seed)
    follow = np.cumsum(model.dirichlet(np.full(N_LABELS, 0.045), N_LABELS), axis=1)
    tag_of = np.cumsum(model.dirichlet(np.full(N_TAGS, 0.05), N_LABELS), axis=1)
    share = np.arange(1, N_TAGS + 1) ** -1.5
    sizes = np.maximum(3, N_WORDS * model.permutation(share / share.sum())).astype(int)
    starts = np.cumsum(sizes) - sizes

    lengths = np.clip(rng.normal(23.7, 9, n_sentences).round(), 2, 70).astype(int)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    T = offsets[-1]
    labels, uniforms = rng.integers(N_LABELS, size=T), rng.random(T)
    for t in np.setdiff1d(np.arange(T), offsets).tolist():
        drawn = np.searchsorted(follow[labels[t - 1]], uniforms[t])
        labels[t] = min(drawn, N_LABELS - 1)
    tags = (tag_of[labels] < rng.random((T, 1))).sum(axis=1).clip(max=N_TAGS - 1)
    ranks = (sizes[tags] ** rng.random(T)).astype(int).clip(max=sizes[tags] - 1)
    words = starts[tags] + ranks
    for t in (1 + np.flatnonzero(rng.random(T - 1) < 0.5)).tolist():
        words[t] = starts[tags[t]] + words[t - 1] * 7919 % sizes[tags[t]]
    return words, tags, labels, offsets


def features(words, tags, offsets):
    """The 19 features of each token as numbers, an array by name of the template."""
    T = len(words)
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))

    def at(column, distance):
        place = np.arange(T) + distance
        inside = (place >= 0) & (place < T)
        place[~inside] = 0
        return np.where(inside & (sentence[place] == sentence), column[place], EDGE)

    found = {}
    for (kind, spans), column in zip(SPANS.items(), (words, tags), strict=True):
        for first, n in spans:
            code = np.zeros(T, dtype=int)
            for distance in range(first, first + n):
                code = code * (EDGE + 1) + at(column, distance)
            found[f"{kind}[{first}:{first + n}]"] = code
    return found


def names(found):
    """A list of strings for each token."""
    rows = zip(*(column.tolist() for column in found.values()), strict=True)
    return [[f"{k}={v}" for k, v in zip(found, row, strict=True)] for row in rows]


def encode(found, known):
    """Features as CSR of those that are in ``known``, of which each has a column."""
    T = len(next(iter(found.values())))
    columns, start = [], 0
    for name, codes in found.items():
        values = np.unique(known[name])
        place = np.searchsorted(values, codes).clip(max=len(values) - 1)
        columns.append(np.where(values[place] == codes, start + place, -1))
        start += len(values)
    table = np.stack(columns, axis=1)
    seen = table >= 0
    indptr = np.concatenate([[0], np.cumsum(seen.sum(axis=1))])
    return sp.csr_array((np.ones(seen.sum()), table[seen], indptr), shape=(T, start))

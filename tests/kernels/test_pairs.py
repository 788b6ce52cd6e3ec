"""Pairs of words and their counts, against dictionaries and loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.kernels._pairs import (
    count_sentences,
    find_pairs,
    link_cells,
    number_pairs,
    unseen_outcomes,
)
from skstruct.kernels._translation import collapsed_table, count_pairs, spread_table

N_SOURCE, N_TARGET = 4, 5


def sentences(n_words):
    return st.lists(st.integers(0, n_words - 1), max_size=4)


texts = st.lists(
    st.tuples(sentences(N_SOURCE), sentences(N_TARGET)), min_size=1, max_size=6
)
examples = settings(max_examples=60, deadline=None)


def arrays(sentences):
    """Words of all sentences, and where these begin."""
    words = np.array([word for each in sentences for word in each], dtype=np.int32)
    return words, np.concatenate([[0], np.cumsum([len(s) for s in sentences])])


def number(text, n_source=N_SOURCE, n_target=N_TARGET):
    source, target = zip(*text, strict=True)
    return number_pairs(*arrays(source), n_source, *arrays(target), n_target)


def cells(text):
    """(sentence, source position, target position) of each cell."""
    return [
        (n, i, j)
        for n, (source, target) in enumerate(text)
        for i in range(len(source))
        for j in range(len(target))
    ]


def pairs_of(text):
    return [(text[n][0][i], text[n][1][j]) for n, i, j in cells(text)]


def offsets(text):
    return np.concatenate([[0], np.cumsum([len(s) * len(t) for s, t in text])])


@examples
@given(texts)
def test_pairs_are_numbered_by_source_then_target(text):
    index, starts, outcome = number(text)
    numbers = {pair: k for k, pair in enumerate(sorted(set(pairs_of(text))))}
    assert_array_equal(index, [numbers[pair] for pair in pairs_of(text)])
    assert_array_equal(outcome, [t for _, t in sorted(numbers)])
    counts = np.bincount([s for s, _ in numbers], minlength=N_SOURCE)
    assert_array_equal(starts, np.concatenate([[0], np.cumsum(counts)]))
    assert index.dtype == outcome.dtype == np.int32


def test_more_pairs_than_there_was_room_for():
    text = [([s], list(range(s % 7, 60))) for s in range(70)]
    index, _, outcome = number(text, 70, 60)
    assert len(outcome) == len(index) > 2048
    assert_array_equal(outcome, [t for _, target in text for t in target])


@examples
@given(texts, texts)
def test_pairs_are_found_again(text, new):
    """Words of the new text may be beyond the known ones."""
    new = [([s + 1 for s in source], [t + 2 for t in target]) for source, target in new]
    _, starts, outcome = number(text)
    numbers = {pair: k for k, pair in enumerate(sorted(set(pairs_of(text))))}
    source, target = zip(*new, strict=True)
    found = find_pairs(starts, outcome, *arrays(source), *arrays(target))
    assert_array_equal(found, [numbers.get(pair, -1) for pair in pairs_of(new)])


def by_direction(text, reverse):
    sides = list(zip(*text, strict=True))
    return sides[::-1] if reverse else sides


def by_chain(text, values, reverse):
    """Values of the cells of each sentence as arrays (states, chain)."""
    bounds = offsets(text)
    out = []
    for n, (source, target) in enumerate(text):
        part = values[bounds[n] : bounds[n + 1]].reshape(len(source), len(target))
        out.append(part.T if reverse else part)
    return out


@examples
@given(texts, st.booleans(), st.integers(0, 2**32 - 1))
def test_unseen_outcomes(text, reverse, seed):
    rng = np.random.default_rng(seed)
    seen = {pair: rng.random() < 0.5 for pair in sorted(set(pairs_of(text)))}
    index = np.array([0 if seen[p] else -1 for p in pairs_of(text)], dtype=np.int32)
    states, chain = by_direction(text, reverse)
    expected = [
        len({t for t in c if not seen[(t, s) if reverse else (s, t)]})
        for each, c in zip(states, chain, strict=True)
        for s in each
    ]
    words, chain_offsets = arrays(chain)
    _, state_offsets = arrays(states)
    found = unseen_outcomes(
        index,
        state_offsets[-1],
        words,
        state_offsets,
        chain_offsets,
        max(N_SOURCE, N_TARGET),
        reverse,
    )
    assert_array_equal(found, expected)


@examples
@given(texts, st.booleans(), st.integers(0, 2**32 - 1))
def test_the_best_links_beat_none(text, reverse, seed):
    rng = np.random.default_rng(seed)
    states, chain = (arrays(side)[1] for side in by_direction(text, reverse))
    posterior = rng.integers(6, size=offsets(text)[-1]).astype(np.float32) / 6
    null = rng.integers(6, size=chain[-1]) / 6
    marks = link_cells(posterior, null, states, chain, reverse)
    assert marks.dtype == bool
    tables = by_chain(text, posterior, reverse)
    for n, (p, mark) in enumerate(
        zip(tables, by_chain(text, marks, reverse), strict=True)
    ):
        for t in range(p.shape[1]):
            links = np.flatnonzero(mark[:, t])
            wins = len(p) > 0 and p[:, t].max() > null[chain[n] + t]
            assert links.tolist() == ([p[:, t].argmax()] if wins else [])


@examples
@given(texts)
def test_sentences_are_counted_once(text):
    index, _, outcome = number(text)
    expected = np.zeros(len(outcome), int)
    numbers = dict(zip(pairs_of(text), index.tolist(), strict=True))
    for pair, k in numbers.items():
        expected[k] = sum(pair[0] in s and pair[1] in t for s, t in text)
    assert_array_equal(count_sentences(index, offsets(text), len(outcome)), expected)


@examples
@given(texts, st.integers(0, 2**32 - 1))
def test_counts_with_and_without_own_part(text, seed):
    rng = np.random.default_rng(seed)
    index, starts, outcome = number(text)
    posterior = rng.random(len(index)).astype(np.float32)
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], size=len(text))
    counts = count_pairs(index, posterior, offsets(text), weight, len(outcome))
    expected = dict.fromkeys(pairs_of(text), 0.0)
    for (n, *_), pair, p in zip(cells(text), pairs_of(text), posterior, strict=True):
        expected[pair] += weight[n] * p
    assert_allclose(counts, [expected[pair] for pair in sorted(expected)])

    condition = np.repeat(np.arange(N_SOURCE), np.diff(starts))
    top = counts + 0.1
    bottom = np.bincount(condition, top, N_SOURCE)
    found = collapsed_table(
        index, condition, top, bottom, posterior, offsets(text), weight
    )
    for c, ((n, *_), (s, t)) in enumerate(
        zip(cells(text), pairs_of(text), strict=True)
    ):
        own = min(weight[n], 1.0) * float(posterior[c])
        row = sum(v + 0.1 for pair, v in expected.items() if pair[0] == s)
        assert found[c] == pytest.approx(
            (expected[s, t] + 0.1 - own) / (row - own), rel=1e-5
        )


def test_counts_that_vanish_without_own_part():
    index, condition = np.zeros(1, np.int32), np.zeros(1, np.int64)
    one = np.ones(1)
    for top, bottom in [(1.0, 1.0), (1.0 - 1e-16, 1.0), (1.0, 1.0 - 1e-16)]:
        found = collapsed_table(
            index, condition, top * one, bottom * one, one, np.array([0, 1]), one
        )
        assert 0 <= found[0] <= 1


@examples
@given(texts, st.booleans(), st.integers(0, 2**32 - 1))
def test_tables_are_spread_over_new_text(text, reverse, seed):
    rng = np.random.default_rng(seed)
    index, _, outcome = number(text)
    index = np.where(rng.random(len(index)) < 0.3, -1, index).astype(np.int32)
    states, chain = (arrays(side)[1] for side in by_direction(text, reverse))
    top, totals = rng.random(len(outcome)), rng.random(states[-1]) + 1
    found = spread_table(index, top, 0.25, totals, states, np.diff(chain), reverse)
    expected = np.where(index >= 0, np.append(top, 0)[index], 0.25)
    for n, (e, f) in enumerate(
        zip(
            by_chain(text, expected, reverse),
            by_chain(text, found, reverse),
            strict=True,
        )
    ):
        assert_allclose(f, e / totals[states[n] : states[n + 1], None], rtol=1e-6)

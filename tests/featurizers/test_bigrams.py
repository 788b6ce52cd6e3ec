"""Word types and bigram counts."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from skstruct.containers import Ragged
from skstruct.featurizers._bigrams import count_bigrams, read_words

SENTENCES = [["b", "a", "a"], [], ["c", "b", "d", "a"], ["b"], []]


def dense_by_hand(sequences, words):
    """The table of pairs, counted one by one."""
    names = [*words, None]
    pairs = Counter()
    for sequence in sequences:
        if sequence:
            pairs.update(pairwise([None, *sequence, None]))
    return [[pairs[v, w] for w in names] for v in names]


def test_words_stand_by_falling_frequency_then_first_appearance():
    words, index, counts, _ = count_bigrams(Ragged(SENTENCES))
    assert words.tolist() == ["b", "a", "c", "d"]
    assert counts.tolist() == [3, 3, 1, 1]
    assert words[index].tolist() == [w for s in SENTENCES for w in s]


def test_pairs_equal_those_counted_by_hand():
    for seed in range(5):
        rng = np.random.RandomState(seed)
        lengths = rng.randint(0, 5, size=8)
        sequences = [rng.choice(list("abcde"), size=n).tolist() for n in lengths]
        words, _, _, pairs = count_bigrams(Ragged(sequences))
        assert pairs.toarray().tolist() == dense_by_hand(sequences, words)
        assert pairs.has_canonical_format


def test_every_token_has_a_left_and_a_right_neighbour():
    _, _, counts, pairs = count_bigrams(Ragged(SENTENCES))
    assert pairs.sum(axis=0)[:-1].tolist() == counts.tolist()
    assert pairs.sum(axis=1)[:-1].tolist() == counts.tolist()
    assert pairs.sum(axis=0)[-1] == pairs.sum(axis=1)[-1] == 3


@pytest.mark.parametrize(
    ("sequences", "words"),
    [
        ([[7, 7, 2]], [7, 2]),
        ([[("a", 1), ("a", 1), ("b", 2)]], [("a", 1), ("b", 2)]),
        ([["a", 3, "a"]], ["a", 3]),
    ],
)
def test_tokens_may_be_any_symbols(sequences, words):
    if isinstance(sequences[0][0], tuple):  # lists of tuples are read as vectors
        tokens = np.fromiter(sequences[0], object, len(sequences[0]))
        sequences = Ragged.from_lengths(tokens, [len(tokens)])
    found = count_bigrams(Ragged(sequences))
    assert found.words.tolist() == words
    assert found.counts.tolist() == [2, 1]


def test_tokens_beside_feature_rows_are_the_words():
    batch = Ragged.from_lengths(np.ones((3, 2)), [1, 2], tokens=["x", "y", "x"])
    assert count_bigrams(batch).words.tolist() == ["x", "y"]
    assert read_words(batch).tolist() == ["x", "y", "x"]


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (Ragged([[], []]), "no tokens"),
        (Ragged([["a"], ["b", None]]), "sample 1, position 1 is None"),
        (Ragged([["a"], ["b", {"x": 1}]]), "sample 1, position 1 is a dict"),
        (Ragged([[0.5, 1.0]]), "float64 numbers"),
        (Ragged([np.ones((2, 3))]), "holds vectors"),
    ],
)
def test_what_is_no_word_is_named(batch, message):
    with pytest.raises(ValueError, match=message):
        count_bigrams(batch)

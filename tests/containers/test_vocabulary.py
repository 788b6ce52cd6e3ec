"""Vocabulary, and neighbours within samples."""

import pickle

import numpy as np
import pytest

from skstruct.containers import Ragged, Vocabulary, neighbours


def objects(*tokens):
    return np.fromiter(tokens, object, len(tokens))


@pytest.mark.parametrize(
    ("tokens", "in_order", "as_seen"),
    [
        (objects("b", "a", "b"), ["a", "b"], ["b", "a"]),
        (np.array([7, 2, 7]), [2, 7], [7, 2]),
        (objects(7, 2.0, 7), [2, 7], [7, 2]),
        (objects("b", 2, "b"), ["b", 2], ["b", 2]),
        (objects(("b", 1), ("a", 1)), [("a", 1), ("b", 1)], [("b", 1), ("a", 1)]),
    ],
)
def test_order_of_symbols(tokens, in_order, as_seen):
    for sort, symbols in ((True, in_order), (False, as_seen)):
        vocabulary = Vocabulary.learn(tokens, sort=sort)
        assert vocabulary.symbols.tolist() == symbols
        assert [symbols[c] for c in vocabulary.codes(tokens)] == tokens.tolist()


@pytest.mark.parametrize("symbols", [[5, 3, 4], [10**12, 3, -(10**12)]])
@pytest.mark.parametrize("dtype", [int, object])
def test_integers_meet_whatever_holds_them(symbols, dtype):
    vocabulary = Vocabulary(np.array(symbols, dtype=dtype))
    tokens = [symbols[2], 6, symbols[0], -(2**63), 2**63 - 1]
    for kind in (int, object):
        codes = vocabulary.codes(np.array(tokens, dtype=kind))
        assert codes.tolist() == [2, 3, 0, 3, 3]


def test_of_no_symbols_nothing_is_known():
    for dtype in (int, object):
        vocabulary = Vocabulary.learn(np.zeros(0, dtype=dtype))
        assert len(vocabulary) == 0
        assert vocabulary.codes(np.array([3, 4])).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (None, "sample 1, position 1 is None. A missing"),
        (np.float64("nan"), "sample 1, position 1 is nan. A missing"),
        (np.float64(0.5), "sample 1, position 1 is 0.5: symbols are text"),
        ({"x": 1}, "sample 1, position 1 is a dict; tokens must be hashable"),
    ],
)
def test_what_is_no_symbol_is_named(token, message):
    tokens, offsets = objects("a", "b", token), np.array([0, 1, 3])
    vocabulary = Vocabulary.learn(tokens[:2])
    for read in (Vocabulary.learn, vocabulary.codes):
        with pytest.raises(ValueError, match=message):
            read(tokens, offsets)


@pytest.mark.parametrize(
    "tokens", [objects(b"b", b"a"), objects("b", 2), np.array([5, 9, 7]), objects()]
)
def test_a_loaded_vocabulary_knows_the_same_symbols(tokens):
    vocabulary = Vocabulary.learn(tokens)
    loaded = pickle.loads(pickle.dumps(vocabulary))
    others = np.append(tokens, objects("unseen"))
    for read in (tokens, others):
        assert loaded.codes(read).tolist() == vocabulary.codes(read).tolist()
    assert loaded.symbols.dtype == vocabulary.symbols.dtype


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 2])
def test_neighbours_stay_within_their_sample(offset):
    X = Ragged([["a", "b", "c"], [], ["d"], ["e", "f"]])
    expected = []
    for sample in X:
        for t in range(len(sample)):
            inside = 0 <= t + offset < len(sample)
            expected.append(sample[t + offset] if inside else "|")
    found = np.append(X.values, "|")[neighbours(X.offsets, offset)]
    assert found.tolist() == expected


def test_surface_is_what_a_reader_sees():
    words = Ragged([["a", "b"], ["c"]])
    assert words.surface is words.values
    rows = Ragged.from_lengths(np.eye(3), [2, 1], tokens=words.values)
    assert rows.surface is rows.tokens

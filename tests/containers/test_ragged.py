"""Ragged: construction, cutting, copies, errors."""

import copy
import pickle
import time

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from skstruct.containers import Ragged

WORDS = [["a", "rose"], [], ["is", "a", "rose"]]


def lists(batch):
    return [np.asarray(sample).tolist() for sample in batch]


def object_array(items):
    out = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        out[i] = item
    return out


# --- what sequences may be ------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        lambda s: s,
        tuple,
        iter,
        lambda s: (tuple(x) for x in s),
        lambda s: [np.array(x, dtype=str) for x in s],
        lambda s: [np.array(x, dtype=object) for x in s],
        lambda s: [pd.Series(x, dtype=object) for x in s],
        lambda s: [dict.fromkeys(x).keys() for x in s],
        object_array,
        lambda s: pd.Series(s, index=[1, 1, 0]),
        pl.Series,
        Ragged,
    ],
)
def test_text_in_every_form(form):
    batch = Ragged(form(WORDS))
    assert lists(batch) == WORDS
    assert batch.values.dtype == object and type(batch.values[0]) is str
    assert batch.offsets.dtype == np.intp
    assert batch.offsets.tolist() == [0, 2, 2, 5]


@pytest.mark.parametrize(
    ("sequences", "dtype", "values"),
    [
        ([[1, 2], [3]], int, [1, 2, 3]),
        ([range(2), [3]], int, [0, 1, 3]),
        ([[1, 2.5], [3]], float, [1, 2.5, 3]),
        ([[True], [False]], bool, [True, False]),
        ([np.array([1, 2]), [3]], int, [1, 2, 3]),
        ([np.array([1, 2], dtype=object), [3]], int, [1, 2, 3]),
        ([np.array([1]), np.array([2.5]), []], float, [1, 2.5]),
        ([np.zeros(0), np.array([1])], int, [1]),
        ([["a", 1], [2]], object, ["a", 1, 2]),
        ([[1, None], [2]], object, [1, None, 2]),
        ([np.array([1, 2]), [None]], object, [1, 2, None]),
        ([["a", None], [None]], object, ["a", None, None]),
        ([[{"w": 1}, {}], [{"v": "x"}]], object, [{"w": 1}, {}, {"v": "x"}]),
        ([[], []], object, []),
        ([], object, []),
    ],
)
def test_the_type_of_values(sequences, dtype, values):
    batch = Ragged(sequences)
    assert batch.values.dtype == dtype and batch.values.ndim == 1
    assert batch.values.tolist() == values
    assert len(batch) == len(sequences) == len(batch.lengths)


@pytest.mark.parametrize(
    "sequences",
    [
        [[[1, 2], [3, 4]], [], [[5, 6]]],
        [[(1, 2), (3, 4)], [], [np.array([5, 6])]],
        [np.array([[1.0, 2], [3, 4]]), [], [[5, 6]]],
        [np.array([[1, 2], [3, 4]], dtype=object), np.zeros((0, 2)), [[5, 6]]],
        [pd.DataFrame([[1.0, 2], [3, 4]]), [], pl.DataFrame({"u": [5.0], "v": [6]})],
        pl.Series([[[1, 2], [3, 4]], [], [[5, 6]]]),
        pd.Series([object_array([[1, 2], [3, 4]]), [], [[5, 6]]]),
    ],
)
def test_sequences_of_vectors(sequences):
    batch = Ragged(sequences)
    assert batch.values.dtype == float
    assert batch.lengths.tolist() == [2, 0, 1]
    np.testing.assert_array_equal(batch.values, [[1, 2], [3, 4], [5, 6]])


def test_rows_of_symbols_are_not_turned_into_numbers_or_text():
    batch = Ragged([[["1", 2]], [("3", None)]])
    assert batch.values.dtype == object
    assert batch.values.tolist() == [["1", 2], ["3", None]]


def test_sparse_sequences():
    rows = sp.random_array((5, 4), density=0.5, random_state=0).tocsr()
    parts = [sp.csr_matrix(rows[:2]), [], rows[2:]]
    batch = Ragged(parts)
    assert batch.values.format == "csr" and isinstance(batch.values, sp.csr_array)
    assert batch.lengths.tolist() == [2, 0, 3]
    np.testing.assert_array_equal(batch.values.toarray(), rows.toarray())
    np.testing.assert_array_equal(batch[2].toarray(), rows.toarray()[2:])
    assert repr(batch) == "Ragged(3 sequences, 5 tokens, float64 x 4)"


def test_a_hundred_thousand_sentences_are_read_at_once():
    sentences = [["word"] * 10 for _ in range(100_000)]
    start = time.process_time()
    batch = Ragged(sentences)
    # It takes about 0.1 s; the bound leaves room for a slow machine.
    assert time.process_time() - start < 1.0
    assert batch.n_tokens == 1_000_000


# --- constructors ---------------------------------------------------------------------


@pytest.mark.parametrize("values", [np.arange(5), list(range(5)), pd.Series(range(5))])
def test_flat_values(values):
    for batch in (
        Ragged.from_arrays(values, [0, 2, 2, 5]),
        Ragged.from_lengths(values, [2, 0, 3]),
    ):
        assert lists(batch) == [[0, 1], [], [2, 3, 4]]


def test_read_only_arrays_are_shared_not_changed():
    values, offsets = np.arange(4.0), np.array([0, 1, 4])
    values.flags.writeable = offsets.flags.writeable = False
    batch = Ragged.from_arrays(values, offsets)
    assert np.shares_memory(batch.values, values)
    taken = batch[[1, 0]]
    assert taken.values.flags.writeable
    taken.values[:] = 0
    assert values.tolist() == [0, 1, 2, 3]


def test_flat_text_becomes_objects():
    batch = Ragged.from_lengths(
        np.array(["a", "bb"]), [1, 1], tokens=np.array(["A", "B"])
    )
    assert batch.values.dtype == batch.tokens.dtype == object


def test_rows_are_sequences():
    assert lists(Ragged.from_rows(np.array([["A", "C"], ["G", "T"]]))) == [
        ["A", "C"],
        ["G", "T"],
    ]
    assert lists(Ragged.from_rows(pd.DataFrame([[1, 2, 3]]))) == [[1, 2, 3]]
    assert Ragged.from_rows(np.zeros((3, 0))).lengths.tolist() == [0, 0, 0]


def test_empty_batches():
    for batch in (
        Ragged([]),
        Ragged.from_lengths([], []),
        Ragged.from_arrays(np.zeros((0, 2)), [0]),
        Ragged(WORDS)[[]],
        Ragged(WORDS)[:0],
    ):
        assert len(batch) == 0 and batch.n_tokens == 0 and list(batch) == []
        assert np.asarray(batch).shape == (0,)


def test_with_values_keeps_companions():
    batch = Ragged.from_lengths(np.eye(3), [1, 2], tokens=["a", "b", "c"])
    other = batch.with_values([1, 2, 3])
    assert lists(other) == [[1], [2, 3]]
    assert other.tokens is batch.tokens
    assert batch.values.shape == (3, 3)
    assert Ragged(other).tokens is batch.tokens


# --- cutting --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (slice(1, None), [1, 2]),
        (slice(None, None, -1), [2, 1, 0]),
        (slice(5, 9), []),
        ([2, 0, 2], [2, 0, 2]),
        ([-1, -3], [2, 0]),
        (np.array([1], dtype=np.uint8), [1]),
        ([], []),
        (np.array([True, False, True]), [0, 2]),
        ([False, False, True], [2]),
        (([0, 1], ...), [0, 1]),
        ((slice(2), Ellipsis), [0, 1]),
    ],
)
def test_keys(key, expected):
    batch = Ragged.from_lengths(np.arange(5), [2, 0, 3], tokens=list("abcde"))
    taken = batch[key]
    assert type(taken) is Ragged
    assert lists(taken) == [lists(batch)[i] for i in expected]
    letters = [["a", "b"], [], ["c", "d", "e"]]
    assert taken.tokens.tolist() == [t for i in expected for t in letters[i]]


def test_single_samples():
    batch = Ragged(WORDS)
    assert batch[0].tolist() == batch[-3].tolist() == batch[np.int8(0)].tolist()
    assert batch[2, ...].tolist() == ["is", "a", "rose"]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (3, "out of range"),
        (-4, "out of range"),
        ([0, 3], "out of range for 3 samples"),
        ([-4], "out of range for 3 samples"),
        ([True, False], r"mask of shape \(2,\) cannot choose from 3"),
        (True, "mask of shape"),
        (1.0, "Samples are chosen by"),
        ("a", "Samples are chosen by"),
        ([[0], [1]], "Samples are chosen by"),
        ((0, 1), "one axis, the samples"),
    ],
)
def test_bad_keys(key, message):
    with pytest.raises(IndexError, match=message):
        Ragged(WORDS)[key]


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_concatenate(kind):
    parts = [
        Ragged.from_lengths(kind(np.eye(3)), [1, 2], tokens=list("abc")),
        Ragged.from_lengths(kind(np.ones((1, 3))), [0, 1], tokens=["d"]),
    ]
    joined = np.concatenate(parts)
    assert type(joined) is Ragged and type(joined.values) is type(parts[0].values)
    assert joined.lengths.tolist() == [1, 2, 0, 1]
    assert joined.tokens.tolist() == list("abcd")
    assert np.concatenate(
        [parts[0], parts[1].with_values(kind([[7, 7, 7]]))[1:]]
    ).shape == (3,)


def test_concatenate_with_an_object_array():
    joined = np.concatenate([Ragged(WORDS), object_array([["x"], []])])
    assert lists(joined) == [*WORDS, ["x"], []]
    assert joined.tokens is None


# --- copies ---------------------------------------------------------------------------


def test_copies_and_hashes():
    batch = Ragged.from_lengths(np.eye(3), [1, 2], tokens=list("abc"))
    for again in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        assert again is not batch
        np.testing.assert_array_equal(again.values, batch.values)
        assert again.offsets.tolist() == [0, 1, 3] and again.tokens.tolist() == list(
            "abc"
        )
        assert joblib.hash(again) == joblib.hash(batch)
    assert joblib.hash(batch[[1, 0]]) != joblib.hash(batch)


def test_a_batch_as_parameter_survives_clone():
    class Holder(BaseEstimator):
        def __init__(self, data=None):
            self.data = data

    assert lists(clone(Holder(data=Ragged(WORDS))).data) == WORDS


@pytest.mark.parametrize(
    ("batch", "expected"),
    [
        (Ragged([]), "Ragged(0 sequences, 0 tokens, object)"),
        (Ragged([["a"]]), "Ragged(1 sequence, 1 token, str)"),
        (Ragged([[1, 2]]), "Ragged(1 sequence, 2 tokens, int64)"),
        (Ragged([[("a", "b")]]), "Ragged(1 sequence, 1 token, str x 2)"),
        (Ragged([[{}]]), "Ragged(1 sequence, 1 token, object)"),
    ],
)
def test_repr(batch, expected):
    assert repr(batch) == expected


# --- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sequences", "message"),
    [
        (["a rose", "is"], "Sample 0 is a single str.*split text into tokens"),
        ([["a"], b"rose"], "Sample 1 is a single bytes"),
        ([["a"], {"w": 1}], "Sample 1 is a single dict"),
        ([[1], 2], r"Sample 1 is a single int \('2'\)"),
        ([[1], np.float64(2)], "Sample 1 is a single float64"),
        ([[1], np.array(2)], "Sample 1 is a single ndarray"),
        ([[1], None], r"Sample 1 is missing \(None\)"),
        ([["a"], {"a", "b"}], "Sample 1 is a set, which has no order"),
        ([np.zeros((2, 1)), np.zeros((2, 3, 4))], "Sample 1 has 3 dimensions"),
        ([np.zeros((2, 3)), [], np.zeros((2, 4))], r"Sample 2 has tokens.*sample 0"),
        ([np.zeros(2), np.zeros((2, 4))], r"Sample 1 has tokens of shape \(4,\)"),
        ([np.array(["a"]), np.array([1])], "Sample 1 holds numbers.*sample 0 symbols"),
        ([np.array([1.0]), ["a"]], "Sample 1 holds symbols, sample 0 numbers"),
        ([np.eye(2), sp.csr_array(np.eye(2))], "Sample 1 holds sparse rows, sample 0"),
        ([[1.0], [[1.0, 2.0]]], r"Sample 1, position 0: the token has shape \(2,\)"),
        ([[[1.0, 2.0]], [[1.0, 2.0], 1.0]], r"Sample 1, position 1: .* shape \(\)"),
        (
            [[[1, 2]], [[1, 2], [1, 2, 3]]],
            r"Sample 1, position 1: .*\(3,\), the .*\(2,\)",
        ),
        ([np.eye(2), [[1.0, 2.0], [1.0]]], r"Sample 1, position 1: .* shape \(1,\)"),
        (
            [["a", ["b"]]],
            r"Sample 0, position 1: .* shape \(1,\), the first token \(\)",
        ),
        ([[[[1], [2]]]], r"Sample 0, position 0: the token has shape \(2, 1\)"),
        ([[[[1], [2, 3]]]], "Sample 0, position 0: the token is a list of uneven"),
        ({"a": [1]}, "Expected a list of sequences, got one dict"),
        ("a rose", r"got one str; write one sequence of tokens as \[tokens\]"),
        (5, "Expected a list of sequences, got one int"),
        (np.zeros((3, 2)), r"ndarray of shape \(3, 2\).*from_rows.*from_lengths"),
        (np.zeros((3, 2, 1)), r"list\(array\) if array\[i\] is sequence i"),
        (sp.csr_array(np.eye(2)), r"csr_array of shape \(2, 2\)"),
        (pd.DataFrame({"w": ["a"]}), r"DataFrame of shape \(1, 1\).*from_frame"),
    ],
)
def test_bad_sequences_are_named(sequences, message):
    with pytest.raises(ValueError, match=message):
        Ragged(sequences)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 2], "rise from 0 to the number of tokens, 3; they go from 0 to 2"),
        ([1, 3], "go from 1 to 3"),
        ([0, 2, 1, 3], "sample 1 would end before it begins, at 1"),
        ([], "1-D array of integers that starts at 0"),
        ([0.0, 3.0], "got dtype float64"),
        ([[0, 3]], r"shape \(1, 2\)"),
    ],
)
def test_bad_offsets(offsets, message):
    with pytest.raises(ValueError, match=message):
        Ragged.from_arrays([1, 2, 3], offsets)


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([1, 1], "they sum to 2, values has 3 rows"),
        ([4, -1], "length of sample 1 is -1"),
        ([1.0, 2.0], "1-D array of integers; got dtype float64"),
        (3, r"got dtype int64 and shape \(\)"),
    ],
)
def test_bad_lengths(lengths, message):
    with pytest.raises(ValueError, match=message):
        Ragged.from_lengths([1, 2, 3], lengths)


def test_other_misfits():
    batch = Ragged(WORDS)
    with pytest.raises(ValueError, match="tokens has 2 entries, values has 3"):
        Ragged.from_lengths([1, 2, 3], [3], tokens=["a", "b"])
    with pytest.raises(ValueError, match="values has 4 rows, the batch 5 tokens"):
        batch.with_values(np.zeros(4))
    with pytest.raises(ValueError, match="got a scalar"):
        batch.with_values(3)
    with pytest.raises(ValueError, match="values must be flat"):
        batch.with_values(batch)
    with pytest.raises(ValueError, match=r"rows must be 2-D, got shape \(2,\)"):
        Ragged.from_rows([1, 2])
    with pytest.raises(ValueError, match="does not come from a data frame"):
        batch.to_frame(batch)

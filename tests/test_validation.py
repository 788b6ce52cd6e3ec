"""Reading user input: batches, labels, weights."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from skstruct._validation import (
    as_known_labels,
    as_labels,
    as_ragged,
    check_features,
    check_sample_weight,
    is_table,
    read_batch,
    reject_lengths,
)
from skstruct.containers import Batch, Ragged

SENTENCES = [["a", "rose"], [], ["is", "a", "rose"]]


def object_array(items):
    out = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        out[i] = item
    return out


LIST_LIKE = {
    "list of lists": lambda s: s,
    "tuple of tuples": lambda s: tuple(map(tuple, s)),
    "list of text arrays": lambda s: [np.array(x, dtype=str) for x in s],
    "object array": object_array,
    "pandas": lambda s: pd.Series(s, index=[7, 7, 3][: len(s)]),
    "polars": lambda s: pl.Series(s),
}


@pytest.mark.parametrize("form", LIST_LIKE)
def test_list_likes_are_read_alike_and_answered_by_object_arrays(form):
    batch, answer = read_batch(LIST_LIKE[form](SENTENCES))
    assert [list(s) for s in batch] == SENTENCES
    answered = answer(np.arange(5))
    assert isinstance(answered, np.ndarray) and answered.shape == (3,)
    assert [a.tolist() for a in answered] == [[0, 1], [], [2, 3, 4]]


def test_answers_of_equal_lengths_stay_one_dimensional():
    _, answer = read_batch([[1, 2], [3, 4]])
    answered = answer(np.arange(4))
    assert answered.shape == (2,) and answered[1].tolist() == [2, 3]


def test_a_container_passes_through_and_is_answered_by_a_container():
    X = Ragged(SENTENCES)
    batch, answer = read_batch(X)
    assert batch is X
    assert isinstance(answer(np.arange(5)), Ragged)
    assert answer(np.zeros((5, 2)))[2].shape == (3, 2)


def test_generators_are_sequences_of_samples():
    assert len(as_ragged(s for s in SENTENCES)) == 3


@pytest.mark.parametrize(
    "make",
    [
        np.asarray,
        lambda a: a.astype(object),
        np.asfortranarray,
        lambda a: pd.DataFrame(a, columns=["u", "v"]),
        lambda a: pl.DataFrame({"u": a[:, 0], "v": a[:, 1]}),
        lambda a: pd.DataFrame(a).convert_dtypes(),
    ],
)
def test_tables_of_numbers_are_sequences_of_length_one(make):
    table = np.array([[1.5, 2.0], [3.0, 4.0], [5.0, 6.0]])
    batch, answer = read_batch(make(table))
    assert batch.lengths.tolist() == [1, 1, 1]
    np.testing.assert_array_equal(batch.values, table)
    assert batch.values.dtype.kind == "f"
    np.testing.assert_array_equal(answer([3, 1, 2]), [3, 1, 2])


def test_lists_of_numbers_are_sequences_not_rows():
    batch = as_ragged([[1, 2], [3, 4]])
    assert batch.lengths.tolist() == [2, 2] and batch.values.dtype.kind == "i"


def test_missing_numbers_are_left_to_the_emission():
    assert np.isnan(as_ragged(np.array([[np.nan, np.inf]])).values[0, 0])
    assert np.isnan(as_ragged([np.array([1.0, np.nan])]).values[1])


def test_sparse_tables_are_refused():
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        read_batch(sp.csr_matrix(np.eye(3)))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([1.0, 2.0]), r"Expected 2D array, got 1D array instead.*\[X\]"),
        (np.array(["a", "b"]), r"Expected 2D array, got 1D array instead.*\[X\]"),
        (object_array(["a", "b"]), r"got 1D array instead.*\[X\]"),
        (pd.Series(["a", "b"]), r"got 1D array instead.*Reshape your data"),
        (pl.Series([1, 2]), r"got 1D array instead.*Ragged.from_lengths\(X"),
        (["a rose", "is"], "X: Sample 0 is a single str.*split text into tokens"),
        ([["a"], 3], "X: Sample 1 is a single int"),
        ([["a"], None], r"X: Sample 1 is missing \(None\).*dropna"),
        (pd.Series([["a"], np.nan]), r"X: Sample 1 is missing \(nan\).*dropna"),
        (pd.Series([np.nan, ["a"]]), r"X: Sample 0 is missing \(nan\).*dropna"),
        (pl.Series([["a"], None]), r"X: Sample 1 is missing \(None\).*drop_nulls"),
        (pd.Series([np.nan, "a b"]), "Expected 2D array, got 1D array"),
        ("a rose", "X: Expected a list of sequences, got one str"),
        ({"a": 1}, "X: Expected a list of sequences, got one dict"),
        (3.0, "got scalar array instead: X=3.0"),
        (np.array(3.0), "got scalar array instead"),
        (np.zeros((2, 3, 4)), r"dim 3, while dim <= 2.*pass list\(X\)"),
        ([np.zeros((2, 3)), np.zeros((2, 4))], r"X: Sample 1 has tokens of shape \(4,"),
        (np.array([["a", "b"]]), r"from_rows\(array\).*from_frame\("),
        (np.array([["1", 2.0]], dtype=object), r"from_rows\(array\).*from_frame\("),
        (pd.DataFrame({"w": ["a"]}), r"from_rows\(array\).*from_frame\("),
        (pl.DataFrame({"w": ["a"], "n": [1]}), r"from_rows\(array\).*from_frame\("),
        (np.array([[1 + 2j]]), "Complex data not supported"),
        ([np.array([1 + 2j])], "Complex data not supported"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "X holds dates or times"),
        ([], "X is empty: found 0 sample"),
        (Ragged([]), "X is empty: found 0 sample"),
        (np.zeros((0, 3)), "0 sample"),
        (np.zeros((12, 0)), r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum"),
    ],
)
def test_bad_input_says_what_to_do(X, message):
    with pytest.raises(ValueError, match=message):
        read_batch(X)


def test_dicts_in_a_table_are_a_type_error():
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        read_batch(np.array([[{"a": 1}, 2.0]], dtype=object))


def test_other_batches_are_refused():
    class Pairs(Batch):
        __slots__ = ()

        def __len__(self):
            return 1

    with pytest.raises(ValueError, match=r"X: Expected a list of sequences.*Pairs"):
        read_batch(Pairs())


def test_things_that_are_only_convertible_to_arrays():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.eye(2)

    assert as_ragged(Wrapped()).lengths.tolist() == [1, 1]
    assert is_table(Wrapped())


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (np.eye(2), True),
        (pd.DataFrame({"w": ["a"]}), True),
        (pl.DataFrame({"w": ["a"]}), True),
        (sp.csr_array(np.eye(2)), True),
        ([[1, 2], [3, 4]], False),
        (Ragged([[1, 2]]), False),
        (np.zeros((1, 2, 3)), False),
        (3, False),
    ],
)
def test_tables_are_told_from_sequences(X, expected):
    assert is_table(X) is expected


def test_the_name_stands_in_messages():
    with pytest.raises(ValueError, match="observed_labels"):
        read_batch(3, "observed_labels")


def test_features_are_remembered_and_compared():
    estimator = BaseEstimator()
    frame = pd.DataFrame({"u": [1.0], "v": [2.0]})
    check_features(estimator, frame, as_ragged(frame), reset=True)
    assert estimator.n_features_in_ == 2
    assert estimator.feature_names_in_.tolist() == ["u", "v"]
    other = frame[["v", "u"]]
    with pytest.raises(ValueError, match="same order"):
        check_features(estimator, other, as_ragged(other), reset=False)
    wide = [np.zeros((2, 3))]
    with (
        pytest.warns(UserWarning, match="valid feature names"),
        pytest.raises(ValueError, match="3 features"),
    ):
        check_features(estimator, wide, as_ragged(wide), reset=False)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_names_of_features_in_batches(library):
    frame = library({"u": [1.0, 2.0], "v": [3.0, 4.0]})
    swapped = frame[["v", "u"]]
    estimator = BaseEstimator()
    X = Ragged.from_frame(frame, ["u", "v"])
    check_features(estimator, X, X, reset=True)
    assert estimator.feature_names_in_.tolist() == ["u", "v"]
    for form in (X[:1], [frame], np.concatenate([X, X])):
        check_features(estimator, form, as_ragged(form), reset=False)
    for other in ([swapped], Ragged.from_frame(frame, ["v", "u"])):
        with pytest.raises(ValueError, match="same order as they were in fit"):
            check_features(estimator, other, as_ragged(other), reset=False)


def test_tokens_have_no_features():
    estimator = BaseEstimator()
    check_features(estimator, SENTENCES, as_ragged(SENTENCES), reset=True)
    assert not hasattr(estimator, "n_features_in_")


# --- labels ---------------------------------------------------------------------------

X = Ragged(SENTENCES)
TAGS = [["D", "N"], [], ["V", "D", "N"]]


@pytest.mark.parametrize("form", [*LIST_LIKE, "Ragged", "generator"])
def test_labels_in_every_form(form):
    forms = {**LIST_LIKE, "Ragged": Ragged, "generator": iter}
    labels, known = as_labels(forms[form](TAGS), X)
    assert labels.tolist() == ["D", "N", "V", "D", "N"]
    assert known.all() and known.dtype == bool


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([["D", None], [], None], ["D", None, None, None, None]),
        ([["D", -1], [], ["V", np.nan, pd.NA]], ["D", None, "V", None, None]),
        ([[0, None], [], [1, -1, 0]], [0, -1, 1, -1, 0]),
        ([[0, 1], None, None], [0, 1, -1, -1, -1]),
        ([np.array([0.0, np.nan]), [], np.array([2.0, 1.0, 0.0])], [0, -1, 2, 1, 0]),
        ([np.array([0, 1]), [], [None, 1, 1]], [0, 1, -1, 1, 1]),
        ([[None, None], [], [None, None, None]], [-1] * 5),
        (pd.Series([["D", "N"], None, np.nan]), ["D", "N", None, None, None]),
        (pl.Series([["D", "N"], None, None]), ["D", "N", None, None, None]),
        ([[True, False], [], [True, None, False]], [True, False, True, None, False]),
        (Ragged([[2, -1], [], [0, 0, 0]]), [2, -1, 0, 0, 0]),
    ],
)
def test_unknown_labels(y, expected):
    labels, known = as_labels(y, X)
    assert labels.tolist() == expected
    assert known.tolist() == [e is not None and e != -1 for e in expected]
    assert labels.dtype == (np.intp if -1 in expected else object)


@pytest.mark.parametrize(
    "y",
    [
        np.array([0, 1, 1]),
        [0, 1, 1],
        pd.Series([0, 1, 1], index=[5, 5, 5]),
        pl.Series([0, 1, 1]),
        np.array([[0], [1], [1]]),
        pd.DataFrame({"y": [0, 1, 1]}),
        [[0], [1], [1]],
        np.array([0.0, 1.0, 1.0]),
    ],
)
def test_plain_labels_of_single_tokens(y):
    labels, known = as_labels(y, as_ragged(np.eye(3)))
    assert labels.tolist() == [0, 1, 1] and known.all()


def test_plain_labels_may_be_unknown():
    labels, known = as_labels(["a", None, "b"], as_ragged(np.eye(3)))
    assert labels.tolist() == ["a", None, "b"]
    assert known.tolist() == [True, False, True]


def test_the_labels_given_are_not_changed():
    y = Ragged([[0, -1], [], [1, 0, 2]])
    labels, _ = as_labels(y, X)
    labels[:] = 9
    assert y.values.tolist() == [0, -1, 1, 0, 2]
    y = Ragged(TAGS)
    as_labels(y, X)[0][:] = "X"
    assert y.values.tolist() == ["D", "N", "V", "D", "N"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (TAGS[:2], "y has 2 sequences, X has 3"),
        (Ragged(TAGS[:2]), "y has 2 sequences, X has 3"),
        ([["D", "N"], np.nan], "y has 2 sequences, X has 3"),
        (list("DNVDN"), r"flat: 5 .* the 3 .*_lengths\(y, Ragged\(X\)\.lengths\)"),
        (pd.Series([0, -1, 1, 0, 2.0]), r"flat: 5 .*_lengths\(y, Ragged\(X\)\.lengths"),
        (["D", None, "N", "V"], "flat: 4 .* the 3 .* X has 5 tokens"),
        ([["D"], [], TAGS[2]], "y: sequence 0 has 1 labels, but X has 2 tokens"),
        (Ragged([["D", "N"], [], []]), "sequence 2 has 0 labels, but X has 3 tokens"),
        (["DN", [], TAGS[2]], "y: Sample 0 is a single str .*'DN'.*for each token"),
        ([["D", "N"], {}, TAGS[2]], "y: Sample 1 is a single dict.*for each token"),
        ([{"D", "N"}, [], TAGS[2]], "y: Sample 0 is a single set.*for each token"),
        ([2, 0, 3.5], "y: Sample 0 is a single int.*for each token"),
        ([["D", "N"], [], ["V", 1, "N"]], "y, sequence 2, position 1: 1; labels"),
        ([[0.5, 1], [], [0, 0, 0]], "Unknown label type: y, sequence 0, position 0"),
        ([[0, np.inf], [], [0, 0, 0]], "y, sequence 0, position 1: inf"),
        ([["D", ("N",)], [], TAGS[2]], "y: Sample 0, position 1"),
        ([np.zeros((2, 2)), [], np.zeros((3, 2))], "one label for each token, got 2"),
        ("DN", "y must be a list of sequences of labels, got str"),
        (3, "y must be a list of sequences of labels, got int"),
    ],
)
def test_labels_that_do_not_fit(y, message):
    with pytest.raises(ValueError, match=message):
        as_labels(y, X)


@pytest.mark.parametrize("read", [as_labels, as_known_labels])
def test_masks_are_told_to_be_raveled(read):
    X = Ragged([np.zeros((4, 1)), np.zeros((12, 1))])
    masks = [np.eye(2, dtype=int), np.ones((3, 4), dtype=int)]
    for y in (masks, [masks[0].ravel(), masks[1]], [m[..., None] for m in masks]):
        with pytest.raises(ValueError, match=r"y: sequence \d has the shape .*ravel\("):
            read(y, X)
    with pytest.raises(ValueError, match=r"sequence 0 has the shape \(2, 2\), X has 4"):
        read(np.stack([masks[0]] * 2), X[[0, 0]])
    for shape in ((-1,), (-1, 1)):
        labels = read([mask.reshape(shape) for mask in masks], X)
        assert np.size(labels) == 16 * (1 + (read is as_labels))  # known, too


def test_lengths_in_the_place_of_labels():
    batch = as_ragged(np.zeros((10, 2)))
    for lengths in ([4, 6], np.array([4, 6]), [10], pd.Series([1, 9])):
        with pytest.raises(ValueError, match=r"Ragged.from_lengths\(X, lengths\)"):
            as_labels(lengths, batch)
        with pytest.raises(ValueError, match="looks like the lengths of sequences"):
            reject_lengths(lengths, batch)


@pytest.mark.parametrize("y", [np.ones(10, int), None, Ragged([[4], [6]]), [4, 5], []])
def test_what_is_not_lengths_passes(y):
    assert reject_lengths(y, as_ragged(np.zeros((10, 2)))) is None


# --- weights --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, [1, 1]), (2, [2, 2]), ([0, 3], [0, 3]), (pd.Series([1, 2]), [1, 2])],
)
def test_weights(given, expected):
    weight = check_sample_weight(given, 2)
    assert weight.tolist() == expected and weight.dtype == np.float64


def test_weights_are_copied():
    given = np.ones(2)
    check_sample_weight(given, 2)[:] = 5
    assert given.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0], r"shape \(1,\), but there are 2 samples"),
        ([[1.0, 2.0]], r"shape \(1, 2\)"),
        ([1.0, np.nan], "of sample 1 is nan"),
        ([-1.0, np.inf], "of sample 0 is -1.0"),
        (["a", "b"], "must be numbers"),
        ([0, 0], "non-zero"),
        (0, "non-zero"),
    ],
)
def test_bad_weights(given, message):
    with pytest.raises(ValueError, match=message):
        check_sample_weight(given, 2)

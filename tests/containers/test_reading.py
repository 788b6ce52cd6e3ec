"""What sequences may hold: large integers, gaps, masks, wrong shapes."""

import numpy as np
import pytest

from skstruct._validation import as_labels, read_batch
from skstruct.containers import Ragged
from skstruct.emissions import Categorical, Gaussian

LARGE = 2**63 + 1


@pytest.mark.parametrize(
    "sequences",
    [
        [[LARGE, -1], [3]],
        [[2**70, np.int64(-1)], [3]],
        [[LARGE], [LARGE, 2]],
        [np.array([LARGE], dtype=np.uint64), np.array([-1, 3])],
    ],
)
def test_large_integers_stay_exact(sequences):
    batch = Ragged(sequences)
    expected = [int(v) for sequence in sequences for v in sequence]
    assert [int(v) for v in batch.values] == expected
    emission = Categorical()
    index = emission.encode(batch.values, reset=True).index
    assert [int(emission.symbols_[i]) for i in index] == expected


def test_reals_beside_large_integers_are_reals():
    assert Ragged([[0.5, LARGE]]).values.dtype == np.float64


@pytest.mark.parametrize(
    "y", [[[LARGE]], [[LARGE, None]], [np.array([LARGE], np.uint64)]]
)
def test_labels_beyond_64_bits_are_refused(y):
    X = Ragged([list(range(len(y[0])))])
    with pytest.raises(ValueError, match="y holds an integer beyond 64 bits"):
        as_labels(y, X)


@pytest.mark.parametrize("token", [[[1.0, 2.0]], np.zeros((2, 2))])
def test_matrices_are_no_tokens(token):
    with pytest.raises(ValueError, match=r"Sample 0, position 1: .*not matrices"):
        Ragged([[0.0, token]])


MASKED = np.ma.masked_array([[1.0], [2.0]], mask=[[False], [True]])


def test_masked_entries_are_refused():
    for sequences in ([[[1.0]], MASKED], [np.zeros((1, 1)), MASKED[:, 0]]):
        with pytest.raises(ValueError, match=r"Sample 1 is an array with masked"):
            Ragged(sequences)
    with pytest.raises(ValueError, match="values is an array with masked"):
        Ragged.from_lengths(MASKED, [2])
    with pytest.raises(ValueError, match=r"X is an array with masked.*filled"):
        read_batch(MASKED)
    unmasked = np.ma.masked_array([1.0, 2.0], mask=False)
    assert Ragged([unmasked]).values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_a_gap_among_numbers_is_what_is_wrong(gap):
    batch = Ragged([[0.5], ["x", 0.5, gap, 1.5]])
    with pytest.raises(ValueError, match=r"sample 1, position 2 is (None|nan).*symbol"):
        Categorical().encode(batch.values, reset=True, offsets=batch.offsets)


def test_numbers_are_shown_plainly():
    values = np.array([np.int64(5), "a"], dtype=object)
    with pytest.raises(ValueError, match="is 'a'; Gaussian needs numbers"):
        Gaussian().encode(values, reset=True)
    for wrong in (np.float64(0.5), np.array([0.5])[0]):
        with pytest.raises(ValueError, match=r"row 1 is 0\.5: symbols are"):
            Categorical().encode(np.array(["a", wrong], dtype=object), reset=True)
    with pytest.raises(ValueError, match="The token 5 at row 0 is not in symbols"):
        Categorical(symbols=[1, 2]).encode(np.array([5]), reset=True)
    with pytest.raises(ValueError, match="symbols must be distinct; 5 stands"):
        Categorical(symbols=np.array([5, 5])).encode(np.array([5]), reset=True)
    with pytest.raises(ValueError, match=r"y, sequence 0, position 1: 2\.5;"):
        as_labels([[1, np.float64(2.5)]], Ragged([["a", "b"]]))


@pytest.mark.parametrize("init", [[["a", "b"], ["c", "d"]], [[1.0], [0.5, 0.5]]])
def test_start_values_that_are_no_numbers_are_named(init):
    for emission, values in (
        (Categorical(init=init), np.array(["a", "b"], dtype=object)),
        (Gaussian(means_init=init), np.eye(2)),
    ):
        name = "means_init" if isinstance(emission, Gaussian) else "init"
        observations = emission.encode(values, reset=True)
        with pytest.raises(ValueError, match=f"^{name} must be a rectangular array"):
            emission.initialize(observations, 2, None)

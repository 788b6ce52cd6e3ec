"""Synthetic sequences: statistics, shapes, seeds, bad arguments."""

import sys

import numpy as np
import pandas as pd
import pytest

from skstruct.containers import Ragged
from skstruct.datasets import (
    make_gaussian_hmm_sequences,
    make_hmm_sequences,
    make_regime_series,
)

START = np.array([0.7, 0.3, 0.0])
TRANSITIONS = np.array([[0.1, 0.6, 0.3], [0.0, 0.5, 0.5], [0.9, 0.1, 0.0]])
EMISSIONS = np.array([[0.8, 0.2, 0.0, 0.0], [0.0, 0.1, 0.9, 0.0], [0.3, 0.0, 0.0, 0.7]])
PARTS = {"startprob": START, "transmat": TRANSITIONS, "emissionprob": EMISSIONS}


def frequencies(rows, columns, shape):
    counts = np.zeros(shape)
    np.add.at(counts, (rows, columns), 1)
    return counts / counts.sum(axis=1, keepdims=True)


def test_symbols_follow_the_given_distributions():
    X, y = make_hmm_sequences(4000, length=(0, 20), random_state=1, **PARTS)
    full = y[y.lengths > 1]
    first = np.array([s[0] for s in full])
    start = np.bincount(first, minlength=3) / len(first)
    np.testing.assert_allclose(start, START, atol=0.03)
    before = np.concatenate([s[:-1] for s in full])
    after = np.concatenate([s[1:] for s in full])
    transitions = frequencies(before, after, (3, 3))
    np.testing.assert_allclose(transitions, TRANSITIONS, atol=0.02)
    emissions = frequencies(y.values, X.values, (3, 4))
    np.testing.assert_allclose(emissions, EMISSIONS, atol=0.02)
    for empirical, given in ((transitions, TRANSITIONS), (emissions, EMISSIONS)):
        assert (empirical[given == 0] == 0).all()
    assert (X.lengths == y.lengths).all()
    assert set(X.lengths) == set(range(21))


def test_defaults_use_all_states_and_keep_symbols_apart():
    X, y = make_hmm_sequences(random_state=0)
    assert X.lengths.tolist() == [20] * 100
    assert X.values.dtype.kind == y.values.dtype.kind == "i"
    assert X.values.min() >= 0
    assert X.values.max() < 50
    assert (np.bincount(y.values, minlength=4) > 200).all()
    emissions = frequencies(y.values, X.values, (4, 50))
    overlap = np.sqrt(emissions) @ np.sqrt(emissions).T
    assert overlap[~np.eye(4, dtype=bool)].max() < 0.5


def test_sizes_follow_the_arrays_or_the_numbers():
    X, y = make_hmm_sequences(5, n_symbols=7, transmat=TRANSITIONS, random_state=0)
    assert y.values.max() == 2
    assert X.values.max() < 7
    _, y = make_hmm_sequences(50, n_states=9, random_state=0)
    assert set(y.values) == set(range(9))
    X, y = make_hmm_sequences(2, n_states=1, n_symbols=1, random_state=0)
    assert not X.values.any()
    assert not y.values.any()


def test_impossible_outcomes_never_occur_despite_rounding():
    class Extreme(np.random.RandomState):
        def uniform(self, size):
            return np.full(size, np.nextafter(1, 0))

    row = np.r_[np.full(10, 0.1), 0.0]
    assert np.cumsum(row)[-1] < 1
    X, y = make_hmm_sequences(
        startprob=row,
        transmat=np.tile(row, (11, 1)),
        emissionprob=np.tile(row, (11, 1)),
        random_state=Extreme(0),
    )
    assert set(X.values) == set(y.values) == {9}


def test_gaussian_states_stay_and_stand_apart():
    X, y = make_gaussian_hmm_sequences(
        20,
        n_states=4,
        n_features=3,
        length=1000,
        separation=5,
        stay=0.8,
        random_state=3,
    )
    assert X.values.shape == (20_000, 3)
    assert X.values.dtype == float
    assert len(X) == len(y) == 20
    means = np.array([X.values[y.values == k].mean(axis=0) for k in range(4)])
    distances = np.linalg.norm(means[:, None] - means, axis=2)
    assert distances[~np.eye(4, dtype=bool)].min() > 4.9
    residuals = X.values - means[y.values]
    np.testing.assert_allclose(np.cov(residuals.T), np.eye(3), atol=0.05)
    stays = np.concatenate([s[1:] == s[:-1] for s in y])
    assert stays.mean() == pytest.approx(0.8, abs=0.02)


def test_gaussian_corner_cases():
    X, y = make_gaussian_hmm_sequences(
        2, n_states=1, n_features=1, length=(3, 3), stay=0, random_state=0
    )
    assert X.values.shape == (6, 1)
    assert not y.values.any()
    _, y = make_gaussian_hmm_sequences(3, stay=1, random_state=0)
    assert all(len(set(s)) == 1 for s in y)


def test_regimes_differ_in_spread_and_volume():
    values, states = make_regime_series(20_000, random_state=0)
    assert values.shape == (20_000, 2)
    spread = [values[states == k, 0].std() for k in range(3)]
    volume = [values[states == k, 1].mean() for k in range(3)]
    assert spread[0] * 2 < spread[1] < spread[2] / 2
    assert volume[0] < volume[1] < volume[2]
    shares = np.bincount(states) / len(states)
    assert shares[0] > shares[1] > shares[2] > 0.005
    runs = 1 + (np.diff(states) != 0).sum()
    assert len(states) / runs > 15


def test_regime_frame_holds_the_same_series():
    frame = make_regime_series(300, as_frame=True, random_state=5)
    values, states = make_regime_series(300, random_state=5)
    assert isinstance(frame, pd.DataFrame)
    np.testing.assert_array_equal(frame[["return", "log_volume"]], values)
    names = np.array(["calm", "volatile", "shock"])
    np.testing.assert_array_equal(frame["regime"], names[states])
    X = Ragged.from_frame(frame, ["return", "log_volume"])
    assert len(X) == 1


def test_a_frame_without_pandas_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pandas.*skstruct\[plot\]"):
        make_regime_series(10, as_frame=True)


@pytest.mark.parametrize(
    "make", [make_hmm_sequences, make_gaussian_hmm_sequences, make_regime_series]
)
def test_seeds(make):
    def flat(seed):
        return np.concatenate(
            [
                np.ravel(getattr(part, "values", part))
                for part in make(random_state=seed)
            ]
        )

    np.random.seed(0)  # noqa: NPY002 - the generator that must stay untouched
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    np.testing.assert_array_equal(flat(7), flat(7))
    np.testing.assert_array_equal(flat(7), flat(np.random.RandomState(7)))
    assert not np.array_equal(flat(7), flat(8))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_states": 4}, r"startprob must have shape \(4,\), got \(3,\)"),
        ({"transmat": TRANSITIONS[:, :2]}, r"transmat must have shape \(3, 3\)"),
        ({"n_symbols": 5}, r"emissionprob must have shape \(3, 5\)"),
        ({"emissionprob": EMISSIONS[0]}, "emissionprob must have shape"),
        ({"startprob": 0.5}, r"startprob must have shape \(3,\), got \(\)"),
        (
            {"startprob": START / 2},
            "Rows of startprob must sum to one; row 0 sums to 0.5",
        ),
        ({"transmat": TRANSITIONS * [[1], [2], [1]]}, "transmat .* row 1 sums to 2"),
        ({"transmat": TRANSITIONS - np.eye(3)}, "transmat .* negative or NaN"),
        ({"emissionprob": EMISSIONS * np.nan}, "emissionprob .* negative or NaN"),
        ({"n_sequences": 0}, "n_sequences == 0"),
        ({"length": -1}, "length == -1"),
        ({"length": (5, 3)}, "length == 3"),
        ({"length": (1, 2, 3)}, "length must be an integer or a pair"),
        ({"concentration": 0.0}, "concentration == 0"),
        ({"concentration": np.nan}, "concentration must be a finite number"),
    ],
)
def test_bad_arguments(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_hmm_sequences(**{**PARTS, **parameters})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_states": 0}, "n_states == 0"),
        ({"n_features": 0}, "n_features == 0"),
        ({"separation": -1.0}, "separation == -1"),
        ({"separation": np.inf}, "separation must be a finite number"),
        ({"stay": 1.5}, "stay == 1.5"),
    ],
)
def test_bad_gaussian_arguments(parameters, message):
    with pytest.raises(ValueError, match=message):
        make_gaussian_hmm_sequences(**parameters)


def test_numbers_of_the_wrong_type_name_the_parameter():
    with pytest.raises(TypeError, match="n_steps must be an instance of int"):
        make_regime_series(10.5)
    with pytest.raises(TypeError, match="length must be an instance of int"):
        make_hmm_sequences(length=(1.5, 3))


def test_given_arrays_stay_as_they_were():
    copies = {name: array.copy() for name, array in PARTS.items()}
    make_hmm_sequences(3, random_state=0, **PARTS)
    for name, array in PARTS.items():
        np.testing.assert_array_equal(array, copies[name])

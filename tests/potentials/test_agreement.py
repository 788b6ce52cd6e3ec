"""Factors of agreement, and bins of positions, against their formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.potentials import (
    diagonal_bins,
    log_jump_bins,
    odds_agreement,
    product_agreement,
)

POSTERIOR = np.array([0, 1e-6, 1e-4, 0.01, 0.3, 0.5, 0.99, 0.9995, 1], np.float32)


@pytest.mark.parametrize("strength", [0.0, 0.1, 0.5, 1.0])
def test_odds(strength):
    o = np.clip(POSTERIOR.astype(float), 1e-4, 1 - 1e-3)
    factor = odds_agreement(POSTERIOR, strength)
    assert factor.dtype == np.float32
    assert_allclose(factor, (o / (1 - o)) ** strength, rtol=1e-4)


@pytest.mark.parametrize("strength", [0.0, 0.1, 0.5, 1.0])
def test_product(strength):
    factor = product_agreement(POSTERIOR, strength)
    assert factor.dtype == np.float32
    expected = np.maximum(POSTERIOR.astype(float), 1e-4) ** strength
    assert_allclose(factor, expected, rtol=1e-4)


@pytest.mark.parametrize("agreement", [odds_agreement, product_agreement])
def test_out_receives_the_factors(agreement):
    before, out = POSTERIOR.copy(), np.empty_like(POSTERIOR)
    expected = agreement(POSTERIOR, 0.3)
    assert agreement(POSTERIOR, 0.3, out=out) is out
    assert_array_equal(out, expected)
    assert_array_equal(POSTERIOR, before)
    assert_array_equal(agreement(before, 0.3, out=before), expected)
    assert agreement(POSTERIOR[:0], 0.3).shape == (0,)


@pytest.mark.parametrize("n_bins", [1, 10, 256])
def test_diagonal_bins(n_bins):
    source, target = [3, 0, 1, 4, 2], [2, 5, 1, 0, 7]
    bins = diagonal_bins(source, target, n_bins)
    assert bins.dtype == np.uint8
    expected = []
    for I, J in zip(source, target, strict=True):  # noqa: E741
        i, j = np.indices((I, J))
        twice = abs((2 * i + 1) * J - (2 * j + 1) * I)
        expected += [*(n_bins * twice // max(2 * I * J, 1)).ravel()]
    assert_array_equal(bins, expected)


def test_diagonal_bins_are_floors_of_the_distance():
    i, j = np.indices((7, 11))
    distance = abs((i + 0.5) / 7 - (j + 0.5) / 11)
    assert_array_equal(diagonal_bins([7], [11], 9), (distance * 9).astype(int).ravel())


def test_diagonal_bins_of_nothing():
    assert diagonal_bins([], []).shape == (0,)
    assert diagonal_bins([0, 3], [4, 0]).shape == (0,)


@pytest.mark.parametrize("n_bins", [0, 257])
def test_number_of_diagonal_bins_is_checked(n_bins):
    with pytest.raises(ValueError, match=f"from 1 to 256; got {n_bins}"):
        diagonal_bins([2], [2], n_bins)


def test_log_jump_bins():
    bins = log_jump_bins(30)
    assert bins.shape == (61,)
    forwards = [int(np.log(1 + 2 * d)) for d in range(31)]
    assert_array_equal(bins[30:] - bins[30], forwards)
    assert_array_equal(bins[30] - bins[30::-1], forwards)
    assert bins.min() == 0
    assert_array_equal(log_jump_bins(0), [0])

"""Products of pairs of vectors, longer and shorter than a block and a chunk."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.kernels import _history
from skstruct.kernels._history import combination, inner_products


def case(n):
    rng = np.random.default_rng(n)
    pairs, places = rng.normal(size=(4, 2, n)), np.array([3, 0, 2])
    pairs[1] = np.nan  # what does not count is not read
    return pairs, places, rng.normal(size=n), rng.normal(size=n)


@pytest.mark.parametrize("n", [0, 1, 7, 1024, 3000])
def test_products_and_sums_are_those_of_numpy(monkeypatch, n):
    monkeypatch.setattr(_history, "_CHUNK", 2000)
    pairs, places, a, b = case(n)
    found = inner_products(pairs, places, a, b)
    assert_allclose(found, pairs[places] @ np.stack([a, b], axis=1), atol=1e-10)
    factors = np.arange(6.0).reshape(3, 2)
    found = combination(pairs, places, factors, a, -2.0)
    expected = np.tensordot(factors, pairs[places], axes=2) - 2 * a
    assert_allclose(found, expected, atol=1e-10)


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(_history, "_CHUNK", 100)
    pairs, places, a, b = case(3000)
    alone, threads = (inner_products(pairs, places, a, b, n) for n in (1, 3))
    assert_array_equal(alone, threads)
    factors = np.ones((3, 2))
    alone, threads = (combination(pairs, places, factors, a, 1.0, n) for n in (1, 3))
    assert_array_equal(alone, threads)

"""Equal features as one: the same potentials, penalty and optimum."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from skstruct.potentials import DistinctFeatures

N, F, K = 30, 40, 3
FORMS = {"csr": sp.csr_array, "csc": sp.csc_array, "coo": sp.coo_array}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def repeated(rng):
    """Features of which many are equal, one is empty and some differ in a value."""
    few = rng.integers(1, 3, size=(N, 9)) * (rng.random((N, 9)) < 0.1)
    few[:, 0] = 0
    return few[:, rng.integers(9, size=F)].astype(float)


@pytest.mark.parametrize("form", FORMS)
def test_potentials_and_penalty_are_the_same(rng, form):
    x = repeated(rng)
    distinct = DistinctFeatures(FORMS[form](x))
    z = distinct.values.toarray()
    assert z.shape[1] == len(np.unique(x, axis=1).T) < F
    assert len(np.unique(z, axis=1).T) == z.shape[1]
    coef = rng.normal(size=(z.shape[1], K))
    spread = distinct.expand(coef)
    assert_allclose(x @ spread, z @ coef)
    assert_allclose((spread**2).sum(), (coef**2).sum())


def test_frequent_features_come_first_then_those_that_are_seen_first(rng):
    x = rng.random((400, 60)) < np.append(np.full(55, 0.02), np.full(5, 0.5))
    z = DistinctFeatures(sp.csr_array(x)).values.toarray() != 0
    assert (z[:, :5].sum(axis=0) >= 64).all() and (z[:, 5:].sum(axis=0) < 64).all()
    first = np.where(z.any(axis=0), z.argmax(axis=0), len(z))
    assert (np.diff(first[:5]) >= 0).all() and (np.diff(first[5:]) >= 0).all()


def test_only_equal_values_are_merged():
    x = sp.csr_array([[1.0, 1.0, 2.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0]])
    z = DistinctFeatures(x).values.toarray()
    root = np.sqrt(2)
    assert sorted(map(tuple, z.T)) == [(0, 1), (1, 1), (root, 0), (2, 0)]


def test_the_optimum_is_the_same(rng):
    x, target = repeated(rng), rng.normal(size=N)

    def solve(z):
        def loss(w):
            rest = np.logaddexp(0, z @ w) - target * (z @ w)
            slope = 1 / (1 + np.exp(-(z @ w))) - target
            return rest.sum() + w @ w / 2, z.T @ slope + w

        return minimize(loss, np.zeros(z.shape[1]), jac=True, tol=1e-12).x

    distinct = DistinctFeatures(sp.csr_array(x))
    merged = solve(distinct.values.toarray())
    assert_allclose(distinct.expand(merged[:, None])[:, 0], solve(x), atol=1e-5)


def test_dense_features_are_kept(rng):
    x = repeated(rng)
    distinct = DistinctFeatures(x)
    coef = rng.normal(size=(F, K))
    assert distinct.values is x
    assert_array_equal(distinct.expand(coef), coef)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_nothing_to_merge(shape):
    distinct = DistinctFeatures(sp.csr_array(shape))
    coef = np.zeros((distinct.values.shape[1], K))
    assert distinct.values.shape[0] == shape[0]
    assert_array_equal(distinct.expand(coef), np.zeros((shape[1], K)))


def test_the_users_matrix_is_not_changed():
    x = sp.csc_array(([1.0, 2.0, 3.0], [1, 0, 0], [0, 2, 3]), shape=(2, 2))
    before = [part.copy() for part in (x.data, x.indices, x.indptr)]
    DistinctFeatures(x)
    for part, old in zip((x.data, x.indices, x.indptr), before, strict=True):
        assert_array_equal(part, old)

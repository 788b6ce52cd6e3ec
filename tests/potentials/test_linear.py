"""Linear potentials: their layout, and gradients against finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.potentials import LinearChain

FORMS = {
    "dense": np.asarray,
    "csr": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc": sp.csc_array,
}


def features(rng, T=7, F=4):
    return rng.normal(size=(T, F)) * (rng.random((T, F)) < 0.5)


@pytest.mark.parametrize("form", FORMS)
def test_potentials_are_linear_in_features(form):
    rng = np.random.default_rng(0)
    x = features(rng)
    linear = LinearChain(FORMS[form](x), 3)
    weights = rng.normal(size=linear.n_weights)
    coef, transition, start = linear.split(weights)
    assert coef.shape == (4, 3) and transition.shape == (3, 3) and start.shape == (3,)
    node, edge, first = linear.potentials(weights)
    assert type(node) is np.ndarray
    assert_allclose(node, [[x[t] @ coef[:, k] for k in range(3)] for t in range(7)])
    assert_array_equal(edge, transition)
    assert_array_equal(first, start)


def test_split_and_join_are_inverse_and_share_memory():
    linear = LinearChain(np.ones((2, 5)), 3)
    weights = np.arange(linear.n_weights, dtype=float)
    parts = linear.split(weights)
    assert all(np.shares_memory(part, weights) for part in parts)
    joined = linear.join(*parts)
    assert_array_equal(joined, weights)
    assert not np.shares_memory(joined, weights)


@pytest.mark.parametrize("form", FORMS)
def test_gradient_is_the_slope_of_counts_times_potentials(form):
    rng = np.random.default_rng(1)
    linear = LinearChain(FORMS[form](features(rng)), 3)
    counts = [rng.normal(size=s) for s in ((7, 3), (3, 3), (3,))]
    weights = rng.normal(size=linear.n_weights)

    def value(weights):
        parts = zip(counts, linear.potentials(weights), strict=True)
        return sum(float((c * p).sum()) for c, p in parts)

    h = 1e-5
    slopes = [
        (value(weights + h * e) - value(weights - h * e)) / (2 * h)
        for e in np.eye(linear.n_weights)
    ]
    gradient = linear.gradient(*counts)
    assert gradient.shape == (linear.n_weights,)
    assert_allclose(gradient, slopes, atol=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_no_features_leave_transitions(form):
    linear = LinearChain(FORMS[form](np.zeros((3, 0))), 2)
    assert linear.n_weights == 6
    node, edge, _ = linear.potentials(np.arange(6.0))
    assert_array_equal(node, np.zeros((3, 2)))
    assert_array_equal(edge, [[0, 1], [2, 3]])
    gradient = linear.gradient(np.ones((3, 2)), np.ones((2, 2)), np.zeros(2))
    assert_array_equal(gradient, [1, 1, 1, 1, 0, 0])

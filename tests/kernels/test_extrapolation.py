"""Extrapolations against the fixed points of linear iterations."""

import numpy as np
from numpy.testing import assert_allclose

from skstruct.kernels._extrapolation import extrapolate

OFFSETS = np.array([0, 3, 3, 7])


def test_it_finds_the_fixed_points_of_linear_iterations():
    rng = np.random.default_rng(0)
    fixed = rng.dirichlet(np.full(4, 5.0), size=7)
    images, residuals = np.empty((2, 3, 7, 4))
    for s in (slice(0, 3), slice(3, 7)):
        frame = rng.normal(size=(2, *fixed[s].shape))
        frame -= frame.mean(axis=2, keepdims=True)
        for i, away in enumerate(0.05 * rng.normal(size=(3, 2))):
            after = np.array([0.9, 0.5]) * away
            images[i, s] = fixed[s] + np.tensordot(after, frame, 1)
            residuals[i, s] = np.tensordot(after - away, frame, 1)
    p = images[-1].copy()
    known = np.ones((2, 3), dtype=bool)
    changes = np.diff(images, axis=0), np.diff(residuals, axis=0)
    extrapolate(OFFSETS, known, *changes, residuals[-1], p)
    assert_allclose(p, fixed, atol=1e-6)
    assert np.abs(images[-1] - fixed).max() > 1e-2


def test_a_sample_of_which_nothing_is_known_stays():
    rng = np.random.default_rng(1)
    moves, changes = rng.normal(size=(2, 2, 7, 4))
    p = rng.dirichlet(np.ones(4), size=7)
    old, known = p.copy(), np.zeros((2, 3), dtype=bool)
    known[0, 2] = True
    extrapolate(OFFSETS, known, moves, changes, rng.normal(size=(7, 4)), p)
    assert_allclose(p[:3], old[:3], rtol=0)
    assert (p[3:] != old[3:]).any()


def test_leaps_end_on_the_simplex_at_any_length():
    rng = np.random.default_rng(2)
    known = np.ones((2, 3), dtype=bool)
    for scale in 10.0 ** np.arange(-9, 9):
        moves, changes = rng.normal(size=(2, 2, 7, 4))
        p = np.round(rng.dirichlet(np.ones(4), size=7), 1)
        p /= p.sum(axis=1, keepdims=True)
        residual = rng.normal(size=(7, 4))
        extrapolate(OFFSETS, known, scale * moves, changes, residual, p)
        assert (p >= 0).all()
        assert_allclose(p.sum(axis=1), 1, rtol=1e-9)

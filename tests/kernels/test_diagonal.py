"""Positions near the diagonal, against formulas on whole arrays."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skstruct.kernels._diagonal import (
    diagonal_moments,
    diagonal_prior,
    mean_distance,
)

SOURCE, TARGET = np.array([3, 1, 0, 4, 2]), np.array([2, 3, 2, 0, 2])


def distances(n_source, n_target):
    i, j = np.arange(1, n_source + 1)[:, None], np.arange(1, n_target + 1)
    return abs(i / max(n_source, 1) - j / max(n_target, 1))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("tension", [0.1, 4.0, 14.0])
def test_prior_and_moments(reverse, tension):
    rng = np.random.default_rng(0)
    states, chain = (TARGET, SOURCE) if reverse else (SOURCE, TARGET)
    found = diagonal_prior(states, chain, reverse, tension)
    weight = rng.random(chain.sum())
    weight[1] = 0
    expected, mean, variance, token = [], 0.0, 0.0, 0
    for n_source, n_target in zip(SOURCE, TARGET, strict=True):
        d = distances(n_source, n_target)
        axis = 1 if reverse else 0
        p = np.exp(-tension * d)
        p /= p.sum(axis=axis, keepdims=True)
        expected.append(p.ravel())
        first, second = (p * d).sum(axis=axis), (p * d**2).sum(axis=axis)
        own = weight[token : token + len(first)]
        token += len(first)
        mean, variance = mean + own @ first, variance + own @ (second - first**2)
    assert_allclose(found, np.concatenate(expected), rtol=1e-5)
    assert_allclose(
        diagonal_moments(states, chain, weight, tension), (mean, variance), rtol=1e-6
    )


def test_mean_distance():
    rng = np.random.default_rng(1)
    posterior = rng.random(SOURCE @ TARGET).astype(np.float32)
    weight = rng.random(len(SOURCE))
    each = np.repeat(weight, SOURCE * TARGET)
    all_distances = np.concatenate(
        [distances(*n).ravel() for n in zip(SOURCE, TARGET, strict=True)]
    )
    assert_allclose(
        mean_distance(SOURCE, TARGET, posterior, weight),
        (each * posterior) @ all_distances,
        rtol=1e-6,
    )

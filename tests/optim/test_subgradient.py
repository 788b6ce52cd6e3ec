"""Subgradient descent on functions whose minimum is known."""

import numpy as np
import pytest

from skstruct.optim import subgradient_descent
from skstruct.solvers import AdaGrad


def distance(x, point):
    return np.abs(x - point).sum(), np.sign(x - point)


def test_average_comes_closer_than_the_last_point():
    points, seen = [np.array([-1.0, 4.0]), np.array([0.3, 0.7]), np.ones(2)], []
    solver = AdaGrad()

    def step(x, gradient):
        seen.append(solver.step(x, gradient))
        return seen[-1]

    average, stopped = subgradient_descent(
        distance, step, np.zeros(2), batches=points, max_iter=300
    )
    median = np.array([0.3, 1.0])
    assert not stopped
    assert np.abs(average - median).max() < 0.02
    weights = np.arange(1, len(seen) + 1)
    assert len(seen) == 900
    np.testing.assert_allclose(average, np.average(seen, axis=0, weights=weights))


def test_callback_sees_every_pass_and_may_stop():
    calls = []

    def on_iteration(iteration, loss, average):
        calls.append((iteration, loss, average.copy()))
        return iteration == 3

    average, stopped = subgradient_descent(
        distance,
        lambda x, gradient: x - gradient,
        np.zeros(1),
        batches=[np.array([2.0]), np.array([10.0])],
        max_iter=50,
        on_iteration=on_iteration,
    )
    assert stopped
    assert [c[0] for c in calls] == [1, 2, 3]
    # 0 -> 1 -> 2 -> 2 (no slope at 2) -> 3 -> 2 -> 3: each loss before its step.
    assert [c[1] for c in calls] == pytest.approx(
        [(2 + 9) / 2, (0 + 8) / 2, (1 + 8) / 2]
    )
    assert average == pytest.approx((1 + 2 * 2 + 3 * 2 + 4 * 3 + 5 * 2 + 6 * 3) / 21)
    assert calls[-1][2] == pytest.approx(average)


def test_start_is_not_changed():
    start = np.zeros(2)
    start.flags.writeable = False
    average, _ = subgradient_descent(
        distance, AdaGrad().step, start, batches=[np.ones(2)], max_iter=2
    )
    assert (average > 0).all()
    same, _ = subgradient_descent(
        distance, AdaGrad().step, start, batches=[np.ones(2)], max_iter=0
    )
    np.testing.assert_array_equal(same, start)

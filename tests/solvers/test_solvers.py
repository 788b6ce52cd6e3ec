"""Solvers on functions whose minima are known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from skstruct.kernels import _history
from skstruct.solvers import LBFGS, AdaGrad


class Quadratic:
    """(x - b)' A (x - b) / 2 with unlike curvatures; counts its evaluations."""

    def __init__(self, n=8, seed=0):
        rng = np.random.default_rng(seed)
        basis = np.linalg.qr(rng.normal(size=(n, n)))[0]
        self.A = basis * np.geomspace(1, 1e3, n) @ basis.T
        self.b, self.calls = rng.normal(size=n), 0

    def __call__(self, x):
        self.calls += 1
        away = x - self.b
        return away @ self.A @ away / 2, self.A @ away, "more"


def rosenbrock(x):
    a, b = x
    gradient = [-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)]
    return (1 - a) ** 2 + 100 * (b - a * a) ** 2, np.array(gradient)


def descend(solver, f, x, n):
    state, values = f(x), []
    for _ in range(n):
        x, state, moved = solver.step(f, x, state)
        values.append(state[0])
        if not moved:
            break
    return x, np.array(values)


@pytest.mark.parametrize("memory", [1, 3, 10])
def test_lbfgs_finds_the_minimum_and_never_goes_up(memory):
    f = Quadratic()
    x, values = descend(LBFGS(memory), f, np.zeros(8), 400)
    assert (np.diff(values) <= 0).all()
    assert_allclose(x, f.b, atol=1e-4)


def test_lbfgs_agrees_with_scipy_where_the_valley_bends():
    x, values = descend(LBFGS(), rosenbrock, np.array([-1.2, 1.0]), 200)
    expected = minimize(rosenbrock, [-1.2, 1.0], jac=True, tol=1e-10).x
    assert (np.diff(values) <= 0).all() and len(values) < 100
    assert_allclose(x, expected, atol=1e-5)


def test_lbfgs_in_good_units_needs_fewer_steps():
    curvature = np.geomspace(1, 1e6, 30)
    target = np.linspace(1, 2, 30)

    def f(x):
        return 0.5 * curvature @ (x - target) ** 2, curvature * (x - target)

    plain = descend(LBFGS(5), f, np.zeros(30), 15)[1]
    x, scaled = descend(LBFGS(5, 1 / np.sqrt(curvature)), f, np.zeros(30), 15)
    assert (np.diff(scaled) <= 0).all()
    assert_allclose(x, target, atol=1e-6)
    assert scaled[-1] < 1e-6 * plain[-1]


def test_lbfgs_profits_from_curvature_kept_between_calls():
    def distance(solver_of):
        f, x = Quadratic(), np.zeros(8)
        state = f(x)
        for _ in range(40):
            x, state, _ = solver_of().step(f, x, state)
        return np.linalg.norm(x - f.b)

    kept = LBFGS()
    assert distance(lambda: kept) < 0.01 * distance(LBFGS)


def test_lbfgs_outlives_a_function_that_changes():
    solver, x = LBFGS(), np.zeros(8)
    for seed in range(6):
        f = Quadratic(seed=seed)
        before = f(x)
        state = before
        for _ in range(3):
            x, state, _ = solver.step(f, x, state)
        assert state[0] < before[0]
    x, _ = descend(solver, f, x, 400)
    assert_allclose(x, f.b, atol=1e-4)


def test_lbfgs_answers_what_was_evaluated_and_leaves_its_start_alone():
    f, x = Quadratic(), np.zeros(8)
    state = f(x)
    new, reached, moved = LBFGS().step(f, x, state)
    assert moved and new is not x
    assert_array_equal(x, 0)
    assert len(reached) == 3 and reached[2] == "more"
    again = f(new)
    assert reached[0] == again[0]
    assert_array_equal(reached[1], again[1])


def test_lbfgs_learns_curvature_from_the_move_it_made():
    calls = []

    def parabola(x):
        calls.append(x)
        return 500 * x @ x, 1000 * x

    # The first step must be shortened; then one pair tells all of a parabola.
    x, _ = descend(LBFGS(), parabola, np.array([0.1]), 1)
    assert len(calls) > 2
    solver = LBFGS()
    descend(solver, parabola, np.array([0.1]), 1)
    calls.clear()
    new, _, _ = solver.step(parabola, x, (500 * x @ x, 1000 * x))
    assert_allclose(new, 0, atol=1e-12)
    assert len(calls) == 1


def test_lbfgs_stays_where_there_is_nothing_better():
    f = Quadratic()
    state = f(f.b)
    f.calls = 0
    x, same, moved = LBFGS().step(f, f.b, state)
    assert not moved and x is f.b and same is state
    assert f.calls == 0  # no slope, no search


def test_lbfgs_gives_up_on_a_gradient_that_lies():
    def uphill(x):
        return x @ x, -2 * x

    start = np.ones(2)
    solver, state = LBFGS(), uphill(start)
    x, same, moved = solver.step(uphill, start, state)
    assert not moved and x is start and same is state


def test_lbfgs_backs_off_from_what_is_not_finite():
    def barrier(x):
        inside = x[0] > 0
        value = x[0] - 1e-3 * np.log(x[0]) if inside else np.nan
        return value, np.array([1 - 1e-3 / x[0] if inside else np.nan])

    x, values = descend(LBFGS(), barrier, np.array([0.5]), 60)
    assert np.isfinite(values).all()
    assert_allclose(x, 1e-3, rtol=1e-3)


def test_adagrad_scales_every_coordinate_by_all_its_gradients():
    solver, x = AdaGrad(learning_rate=0.5), np.zeros(3)
    first, second = np.array([3.0, -0.1, 0.0]), np.array([4.0, 0.1, 0.0])
    x = solver.step(x, first)
    assert_allclose(x, [-0.5, 0.5, 0.0])
    x = solver.step(x, second)
    # The sum of squares stays: 5 = sqrt(9 + 16); no gradient, no move.
    assert_allclose(x, [-0.5 - 0.5 * 4 / 5, 0.5 - 0.5 / np.sqrt(2), 0.0])
    assert_array_equal(first, [3.0, -0.1, 0.0])


def test_adagrad_stays_within_the_range_of_floats():
    solver, x = AdaGrad(learning_rate=0.5), np.zeros(2)
    with np.errstate(all="raise"):
        x = solver.step(x, np.array([1e300, -1e-300]))
    assert_allclose(x, [-0.5, 0.5])


def test_adagrad_finds_a_minimum_from_noisy_gradients():
    f, rng = Quadratic(), np.random.default_rng(0)
    solver, x = AdaGrad(learning_rate=0.5), np.zeros(8)
    for _ in range(3000):
        x = solver.step(x, f(x)[1] + rng.normal(size=8))
    assert f(x)[0] < 1e-3 * f(np.zeros(8))[0]


def test_moves_below_the_range_of_numbers_are_forgotten():
    def evaluate(x):
        return 1e-170 * x @ x, 2e-170 * x

    solver, x = LBFGS(), np.full(2, 1e-80)
    state = evaluate(x)
    for _ in range(5):
        x, state, _ = solver.step(evaluate, x, state)
    assert np.isfinite(x).all() and np.isfinite(state[0])


def test_lbfgs_steps_are_those_of_the_two_loop_recursion():
    def two_loops(pairs, gradient):
        d, factors = -gradient, []
        for s, y in reversed(pairs):
            factors.append(s @ d / (s @ y))
            d = d - factors[-1] * y
        s, y = pairs[-1]
        d = d * (s @ y) / (y @ y)
        for s, y in pairs:
            d = d + (factors.pop() - y @ d / (s @ y)) * s
        return d

    f, solver, x = Quadratic(), LBFGS(memory=3), np.zeros(8)
    state, pairs = f(x), []
    for _ in range(9):
        new, reached, _ = solver.step(f, x, state)
        if pairs:
            direction = two_loops(pairs[-3:], state[1])
            length = np.linalg.norm(new - x) / np.linalg.norm(direction)
            assert_allclose(new - x, length * direction, rtol=1e-6, atol=1e-12)
            assert_allclose(np.log2(length), np.round(np.log2(length)), atol=1e-6)
        pairs.append((new - x, reached[1] - state[1]))
        x, state = new, reached


def test_lbfgs_does_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(_history, "_CHUNK", 3)
    ends = [descend(LBFGS(3, n_jobs=n), Quadratic(), np.zeros(8), 20) for n in (1, 2)]
    assert_array_equal(*(x for x, _ in ends))


def test_lbfgs_goes_on_after_a_gradient_without_a_number():
    broken = []

    def evaluate(x):
        value, gradient, _ = f(x)
        broken.append(len(broken) == 4)
        return value, np.full(8, np.nan) if broken[-1] else gradient

    f, solver, x = Quadratic(), LBFGS(memory=3), np.zeros(8)
    state = evaluate(x)
    for _ in range(400):
        x, state, _ = solver.step(evaluate, x, state)
        state = state if np.isfinite(state[1]).all() else evaluate(x)
    assert_allclose(x, f.b, atol=1e-4)

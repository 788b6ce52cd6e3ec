"""The fitting loops on objectives whose answers are known."""

from types import SimpleNamespace

import numpy as np
import pytest

from skstruct.optim import (
    anneal,
    best_of,
    expectation_maximization,
    geometric_schedule,
)


class Halving:
    """A toy: each M-step halves the distance of x to 1; the objective is -distance."""

    def __init__(self, x=0.0):
        self.x, self.calls = x, []

    def expect(self, beta=1.0):
        self.calls.append(beta)
        return -1 - abs(self.x - 1), self.x

    def maximize(self, statistics):
        assert statistics == self.x  # those of the last E-step
        self.x = (self.x + 1) / 2


def run_em(toy, **limits):
    seen = []
    limits = {"max_iter": 100, "tol": 1e-3} | limits
    converged, stopped = expectation_maximization(
        toy.expect, toy.maximize, on_iteration=lambda *a: seen.append(a), **limits
    )
    return converged, stopped, seen


def test_em_stops_when_the_objective_hardly_rises():
    toy = Halving()
    converged, stopped, seen = run_em(toy)
    assert converged and not stopped
    objectives = np.array([objective for _, objective in seen])
    rises = np.diff(objectives)
    assert (rises[:-1] > 1e-3 * np.abs(objectives[1:-1])).all()
    assert rises[-1] <= 1e-3 * abs(objectives[-1])
    # No M-step after the last E-step: its objective is that of the parameters.
    assert toy.expect()[0] == objectives[-1]


def test_em_keeps_to_its_bound_and_ends_with_an_m_step():
    toy = Halving()
    converged, _, seen = run_em(toy, max_iter=3, tol=0.0)
    assert not converged
    assert [iteration for iteration, _ in seen] == [1, 2, 3]
    assert toy.x == 1 - 2**-3


def test_em_asks_before_it_calls_a_small_rise_convergence():
    toy = Halving()
    asked = []

    def may_stop(iteration, statistics):
        asked.append(iteration)
        return iteration >= 20

    converged, _, seen = run_em(toy, may_stop=may_stop)
    assert converged and len(seen) == 20
    assert asked[0] < 20 and asked[-1] == 20


def test_em_stops_when_told_to():
    toy = Halving()
    converged, stopped = expectation_maximization(
        toy.expect,
        toy.maximize,
        max_iter=100,
        tol=0.0,
        on_iteration=lambda iteration, _: iteration == 4,
    )
    assert (converged, stopped, len(toy.calls)) == (False, True, 4)


def test_annealing_visits_its_temperatures_with_their_own_limits():
    toy, raised = Halving(), []
    converged, stopped = anneal(
        toy.expect,
        toy.maximize,
        [0.25, 0.5, 1.0],
        max_iter=50,
        tol=1e-9,
        anneal_max_iter=3,
        anneal_tol=0.0,
        on_raise=raised.append,
    )
    assert converged and not stopped
    assert toy.calls[:6] == [0.25] * 3 + [0.5] * 3
    assert set(toy.calls[6:]) == {1.0} and len(toy.calls) > 9
    assert raised == [0.5, 1.0]


def test_annealing_stopped_at_a_low_temperature_goes_no_further():
    toy = Halving()
    converged, stopped = anneal(
        toy.expect,
        toy.maximize,
        [0.5, 1.0],
        max_iter=50,
        tol=0.0,
        anneal_max_iter=5,
        anneal_tol=0.0,
        on_iteration=lambda beta, iteration, _: iteration == 2,
    )
    assert (converged, stopped, toy.calls) == (False, True, [0.5, 0.5])


@pytest.mark.parametrize(
    ("beta_min", "growth", "beta_max"),
    [
        (0.1, 1.2, 1.0),
        (1e-4, 1.2, 1.0),
        (1.0, 1.5, 1.0),
        (0.5, 2.0, 8.0),
        (0.3, 7.0, 1.0),
    ],
)
def test_schedule(beta_min, growth, beta_max):
    betas = geometric_schedule(beta_min, growth, beta_max)
    assert betas[0] == beta_min and betas[-1] == beta_max
    ratios = betas[1:] / betas[:-1]
    assert (ratios > 1).all() and (ratios <= growth * (1 + 1e-9)).all()
    np.testing.assert_allclose(ratios[:-1], growth)


def test_the_paper_s_schedule_takes_52_runs_of_em():
    assert len(geometric_schedule(1e-4, 1.2, 1.0)) == 52


def test_best_of_takes_runs_lazily_and_the_first_of_equals():
    order = []

    def runs():
        for seed, objective in enumerate([-3.0, -1.0, -1.0, -2.0]):
            order.append(seed)
            yield SimpleNamespace(objective=objective, seed=seed)

    assert best_of(runs()).seed == 1
    assert order == [0, 1, 2, 3]
    assert best_of([]) is None

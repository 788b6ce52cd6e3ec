"""The ascent of the dual: safe, independent by sample, and cheap."""

from itertools import pairwise

import numpy as np
import pytest

from skstruct.constraints import Bijectivity, Cells, Symmetry
from skstruct.optim import project_posterior
from tests.constraints._enumerated import Enumerated

SIZES = [(2, 2), (3, 2), (0, 2), (1, 3), (2, 3)]
CONSTRAINTS = [Bijectivity(), Symmetry()]


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("step_size", [0.5, 2.0, 100.0])
def test_dual_never_falls_however_long_the_step(constraint, step_size):
    model = Enumerated(SIZES)
    bound = constraint.bind(model.layout)
    found = project_posterior(model.infer, bound, n_steps=30, step_size=step_size)
    assert len(found.trace) == 31
    assert (np.diff(found.trace) >= 0).all()
    assert found.trace[-1] > found.trace[0] + 1e-3


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_everything_returned_belongs_to_the_multipliers(constraint):
    for n_steps in range(8):  # the last steps of some of them go back
        model = Enumerated(SIZES)
        bound = constraint.bind(model.layout)
        seen = []

        def infer(shifts, model=model, seen=seen):
            seen.append(shifts)
            return model.infer(shifts)

        found = project_posterior(infer, bound, n_steps=n_steps, step_size=20.0)
        assert n_steps + 1 <= len(seen) <= n_steps + 2
        for last, shift in zip(seen[-1], bound.shift(found.dual), strict=True):
            np.testing.assert_array_equal(last, shift)
        expectations, log_partitions = model.infer(bound.shift(found.dual))
        np.testing.assert_array_equal(found.expectations, expectations)
        value = bound.dual_value(found.dual, log_partitions).sum()
        assert found.trace[-1] == pytest.approx(value, abs=1e-12)
        assert found.dual.dtype == np.float32


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_a_step_too_long_is_tried_again_at_half_its_length(constraint):
    model = Enumerated([(3, 2)])
    tried = []

    def infer(shifts):
        tried.append(np.concatenate(shifts))
        return model.infer(shifts)

    bound = constraint.bind(model.layout)
    found = project_posterior(infer, bound, n_steps=3, step_size=128.0)
    assert len(set(found.trace)) == 1  # each of them went back
    for longer, shorter in pairwise(tried[1:4]):
        assert longer.any()
        np.testing.assert_allclose(shorter, longer / 2, rtol=1e-6)


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_samples_do_not_feel_one_another(constraint):
    model = Enumerated(SIZES)
    bound = constraint.bind(model.layout)
    found = project_posterior(model.infer, bound, n_steps=6, step_size=8.0)
    for n, size in enumerate(SIZES):
        alone = Enumerated([size])
        alone.scores = [[own[n]] for own in model.scores]
        one = project_posterior(
            alone.infer, constraint.bind(alone.layout), n_steps=6, step_size=8.0
        )
        mine = bound.spread(np.arange(len(SIZES))) == n
        np.testing.assert_allclose(one.dual, found.dual[mine], rtol=1e-5)


def test_goes_on_from_given_multipliers_and_leaves_them():
    model = Enumerated(SIZES)
    bound = Symmetry().bind(model.layout)
    first = project_posterior(model.infer, bound, n_steps=3, step_size=1.0)
    kept = first.dual.copy()
    second = project_posterior(model.infer, bound, first.dual, n_steps=3, step_size=1.0)
    np.testing.assert_array_equal(first.dual, kept)
    assert second.trace[0] == pytest.approx(first.trace[-1], abs=1e-12)
    assert second.trace[-1] > first.trace[-1]


def test_stops_when_asked():
    model = Enumerated(SIZES)
    bound = Symmetry().bind(model.layout)
    seen = []

    def on_step(step, value):
        seen.append((step, value))
        return step == 2

    found = project_posterior(
        model.infer, bound, n_steps=9, step_size=0.1, on_step=on_step
    )
    assert seen == list(enumerate(found.trace))[1:]
    assert len(seen) == 2


@pytest.mark.parametrize("sizes", [(), [(0, 0)], [(2, 0)]])
@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_a_batch_without_cells(constraint, sizes):
    layout = Cells(*np.array(sizes, dtype=np.intp).reshape(-1, 2).T)

    def infer(shifts):
        assert [shift.shape for shift in shifts] == [(0,), (0,)]
        return [np.zeros(0, np.float32)] * 2, [np.zeros(len(sizes))] * 2

    found = project_posterior(infer, constraint.bind(layout))
    assert found.trace == [0.0] * 6
    assert not found.dual.any()

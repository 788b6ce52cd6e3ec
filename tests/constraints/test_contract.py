"""What every constraint must do; a new one is tested by being registered."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from skstruct.constraints import (
    CONSTRAINTS,
    Bijectivity,
    Constraint,
    Constraints,
    Sparsity,
    Symmetry,
)
from tests._documented import documented
from tests.constraints._enumerated import Enumerated
from tests.constraints._table import Table

SIZES = [(2, 2), (0, 3), (3, 2), (1, 0), (1, 3)]
ROWS = [2, 0, 4, 1, 3]
BOTH = ("forward", "reverse")
CASES = {
    "documented": (documented("constraint", "Budget")(0.1), Enumerated(SIZES)),
    "bijectivity": (Bijectivity(), Enumerated(SIZES)),
    "bijectivity-forward": (Bijectivity(), Enumerated(SIZES, ("forward",))),
    "bijectivity-reverse": (Bijectivity(), Enumerated(SIZES, ("reverse",))),
    "symmetry": (Symmetry(), Enumerated(SIZES)),
    "several": (Constraints([Bijectivity(), Symmetry()]), Enumerated(SIZES)),
    "sparsity": (Sparsity(0.5, min_count=5), Table(ROWS)),
    "sparsity-both": (Sparsity(0.5), Table(ROWS, directions=BOTH)),
    "sparsity-several": (
        Constraints([Sparsity(0.5), Symmetry()]),
        Table(ROWS, directions=BOTH, most=1),
    ),
}


def test_every_registered_constraint_is_tested():
    assert {type(c) for c, _ in CASES.values()} >= {
        *CONSTRAINTS.values(),
        Constraints,
    }


@pytest.fixture(params=CASES)
def case(request):
    """A bound constraint, its models and allowed multipliers that are not zero."""
    constraint, model = CASES[request.param]
    bound = constraint.bind(model.layout)
    rng = np.random.default_rng(1)
    dual = bound.project_dual(rng.standard_normal(len(bound.start())))
    dual.setflags(write=False)
    return bound, model, dual


@pytest.mark.parametrize("name", CASES)
def test_binding_gives_a_copy_and_leaves_the_description(name):
    constraint, model = CASES[name]
    before = dict(vars(constraint))
    bound = constraint.bind(model.layout)
    assert type(bound) is type(constraint)
    assert bound.layout_ is model.layout
    assert vars(constraint) == before
    assert not hasattr(clone(bound), "layout_")
    assert isinstance(pickle.loads(pickle.dumps(bound)), Constraint)


def test_one_addition_for_each_cell_of_each_model(case):
    bound, model, dual = case
    for dtype in (np.float32, np.float64):
        shifts = bound.shift(dual.astype(dtype))
        assert len(shifts) == len(model.directions) >= bound.n_models
        for shift in shifts:
            assert shift.shape == (model.layout.counts.sum(),)
            assert shift.dtype == dtype
    assert bound.start().dtype == np.float32


def test_shift_is_linear_in_the_multipliers(case):
    bound, _, dual = case
    for one, two in zip(bound.shift(dual), bound.shift(-2 * dual), strict=True):
        np.testing.assert_allclose(two, -2 * one)
    assert all((shift == 0).all() for shift in bound.shift(bound.start()))
    assert any(shift.any() for shift in bound.shift(dual))


def test_projection_of_multipliers_is_nearest_and_idempotent(case):
    bound, _, allowed = case
    rng = np.random.default_rng(2)
    outside = 2 * rng.standard_normal(len(allowed))
    given = outside.copy()
    inside = bound.project_dual(outside)
    np.testing.assert_array_equal(outside, given)
    np.testing.assert_array_equal(bound.project_dual(inside), inside)
    # No allowed point lies beyond the projection, seen from outside.
    assert (outside - inside) @ (allowed - inside) <= 1e-12


def value(bound, model, dual):
    return bound.dual_value(dual, model.infer(bound.shift(dual))[1])


def test_violation_is_the_slope_of_the_dual(case):
    bound, model, dual = case
    slope = bound.violation(model.infer(bound.shift(dual))[0])
    assert slope.shape == dual.shape
    owner = bound.spread(np.arange(len(SIZES)))
    h = 1e-5
    for k, move in enumerate(h * np.eye(len(dual))):
        rise = value(bound, model, dual + move) - value(bound, model, dual - move)
        assert rise[owner[k]] / (2 * h) == pytest.approx(slope[k], abs=1e-8)
        assert (np.delete(rise, owner[k]) == 0).all()


def test_dual_is_concave(case):
    bound, model, dual = case
    other = bound.project_dual(np.random.default_rng(3).standard_normal(len(dual)))
    ends = value(bound, model, dual), value(bound, model, other)
    assert (value(bound, model, (dual + other) / 2) >= sum(ends) / 2 - 1e-12).all()


def test_sums_by_sample_are_the_transpose_of_spreading(case):
    bound, _, dual = case
    values = np.arange(1.0, 1 + len(SIZES))
    spread = bound.spread(values)
    assert spread.shape == dual.shape
    np.testing.assert_allclose(
        bound.sum_by_sample(spread * dual) @ values, spread**2 @ dual
    )
    np.testing.assert_allclose(
        bound.sum_by_sample(dual),
        [dual[spread == v].sum() for v in values],
    )


def test_penalty_is_of_each_sample_and_not_negative(case):
    bound, model, dual = case
    penalty = bound.penalty(model.infer(bound.shift(dual))[0])
    assert penalty.shape == (len(SIZES),)
    assert (penalty >= 0).all()
    assert penalty.any()


def test_arrays_are_left_as_they_are(case):
    bound, model, dual = case
    expectations, _ = model.infer(bound.shift(dual))
    for array in expectations:
        array.setflags(write=False)
    bound.violation(expectations)
    bound.penalty(expectations)

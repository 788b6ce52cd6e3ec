"""The alignment constraints against a general solver and by hand."""

import numpy as np
import pytest

from skstruct.constraints import Bijectivity, Cells, Constraints, Symmetry
from skstruct.optim import project_posterior
from tests.constraints._enumerated import BOTH, Enumerated, solve_primal


def at_most_one_link(model):
    """The constraints of bijectivity, written over the expected links."""
    (size,) = zip(*model.layout[:2], strict=True)
    for m, direction in enumerate(model.directions):
        axis = 1 if direction == "forward" else 0
        yield (
            "ineq",
            lambda e, m=m, axis=axis: 1 - e[m].reshape(size).sum(axis=axis),
        )


def same_links(model):
    yield "eq", lambda e: e[0] - e[1]


PROBLEMS = {
    "bijectivity": (Bijectivity(), at_most_one_link),
    "symmetry": (Symmetry(), same_links),
    "several": (
        Constraints([Bijectivity(), Symmetry()]),
        lambda model: [*at_most_one_link(model), *same_links(model)],
    ),
}


def project(model, constraint, n_steps=200):
    bound = constraint.bind(model.layout)
    start = bound.start().astype(np.float64)
    return bound, project_posterior(
        model.infer, bound, start, n_steps=n_steps, step_size=2.0
    )


@pytest.mark.parametrize("size", [(2, 2), (3, 2), (1, 3)])
@pytest.mark.parametrize("name", PROBLEMS)
def test_projection_solves_the_primal(name, size):
    constraint, conditions = PROBLEMS[name]
    for seed in range(2):
        model = Enumerated([size], BOTH, seed)
        least, links = solve_primal(model, conditions(model))
        bound, found = project(model, constraint)
        # Strong duality: the dual, with the constant it leaves out, is the divergence.
        assert found.trace[-1] + model.log_likelihood()[0] == pytest.approx(
            least, abs=1e-6
        )
        np.testing.assert_allclose(found.expectations, links, atol=1e-4)
        assert bound.penalty(found.expectations) < 1e-4


@pytest.mark.parametrize("direction", BOTH)
def test_bijectivity_of_one_model(direction):
    model = Enumerated([(3, 2)], (direction,), seed=4)
    least, links = solve_primal(model, at_most_one_link(model))
    assert least > 1e-3  # else there is nothing to project
    _, found = project(model, Bijectivity())
    assert found.trace[-1] + model.log_likelihood()[0] == pytest.approx(least, abs=1e-6)
    np.testing.assert_allclose(found.expectations, links, atol=1e-4)


def test_bijectivity_concerns_each_model_by_itself():
    sizes = [(3, 2), (2, 3)]
    together = Enumerated(sizes, BOTH)
    _, both = project(together, Bijectivity(), n_steps=500)
    for m, direction in enumerate(BOTH):
        alone = Enumerated(sizes, (direction,))
        alone.scores = [together.scores[m]]
        _, one = project(alone, Bijectivity(), n_steps=500)
        np.testing.assert_allclose(both.expectations[m], one.expectations[0], atol=1e-6)


def test_multipliers_are_zero_where_a_bound_is_loose():
    model = Enumerated([(3, 2), (2, 2), (1, 3)])
    bound, found = project(model, Bijectivity(), n_steps=500)
    slack = bound.violation(found.expectations)
    assert slack.max() < 1e-6
    assert np.abs(slack * found.dual).max() < 1e-6
    assert (found.dual > 0).any()
    assert (slack < -0.1).any()


def test_sums_by_hand():
    """A pair of 2 by 3 words beside empty sides: the links of each word, less 1."""
    cells = Cells(np.array([0, 2, 3]), np.array([4, 3, 0]))
    links = np.array([0.5, 0.25, 0.25, 0, 0.75, 1], dtype=np.float32)
    found = Bijectivity().bind(cells).violation([links, links])
    forward, reverse = [0, 0.75, -1, -1, -1], [-1, -1, -1, -1, -0.5, 0, 0.25]
    np.testing.assert_allclose(found, forward + reverse)
    assert found.dtype == np.float32
    penalty = Bijectivity().bind(cells).penalty([links, links])
    np.testing.assert_allclose(penalty, [0, 1, 0])


def test_shifts_by_hand():
    cells = Cells(np.array([2, 1]), np.array([2, 1]))
    first, second = Bijectivity().bind(cells).shift(np.arange(1.0, 7))
    np.testing.assert_array_equal(first, [-1, -1, -2, -2, -3])
    np.testing.assert_array_equal(second, [-4, -5, -4, -5, -6])
    first, second = Symmetry().bind(cells).shift(np.arange(1.0, 6))
    np.testing.assert_array_equal(first, [-1, -2, -3, -4, -5])
    np.testing.assert_array_equal(second, [1, 2, 3, 4, 5])


@pytest.mark.parametrize("constraint", [Symmetry(), Constraints([Symmetry()])])
def test_symmetry_of_one_model_is_refused(constraint):
    cells = Cells(np.array([2]), np.array([2]), directions=("reverse",))
    with pytest.raises(ValueError, match=r"Symmetry ties 2 models.*reverse"):
        constraint.bind(cells)


def test_links_of_another_batch_are_refused():
    bound = Bijectivity().bind(Cells(np.array([2]), np.array([2])))
    with pytest.raises(ValueError, match=r"each of 4 cells.*\(3,\)"):
        bound.violation([np.zeros(3), np.zeros(4)])


@pytest.mark.parametrize("given", [[], ["symmetry"], "symmetry"])
def test_what_is_no_list_of_constraints_is_refused(given):
    with pytest.raises(ValueError, match="list of at least one constraint"):
        Constraints(given).bind(Cells(np.array([2]), np.array([2])))

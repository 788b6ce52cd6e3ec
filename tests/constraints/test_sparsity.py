"""The sparsity projection against general solvers, by hand and on real text."""

import gzip
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from skstruct.constraints import Rows, Sparsity
from skstruct.optim import project_posterior
from tests.constraints._projected_gradient import primal_value, project_gradient
from tests.constraints._table import Table


def make(sizes, n_states, seed=0, sharpness=2.0, most=3):
    """Rows of phrases of the given sizes, and random posteriors, at worst one-hot."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    multiplicity = rng.integers(1, 1 + most, len(groups)).astype(float)
    scores = sharpness * rng.standard_normal((len(groups), n_states))
    return Rows(groups, multiplicity, n_states), softmax(scores, axis=1)


def project(rows, p, sigma, *, tol=1e-10, min_count=0):
    bound = Sparsity(sigma, tol=tol, min_count=min_count).bind(rows)
    return bound.project_rows(p, rows.multiplicity), bound


def geometric_mean(p, weights):
    mean = np.exp(weights @ np.log(p) / weights.sum())
    return mean / mean.sum()


def solve(p, weights, sigma):
    """Rows and least value of one phrase, by SLSQP over rows and caps."""
    n, k = p.shape
    size = n * k

    def value(x):
        q = x[:size].reshape(n, k)
        slope = weights[:, np.newaxis] * (np.log(q / p) + 1)
        total = (weights[:, np.newaxis] * q * np.log(q / p)).sum()
        return total + sigma * x[size:].sum(), np.append(slope, np.full(k, sigma))

    sums = np.hstack([np.kron(np.eye(n), np.ones(k)), np.zeros((n, k))])
    below = np.hstack([-np.eye(size), np.tile(np.eye(k), (n, 1))])
    found = minimize(
        value,
        np.append(p, p.max(axis=0)),
        jac=True,
        bounds=[(1e-12, 1)] * (size + k),
        constraints=[
            {"type": "eq", "fun": lambda x: sums @ x - 1, "jac": lambda x: sums},
            {"type": "ineq", "fun": lambda x: below @ x, "jac": lambda x: below},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    q = found.x[:size].reshape(n, k)
    return q, primal_value(q / q.sum(axis=1, keepdims=True), p, weights, sigma)


@pytest.mark.parametrize("seed", range(50))
def test_projection_is_that_of_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    sigma = 10 ** rng.uniform(-1, 1.7)
    rows, p = make([rng.integers(2, 6)], rng.integers(2, 6), seed)
    q, bound = project(rows, p, sigma)
    expected, least = solve(p, rows.multiplicity, sigma)
    value, gap = bound.values_[0], bound.gaps_[0]
    assert value == pytest.approx(primal_value(q, p, rows.multiplicity, sigma))
    assert value == pytest.approx(least, rel=1e-6)
    assert value <= least * (1 + 1e-9)
    assert 0 <= gap <= 1e-8 * value
    np.testing.assert_allclose(q, expected, atol=1e-4)
    np.testing.assert_allclose(q.sum(axis=1), 1)


def test_cases_take_every_route():
    rows, p = make([1, *[5] * 300], 8, sharpness=4)
    routes = np.concatenate(
        [project(rows, p, sigma)[1].routes_ for sigma in (1, 10, 40)]
    )
    assert set(routes) == {0, 1, 2, 3}


@pytest.mark.parametrize("sigma", [0.5, 5])
def test_projected_gradient_gets_there_too(sigma):
    rows, p = make([3, 6, 2], 4)
    q, bound = project(rows, p, sigma)
    for g, (a, b) in enumerate(zip(rows.starts, rows.starts[1:], strict=False)):
        own, value, gap = project_gradient(
            p[a:b], rows.multiplicity[a:b], sigma, tol=1e-8
        )
        assert gap < 1e-6
        assert bound.values_[g] == pytest.approx(value, abs=gap + 1e-9)
        np.testing.assert_allclose(q[a:b], own, atol=1e-3)


def test_steps_on_the_dual_get_there_too():
    """What callers do that do not know of the shortcut."""
    table = Table([2, 3, 1, 4])
    bound = Sparsity(0.7).bind(table.layout)
    start = bound.start().astype(np.float64)
    found = project_posterior(table.infer, bound, start, n_steps=1500, step_size=2.0)
    p, _ = table.infer([np.zeros(len(start))])
    p = p[0].reshape(-1, 3)
    q = bound.project_rows(p, table.layout.multiplicity)
    np.testing.assert_allclose(found.expectations[0], q.ravel(), atol=1e-3)
    log_likelihood = table.infer([np.zeros(len(start))])[1][0]
    assert (bound.values_ - log_likelihood).sum() == pytest.approx(
        found.trace[-1], abs=1e-5
    )


def test_nothing_changes_at_no_strength():
    rows, p = make([3, 1, 4], 5)
    q, bound = project(rows, p, 0)
    np.testing.assert_array_equal(q, p)
    assert not bound.values_.any()
    assert not bound.penalty([q]).any()


@pytest.mark.parametrize("sigma", [1e3, 1e9])
def test_rows_agree_at_a_great_strength(sigma):
    rows, p = make([3, 2, 7], 5)
    q, _ = project(rows, p, sigma)
    for a, b in zip(rows.starts, rows.starts[1:], strict=False):
        mean = geometric_mean(p[a:b], rows.multiplicity[a:b])
        np.testing.assert_allclose(q[a:b], np.tile(mean, (b - a, 1)))


def test_rows_agree_from_a_certain_strength():
    """The value has no jump where the closed form takes over."""
    rows, p = make([4], 3)
    mean, n = geometric_mean(p, rows.multiplicity), rows.multiplicity
    log_mass = np.log(np.exp(n @ np.log(p) / n.sum()).sum())
    least = n.sum() * log_mass + n @ np.log(mean / p).max(axis=1)
    assert project(rows, p, 1.001 * least)[1].routes_ == 1
    q, bound = project(rows, p, 0.999 * least)
    assert bound.routes_ > 1
    np.testing.assert_allclose(q, np.tile(mean, (4, 1)), atol=2e-3)
    assert np.ptp(q, axis=0).max() > 1e-6


@pytest.mark.parametrize("sigma", [0.3, 3, 30])
def test_multiplicities_are_repeated_rows(sigma):
    rows, p = make([4, 3], 6)
    times = rows.multiplicity.astype(int)
    repeated = Rows(np.repeat(rows.groups, times), np.ones(times.sum()), 6)
    q, bound = project(rows, p, sigma)
    many, other = project(repeated, np.repeat(p, times, axis=0), sigma)
    np.testing.assert_allclose(np.repeat(q, times, axis=0), many, atol=1e-4)
    np.testing.assert_allclose(bound.values_, other.values_, rtol=1e-9)


def test_one_row_and_one_category_stay():
    rows, p = make([1, 1], 4)
    q, bound = project(rows, p, 5)
    np.testing.assert_array_equal(q, p)
    np.testing.assert_array_equal(bound.values_, [5, 5])
    rows, p = make([3, 2], 1)
    np.testing.assert_allclose(project(rows, p, 5)[0], 1)


def test_rare_phrases_are_left_alone():
    rows, p = make([2, 3, 2], 4, most=1)
    q, bound = project(rows, p, 2, min_count=3)
    rare = rows.groups != 1
    np.testing.assert_array_equal(q[rare], p[rare])
    assert np.abs(q - p)[~rare].max() > 0.01
    np.testing.assert_array_equal(bound.penalty([q]) > 0, [False, True, False])
    free = bound.project_dual(np.ones(p.size)).reshape(p.shape)
    np.testing.assert_array_equal(free.any(axis=1), ~rare)


def test_penalty_by_hand():
    rows = Rows(np.array([0, 0, 1]), np.array([1.0, 5.0, 2.0]), 2)
    q = np.array([[0.9, 0.1], [0.3, 0.7], [0.5, 0.5]])
    np.testing.assert_allclose(Sparsity(10).bind(rows).penalty([q]), [16, 10])


def test_rows_that_never_occur_obey_and_have_no_say():
    rows, p = make([4, 3, 2], 5)
    multiplicity = rows.multiplicity.copy()
    multiplicity[[1, 4, 7, 8]] = 0
    q, _ = project(rows._replace(multiplicity=multiplicity), p, 2)
    used = multiplicity > 0
    expected, _ = project(
        Rows(rows.groups[used], multiplicity[used], 5), p[used], 2, min_count=1
    )
    np.testing.assert_array_equal(q[used], expected)
    np.testing.assert_array_equal(q[7:], p[7:])
    for row in (1, 4):
        own = used & (rows.groups == rows.groups[row])
        caps, scale = q[own].max(axis=0), (q[row] / p[row]).max()
        np.testing.assert_allclose(q[row], np.minimum(scale * p[row], caps), rtol=1e-9)
    np.testing.assert_allclose(q.sum(axis=1), 1)


@pytest.mark.parametrize("tiny", [0.0, 1e-300, 1e-13])
def test_probabilities_that_are_next_to_nothing_count_as_a_little(tiny):
    rows, p = make([3, 2, 5], 6)
    p[p < 0.1] = tiny
    p /= p.sum(axis=1, keepdims=True)
    floored = np.maximum(p, 1e-12)
    for sigma in (0.1, 3, 30, 300):
        q, bound = project(rows, p, sigma)
        assert np.isfinite(q).all()
        assert (bound.gaps_ <= 1e-9 * bound.values_).all()
        expected, _ = project(rows, floored, sigma)
        np.testing.assert_allclose(q, expected, atol=1e-6)


@pytest.mark.parametrize("sharpness", [0.01, 3, 15, 300])
@pytest.mark.parametrize("weights", ["whole", "fractions"])
def test_hard_cases_are_solved(sharpness, weights):
    rows, p = make([2, 3, 5, 8] * 40, 12, 7, sharpness)
    if weights == "fractions":
        drawn = np.random.default_rng(0).exponential(size=len(p))
        rows = rows._replace(multiplicity=drawn)
    for sigma in 10.0 ** np.arange(-2, 4):
        q, bound = project(rows, p, sigma, tol=1e-9)
        assert np.isfinite(q).all()
        assert (bound.gaps_ >= 0).all()
        assert (bound.gaps_ <= 1e-8 * (1 + bound.values_)).all()


def test_many_rows_in_a_phrase():
    rows, p = make([10_000], 25)
    for sigma in (10, 1000):
        _, bound = project(rows, p, sigma, tol=1e-8)
        assert 0 <= bound.gaps_[0] <= 1e-8 * (1 + bound.values_[0])


@pytest.mark.parametrize("sigma", [0.5, 10])
def test_a_warm_start_ends_where_a_cold_one_does(sigma):
    rows, p = make([3, 5, 2] * 50, 8)
    _, before = make([3, 5, 2] * 50, 8, seed=1)
    cold, bound = project(rows, p, sigma)
    warm = Sparsity(sigma, tol=1e-10, min_count=0).bind(rows)
    warm.project_rows(before, rows.multiplicity)
    np.testing.assert_allclose(warm.project_rows(p, rows.multiplicity), cold, atol=1e-4)
    np.testing.assert_allclose(warm.values_, bound.values_, rtol=1e-9)


def test_threads_change_nothing():
    rows, p = make([3, 1, 7, 2] * 1000, 6)
    results = [
        Sparsity(3).bind(rows).project_rows(p, rows.multiplicity, n_jobs=n_jobs)
        for n_jobs in (None, 2, 3, -1)
    ]
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def test_phrases_do_not_see_one_another():
    rows, p = make([3, 4, 2], 5)
    together, _ = project(rows, p, 2)
    for a, b in zip(rows.starts, rows.starts[1:], strict=False):
        alone = Rows(np.zeros(b - a, int), rows.multiplicity[a:b], 5)
        np.testing.assert_array_equal(project(alone, p[a:b], 2)[0], together[a:b])


def test_single_precision_is_kept_and_arrays_are_left():
    rows, p = make([3, 4], 5)
    single = p.astype(np.float32)
    for array in (single, rows.groups, rows.multiplicity):
        array.setflags(write=False)
    q, _ = project(rows, single, 2)
    assert q.dtype == np.float32
    np.testing.assert_allclose(q, project(rows, p, 2)[0], atol=1e-4)


def test_a_table_without_rows():
    rows = Rows(np.empty(0, int), np.empty(0), 3)
    q, bound = project(rows, np.empty((0, 3)), 2)
    assert q.shape == (0, 3)
    assert bound.values_.shape == (0,)


@pytest.mark.parametrize("name", ["sigma", "min_count", "tol"])
@pytest.mark.parametrize("value", [-1, np.nan, np.inf, "10", None, True, [1.0]])
def test_parameters_that_make_no_sense_are_refused(name, value):
    rows, _ = make([2], 2)
    with pytest.raises(ValueError, match=rf"{name} must be a finite number"):
        Sparsity(**{name: value}).bind(rows)


def test_a_tolerance_of_nothing_is_refused():
    with pytest.raises(ValueError, match="tol must be above 0"):
        Sparsity(tol=0).bind(make([2], 2)[0])


@pytest.mark.parametrize("groups", [[0, 1, 0], [-1, 0, 1]])
def test_rows_in_disorder_are_refused(groups):
    rows = Rows(np.array(groups), np.ones(3), 2)
    with pytest.raises(ValueError, match="sorted by phrase"):
        Sparsity().bind(rows)


@pytest.mark.parametrize("bad", [np.nan, -0.1, np.inf])
def test_numbers_that_are_no_probabilities_are_refused(bad):
    rows, p = make([2, 2], 3)
    bound = Sparsity().bind(rows)
    with pytest.raises(ValueError, match=r"each of 4 rows.*\(3, 3\)"):
        bound.project_rows(p[:3], rows.multiplicity)
    with pytest.raises(ValueError, match="multiplicity must have a number for each"):
        bound.project_rows(p, np.ones(3))
    with pytest.raises(ValueError, match="multiplicity must be finite"):
        bound.project_rows(p, np.array([1, 1, 1, bad]))
    p[2, 1] = bad
    with pytest.raises(ValueError, match="must hold probabilities"):
        bound.project_rows(p, rows.multiplicity)


@pytest.mark.parametrize("scale", [0, 0.5, 2])
def test_rows_that_do_not_sum_to_one_are_refused(scale):
    rows, p = make([2, 2], 3)
    p[2] *= scale
    with pytest.raises(ValueError, match=r"row 2 sums to .*, not 1"):
        Sparsity().bind(rows).project_rows(p, rows.multiplicity)


@pytest.fixture(scope="module")
def gum(corpora):
    """Rows of recurring phrases, and posteriors of a mixture after 10 rounds of EM."""
    with gzip.open(corpora / "phrases/gum-en-const.tsv.gz", "rt") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    occurrences = [(line[0].lower(), line[2], line[3]) for line in lines]
    seen = Counter(phrase for phrase, _, _ in occurrences)
    merged = Counter(row for row in occurrences if seen[row[0]] > 1)
    columns = zip(*sorted(merged), strict=True)
    phrases, *contexts = (np.unique(c, return_inverse=True)[1] for c in columns)
    weights = np.array([merged[row] for row in sorted(merged)], float)
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(25), len(weights))
    for _ in range(10):
        weighted, p = p * weights[:, np.newaxis], np.ones_like(p)
        for column in (phrases, *contexts):
            table = np.full((column.max() + 1, 25), 0.0 if column is phrases else 0.01)
            np.add.at(table, column, weighted)
            axis = 1 if column is phrases else 0
            p *= (table / table.sum(axis=axis, keepdims=True))[column]
        p /= p.sum(axis=1, keepdims=True)
    return Rows(phrases, weights, 25), p


@pytest.mark.parametrize("sigma", [1, 10, 100])
def test_phrases_of_real_text(gum, sigma):
    rows, p = gum
    bound = Sparsity(sigma).bind(rows)
    for moved in (p, p**0.98 / (p**0.98).sum(axis=1, keepdims=True)):
        q = bound.project_rows(moved, rows.multiplicity)
        assert (bound.gaps_ >= 0).all()
        assert (bound.gaps_ <= 1e-6 * (1 + bound.values_)).all()
        np.testing.assert_allclose(q.sum(axis=1), 1)
        assert bound.penalty([q]).sum() < bound.penalty([moved]).sum()

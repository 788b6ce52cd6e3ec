"""Gaussian and Poisson emissions against SciPy and closed forms."""

import numpy as np
import pytest
from scipy import stats
from sklearn.mixture import GaussianMixture

from skstruct.emissions import Categorical, Gaussian, Poisson

TYPES = ["full", "tied", "diag", "spherical"]
OFFSETS = np.array([0, 2, 2, 60])


def data(seed=0, n=60, d=3):
    rng = np.random.default_rng(seed)
    mixing = rng.standard_normal((d, d)) * np.array([1.0, 10.0, 0.1][:d])
    return rng.standard_normal((n, d)) @ mixing + 100.0, rng.dirichlet([1, 1], n)


def fitted(emission, values, counts):
    observations = emission.encode(values, reset=True)
    emission.initialize(observations, counts.shape[1], np.random.RandomState(0))
    emission.m_step(emission.statistics(observations.rows, counts))
    return emission


def dense(emission):
    """Covariances as full matrices."""
    c, (k, d) = emission.covariances_, emission.means_.shape
    return {
        "full": lambda: c,
        "tied": lambda: np.array([c] * k),
        "diag": lambda: np.array([np.diag(v) for v in c]),
        "spherical": lambda: np.array([v * np.eye(d) for v in c]),
    }[emission.covariance_type]()


@pytest.mark.parametrize("kind", TYPES)
def test_density_is_scipys(kind):
    values, counts = data()
    emission = fitted(Gaussian(kind), values, counts)
    for k, cov in enumerate(dense(emission)):
        expected = stats.multivariate_normal(emission.means_[k], cov).logpdf(values)
        np.testing.assert_allclose(emission.table(values)[:, k], expected, rtol=1e-9)


@pytest.mark.parametrize("kind", TYPES)
def test_m_step_is_scikit_learns(kind):
    values, counts = data()
    emission = fitted(Gaussian(kind, covariance_floor=1e-12), values, counts)
    mixture = GaussianMixture(2, covariance_type=kind, reg_covar=0)
    mixture._initialize(values, counts)
    np.testing.assert_allclose(emission.means_, mixture.means_)
    np.testing.assert_allclose(
        emission.covariances_, mixture.covariances_, rtol=1e-7, atol=1e-9
    )
    assert emission.covariances_.shape == mixture.covariances_.shape
    assert emission.n_parameters == mixture._n_parameters() - 1


@pytest.mark.parametrize("kind", TYPES)
def test_density_of_observed_features(kind):
    values, counts = data()
    emission = fitted(Gaussian(kind, missing="marginalize"), values, counts)
    values[:3] = [[np.nan, 1, 2], [np.nan, np.nan, 100], [np.nan] * 3]
    table = emission.table(values)
    np.testing.assert_allclose(table[2], 0, atol=1e-12)
    for k, cov in enumerate(dense(emission)):
        for t, seen in enumerate(([1, 2], [2])):
            law = stats.multivariate_normal(
                emission.means_[k][seen], cov[np.ix_(seen, seen)]
            )
            np.testing.assert_allclose(table[t, k], law.logpdf(values[t, seen]))


def test_expected_moments_of_missing_features():
    """One token with a hole, against the conditional normal distribution."""
    values, counts = data(d=2)
    emission = fitted(Gaussian(missing="marginalize"), values, counts)
    mean, cov = emission.means_[0], emission.covariances_[0]
    row = np.array([[values[0, 0], np.nan]])
    weight, first, second = emission.statistics(row, np.array([[2.0, 0.0]]))
    guess = mean[1] + cov[1, 0] / cov[0, 0] * (row[0, 0] - mean[0])
    spread = cov[1, 1] - cov[1, 0] ** 2 / cov[0, 0]
    full = emission.statistics(np.array([[row[0, 0], guess]]), np.array([[2.0, 0.0]]))
    np.testing.assert_allclose(weight, [2, 0])
    np.testing.assert_allclose(first, full[1])
    extra = (second - full[2])[0] * emission._scale[1] ** 2
    np.testing.assert_allclose(extra, [[0, 0], [0, 2 * spread]], atol=1e-9)


@pytest.mark.parametrize("kind", TYPES)
def test_covariance_floor(kind):
    values, _ = data()
    counts = np.zeros((60, 2))
    counts[0, 0] = 1.0  # a state of one token
    counts[1:, 1] = 1.0
    emission = fitted(Gaussian(kind, covariance_floor=1e-3), values, counts)
    scale = values.std(axis=0)
    if kind == "spherical":
        scale = np.full(3, np.sqrt((scale**2).mean()))
    for cov in dense(emission):
        relative = np.linalg.eigvalsh(cov / np.outer(scale, scale))
        assert relative.min() >= 1e-3 * (1 - 1e-9)
    if kind != "tied":
        np.testing.assert_allclose(
            dense(emission)[0], np.diag(1e-3 * scale**2), atol=1e-9
        )
    assert np.isfinite(emission.table(values)).all()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9, 1e-200])
def test_constant_feature_counts_as_one_of_unit_variance(kind, value):
    values = np.full((50, 2), value)
    values[:, 1] = np.arange(50) if kind != "spherical" else value
    counts = np.random.default_rng(0).dirichlet([1, 1], 50)
    emission = fitted(Gaussian(kind), values, counts)
    np.testing.assert_allclose(dense(emission)[0][0, 0], 1e-6, rtol=1e-6)
    assert np.isfinite(emission.table(values)).all()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_extreme_units_change_nothing(kind, scale):
    """Covariances of 1e280 are fine; larger numbers are refused."""
    values, counts = data()
    values -= 100
    plain = fitted(Gaussian(kind), values, counts)
    scaled = fitted(Gaussian(kind), values * scale, counts)
    np.testing.assert_allclose(scaled.means_, plain.means_ * scale, rtol=1e-8)
    np.testing.assert_allclose(
        scaled.table(values * scale),
        plain.table(values) - 3 * np.log(scale),
        rtol=1e-9,
        atol=1e-6,
    )


def test_means_far_from_zero_lose_no_digits():
    rng = np.random.default_rng(0)
    values = rng.standard_normal(1000)
    counts = np.ones((1000, 1))
    plain = fitted(Gaussian(), values, counts)
    moved = fitted(Gaussian(), values + 1e8, counts)
    np.testing.assert_allclose(moved.covariances_, plain.covariances_, rtol=1e-7)


@pytest.mark.parametrize("kind", TYPES)
def test_start(kind):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((400, 2)) + 20.0 * np.repeat(
        [[0, 0], [0, 1], [1, 0], [1, 1]], 100, axis=0
    )
    emission = Gaussian(kind)
    observations = emission.encode(values, reset=True)
    emission.initialize(observations, 4, np.random.RandomState(0))
    close = np.abs(emission.means_[:, None] - 20 * np.indices((2, 2)).reshape(2, -1).T)
    assert (close.max(axis=2) < 1).sum() == 4
    total = np.cov(values.T, bias=True) / 4  # K^(2/d) = 4
    if kind in ("full", "tied"):
        np.testing.assert_allclose(dense(emission), [total] * 4)
    elif kind == "diag":
        np.testing.assert_allclose(dense(emission), [np.diag(np.diag(total))] * 4)
    else:
        np.testing.assert_allclose(emission.covariances_, np.diag(total).mean())


def test_given_means():
    means = np.array([[0.1, 0.2], [3, 4]])
    emission = Gaussian(means_init=means)
    observations = emission.encode(data(d=2)[0], reset=True)
    emission.initialize(observations, 2, None)
    np.testing.assert_array_equal(emission.means_, means)
    with pytest.raises(ValueError, match=r"means_init.*\(3, 2\), got shape \(2, 2\)"):
        emission.initialize(observations, 3, None)


@pytest.mark.parametrize("emission", [Gaussian(), Poisson()])
def test_tokens_of_known_state_set_where_it_starts(emission):
    rng = np.random.default_rng(0)
    values = rng.poisson(np.repeat([5, 90, 40], 50))
    observations = emission.encode(values, reset=True)
    allowed = np.ones((len(observations.rows), 3), dtype=bool)
    allowed[observations.index[0:50]] = [False, False, True]
    allowed[observations.index[50:100]] = [True, False, False]
    emission.initialize(observations, 3, np.random.RandomState(0), allowed=allowed)
    np.testing.assert_allclose(emission.sort_key(), [90, 40, 5], atol=4)


def test_many_states_and_few_rows():
    for emission in (Gaussian(), Poisson(), Gaussian(missing="marginalize")):
        observations = emission.encode(np.array([1.0, 1.0, 2.0]), reset=True)
        for n_states in (3, 5):
            emission.initialize(observations, n_states, np.random.RandomState(0))
            assert np.isfinite(emission.table(observations.rows)).all()


def test_start_with_nothing_observed():
    for emission in (Gaussian(missing="marginalize"), Poisson(missing="marginalize")):
        observations = emission.encode(np.full((4, 2), np.nan), reset=True)
        emission.initialize(observations, 2, np.random.RandomState(0))
        np.testing.assert_allclose(emission.table(observations.rows), 0, atol=1e-12)


@pytest.mark.parametrize("kind", TYPES)
def test_samples_have_the_moments_of_the_state(kind):
    emission = fitted(Gaussian(kind), *data())
    drawn = emission.sample(np.arange(2).repeat(40_000), np.random.RandomState(0))
    for k, cov in enumerate(dense(emission)):
        part = drawn[k * 40_000 : (k + 1) * 40_000]
        unit = np.sqrt(np.diag(cov))
        np.testing.assert_allclose(
            (part.mean(axis=0) - emission.means_[k]) / unit, 0, atol=0.03
        )
        np.testing.assert_allclose(
            (np.cov(part.T) - cov) / np.outer(unit, unit), 0, atol=0.03
        )


def test_chunks_leave_no_seam():
    """More rows than one chunk holds, with and without holes."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((90_000, 2))
    counts = rng.dirichlet([1, 1], 90_000)
    emission = fitted(Gaussian(missing="marginalize"), values, counts)
    mean = counts[:, 0] @ values / counts[:, 0].sum()
    np.testing.assert_allclose(emission.means_[0], mean)
    law = stats.multivariate_normal(emission.means_[1], emission.covariances_[1])
    np.testing.assert_allclose(emission.table(values)[:, 1], law.logpdf(values))
    values[::7, 0] = np.nan
    whole = emission.table(values)
    np.testing.assert_allclose(emission.table(values[-5000:]), whole[-5000:])


def test_poisson_is_scipys():
    rng = np.random.default_rng(0)
    values = rng.poisson([[3, 50]] * 80)
    counts = rng.dirichlet([1, 1], 80)
    emission = fitted(Poisson(), values, counts)
    expected = counts.T @ values / counts.sum(axis=0)[:, None]
    np.testing.assert_allclose(emission.rates_, expected)
    for k in range(2):
        law = stats.poisson(emission.rates_[k]).logpmf(values).sum(axis=1)
        np.testing.assert_allclose(emission.table(values.astype(float))[:, k], law)
    assert emission.n_parameters == 4


def test_poisson_merges_equal_counts():
    emission = Poisson(missing="marginalize")
    observations = emission.encode(np.array([4, 0, np.nan, 4, np.nan]), reset=True)
    assert observations.index.tolist() == [1, 0, 2, 1, 2]
    np.testing.assert_array_equal(observations.rows[:, 0], [0, 4, np.nan])


def test_poisson_state_of_zeros_stays_possible():
    values = np.array([0, 0, 7])
    emission = Poisson()
    observations = emission.encode(values, reset=True)
    emission.initialize(observations, 2, np.random.RandomState(0))
    emission.m_step(emission.statistics(observations.rows, np.eye(2)))
    np.testing.assert_allclose(emission.rates_[:, 0], [1e-8, 7])
    assert np.isfinite(emission.table(observations.rows)).all()


def test_poisson_samples():
    emission = fitted(Poisson(), np.arange(10), np.ones((10, 1)))
    drawn = emission.sample(np.zeros(20_000, dtype=int), np.random.RandomState(0))
    assert drawn.dtype.kind == "i"
    np.testing.assert_allclose([drawn.mean(), drawn.var()], 4.5, rtol=0.05)


@pytest.mark.parametrize("emission", [Gaussian(), Poisson()])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([1, 2, np.nan]), "sample 2, position 0 holds NaN.*marginalize"),
        (np.array([1, np.inf]), "sample 0, position 1 holds infinity"),
        (np.array(["a", "b"], dtype=object), "position 0 is 'a'.*Categorical"),
        (np.array(["1", "2"]), "dtype <U1.*Categorical"),
        (np.array([1j]), "complex128"),
        (np.array([1.0, {}], dtype=object), "position 1 is {}"),
        (np.zeros((2, 2, 2)), "shape"),
        (np.zeros((2, 0)), "shape"),
    ],
)
def test_bad_values(emission, values, message):
    with pytest.raises(ValueError, match=message):
        emission.encode(values, reset=True, offsets=OFFSETS)


@pytest.mark.parametrize("emission", [Gaussian(), Poisson()])
def test_infinity_is_never_missing(emission):
    emission = type(emission)(missing="marginalize")
    with pytest.raises(ValueError, match="row 1 holds infinity"):
        emission.encode(np.array([np.nan, -np.inf]), reset=True)


@pytest.mark.parametrize("emission", [Gaussian(), Poisson()])
def test_width_must_not_change(emission):
    emission.encode(np.ones((4, 2)), reset=True)
    message = "X has 3 features, but .* is expecting 2 features as input"
    with pytest.raises(ValueError, match=message):
        emission.encode(np.ones((4, 3)))


@pytest.mark.parametrize("bad", [-1, 0.5, 1e200])
def test_values_that_are_no_counts(bad):
    with pytest.raises(ValueError, match=r"sample 2, position 1 holds .*whole numbers"):
        Poisson().encode(np.array([1, 2, 3, bad]), reset=True, offsets=OFFSETS)


def test_numbers_too_large_to_square():
    with pytest.raises(ValueError, match=r"row 1 .*too large"):
        Gaussian().encode(np.array([1, 1e200]), reset=True)


@pytest.mark.parametrize(
    ("emission", "message"),
    [
        (Gaussian("round"), "covariance_type must be one of"),
        (Gaussian(covariance_floor=0), "covariance_floor must lie"),
        (Gaussian(covariance_floor="low"), "covariance_floor must lie"),
        (Gaussian(missing="drop"), "missing must be"),
        (Poisson(missing="drop"), "missing must be"),
    ],
)
def test_bad_parameters(emission, message):
    with pytest.raises(ValueError, match=message):
        emission.encode(np.ones(3), reset=True)


@pytest.mark.parametrize(
    ("emission", "values", "advice"),
    [
        (Gaussian(), np.array(["a"]), r"Use Categorical\(\) for symbols"),
        (Gaussian(), np.array(["a"], dtype=object), r"Use Categorical\(\) for symbols"),
        (Poisson(), np.array([0.5]), r"Use Gaussian\(\) for real numbers"),
        (Categorical(), np.zeros((1, 2)), r"Use Gaussian\(\) for numeric vectors"),
        (Categorical(), np.array([2.0**60]), r"Use Gaussian\(\) for real numbers"),
    ],
)
def test_advice_names_another_emission(emission, values, advice):
    with pytest.raises(ValueError, match=advice):
        emission.encode(values, reset=True)

"""What every emission must do; a new one is tested by being registered."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from skstruct.emissions import EMISSIONS, Emission
from tests.emissions._cases import (
    CASES,
    TRUTH,
    K,
    has_prior,
    option,
    parameters,
    parts,
    precision,
)


def test_every_registered_emission_is_tested():
    assert {type(e) for e, _ in CASES.values()} >= set(EMISSIONS.values())


@pytest.fixture(params=CASES)
def fitted(request):
    """An emission after one M-step, its observations and the counts of that step."""
    emission, make = CASES[request.param]
    rng = np.random.default_rng(0)
    values = make(rng)
    values.setflags(write=False)
    emission = clone(emission)
    observations = emission.encode(values, reset=True)
    emission.initialize(observations, K, np.random.RandomState(0))
    expected = soft_counts(observations, rng)
    emission.m_step(emission.statistics(observations.rows, expected))
    return emission, observations, expected, values


def soft_counts(observations, rng):
    """Expected counts (U, K) that favour a different third of rows in each state."""
    token = rng.dirichlet(np.ones(K), len(observations.index)) + np.eye(K)[TRUTH]
    out = np.zeros((len(observations.rows), K))
    np.add.at(out, observations.index, token / 2)
    return out


def objective(emission, observations, expected):
    table = emission.table(observations.rows)
    used = expected > 0
    return (expected[used] * table[used]).sum() + emission.log_prior()


def test_shapes(fitted):
    emission, observations, _, values = fitted
    assert observations.index.shape == (120,)
    assert observations.index.dtype == np.intp
    assert observations.index.max() < len(observations.rows)
    table = emission.table(observations.rows)
    assert table.shape == (len(observations.rows), K)
    assert table.dtype == np.float64
    assert table.flags.c_contiguous
    assert not np.isnan(table).any()
    again = emission.encode(values)
    np.testing.assert_array_equal(again.index, observations.index)
    np.testing.assert_array_equal(again.rows, observations.rows)


def test_table_of_some_rows(fitted):
    emission, observations, _, _ = fitted
    some = observations.rows[1::2]
    np.testing.assert_allclose(
        emission.table(some), emission.table(observations.rows)[1::2], rtol=1e-12
    )


def test_no_tokens_to_read(fitted):
    emission = fitted[0]
    observations = emission.encode(np.zeros(0, dtype=object))
    assert observations.index.shape == (0,)
    assert emission.table(observations.rows).shape == (len(observations.rows), K)


def test_no_tokens_to_learn_from(fitted):
    with pytest.raises(ValueError, match="no tokens"):
        clone(fitted[0]).encode(np.zeros(0, dtype=object), reset=True)


def test_statistics_add_up(fitted):
    emission, observations, expected, _ = fitted
    cut = len(observations.rows) // 3
    whole = emission.statistics(observations.rows, expected)
    parts = [
        emission.statistics(observations.rows[s], expected[s])
        for s in (slice(cut), slice(cut, None))
    ]
    for total, *halves in zip(whole, *parts, strict=True):
        np.testing.assert_allclose(total, sum(halves), rtol=1e-10, atol=1e-9)


def test_scaled_statistics_give_the_same_parameters(fitted):
    emission, observations, expected, _ = fitted
    if has_prior(emission):
        return
    statistics = emission.statistics(observations.rows, expected)
    emission.m_step(statistics)
    once = copy.deepcopy(parameters(emission))
    emission.m_step(tuple(1e-3 * s for s in statistics))
    for name, value in parameters(emission).items():
        np.testing.assert_allclose(value, once[name], rtol=1e-8)


def test_expected_statistics_give_the_parameters_back(fitted):
    emission, observations, expected, _ = fitted
    statistics = emission.statistics(observations.rows, expected)
    emission.m_step(statistics)
    before = copy.deepcopy(parameters(emission))
    masses, tol = [expected.sum(axis=0)], precision(emission)
    if not has_prior(emission):
        masses += [np.array([2.0, 1e-3, 1e6]), np.array([5.0, 0.0, 3.0])]
    for mass in masses:
        emission.m_step(emission.expected_statistics(mass))
        for name, value in parameters(emission).items():
            np.testing.assert_allclose(value, before[name], rtol=tol, atol=1e-3 * tol)


def test_expected_statistics_are_those_of_the_last_m_step(fitted):
    emission, observations, expected, _ = fitted
    statistics = emission.statistics(observations.rows, expected)
    emission.m_step(statistics)
    given = emission.expected_statistics(expected.sum(axis=0))
    assert [g.shape for g in given] == [s.shape for s in statistics]
    if option(emission, "missing") == "marginalize":
        return  # nothing counts as missing
    if option(emission, "covariance_type") in ("tied", "spherical"):
        given, statistics = given[:-1], statistics[:-1]  # the second moment is pooled
    for g, s in zip(given, statistics, strict=True):
        tol = precision(emission)
        np.testing.assert_allclose(g, s, rtol=tol, atol=tol)
        assert g.flags.f_contiguous == s.flags.f_contiguous


def test_m_step_is_a_maximum(fitted):
    emission, observations, expected, _ = fitted
    holes = option(emission, "missing") == "marginalize"
    for _ in range(150 if holes else 1):  # with holes, it is itself a step of EM
        emission.m_step(emission.statistics(observations.rows, expected))
    best = objective(emission, observations, expected)
    if option(emission, "update") == "variational":
        return  # no point estimate to perturb: see the free energy below
    rng = np.random.default_rng(1)
    for _ in range(20):
        other = copy.deepcopy(emission)
        perturb(other, rng)
        assert objective(other, observations, expected) < best


def perturb(emission, rng):
    for part in parts(emission):
        _perturb_part(part, rng)


def _perturb_part(part, rng):
    for name, value in parameters(part).items():
        name = name.rstrip("0")
        change = np.exp(0.02 * rng.standard_normal(value.shape))
        if name == "covariances_" and value.ndim >= 2:
            change = (
                (change + np.swapaxes(change, -1, -2)) / 2 if _square(value) else change
            )
        value = value * change
        if name == "probabilities_":
            value /= value.sum(axis=1, keepdims=True)
        if name == "coef_":
            part.set_coef(value)
        else:
            setattr(part, name, value)


def _square(value):
    return value.shape[-1] == value.shape[-2]


def test_em_of_a_mixture_never_falls(fitted):
    emission, observations, _, _ = fitted
    emission = clone(emission)
    index = observations.index
    emission.encode(fitted[3], reset=True)
    emission.initialize(observations, K, np.random.RandomState(1))
    history = []
    for _ in range(20):
        table = emission.table(observations.rows)
        evidence = np.logaddexp.reduce(table, axis=1) - np.log(K)
        history.append(evidence[index].sum() + emission.log_prior())
        posterior = np.exp(table - evidence[:, None]) / K
        weights = np.bincount(index, minlength=len(posterior))
        emission.m_step(
            emission.statistics(observations.rows, posterior * weights[:, None])
        )
    assert np.isfinite(history).all()
    assert (np.diff(history) > -1e-9 * np.abs(history[1:])).all()
    assert history[-1] > history[0] + 1e-3


def test_state_without_counts_keeps_its_parameters(fitted):
    emission, observations, expected, _ = fitted
    if has_prior(emission):
        return  # it gets the prior instead
    before = copy.deepcopy(parameters(emission))
    expected = expected.copy()
    expected[:, 1] = 0.0
    emission.m_step(emission.statistics(observations.rows, expected))
    for name, value in parameters(emission).items():
        if value.shape[0] == K:
            np.testing.assert_allclose(value[1], before[name][1], rtol=1e-12)
        assert np.isfinite(value).all()
    assert not np.allclose(emission.table(observations.rows)[:, 0], 0)


def test_no_counts_at_all(fitted):
    emission, observations, expected, _ = fitted
    emission.m_step(emission.statistics(observations.rows, 0 * expected))
    assert all(np.isfinite(v).all() for v in parameters(emission).values())
    assert not np.isnan(emission.table(observations.rows)).any()


def test_reorder(fitted):
    emission, observations, _, _ = fitted
    order = np.array([2, 0, 1])
    before = emission.table(observations.rows)
    key = emission.sort_key()
    prior = emission.log_prior()
    emission.reorder(order)
    np.testing.assert_allclose(emission.table(observations.rows), before[:, order])
    np.testing.assert_allclose(emission.log_prior(), prior)
    if key is not None:
        np.testing.assert_array_equal(emission.sort_key(), key[order])


def test_perturb(fitted):
    """Small changes that tell equal states apart, and keep distributions proper."""
    emission, observations, expected, _ = fitted
    same = np.repeat(expected.sum(axis=1, keepdims=True) / K, K, axis=1)
    emission.m_step(emission.statistics(observations.rows, same))
    before = emission.table(observations.rows)
    emission.perturb(1e-3, np.random.RandomState(0))
    after = emission.table(observations.rows)
    assert (after.std(axis=1) > 0).any()
    assert 0 < np.abs(np.exp(after - before) - 1).max() < 0.1
    if hasattr(emission, "probabilities_"):
        np.testing.assert_allclose(emission.probabilities_.sum(axis=1), 1)


def test_samples_are_read_back(fitted):
    emission, _, _, values = fitted
    states = np.arange(K).repeat(5)
    first = emission.sample(states, np.random.RandomState(0))
    again = emission.sample(states, np.random.RandomState(0))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (15, *values.shape[1:])
    read = emission.encode(first)
    table = emission.table(read.rows)[read.index]
    assert np.isfinite(table[np.arange(15), states]).all()


def test_frequent_samples_are_likely_ones(fitted):
    """The mean log-probability of samples is at its maximum in their own state."""
    emission, _, _, _ = fitted
    for k in range(K):
        drawn = emission.sample(np.full(3000, k), np.random.RandomState(k))
        read = emission.encode(drawn)
        means = emission.table(read.rows)[read.index].mean(axis=0)
        assert means.argmax() == k


def test_copies(fitted):
    emission, observations, _, values = fitted
    table = emission.table(observations.rows)
    for other in (pickle.loads(pickle.dumps(emission)), copy.deepcopy(emission)):
        read = other.encode(values)
        np.testing.assert_array_equal(other.table(read.rows), table)
    fresh = clone(emission)
    assert fresh.get_params().keys() == emission.get_params().keys()
    assert not [name for name in vars(fresh) if name.endswith("_")]


def test_inputs_stay_as_they_are(fitted):
    emission, observations, expected, values = fitted
    rows = observations.rows
    rows = [rows.codes, *rows.views] if hasattr(rows, "codes") else [rows]
    arrays = [observations.index, *rows, expected, values]
    before = [a.copy() for a in arrays]
    for a in arrays:
        a.setflags(write=False)
    emission.table(observations.rows)
    statistics = emission.statistics(observations.rows, expected)
    for s in statistics:
        s.setflags(write=False)
    emission.m_step(statistics)
    emission.initialize(observations, K, np.random.RandomState(0))
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_global_generator_is_untouched(fitted):
    emission, observations, _, _ = fitted
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    emission.initialize(observations, K, np.random.RandomState(0))
    emission.initialize(observations, K, None)
    emission.sample(np.arange(K), np.random.RandomState(0))
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_start_depends_on_the_seed_only(fitted):
    emission, observations, _, _ = fitted
    tables = []
    for seed in (0, 0, None, None):
        rng = None if seed is None else np.random.RandomState(seed)
        emission.initialize(observations, K, rng)
        tables.append(emission.table(observations.rows))
    np.testing.assert_array_equal(tables[0], tables[1])
    np.testing.assert_array_equal(tables[2], tables[3])


def test_extend_keeps_what_was_known(fitted):
    emission, observations, _, values = fitted
    before = emission.table(observations.rows)
    emission.extend(values)
    np.testing.assert_array_equal(emission.table(observations.rows), before)


def test_one_state_and_one_token(fitted):
    emission, _, _, values = fitted
    emission = clone(emission)
    observations = emission.encode(values[:1], reset=True)
    for n_states in (1, 2):
        emission.initialize(observations, n_states, np.random.RandomState(0))
        ones = np.ones((len(observations.rows), n_states))
        emission.m_step(emission.statistics(observations.rows, ones))
        assert np.isfinite(emission.table(observations.rows)).all()
        assert emission.n_parameters >= 0


def test_sparse_input_is_refused(fitted):
    with pytest.raises(ValueError, match="sparse"):
        clone(fitted[0]).encode(sp.csr_array(np.eye(3)), reset=True)


def test_an_emission_without_a_part_of_the_contract_says_which():
    class Half(Emission):
        def encode(self, values, *, reset=False, offsets=None):
            return values

    with pytest.raises(TypeError, match=r"abstract.*m_step.*table"):
        Half()

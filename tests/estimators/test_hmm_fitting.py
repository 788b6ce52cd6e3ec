"""What whole fits of AnnealedHMM do: objectives, samples, streams."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.frozen import FrozenEstimator

from skstruct.containers import Ragged
from skstruct.datasets import make_hmm_sequences
from skstruct.emissions import Categorical, Gaussian, Poisson
from skstruct.estimators import AnnealedHMM
from skstruct.estimators._hmm._stationary import long_run
from tests.estimators._hmm_oracle import (
    ORDERS,
    SYMBOLS,
    WEIGHT,
    Counts,
    K,
    V,
    X,
    assert_same,
    expected_counts,
    fitted_parameters,
    one_step,
    random_parameters,
    updated,
)


def random_sequences(kind, rng, n=15):
    lengths = rng.integers(0, 9, size=n)
    T = lengths.sum()
    values = {
        "symbols": rng.integers(0, 6, size=T),
        "counts": rng.poisson(3.0, size=T),
        "vectors": rng.normal(size=(T, 2)) @ [[2.0, 1.0], [0.0, 0.5]],
    }[kind]
    return Ragged.from_lengths(values, lengths)


MODELS = {
    "maximum likelihood": ("symbols", {}),
    "pseudo-counts": ("symbols", {"emissions": Categorical(alpha=0.5)}),
    "transition prior": ("symbols", {"transition_alpha": 0.3}),
    "variational": (
        "symbols",
        {"emissions": Categorical(alpha=0.1, update="variational")},
    ),
    "second order": ("symbols", {"order": 2, "transition_alpha": 0.1}),
    "fixed": (
        "symbols",
        {"fixed": ("transmat",), "transmat_init": np.eye(3) * 0.7 + 0.1},
    ),
    "poisson": ("counts", {"emissions": Poisson()}),
    **{
        kind: ("vectors", {"emissions": Gaussian(kind, covariance_floor=1e-2)})
        for kind in ("full", "tied", "diag", "spherical")
    },
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:Annealing from beta")
def test_the_objective_never_falls_within_a_beta(name, seed):
    kind, params = MODELS[name]
    rng = np.random.default_rng(seed)
    batch, weight = random_sequences(kind, rng), rng.uniform(size=15)
    hmm = AnnealedHMM(
        3,
        betas=[0.4, 0.8, 1.0, 1.5],
        max_iter=25,
        anneal_max_iter=15,
        tol=0.0,
        anneal_tol=0.0,
        jitter=0.3,
        n_init=1,
        random_state=seed,
        **params,
    ).fit(batch, sample_weight=weight)
    assert_never_falls(hmm.history_)


def assert_never_falls(history):
    betas = np.array([h["beta"] for h in history])
    objective = np.array([h["objective"] for h in history])
    rises = np.diff(objective)[np.diff(betas) == 0]
    assert len(rises) > 10
    assert rises.min() > -1e-9
    assert rises.max() > 1e-6  # or nothing was learnt at all


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_skewed_objective_never_falls():
    rng = np.random.default_rng(5)
    batch = random_sequences("symbols", rng)
    start = AnnealedHMM(3, random_state=0, max_iter=3, n_init=1).fit(batch)
    hmm = AnnealedHMM(
        3,
        skew_from=FrozenEstimator(start),
        betas=[0.2, 0.6, 1.0],
        tol=0.0,
        anneal_tol=0.0,
        anneal_max_iter=15,
        max_iter=25,
        jitter=0.2,
        random_state=0,
    ).fit(batch)
    assert_never_falls(hmm.history_)


def test_annealing_ends_where_its_history_says():
    """After convergence no M-step follows: the last objective is the likelihood."""
    batch = random_sequences("symbols", np.random.default_rng(3))
    hmm = AnnealedHMM(2, random_state=0, n_init=2).fit(batch)
    assert hmm.converged_
    assert_allclose(hmm.score(batch), hmm.history_[-1]["objective"], rtol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_states_are_numbered_by_frequency(order):
    batch = random_sequences("symbols", np.random.default_rng(8), n=40)
    hmm = AnnealedHMM(3, order=order, random_state=2, tol=1e-4).fit(batch)
    expected = hmm.predict_proba(batch).values.sum(axis=0)
    assert (np.diff(expected) <= 0).all()
    assert np.ptp(expected) > 1
    # Renumbering moved all parts together.
    assert_allclose(hmm.score(batch), hmm.history_[-1]["objective"], rtol=1e-9)


def test_numeric_states_are_numbered_by_mean():
    batch = random_sequences("vectors", np.random.default_rng(8), n=40)
    hmm = AnnealedHMM(3, random_state=0, tol=1e-4).fit(batch)
    assert (np.diff(hmm.means_[:, 0]) > 0).all()
    assert_allclose(hmm.score(batch), hmm.history_[-1]["objective"], rtol=1e-9)


@pytest.mark.filterwarnings("ignore:Annealing from beta")
@pytest.mark.parametrize("order", ORDERS)
def test_fixed_parts_are_not_jittered(order):
    p = random_parameters(16, order, np.ones((V, K), dtype=bool))
    hmm = AnnealedHMM(
        emissions=Categorical(init=p.emission, symbols=SYMBOLS),
        startprob_init=p.start,
        transmat_init=p.transmat,
        order=order,
        betas=[0.5, 1.0],
        jitter=0.5,
        fixed=("startprob", "transmat", "emission"),
        random_state=0,
    ).fit(X)
    for a, b in zip(fitted_parameters(hmm), p, strict=True):
        assert (a is None) == (b is None)
        assert b is None or np.allclose(a, b, rtol=0, atol=1e-15)


def test_samples_have_the_frequencies_of_the_model():
    p = random_parameters(9, 1, np.ones((V, K), dtype=bool))
    hmm = one_step(p, 1.0, 0.3, transition_alpha=0.3)
    drawn, states = hmm.sample(4000, length=[3] * 3999 + [0], random_state=0)
    assert drawn.lengths.tolist() == states.lengths.tolist() == [3] * 3999 + [0]
    y = states.values.reshape(-1, 3)
    x = np.searchsorted(SYMBOLS, drawn.values.astype(str)).reshape(-1, 3)
    # Five standard deviations of a share of 3999 draws are below 0.04.
    assert_allclose(np.bincount(y[:, 0], minlength=K) / 3999, hmm.startprob_, atol=0.04)
    pairs = np.zeros((K, K))
    np.add.at(pairs, (y[:, :2].ravel(), y[:, 1:].ravel()), 1)
    sizes = pairs.sum(axis=1, keepdims=True)
    assert sizes.min() > 1000
    assert_allclose(pairs / sizes, hmm.transmat_, atol=0.08)
    emitted = np.zeros((K, V))
    np.add.at(emitted, (y.ravel(), x.ravel()), 1)
    emitted /= emitted.sum(axis=1, keepdims=True)
    assert_allclose(emitted, hmm.emissionprob_, atol=0.05)


def test_second_order_samples():
    p = random_parameters(10, 2, np.ones((V, K), dtype=bool))
    hmm = one_step(p, 1.0, 0.3, transition_alpha=0.3)
    _, states = hmm.sample(6000, length=3, random_state=0)
    y = states.values.reshape(-1, 3)
    triples = np.zeros((K, K, K))
    np.add.at(triples, tuple(y.T), 1)
    joint = (hmm.startprob_[:, None] * hmm.second_transmat_)[..., None] * hmm.transmat_
    assert_allclose(triples / 6000, joint, atol=0.03)
    assert joint.max() > 0.08  # far from flat


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("order", ORDERS)
def test_zeros_given_for_the_start_get_no_pseudo_counts(order):
    left_right = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    transmat = left_right if order == 1 else np.stack([left_right] * 3)
    hmm = AnnealedHMM(
        order=order,
        startprob_init=[1, 0, 0],
        transmat_init=transmat,
        transition_alpha=0.5,
        n_init=3,
        random_state=0,
    ).fit([list("aabbcc"), list("abbc"), list("aac")])
    objectives = [h["objective"] for h in hmm.history_]
    assert np.isfinite(objectives).all() and np.diff(objectives).min() > -1e-12
    assert hmm.startprob_.tolist() == [1, 0, 0]
    assert_array_equal(hmm.transmat_ > 0, transmat > 0)
    assert_allclose(hmm.transmat_.sum(axis=-1), 1)
    hmm.partial_fit([list("abc")])
    assert_array_equal(hmm.transmat_ > 0, transmat > 0)


@pytest.mark.parametrize("order", ORDERS)
def test_stationary_distribution(order):
    p = random_parameters(11, order, np.ones((V, K), dtype=bool))
    hmm = one_step(p, transition_alpha=0.1)
    pi, A = hmm.stationary_distribution_, hmm.transmat_
    assert_allclose(pi.sum(), 1)
    if order == 1:
        assert_allclose(pi @ A, pi, atol=1e-10)
        assert_allclose(hmm.expected_durations_, 1 / (1 - np.diag(A)))
    else:
        pairs = np.full((K, K), 1 / K**2)
        for _ in range(2000):
            pairs = np.einsum("ij,ijk->jk", pairs, A)
        assert_allclose(pi, pairs.sum(axis=0), atol=1e-10)
        with pytest.raises(AttributeError, match="order 1"):
            hmm.expected_durations_  # noqa: B018


@pytest.mark.filterwarnings("ignore:All states are identical")
@pytest.mark.parametrize("rate", [0.1, 1e-6, 1e-9, 1e-15])
def test_stationary_distribution_of_a_slow_chain(rate):
    chain = np.array([[1 - rate, rate], [2 * rate, 1 - 2 * rate]])
    for start in ([1.0, 0.0], [0.3, 0.7]):
        assert_allclose(long_run(np.array(start), chain), [2 / 3, 1 / 3], rtol=1e-12)
    hmm = AnnealedHMM(
        transmat_init=chain, startprob_init=[1, 0], fixed=["transmat", "startprob"]
    ).fit([[0, 1, 0, 1], [0, 1]])
    assert_allclose(hmm.stationary_distribution_, [2 / 3, 1 / 3], rtol=1e-12)


@pytest.mark.parametrize("n", [1, 5, 150])
def test_long_run_of_random_chains(n):
    rng = np.random.default_rng(n)
    chain = rng.dirichlet(np.full(n, 0.1), size=n)
    share = long_run(np.full(n, 1 / n), chain)
    assert_allclose(share @ chain, share, atol=1e-14)
    assert_allclose(share.sum(), 1)


def test_long_run_of_a_chain_that_parts():
    # 0 and 1 are left for ever, to {2} or to the cycle {3, 4}.
    chain = np.zeros((5, 5))
    chain[0, [1, 2]] = 0.5
    chain[1, [0, 3]] = 0.5
    chain[2, 2] = chain[3, 4] = chain[4, 3] = 1
    assert_allclose(long_run(np.eye(5)[0], chain), [0, 0, 2 / 3, 1 / 6, 1 / 6])
    assert_allclose(long_run(np.eye(5)[4], chain), [0, 0, 0, 1 / 2, 1 / 2])
    assert_allclose(long_run(np.array([0, 0, 0.2, 0.8, 0]), chain)[2:], [0.2, 0.4, 0.4])


def test_stationary_distribution_of_a_cycle_and_durations_without_end():
    hmm = AnnealedHMM(
        2,
        transmat_init=[[0.0, 1.0], [1.0, 0.0]],
        startprob_init=[1.0, 0.0],
        fixed=["transmat", "startprob"],
    ).fit([[0, 1, 0, 1], [0, 1]])
    assert_allclose(hmm.stationary_distribution_, [0.5, 0.5])
    assert_allclose(hmm.expected_durations_, [1, 1])
    hmm = AnnealedHMM(1).fit([[0, 1, 0, 1], [0, 1]])
    assert hmm.expected_durations_[0] == np.inf


def test_first_batch_of_partial_fit_is_one_step_of_em():
    p = random_parameters(12, 1, np.ones((V, K), dtype=bool))
    stream = AnnealedHMM(
        K,
        emissions=Categorical(alpha=0.2, init=p.emission, symbols=SYMBOLS),
        startprob_init=p.start,
        transmat_init=p.transmat,
    ).partial_fit(X, sample_weight=WEIGHT)
    whole = one_step(p, alpha=0.2)
    assert_same(fitted_parameters(stream), fitted_parameters(whole))
    first = whole.history_[0]["objective"]
    assert_allclose(stream.history_[0]["objective"], first)


def test_second_batch_of_partial_fit_blends_counts():
    mask = np.ones((V, K), dtype=bool)
    p = random_parameters(13, 1, mask)
    stream = AnnealedHMM(
        K,
        emissions=Categorical(init=p.emission, symbols=SYMBOLS),
        startprob_init=p.start,
        transmat_init=p.transmat,
    )
    stream.partial_fit(X, sample_weight=WEIGHT)
    first = expected_counts(p, mask)
    q = updated(p, first, mask)
    stream.partial_fit(X, sample_weight=2 * WEIGHT)
    second, rate = expected_counts(q, mask), (1 / 2 + 2) ** -0.7
    blend = Counts(
        *((1 - rate) * a + rate * b for a, b in zip(first, second, strict=True))
    )
    assert_same(fitted_parameters(stream), updated(q, blend, mask))


def test_partial_fit_comes_near_fit():
    batch, _ = make_hmm_sequences(
        200, n_states=3, n_symbols=12, length=12, random_state=0
    )
    whole = AnnealedHMM(3, random_state=0).fit(batch)
    # Of the starts of a stream there is one only: let it be near.
    near = 0.5 * whole.emissionprob_ + 0.5 / len(whole.symbols_)
    stream = AnnealedHMM(
        3, emissions=Categorical(init=near, symbols=whole.symbols_), random_state=0
    )
    early = stream.partial_fit(batch[:50]).score(batch)
    for _ in range(10):
        for begin in range(0, 200, 50):
            stream.partial_fit(batch[begin : begin + 50])
    gained = whole.score(batch) - early
    assert gained > 0.01
    assert whole.score(batch) - stream.score(batch) < 0.1 * gained
    assert stream.n_e_steps_ == len(stream.history_) == 41


def test_partial_fit_takes_new_symbols():
    stream = AnnealedHMM(2, random_state=0).partial_fit([["a", "b"], ["b", "a"]])
    before = stream.emissionprob_.copy()
    stream.partial_fit([["c", "a"], ["d", "c"]])
    assert stream.symbols_.tolist() == ["a", "b", "c", "d"]
    assert before.shape == (2, 2)
    assert stream.emissionprob_.shape == (2, 4)
    assert_allclose(stream.emissionprob_.sum(axis=1), 1)
    assert (stream.emissionprob_[:, 2:].sum(axis=0) > 0).all()
    assert np.isfinite(stream.score([["a", "b", "c", "d"]]))


@pytest.mark.parametrize("kind", ["gaussian", "poisson"])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_from_left_to_right_needs_no_start_means(kind, backwards):
    K, rng = 5, np.random.RandomState(0)
    rates = np.array([40.0, 9, 20, 70, 1])
    transmat = np.diag(np.full(K, 0.8)) + np.diag(np.full(K - 1, 0.2), 1)
    transmat[-1, -1] = 1.0
    X = [np.repeat(rates, rng.randint(4, 12, K)) for _ in range(20)]
    X = [rng.poisson(x) if kind == "poisson" else rng.normal(x, 1.0) for x in X]
    start = np.eye(K)[0]
    if backwards:
        rates, start, transmat = rates[::-1], start[::-1], transmat[::-1, ::-1]
    for seed in range(2):
        hmm = AnnealedHMM(
            emissions=kind,
            startprob_init=start,
            transmat_init=transmat,
            random_state=seed,
        ).fit(X)
        means = hmm.rates_ if kind == "poisson" else hmm.means_
        assert_allclose(means[:, 0], rates, rtol=0.1, atol=0.5)
        assert_array_equal(hmm.transmat_[transmat == 0], 0)


def test_states_part_as_the_temperature_falls():
    X = [["a", "b", "a", "b"], ["c", "d", "c", "d"], ["b", "a"], ["a", "b", "d"]] * 4
    tags = {"a": ["A"], "c": ["C"]}  # b and d are told by their neighbours
    hmm = AnnealedHMM(tag_dictionary=tags, random_state=0).fit(X)
    states = [h["effective_states"] for h in hmm.history_]
    assert 1 < states[0] < states[-1] - 0.2 <= 1.8
    # What token and state say of each other.
    p = np.concatenate(list(hmm.predict_proba(X)))
    tokens = np.unique(np.concatenate(X), return_inverse=True)[1]
    joint = np.zeros((4, 2))
    np.add.at(joint, tokens, p / len(p))
    sides = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    shared = np.sum(joint * np.log(np.maximum(joint, 1e-300) / sides))
    assert states[-1] == pytest.approx(np.exp(shared), rel=1e-3)
    plain = AnnealedHMM(tag_dictionary=tags, beta_min=1.0, random_state=0).fit(X)
    assert "effective_states" not in plain.history_[-1]

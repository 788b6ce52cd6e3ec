"""Every verb of the second-order chain against enumeration."""

import numpy as np
import pytest

from skstruct.structures import Chain, Potentials, SecondOrderChain, marginals
from skstruct.structures import _second_order as module
from tests import _oracles as oracle

LENGTHS = [3, 0, 1, 4, 2, 1, 5, 3, 4, 0]
K, U = 3, 5


def _random(rng, shape, forbidden=0.0, scale=1.0):
    table = scale * rng.normal(size=shape)
    table[rng.uniform(size=shape) < forbidden] = -np.inf
    return table


def _case(seed, *, tokens=False, forbidden=0.0, scale=1.0, allowed=0.0, bare=False):
    """A chain, its potentials, and for each sequence what the oracle takes."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(LENGTHS)])
    T = offsets[-1]
    index = np.arange(T) if tokens else rng.integers(0, U, size=T)
    n_rows = T if tokens else U
    p = Potentials(
        _random(rng, (n_rows, K), forbidden, scale),
        _random(rng, (K, K, K), forbidden, scale),
        None if bare else _random(rng, K, forbidden / 2, scale),
        None if bare else _random(rng, K, forbidden / 2, scale),
        None if bare else _random(rng, (K, K), forbidden, scale),
    )
    mask = None
    if allowed:
        mask = rng.uniform(size=(n_rows, K)) < allowed
        mask[np.arange(n_rows), rng.integers(0, K, n_rows)] = True
    chain = SecondOrderChain(offsets, index, allowed=mask)
    return chain, p, _samples(chain, p)


def _samples(chain, p):
    node = p.node if chain.support is None else chain.support.mask(p.node)
    out = []
    for a, b in zip(chain.offsets[:-1], chain.offsets[1:], strict=True):
        out.append({**p._asdict(), "node": node[chain.index[a:b]], "order": 2})
    return out


def _paths(sample):
    paths = oracle.enumerate_paths(len(sample["node"]), K)
    return paths, oracle.chain_scores(paths, **sample)


def _expected(chain, p, samples, weight=None):
    """Counts of the whole batch by enumeration, as (log Z, node, edge, ...)."""
    weight = np.ones(len(samples)) if weight is None else weight
    node, edge = np.zeros(p.node.shape), np.zeros((K, K, K))
    start, stop, second = np.zeros(K), np.zeros(K), np.zeros((K, K))
    log_z = []
    for i, sample in enumerate(samples):
        paths, scores = _paths(sample)
        log_z.append(oracle.log_partition(scores))
        states = weight[i] * oracle.node_marginals(paths, scores, K)
        np.add.at(node, chain.index[chain.offsets[i] : chain.offsets[i + 1]], states)
        edge += weight[i] * oracle.triple_marginals(paths, scores, K).sum(axis=0)
        if len(states):
            start += states[0]
            stop += states[-1]
        if len(states) > 1:
            second += weight[i] * oracle.edge_marginals(paths, scores, K)[1]
    return log_z, node, edge, start, stop, second


CASES = {
    "shared rows": {},
    "token rows": {"tokens": True},
    "only node and edge": {"bare": True},
    "forbidden": {"forbidden": 0.2},
    "forbidden, token rows": {"forbidden": 0.3, "tokens": True},
    "masked": {"allowed": 0.4},
    "masked, token rows": {"allowed": 0.4, "tokens": True},
    "masked, forbidden": {"allowed": 0.5, "forbidden": 0.2},
    "huge range": {"scale": 2000.0},
    "huge range, token rows": {"scale": 800.0, "tokens": True},
    "huge range, masked, forbidden": {
        "scale": 2000.0,
        "allowed": 0.6,
        "forbidden": 0.2,
    },
}
cases = pytest.mark.parametrize("options", CASES.values(), ids=CASES.keys())
seeds = pytest.mark.parametrize("seed", range(4))


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@cases
@seeds
def test_posterior_equals_enumeration(options, seed):
    chain, p, samples = _case(seed, **options)
    weight = np.random.default_rng(seed).uniform(0, 3, size=len(samples))
    found = chain.posterior(p, weight=weight)
    for a, b in zip(found, _expected(chain, p, samples, weight), strict=True):
        close(a, b)
    close(chain.log_partition(p), found.log_partition)


@seeds
def test_tempered_posterior_equals_enumeration(seed):
    chain, p, _ = _case(seed, allowed=0.6, forbidden=0.1)
    p = p.power(0.3)
    for a, b in zip(
        chain.posterior(p), _expected(chain, p, _samples(chain, p)), strict=True
    ):
        close(a, b)


@cases
@seeds
def test_argmax_and_score_equal_enumeration(options, seed):
    chain, p, samples = _case(seed, **options)
    states, score = chain.argmax(p)
    close(chain.score(states, p), score)
    if chain.support is not None:
        assert chain.support.allowed[chain.index, states].all()
    for i, sample in enumerate(samples):
        best, path = oracle.argmax(*_paths(sample))
        close(score[i], best)
        if best > -np.inf:
            found = states[chain.offsets[i] : chain.offsets[i + 1]]
            np.testing.assert_array_equal(found, path)


@cases
def test_score_of_any_path(options):
    chain, p, samples = _case(1, **options)
    states = np.random.default_rng(0).integers(0, K, size=len(chain.index))
    for i, (sample, score) in enumerate(
        zip(samples, chain.score(states, p), strict=True)
    ):
        path = states[None, chain.offsets[i] : chain.offsets[i + 1]]
        close(score, oracle.chain_scores(path, **sample)[0])


@cases
@seeds
def test_filter_equals_enumeration(options, seed):
    chain, p, samples = _case(seed, **options)
    expected = [
        oracle.filtered(s["node"], s["edge"], s["start"], s["second"], order=2)
        for s in samples
    ]
    close(chain.filter(p), np.concatenate(expected))


@cases
def test_k_best_equals_enumeration(options):
    chain, p, samples = _case(2, **options)
    for (states, score), sample in zip(chain.k_best(p, 4), samples, strict=True):
        scores, paths = oracle.k_best(*_paths(sample), 4)
        close(score, scores)
        np.testing.assert_array_equal(states, paths)


@cases
def test_lifted_chain_agrees(options):
    chain, p, _ = _case(3, **options)
    lifted, q, state = chain.lift(p)
    assert isinstance(lifted, Chain)
    close(lifted.log_partition(q), chain.log_partition(p))
    pairs = lifted.posterior(q).node
    found = np.stack([pairs[:, state == k].sum(axis=1) for k in range(K)], axis=1)
    close(found, chain.posterior(p).node)


def test_marginals_of_every_token():
    chain, p, samples = _case(0, allowed=0.6)
    expected = [oracle.node_marginals(*_paths(s), K) for s in samples]
    close(marginals(chain, p), np.concatenate(expected))


def test_mass_that_comes_back_after_underflow():
    # State 1 starts 800 nats behind, cannot be entered later, and gains 14 a token:
    # no single step looks dangerous, and at the end it has all the mass.
    T = 100
    node = np.array([[0.0, 14.0]])
    edge = np.full((2, 2, 2), -np.inf)
    edge[0, 0, 0] = edge[1, 1, 1] = 0.0
    p = Potentials(node, edge, np.array([0.0, -800.0]), None, edge[0] + edge[1])
    p = p._replace(second=np.where(np.eye(2), 0.0, -np.inf))
    chain = SecondOrderChain([0, T], np.zeros(T, dtype=int))
    found = chain.posterior(p)
    close(found.log_partition, [14.0 * T - 800])
    close(found.node, [[0, T]])
    close(found.edge[1, 1, 1], T - 2)


def test_posteriors_of_huge_potentials_sum_to_one():
    # Both paths lose the same, by turns, and more than floats have digits for.
    rng = np.random.default_rng(0)
    lost = rng.uniform(1e8, 1e9, 20)
    node = np.zeros((40, 2))
    node[::2, 0], node[1::2, 1] = -lost, -rng.permutation(lost)
    stay = np.where(np.eye(2), 0.0, -np.inf)
    edge = np.full((2, 2, 2), -np.inf)
    edge[0, 0, 0] = edge[1, 1, 1] = 0.0
    chain = SecondOrderChain([0, 40], np.arange(40))
    shares = marginals(chain, Potentials(node, edge, np.zeros(2), None, stay))
    np.testing.assert_allclose(shares, 0.5, atol=1e-4)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-14)


def test_underflow_and_impossible_sequences_leave_the_others_alone():
    node = np.array([[0.0, -1.0], [-np.inf, 0.0]])
    allowed = node > -np.inf
    edge = np.zeros((2, 2, 2))
    second = np.array([[-5000.0, -5001.0], [-np.inf, -np.inf]])
    p = Potentials(node, edge, None, None, second)
    chain = SecondOrderChain([0, 2, 5, 6, 8], [0, 0, 1, 0, 0, 0, 0, 1], allowed=allowed)
    found = chain.posterior(p)
    expected = _expected_two_states(chain, p)
    close(found.log_partition, expected[0])
    close(found.node, expected[1])
    assert found.log_partition[1] == -np.inf
    states, score = chain.argmax(p)
    assert score[1] == -np.inf
    assert states[2] == 1


def _expected_two_states(chain, p):
    node, log_z = np.zeros(p.node.shape), []
    for a, b in zip(chain.offsets[:-1], chain.offsets[1:], strict=True):
        rows = chain.index[a:b]
        paths = oracle.enumerate_paths(len(rows), 2)
        scores = oracle.chain_scores(
            paths, p.node[rows], p.edge, second=p.second, order=2
        )
        log_z.append(oracle.log_partition(scores))
        np.add.at(node, rows, oracle.node_marginals(paths, scores, 2))
    return log_z, node


def test_threads_and_read_only_inputs_change_nothing(monkeypatch):
    monkeypatch.setattr(module, "chunks", lambda offsets, _: [(0, 3), (3, 6), (6, 10)])
    chain, p, samples = _case(0, forbidden=0.1, allowed=0.7)
    for table in p:
        table.setflags(write=False)
    weight = np.linspace(0, 1, len(samples))
    weight.setflags(write=False)
    one = chain.posterior(p, weight=weight, n_jobs=1)
    two = chain.posterior(p, weight=weight, n_jobs=2)
    for a, b, c in zip(one, two, _expected(chain, p, samples, weight), strict=True):
        np.testing.assert_array_equal(a, b)
        close(a, c)
    chain.argmax(p), chain.filter(p), chain.lift(p)


def test_integers_of_any_width_and_single_precision():
    chain, p, _ = _case(0)
    other = SecondOrderChain(
        chain.offsets.astype(np.int32), chain.index.astype(np.uint8)
    )
    q = Potentials(*(table.astype(np.float32) for table in p))
    np.testing.assert_allclose(other.log_partition(q), chain.log_partition(p), 1e-5)


@pytest.mark.parametrize("offsets", [[0], [0, 0, 0]])
def test_no_tokens(offsets):
    chain = SecondOrderChain(offsets, np.zeros(0, dtype=int))
    p = Potentials(np.zeros((2, K)), np.zeros((K, K, K)))
    n = len(offsets) - 1
    found = chain.posterior(p)
    np.testing.assert_array_equal(found.log_partition, np.zeros(n))
    assert all(not counts.any() for counts in found)
    states, score = chain.argmax(p)
    assert states.shape == (0,)
    np.testing.assert_array_equal(score, np.zeros(n))
    assert chain.filter(p).shape == (0, K)


def test_one_chain_serves_tables_of_different_sizes():
    chain = SecondOrderChain([0, 2], [0, 1])
    for k in (2, 3):
        p = Potentials(np.zeros((2, k)), np.zeros((k, k, k)))
        close(chain.log_partition(p), [2 * np.log(k)])


def test_wrong_shapes_say_so():
    chain, p, _ = _case(0, allowed=0.5)
    with pytest.raises(ValueError, match=r"edge.*3 states.*\(3, 3, 3\).*\(3, 3\)"):
        chain.log_partition(p._replace(edge=np.zeros((K, K))))
    with pytest.raises(ValueError, match=r"node table.*\(2, 3\).*allowed"):
        chain.log_partition(p._replace(node=np.zeros((2, K))))

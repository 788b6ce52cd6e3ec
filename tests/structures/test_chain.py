"""Every verb of the first-order chain against enumeration."""

import itertools

import numpy as np
import pytest

from skstruct.structures import Chain, Potentials, marginals
from tests import _oracles as oracle

LENGTHS = [3, 0, 1, 4, 2, 1, 4, 3, 4, 0]
K = 3


def _random(rng, shape, forbidden=0.0, scale=1.0):
    table = scale * rng.normal(size=shape)
    table[rng.uniform(size=shape) < forbidden] = -np.inf
    return table


def _case(
    seed, *, rows="shared", edges="shared", forbidden=0.0, scale=1.0, allowed=0.0
):
    """A chain, its potentials, and for each sequence what the oracle takes."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(LENGTHS)])
    T = offsets[-1]
    index = np.arange(T) if rows == "token" else rng.integers(0, 5, size=T)
    U = T if rows == "token" else 5
    node = _random(rng, (U, K), forbidden, scale)
    E = {"shared": 1, "table": 2, "token": T}[edges]
    edge = _random(rng, (E, K, K), forbidden, scale)
    edge_index = {"shared": None, "table": rng.integers(0, E, T), "token": np.arange(T)}
    start, stop = _random(rng, K, 0.0, scale), _random(rng, K, 0.0, scale)
    mask = None
    if allowed:
        mask = rng.uniform(size=(U, K)) < allowed
        mask[np.arange(U), rng.integers(0, K, U)] = True
    chain = Chain(offsets, index, allowed=mask, edge_index=edge_index[edges])
    p = Potentials(node, edge[0] if edges == "shared" else edge, start, stop)
    masked = node if mask is None else np.where(mask, node, -np.inf)
    rows_of_edges = np.zeros(T, int) if edges == "shared" else edge_index[edges]
    samples = [
        {
            "node": masked[index[a:b]],
            "edge": edge[rows_of_edges[a:b]],
            "start": start,
            "stop": stop,
        }
        for a, b in itertools.pairwise(offsets)
    ]
    return chain, p, samples


CASES = {
    "shared": {},
    "token rows": {"rows": "token"},
    "edge table": {"edges": "table"},
    "edge a token": {"edges": "token", "rows": "token"},
    "forbidden": {"forbidden": 0.25},
    "forbidden, edge table": {"forbidden": 0.25, "edges": "table"},
    "huge range": {"scale": 800.0, "rows": "token"},
    "huge range, forbidden": {"scale": 800.0, "forbidden": 0.2},
    "huge range, edge table": {"scale": 800.0, "edges": "table"},
    "masked": {"allowed": 0.4},
    "masked, token rows": {"allowed": 0.4, "rows": "token"},
    "masked, edge table": {"allowed": 0.4, "edges": "table"},
    "lightly masked": {"allowed": 0.9},
    "masked, forbidden": {"allowed": 0.5, "forbidden": 0.2},
}
cases = pytest.mark.parametrize("options", CASES.values(), ids=CASES.keys())
seeds = pytest.mark.parametrize("seed", range(4))


def _paths(sample):
    paths = oracle.enumerate_paths(len(sample["node"]), K)
    return paths, oracle.chain_scores(paths, **sample)


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@cases
@seeds
@pytest.mark.parametrize("beta", [1.0, 0.3])
def test_log_partition_and_posterior(options, seed, beta):
    chain, p, samples = _case(seed, **options)
    weight = np.random.default_rng(seed).uniform(0.5, 2, size=len(samples))
    tempered = p.power(beta)
    found = chain.posterior(tempered, weight=weight)
    node, edge = np.zeros_like(p.node), np.zeros(np.shape(p.edge)).reshape(-1, K, K)
    start, stop = np.zeros(K), np.zeros(K)
    for i, sample in enumerate(samples):
        paths = oracle.enumerate_paths(len(sample["node"]), K)
        scores = beta * oracle.chain_scores(paths, **sample)
        close(found.log_partition[i], oracle.log_partition(scores))
        a, b = chain.offsets[i], chain.offsets[i + 1]
        if a == b:
            continue
        marginals = weight[i] * oracle.node_marginals(paths, scores, K)
        np.add.at(node, chain.index[a:b], marginals)
        pairs = weight[i] * oracle.edge_marginals(paths, scores, K)
        np.add.at(edge, chain.edge_index[a + 1 : b], pairs[1:])
        start += marginals[0]
        stop += marginals[-1]
    close(found.node, node)
    close(found.edge, edge.reshape(np.shape(p.edge)))
    close(found.start, start)
    close(found.stop, stop)
    close(chain.log_partition(tempered), found.log_partition)


@cases
@seeds
def test_argmax_k_best_score_entropy(options, seed):
    chain, p, samples = _case(seed, **options)
    states, score = chain.argmax(p)
    entropy = chain.entropy(p)
    best = chain.k_best(p, 4)
    given = chain.score(states, p)
    for i, sample in enumerate(samples):
        paths, scores = _paths(sample)
        a, b = chain.offsets[i], chain.offsets[i + 1]
        close(score[i], scores.max())
        close(entropy[i], oracle.entropy(scores))
        if scores.max() > -np.inf:
            close(given[i], scores.max())
            expected, _ = oracle.k_best(paths, scores, 4)
            close(best[i][1], expected)
            close(oracle.chain_scores(best[i][0], **sample), expected)
        elif a < b:
            assert len(best[i][1]) == 0
            allowed = np.isfinite(sample["node"])
            if chain.support is not None:
                allowed = chain.support.allowed[chain.index[a:b]]
                assert allowed[np.arange(b - a), states[a:b]].all()


@cases
@seeds
def test_filter_edge_marginals_and_sampling(options, seed):
    chain, p, samples = _case(seed, **options)
    filtered = chain.filter(p)
    pairs = chain.edge_marginals(p)
    possible = [_paths(s)[1].max() > -np.inf for s in samples]
    for i, sample in enumerate(samples):
        a, b = chain.offsets[i], chain.offsets[i + 1]
        if a == b or not possible[i]:
            continue
        paths, scores = _paths(sample)
        without_stop = {k: v for k, v in sample.items() if k != "stop"}
        close(filtered[a:b], oracle.filtered(**without_stop))
        close(pairs[a + 1 : b], oracle.edge_marginals(paths, scores, K)[1:])
    rng = np.random.RandomState(seed)
    draws = np.array([chain.sample(p, rng) for _ in range(300)])
    for i, sample in enumerate(samples):
        a, b = chain.offsets[i], chain.offsets[i + 1]
        if a == b or not possible[i]:
            continue
        paths, scores = _paths(sample)
        probability = oracle.probabilities(scores)
        codes = draws[:, a:b] @ K ** np.arange(b - a)[::-1]
        frequency = np.bincount(codes, minlength=len(paths)) / len(draws)
        assert np.abs(frequency - probability).max() < 0.15
        assert (frequency[probability == 0] == 0).all()


@pytest.mark.parametrize("n_states", [1, 2, 8, 9, 11, 14])
def test_any_number_of_states(n_states):
    rng = np.random.default_rng(n_states)
    sample = {
        "node": rng.normal(size=(3, n_states)),
        "edge": _random(rng, (n_states, n_states), 0.2),
        "start": rng.normal(size=n_states),
        "stop": rng.normal(size=n_states),
    }
    chain = Chain([0, 3], np.arange(3))
    p = Potentials(**sample)
    paths = oracle.enumerate_paths(3, n_states)
    scores = oracle.chain_scores(paths, **sample)
    states, score = chain.argmax(p)
    close(score, [scores.max()])
    np.testing.assert_array_equal(states, paths[scores.argmax()])
    found = chain.posterior(p)
    close(found.node, oracle.node_marginals(paths, scores, n_states))
    close(found.edge, oracle.edge_marginals(paths, scores, n_states)[1:].sum(axis=0))


def test_a_state_lost_to_underflow_comes_back():
    # Two states that never mix: evidence for 0 by e^900, later for 1 by e^2000.
    node = np.repeat([[0.0, -90.0], [-100.0, 0.0]], [10, 20], axis=0)
    edge = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    for allowed in (None, np.ones((30, 2), bool)):
        chain = Chain([0, 30], np.arange(30), allowed=allowed)
        found = chain.posterior(Potentials(node, edge))
        close(found.log_partition, [-900.0])
        close(found.node[:, 1], np.ones(30))


@pytest.mark.parametrize("early", [-20.0, -90.0])
def test_a_state_that_few_sequences_allow_comes_back(early):
    # The same among many states of which few are allowed, which are walked one by one.
    node = np.zeros((30, 9))
    node[:, :2] = np.repeat([[0.0, early], [-100.0, 0.0]], [10, 20], axis=0)
    edge = np.where(np.eye(9), 0.0, -np.inf)
    allowed = np.zeros((30, 9), bool)
    allowed[:, :2] = True
    chain = Chain([0, 10, 30, 60], np.r_[:10, 10:30, :30], allowed=allowed)
    assert chain._sparse
    found = chain.posterior(Potentials(node, edge))
    end = np.logaddexp(0, 10 * early)
    both = np.logaddexp(10 * early, -2000)
    close(found.log_partition, [end, np.log1p(np.exp(-2000)), both])
    close(found.node[:10, 1], np.exp(10 * early - end) + np.ones(10))
    close(found.node[10:, 1], 2 * np.ones(20))


@pytest.mark.parametrize("options", [{}, {"allowed": 0.3}, {"rows": "token"}])
def test_jobs_read_only_and_order_do_not_matter(options):
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 60, size=4000)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    T = offsets[-1]
    U = T if "rows" in options else 50
    index = np.arange(T) if "rows" in options else rng.integers(0, U, T)
    allowed = None
    if "allowed" in options:
        allowed = rng.uniform(size=(U, 8)) < 0.2
        allowed[:, 0] = True
    node, edge = rng.normal(size=(U, 8)), rng.normal(size=(8, 8))
    for a in (offsets, index, node, edge):
        a.flags.writeable = False
    chain = Chain(offsets, index, allowed=allowed)
    assert len(chain._chunks) > 1
    p = Potentials(node, edge)
    one, two = chain.posterior(p, n_jobs=1), chain.posterior(p, n_jobs=2)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
    # The sum of the parts: a batch of the odd and one of the even sequences.
    total = 0
    for part in (slice(0, None, 2), slice(1, None, 2)):
        ids = np.arange(len(lengths))[part]
        rows = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in ids])
        half = Chain(
            np.concatenate([[0], np.cumsum(lengths[ids])]),
            index[rows] if U < T else np.arange(len(rows)),
            allowed=allowed,
        )
        half_p = p if U < T else p._replace(node=node[rows])
        total = total + half.posterior(half_p).edge
    close(total, one.edge)


def test_long_sequence_is_sound():
    rng = np.random.default_rng(0)
    T, K = 200_000, 5
    chain = Chain([0, T], rng.integers(0, 100, T))
    p = Potentials(5 * rng.normal(size=(100, K)), 5 * rng.normal(size=(K, K)))
    found = chain.posterior(p)
    assert np.isfinite(found.log_partition).all()
    np.testing.assert_allclose(found.node.sum(), T, rtol=1e-9)
    np.testing.assert_allclose(found.edge.sum(), T - 1, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e3, 1e6, 1e9])
def test_marginals_keep_their_digits_at_any_scale(scale):
    # Left to right, far from the states' means: all of it is done in log space.
    x = np.concatenate([np.full(50, 2.0), np.full(50, 1.0), np.zeros(50)]) * scale
    node = -((x[:, None] - np.arange(3.0)) ** 2)
    edge = np.where(np.triu(np.ones((3, 3))), 0.0, -np.inf)
    chain, p = Chain([0, 150], np.arange(150)), Potentials(node, edge)
    found = chain.posterior(p)
    np.testing.assert_allclose(found.node.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(found.edge.sum(), 149, rtol=1e-9)
    close(chain.log_partition(p), found.log_partition)
    np.testing.assert_allclose(chain.filter(p).sum(axis=1), 1.0, rtol=1e-9)


def test_marginals_of_the_impossible_do_not_depend_on_the_batch():
    node = np.array([[0.0, -3.0], [-1.0, 0.0], [-np.inf, -2.0], [-np.inf, -np.inf]])
    edge = np.array([[0.0, -np.inf], [-1.0, -np.inf]])
    p = Potentials(node, edge)
    alone = marginals(Chain([0, 3], [0, 2, 2]), p)
    together = marginals(Chain([0, 3, 4, 6], [0, 2, 2, 3, 1, 0]), p)
    close(alone.sum(axis=1), 1.0)
    close(together[:3], alone)
    close(together[3], [0.5, 0.5])


def test_no_sequences_and_only_empty_ones():
    p = Potentials(np.zeros((2, K)), np.zeros((K, K)))
    for offsets in ([0], [0, 0, 0]):
        chain = Chain(offsets, np.zeros(0, int))
        found = chain.posterior(p)
        assert found.log_partition.tolist() == [0.0] * (len(offsets) - 1)
        assert found.node.sum() == 0
        assert chain.argmax(p)[0].shape == (0,)


def test_a_row_that_allows_nothing_is_refused():
    with pytest.raises(ValueError, match="Row 1 of `allowed`"):
        Chain([0, 1], [0], allowed=[[True, False], [False, False]])

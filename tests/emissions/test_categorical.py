"""Vocabularies, priors and unknown symbols of categorical emissions."""

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import dirichlet

from skstruct.emissions import Categorical, Observations

OFFSETS = np.array([0, 2, 2, 6])


def words(*tokens):
    out = np.empty(len(tokens), dtype=object)
    out[:] = tokens
    return out


def started(emission, tokens="abcab", n_states=2, seed=0, **kwargs):
    observations = emission.encode(words(*tokens), reset=True)
    rng = None if seed is None else np.random.RandomState(seed)
    emission.initialize(observations, n_states, rng, **kwargs)
    return emission, observations


@pytest.mark.parametrize(
    ("values", "symbols", "index"),
    [
        (words("b", "a", "b"), ["a", "b"], [1, 0, 1]),
        (np.array(["b", "a", "b"]), ["a", "b"], [1, 0, 1]),
        (np.array([30, -2, 30]), [-2, 30], [1, 0, 1]),
        (np.array([[30], [254]], dtype=np.uint8), [30, 254], [0, 1]),
        (np.array([3.0, 1.0]), [1, 3], [1, 0]),
        (np.array([2**64 - 1, 0], dtype=np.uint64), [0, 2**64 - 1], [1, 0]),
        (np.array([True, False]), [False, True], [1, 0]),
        (words("b", 3, "a", "b"), ["b", 3, "a"], [0, 1, 2, 0]),
        (words(np.int64(7), 3), [3, 7], [1, 0]),
        ([7, "a"], [7, "a"], [0, 1]),
    ],
)
def test_vocabulary(values, symbols, index):
    emission = Categorical()
    observations = emission.encode(values, reset=True)
    assert emission.symbols_.tolist() == symbols
    assert observations.index.tolist() == index
    assert observations.rows.tolist() == list(range(len(symbols) + 1))
    assert emission.encode(values).index.tolist() == index


def test_tuples_are_tokens():
    emission = Categorical()
    tokens = words(*"abc")
    for i in range(3):
        tokens[i] = (i % 2, "x")
    assert emission.encode(tokens, reset=True).index.tolist() == [0, 1, 0]
    assert emission.symbols_.tolist() == [(0, "x"), (1, "x")]


def test_given_symbols_keep_their_order():
    emission = Categorical(symbols=["z", "a", "m"])
    assert emission.encode(words("a", "z"), reset=True).index.tolist() == [1, 0]
    assert emission.symbols_.tolist() == ["z", "a", "m"]
    emission = Categorical(symbols=np.array([5, 2]))
    assert emission.encode(np.array([2, 5, 5]), reset=True).index.tolist() == [1, 0, 0]


def test_integers_meet_integers_of_other_kinds():
    emission = Categorical()
    emission.encode(np.array([10, 20, 40]), reset=True)
    read = [1, 0, 3, 3]
    assert emission.encode(np.array([20, 10, 15, 99])).index.tolist() == read
    assert emission.encode(words(20, np.int32(10), 15, "a")).index.tolist() == read
    assert emission.encode(np.array([20.0, 10.0, 0.0, -1.0])).index.tolist() == read


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (words("a", "b", "c", None), "sample 2, position 1 is None"),
        (words("a", "b", float("nan")), "sample 2, position 0 is nan"),
        (words("a", np.float32("nan")), "sample 0, position 1 is .*nan"),
        (np.array([1, np.nan, 3]), "sample 0, position 1 is nan"),
        (np.array([1.0, 2.0, 3.5]), "sample 2, position 0 is 3.5.*Gaussian"),
        (words(1, 2.5), "position 1 is 2.5.*Gaussian"),
        (words("a", {"f": 1}), "position 1 is a dict"),
        (np.zeros((2, 2)), r"shape \(2, 2\).*Gaussian"),
        (np.zeros(2, dtype="M8[s]"), "datetime64"),
    ],
)
def test_bad_tokens_are_named_in_training_and_later(values, message):
    with pytest.raises(ValueError, match=message):
        Categorical().encode(values, reset=True, offsets=OFFSETS)
    emission = Categorical()
    emission.encode(words("a", "b", "c"), reset=True)
    with pytest.raises(ValueError, match=message):
        emission.encode(values, offsets=OFFSETS)


def test_missing_values_of_pandas():
    pd = pytest.importorskip("pandas")
    for absent in (pd.NA, pd.NaT):
        with pytest.raises(ValueError, match="row 1 is"):
            Categorical().encode(words("a", absent), reset=True)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"alpha": -1}, "alpha must be"),
        ({"alpha": np.nan}, "alpha must be"),
        ({"alpha": "x"}, "alpha must be"),
        ({"update": "bayes"}, "update must be"),
        ({"update": "variational"}, "alpha > 0"),
        ({"symbols": ["a", "b", "a", "c"]}, "'a' stands in it twice"),
        ({"symbols": ["a", None]}, "None"),
        ({"symbols": ["a", "b"]}, "'c' at row 2 is not in symbols"),
        ({"symbols": []}, "no tokens"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        Categorical(**params).encode(words(*"abc"), reset=True)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (np.ones((2, 2)) / 2, r"\(2, 3\), got \(2, 2\)"),
        (np.ones((2, 3)), "sum to"),
        ([[1.5, -0.5, 0], [1, 0, 0]], "negative"),
        ([[np.nan, 0, 0], [1, 0, 0]], "probabilities"),
        ([[0, 0, 1], [1, 0, 0]], "state 0 the symbol 'c'"),
    ],
)
def test_bad_init(init, message):
    allowed = np.array([[1, 1], [1, 1], [0, 1], [1, 1]], dtype=bool)
    with pytest.raises(ValueError, match=message):
        started(Categorical(init=init), allowed=allowed)


def test_init_is_where_it_starts():
    init = np.array([[0.5, 0.5, 0.0], [0.1, 0.2, 0.7]])
    for update in ("map", "variational"):
        emission, observations = started(Categorical(0.1, init=init, update=update))
        np.testing.assert_array_equal(emission.probabilities_, init)
        table = np.exp(emission.table(observations.rows))
        np.testing.assert_allclose(table[:3].T, init, atol=1e-7)
    emission.m_step((np.ones((2, 3)),))
    assert init[0, 2] == 0


def test_uniform_and_random_starts():
    emission, _ = started(Categorical(), seed=None)
    np.testing.assert_allclose(emission.probabilities_, 1 / 3)
    draws = [started(Categorical(), seed=s)[0].probabilities_ for s in range(2000)]
    np.testing.assert_allclose(np.sum(draws, axis=2), 1)
    # Dirichlet(1) over three symbols: mean 1/3, variance 2/36
    np.testing.assert_allclose(np.mean(draws), 1 / 3)
    np.testing.assert_allclose(np.var(draws), 1 / 18, rtol=0.05)


def test_table_sums_to_one_and_unknown_symbols_say_nothing():
    emission, observations = started(Categorical())
    table = emission.table(observations.rows)
    np.testing.assert_allclose(np.exp(table[:3]).sum(axis=0), 1)
    np.testing.assert_allclose(table[3], np.log(1 / 4))
    index = emission.encode(words("a", "never")).index
    assert index.tolist() == [0, 3]


def test_known_but_impossible_symbols_say_nothing():
    emission, observations = started(Categorical(symbols=list("abcd")))
    emission.m_step((np.array([[1.0, 1, 0, 0], [1.0, 0, 0, 0]]),))
    table = emission.table(observations.rows)
    np.testing.assert_allclose(table[2:], np.log(1 / 5))
    assert table[1, 1] == -np.inf
    assert table[0, 1] == 0


def test_counts_of_unknown_symbols_are_dropped():
    emission, _ = started(Categorical())
    (counts,) = emission.statistics(np.array([3, 1]), np.array([[9.0, 9], [1, 2]]))
    np.testing.assert_array_equal(counts, [[0, 1, 0], [0, 2, 0]])


def test_map_estimate():
    emission, _ = started(Categorical(alpha=0.5))
    emission.m_step((np.array([[2.0, 1, 0], [0, 0, 0]]),))
    np.testing.assert_allclose(
        emission.probabilities_[0], np.array([2.5, 1.5, 0.5]) / 4.5
    )
    np.testing.assert_allclose(emission.probabilities_[1], 1 / 3)
    np.testing.assert_allclose(
        emission.log_prior(), 0.5 * np.log(emission.probabilities_).sum()
    )


def test_variational_weights():
    emission, observations = started(Categorical(0.1, update="variational"))
    counts = np.array([[2.0, 1, 0], [0, 3, 0]])
    emission.m_step((counts,))
    expected = np.exp(
        digamma(counts + 0.1) - digamma(counts.sum(1, keepdims=True) + 0.3)
    )
    table = np.exp(emission.table(observations.rows))[:3].T
    np.testing.assert_allclose(table, expected)
    assert (table.sum(axis=1) < 1).all()
    np.testing.assert_allclose(
        emission.probabilities_, expected / expected.sum(axis=1, keepdims=True)
    )


def test_variational_log_prior_is_minus_the_divergence():
    emission, _ = started(Categorical(0.7, update="variational"), n_states=1)
    counts = np.array([[2.0, 1, 0.5]])
    emission.m_step((counts,))
    rng = np.random.default_rng(0)
    q, p = dirichlet(counts[0] + 0.7), dirichlet(np.full(3, 0.7))
    draws = rng.dirichlet(counts[0] + 0.7, 200_000).T
    draws = np.maximum(draws, 1e-300)
    draws /= draws.sum(axis=0)
    ratio = q.logpdf(draws) - p.logpdf(draws)
    np.testing.assert_allclose(-emission.log_prior(), ratio.mean(), atol=0.01)


def test_tiny_concentration_underflows_nothing():
    emission, observations = started(Categorical(1e-4, update="variational"))
    emission.m_step((np.array([[5.0, 0, 0], [0, 5, 1]]),))
    table = emission.table(observations.rows)
    assert np.isfinite(table).all()
    assert table[1, 0] < -5000
    assert np.isfinite(emission.log_prior())
    np.testing.assert_allclose(emission.probabilities_.sum(axis=1), 1)


ALLOWED = np.array(  # symbols a, b, c and the unknown one; state 2 may emit none
    [[1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1]], dtype=bool
)


@pytest.mark.parametrize("update", ["map", "variational"])
@pytest.mark.parametrize("seed", [None, 0])
def test_forbidden_pairs_stay_forbidden(update, seed):
    emission = Categorical(0.2, update=update)
    emission, observations = started(emission, n_states=3, seed=seed, allowed=ALLOWED)
    for _ in range(3):
        table = emission.table(observations.rows)
        np.testing.assert_array_equal(np.isfinite(table), ALLOWED)
        np.testing.assert_allclose(emission.probabilities_.sum(axis=1), 1)
        assert np.isfinite(emission.log_prior())
        counts = np.where(ALLOWED, np.exp(table), 0.0)
        emission.m_step(emission.statistics(observations.rows, counts))
    assert emission.n_parameters == 2
    emission.reorder(np.array([1, 2, 0]))
    assert not emission.probabilities_[0, 0]
    assert emission.probabilities_[2, 0] > 0


def test_uniform_start_is_uniform_over_allowed_symbols():
    emission, _ = started(Categorical(), n_states=3, seed=None, allowed=ALLOWED)
    np.testing.assert_allclose(
        emission.probabilities_, [[0.5, 0.5, 0], [0, 0.5, 0.5], [1 / 3] * 3]
    )


def test_forbidden_pairs_of_unseen_symbols_stay_forbidden():
    allowed = np.array([[1, 0], [0, 1], [1, 1]], dtype=bool)
    emission = Categorical(symbols=["a", "b"])
    observations = emission.encode(words("a"), reset=True)
    emission.initialize(observations, 2, None, allowed=allowed)
    emission.m_step((np.array([[3.0, 0], [0, 0]]),))
    emission.probabilities_[1] = 0  # no state can emit b
    table = emission.table(observations.rows)
    np.testing.assert_array_equal(table[1], [-np.inf, -np.log(3)])


@pytest.mark.parametrize("update", ["map", "variational"])
def test_extend(update):
    emission, _ = started(Categorical(0.1, update=update), n_states=3, allowed=ALLOWED)
    emission.m_step((np.array([[3.0, 1, 0], [0, 2, 2], [0, 0, 0]]),))
    before = emission.probabilities_
    emission.extend(words("z", "a", "d", "z"))
    assert emission.symbols_.tolist() == ["a", "b", "c", "d", "z"]
    assert emission.encode(words("z", "q")).index.tolist() == [4, 5]
    after = emission.probabilities_
    np.testing.assert_allclose(after.sum(axis=1), 1)
    assert (after[:, 3:] > 0).all()
    np.testing.assert_allclose(
        after[:2, :3] / after[:2, :3].sum(1, keepdims=True), before[:2]
    )
    np.testing.assert_allclose(after[2], [0, 0, 0, 0.5, 0.5])
    if update == "map":
        np.testing.assert_allclose(after[:2, 3:], 1 / 5)
    table = emission.table(np.arange(6))
    assert np.isfinite(table[3:, :2]).all()
    emission.m_step((np.ones((3, 5)),))
    assert after.shape == emission.probabilities_.shape


def test_samples_follow_the_probabilities():
    init = np.array([[0.7, 0.0, 0.3], [0.0, 1.0, 0.0]])
    emission, _ = started(Categorical(init=init))
    states = np.array([0, 1] * 20_000)
    drawn = emission.sample(states, np.random.RandomState(0))
    first = drawn[::2]
    np.testing.assert_allclose((first == "a").mean(), 0.7, atol=0.01)
    assert not (first == "b").any()
    assert (drawn[1::2] == "b").all()


class Edge:
    """A generator that always draws the largest number below one."""

    def uniform(self, size):
        return np.full(size, np.nextafter(1, 0))


def test_impossible_symbols_are_never_drawn():
    emission, _ = started(Categorical(init=[[0.1, 0.9, 0.0], [0.3, 0.7, 0.0]]))
    assert set(emission.sample(np.array([0, 1]), Edge())) == {"b"}


def test_large_vocabulary_is_fast_enough_to_learn():
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 50_000, 300_000)
    observations = Categorical().encode(tokens, reset=True)
    assert isinstance(observations, Observations)
    np.testing.assert_array_equal(
        np.unique(tokens)[observations.index[:1000]], tokens[:1000]
    )


def test_number_of_parameters():
    emission, _ = started(Categorical(), n_states=4)
    assert emission.n_parameters == 4 * 2

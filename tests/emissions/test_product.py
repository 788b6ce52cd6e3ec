"""Several views of a token."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from skstruct import AnnealedHMM
from skstruct.emissions import Categorical, Gaussian, LogLinear, Poisson, Product, View
from skstruct.kernels._sums import add_rows, sum_rows
from tests import _oracles

K = 3
LENGTHS = (4, 1, 30, 25)


def views(*pairs):
    return Product([(name, View(emission=e, exponent=w)) for name, e, w in pairs])


MIXED = views(
    ("word", Categorical(0.2), 0.5), ("count", Poisson(), 2.0), ("tag", None, 1.0)
)


def column(rng, k):
    return np.concatenate([rng.integers(0, 4, n) + k for n in LENGTHS])


@pytest.fixture
def values():
    rng = np.random.default_rng(0)
    return np.column_stack([column(rng, 0), column(rng, 3), column(rng, 5)])


@pytest.fixture
def sequences(values):
    return np.split(values, np.cumsum(LENGTHS)[:-1])


def started(emission, values, seed=0):
    emission = clone(emission)
    observations = emission.encode(values, reset=True)
    emission.initialize(observations, K, np.random.RandomState(seed))
    return emission, observations


def weighted_sum(emission, values):
    """The log-probability of each token, (T, K), view by view."""
    total = 0.0
    for v, name in enumerate(emission.emissions_):
        own = emission.emissions_[name]
        read = own.encode(values[name] if isinstance(values, dict) else values[:, v])
        total = total + emission.exponents_[v] * own.table(read.rows)[read.index]
    return total


@pytest.mark.parametrize("kinds", [1, 3, 8, 1000])
def test_table_is_the_weighted_sum(kinds):
    rng = np.random.default_rng(kinds)
    values = rng.integers(0, kinds, (200, 3))
    emission, observations = started(MIXED, values)
    table = emission.table(observations.rows)
    assert len(table) == (len(np.unique(values, axis=0)) if kinds < 8 else 200)
    np.testing.assert_allclose(
        table[observations.index], weighted_sum(emission, values), rtol=1e-12
    )


def test_more_combinations_than_fit_an_integer():
    values = np.repeat(np.arange(127)[:, None], 12, axis=1)
    last = values.copy()
    last[:, 1:] = 5  # only the first of 12 views tells these tokens apart
    values = np.tile(np.vstack([values, last]), (3, 1))
    emission, observations = started(Product(), values)
    assert [len(rows) for rows in observations.rows.views] == [128] * 12
    assert len(observations.rows) == 2 * 127 - 1
    table = emission.table(observations.rows)[observations.index]
    np.testing.assert_allclose(table, weighted_sum(emission, values))


def test_few_tokens_of_many_symbols():
    emission, _ = started(Product(), np.arange(2000).reshape(1000, 2))
    some = np.array([[4, 7], [998, 1], [4, 7], [-1, 3]])  # -1 was never seen
    observations = emission.encode(some)
    assert [len(view.rows) for view in observations.rows.split()] == [3, 3]
    table = emission.table(observations.rows)[observations.index]
    np.testing.assert_allclose(table, weighted_sum(emission, some))
    counts = np.ones((len(observations.rows), K))
    for got in emission.statistics(observations.rows, counts):
        assert got.shape == (K, 1000)


def test_statistics_are_those_of_the_views(values):
    emission, observations = started(MIXED, values)
    rng = np.random.default_rng(1)
    counts = rng.random((len(observations.rows), K))
    share = counts / np.bincount(observations.index)[:, None]  # of each token
    of_tokens = share[observations.index]
    expected = []
    for own, x in zip(emission.emissions_.values(), values.T, strict=True):
        read = own.encode(x)
        of_rows = np.zeros((len(read.rows), K))
        np.add.at(of_rows, read.index, of_tokens)
        expected += own.statistics(read.rows, of_rows)
    given = emission.statistics(observations.rows, counts)
    for g, e in zip(given, expected, strict=True):
        np.testing.assert_allclose(g, e)
    emission.m_step(given)
    for own, part in zip(
        emission.emissions_.values(), (given[:1], given[1:3], given[3:]), strict=True
    ):
        alone = pickle.loads(pickle.dumps(own))
        alone.m_step(part)
        np.testing.assert_array_equal(own.sort_key(), alone.sort_key())
    assert emission.n_parameters == sum(
        own.n_parameters for own in emission.emissions_.values()
    )


def test_an_exponent_of_two_is_a_view_that_stands_there_twice(values):
    x = values[:, :1]
    once, first = started(views(("a", Categorical(0.5), 2)), x)
    twice, second = started(
        views(("a", Categorical(0.5), 1), ("b", Categorical(0.5), 1)),
        np.column_stack([x, x]),
    )
    counts = np.random.default_rng(0).random((len(second.rows), K))
    of_symbols = np.zeros((len(first.rows), K))
    np.add.at(of_symbols, first.index, counts[second.index])
    scattered = np.zeros((len(second.rows), K))
    np.add.at(scattered, second.index, counts[second.index])
    once.m_step(once.statistics(first.rows, of_symbols))
    twice.m_step(twice.statistics(second.rows, scattered))
    np.testing.assert_allclose(
        once.table(first.rows)[first.index], twice.table(second.rows)[second.index]
    )
    assert once.log_prior() == pytest.approx(twice.log_prior())


def test_views_of_any_kind_by_name():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    values = {
        "vector": rng.standard_normal((300, 2)) + 6 * truth[:, None],
        "word": np.array(["a", "b", "c"], dtype=object)[
            truth + rng.integers(0, 2, 300)
        ],
    }
    emission = views(("word", None, 1), ("vector", Gaussian(), 0.5))
    emission, observations = started(emission, values)
    np.testing.assert_allclose(
        emission.table(observations.rows)[observations.index],
        weighted_sum(emission, values),
    )
    states = np.array([0, 1, 2, 0])
    drawn = emission.sample(states, np.random.RandomState(0))
    assert {name: x.shape for name, x in drawn.items()} == {
        "word": (4,),
        "vector": (4, 2),
    }
    assert len(emission.encode(drawn).index) == 4
    by_key, _ = started(Product(), {"word": values["word"], "kind": truth})
    assert list(by_key.emissions_) == ["word", "kind"]


def test_views_start_from_tokens_not_rows():
    counts = np.repeat([0, 1, 7, 8, 30], [50, 1, 1, 40, 30])
    alone = Poisson()
    observations = alone.encode(counts, reset=True)
    alone.initialize(observations, K, np.random.RandomState(0))
    emission, observations = started(views(("a", Poisson(), 1)), counts[:, None])
    assert len(observations.rows) == 5
    np.testing.assert_array_equal(emission.emissions_["a"].rates_, alone.rates_)


def test_labels_tell_views_of_numbers_where_the_states_are(values):
    emission = views(("number", Gaussian(), 1), ("word", Categorical(), 1))
    observations = emission.encode(values[:, :2], reset=True)
    truth = values[:, 1] % K
    emission.initialize(observations, K, None, allowed=np.eye(K, dtype=bool)[truth])
    number, word = emission.emissions_.values()
    means = [values[truth == k, 0].mean() for k in range(K)]
    np.testing.assert_allclose(number.means_[:, 0], means)
    # A label is of one token; its symbol may be in other states elsewhere.
    np.testing.assert_allclose(word.probabilities_, 1 / 4)


# Parameters


def test_nested_parameters():
    a, b = View("suffix", Categorical(0.3)), View()
    given = [("now", a), ("next", b)]
    emission = Product(given)
    params = emission.get_params()
    assert params["views"] is given
    assert params["now"] is a
    assert params["now__emission__alpha"] == 0.3
    assert "now" not in emission.get_params(deep=False)
    emission.set_params(now__emission__alpha=0.7, next__exponent=0.5)
    assert (a.emission.alpha, b.exponent) == (0.7, 0.5)
    other = View("brown")
    emission.set_params(next=other, next__offset=1)
    assert emission.views == [("now", a), ("next", other)]
    assert other.offset == 1
    assert given == [("now", a), ("next", b)]
    emission.set_params(views=[("x", b)], x__exponent=2.0)
    assert b.exponent == 2.0
    with pytest.raises(ValueError, match="Invalid parameter 'now'"):
        emission.set_params(now=a)


def test_clone_copies_views():
    emission = views(("a", Categorical(0.3), 0.5), ("b", None, 1))
    copy = clone(emission)
    assert copy.get_params()["a__emission__alpha"] == 0.3
    assert copy.views[0][1] is not emission.views[0][1]
    assert repr(copy) == repr(emission)


def test_the_default_emission_is_no_place_for_parameters():
    emission = Product([("next", View())])
    with pytest.raises(ValueError, match=r"emission__alpha .*pass emission=Cat"):
        emission.set_params(next__emission__alpha=1.0)
    emission.set_params(next__emission=Categorical(), next__emission__alpha=1.0)
    assert emission.views[0][1].emission.alpha == 1.0


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "None or a list of"),
        ("token", "None or a list of"),
        ([("a", Categorical())], "None or a list of"),
        ([View(), View()], "None or a list of"),
        ([("a", View()), ("a", View())], "Two views are named 'a'"),
        ([("a__b", View())], "view 'a__b' needs another name"),
        ([("views", View())], "view 'views' needs another name"),
        ([("", View())], "view '' needs another name"),
        ([("a", View(exponent=0))], "view 'a' needs a positive exponent, got 0"),
        ([("a", View(exponent=-1.0))], "view 'a' needs a positive exponent"),
        ([("a", View(exponent=np.nan))], "view 'a' needs a positive exponent"),
        ([("a", View(exponent=np.inf))], "view 'a' needs a positive exponent"),
        ([("a", View(exponent=True))], "view 'a' needs a positive exponent"),
        ([("a", View(exponent="1"))], "view 'a' needs a positive exponent"),
        ([("a", View(emission="gaussian"))], "view 'a' needs an Emission instance"),
        ([("a", View(emission=Gaussian))], "view 'a' needs an Emission instance"),
        ([("a", View(emission=Categorical(-1)))], "View 'a': alpha must"),
        *(
            ([("a", View(offset=offset))], "view 'a' needs a whole number of positions")
            for offset in ("a", 1.5, None, 10**20, -(10**20), True, [1], np.nan)
        ),
    ],
)
def test_bad_parameters(pairs, message):
    with pytest.raises(ValueError, match=message):
        Product(pairs).encode(np.zeros((3, 1), dtype=int), reset=True)


TWO = views(("now", None, 1), ("next", None, 1))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.zeros((3, 1), int), r"2 views \(now, next\).*got \(3, 1\)"),
        (np.zeros((3, 3), int), r"2 views \(now, next\).*got \(3, 3\)"),
        (np.zeros(3, int), r"of shape \(T, 2\), a column for each; got \(3,\)"),
        (np.zeros((3, 2, 1), int), r"got \(3, 2, 1\)"),
        ({"now": np.zeros(3)}, r"missing: \['next'\]"),
        ({"now": [1], "next": [1], "x": [1]}, r"not a view: \['x'\]"),
        ({"now": np.zeros(3), "next": np.zeros(2)}, "'next' has 2 tokens, 'now' has 3"),
        (np.array([[1, 2], [1, 2.5]]), "View 'next': The token at row 1 is 2.5"),
        (np.array([[1, 2], [None, 2]]), "View 'now': The token at row 1 is None"),
    ],
)
def test_bad_values(bad, message):
    with pytest.raises(ValueError, match=message):
        clone(TWO).encode(bad, reset=True)
    fitted, _ = started(TWO, np.array([[1, 2], [3, 4]]))
    with pytest.raises(ValueError, match=message):
        fitted.encode(bad)


def test_no_values():
    for empty in ({}, {"now": [], "next": []}, np.zeros((0, 2)), np.zeros(0)):
        with pytest.raises(ValueError, match="no tokens"):
            clone(TWO).encode(empty, reset=True)
    with pytest.raises(ValueError, match="reads tokens of shape"):
        Product().encode(np.zeros(3, int), reset=True)


def test_start_values_of_a_view_are_checked_in_its_name(values):
    emission = views(("a", Categorical(init=np.eye(2)), 1))
    observations = emission.encode(values[:, :1], reset=True)
    with pytest.raises(ValueError, match="View 'a': init must"):
        emission.initialize(observations, K, None)


def test_symbols_that_come_later(values):
    emission, _ = started(MIXED, values)
    later = values.copy()
    later[:, 0] += 100
    emission.extend(later)
    assert emission.emissions_["word"].probabilities_.shape == (K, 8)
    with pytest.raises(ValueError, match="cannot restrict"):
        emission.extend(later, allowed=lambda new: None)
    later = later.astype(object)
    later[7, 0] = None
    with pytest.raises(ValueError, match="View 'word': The token at row 7 is None"):
        emission.extend(later)


# In a hidden Markov model


def fit(emissions, sequences, **params):
    params = {"max_iter": 500, "tol": 1e-7, "random_state": 0} | params
    return AnnealedHMM(K, emissions=emissions, **params).fit(sequences)


@pytest.mark.parametrize("emissions", ["product", MIXED])
def test_likelihood_of_a_model_by_enumeration(emissions, sequences):
    model = fit(emissions, sequences)
    short = sequences[0]
    node = weighted_sum(model.emissions_, short)
    with np.errstate(divide="ignore"):
        edge, start = np.log(model.transmat_), np.log(model.startprob_)
    paths = _oracles.enumerate_paths(len(short), K)
    scores = _oracles.chain_scores(paths, node, edge, start)
    assert model.score_samples([short])[0] == pytest.approx(
        _oracles.log_partition(scores)
    )
    np.testing.assert_allclose(
        model.predict_proba([short])[0],
        _oracles.node_marginals(paths, scores, K),
        atol=1e-10,
    )
    _, best = _oracles.argmax(paths, scores)
    np.testing.assert_array_equal(model.predict([short])[0], best)


@pytest.mark.parametrize(
    "emissions",
    [
        "product",
        MIXED,
        views(("a", Categorical(1.0), 0.3), ("b", None, 3), ("c", Gaussian(), 0.1)),
    ],
)
def test_objective_never_falls(emissions, sequences):
    history = fit(emissions, sequences).history_
    objective = np.array([record["objective"] for record in history])
    assert len(objective) > 3
    assert (np.diff(objective) >= -1e-10).all()
    assert objective[-1] > objective[0] + 1e-3


def test_a_log_linear_view():
    rng = np.random.default_rng(0)
    words = np.array(["run", "running", "sit", "cat", "cats", "dog"], dtype=object)
    X = [
        np.column_stack([w := words[rng.integers(0, 6, n)], [x[-1] for x in w]])
        for n in LENGTHS
    ]
    emission = views(("word", LogLinear(), 1), ("last", None, 0.5))
    emission.set_params(word__emission__l2=0.1)
    model = fit(emission, X, max_iter=30, tol=1e-3)
    word = model.emissions_.emissions_["word"]
    assert word.l2 == 0.1
    objective = [record["objective"] for record in model.history_]
    assert (np.diff(objective) >= -1e-10).all()
    read = model.emissions_.encode(X[2])
    np.testing.assert_allclose(
        model.emissions_.table(read.rows)[read.index],
        weighted_sum(model.emissions_, X[2]),
    )


def test_other_uses_of_a_model(sequences):
    model = fit(MIXED, sequences)
    states = model.predict(sequences)
    for one, other in zip(
        states, pickle.loads(pickle.dumps(model)).predict(sequences), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    X, _ = model.sample(2, length=5, random_state=0)
    assert X[0].shape == (5, 3)
    assert np.isfinite(model.score(X))
    y = [[None] * len(x) for x in sequences]
    y[2][:3] = [0, 1, 2]
    clamped = AnnealedHMM(K, emissions=MIXED, supervision="clamp").fit(sequences, y)
    np.testing.assert_array_equal(clamped.states_, [0, 1, 2])


def test_learning_in_steps(sequences):
    model = AnnealedHMM(K, emissions="product", random_state=0)
    model.partial_fit(sequences)
    model.partial_fit([x + 2 for x in sequences])  # some symbols are new
    assert model.emissions_.emissions_["column_0"].probabilities_.shape == (K, 6)
    assert np.isfinite(model.score(sequences))


def test_tokens_that_are_all_the_same():
    with pytest.warns(match="All tokens of X are the same"):
        fit("product", [np.ones((9, 2), int)] * 3)


# Kernels


@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_by_index(order):
    rng = np.random.default_rng(0)
    index = rng.integers(0, 7, 50)
    table = np.asarray(rng.standard_normal((9, 4)), order=order)
    many = np.asarray(rng.standard_normal((50, 4)), order=order)
    for a in (index, table, many):
        a.setflags(write=False)
    out = many.copy()
    add_rows(out, table, index, 0.5)
    np.testing.assert_allclose(out, many + 0.5 * table[index])
    expected = np.zeros((9, 4))
    np.add.at(expected, index, many)
    np.testing.assert_allclose(sum_rows(index, many, 9), expected, atol=1e-14)
    # one is the transpose of the other
    back = np.zeros((50, 4))
    add_rows(back, table, index, 1.0)
    assert (back * many).sum() == pytest.approx(
        (table * sum_rows(index, many, 9)).sum()
    )


@pytest.mark.parametrize("offset", [-1_000_000, np.int8(-128), 1_000_000])
def test_far_offsets_are_accepted(offset):
    emission = Product([("a", View(offset=offset))])
    assert len(emission.encode(np.zeros((3, 1), dtype=int), reset=True).index) == 3

"""Features, vocabularies and M-steps of log-linear emissions."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize
from scipy.special import log_softmax

from skstruct.emissions import Categorical, LogLinear

WORDS = ["Walked", "talked", "talks", "walk-in", "x1", "talk"]
K = 2


def words(*tokens):
    out = np.empty(len(tokens), dtype=object)
    out[:] = tokens
    return out


def started(emission=None, tokens=WORDS, n_states=K, seed=0, **kwargs):
    emission = LogLinear() if emission is None else emission
    observations = emission.encode(words(*tokens), reset=True)
    rng = None if seed is None else np.random.RandomState(seed)
    emission.initialize(observations, n_states, rng, **kwargs)
    return emission, observations


def some_counts(emission, seed=0):
    shape = (emission.coef_.shape[1], len(emission.symbols_))
    return (5 * np.random.default_rng(seed).random(shape),)


def some_mask(emission):
    allowed = np.ones((len(emission.symbols_), K), dtype=bool)
    allowed[0, 1] = allowed[3, 0] = False
    return allowed


def features_of(emission, symbol):
    """Names of the features that a symbol of the vocabulary has, by its scores."""
    emission = copy.deepcopy(emission)
    out = []
    for i, name in enumerate(emission.feature_names_):
        coef = np.zeros((len(emission.feature_names_), 1))
        emission.set_coef(coef)
        before = emission.probabilities_[0]
        coef[i] = 1.0
        emission.set_coef(coef.copy())
        v = emission.symbols_.tolist().index(symbol)
        if emission.probabilities_[0, v] > before[v]:
            out.append(name)
    return set(out)


def test_spelling():
    emission, _ = started()
    assert features_of(emission, "Walked") == {
        "suffix=d",
        "suffix=ed",
        "suffix=ked",
        "capital",
        "symbol=Walked",
    }
    assert features_of(emission, "walk-in") == {
        "suffix=n",
        "suffix=in",
        "suffix=-in",
        "hyphen",
        "symbol=walk-in",
    }
    assert features_of(emission, "x1") == {"suffix=1", "digit", "symbol=x1"}


def test_symbols_that_are_no_text_are_features_of_their_own():
    emission = LogLinear()
    emission.encode(np.array([7, 3, 7]), reset=True)
    assert emission.feature_names_.tolist() == ["symbol=3", "symbol=7"]


def test_probabilities_are_a_softmax_of_weighted_features():
    values = {"a": {"size": 2.0, "low": 1.0}, "b": {"size": -0.5}, "c": {}}
    emission, observations = started(LogLinear(values.get), "abc", 3)
    coef = np.random.default_rng(0).standard_normal((5, 3))
    emission.set_coef(coef)
    design = np.array([[1, 2.0, 1, 0, 0], [0, -0.5, 0, 1, 0], [0, 0, 0, 0, 1]])
    assert emission.feature_names_.tolist()[:2] == ["low", "size"]
    expected = log_softmax(design @ coef, axis=0)
    assert_allclose(emission.table(observations.rows), expected)
    assert_allclose(emission.probabilities_, np.exp(expected).T)


@pytest.mark.parametrize("masked", [False, True])
def test_gradient_is_that_of_the_objective(masked):
    emission, observations = started()
    if masked:
        emission, observations = started(allowed=some_mask(emission))
    statistics = emission._counts(some_counts(emission)).T
    rng = np.random.default_rng(1)
    shape = emission.coef_.shape

    def objective(weights):
        emission.set_coef(weights.reshape(shape))
        table = emission.table(observations.rows)
        used = statistics.T > 0
        return (statistics.T * np.where(used, table, 0)).sum() + emission.log_prior()

    x = rng.standard_normal(shape).ravel()
    slope = approx_fprime(x, objective, 1e-6)
    objective(x)
    assert_allclose(emission.gradient((statistics,)).ravel(), slope, atol=1e-4)


@pytest.mark.parametrize("masked", [False, True])
def test_m_step_finds_the_maximum_of_a_general_optimiser(masked):
    mask = some_mask(started()[0]) if masked else None
    emission, _ = started(LogLinear(l2=0.7, start_iter=300), allowed=mask)
    statistics = some_counts(emission)
    emission.m_step(statistics)
    assert np.abs(emission.gradient(statistics)).max() < 1e-4
    other, shape = copy.deepcopy(emission), emission.coef_.shape

    def loss(weights):
        other.set_coef(weights.reshape(shape))
        where = other.probabilities_ > 0
        log_p = np.log(other.probabilities_, where=where, out=np.zeros(where.shape))
        return -np.sum(statistics[0] * where * log_p) - other.log_prior()

    best = minimize(loss, np.zeros(emission.coef_.size), method="BFGS")
    assert_allclose(loss(emission.coef_.ravel()), best.fun, rtol=1e-6)


def test_without_a_penalty_and_shared_features_it_is_categorical():
    emission, _ = started(LogLinear(lambda s: [], l2=0.0, start_iter=300))
    statistics = some_counts(emission)
    emission.m_step(statistics)
    expected = statistics[0] / statistics[0].sum(axis=1, keepdims=True)
    assert_allclose(emission.probabilities_, expected, rtol=1e-4)


def test_few_iterations_never_lower_the_objective():
    emission, observations = started(LogLinear(l2=0.1, start_iter=1, max_iter=1))
    for seed in range(10):
        statistics = some_counts(emission, seed)

        def objective(emission=emission, statistics=statistics):
            table = emission.table(observations.rows)
            return (statistics[0].T * table).sum() + emission.log_prior()

        before = objective()
        emission.m_step(statistics)
        assert objective() > before


def test_the_first_m_step_climbs_longer():
    far, near = (
        started(LogLinear(start_iter=n, max_iter=2), seed=0)[0] for n in (60, 2)
    )
    statistics = some_counts(far)
    far.m_step(statistics)
    near.m_step(statistics)
    assert np.abs(far.gradient(statistics)).max() < 1e-3
    first = np.abs(near.gradient(statistics)).max()
    near.m_step(statistics)
    assert 1e-3 < np.abs(near.gradient(statistics)).max() < first


def test_unknown_words_score_by_what_they_share():
    emission, _ = started(n_states=3)
    emission.set_coef(np.random.default_rng(0).standard_normal(emission.coef_.shape))
    rows = words("Jumped", "talks", "qqq", 5, "Jumped")
    table = emission.table(rows)
    names = emission.feature_names_.tolist()
    weights = emission.coef_[[names.index(f"suffix={s}") for s in ("d", "ed")]]
    weights = weights.sum(axis=0) + emission.coef_[names.index("capital")]
    own = emission.coef_[names.index("symbol=talks")] + sum(
        emission.coef_[names.index(f"suffix={s}")] for s in ("s", "ks", "lks")
    )
    normaliser = own - table[1]
    assert_allclose(table[0], weights - normaliser)
    assert_allclose(table[4], table[0])
    assert_allclose(table[2:4], -np.log(len(WORDS) + 1))


def test_unknown_words_have_rows_of_their_own():
    emission, _ = started()
    observations = emission.encode(words("talk", "new", "talk", "newer", "new"))
    assert observations.rows.tolist() == ["talk", "new", "newer"]
    assert observations.rows[observations.index].tolist() == [
        "talk",
        "new",
        "talk",
        "newer",
        "new",
    ]
    (statistics,) = emission.statistics(observations.rows, np.ones((3, K)))
    assert_array_equal(statistics, [emission.symbols_ == "talk"] * K)


def test_integers_beside_unknown_text():
    emission = LogLinear()
    observations = emission.encode(np.array([7, 3]), reset=True)
    emission.initialize(observations, 2, None)
    observations = emission.encode(words(3, "three", 9))
    assert observations.rows.tolist() == [3, "three", 9]
    assert_allclose(emission.table(observations.rows)[1:], -np.log(3))


def test_forbidden_pairs_are_impossible():
    mask = some_mask(started()[0])
    mask[1] = False  # nobody: says nothing
    emission, observations = started(allowed=mask)
    emission.m_step(some_counts(emission))
    table = emission.table(observations.rows)
    assert_array_equal(np.isneginf(table), ~mask & mask.any(axis=1, keepdims=True))
    assert_allclose(table[1], -np.log(len(WORDS) + 1))
    assert_allclose(emission.probabilities_.sum(axis=1), 1)
    assert emission.n_parameters == mask.sum() - K
    emission.allow(~mask)
    assert np.isfinite(emission.table(observations.rows)).all()


def test_a_state_without_symbols_does_no_harm():
    mask = np.ones((len(WORDS), K), dtype=bool)
    mask[:, 1] = False
    emission, _ = started(allowed=mask)
    emission.m_step((some_counts(emission)[0] * mask.T,))
    table = emission.table(words(*WORDS, "jumped"))
    assert np.isneginf(table[:-1, 1]).all()
    assert np.isfinite(table[:, 0]).all()
    assert np.isfinite(table[-1]).all()


def test_extension_keeps_weights_and_brings_new_features():
    emission, observations = started()
    emission.m_step(some_counts(emission))
    old = dict(zip(emission.feature_names_, emission.coef_, strict=True))
    before = emission.table(words("talked", "jumps"))
    emission.extend(words("jumps", "talked", "quiz", "jumps"))
    assert emission.symbols_.tolist() == [*observations.rows, "jumps", "quiz"]
    for name, weights in zip(emission.feature_names_, emission.coef_, strict=True):
        assert_array_equal(weights, old.get(name, np.zeros(K)))
    assert {"suffix=uiz", "symbol=quiz"} <= set(emission.feature_names_)
    assert_allclose(emission.probabilities_.sum(axis=1), 1)
    # What was unknown is scored as before, over a normaliser that now counts it in.
    after = emission.table(words("talked", "jumps"))
    assert_allclose(after[0] - after[1], before[0] - before[1])


def test_extension_may_forbid():
    emission, _ = started()
    emission.extend(words("jumps"), allowed=lambda new: np.array([[True, False]]))
    assert_array_equal(
        np.isneginf(emission.table(words("jumps", "talk"))[:, 1]), [1, 0]
    )


def test_start():
    emission, _ = started(seed=None)
    assert_allclose(emission.probabilities_, 1 / len(WORDS))
    coef = np.random.default_rng(0).standard_normal(emission.coef_.shape)
    given, _ = started(LogLinear(init=coef))
    assert_array_equal(given.coef_, coef)
    with pytest.raises(ValueError, match=r"init must hold finite weights, shape \("):
        started(LogLinear(init=coef[1:]))
    coef[0, 0] = np.nan
    with pytest.raises(ValueError, match="init must hold finite"):
        started(LogLinear(init=coef))


def test_pickle_goes_on():
    emission, _ = started()
    emission.m_step(some_counts(emission))
    other = pickle.loads(pickle.dumps(emission))
    for e in (emission, other):
        e.extend(words("jumps"))
        e.m_step(some_counts(e))
    assert_array_equal(other.coef_, emission.coef_)
    copied = copy.deepcopy(emission)
    copied.extend(words("quiz"))
    assert len(copied.feature_names_) > len(emission.feature_names_)
    emission.extend(words("quizzes"))  # the copy's new features are not ours
    assert "suffix=uiz" not in emission.feature_names_


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"features": "suffixes"}, "features must be 'spelling' or a function"),
        ({"features": None}, "features must be"),
        ({"features": str.lower}, "returned 'talk'"),
        ({"features": len}, "returned 4"),
        ({"features": lambda s: {"x": np.nan}}, "the value nan for 'x'"),
        ({"features": lambda s: {"x": "y"}}, "the value 'y' for 'x'"),
        ({"l2": -1}, "l2 must be a number >= 0"),
        ({"l2": np.inf}, "l2 must be"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1"),
        ({"start_iter": 2.5}, "start_iter must be an integer >= 1"),
        ({"symbols": ["walk"]}, "'talk' at row 0 is not in symbols"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        LogLinear(**params).encode(words("talk"), reset=True)


def test_tokens_are_read_as_categorical_ones_are():
    for bad in (words("a", None), words("a", [1]), np.array([0.5])):
        errors = []
        for emission in (Categorical(), LogLinear()):
            with pytest.raises(ValueError) as caught:
                emission.encode(bad, reset=True, offsets=np.array([0, len(bad)]))
            errors.append(str(caught.value))
        assert errors[0] == errors[1]


@pytest.mark.parametrize("answer", [set, lambda names: dict.fromkeys(set(names), 1.0)])
def test_columns_of_a_set_are_in_order_of_their_names(answer):
    names = [f"f{i}" for i in range(20)]
    emission = LogLinear(features=lambda symbol: answer([*names, 3]))
    emission.encode(np.array(["a", "b"], dtype=object), reset=True)
    expected = [*sorted(["3", *names]), "symbol=a", "symbol=b"]
    assert emission.feature_names_.tolist() == expected


def test_columns_of_a_list_keep_its_order():
    emission = LogLinear(features=lambda symbol: ["z", "a"])
    emission.encode(np.array(["x"], dtype=object), reset=True)
    assert emission.feature_names_.tolist() == ["z", "a", "symbol=x"]


def _broken(symbol):
    return {}[symbol]


def _lazily_broken(symbol):
    yield "first"
    raise KeyError(symbol)


def _unhashable(symbol):
    return [["a", "list"]]


@pytest.mark.parametrize("features", [_broken, _lazily_broken, _unhashable])
def test_errors_of_a_function_name_it_and_the_symbol(features):
    tokens = np.array(["word"], dtype=object)
    message = f"features: {features.__name__} .*'word'"
    with pytest.raises(ValueError, match=message) as caught:
        LogLinear(features=features).encode(tokens, reset=True)
    assert isinstance(caught.value.__cause__, KeyError | TypeError)


def test_a_value_beyond_all_floats_is_refused():
    tokens = np.array(["word"], dtype=object)
    emission = LogLinear(features=lambda symbol: {"size": 10**400})
    with pytest.raises(ValueError, match=r"'word' the value 10+ for 'size'"):
        emission.encode(tokens, reset=True)

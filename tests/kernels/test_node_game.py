"""One node's game: the optimum proves itself by its gap, and closed forms agree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp, softmax

from skstruct.kernels._node_game import (
    ABSOLUTE,
    BY_TRUTH,
    GENERAL,
    SQUARED,
    ZERO_ONE,
    Game,
    augment_node,
    augmentation,
    bayes_risks,
    expected_costs,
    kind_of,
    update_node,
)
from tests import _game_oracles
from tests._oracles import absolute_game, zero_one_game


def draw_cost(name, values, rng):
    """A kind and a table cost[predicted, adversary]."""
    K = len(values)
    distance = np.abs(np.subtract.outer(values, values))
    price = rng.exponential(size=K) * (rng.random(K) < 0.9)
    random = rng.exponential(size=(K, K))
    np.fill_diagonal(random, 0)
    return {
        "zero_one": (ZERO_ONE, rng.uniform(0.1, 3) * (1 - np.eye(K))),
        "by_truth": (BY_TRUTH, price * (1 - np.eye(K))),
        "absolute": (ABSOLUTE, distance),
        "squared": (SQUARED, distance**2),
        "convex": (SQUARED, price * distance ** rng.uniform(1, 3)),
        "random": (GENERAL, random),
        "squared as general": (GENERAL, distance**2),
        # Nearly flat, as each label is nearly a mixture of its neighbours.
        "weighted as general": (GENERAL, price * distance),
        "zero_one as general": (GENERAL, 1 - np.eye(K)),
    }[name]


NAMES = [
    "zero_one",
    "by_truth",
    "absolute",
    "squared",
    "convex",
    "random",
    "squared as general",
    "weighted as general",
    "zero_one as general",
]
names = pytest.mark.parametrize("name", NAMES)


def update(kind, m, w, cost, values, p):
    """The kernel on copies."""
    cost, p = np.ascontiguousarray(cost), p.copy()
    work = np.full((3, len(m)), np.nan)
    update_node(kind, m, w, cost, values, p, work)
    assert (p >= 0).all() and abs(p.sum() - 1) < 1e-12
    return p


def gap_of(m, w, cost, p):
    """No other p is better by more than this."""
    costs = cost @ softmax(m + w * cost.T @ p)
    return w * (p @ costs - costs.min())


def draw(name, rng, largest=12, scale=(-1, 1), weight=(-1, 1)):
    K = rng.integers(1, largest)
    values = np.cumsum(rng.uniform(0.05, 1.5, K))
    kind, cost = draw_cost(name, values, rng)
    m = rng.standard_normal(K) * 10 ** rng.uniform(*scale)
    w = 10 ** rng.uniform(*weight)
    if rng.random() < 0.4:
        m[rng.random(K) < 0.4] = -np.inf
        m[rng.integers(K)] = 0.0
    start = rng.dirichlet(np.ones(K)) if rng.random() < 0.5 else np.full(K, 1 / K)
    return kind, m, w, cost, values, start


@names
def test_the_update_is_the_optimum(name):
    rng = np.random.default_rng(0)
    for _ in range(300):
        kind, m, w, cost, values, start = draw(name, rng)
        p = update(kind, m, w, cost, values, start)
        # What rounding p costs grows with the square of the costs.
        scale = max(1, (w * cost.max()) ** 2 * 1e-5)
        assert gap_of(m, w, cost, p) <= 1.1e-9 * scale


@names
def test_it_is_the_optimum_at_any_scale(name):
    rng = np.random.default_rng(1)
    for _ in range(200):
        kind, m, w, cost, values, start = draw(name, rng, 46, (-6, 4), (-6, 2))
        p = update(kind, m, w, cost, values, start)
        assert gap_of(m, w, cost, p) <= 1e-7 * max(1, w * cost.max())


@names
def test_it_agrees_with_a_solver_of_scipy(name):
    rng = np.random.default_rng(2)
    no_edges = np.empty((0, 2), dtype=np.intp), np.empty((0, 1, 1))
    for _ in range(15):
        kind, m, w, cost, values, start = draw(name, rng, 6, (-1, 0), (-1, 0.5))
        p = update(kind, m, w, cost, values, start)
        expected = _game_oracles.game_value_smoothed(
            m[None], *no_edges, cost, [w], eps=1.0
        )
        assert_allclose(logsumexp(m + w * cost.T @ p), expected.value, atol=1e-6)


@names
def test_the_limit_is_the_game_without_entropy(name):
    """At low temperature: closed forms, and a linear program for other costs."""
    rng = np.random.default_rng(3)
    no_edges = np.empty((0, 2), dtype=np.intp), np.empty((0, 1, 1))
    temperature = 1e-3
    for _ in range(40):
        kind, m, _, cost, values, start = draw(name, rng, 8)
        p = update(kind, m / temperature, 1 / temperature, cost, values, start)
        concedes = (m + cost.T @ p).max()
        if name == "zero_one":
            scale = cost[0, 1] if len(m) > 1 else 1.0
            exact = scale * zero_one_game(m[np.isfinite(m)] / scale)
        elif name == "absolute":
            allowed = np.isfinite(m)
            exact = absolute_game(m[allowed], values[allowed])
        else:
            exact = _game_oracles.game_value(m[None], *no_edges, cost).value
        slack = temperature * np.log(len(m)) + 1e-6
        assert exact - 1e-9 <= concedes <= exact + slack


@pytest.mark.parametrize("kind", [ZERO_ONE, ABSOLUTE, SQUARED, GENERAL, BY_TRUTH])
def test_nothing_to_play_for(kind):
    cost, values = 1 - np.eye(3), np.arange(3.0)
    m, p = np.array([0.0, 5.0, 1.0]), np.array([0.2, 0.3, 0.5])
    forbidden = np.full(3, -np.inf)
    assert (update(kind, m, 0.0, cost, values, p) == p).all()
    assert (update(kind, forbidden, 1.0, cost, values, p) == p).all()
    for w in (5e-324, 1e-310, 1e-200):
        assert np.isfinite(update(kind, m, w, cost, values, p)).all()
    no_cost = update(kind, m, 1.0, 0 * cost, values, p)
    if kind != ABSOLUTE:  # which reads the values
        assert gap_of(m, 1.0, 0 * cost, no_cost) == 0
    assert update(kind, m[:1], 1.0, cost[:1, :1], values[:1], p[:1] / 0.2) == [1.0]


def test_ties_and_certainty():
    cost, values = np.abs(np.subtract.outer(range(3), range(3))), np.arange(3.0)
    sure = np.array([-np.inf, 0.0, -np.inf])
    for kind, table in (
        (ZERO_ONE, 1 - np.eye(3)),
        (ABSOLUTE, cost),
        (SQUARED, cost**2),
        (GENERAL, cost),
    ):
        table = np.asarray(table, dtype=float)
        p = update(kind, sure, 1.0, table, values, np.full(3, 1 / 3))
        assert_allclose(p, [0, 1, 0], atol=1e-12)
    p = update(ZERO_ONE, np.zeros(3), 1.0, 1 - np.eye(3), values, np.ones(3) / 3)
    assert_allclose(p, 1 / 3)


def random_game(name, rng, n_tables, N=20, K=5):
    values = np.cumsum(rng.uniform(0.1, 1, K))
    kind, cost = draw_cost(name, values, rng)
    cost = cost * rng.uniform(0.5, 2, (n_tables, 1, 1))
    index = rng.integers(n_tables, size=N)
    return Game(kind, cost, index, rng.uniform(0, 2, N), values)


@names
@pytest.mark.parametrize("n_tables", [1, 4])
def test_costs_of_all_nodes(name, n_tables):
    rng = np.random.default_rng(4)
    game = random_game(name, rng, n_tables)
    predictor, node = rng.dirichlet(np.ones(5), (2, 20))
    gain = augmentation(game, predictor)
    risks, expected = bayes_risks(game, node), expected_costs(game, predictor, node)
    out = np.full(5, np.nan)
    for i in range(20):
        w, cost = game.weight[i], game.cost[game.index[i]]
        assert_allclose(gain[i], w * cost.T @ predictor[i], atol=1e-12)
        assert_allclose(risks[i], w * (cost @ node[i]).min(), atol=1e-12)
        assert_allclose(expected[i], w * predictor[i] @ cost @ node[i], atol=1e-12)
        augment_node(game.kind, w, cost, predictor[i], out)
        assert_allclose(out, gain[i], atol=1e-14)


def test_costs_of_one_label():
    game = Game(
        ZERO_ONE, np.zeros((1, 1, 1)), np.zeros(2, int), np.ones(2), np.zeros(1)
    )
    ones = np.ones((2, 1))
    assert (augmentation(game, ones) == 0).all() and (
        bayes_risks(game, ones) == 0
    ).all()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("zero_one", ZERO_ONE),
        ("by_truth", BY_TRUTH),
        ("absolute", SQUARED),
        ("squared", SQUARED),
        ("convex", SQUARED),
        ("weighted as general", SQUARED),
        ("random", GENERAL),
        ("zero_one as general", ZERO_ONE),
    ],
)
def test_kind_of_tables(name, kind):
    rng = np.random.default_rng(5)
    values = np.cumsum(rng.uniform(0.05, 1.5, 6))
    tables = np.stack([draw_cost(name, values, rng)[1] for _ in range(5)])
    assert kind_of(tables, values) == kind
    mixed = np.concatenate([tables, draw_cost("random", values, rng)[1][None]])
    assert kind_of(mixed, values) == GENERAL


def test_kind_of_one_or_two_labels():
    assert kind_of(np.zeros((1, 1, 1)), np.zeros(1)) == ZERO_ONE
    assert kind_of(np.array([[[0.0, 1], [5, 0]]]), np.arange(2.0)) == BY_TRUTH


def test_a_label_at_the_level_does_not_come_and_go_for_ever():
    m, p = np.array([5.0, 9.0, 4.0, 5.0]), np.zeros(4)
    cost, values = 1 - np.eye(4), np.arange(4.0)
    update_node(ZERO_ONE, m, 7.0, cost, values, p, np.empty((3, 4)))
    level = (m / 7 - p)[p > 1e-12]
    assert_allclose(p.sum(), 1)
    assert_allclose(level, level[0])
    assert (m / 7 <= level[0] + 1e-12)[p <= 1e-12].all()

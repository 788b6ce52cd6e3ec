"""Clusterers of tables equal loops over rows, in training and on new rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.constraints import Sparsity
from skstruct.estimators import PitmanYorClusterer, PosteriorRegularizedClusterer
from skstruct.estimators._clustering._pitman_yor import stick_means
from tests.estimators import _clustering_oracle as oracle

CLOSE = {"rtol": 1e-8, "atol": 1e-10}
X = np.vstack(
    [
        oracle.table(40, words=2),
        [
            ("p8 p9", "c00", "c10"),
            ("seen once", "c00", "rare"),
            ("no weight", "x", "y"),
        ],
        [("p8 p9", "c02", "rare too")],
    ]
)
WEIGHT = np.append(np.random.default_rng(0).choice([1, 2, 0.5, 3], 41), [1, 0, 1])
NEW = np.array(
    [
        ("p0 p0", "c00", "c11"),
        ("p0 p0", "new", "c11"),
        ("p1 p1", "c01", "rare"),
        ("new p0", "c01", "c12"),
        ("p9 new", "new", "new"),
        ("seen once", "c02", "c10"),
        ("no weight", "x", "c10"),
        ("p8 p9", "c01", "new"),
    ],
    dtype=object,
)
K, ALPHA = 3, 0.05
KINDS = {
    "em": {},
    "em without prior": {"context_alpha": 0},
    "direction": {"agreement": "direction"},
    "view": {"agreement": "view", "views": [[0, 1], [0, 2]]},
    "view of other phrases": {"agreement": "view", "views": [[0, 1, 2], [1, 2]]},
}


def start(n_rows, n_clusters=K, seed=0):
    return np.random.RandomState(seed).dirichlet(np.ones(n_clusters), size=n_rows)


def clusterer(n_iter, n_clusters=K, **params):
    params = {"constraint": None, "init": "random", "context_alpha": ALPHA} | params
    return PosteriorRegularizedClusterer(
        n_clusters, n_init=1, max_iter=n_iter, tol=0, random_state=0, **params
    )


def models(agreement=None, views=None, context_alpha=ALPHA):
    args = X, WEIGHT, context_alpha
    if views is not None:
        return [oracle.view_model(*args, key, slots) for key, *slots in views]
    reverse = [oracle.reverse_model(*args)] if agreement == "direction" else []
    return [oracle.view_model(*args), *reverse]


def trained(n_iter, sparsity=None, **params):
    rows, weight = oracle.distinct_rows(X, WEIGHT)
    q = start(len(rows))
    return oracle.Em(
        rows, weight, models(**params), q, n_iter=n_iter, **(sparsity or {})
    )


def by_weight(em):
    return np.argsort(-(np.array(em.weight) @ np.array(em.q)), kind="stable")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:agreement='direction'")
def test_em(kind):
    params = KINDS[kind]
    em = trained(4, **params)
    order = by_weight(em)
    model = clusterer(4, **params).fit(X, sample_weight=WEIGHT)
    for name in ("likelihood", "penalty", "objective"):
        expected = [record[name] for record in em.history]
        assert_allclose(oracle.history(model, name), expected, **CLOSE)
    first = em.models[0]
    for phrase, share in zip(model.phrases_, model.cluster_given_phrase_, strict=True):
        assert_allclose(share, np.array(first.share[phrase])[order], **CLOSE)
    for table, names, found in zip(
        model.context_given_cluster_, model.context_names_, first.tables, strict=True
    ):
        assert set(names) == set(found)
        expected = np.array([found[name] for name in names]).T[order]
        assert_allclose(table, expected, **CLOSE)
        assert_allclose(table.sum(axis=1), 1)
    posterior = dict(zip(em.rows, em.q, strict=True))
    for data in (X, NEW):
        rows = list(map(tuple, data))
        expected = np.array([em.posterior(row) for row in rows])[:, order]
        proba = model.predict_proba(data)
        assert_allclose(proba, expected, **CLOSE)
        assert_array_equal(model.predict(data), expected.argmax(axis=1))
        logs = [np.log(sum(first.joint(row))) for row in rows]
        assert_allclose(model.score(data), np.mean(logs), **CLOSE)
    own = np.array([posterior.get(row, em.posterior(row)) for row in map(tuple, X)])
    assert_allclose(model.regularized_posterior_, own[:, order], **CLOSE)
    assert_array_equal(model.labels_, own[:, order].argmax(axis=1))


@pytest.mark.parametrize("kind", ["direction", "view"])
@pytest.mark.filterwarnings("ignore:agreement='direction'")
def test_agreement_in_both_forms(kind):
    em = trained(3, **KINDS[kind])
    model = clusterer(3, **KINDS[kind]).fit(X, sample_weight=WEIGHT)
    total = sum(em.weight)
    assert_allclose(model.history_[-1]["likelihood"], em.agreement() / total, **CLOSE)
    assert_allclose(em.agreement(), em.likelihood(), **CLOSE)


@pytest.mark.parametrize("kind", ["em", "direction", "view of other phrases"])
@pytest.mark.parametrize("sigma", [0.3, 2.0])
@pytest.mark.filterwarnings("ignore:agreement='direction'")
def test_sparsity(kind, sigma):
    em = trained(3, {"sigma": sigma, "warmup": 1}, **KINDS[kind])
    order = by_weight(em)
    model = clusterer(
        3, constraint=Sparsity(sigma, tol=1e-9), warmup=1, **KINDS[kind]
    ).fit(X, sample_weight=WEIGHT)
    for name in ("likelihood", "penalty", "objective"):
        expected = [record[name] for record in em.history]
        assert_allclose(oracle.history(model, name), expected, rtol=1e-5, atol=1e-6)
    posterior = dict(zip(em.rows, np.array(em.q)[:, order], strict=True))
    fitted = [i for i, row in enumerate(map(tuple, X)) if row in posterior]
    assert_allclose(
        model.regularized_posterior_[fitted],
        [posterior[tuple(X[i])] for i in fitted],
        atol=2e-4,
    )


def test_sparsity_of_two_models_is_that_of_their_mean():
    # min_q KL(q || p1) + KL(q || p2) + price has the q of the geometric mean, twice.
    rng = np.random.default_rng(0)
    a, b = rng.dirichlet(np.ones(3), size=(2, 4))
    mean = np.sqrt(a * b)
    mean /= mean.sum(axis=1, keepdims=True)
    n = np.array([1, 2, 1, 0.5])

    def value(q):
        divergence = q * (2 * np.log(q) - np.log(a) - np.log(b))
        return n @ divergence.sum(axis=1) + 1.5 * q.max(axis=0).sum()

    q = oracle.project(mean, 2 * n, 1.5)
    for _ in range(50):
        other = rng.dirichlet(np.ones(3), size=4)
        step = rng.choice([1e-3, 0.1])
        assert value((1 - step) * q + step * other) > value(q) - 1e-7


def test_a_rare_phrase_is_as_rare_in_two_models():
    # Phrases of 2 rows are free of a constraint on those of 4, whatever agrees.
    rows = oracle.table(30, n_phrases=4)
    extra = [("pair", "c00", "c10"), ("pair", "c01", "c11")]
    data = np.vstack([rows, extra])
    params = {"agreement": "view", "views": [[0, 1], [0, 2]]}
    model = clusterer(4, constraint=Sparsity(50, min_count=4), warmup=0, **params)
    model.fit(data)
    free = clusterer(1, constraint=Sparsity(50), warmup=0, **params).fit(data)
    assert_allclose(*free.regularized_posterior_[-2:], atol=1e-6)
    assert np.ptp(model.regularized_posterior_[-2:], axis=0).max() > 0.01
    assert_allclose(
        model.regularized_posterior_[-2:], model.predict_proba(data[-2:]), atol=1e-8
    )


def test_one_category_for_each_phrase():
    rows, weight = oracle.distinct_rows(X, WEIGHT)
    n_phrases = len({row[0] for row in rows})
    (own,) = models()
    em = oracle.TypeEm(rows, weight, own, start(n_phrases), n_iter=4)
    likelihood = em.history[-1] * sum(weight) - own.log_prior()
    assert_allclose(likelihood, np.log(em.enumerated()))
    model = clusterer(4, constraint="type").fit(X, sample_weight=WEIGHT)
    assert_allclose(oracle.history(model), em.history, **CLOSE)
    share = dict(zip(em.phrases, np.array(em.q), strict=True))
    size = [
        sum(w for r, w in zip(rows, weight, strict=True) if r[0] == p) for p in share
    ]
    order = np.argsort(-(np.array(size) @ np.array(em.q)), kind="stable")
    for phrase, found in zip(model.phrases_, model.cluster_given_phrase_, strict=True):
        assert_allclose(found, share[phrase][order], **CLOSE)
    kept = [i for i in range(len(X)) if X[i, 0] in share]
    expected = [share[X[i, 0]][order] for i in kept if WEIGHT[i]]
    assert_allclose(model.regularized_posterior_[kept], expected, **CLOSE)
    # A new phrase has the share of all phrases.
    new = ("new", "c00", "c11")
    joint = np.array(em.q).sum(axis=0) * own.contexts(new)
    assert_allclose(
        model.predict_proba([new])[0], (joint / joint.sum())[order], **CLOSE
    )
    assert (model.n_clusters_per_phrase() == 1).all()


def test_a_start_from_one_category_for_each_phrase():
    rows, weight = oracle.distinct_rows(X, WEIGHT)
    n_phrases = len({row[0] for row in rows})
    n_iter = (
        clusterer(30, constraint="type")
        .set_params(tol=1e-5)
        .fit(X, sample_weight=WEIGHT)
        .n_iter_
    )
    assert n_iter < 30
    types = oracle.TypeEm(rows, weight, models()[0], start(n_phrases), n_iter)
    share = dict(zip(types.phrases, np.array(types.q), strict=True))
    q = [0.95 * share[row[0]] + 0.05 / K for row in rows]
    em = oracle.Em(rows, weight, models(), q, n_iter=1)
    model = clusterer(30, init="type").fit(X, sample_weight=WEIGHT)
    for name in ("likelihood", "objective"):
        assert_allclose(model.history_[0][name], em.history[0][name], **CLOSE)


@pytest.mark.parametrize("kind", ["em", "direction", "sparsity", "type"])
@pytest.mark.filterwarnings("ignore:agreement='direction'")
def test_weights_are_repeated_rows(kind):
    params = {
        "sparsity": {"constraint": Sparsity(2.0), "warmup": 2},
        "type": {"constraint": "type"},
    }
    params = params.get(kind) or KINDS[kind]
    rng = np.random.default_rng(1)
    data, weight = oracle.table(25, words=2), rng.integers(0, 4, size=25)
    weighted = clusterer(6, **params).fit(data, sample_weight=weight)
    repeated = clusterer(6, **params).fit(np.repeat(data, weight, axis=0))
    oracle.assert_same_fit(weighted, repeated)
    distinct, index = np.unique(data.astype(str), axis=0, return_inverse=True)
    merged = clusterer(6, **params).fit(
        distinct.astype(object), sample_weight=np.bincount(index.ravel(), weight)
    )
    oracle.assert_same_fit(weighted, merged, rtol=1e-9)
    rows = np.repeat(data, weight, axis=0)
    assert_allclose(weighted.score(data, sample_weight=weight), repeated.score(rows))
    for name in ("phrase", "category", "probability", "count"):
        assert_array_equal(weighted.phrase_table()[name], repeated.phrase_table()[name])


def test_sticks():
    rng = np.random.default_rng(0)
    for discount in (0.0, 0.4, 0.9):
        tables = rng.exponential(5, size=6)
        shares = stick_means(tables, 1.3, discount)
        assert_allclose(shares, oracle.sticks(tables, 1.3, discount))
        assert_allclose(shares.sum(), 1)
    # Without a discount, the first share of a Dirichlet process: 1 + n of 1 + n + g.
    assert_allclose(stick_means(np.array([4.0, 0.0]), 2.0, 0.0), [5 / 7, 2 / 7])
    assert_allclose(stick_means(np.zeros(3), 1.0, 0.0), [1 / 2, 1 / 4, 1 / 4])
    assert_allclose(stick_means(np.array([3.0]), 1.0, 0.5), [1])
    assert (stick_means(np.zeros(500), 0.1, 0.0) > 0).all()


@pytest.mark.parametrize("discount", [0.0, 0.5])
def test_pitman_yor(discount):
    rows, weight = oracle.distinct_rows(X, WEIGHT)
    own = models()[0]
    prior = {"gamma": 1.5, "discount": discount, "a": 2.0}
    q, theta, beta, objectives = oracle.pitman_yor(
        rows, weight, own, start(len(rows)), n_iter=4, **prior
    )
    model = PitmanYorClusterer(
        K,
        concentration=1.5,
        discount=discount,
        phrase_concentration=2.0,
        context_alpha=ALPHA,
        n_init=1,
        max_iter=4,
        tol=0,
        random_state=0,
    ).fit(X, sample_weight=WEIGHT)
    order = np.argsort(-(np.array(weight) @ np.array(q)), kind="stable")
    assert_allclose(oracle.history(model), objectives, **CLOSE)
    assert_allclose(
        model.history_[-1]["n_effective"], np.exp(-np.dot(beta, np.log(beta)))
    )
    for phrase, share in zip(model.phrases_, model.cluster_given_phrase_, strict=True):
        assert_allclose(share, np.array(theta[phrase])[order], **CLOSE)
    posterior = dict(zip(rows, np.array(q)[:, order], strict=True))
    for i, row in enumerate(map(tuple, X)):
        if row in posterior:
            assert model.labels_[i] == posterior[row].argmax()
    for data in (X, NEW):
        joint = np.array(
            [
                np.multiply(theta.get(row[0], beta), own.contexts(row))
                for row in map(tuple, data)
            ]
        )[:, order]
        expected = joint / joint.sum(axis=1, keepdims=True)
        assert_allclose(model.predict_proba(data), expected, **CLOSE)
        assert_allclose(model.predict_proba(data).sum(axis=1), 1)
        assert_allclose(model.score(data), np.log(joint.sum(axis=1)).mean(), **CLOSE)


def test_discount_gives_small_categories_more():
    rows = oracle.table(300, n_phrases=20, n_values=(6, 6))

    def effective(discount):
        model = PitmanYorClusterer(8, discount=discount, n_init=1, random_state=0)
        return model.fit(rows).history_[-1]["n_effective"]

    assert effective(0.9) > effective(0.0) + 0.1


def test_category_shares_of_measurements():
    rng = np.random.default_rng(0)
    values = rng.normal(size=60)
    rows = np.column_stack([np.arange(60) % 3, values])
    model = clusterer(5).fit(rows)
    assert model.context_names_[0].tolist()[0].startswith("(-inf, ")
    assert len(model.context_names_[0]) == 10
    cuts = np.sort(values)[5::6][:-1]  # deciles, of which each bin has the upper one
    bins = np.searchsorted(cuts, values)
    assert_array_equal(np.bincount(bins), 6)
    as_text = np.column_stack([rows[:, 0].astype(int), bins])
    oracle.assert_same_fit(model, clusterer(5).fit(as_text))
    far = [[0, 1e6], [0, values.max()], [0, -1e6], [0, values.min()]]
    proba = model.predict_proba(far)
    assert_allclose(proba[0], proba[1])
    assert_allclose(proba[2], proba[3])

"""What fitting a clusterer of tables raises, matches and chooses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.constraints import Sparsity
from skstruct.datasets import make_phrase_table
from skstruct.estimators import PitmanYorClusterer, PosteriorRegularizedClusterer
from skstruct.metrics import v_measure
from tests.estimators import _clustering_oracle as oracle
from tests.estimators._clustering_oracle import assert_same_fit, history

KINDS = {
    "em": {"constraint": None},
    "sparsity": {"constraint": Sparsity(1.5, tol=1e-9), "warmup": 3},
    "strong sparsity": {"constraint": Sparsity(40.0, tol=1e-9), "warmup": 2},
    "direction": {"constraint": None, "agreement": "direction"},
    "view": {"constraint": None, "agreement": "view", "views": [[0, 1], [0, 2]]},
    "both": {
        "constraint": Sparsity(2.0, tol=1e-9),
        "agreement": "direction",
        "warmup": 3,
    },
    "type": {"constraint": "type"},
}
each = pytest.mark.parametrize("kind", KINDS)
quiet = pytest.mark.filterwarnings("ignore:agreement='direction'")


def clusterer(n_clusters=3, **params):
    params = {"init": "random", "n_init": 1, "random_state": 0, "tol": 0} | params
    return PosteriorRegularizedClusterer(n_clusters, **params)


def assert_rises(values, start=0):
    assert np.isfinite(values).all()
    rise = np.diff(values[start:])
    assert (rise >= -1e-9 * np.abs(values[start + 1 :]) - 1e-12).all(), rise.min()


@st.composite
def tables(draw):
    sizes = [2, *draw(st.lists(st.integers(1, 12), max_size=5))]
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    phrase = np.repeat(np.arange(len(sizes)), sizes)
    n = len(phrase)
    X = [[f"w{p % 3} p{p}" for p in phrase]]
    for _ in range(2):
        X.append([f"c{v}" for v in rng.integers(draw(st.integers(1, 5)), size=n)])
    weight = rng.choice(
        draw(st.sampled_from([(1.0,), (0.0, 1.0, 2.0), (0.3, 1.7)])), size=n
    )
    weight[:2] = 1.5
    return np.array(X, dtype=object).T, weight


@each
@quiet
@settings(max_examples=40, deadline=None)
@given(
    data=tables(),
    K=st.integers(1, 5),
    alpha=st.sampled_from([0, 0.01, 1.0]),
    seed=st.integers(0, 1000),
    init=st.sampled_from(["random", "type"]),
)
def test_the_objective_never_falls(kind, data, K, alpha, seed, init):
    X, weight = data
    K = min(K, len(X))
    model = clusterer(
        K, max_iter=12, context_alpha=alpha, init=init, **KINDS[kind]
    ).set_params(random_state=seed)
    model.fit(X, sample_weight=weight)
    warmup = KINDS[kind].get("warmup", 0) if init == "random" else 0
    values = history(model)
    assert_rises(values, warmup)
    assert_rises(values[:warmup])
    for record in model.history_[:warmup]:
        assert record["penalty"] == 0
    for posterior in (model.regularized_posterior_, model.predict_proba(X)):
        assert (posterior >= 0).all()
        assert_allclose(posterior.sum(axis=1), 1)
    assert_allclose(model.cluster_given_phrase_.sum(axis=1), 1)
    for table in model.context_given_cluster_:
        assert_allclose(table.sum(axis=1), 1)


@pytest.mark.parametrize("kind", ["em", "direction", "view"])
@quiet
def test_no_strength_is_no_constraint(kind):
    X = oracle.table(60, n_phrases=8, words=2)
    plain = clusterer(max_iter=15, **KINDS[kind]).fit(X)
    params = {"constraint": Sparsity(0.0), "warmup": 0}
    zero = clusterer(max_iter=15, **KINDS[kind] | params).fit(X)
    assert_same_fit(plain, zero, rtol=1e-9, atol=1e-12)
    assert_allclose(history(zero, "penalty"), 0, atol=1e-10)


def test_a_strong_constraint_gives_a_phrase_one_distribution():
    X = oracle.table(80, n_phrases=8)
    model = clusterer(4, max_iter=10, constraint=Sparsity(1e5), warmup=4).fit(X)
    q = model.regularized_posterior_
    for phrase in model.phrases_:
        own = q[X[:, 0] == phrase]
        assert_allclose(own, own[:1].repeat(len(own), axis=0), atol=1e-6)
    assert (model.n_clusters_per_phrase() == 1).all()
    free = clusterer(4, max_iter=10, constraint=None).fit(X)
    assert (free.n_clusters_per_phrase() > 1).any()


def test_more_strength_is_fewer_categories():
    X, _ = make_phrase_table(400, n_phrases=40, ambiguity=0.4, random_state=0)

    def used(sigma):
        model = clusterer(4, max_iter=30, constraint=Sparsity(sigma), warmup=10).fit(X)
        total = 0.0
        for phrase in model.phrases_:
            own = model.regularized_posterior_[X[:, 0] == phrase]
            total += own.max(axis=0).sum()
        return total / len(model.phrases_)

    weak, middle, strong = map(used, (0.3, 2.0, 30.0))
    assert weak > middle + 0.1 > strong + 0.2
    assert 1 <= strong < 1.1


def test_warmup():
    X = oracle.table(60, n_phrases=8)
    params = {"constraint": Sparsity(3.0), "max_iter": 8}
    plain = clusterer(max_iter=8, constraint=None).fit(X)
    for warmup in (0, 4, 7):
        model = clusterer(warmup=warmup, **params).fit(X)
        assert (history(model, "penalty") > 0).tolist() == [
            n >= warmup for n in range(8)
        ]
        before = history(plain)[:warmup]
        assert_allclose(history(model)[:warmup], before)
    # A start from types needs none; the last iteration always obeys.
    model = clusterer(warmup=4, **params | {"init": "type"}).fit(X)
    assert (history(model, "penalty") > 0).all()
    long = clusterer(warmup=99, **params).fit(X)
    assert_same_fit(long, clusterer(warmup=7, **params).fit(X))
    one = clusterer(warmup=99, **params | {"max_iter": 1}).fit(X)
    assert one.history_[0]["penalty"] > 0


def test_the_warmup_does_not_end_a_fit():
    X = oracle.table(60, n_phrases=8)
    model = clusterer(1, tol=1e-3, constraint=Sparsity(3.0), warmup=20).fit(X)
    assert model.converged_ and model.n_iter_ > 20


@pytest.mark.parametrize("cls", [PosteriorRegularizedClusterer, PitmanYorClusterer])
def test_the_best_start_wins(cls):
    X, _ = make_phrase_table(150, ambiguity=0.5, random_state=1)
    params = {"random_state": 3, "max_iter": 40}
    objectives = [
        history(cls(4, n_init=n, init="random", **params).fit(X))[-1]
        for n in (1, 2, 4, 8)
    ]
    assert (np.diff(objectives) >= 0).all() and objectives[-1] > objectives[0]
    types = cls(4, n_init=1, init="type", **params).fit(X)
    for init in (("type", "random"), ["type", "random"]):
        assert_same_fit(types, cls(4, n_init=1, init=init, **params).fit(X))
        both = cls(4, n_init=2, init=init, **params).fit(X)
        assert history(both)[-1] >= history(types)[-1]


def test_starts_in_turn():
    X, _ = make_phrase_table(100, random_state=1)
    rng = np.random.RandomState(0)
    runs = [
        clusterer(4, init=init, random_state=rng, max_iter=9, constraint=None).fit(X)
        for init in ("random", "type", "type")
    ]
    best = max(history(run)[-1] for run in runs)
    model = clusterer(
        4, init=["random", "type"], n_init=3, max_iter=9, constraint=None
    ).fit(X)
    assert history(model)[-1] == best


@each
@quiet
def test_random_state(kind):
    X, _ = make_phrase_table(120, random_state=1)
    state = np.random.get_state()[1].copy()  # noqa: NPY002

    def fit(seed):
        model = clusterer(4, max_iter=8, n_init=2, **KINDS[kind])
        return model.set_params(random_state=seed).fit(X)

    assert_same_fit(fit(0), fit(0))
    assert_same_fit(fit(0), fit(np.random.RandomState(0)))
    assert_array_equal(fit(0).labels_, fit(0).labels_)
    assert not np.array_equal(history(fit(0)), history(fit(1)))
    assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@each
@quiet
def test_order_of_rows(kind):
    X, _ = make_phrase_table(120, random_state=1)
    order = np.random.default_rng(0).permutation(len(X))
    model = clusterer(4, max_iter=8, **KINDS[kind]).fit(X)
    moved = clusterer(4, max_iter=8, **KINDS[kind]).fit(X[order])
    assert_same_fit(model, moved, rtol=1e-9, atol=1e-12)
    assert_array_equal(model.labels_[order], moved.labels_)
    assert_allclose(
        model.regularized_posterior_[order], moved.regularized_posterior_, atol=1e-9
    )


def test_the_number_of_an_order_of_columns():
    X, _ = make_phrase_table(120, random_state=1)
    model = clusterer(4, max_iter=8).fit(X)
    other = clusterer(4, max_iter=8, phrase=2).fit(X[:, [1, 2, 0]])
    last = clusterer(4, max_iter=8, phrase=-1).fit(X[:, [1, 2, 0]])
    assert_same_fit(other, last)
    assert_same_fit(model, other)
    assert_array_equal(model.labels_, other.labels_)


@each
@quiet
def test_one_category(kind):
    X, _ = make_phrase_table(50, random_state=1)
    model = clusterer(1, tol=1e-5, **KINDS[kind]).fit(X)
    assert model.converged_
    assert_array_equal(model.labels_, 0)
    assert_array_equal(model.predict_proba(X), np.ones((50, 1)))
    assert_array_equal(model.cluster_given_phrase_, np.ones((len(model.phrases_), 1)))


def test_one_category_by_pitman_yor():
    X, _ = make_phrase_table(50, random_state=1)
    model = PitmanYorClusterer(1, random_state=0).fit(X)
    assert model.converged_ and model.history_[-1]["n_effective"] == 1
    assert_allclose(model.predict_proba(X), np.ones((50, 1)))


@pytest.mark.parametrize("kind", ["em", "sparsity", "type"])
def test_convergence(kind):
    X, _ = make_phrase_table(100, random_state=1)
    model = clusterer(2, tol=1e-4, max_iter=500, **KINDS[kind]).fit(X)
    rise = np.diff(history(model)) / np.abs(history(model)[1:])
    assert model.converged_ and model.n_iter_ == len(model.history_) < 500
    assert rise[-1] <= 1e-4
    assert [record["iteration"] for record in model.history_] == list(
        range(1, model.n_iter_ + 1)
    )
    # At its bound a fit may have converged, or not.
    exact = clusterer(2, tol=1e-4, max_iter=model.n_iter_, **KINDS[kind]).fit(X)
    assert exact.converged_
    short = clusterer(2, tol=1e-4, max_iter=model.n_iter_ - 1, **KINDS[kind]).fit(X)
    assert not short.converged_
    assert_same_fit(model, exact)


def test_categories_by_weight():
    X, _ = make_phrase_table(300, random_state=1)
    weight = np.random.default_rng(0).integers(0, 3, size=300)
    for constraint in (None, "type", Sparsity(3.0)):
        model = clusterer(5, constraint=constraint, max_iter=20)
        model.fit(X, sample_weight=weight)
        kept = np.isin(X[:, 0], model.phrases_) & (weight > 0)
        mass = weight[kept] @ model.regularized_posterior_[kept]
        assert (np.diff(mass) <= 1e-9).all()


def test_known_categories_are_found():
    X, y = make_phrase_table(1500, ambiguity=0.05, random_state=0)
    kept = np.unique(X[:, 0], return_inverse=True)[1]
    kept = np.bincount(kept)[kept] >= 5
    found = {}
    for name, model in {
        "em": clusterer(4, constraint=None, n_init=3, tol=1e-5),
        "sparsity": clusterer(4, n_init=3, tol=1e-5, init=("type", "random")),
        "type": clusterer(4, constraint="type", n_init=3),
        "pitman-yor": PitmanYorClusterer(8, random_state=0, init="type"),
    }.items():
        found[name] = v_measure(y[kept], model.fit(X).labels_[kept])
    assert min(found.values()) > 0.7, found

"""The model of a CRF autoencoder against enumeration of all paths."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn_crfsuite
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import BaseEstimator

from skstruct.containers import Ragged
from skstruct.emissions import Categorical, Gaussian, LogLinear, Poisson, Product, View
from skstruct.estimators import CRFAutoencoderTagger
from skstruct.estimators._autoencoder._model import Autoencoder, EncodedBatch
from skstruct.estimators._autoencoder._reconstruction import (
    as_product,
    fit_reconstruction,
)
from skstruct.solvers import LBFGS, AdaGrad
from tests import _oracles as oracle

K, L2 = 3, 0.3
WORDS = Ragged(
    [["the", "Rose", "is"], [], ["is"], ["a", "rose", "the", "rose"], ["a", "is"]]
)
T = WORDS.n_tokens
VECTORS = WORDS.with_values(np.random.default_rng(5).normal(size=(T, 2)))
WEIGHT = np.array([1.0, 2.0, 3.0, 0.5, 0.0])


class Initial(BaseEstimator):
    """A target: the first letter, of sequences."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        assert self.fitted_
        return X.with_values([word[0] for word in X.values])


CUSTOM = Product(
    [
        ("initial", View(Initial(), Categorical(alpha=0.2), offset=-1, exponent=0.7)),
        ("length", View(len, Poisson(), exponent=2.0)),
        ("own", View("token", LogLinear(l2=0.5))),
    ]
)
CASES = {
    "auto": (WORDS, "auto"),
    "brown": (WORDS, "brown"),
    "token": (WORDS, "token"),
    "loglinear": (WORDS, "loglinear"),
    "vectors": (VECTORS, "auto"),
    "full covariance": (VECTORS, Gaussian("full")),
    "emission": (WORDS, Categorical(alpha=0.3)),
    "custom": (WORDS, CUSTOM),
}
LABELS = np.array([-1, 2, -1, -1, 0, -1, 1, 1, -1, 2])
CONSTRAINTS = ["free", "labels", "dictionary", "both"]


def constraint(kind):
    allowed = np.random.default_rng(3).random((T, K)) < 0.6
    allowed[np.arange(T), np.where(LABELS < 0, 1, LABELS)] = True
    return {
        "labels": LABELS if kind in ("labels", "both") else None,
        "allowed": allowed if kind in ("dictionary", "both") else None,
    }


def encode(kind="free", form=sp.csr_array, **options):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(T, 4)) * (rng.random((T, 4)) < 0.7)
    options = {"weight": WEIGHT, **constraint(kind), **options}
    return EncodedBatch(form(features), WORDS.offsets, K, **options)


def fit(estimator, X):
    return estimator.fit(X)


def autoencoder(case, kind="free"):
    """An autoencoder somewhere, with its reconstruction and weights."""
    X, spec = CASES[case]
    reconstruction, observations = fit_reconstruction(as_product(spec, X), X, fit)
    model = Autoencoder(encode(kind), observations, reconstruction.product, L2)
    rng = np.random.RandomState(1)
    model.start_at_random(rng)
    model.start_from(rng.dirichlet(np.ones(K), size=T) + 0.1)
    return model, reconstruction, rng.normal(size=model.batch.linear.n_weights)


class Enumerated:
    """What `EncodedBatch` computes, path by path."""

    def __init__(self, batch, weights, log_prob):
        F = batch.linear.features.shape[1]
        coef = weights[: F * K].reshape(F, K)
        edge = weights[F * K : F * K + K * K].reshape(K, K)
        start = weights[F * K + K * K :]
        features = batch.linear.features
        features = features.toarray() if sp.issparse(features) else features
        free = features @ coef
        if batch.allowed is not None:
            free = np.where(batch.allowed, free, -np.inf)
        joint = free + (0 if log_prob is None else log_prob)
        if batch.labels is not None:
            known = batch.labels[:, None]
            joint = np.where((known < 0) | (known == np.arange(K)), joint, -np.inf)
        self.log_likelihood, self.node, self.paths = [], np.zeros((T, K)), []
        for first, last in zip(WORDS.offsets[:-1], WORDS.offsets[1:], strict=True):
            paths = oracle.enumerate_paths(last - first, K)
            scores = [
                oracle.chain_scores(paths, node[first:last], edge, start)
                for node in (joint, free)
            ]
            z = [oracle.log_partition(s) for s in scores]
            self.log_likelihood.append(z[0] - z[1])
            self.node[first:last] = oracle.node_marginals(paths, scores[0], K)
            self.paths.append(oracle.argmax(paths, scores[0])[1])

    def loss(self, weight, weights, prior=0.0, centre=0.0):
        total = weight @ self.log_likelihood + prior
        return L2 / 2 * ((weights - centre) ** 2).sum() - total / weight.sum()


@pytest.mark.parametrize("kind", CONSTRAINTS)
@pytest.mark.parametrize("case", CASES)
def test_objective_gradient_posterior_and_path_equal_enumeration(case, kind):
    model, _, weights = autoencoder(case, kind)
    model.centre = np.linspace(-1, 1, len(weights))
    batch, prior = model.batch, model.emission.log_prior()

    def loss(weights):
        by_hand = Enumerated(batch, weights, model.log_prob)
        return by_hand.loss(WEIGHT, weights, prior, model.centre)

    out = model.evaluate(weights)
    by_hand = Enumerated(batch, weights, model.log_prob)
    assert_allclose(out.loss, loss(weights), rtol=1e-10)
    assert_allclose(out.log_likelihood, WEIGHT @ by_hand.log_likelihood, rtol=1e-10)
    per_token = np.repeat(WEIGHT, WORDS.lengths)[:, None]
    assert_allclose(out.node, by_hand.node * per_token, atol=1e-12)
    # Of random directions, each of which sees all weights.
    directions = np.random.default_rng(2).normal(size=(3, len(weights)))
    steps = 1e-5 * directions
    slopes = [(loss(weights + s) - loss(weights - s)) / 2e-5 for s in steps]
    assert_allclose(directions @ out.gradient, slopes, rtol=1e-6, atol=1e-8)
    codes, _ = batch.joint.argmax(batch.potentials(weights, model.log_prob))
    assert_array_equal(codes, np.concatenate(by_hand.paths))


@pytest.mark.parametrize("case", CASES)
def test_log_probabilities_are_those_of_the_views(case):
    X, _ = CASES[case]
    model, reconstruction, _ = autoencoder(case)
    expected = np.zeros((T, K))
    for name, view in reconstruction.product.views:
        target, emission = (
            reconstruction.targets[name],
            reconstruction.emissions_[name],
        )
        values = X if target is None else target.transform(X)
        shifted = []
        for sequence in values:
            for t in range(len(sequence)):
                there = t + view.offset
                inside = 0 <= there < len(sequence)
                shifted.append(sequence[there] if inside else "<boundary>")
        kind = float if X is VECTORS else object
        index, rows = emission.encode(np.array(shifted, dtype=kind))
        expected += view.exponent * emission.table(rows)[index]
    assert_allclose(model.log_prob, expected, rtol=1e-12)
    assert_allclose(reconstruction.log_prob(X), expected, rtol=1e-12)
    # Of each sequence on its own, too.
    assert_allclose(reconstruction.log_prob([X[3]]), expected[-6:-2], rtol=1e-12)


def test_the_names_stand_for_these_views():
    views = as_product("auto", WORDS).views
    described = {n: (v.target, v.offset, v.exponent) for n, v in views}
    assert described == {
        "token": ("token", 0, 1.0),
        "previous": ("brown", -1, 0.5),
        "next": ("brown", 1, 0.5),
    }
    assert isinstance(views[0][1].emission, LogLinear)
    for name, emission in [("token", type(None)), ("loglinear", LogLinear)]:
        ((_, view),) = as_product(name, WORDS).views
        assert view.target == "token" and isinstance(view.emission, emission)
    ((_, view),) = as_product("auto", VECTORS).views
    assert isinstance(view.emission, Gaussian)


@pytest.mark.parametrize("kind", ["free", "both"])
@pytest.mark.parametrize("case", CASES)
def test_a_step_on_the_reconstruction_lowers_the_loss(case, kind):
    model, _, weights = autoencoder(case, kind)
    losses = []
    for _ in range(4):
        state = model.evaluate(weights)
        losses.append(state.loss)
        model.reconstruct(state)
    assert (np.diff(losses) <= 1e-12).all() and losses[-1] < losses[0]


def test_views_with_one_target_share_its_fit():
    target = Initial()
    views = [("a", View(target)), ("b", View(target, offset=1)), ("c", View(Initial()))]
    product = Product(views)
    model = CRFAutoencoderTagger(2, reconstruction=product, init="random", max_iter=1)
    targets = model.fit(WORDS).reconstruction_.targets
    assert targets["a"] is targets["b"] is not targets["c"]
    assert not hasattr(target, "fitted_")
    assert product.views[0][1].target is target


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_parts_of_a_batch_add_up(kind, form):
    batch = encode(kind, form)
    rng = np.random.default_rng(0)
    weights, log_prob = rng.normal(size=batch.linear.n_weights), rng.normal(size=(T, K))
    whole = batch.evaluate(weights, log_prob, 0.0)
    gradient, likelihood = np.zeros_like(weights), 0.0
    for ids in ([4, 1], [3], [0, 2]):
        part, rows = batch.take(np.array(ids))
        one = part.evaluate(weights, log_prob[rows], 0.0)
        assert_allclose(one.node, whole.node[rows], atol=1e-12)
        gradient += one.gradient * WEIGHT[ids].sum()
        likelihood += one.log_likelihood
    assert_allclose(gradient / WEIGHT.sum(), whole.gradient, atol=1e-12)
    assert_allclose(likelihood, whole.log_likelihood, rtol=1e-12)


def test_the_encoder_is_not_mixed_up_between_weights():
    model, _, weights = autoencoder("token")
    first = model.evaluate(weights)
    model.evaluate(-weights)
    model.reconstruct(first)
    again = model.evaluate(weights)
    fresh = encode().evaluate(weights, model.log_prob, L2)
    assert_allclose(again.gradient, fresh.gradient, rtol=1e-12)


FULL = np.array([0, 2, 1, 0, 0, 1, 0, 1, 1, 2])


def best_by(solver, batch, n, l2):
    weights = np.zeros(batch.linear.n_weights)
    for _ in range(n):
        state = batch.evaluate(weights, None, l2)
        if isinstance(solver, AdaGrad):
            weights = solver.step(weights, state.gradient)
        else:
            weights, _, moved = solver.step(
                lambda w: batch.evaluate(w, None, l2), weights, state
            )
            if not moved:
                break
    return weights


def test_solvers_agree_on_an_encoder_of_known_labels():
    batch = encode(labels=FULL)

    def loss(w):  # a copy: scipy changes its array in place
        return batch.evaluate(w.copy(), None, L2)[:2]

    best = minimize(loss, np.zeros(batch.linear.n_weights), jac=True, tol=1e-10)
    lbfgs = best_by(LBFGS(), batch, 100, L2)
    adagrad = best_by(AdaGrad(0.3), batch, 1500, L2)
    assert_allclose(loss(lbfgs)[0], best.fun, rtol=1e-9)
    assert_allclose(lbfgs, best.x, atol=1e-5)
    assert_allclose(adagrad, best.x, atol=1e-5)


def test_an_encoder_of_known_labels_is_the_crf_of_crfsuite():
    batch = encode(labels=FULL, weight=None)
    weights = best_by(LBFGS(), batch, 200, L2)
    dense = batch.linear.features.toarray()
    X = []
    for first, last in zip(WORDS.offsets[:-1], WORDS.offsets[1:], strict=True):
        rows = [{f"f{j}": v for j, v in enumerate(x)} for x in dense[first:last]]
        if rows:
            rows[0]["first"] = 1.0  # in the place of weights of first states
        X.append(rows)
    y = [list(map(str, s)) for s in WORDS.with_values(FULL)]
    # It penalises a sum over sequences by c2 |w|^2.
    crf = sklearn_crfsuite.CRF(
        c2=L2 * len(X) / 2,
        min_freq=-1e6,  # it counts sums of values, which may be negative
        all_possible_states=True,
        all_possible_transitions=True,
        max_iterations=1000,
        epsilon=1e-9,
        delta=1e-12,
    ).fit(X, y)
    theirs = [
        [p[str(k)] for k in range(K)] for s in crf.predict_marginals(X) for p in s
    ]
    ours = EncodedBatch(batch.linear.features, WORDS.offsets, K)
    free = ours.evaluate(weights, None, L2).node
    assert_allclose(free, theirs, atol=1e-4)
    a = [[crf.transition_features_[str(j), str(k)] for k in range(K)] for j in range(K)]
    assert_allclose(batch.linear.split(weights)[1], a, atol=1e-4)

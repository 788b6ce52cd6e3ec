"""What fitting an aligner raises, matches and leaves out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime

from skstruct.datasets import make_bitext
from skstruct.estimators import (
    CRFAutoencoderAligner,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
)
from skstruct.estimators._alignment._training import JointTraining
from tests.estimators import _alignment_oracle as oracle

ONE_WAY = {"update": "map", "agreement": None, "symmetrization": "forward"}


def text(n=25, seed=0, longest=6, n_words=8):
    """Pairs of words with the same number, some of them moved, lost or changed."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        source = rng.integers(n_words, size=rng.integers(1, longest + 1))
        target = np.where(rng.random(len(source)) < 0.8, source, rng.integers(n_words))
        if rng.random() < 0.3:
            target = target[::-1]
        target = target[rng.random(len(target)) < 0.9]
        pairs.append(([f"s{k}" for k in source], [f"t{k}" for k in target]))
    return pairs


def history(model):
    name = "log_likelihood" if "log_likelihood" in model.history_[0] else "objective"
    return np.array([record[name] for record in model.history_])


def log_priors(make, n):
    """Log-density of theta after each of n steps."""
    found = []
    for k in range(1, n + 1):
        found.append(oracle.fitted_translations(make(k)).log_prior())
    return np.array(found)


def n_target_words(pairs):
    return sum(len(target) for source, target in pairs if source)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize("cls", [IBM1Aligner, DiagonalAligner])
def test_em_of_independent_links_never_falls(cls, alpha, seed):
    pairs = text(seed=seed, n=6 + 5 * seed)
    n = 8

    def fit(max_iter):
        return cls(update="map", alpha=alpha, max_iter=max_iter).fit(pairs)

    # The likelihood of a step is of theta before it, at first alike for all.
    objective = history(fit(n))[1:] * n_target_words(pairs) + log_priors(fit, n - 1)
    assert (np.diff(objective) > -1e-4).all()
    assert objective[-1] > objective[0] + 0.1


def ibm1_log_likelihood(pairs, theta, null):
    total = 0.0
    for source, target in pairs:
        for t in target if source else ():
            mean = np.mean([theta[s, t] for s in source])
            total += np.log(0.1 * null[t] + 0.9 * mean)
    return total


def probabilities(pairs, max_iter):
    model = IBM1Aligner(max_iter=max_iter).fit(pairs)
    found = oracle.fitted_translations(model)
    rows = {}
    for (s, _), n in found.count.items():
        rows[s] = rows.get(s, 0) + n
    theta = {pair: max(n / rows[pair[0]], 1e-12) for pair, n in found.count.items()}
    null = dict(zip(found.null, found.nothing_by_outcome(), strict=True))
    return model, theta, null


def test_ibm1_is_concave_between_tables():
    pairs = text(20, seed=1)
    (_, a, a_null), (model, b, b_null) = (probabilities(pairs, n) for n in (1, 30))
    between = []
    for share in np.linspace(0, 1, 11):
        theta = {k: (1 - share) * a[k] + share * b[k] for k in a}
        null = {k: (1 - share) * a_null[k] + share * b_null[k] for k in a_null}
        between.append(ibm1_log_likelihood(pairs, theta, null))
    assert (np.diff(between, 2) < 1e-9).all() and (np.diff(between) > 0).all()
    assert_allclose(between[-1], model.score(pairs) * n_target_words(pairs), rtol=1e-4)


def test_em_of_ibm1_reaches_the_maximum():
    pairs, rng = text(20, seed=3), np.random.default_rng(0)
    _, theta, null = probabilities(pairs, 2000)
    best = ibm1_log_likelihood(pairs, theta, null)
    for _ in range(20):
        # By concavity, a step towards any other table tells of all of the way.
        other = {pair: rng.exponential() for pair in theta}
        rows = {s: sum(other[p] for p in other if p[0] == s) for s, _ in other}
        there = {p: 0.99 * theta[p] + 0.01 * other[p] / rows[p[0]] for p in theta}
        shares = rng.dirichlet(np.ones(len(null)))
        nothing = {
            t: 0.99 * n + 0.01 * x
            for (t, n), x in zip(null.items(), shares, strict=True)
        }
        assert ibm1_log_likelihood(pairs, there, nothing) < best + 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_em_of_an_hmm_rises_but_for_jumps(seed):
    pairs = text(seed=seed, n=30)

    def fit(max_iter):
        params = {"alpha": 0.1, "null_alpha": 0.1, **ONE_WAY}
        return HMMAligner(max_iter=max_iter, **params).fit(pairs)

    n = 8
    model = fit(n)
    objective = history(model) * n_target_words(pairs) + log_priors(fit, n)
    # Of jumps, counts are shares of all jumps, whichever ones there was room for.
    assert np.diff(objective).min() > -0.01 * n_target_words(pairs)
    assert objective[-1] > objective[0] + 0.5


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.0, 0.2])
def test_penalised_likelihood_of_a_crf_never_falls(alpha, seed):
    pairs = text(seed=seed, n=20)
    l2, n = 0.01, 6

    def fit(max_iter):
        return CRFAutoencoderAligner(
            alpha=alpha,
            null_alpha=0.1,
            encoder_l2=l2,
            encoder_sample=None,
            max_iter=max_iter,
            stem_length=4,
            **ONE_WAY,
        ).fit(pairs)

    models = [fit(k) for k in range(1, n + 1)]
    start = JointTraining(models[0], pairs, None, None)._start()[1][0]._center
    # The likelihood of an iteration is of its theta, and of weights before it.
    weights = [start, *(m._model.directed[0].encoder.coef for m in models[:-1])]
    penalty = [l2 / 2 * ((w - start) ** 2).sum() for w in weights]
    n_pairs = sum(bool(s and t) for s, t in pairs)
    objective = history(models[-1]) * n_target_words(pairs)
    objective += log_priors(lambda k: models[k - 1], n) - n_pairs * np.array(penalty)
    assert (np.diff(objective) > -1e-3).all()
    assert objective[-1] > objective[0] + 1


class Recorder:
    """A solver that does not move, and keeps what it is asked to minimise."""

    def step(self, evaluate, coef, state):
        self.evaluate = evaluate
        return coef, state, False


def linear_training(features="default"):
    pairs = [*text(6, longest=4), (["Ab", "12"], ["ab", "12"])]
    weight = np.arange(1.0, len(pairs) + 1)
    estimator = CRFAutoencoderAligner(
        features=features, encoder_sample=None, encoder_l2=0.1, **ONE_WAY
    )
    (links,), (training,), _ = JointTraining(estimator, pairs, None, weight)._start()
    rng = np.random.default_rng(0)
    cell = rng.random(len(links.direction.index), dtype=np.float32)
    null = rng.random(len(links.direction.outcome))
    posterior = links.lattice.posterior(links.potentials(cell, null), training.weight)
    return training, posterior


@pytest.mark.parametrize("features", ["default", "paper", ["diagonal", "log_jump"]])
def test_gradient_of_the_encoder(features):
    training, posterior = linear_training(features)
    training._solver = recorder = Recorder()
    training.update(posterior)
    coef = np.random.default_rng(0).normal(size=len(training.encoder.coef))

    def value(w):
        return recorder.evaluate(w)[0]

    def gradient(w):
        return recorder.evaluate(w)[1]

    used = np.flatnonzero(np.abs(gradient(coef) - 0.1 * (coef - training._center)) > 0)
    assert len(used) > 5
    numeric = approx_fprime(coef, value, 1e-6)
    assert_allclose(gradient(coef), numeric, atol=2e-5)
    # It is convex.
    other = coef + np.random.default_rng(1).normal(size=len(coef))
    line = [value(coef + t * (other - coef)) for t in np.linspace(0, 1, 7)]
    assert (np.diff(line, 2) > 0).all()


def test_an_encoder_step_raises_its_objective_at_fixed_posteriors():
    training, posterior = linear_training()
    solver, training._solver = training._solver, Recorder()
    training.update(posterior)
    evaluate, losses = training._solver.evaluate, []
    training._solver = solver
    for _ in range(4):
        losses.append(evaluate(training.encoder.coef)[0])
        training.update(posterior)
    losses.append(evaluate(training.encoder.coef)[0])
    assert (np.diff(losses) < 0).all() and losses[0] - losses[-1] > 0.1


def test_the_tension_makes_distances_those_expected():
    pairs = text(30, seed=2, longest=7)
    model = DiagonalAligner(update="map", alpha=0.1, max_iter=60, tension=1.0)
    model.fit(pairs)
    assert 0.2 < model.tension_ < 13
    positions, seen, expected = oracle.Diagonal(0.08, model.tension_), 0.0, 0.0
    for (source, target), p in zip(pairs, model.predict_proba(pairs), strict=True):
        K, J = len(source), len(target)
        distances = positions.distances(K, J)
        seen += (p.T * distances).sum()
        prior = positions.weights(K, J) / 0.92
        expected += (p.sum(axis=0) * (prior * distances).sum(axis=1)).sum()
    assert_allclose(seen, expected, rtol=1e-3)


def test_the_tension_stays_where_nothing_tells():
    pairs = [(["a"], list("xyzxyzxyzxy")), (["b"], ["y"])] * 3
    assert DiagonalAligner(max_iter=9).fit(pairs).tension_ == 4.0


@pytest.mark.parametrize("update", ["cvb0", "map", "variational"])
@pytest.mark.parametrize("cls", [IBM1Aligner, DiagonalAligner, HMMAligner])
def test_weight_two_is_the_pair_twice(cls, update):
    pairs = text(12, seed=4)
    model = cls(update=update, alpha=0.01, store_posteriors=True)
    weight = np.where(np.arange(12) % 3 == 0, 2.0, 1.0)
    twice = [*pairs, *pairs[::3]]
    weighted = model.fit(pairs, sample_weight=weight)
    posteriors, scores = weighted.posteriors_, history(weighted)
    doubled = model.fit(twice)
    for a, b in zip(posteriors, doubled.posteriors_[:12], strict=True):
        assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    assert_allclose(scores, history(doubled), rtol=1e-4)


def test_weight_two_is_the_text_twice_for_a_crf():
    pairs = text(12, seed=4)
    model = CRFAutoencoderAligner(encoder_sample=None, store_posteriors=True)
    # Frequencies do not read weights, but twice all of them tell apart the same words.
    weighted = model.fit(pairs, sample_weight=np.full(12, 2.0)).posteriors_
    doubled = model.fit(pairs * 2).posteriors_
    for a, b in zip(weighted, doubled[:12], strict=True):
        assert_allclose(a, b, atol=1e-3)


@pytest.mark.parametrize("cls", [IBM1Aligner, HMMAligner, CRFAutoencoderAligner])
def test_a_pair_of_weight_zero_teaches_nothing_and_is_aligned(cls):
    pairs = text(12, seed=5)
    wrong = [(s, ["t1"] * len(s)) for s, _ in pairs]
    weight = np.repeat([1.0, 0.0], 12)
    model = cls().fit(pairs + wrong, sample_weight=weight)
    other = cls().fit(pairs + wrong[::-1], sample_weight=weight)
    assert sum(map(len, model.links_[12:])) > 0
    for a, b in zip(model.links_[:12], other.links_[:12], strict=True):
        assert a.tolist() == b.tolist()


@pytest.mark.parametrize("cls", [IBM1Aligner, DiagonalAligner, HMMAligner])
def test_empty_sides_teach_nothing(cls):
    pairs = text(12, seed=6)
    pairs = [p for p in pairs if p[1]]
    model = cls().fit(pairs)
    padded = cls().fit([*pairs, ([], ["t1", "t2"]), (["s1"], []), ([], [])])
    assert_allclose(history(model), history(padded), rtol=1e-6)
    for a, b in zip(model.links_, padded.links_, strict=False):
        assert a.tolist() == b.tolist()
    assert [len(links) for links in padded.links_[len(pairs) :]] == [0, 0, 0]


def test_agreement_makes_directions_agree():
    X, _ = make_bitext(80, random_state=0)
    gaps = []
    for strength in (0.0, 0.3, 1.0):
        model = HMMAligner(agreement_strength=strength).fit(X)
        table = model.link_table(X)
        gaps.append(np.abs(table["forward"] - table["reverse"]).mean())
    assert gaps[0] > gaps[1] > gaps[2]


@pytest.mark.parametrize("constraint", ["bijectivity", ["bijectivity", "symmetry"]])
def test_constraints_limit_links_of_a_word(constraint):
    X, _ = make_bitext(60, random_state=0)
    excess = []
    for c in (None, constraint):
        model = HMMAligner(
            agreement=None, constraint=c, store_posteriors=True, reconstruction="stem"
        ).fit(X)
        rows = [p.sum(axis=1) for p in model.posteriors_]
        excess.append(sum(np.maximum(row - 1, 0).sum() for row in rows))
    assert excess[1] < 0.7 * excess[0]


def test_lists_of_constraints_and_instances_are_the_same():
    from skstruct.constraints import Symmetry

    X = text(10)
    fits = [
        HMMAligner(constraint=c, agreement=None, store_posteriors=True).fit(X)
        for c in ("symmetry", Symmetry(), ["symmetry"])
    ]
    for other in fits[1:]:
        for a, b in zip(fits[0].posteriors_, other.posteriors_, strict=True):
            assert_allclose(a, b, atol=1e-6)

"""AnnealedHMM against enumeration of all state sequences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import digamma
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator

from skstruct.emissions import Categorical
from skstruct.estimators import AnnealedHMM
from tests import _oracles as oracle
from tests.estimators._hmm_oracle import (
    DICTIONARY,
    ORDERS,
    STATES,
    SYMBOLS,
    WEIGHT,
    Counts,
    K,
    Parameters,
    V,
    X,
    Y,
    assert_same,
    dictionary_mask,
    expected_counts,
    fitted_parameters,
    guidance,
    log,
    normalised,
    one_step,
    random_parameters,
    scores_of,
    updated,
)

GUIDANCE = ["nothing", "dictionary", "labels", "both"]


@pytest.mark.parametrize("guide", GUIDANCE)
@pytest.mark.parametrize("beta", [0.3, 1.0])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("alpha, transition_alpha", [(0.0, 0.0), (0.4, 0.2)])
def test_one_step_and_the_free_energy(guide, beta, order, alpha, transition_alpha):
    mask, dictionary, labels = guidance(guide)
    p = random_parameters(1, order, mask)
    counts = expected_counts(p, mask, labels, beta=beta)
    hmm = one_step(
        p, beta, alpha, labels, dictionary, transition_alpha=transition_alpha
    )
    assert_same(
        fitted_parameters(hmm), updated(p, counts, mask, alpha, transition_alpha)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = sum(log(a).sum() for a in p[:3] if a is not None) * transition_alpha
        prior += alpha * log(p.emission[mask.T]).sum()
    used = WEIGHT > 0
    energy = WEIGHT[used] @ counts.log_z[used] / beta + prior
    n_tokens = WEIGHT @ [len(s) for s in X]
    assert_allclose(hmm.history_[0]["objective"], energy / n_tokens, atol=1e-10)
    assert hmm.history_[0]["beta"] == beta


@pytest.mark.parametrize("guide", GUIDANCE)
@pytest.mark.parametrize("order", ORDERS)
def test_paths_and_marginals(guide, order):
    mask, dictionary, labels = guidance(guide)
    p = random_parameters(2, order, mask)
    # One step at all from smoothed arrays: nothing is impossible afterwards.
    hmm = one_step(p, 1.0, 0.3, labels, dictionary, transition_alpha=0.1)
    p = fitted_parameters(hmm)
    paths = hmm.predict(X, observed_labels=labels)
    proba = hmm.predict_proba(X, observed_labels=labels)
    best = hmm.set_params(decoding="posterior").predict(X, observed_labels=labels)
    names = np.array(hmm.states_, dtype=object)
    for i, sequence in enumerate(X):
        y = None if labels is None else labels[i]
        every, scores = scores_of(sequence, y, p, mask)
        assert_array_equal(paths[i], names[oracle.argmax(every, scores)[1]])
        marginals = oracle.node_marginals(every, scores, K)
        assert_allclose(proba[i], marginals, atol=1e-10)
        assert_array_equal(best[i], names[marginals.argmax(axis=1)])


@pytest.mark.parametrize("order", ORDERS)
def test_what_else_a_fitted_model_answers(order):
    mask = np.ones((V, K), dtype=bool)
    hmm = one_step(random_parameters(3, order, mask), 1.0, 0.3, transition_alpha=0.1)
    p = fitted_parameters(hmm)
    filtered, ahead = hmm.filter_proba(X), hmm.predict_next_proba(X)
    best, scores_of_x = hmm.predict_k_best(X, k=4), hmm.score_samples(X)
    assert ahead.shape == (len(X), K)
    for i, sequence in enumerate(X):
        paths, scores = scores_of(sequence, None, p, mask)
        log_z = oracle.log_partition(scores)
        assert_allclose(scores_of_x[i], log_z, atol=1e-10)

        top_scores, top_paths = oracle.k_best(paths, scores, 4)
        assert len(best[i]) == len(top_paths)
        for (path, log_prob), y, s in zip(best[i], top_paths, top_scores, strict=True):
            assert_array_equal(path, y)
            assert_allclose(log_prob, s - log_z, atol=1e-10)

        codes = [SYMBOLS.index(w) for w in sequence]
        second = None if p.second is None else log(p.second)
        # One more token that all states emit alike: its filter is the prediction.
        node = np.vstack([log(p.emission.T[codes]), np.zeros(K)])
        expected = oracle.filtered(
            node, log(p.transmat), log(p.start), second=second, order=order
        )
        assert_allclose(filtered[i], expected[:-1].reshape(-1, K), atol=1e-10)
        assert_allclose(ahead[i], expected[-1], atol=1e-10)
    n_tokens = sum(map(len, X))
    assert_allclose(hmm.score(X), scores_of_x.sum() / n_tokens)
    weighted = WEIGHT @ scores_of_x / (WEIGHT @ [len(s) for s in X])
    assert_allclose(hmm.score(X, sample_weight=WEIGHT), weighted)
    free = (K - 1) + K * (V - 1)
    free += K * (K - 1) if order == 1 else K * K * (K - 1) + K * (K - 1)
    assert_allclose(hmm.aic(X), 2 * free - 2 * scores_of_x.sum())
    assert_allclose(hmm.bic(X), free * np.log(n_tokens) - 2 * scores_of_x.sum())


@pytest.mark.parametrize("order", ORDERS)
def test_skewed_annealing_begins_at_the_initialiser(order):
    mask = np.ones((V, K), dtype=bool)
    theirs = one_step(random_parameters(4, order, mask), 1.0, 0.3, transition_alpha=0.1)
    p0 = fitted_parameters(theirs)
    hmm = one_step(p0, 1e-9, skew_from=FrozenEstimator(theirs))
    expected = updated(p0, expected_counts(p0, mask), mask)
    assert_same(fitted_parameters(hmm), expected, atol=1e-7)


def test_skewed_step_between_the_two():
    mask = dictionary_mask()
    theirs = one_step(
        random_parameters(4, 1, mask), 1.0, 0.3, None, DICTIONARY, transition_alpha=0.1
    )
    p0 = fitted_parameters(theirs)
    hmm = one_step(p0, 0.4, dictionary=DICTIONARY, skew_from=FrozenEstimator(theirs))
    # The model begins with the M-step of the initialiser's posterior.
    p = updated(p0, expected_counts(p0, mask), mask)
    counts = expected_counts(p, mask, beta=0.4, skew=p0)
    assert_same(fitted_parameters(hmm), updated(p, counts, mask))


@pytest.mark.parametrize("order", ORDERS)
def test_large_beta_is_viterbi_em(order):
    mask, beta = np.ones((V, K), dtype=bool), 2000.0
    p = random_parameters(6, order, mask)
    hmm = one_step(p, beta)
    counts = Counts(
        np.zeros(len(X)),
        np.zeros(K),
        np.zeros((K,) * (order + 1)),
        np.zeros((K, K)),
        np.zeros((K, V)),
    )
    for sequence, weight in zip(X, WEIGHT, strict=True):
        paths, scores = scores_of(sequence, None, p, mask)
        if len(scores) > 1:
            ahead = np.diff(np.sort(scores)[-2:])[0]
            assert ahead * beta > 40  # else the test asks for a tie
        path = oracle.argmax(paths, scores)[1]
        if not len(path):
            continue
        counts.start[path[0]] += weight
        if order == 2 and len(path) > 1:
            counts.second[path[0], path[1]] += weight
        for t in range(order, len(path)):
            counts.edge[tuple(path[t - order : t + 1])] += weight
        for k, w in zip(path, sequence, strict=True):
            counts.emission[k, SYMBOLS.index(w)] += weight
    assert_same(fitted_parameters(hmm), updated(p, counts, mask))


TAGGED = [["A", "C", "B", "A"], ["B"], [], ["C", "A", "B"], ["B", "A"], list("ACCB")]


@pytest.mark.parametrize("alpha, transition_alpha", [(0.0, 0.0), (0.5, 0.25)])
@pytest.mark.parametrize("order", ORDERS)
def test_all_labels_known_is_supervised_counting(order, alpha, transition_alpha):
    hmm = AnnealedHMM(
        emissions=Categorical(alpha=alpha),
        supervision="clamp",
        order=order,
        transition_alpha=transition_alpha,
    ).fit(X, TAGGED)
    start, edge = np.zeros(K), np.zeros((K,) * (order + 1))
    second, emission = np.zeros((K, K)), np.zeros((K, V))
    for sequence, labels in zip(X, TAGGED, strict=True):
        y = [STATES.index(s) for s in labels]
        for k, w in zip(y, sequence, strict=True):
            emission[k, SYMBOLS.index(w)] += 1
        for t in range(order, len(y)):
            edge[tuple(y[t - order : t + 1])] += 1
        if y:
            start[y[0]] += 1
        if len(y) > 1:
            second[y[0], y[1]] += 1

    def counted(table, pseudo):
        return normalised(table + pseudo, np.full(table.shape, 1 / K))

    assert hmm.states_.tolist() == STATES
    assert_allclose(hmm.startprob_, counted(start, transition_alpha))
    assert_allclose(hmm.transmat_, counted(edge, transition_alpha))
    assert_allclose(hmm.emissionprob_, counted(emission, alpha))
    if order == 2:
        assert_allclose(hmm.second_transmat_, counted(second, transition_alpha))
    assert hmm.converged_ and hmm.n_iter_ <= 3


def test_variational_step():
    """Weights exp(psi(c + alpha) - psi(sum)), Dirichlet posterior of each state."""
    mask = np.ones((V, K), dtype=bool)
    p = random_parameters(7, 1, mask)
    hmm = AnnealedHMM(
        K,
        emissions=Categorical(
            alpha=0.2, update="variational", init=p.emission, symbols=SYMBOLS
        ),
        startprob_init=p.start,
        transmat_init=p.transmat,
        max_iter=1,
    )
    with pytest.warns(ConvergenceWarning):
        hmm.fit(X, sample_weight=WEIGHT)
    counts = expected_counts(p, mask)
    posterior = counts.emission + 0.2
    weights = np.exp(digamma(posterior) - digamma(posterior.sum(axis=1))[:, None])
    # The start array counts as many tokens, so it is met to seven digits only.
    expected = weights / weights.sum(axis=1, keepdims=True)
    assert_allclose(hmm.emissionprob_, expected, atol=1e-6)
    assert_allclose(hmm.transmat_, updated(p, counts, mask).transmat, atol=1e-6)


@pytest.mark.parametrize("fixed", ["startprob", "transmat", "emission"])
@pytest.mark.parametrize("order", ORDERS)
def test_fixed_parts_stay(fixed, order):
    p = random_parameters(8, order, np.ones((V, K), dtype=bool))
    hmm = one_step(p, fixed=(fixed,), jitter=0.1)
    moved = {
        name
        for name, before, after in zip(
            Parameters._fields, p, fitted_parameters(hmm), strict=True
        )
        if before is not None and not np.allclose(before, after)
    }
    expected = {
        "startprob": {"transmat", "second", "emission"},
        "transmat": {"start", "emission"},
        "emission": {"start", "transmat", "second"},
    }[fixed]
    assert moved == expected - (set() if order == 2 else {"second"})


def test_observed_labels_at_predict():
    mask = np.ones((V, K), dtype=bool)
    hmm = one_step(random_parameters(15, 1, mask), 1.0, 0.3, Y, transition_alpha=0.1)
    p = fitted_parameters(hmm)
    given = [["C", None, None, "A"], ["B"], [], None, [None, "C"], None]
    paths = hmm.predict(X, observed_labels=given)
    for i, sequence in enumerate(X):
        every, scores = scores_of(sequence, given[i], p, mask)
        assert_array_equal(
            paths[i], np.array(STATES)[oracle.argmax(every, scores)[1]].astype(object)
        )
    assert paths[0][0] == "C" and paths[0][3] == "A" and paths[4][1] == "C"
    assert any((a != b).any() for a, b in zip(paths, hmm.predict(X), strict=True))


def test_observed_labels_win_over_dictionary_and_emissions():
    hmm = AnnealedHMM(tag_dictionary=DICTIONARY).fit(X)
    assert (hmm.emissionprob_[:2, 1] == 0).all()  # "b" is C only
    answer = hmm.predict([["b", "a"]], observed_labels=[["A", None]])[0]
    assert answer[0] == "A"

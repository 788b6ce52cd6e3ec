"""Clustering metrics: by hand, against scikit-learn, against all permutations."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import v_measure_score

from skstruct.containers import Ragged
from skstruct.metrics import (
    conditional_entropy,
    greedy_one_to_one_accuracy,
    many_to_one_accuracy,
    one_to_one_accuracy,
    v_measure,
    variation_of_information,
)

METRICS = [
    conditional_entropy,
    greedy_one_to_one_accuracy,
    many_to_one_accuracy,
    one_to_one_accuracy,
    v_measure,
    variation_of_information,
]


def draw(seed, n_labels=4, n_states=5, n_sequences=12):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 9, n_sequences)
    gold = rng.integers(0, n_labels, lengths.sum())
    noise = rng.integers(0, n_states, lengths.sum())
    predicted = np.where(rng.random(lengths.sum()) < 0.5, (gold + 2) % n_states, noise)
    return Ragged.from_lengths(gold, lengths), Ragged.from_lengths(predicted, lengths)


def best_matching(gold, predicted):
    """Best token accuracy over all injections of the smaller side into the larger."""
    labels, states = np.unique(gold), np.unique(predicted)
    if len(labels) > len(states):
        return best_matching(predicted, gold)
    return max(
        np.mean(np.array(choice)[np.searchsorted(labels, gold)] == predicted)
        for choice in permutations(states, len(labels))
    )


@pytest.mark.parametrize("shape", [(4, 5), (5, 3), (1, 4), (4, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_one_to_one_is_the_best_of_all_matchings(seed, shape):
    gold, predicted = draw(seed, *shape)
    best = best_matching(gold.values, predicted.values)
    assert one_to_one_accuracy(gold, predicted) == pytest.approx(best)
    assert greedy_one_to_one_accuracy(gold, predicted) <= best + 1e-12


def test_greedy_falls_short_of_the_best_matching():
    # Counts: A with 0: 5, A with 1: 4, B with 0: 4, B with 1: 0.
    gold = [["A"] * 9, ["B"] * 4]
    predicted = [[0] * 5 + [1] * 4, [0] * 4]
    assert greedy_one_to_one_accuracy(gold, predicted) == pytest.approx(5 / 13)
    assert one_to_one_accuracy(gold, predicted) == pytest.approx(8 / 13)
    assert many_to_one_accuracy(gold, predicted) == pytest.approx(9 / 13)


@pytest.mark.parametrize("seed", range(5))
def test_v_measure_is_that_of_scikit_learn(seed):
    gold, predicted = draw(seed)
    expected = v_measure_score(gold.values, predicted.values)
    assert v_measure(gold, predicted) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "gold, predicted", [([1, 1], [2, 2]), ([1, 2], [2, 2]), ([1, 1], [1, 2])]
)
def test_v_measure_of_single_classes(gold, predicted):
    expected = v_measure_score(gold, predicted)
    assert v_measure([gold], [predicted]) == pytest.approx(expected)


def test_entropies_by_hand():
    # State 0 holds A and B evenly (1 bit, half of the tokens), state 1 only B.
    gold, predicted = [["A", "B"], ["B", "B"]], [[0, 0], [1, 1]]
    assert conditional_entropy(gold, predicted) == pytest.approx(0.5)
    # H(Z | B) is that of (1/3, 2/3) and B is three quarters of the tokens.
    thirds = -(1 / 3) * np.log2(1 / 3) - (2 / 3) * np.log2(2 / 3)
    expected = 0.5 + 0.75 * thirds
    assert variation_of_information(gold, predicted) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_variation_of_information_is_symmetric_and_zero_for_a_renaming(seed):
    gold, predicted = draw(seed)
    there = variation_of_information(gold, predicted)
    assert there == pytest.approx(variation_of_information(predicted, gold))
    assert there > 0.1
    renamed = gold.with_values(np.array(["d", "a", "c", "b"])[gold.values])
    assert 0 <= variation_of_information(gold, renamed) < 1e-12
    assert 0 <= conditional_entropy(gold, renamed) < 1e-12


@pytest.mark.parametrize("metric", METRICS)
def test_names_do_not_matter(metric):
    gold, predicted = draw(0)
    named = gold.with_values(np.array(["N", "V", "D", "A"])[gold.values])
    shuffled = predicted.with_values(np.array([30, 10, 50, 20, 40])[predicted.values])
    expected = metric(gold, predicted)
    assert metric(named, predicted) == pytest.approx(expected)
    assert metric(named, shuffled) == pytest.approx(expected)


@pytest.mark.parametrize("metric", METRICS)
def test_integer_weights_repeat_sequences(metric):
    gold, predicted = draw(1)
    weight = np.arange(len(gold)) % 4
    ids = np.repeat(np.arange(len(gold)), weight)
    expected = metric(gold[ids], predicted[ids])
    assert metric(gold, predicted, sample_weight=weight) == pytest.approx(expected)
    assert metric(gold, predicted) != pytest.approx(expected)
    same = metric(gold, predicted, sample_weight=np.full(len(gold), 0.3))
    assert same == pytest.approx(metric(gold, predicted))


@pytest.mark.parametrize("metric", METRICS)
def test_a_perfect_clustering_and_the_kind_of_the_answer(metric):
    score = metric([["A", "B"], ["C"]], [[2, 0], [1]])
    perfect = metric not in (conditional_entropy, variation_of_information)
    assert score == pytest.approx(float(perfect))
    assert type(score) is float


def test_many_labels_stay_sparse():
    n = 200_000
    gold = np.arange(n)
    assert many_to_one_accuracy(gold, gold // 2) == 0.5
    assert conditional_entropy(gold, gold // 2) == pytest.approx(1.0)

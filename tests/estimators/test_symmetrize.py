"""Both directions of an alignment joined: by hand, and against sets."""

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skstruct.containers import Ragged
from skstruct.estimators import symmetrize
from skstruct.estimators._alignment._symmetrization import (
    SYMMETRIZATIONS,
    symmetrize_links,
)
from tests._oracles import symmetrized

GROWING = ["grow-diag", "grow-diag-final", "grow-diag-final-and"]


def ragged(batch):
    rows = [link for links in batch for link in links]
    values = np.array(rows, dtype=int).reshape(-1, 2)
    return Ragged.from_lengths(values, np.array([len(links) for links in batch], int))


def one(forward, reverse, method):
    return [
        tuple(link) for link in symmetrize([forward], [reverse], method)[0].tolist()
    ]


links_of_a_pair = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=18)
batches = st.lists(st.tuples(links_of_a_pair, links_of_a_pair), max_size=5)


@settings(max_examples=150, deadline=None)
@given(batch=batches)
def test_equals_the_rule_on_sets(batch):
    forward, reverse = [f for f, _ in batch], [r for _, r in batch]
    for method in SYMMETRIZATIONS:
        found = symmetrize_links(ragged(forward), ragged(reverse), method)
        expected = [sorted(symmetrized(f, r, method)) for f, r in batch]
        assert [[tuple(link) for link in links.tolist()] for links in found] == expected


@pytest.mark.parametrize("method", SYMMETRIZATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_rule_on_sentences(method, seed):
    # One link a word in each direction, as models give them, near the diagonal.
    rng = np.random.default_rng(seed)
    forward, reverse = [], []
    for n in rng.integers(0, 30, 40):
        near = np.clip(np.arange(n) + rng.integers(-2, 3, (2, n)), 0, max(n - 1, 0))
        forward.append(set(zip(near[0].tolist(), range(n), strict=True)))
        reverse.append(set(zip(range(n), near[1].tolist(), strict=True)))
    found = symmetrize(forward, reverse, method)
    for f, r, links in zip(forward, reverse, found, strict=True):
        assert links.tolist() == sorted(map(list, symmetrized(f, r, method)))


def test_simple_methods_by_hand():
    forward, reverse = [(1, 1), (0, 0)], [(0, 1), (0, 0)]
    assert one(forward, reverse, "forward") == [(0, 0), (1, 1)]
    assert one(forward, reverse, "reverse") == [(0, 0), (0, 1)]
    assert one(forward, reverse, "intersection") == [(0, 0)]
    assert one(forward, reverse, "union") == [(0, 0), (0, 1), (1, 1)]


def test_one_free_word_suffices_to_grow():
    # Source 0 is taken, target 1 is free.
    assert one([(0, 0), (0, 1)], [(0, 0)], "grow-diag") == [(0, 0), (0, 1)]


def test_a_point_with_both_words_taken_stays_out():
    shared = [(0, 0), (1, 1)]
    for method in GROWING:
        assert one([*shared, (0, 1)], shared, method) == shared


def test_diagonal_neighbours_count_and_more_distant_points_do_not():
    assert one([(1, 1), (2, 0)], [(1, 1)], "grow-diag") == [(1, 1), (2, 0)]
    assert one([(1, 1), (3, 1)], [(1, 1)], "grow-diag") == [(1, 1)]


def test_points_added_in_a_sweep_are_neighbours_in_the_same_sweep():
    # (1, 3) touches (0, 2), and (2, 4) touches (1, 3). So target 4 is taken, as source
    # 4 is, before (4, 4) is visited, which touches (5, 5).
    shared = [(0, 2), (4, 9), (5, 5)]
    found = one([*shared, (1, 3), (2, 4)], [*shared, (4, 4)], "grow-diag")
    assert found == [(0, 2), (1, 3), (2, 4), (4, 9), (5, 5)]


def test_an_earlier_point_waits_for_the_next_sweep():
    # (1, 2) becomes a neighbour of (2, 3) only after (2, 3) is added, beside (3, 3);
    # in the meantime (3, 2) takes target 2, while source 1 stays free.
    forward = [(3, 3), (2, 3), (3, 2)]
    assert one(forward, [(3, 3), (1, 2)], "grow-diag") == [
        (1, 2),
        (2, 3),
        (3, 2),
        (3, 3),
    ]
    # With source 1 taken too it is out; visited at once, it would have come in.
    forward, reverse = [*forward, (1, 0)], [(3, 3), (1, 2), (1, 0)]
    assert one(forward, reverse, "grow-diag") == [(1, 0), (2, 3), (3, 2), (3, 3)]


def test_the_final_pass_takes_forward_first():
    # (0, 5) and (4, 5) share target 5 and touch nothing.
    assert one([(4, 5)], [(0, 5)], "grow-diag-final-and") == [(4, 5)]
    assert one([(0, 5)], [(4, 5)], "grow-diag-final-and") == [(0, 5)]
    assert one([(4, 5)], [(0, 5)], "grow-diag-final") == [(0, 5), (4, 5)]
    assert one([(4, 5)], [(0, 5)], "grow-diag") == []


def test_the_order_of_given_links_does_not_matter():
    rng = np.random.default_rng(0)
    forward, reverse = rng.integers(0, 8, (2, 20, 2))
    for method in SYMMETRIZATIONS:
        backwards = symmetrize([forward[::-1]], [np.vstack([reverse, reverse])], method)
        expected = symmetrize([forward], [reverse], method)
        np.testing.assert_array_equal(backwards[0], expected[0])


def test_default_method():
    forward, reverse = [[(4, 5), (0, 0)]], [[(0, 5), (0, 0)]]
    expected = symmetrize(forward, reverse, "grow-diag-final-and")
    assert symmetrize(forward, reverse)[0].tolist() == expected[0].tolist()


def test_forms():
    forward, reverse = [[(0, 0), (1, 1)], []], [[(0, 0)], [(2, 1)]]
    expected = [[[0, 0], [1, 1]], [[2, 1]]]
    for form in (list, pd.Series, lambda x: [set(links) for links in x]):
        found = symmetrize(form(forward), form(reverse), "union")
        assert isinstance(found, np.ndarray) and found.dtype == object
        assert [links.tolist() for links in found] == expected
    found = symmetrize(ragged(forward), reverse, "union")
    assert isinstance(found, Ragged) and found.values.dtype == np.intp
    assert [links.tolist() for links in found] == expected
    assert symmetrize(forward, reverse, "intersection")[1].shape == (0, 2)


@pytest.mark.parametrize("method", SYMMETRIZATIONS)
def test_empty(method):
    assert len(symmetrize([], [], method)) == 0
    found = symmetrize([[], []], [[], []], method)
    assert [links.shape for links in found] == [(0, 2), (0, 2)]


@pytest.mark.parametrize(
    ("forward", "reverse", "method", "message"),
    [
        ([[]], [[], []], "union", "forward has 1 pairs, reverse 2"),
        ([[]], [None], "union", r"reverse\[0\] is missing"),
        ([[(0, -1)]], [[]], "union", "forward, pair 0.*negative"),
        ([[]], [[(0,)]], "union", "reverse, pair 0"),
        ([[]], [[]], "gdfa", "method='gdfa'; expected one of forward,.*final-and"),
        ([[]], [[]], None, "method=None"),
        ([[]], [[]], "mean", "'mean' needs probabilities.*SymmetrizedAligner"),
    ],
)
def test_bad_input(forward, reverse, method, message):
    with pytest.raises(ValueError, match=message):
        symmetrize(forward, reverse, method)


def test_input_is_left_alone():
    forward = np.array([[3, 3], [0, 0]])
    forward.flags.writeable = False
    symmetrize([forward], [forward], "grow-diag")
    symmetrize_links(*[Ragged.from_lengths(forward, [2])] * 2, "grow-diag-final")
    assert forward.tolist() == [[3, 3], [0, 0]]


@pytest.mark.parametrize("method", GROWING)
def test_positions_far_apart(method):
    far = 2**50
    forward, reverse = [(far, far), (far + 1, far), (0, 7)], [(far, far), (0, far)]
    expected = sorted(symmetrized(set(forward), set(reverse), method))
    assert one(forward, reverse, method) == expected


def cost(forward, reverse, method):
    start = time.process_time()
    symmetrize_links(forward, reverse, method)
    return time.process_time() - start


def test_thousands_of_pairs_take_milliseconds():
    rng = np.random.default_rng(0)
    there = np.tile(np.arange(25), 5000)
    away = np.clip(there + rng.integers(-2, 3, (2, len(there))), 0, 24)
    lengths = np.full(5000, 25)
    forward = Ragged.from_lengths(np.stack([away[0], there], axis=1), lengths)
    reverse = Ragged.from_lengths(np.stack([there, away[1]], axis=1), lengths)
    costs = [cost(forward, reverse, "grow-diag-final-and") for _ in range(3)]
    assert min(costs) < 0.6  # room for a busy machine


def test_a_full_matrix_of_links_ends():
    n = 500
    grid = np.stack(np.divmod(np.arange(n * n), n), axis=1)
    forward = Ragged.from_lengths(grid, [n * n])
    reverse = Ragged.from_lengths(np.array([[n // 2, n // 2]]), [1])
    found = symmetrize_links(forward, reverse, "grow-diag")
    covered = [np.unique(column) for column in found.values.T]
    assert [len(words) for words in covered] == [n, n]
    assert cost(forward, reverse, "grow-diag") < 2

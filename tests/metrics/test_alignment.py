"""Alignment metrics: by hand, against sets, and in scikit-learn's searches."""

import math
import pickle
import time

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, KFold, cross_validate

from skstruct.containers import Bitext, Ragged
from skstruct.metrics import (
    aer_scorer,
    alignment_error_rate,
    alignment_precision_recall_f1,
)
from skstruct.model_selection import TransductiveSplit

# Pair 0: S = {00, 11}, P = S + {21}; A = {00, 21, 22}. Pair 1: S = P = {00}; A = {}.
GOLD = [[(0, 0, 1), (1, 1, 1), (2, 1, 0)], [(0, 0, 1)]]
FOUND = [[(0, 0), (2, 1), (2, 2)], []]


def test_by_hand():
    # |A & S| = 1, |A & P| = 2, |A| = 3, |S| = 3 over both pairs.
    assert alignment_error_rate(GOLD, FOUND) == pytest.approx(1 - (1 + 2) / (3 + 3))
    precision, recall, f1 = alignment_precision_recall_f1(GOLD, FOUND)
    assert (precision, recall) == pytest.approx((2 / 3, 1 / 3))
    assert f1 == pytest.approx(2 * (2 / 9) / 1)


def test_counts_are_added_over_pairs_before_they_are_divided():
    rates = [alignment_error_rate([g], [f]) for g, f in zip(GOLD, FOUND, strict=True)]
    assert rates == pytest.approx([1 - 3 / 5, 1])
    assert alignment_error_rate(GOLD, FOUND) != pytest.approx(np.mean(rates))


def test_the_best_is_exactly_zero_and_one():
    gold = [[(i, i, 1) for i in range(7)], [(0, 1, 0), (1, 1, 1)]]
    sure = [[link[:2] for link in links if link[2]] for links in gold]
    assert alignment_error_rate(gold, sure) == 0
    assert alignment_precision_recall_f1(gold, sure) == (1, 1, 1)
    # Possible links are neither missed nor wrong.
    assert (
        alignment_error_rate(gold, [link[:, :2] for link in map(np.array, gold)]) == 0
    )
    assert alignment_error_rate(gold, [[(8, 8)], []]) == 1


def random_links(rng, n, marks):
    out = []
    for _ in range(n):
        grid = np.argwhere(rng.random((5, 6)) < 0.3)
        mark = rng.integers(0, 2, (len(grid), 1))
        out.append(np.hstack([grid, mark]) if marks else grid)
    return out


@pytest.mark.parametrize("seed", range(5))
def test_equals_sets(seed):
    rng = np.random.default_rng(seed)
    gold, found = random_links(rng, 20, True), random_links(rng, 20, False)
    weight = rng.integers(0, 3, 20).astype(float)
    n_a = n_s = a_s = a_p = 0
    for g, f, w in zip(gold, found, weight, strict=True):
        a = {(i, j) for i, j in f.tolist()}
        p = {(i, j) for i, j, _ in g.tolist()}
        s = {(i, j) for i, j, sure in g.tolist() if sure}
        n_a, n_s = n_a + w * len(a), n_s + w * len(s)
        a_s, a_p = a_s + w * len(a & s), a_p + w * len(a & p)
    rate = alignment_error_rate(gold, found, sample_weight=weight)
    assert rate == pytest.approx(1 - (a_s + a_p) / (n_a + n_s))
    scores = alignment_precision_recall_f1(gold, found, sample_weight=weight)
    assert scores[:2] == pytest.approx((a_p / n_a, a_s / n_s))


def objects(links):
    out = np.empty(len(links), dtype=object)
    for k, each in enumerate(links):
        out[k] = np.array(each, dtype=int) if each else np.zeros((0, 2), dtype=int)
    return out


FORMS = {
    "arrays": lambda links: [np.array(each, dtype=int) for each in links],
    "sets": lambda links: [set(each) for each in links],
    "tuples": lambda links: tuple(map(tuple, links)),
    "objects": objects,
    "series": lambda links: pd.Series(list(links)),
    "ragged": lambda links: Ragged([np.array(each).reshape(-1, 2) for each in links]),
    "repeated": lambda links: [list(each) * 2 for each in links],
    "backwards": lambda links: [each[::-1] for each in links],
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    links_pred = FORMS[form](FOUND)
    assert alignment_error_rate(GOLD, links_pred) == pytest.approx(0.5)
    if form != "ragged":
        assert alignment_error_rate(FORMS[form](GOLD), FOUND) == pytest.approx(0.5)
    # Swapped: links without marks are sure.
    assert alignment_error_rate(links_pred, FOUND) == 0


def test_a_link_marked_twice_is_sure():
    gold = [[(0, 0, 0), (0, 0, 1)]]
    assert alignment_precision_recall_f1(gold, [[]]).recall == 0
    assert alignment_error_rate(gold, [[]]) == 1  # one sure link, missed


def test_pairs_without_gold_are_skipped():
    gold, found = [None, *GOLD, None], [[(9, 9)], *FOUND, None]
    assert alignment_error_rate(gold, found) == alignment_error_rate(GOLD, FOUND)
    weighted = alignment_error_rate(
        [*GOLD, GOLD[1]], [*FOUND, [(4, 4)]], sample_weight=[1, 1, 0]
    )
    assert weighted == alignment_error_rate(GOLD, FOUND)


@pytest.mark.parametrize("weight", [None, [0, 1]])
def test_no_gold_at_all_is_nan(weight):
    gold = [GOLD[0] if weight else None, None]
    for metric in (alignment_error_rate, alignment_precision_recall_f1):
        with pytest.warns(UserWarning, match="no pair with gold links") as caught:
            assert np.isnan(metric(gold, FOUND, sample_weight=weight)).all()
        assert caught[0].filename == __file__


def test_nothing_to_divide_by():
    assert alignment_error_rate([[]], [[]]) == 0
    assert alignment_precision_recall_f1([[]], [[]]) == (0, 0, 0)
    assert alignment_error_rate([[]], [[(0, 0)]]) == 1


@pytest.mark.parametrize(
    "metric", [alignment_error_rate, alignment_precision_recall_f1]
)
@pytest.mark.parametrize(
    ("gold", "found", "message"),
    [
        (GOLD, FOUND[:1], "links_true has 2 pairs, links_pred 1"),
        (GOLD, [FOUND[0], None], r"links_pred\[1\] is missing"),
        (None, FOUND, "links_true is None"),
        (GOLD, None, "links_pred is None"),
        ([[(0, -1)], []], FOUND, "links_true, pair 0.*negative"),
        (GOLD, [[], [(0.5, 1)]], "links_pred, pair 1.*whole numbers"),
        ([[(0, 0, 2)], []], FOUND, "links_true, pair 0.*marked 2"),
    ],
)
def test_bad_input(metric, gold, found, message):
    with pytest.raises(ValueError, match=message):
        metric(gold, found)


def test_weights_are_checked():
    with pytest.raises(ValueError, match="sample_weight has shape"):
        alignment_error_rate(GOLD, FOUND, sample_weight=[1, 2, 3])


def test_input_is_left_alone():
    gold = [np.array([[1, 1, 0], [0, 0, 1]])]
    found = [np.array([[5, 5], [0, 0]])]
    for links in (*gold, *found):
        links.flags.writeable = False
    assert alignment_error_rate(gold, found) == pytest.approx(1 - 2 / 3)


def test_positions_far_apart():
    far = 2**40
    gold = [[(far, far), (0, 0)], [(far, 0)]]
    assert alignment_error_rate(gold, [[(far, far)], [(0, far)]]) == pytest.approx(0.6)


def test_thousands_of_pairs_take_milliseconds():
    rng = np.random.default_rng(0)
    gold = Ragged.from_lengths(rng.integers(0, 25, (62_500, 2)), np.full(2500, 25))
    found = Ragged.from_lengths(rng.integers(0, 25, (62_500, 2)), np.full(2500, 25))

    def cost():
        start = time.process_time()
        alignment_error_rate(gold, found)
        return time.process_time() - start

    # 2,500 pairs of 25 links; the bound leaves room for a busy machine.
    assert min(cost() for _ in range(5)) < 0.3


class Offset(BaseEstimator):
    """Links each target word to the source word that stands ``offset`` before it."""

    def __init__(self, offset=0):
        self.offset = offset

    def fit(self, X, y=None, sample_weight=None):
        self.weighted_ = sample_weight is not None
        return self

    def predict(self, X):
        X = Bitext(X)
        out = np.empty(len(X), dtype=object)
        for k, (source, target) in enumerate(X):
            j = np.arange(len(target))
            links = np.stack([j - self.offset, j], axis=1)
            out[k] = links[(links[:, 0] >= 0) & (links[:, 0] < len(source))]
        return out


def text(n=8):
    """Pairs where target word j translates source word j - 1, half without gold."""
    X = [(["a"] * (k % 3 + 2), ["b"] * (k % 3 + 3)) for k in range(n)]
    y = [[(j - 1, j, 1) for j in range(1, len(s) + 1)] for s, _ in X]
    return X, [links if k % 2 else None for k, links in enumerate(y)]


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("cv", [KFold(2), TransductiveSplit()])
@pytest.mark.parametrize("form", [list, Bitext])
def test_grid_search(form, cv, routing):
    X, y = text()
    with config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            Offset(),
            {"offset": [0, 1, 2]},
            scoring=aer_scorer,
            cv=cv,
            error_score="raise",
        ).fit(form(X), y)
    assert search.best_params_ == {"offset": 1}
    assert search.best_score_ == 0
    assert (search.cv_results_["mean_test_score"][[0, 2]] == -1).all()
    assert search.score(form(X), y) == 0


@pytest.mark.parametrize(
    "form",
    [
        lambda y: [links if links is None else np.array(links) for links in y],
        lambda y: [links if links is None else set(links) for links in y],
        lambda y: pd.Series(y),
    ],
)
def test_cross_validate_on_pairs_with_gold(form):
    X, y = text()
    y = form(y)
    scores = cross_validate(
        Offset(1),
        X,
        y,
        scoring={"aer": aer_scorer},
        cv=TransductiveSplit(score_on="labelled"),
        error_score="raise",
    )
    assert scores["test_aer"].tolist() == [0]
    [(_, test)] = TransductiveSplit(score_on="labelled").split(X, y)
    assert test.tolist() == [1, 3, 5, 7]


def test_gold_of_a_pair_without_links_is_known():
    y = [None, np.zeros((0, 2), dtype=int), [np.array([0, 0])], np.nan]
    [(_, test)] = TransductiveSplit(score_on="labelled").split(y, y)
    assert test.tolist() == [1, 2]


def test_folds_without_gold_are_nan():
    X, y = text()
    y = [None] * 4 + y[4:]
    with pytest.warns(UserWarning, match="no pair with gold links"):
        scores = cross_validate(Offset(1), X, y, scoring=aer_scorer, cv=KFold(2))
    assert math.isnan(scores["test_score"][0]) and scores["test_score"][1] == 0


def test_weights_reach_the_scorer():
    X, y = text()
    weight = np.arange(8.0)
    search = GridSearchCV(Offset(), {"offset": [0]}, scoring=aer_scorer, cv=KFold(2))
    y[1] = [(0, 0)]
    search.fit(X, y, sample_weight=weight)
    expected = -alignment_error_rate(
        y[:4], Offset().predict(X[:4]), sample_weight=weight[:4]
    )
    assert search.cv_results_["split0_test_score"][0] == expected
    assert search.best_estimator_.weighted_


def test_the_scorer_says_what_it_is():
    X, y = text()
    assert (
        repr(aer_scorer) == "LinkScorer(alignment_error_rate, greater_is_better=False)"
    )
    for copy in (pickle.loads(pickle.dumps(aer_scorer)), clone(aer_scorer)):
        assert copy(Offset(2), X, y) == aer_scorer(Offset(2), X, y) == -1
    with pytest.raises(ValueError, match="needs gold labels y"):
        aer_scorer(Offset(), X)

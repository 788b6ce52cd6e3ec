"""Bitext: forms of pairs, errors, scikit-learn's machinery."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_validate,
    train_test_split,
)
from sklearn.utils import resample, shuffle

from skstruct._validation import as_links, read_bitext_batch
from skstruct.containers import Bitext, Ragged

PAIRS = [
    (["the", "farmer", "sings"], ["agricola", "cantat"]),
    (["they", "love"], ["amant"]),
    ([], ["et"]),
    (["roses"], []),
    (["a", "rose"], ["rosa"]),
    ([], []),
]


def lists(X):
    return [(source.tolist(), target.tolist()) for source, target in X]


def object_array(items):
    out = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        out[i] = item
    return out


FORMS = {
    "list": lambda p: p,
    "tuples": lambda p: tuple((tuple(s), tuple(t)) for s, t in p),
    "pairs as lists": lambda p: [list(pair) for pair in p],
    "arrays": lambda p: [(np.array(s, str), np.array(t, object)) for s, t in p],
    "generator": iter,
    "object array": object_array,
    "2-D object array": lambda p: np.array(p, dtype=object),
    "pandas": lambda p: pd.Series(p, index=range(7, 7 + len(p))),
    "Bitext": Bitext,
    "array of a Bitext": lambda p: np.asarray(Bitext(p)),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_pairs(form):
    X = Bitext(FORMS[form](PAIRS))
    assert lists(X) == PAIRS
    assert type(X.source) is type(X.target) is Ragged
    assert X.shape == (6,) and len(X) == 6


SIDES = {
    "lists": list,
    "Ragged": Ragged,
    "generator": iter,
    "pandas": lambda s: pd.Series(list(s)),
    "polars": lambda s: pl.Series(list(s)),
}


@pytest.mark.parametrize("form", SIDES)
def test_forms_of_sides(form):
    source, target = zip(*PAIRS, strict=True)
    assert lists(Bitext.from_sides(SIDES[form](source), SIDES[form](target))) == PAIRS


def test_integers_stay_integers():
    X = Bitext([([3, 1], [7]), (np.array([2]), [])])
    assert X.source.values.dtype.kind == X.target.values.dtype.kind == "i"
    assert lists(X) == [([3, 1], [7]), ([2], [])]


def test_repr():
    assert repr(Bitext(PAIRS)) == "Bitext(6 pairs, 8 + 5 tokens)"
    assert repr(Bitext(PAIRS[:1])) == "Bitext(1 pair, 3 + 2 tokens)"
    assert repr(Bitext([])) == "Bitext(0 pairs, 0 + 0 tokens)"


def test_reversed_swaps_sides():
    X = Bitext(PAIRS)
    assert lists(X.reversed()) == [(t, s) for s, t in PAIRS]
    assert lists(X.reversed().reversed()) == PAIRS


def test_cutting_and_joining():
    X = Bitext(PAIRS)
    assert lists(X[[4, 0, -1]]) == [PAIRS[4], PAIRS[0], PAIRS[5]]
    assert lists(X[1:3]) == PAIRS[1:3]
    source, target = X[1]
    assert source.tolist() == ["they", "love"] and target.tolist() == ["amant"]
    assert lists(np.concatenate([X[2:], X[:2]])) == PAIRS[2:] + PAIRS[:2]
    assert lists(X[2:] + X[:2]) == PAIRS[2:] + PAIRS[:2]
    with pytest.raises(TypeError, match="unsupported operand"):
        X + PAIRS


FAULTS = {
    "a string for a side": (
        [*PAIRS, (["a"], "una rosa")],
        r"Pair 6: the target is a string \('una rosa'\).*split.*read_bitext",
    ),
    "None for a side": ([(None, ["a"])], r"Pair 0: the source is missing.*\[\]"),
    "a dict for a side": ([({}, ["a"])], "Pair 0: the source is a dict"),
    "a set for a side": ([({"a"}, [])], "On the source side: Sample 0 is a set"),
    "a string for a pair": (["a ||| b"], "Pair 0 is a str .'a ||| b'., not a pair"),
    "a number for a pair": ([PAIRS[0], 3], "Pair 1 is a int"),
    "three sides": ([PAIRS[0], ([], [], [])], "Pair 1 has 3 entries, not two"),
    "two sides": (
        [[["a"], ["b"], ["c"]], [["d"], ["e"], ["f"]]],
        "Pair 0 has 3 entries, not two.*from_sides",
    ),
    "a frame": (pd.DataFrame({"a": [["x"]]}), "DataFrame.*from_sides.*str.split"),
    "a polars frame": (pl.DataFrame({"a": [["x"]]}), "DataFrame.*from_sides"),
    "a Ragged": (Ragged([["a"]]), "a Ragged, which is one side.*from_sides"),
    "text": ("a ||| b", "got a str; files are read by"),
    "a number": (3, "got a int"),
    "features": (
        [(np.ones((2, 4)), ["a"])],
        "The source holds rows of 4 features; a Bitext holds tokens",
    ),
    "numbers": ([PAIRS[0], (["a"], [0.5])], "Pair 1: token 0 of the target is 0.5"),
    "measurements": ([([], []), ([1.5, 2], [])], "Pair 1: token 0 of the source"),
    "missing": ([([], ["a", None])], "Pair 0: token 1 of the target is None"),
    "bytes": ([(["a"], [b"b"])], "Pair 0: token 0 of the target is b'b'"),
    "dicts": ([([{"w": 1}], [])], "Pair 0: token 0 of the source is {'w': 1}"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(fault):
    pairs, message = FAULTS[fault]
    with pytest.raises(ValueError, match=message):
        Bitext(pairs)
    with pytest.raises(ValueError, match=r"^text"):
        read_bitext_batch(pairs, "text")


def test_sides_of_different_counts():
    with pytest.raises(ValueError, match="source has 2 sentences, target 1;"):
        Bitext.from_sides([["a"], ["b"]], [["c"]])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["the rose"], "Pair 0: the source is a string"),
        (pd.DataFrame({"a": ["x"]}), "On the source side: .*DataFrame"),
        (7, "On the source side: .*got one int"),
        (Ragged([[0.5]]), "Pair 0: token 0 of the source is 0.5"),
    ],
)
def test_faulty_sides(source, message):
    with pytest.raises(ValueError, match=message):
        Bitext.from_sides(source, [["a"]])


class FirstAligner(BaseEstimator):
    """Links the first tokens, or the last ones."""

    def __init__(self, last=False):
        self.last = last

    def fit(self, X, y=None):
        self.n_pairs_ = len(read_bitext_batch(X)[0])
        return self

    def predict(self, X):
        X, answer = read_bitext_batch(X)
        sizes = np.stack([X.source.lengths, X.target.lengths], axis=1)
        filled = sizes.min(axis=1) > 0
        links = sizes[filled] - 1 if self.last else np.zeros((filled.sum(), 2), int)
        return answer(Ragged.from_lengths(links, filled.astype(int)))

    def score(self, X, y):
        X, _ = read_bitext_batch(X)
        gold, found = as_links(y, X), as_links(self.predict(X), X)
        return float(np.array_equal(gold.source, found.source))


LAST = [[(2, 1)], [(1, 0)], [], [], [(1, 0)], []]


@pytest.mark.parametrize("form", [Bitext, list, object_array])
def test_grid_search_in_two_processes(form):
    search = GridSearchCV(
        FirstAligner(), {"last": [False, True]}, cv=2, n_jobs=2, error_score="raise"
    ).fit(form(PAIRS), LAST)
    assert search.best_params_ == {"last": True}
    assert search.cv_results_["mean_test_score"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("form", "kind"), [(Bitext, Ragged), (list, np.ndarray)])
def test_cross_val_predict_keeps_places_and_form(form, kind):
    cv = KFold(3, shuffle=True, random_state=0)
    found = cross_val_predict(FirstAligner(last=True), form(PAIRS), LAST, cv=cv)
    assert type(found) is kind and found.shape == (6,)
    assert [[tuple(link) for link in links.tolist()] for links in found] == LAST


def test_cross_validate_counts_pairs():
    result = cross_validate(
        FirstAligner(True), Bitext(PAIRS), LAST, cv=3, return_estimator=True
    )
    assert result["test_score"].tolist() == [1.0] * 3
    assert [fitted.n_pairs_ for fitted in result["estimator"]] == [4] * 3


def test_splitting_shuffling_and_drawing():
    X = Bitext(PAIRS)
    train, test, y_train, _ = train_test_split(X, LAST, test_size=2, random_state=0)
    assert type(train) is type(test) is Bitext and len(test) == 2
    assert [LAST[PAIRS.index(pair)] for pair in lists(train)] == y_train
    mixed = shuffle(X, random_state=1)
    assert sorted(lists(mixed)) == sorted(PAIRS) and lists(mixed) != PAIRS
    drawn = resample(X, n_samples=20, random_state=1)
    assert len(drawn) == 20 and all(pair in PAIRS for pair in lists(drawn))


def test_pickle_and_hash():
    X = Bitext(PAIRS)
    assert lists(pickle.loads(pickle.dumps(X))) == PAIRS
    assert joblib.hash(X) == joblib.hash(pickle.loads(pickle.dumps(X)))
    assert joblib.hash(X) != joblib.hash(X.reversed())

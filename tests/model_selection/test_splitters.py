"""TransductiveSplit and BlockSplit."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, cross_val_predict

from skstruct.containers import Ragged
from skstruct.metrics import v_measure_scorer
from skstruct.model_selection import BlockSplit, TransductiveSplit

SERIES = np.arange(46.0).reshape(23, 2)


class Recorder(BaseEstimator):
    """Knows which tokens it saw and is right where a parameter says so."""

    def __init__(self, right=True):
        self.right = right

    def fit(self, X, y=None):
        self.seen_ = Ragged(X).values
        return self

    def predict(self, X):
        X = Ragged(X)
        states = np.isin(X.values, self.seen_).astype(int)
        odd = (X.values.astype(int) % 2) if self.right else 0 * states
        return X.with_values(odd + 10 * states)


def test_transductive_split_repeats_one_fold():
    X, y = Ragged([[1], [2, 3], [4]]), [[0], None, [-1]]
    folds = list(TransductiveSplit(n_repeats=2).split(X))
    assert len(folds) == 2 == TransductiveSplit(n_repeats=2).get_n_splits()
    for train, test in folds:
        assert train.tolist() == test.tolist() == [0, 1, 2]
    ((train, test),) = TransductiveSplit("labelled").split(X, y)
    assert train.tolist() == [0, 1, 2]
    assert test.tolist() == [0]


@pytest.mark.parametrize(
    "y",
    [
        [["a", None], [None], None, [], ["b"]],
        Ragged([["a", None], [None], [np.nan], [], ["b"]]),
        pd.Series([["a", pd.NA], [pd.NA], np.nan, [], ["b"]]),
        pl.Series([["a", None], [None], None, [], ["b"]]),
        [[0, -1], [-1], [-1, -1], np.array([], dtype=int), np.array([3])],
        ["a", None, np.nan, pd.NA, "b"],
        np.array([0, -1, -1, -1, 2]),
    ],
)
def test_labelled_samples(y):
    ((_, test),) = TransductiveSplit("labelled").split(np.zeros((5, 1)), y)
    assert test.tolist() == [0, 4]


@pytest.mark.parametrize(
    "split, y, message",
    [
        (TransductiveSplit("some"), None, "score_on='some'"),
        (TransductiveSplit(n_repeats=0), None, "n_repeats=0"),
        (TransductiveSplit("labelled"), None, "y is None"),
        (TransductiveSplit("labelled"), [[None], None], "no known label"),
        (BlockSplit(1), None, "n_blocks=1"),
        (BlockSplit(2, gap=-1), None, "gap=-1"),
        (BlockSplit(3), None, r"got 2 sequences. .*: `X = cv.cut\(X\)`"),
        (BlockSplit(3), [["p"], ["q"]], r": `X, y = cv.cut\(X, y\)`"),
    ],
)
def test_bad_splits(split, y, message):
    with pytest.raises(ValueError, match=message):
        list(split.split([["a"], ["b"]], y))


def test_one_sequence_is_no_plural():
    with pytest.raises(ValueError, match=r"got 1 sequence\. Cut the series first"):
        list(BlockSplit(3).split(Ragged([np.zeros(9)])))


def test_blocks_of_a_frame_keep_their_columns():
    frame = pd.DataFrame({"a": np.arange(6.0), "b": np.zeros(6)})
    for series in (frame, Ragged.from_frame(frame, ["a", "b"])):
        blocks = BlockSplit(2).cut(series)
        assert list(blocks.header.columns) == ["a", "b"]
        assert blocks[1][:, 0].tolist() == [3.0, 4.0, 5.0]


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("score_on", ["all", "labelled"])
def test_transductive_grid_search(score_on, routing):
    X = Ragged([[1, 2], [3, 4, 5], [6]])
    y = Ragged([["o", "e"], ["o", "e", "o"], [None]])
    with config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            Recorder(),
            {"right": [False, True]},
            scoring=v_measure_scorer,
            cv=TransductiveSplit(score_on, n_repeats=2),
            error_score="raise",
        ).fit(X, y)
    assert search.best_params_ == {"right": True}
    assert search.best_score_ == 1.0
    assert search.cv_results_["mean_test_score"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("n_blocks", [2, 4, 5])
@pytest.mark.parametrize("gap", [0, 1, 3])
def test_blocks_cover_the_series_but_for_gaps(n_blocks, gap):
    cv = BlockSplit(n_blocks, gap=gap)
    blocks, labels = cv.cut(SERIES, [str(i) for i in range(23)])
    assert len(blocks) == n_blocks == len(labels)
    assert np.ptp(blocks.lengths) <= 1
    kept = blocks.values[:, 0].astype(int) // 2
    assert labels.values.tolist() == [str(i) for i in kept]
    np.testing.assert_array_equal(blocks.values, SERIES[kept])
    assert kept[0] == 0 and kept[-1] == 22
    steps = np.diff(kept)
    edges = blocks.offsets[1:-1] - 1
    assert (steps[edges] == gap + 1).all()
    assert (np.delete(steps, edges) == 1).all()


@pytest.mark.parametrize(
    "series",
    [
        [SERIES],
        Ragged([SERIES]),
        pd.DataFrame(SERIES),
        pl.DataFrame(SERIES),
        [SERIES.tolist()],
    ],
)
def test_forms_of_a_series(series):
    expected = BlockSplit(3, gap=2).cut(SERIES)
    blocks = BlockSplit(3, gap=2).cut(series)
    np.testing.assert_array_equal(blocks.values, expected.values)
    np.testing.assert_array_equal(blocks.offsets, expected.offsets)


@pytest.mark.parametrize(
    "labels",
    [
        list("abcdef"),
        [list("abcdef")],
        np.array(list("abcdef")),
        pd.Series(list("abcdef"), index=range(6, 0, -1)),
        pl.Series(list("abcdef")),
    ],
)
def test_forms_of_labels(labels):
    _, y = BlockSplit(2, gap=2).cut(np.arange(6.0), labels)
    assert [block.tolist() for block in y] == [["a", "b"], ["e", "f"]]


def test_blocks_remember_tokens_and_frame():
    frame = pd.DataFrame({"x": np.arange(5.0)}, index=list("abcde"))
    series = Ragged.from_frame(frame, "x")
    blocks = BlockSplit(2, gap=1).cut(series)
    back = blocks.to_frame(blocks.with_values(2 * blocks.values))
    assert back.index.tolist() == ["a", "b", "d", "e"]
    assert back["prediction"].tolist() == [0, 2, 6, 8]
    tokens = Ragged.from_lengths(np.zeros((4, 1)), [4], tokens=list("wxyz"))
    assert BlockSplit(2).cut(tokens)[1:].tokens.tolist() == ["y", "z"]


@pytest.mark.parametrize(
    "X, y, message",
    [
        ([[1, 2], [3]], None, "X holds 2 sequences"),
        (np.arange(6.0), [[1], [2]], "y holds 2 sequences"),
        (np.arange(6.0), list("abc"), "X has 6 steps and y 3"),
        (np.arange(4.0), None, "4 steps is too short for n_blocks=3 with gap=1"),
    ],
)
def test_series_that_cannot_be_cut(X, y, message):
    with pytest.raises(ValueError, match=message):
        BlockSplit(3, gap=1).cut(X, y)


def test_forward_folds_train_on_the_past():
    cv = BlockSplit(4, forward=True)
    folds = [(train.tolist(), test.tolist()) for train, test in cv.split(range(4))]
    assert folds == [([0], [1]), ([0, 1], [2]), ([0, 1, 2], [3])]
    assert cv.get_n_splits() == 3


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("forward", [False, True])
def test_block_grid_search(forward, routing):
    cv = BlockSplit(4, gap=1, forward=forward)
    X, y = cv.cut(np.arange(23.0), np.arange(23) % 2)
    with config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            Recorder(),
            {"right": [False, True]},
            scoring=v_measure_scorer,
            cv=cv,
            error_score="raise",
        ).fit(X, y)
    assert search.best_params_ == {"right": True}
    assert search.n_splits_ == cv.get_n_splits()


def test_out_of_block_predictions_see_no_test_token():
    cv = BlockSplit(4, gap=1)
    X = cv.cut(np.arange(23.0))
    predicted = cross_val_predict(Recorder(), X, cv=cv)
    assert isinstance(predicted, Ragged)
    assert predicted.values.tolist() == (X.values.astype(int) % 2).tolist()


def test_splitters_show_their_parameters():
    assert repr(BlockSplit(3, gap=2)) == "BlockSplit(forward=False, gap=2, n_blocks=3)"
    search = GridSearchCV(Recorder(), {}, cv=TransductiveSplit("labelled"))
    assert clone(search).cv.score_on == "labelled"

"""Every kind of container under scikit-learn's splitters and searches."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_validate,
    learning_curve,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.utils import resample, shuffle

from skstruct.containers import Ragged
from tests.containers._dummies import ParityTagger, Same, token_numbers

LENGTHS = [3, 1, 0, 4, 2, 2, 5, 1, 3, 2, 2, 4]
N_TOKENS = sum(LENGTHS)
NUMBERS = np.random.RandomState(0).randint(1, 9, N_TOKENS)


def rows_of_numbers():
    rows = np.zeros((N_TOKENS, 9))
    rows[np.arange(N_TOKENS), NUMBERS] = NUMBERS
    return rows


def from_frame(library):
    rows = np.random.RandomState(1).permutation(N_TOKENS)
    columns = {
        "group": np.repeat(np.arange(len(LENGTHS)), LENGTHS)[rows],
        "position": rows,
        "number": NUMBERS[rows],
    }
    return Ragged.from_frame(library(columns), group="group", order="position")


KINDS = {
    "dense": lambda: Ragged.from_lengths(rows_of_numbers(), LENGTHS),
    "str": lambda: Ragged.from_lengths(["x" * n for n in NUMBERS], LENGTHS),
    "int": lambda: Ragged.from_lengths(NUMBERS, LENGTHS),
    "csr": lambda: Ragged.from_lengths(sp.csr_matrix(rows_of_numbers()), LENGTHS),
    "tokens": lambda: Ragged.from_lengths(
        rows_of_numbers(), LENGTHS, tokens=["x" * n for n in NUMBERS]
    ),
    "pandas": lambda: from_frame(pd.DataFrame),
    "polars": lambda: from_frame(pl.DataFrame),
}


@pytest.fixture(params=KINDS)
def batch(request):
    return KINDS[request.param]()


@pytest.fixture
def labels(batch):
    return batch.with_values(token_numbers(batch.values) % 2)


def as_lists(batch):
    return [token_numbers(sample).tolist() for sample in batch]


def check_whole(part, batch):
    """A part keeps type and companions, and its samples are samples of the batch."""
    assert type(part) is Ragged
    assert all(sample in as_lists(batch) for sample in as_lists(part))
    assert (part.tokens is None) == (batch.tokens is None)
    if part.tokens is not None:
        assert [len(t) for t in part.tokens] == token_numbers(part.values).tolist()
    if part.source is not None:
        beside = part.to_frame(part.with_values(token_numbers(part.values)))
        assert beside["prediction"].to_list() == beside["number"].to_list()


def test_pipeline(batch, labels):
    pipeline = make_pipeline(Same(), ParityTagger()).fit(batch, labels)
    assert pipeline[-1].n_tokens_ == batch.n_tokens
    assert pipeline.score(batch, labels) == 1.0
    assert type(pipeline.predict(batch)) is Ragged


def test_grid_search_in_two_processes(batch, labels):
    search = GridSearchCV(
        make_pipeline(Same(), ParityTagger()),
        {"paritytagger__shift": [1, 0]},
        cv=3,
        n_jobs=2,
        error_score="raise",
    ).fit(batch, labels)
    assert search.best_params_ == {"paritytagger__shift": 0}
    assert search.cv_results_["mean_test_score"].tolist() == [0.0, 1.0]


def test_cross_val_predict_keeps_places(batch, labels):
    cv = KFold(4, shuffle=True, random_state=0)
    predicted = cross_val_predict(ParityTagger(), batch, labels, cv=cv)
    assert type(predicted) is Ragged
    assert as_lists(predicted) == as_lists(labels)


def test_cross_val_predict_of_lists_answers_in_an_object_array():
    X = [["x"], ["x", "xx"], ["xx"]]
    predicted = cross_val_predict(ParityTagger(), X, cv=3)
    assert isinstance(predicted, np.ndarray)
    assert [p.tolist() for p in predicted] == [[1], [1, 0], [0]]


def test_cross_validate(batch, labels):
    result = cross_validate(
        ParityTagger(), batch, labels, cv=3, return_estimator=True, return_indices=True
    )
    assert result["test_score"].tolist() == [1.0] * 3
    for fitted, train in zip(
        result["estimator"], result["indices"]["train"], strict=True
    ):
        assert fitted.n_tokens_ == np.take(batch.lengths, train).sum()


def test_learning_curve(batch, labels):
    sizes, _, scores = learning_curve(
        ParityTagger(), batch, labels, train_sizes=[0.5, 1.0], cv=3
    )
    n_train = len(batch) * 2 // 3
    assert sizes.tolist() == [n_train // 2, n_train] and (scores == 1.0).all()


def test_train_test_split(batch, labels):
    X_train, X_test, y_train, y_test = train_test_split(
        batch, labels, test_size=5, random_state=3
    )
    assert len(X_train) == len(batch) - 5 and len(X_test) == 5
    for part, part_labels in [(X_train, y_train), (X_test, y_test)]:
        check_whole(part, batch)
        parity = token_numbers(part.values) % 2
        assert part_labels.values.tolist() == parity.tolist()


def test_shuffle_and_resample(batch, labels):
    X, y = shuffle(batch, labels, random_state=5)
    check_whole(X, batch)
    assert sorted(as_lists(X)) == sorted(as_lists(batch)) != as_lists(X)
    assert y.values.tolist() == (token_numbers(X.values) % 2).tolist()
    drawn = resample(batch, n_samples=30, random_state=5)
    assert len(drawn) == 30
    check_whole(drawn, batch)


def test_labels_may_be_lists(batch, labels):
    y = [sample.tolist() for sample in labels]
    scores = cross_validate(ParityTagger(), batch, y, cv=3, error_score="raise")
    assert scores["test_score"].tolist() == [1.0] * 3


def test_pickle_gives_the_same_batch(batch):
    again = pickle.loads(pickle.dumps(batch))
    check_whole(again, batch)
    assert as_lists(again) == as_lists(batch)
    assert again.offsets.tolist() == batch.offsets.tolist()

"""Tables and weights that are unusual, but that somebody will have."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from skstruct import PosteriorRegularizedClusterer
from skstruct.constraints import Sparsity
from skstruct.datasets import make_phrase_table
from skstruct.estimators import PitmanYorClusterer

X, _ = make_phrase_table(600, n_phrases=60, random_state=0)
BOTH = pytest.mark.parametrize(
    "cls", [PosteriorRegularizedClusterer, PitmanYorClusterer]
)


@BOTH
def test_weights_that_sum_to_one_are_told_to_be_counts(cls):
    with pytest.raises(ValueError, match=r"min_count=2 times.*by their weights"):
        cls(3, random_state=0).fit(X, sample_weight=np.full(len(X), 1 / len(X)))


@BOTH
@pytest.mark.parametrize("low, high", [(1, 1e8), (1e-9, 1e9), (1e-100, 1e100)])
def test_weights_of_very_different_sizes(cls, low, high):
    weight = np.where(np.arange(len(X)) % 2, low, high)
    model = cls(3, n_init=1, random_state=0).fit(X, sample_weight=weight)
    assert np.isfinite([step["objective"] for step in model.history_]).all()
    for posterior in (model.regularized_posterior_, model.predict_proba(X)):
        np.testing.assert_allclose(posterior.sum(axis=1), 1)


@pytest.mark.parametrize("sigma", [1e-300, 1e-9, 1e9, 1e300])
def test_strengths_next_to_none_and_next_to_infinite(sigma):
    limit = None if sigma < 1 else Sparsity(1e6)
    posteriors = [
        PosteriorRegularizedClusterer(
            3, constraint=constraint, init="type", n_init=1, max_iter=10, random_state=0
        )
        .fit(X)
        .regularized_posterior_
        for constraint in (limit, Sparsity(sigma))
    ]
    np.testing.assert_allclose(*posteriors, atol=1e-6)


@BOTH
def test_a_table_that_cannot_be_written_to_in_columns(cls):
    rows = np.asfortranarray(X)
    rows.flags.writeable = False
    expected = cls(4, n_init=1, random_state=0).fit(X).labels_
    assert np.array_equal(cls(4, n_init=1, random_state=0).fit(rows).labels_, expected)


@BOTH
def test_one_phrase_of_many_rows(cls):
    rows = X.copy()
    rows[:, 0] = "it"
    model = cls(4, n_init=1, random_state=0).fit(rows)
    assert model.phrases_.tolist() == ["it"]
    assert model.phrase_table()["count"][0] == len(X)


@BOTH
@pytest.mark.parametrize(
    "price",
    [
        lambda x: (1e4 * x).round(),
        lambda x: (1e4 * x).round().astype(int),
        lambda x: x.astype(str),
        lambda x: [Decimal(v) for v in x],
    ],
    ids=["whole floats", "integers", "text", "Decimal"],
)
def test_measurements_that_would_be_categories(cls, price):
    x = np.random.default_rng(0).normal(size=len(X))
    frame = pd.DataFrame({"phrase": X[:, 0], "word": X[:, 1], "price": price(x)})
    fit = cls(3, n_init=1, random_state=0).fit
    with pytest.warns(UserWarning, match=r"column 'price'.*600 rows.*KBins") as caught:
        fit(frame)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="column 2, holds"):
        fit(frame.to_numpy())


@BOTH
def test_columns_that_need_no_bins(cls):
    x = np.random.default_rng(0).normal(size=len(X))
    frame = pd.DataFrame({"phrase": X[:, 0], "word": [f"w{i}" for i in range(len(X))]})
    frame["measured"] = x  # is cut
    frame["year"] = np.arange(len(X)) // 2
    # No float holds these.
    frame["hash"] = pd.Series([10**400 + i for i in range(len(X))], dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = cls(3, n_init=1, random_state=0).fit(frame)
        cls(3, n_init=1, random_state=0).fit([[0, 1], [0, 2], [1, 3], [1, 4]])
    assert list(map(len, model.context_names_)) == [600, 10, 300, 600]


@BOTH
@pytest.mark.parametrize("seed", range(3))
def test_labels_have_no_gaps(cls, seed):
    rows, _ = make_phrase_table(200, random_state=seed)
    model = cls(25, n_init=1, max_iter=3, random_state=seed)
    labels = model.fit_predict(rows)
    assert np.array_equal(np.unique(labels), np.arange(labels.max() + 1))
    assert np.array_equal(labels, model.regularized_posterior_.argmax(axis=1))

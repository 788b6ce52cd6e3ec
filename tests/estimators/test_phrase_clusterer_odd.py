"""Tables and weights that are unusual, but that somebody will have."""

import numpy as np
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

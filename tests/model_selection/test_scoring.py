"""Information criteria as scorers, and marginals out of fold."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skstruct.containers import Ragged
from skstruct.model_selection import (
    TransductiveSplit,
    aic_scorer,
    bic_scorer,
    cross_val_marginals,
)


class TagRates(BaseEstimator):
    """Rates of the labels that were seen in fit, the same for each token."""

    def fit(self, X, y, sample_weight=None):
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        y = Ragged(y)
        self.classes_, codes = np.unique(y.values.astype(str), return_inverse=True)
        rates = np.bincount(codes, np.repeat(weight, y.lengths))
        self.rates_ = rates / rates.sum()
        return self

    def predict_proba(self, X):
        batch = Ragged(X)
        rows = np.tile(self.rates_, (batch.n_tokens, 1))
        out = Ragged.from_arrays(rows, batch.offsets)
        return out if isinstance(X, Ragged) else np.asarray(out)


X = [["p", "q"], ["r"], ["s", "t", "u"], ["v"]]
Y = [["a", "b"], ["b"], ["a", "a", "c"], ["b"]]


@pytest.mark.parametrize("scorer, name", [(bic_scorer, "bic"), (aic_scorer, "aic")])
def test_criteria(scorer, name):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 2)) + 9 * np.repeat([[0], [1]], 20, axis=0)
    model = GaussianMixture(2, random_state=0).fit(rows)
    assert scorer(model, rows) == -getattr(model, name)(rows)
    pipe = make_pipeline(StandardScaler(), model).fit(rows)
    scaled = pipe[0].transform(rows)
    assert scorer(pipe, rows) == -getattr(pipe[-1], name)(scaled)
    assert scorer(make_pipeline(pipe[-1]), scaled) == scorer(pipe, rows)
    assert pickle.loads(pickle.dumps(scorer))(model, rows) == scorer(model, rows)
    with pytest.raises(TypeError, match=f"{name}_scorer needs .* GaussianNB has none"):
        scorer(GaussianNB(), rows)
    for routing in (False, True):
        with config_context(enable_metadata_routing=routing):
            search = GridSearchCV(
                make_pipeline(StandardScaler(), GaussianMixture(random_state=0)),
                {"gaussianmixture__n_components": [1, 2]},
                scoring=scorer,
                cv=TransductiveSplit(),
                error_score="raise",
            ).fit(rows)
        assert search.best_params_ == {"gaussianmixture__n_components": 2}


@pytest.mark.parametrize("form", [list, Ragged, pd.Series])
def test_marginals_come_from_models_that_did_not_see_the_sequence(form):
    folds = KFold(2, shuffle=True, random_state=1)
    marginals = cross_val_marginals(TagRates(), form(X), form(Y), cv=folds)
    assert marginals.lengths.tolist() == [2, 1, 3, 1]
    first = None
    for train, test in folds.split(X):
        seen = [label for i in train for label in Y[i]]
        columns = sorted(set(seen))
        first = first or [*columns, *({"a", "b", "c"} - set(columns))]
        expected = [seen.count(label) / len(seen) for label in first]
        for i in test:
            np.testing.assert_allclose(marginals[i], np.tile(expected, (len(X[i]), 1)))


@pytest.mark.parametrize("routing", [False, True])
def test_weights_reach_fit(routing):
    weight = np.array([1.0, 2.0, 3.0, 0.0])
    with config_context(enable_metadata_routing=routing):
        model = TagRates()
        if routing:
            model.set_fit_request(sample_weight=True)
        marginals = cross_val_marginals(
            model, X, Y, cv=LeaveOneOut(), params={"sample_weight": weight}
        )
    # Without the last sequence: a has 1 + 2 * 3, b has 1 + 2, c has 3.
    np.testing.assert_allclose(marginals[3], [[7 / 13, 3 / 13, 3 / 13]])


def test_unsupervised_states_and_pipelines_on_rows():
    rows = np.r_[np.zeros(6), 9 + np.zeros(6)][:, None]
    rows = rows + np.random.default_rng(0).standard_normal(rows.shape)
    folds = KFold(3, shuffle=True, random_state=0)
    mixture = make_pipeline(
        StandardScaler(), GaussianMixture(2, means_init=[[-1], [1]])
    )
    marginals = cross_val_marginals(mixture, rows, cv=folds)
    assert marginals.lengths.tolist() == [1] * 12
    np.testing.assert_allclose(marginals.values[:, 1], np.repeat([0, 1], 6), atol=1e-6)


def test_folds_must_test_every_sequence_once():
    with pytest.raises(ValueError, match="exactly once"):
        cross_val_marginals(TagRates(), X, Y, cv=TransductiveSplit(n_repeats=2))
    with pytest.raises(ValueError, match="exactly once"):
        cross_val_marginals(TagRates(), X, Y, cv=[([0, 1], [2])])


def test_the_estimators_own_score_is_not_called():
    class Unscored(TagRates):
        def score(self, X, y):
            raise AssertionError("scored")

    with pytest.raises(AssertionError, match="scored"):
        cross_validate(Unscored(), X, Y, cv=2, error_score="raise")
    assert len(cross_val_marginals(Unscored(), X, Y, cv=2)) == 4

"""Scorers inside scikit-learn's searches, with ragged labels and both routing modes."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_score,
    cross_validate,
    learning_curve,
)

from skstruct import metrics
from skstruct.containers import Ragged
from skstruct.losses import ZeroOne
from skstruct.metrics import (
    LabelScorer,
    make_loss_scorer,
    many_to_one_scorer,
    mean_additive_loss,
    neg_conditional_entropy_scorer,
    neg_variation_of_information_scorer,
    one_to_one_scorer,
    token_accuracy,
    token_accuracy_scorer,
    token_f1,
    v_measure_scorer,
)

SCORERS = {n: getattr(metrics, n) for n in metrics.__all__ if n.endswith("_scorer")}
del SCORERS["make_loss_scorer"], SCORERS["aer_scorer"]  # of links: test_alignment.py


class Threshold(BaseEstimator):
    """States of numbers: 1 above a threshold that is a parameter."""

    def __init__(self, threshold=0.0):
        self.threshold = threshold

    def fit(self, X, y=None, sample_weight=None):
        self.weighted_ = sample_weight is not None
        return self

    def predict(self, X):
        X = Ragged(X)
        return np.asarray(X.with_values((X.values > self.threshold).astype(int)))


def data(n=12):
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, n)
    values = rng.standard_normal(lengths.sum())
    X = Ragged.from_lengths(values, lengths)
    return X, X.with_values((values > 0).astype(int))


def search(scoring, **options):
    grid = {"threshold": [-1.0, 0.0, 1.0]}
    return GridSearchCV(
        Threshold(), grid, scoring=scoring, cv=3, error_score="raise", **options
    )


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("name", [n for n in SCORERS if n != "span_f1_scorer"])
def test_grid_search_finds_the_threshold(name, routing):
    X, y = data()
    with config_context(enable_metadata_routing=routing):
        found = search(SCORERS[name]).fit(X, y)
    assert found.best_params_ == {"threshold": 0.0}
    assert found.best_score_ == pytest.approx(0.0 if name.startswith("neg") else 1.0)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize(
    "form", [np.asarray, lambda y: [s.tolist() for s in y], pd.Series, pl.Series]
)
def test_forms_of_y(form):
    X, y = data()
    y = form([s.tolist() for s in y] if form in (pd.Series, pl.Series) else y)
    assert search(v_measure_scorer).fit(X, y).best_params_ == {"threshold": 0.0}


def test_several_scorers_and_curves():
    X, y = data()
    scoring = {"v": v_measure_scorer, "one": one_to_one_scorer}
    found = search(scoring, refit="v").fit(X, y)
    assert found.cv_results_["mean_test_one"].max() == 1.0
    scores = cross_validate(Threshold(), X, y, scoring=scoring, error_score="raise")
    assert (scores["test_v"] == 1).all()
    _, train, test = learning_curve(
        Threshold(), X, y, cv=3, scoring=many_to_one_scorer, error_score="raise"
    )
    assert (train == 1).all() and (test == 1).all()


def test_folds_without_gold_labels_are_nan():
    X, y = data(6)
    y = [None, None, None, *list(y)[3:]]
    with pytest.warns(UserWarning, match="no known gold label"):
        scores = cross_val_score(
            Threshold(), X, y, scoring=token_accuracy_scorer, cv=KFold(2)
        )
    assert np.isnan(scores[0]) and scores[1] == 1.0


@pytest.mark.parametrize("routing", [False, True])
def test_y_is_none(routing):
    X, _ = data()
    with config_context(enable_metadata_routing=routing):
        with pytest.raises(ValueError, match="this scorer needs gold labels y"):
            search(v_measure_scorer).fit(X)
        with pytest.raises(ValueError, match="this scorer needs gold labels y"):
            cross_validate(
                Threshold(), X, scoring={"v": v_measure_scorer}, error_score="raise"
            )


def fold_scores(X, y, weight, cv):
    return [
        token_accuracy(y[t], Threshold(1.0).fit(X).predict(X[t]), sample_weight=w)
        for _, t in cv.split(X)
        for w in [weight if weight is None else weight[t]]
    ]


@pytest.mark.parametrize("single", [True, False])
def test_weights_without_routing(single):
    X, y = data()
    weight = np.arange(1.0, 13)
    scoring = token_accuracy_scorer if single else {"a": token_accuracy_scorer}
    found = search(scoring, refit=single or "a").fit(X, y, sample_weight=weight)
    column = "split{}_test_" + ("score" if single else "a")
    scores = [found.cv_results_[column.format(i)][2] for i in range(3)]
    np.testing.assert_allclose(scores, fold_scores(X, y, weight, KFold(3)))
    assert scores != pytest.approx(fold_scores(X, y, None, KFold(3)))
    assert found.best_estimator_.weighted_


def test_weights_with_routing():
    X, y = data()
    weight = np.arange(1.0, 13)
    with config_context(enable_metadata_routing=True):
        model = Threshold(1.0).set_fit_request(sample_weight=True)
        for request, used in ((True, weight), (False, None)):
            scorer = clone(token_accuracy_scorer)
            scorer.set_score_request(sample_weight=request)
            scores = cross_validate(
                model,
                X,
                y,
                cv=KFold(3),
                scoring=scorer,
                params={"sample_weight": weight},
            )["test_score"]
            np.testing.assert_allclose(scores, fold_scores(X, y, used, KFold(3)))
        with pytest.raises(Exception, match="sample_weight"):
            cross_validate(
                model,
                X,
                y,
                scoring=token_accuracy_scorer,
                params={"sample_weight": weight},
            )


@pytest.mark.parametrize("name", SCORERS)
def test_scorers_pickle_and_clone(name):
    X, y = data()
    if name == "span_f1_scorer":
        y = y.with_values(np.array(["O", "B-X"])[y.values])
        X = X.with_values(y.values)
    model = Threshold().fit(X) if name != "span_f1_scorer" else Echo()
    scorer = SCORERS[name]
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer)):
        assert copy(model, X, y) == scorer(model, X, y)
        assert repr(copy) == repr(scorer)


class Echo:
    def predict(self, X):
        return X


def test_signs_and_representations():
    X, y = data()
    model = Threshold(1.0).fit(X)
    y_pred = model.predict(X)
    for scorer, metric in (
        (neg_variation_of_information_scorer, metrics.variation_of_information),
        (neg_conditional_entropy_scorer, metrics.conditional_entropy),
    ):
        assert scorer(model, X, y) == -metric(y, y_pred) < 0
    assert repr(v_measure_scorer) == "LabelScorer(v_measure)"
    assert (
        repr(neg_conditional_entropy_scorer)
        == "LabelScorer(conditional_entropy, greater_is_better=False)"
    )


def test_scorers_with_options():
    X, y = data()
    model = Threshold(1.0).fit(X)
    y_pred = model.predict(X)
    scorer = LabelScorer(token_f1, options={"average": "micro"})
    assert scorer(model, X, y) == token_f1(y, y_pred, average="micro")
    cost = np.array([[0.0, 1.0], [5.0, 0.0]])
    scorer = make_loss_scorer(cost)
    assert scorer(model, X, y) == -mean_additive_loss(y, y_pred, cost) < -0.5
    assert search(scorer).fit(X, y).best_params_ == {"threshold": 0.0}


def test_scorers_take_losses():
    X, y = data()
    model = Threshold(1.0).fit(X)
    y_pred = model.predict(X)
    loss = ZeroOne(weight="position")
    scorer = make_loss_scorer(loss, labels=[0, 1])
    value = scorer(model, X, y)
    assert value == -mean_additive_loss(y, y_pred, loss)
    assert value != make_loss_scorer("zero_one")(model, X, y)
    assert pickle.loads(pickle.dumps(clone(scorer)))(model, X, y) == value
    assert search(scorer).fit(X, y).best_params_ == {"threshold": 0.0}


@pytest.mark.parametrize("loss", ["zeroone", 3, ZeroOne, None])
def test_a_loss_that_is_none_is_told_at_once(loss):
    with pytest.raises(ValueError, match="one of 'zero_one', 'absolute', 'squared'"):
        make_loss_scorer(loss)


class Sign(BaseEstimator):
    """+1 for numbers of a sequence above zero, -1 for others."""

    classes_ = np.array([-1, 1])

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return [[1 if x > 0 else -1 for x in sequence] for sequence in X]


def test_minus_one_is_a_class_of_an_estimator_that_says_so():
    X, y = [[1.0, -1.0, -2.0, 3.0], [-1.0, -2.0]], [[1, -1, 1, -1], [-1, -1]]
    model, flat = Sign(), np.concatenate([[1, -1, 1, -1], [-1, -1]])
    predicted = np.concatenate(model.predict(X))
    assert token_accuracy_scorer(model, X, y) == np.mean(flat == predicted)
    assert metrics.sequence_accuracy_scorer(model, X, y) == 0.5
    expected = f1_score(flat, predicted, average="macro")
    assert metrics.token_f1_scorer(model, X, y) == expected
    positive = LabelScorer(token_f1, options={"labels": [1]})
    assert positive(model, X, y) == f1_score(flat, predicted)
    report = metrics.classification_report(
        y, model.predict(X), classes=[-1, 1], output_dict=True
    )
    assert report["accuracy"] == np.mean(flat == predicted)
    # A metric alone cannot know it.
    assert token_accuracy(y, model.predict(X)) == 0.5
    assert token_accuracy(y, model.predict(X), classes=[-1, 1]) == pytest.approx(4 / 6)
    for options in ({"labels": model.classes_}, {"classes": model.classes_}):
        assert token_f1(y, model.predict(X), **options) == expected

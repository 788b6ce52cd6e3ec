"""sklearn-crfsuite behind our featurizers, judged by our scorers."""

import pickle

import pytest
import sklearn_crfsuite
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

from skstruct import Ragged
from skstruct.featurizers import PerToken, TokenFeaturizer
from skstruct.metrics import span_f1_scorer, token_accuracy, token_accuracy_scorer

X = [
    [*("the", noun, verb)]
    for noun in ("dog", "cat", "bird", "horse")
    for verb in ("barked", "slept", "flew")
]
Y = [["D", "N", "V"]] * len(X)


def letters(word):
    return {"last": word[-1:], "length": float(len(word))}


def crf(featurizer, **params):
    params = {"max_iterations": 20, **params}
    return make_pipeline(featurizer, sklearn_crfsuite.CRF(**params))


@pytest.mark.parametrize(
    "featurizer",
    [TokenFeaturizer(output="dicts"), PerToken(letters)],
    ids=["tokens", "function"],
)
@pytest.mark.parametrize("form", [list, Ragged], ids=["lists", "ragged"])
def test_pipeline(featurizer, form):
    model = crf(clone(featurizer)).fit(form(X), form(Y))
    found = model.predict(form(X))
    assert token_accuracy(Y, found) == 1.0
    again = pickle.loads(pickle.dumps(model))
    assert token_accuracy(found, again.predict(form(X))) == 1.0


def test_scorers_and_folds():
    model = crf(TokenFeaturizer(output="dicts"))
    found = cross_val_predict(model, Ragged(X), Ragged(Y), cv=3)
    assert token_accuracy(Y, found) > 0.6
    spans = [["B-NP", "I-NP", "O"]] * len(X)
    scores = cross_val_score(
        model, Ragged(X), Ragged(spans), scoring=span_f1_scorer, cv=3
    )
    assert (scores > 0.3).all()


def test_grid_search_over_both_steps():
    search = GridSearchCV(
        crf(TokenFeaturizer(output="dicts"), algorithm="lbfgs"),
        {"crf__c2": [0.1, 10.0], "tokenfeaturizer__window": [0, 1]},
        scoring=token_accuracy_scorer,
        cv=2,
    ).fit(Ragged(X), Ragged(Y))
    assert len(search.cv_results_["params"]) == 4
    assert search.score(Ragged(X), Ragged(Y)) == 1.0

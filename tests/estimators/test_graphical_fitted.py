"""What fits of graphical models prove, and what later changes leave as it was."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from skstruct import (
    AdversarialGraphicalModel,
    ConditionalRandomField,
    StructuredSVM,
)
from skstruct.datasets import make_labelled_graphs
from skstruct.losses import Absolute
from tests.estimators._graphical_oracle import COST, LABELS, TinySet

MODELS = {
    "crf": ConditionalRandomField(),
    "svm": StructuredSVM(),
    "game": AdversarialGraphicalModel(),
    "smooth": AdversarialGraphicalModel(temperature=1.0),
}
CERTIFIED = ["svm", "game", "smooth"]


@pytest.fixture(autouse=True)
def every_fit_converges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("structure", ["chain", "tree"])
@pytest.mark.parametrize("name", MODELS)
def test_default_fits_end(name, structure):
    for seed in range(10):
        X, y = make_labelled_graphs(
            6, structure=structure, size=(3, 8), random_state=seed
        )
        model = clone(MODELS[name]).fit(X, y)
        assert model.converged_ and model.n_iter_ <= 60
        last = model.history_[-1]
        assert np.isfinite(last.get("upper", last.get("objective")))
        if name in CERTIFIED:
            assert 0 <= model.duality_gap_ <= model.tol
        assert model.score(X, y) > 0.7


@pytest.mark.parametrize("l2", ["auto", 1e-3, 1e-5])
@pytest.mark.parametrize(
    "loss", ["zero_one", "absolute", "squared", COST], ids=lambda loss: str(loss)[:8]
)
@pytest.mark.parametrize("name", CERTIFIED)
def test_separable_labels_need_no_patience(name, loss, l2):
    for seed, structure in enumerate(["chain", "tree"]):
        X, y = make_labelled_graphs(
            5, structure=structure, size=(3, 6), noise=0.05, random_state=seed
        )
        model = clone(MODELS[name]).set_params(loss=loss, l2=l2).fit(X, y)
        assert model.converged_ and model.n_iter_ <= 50
        assert l2 == "auto" or model.score(X, y) == 1


@pytest.mark.parametrize("name", CERTIFIED)
def test_costs_far_apart(name):
    X, y = make_labelled_graphs(10, structure="chain", noise=0.8, random_state=0)
    for light in ({1: 1e-4}, {1: 1e-4, 2: 1e-4}):
        weight = {0: 1000} | light
        model = clone(MODELS[name]).set_params(class_weight=weight).fit(X, y)
        assert model.converged_ and model.n_iter_ <= 60


@pytest.mark.parametrize("loss", ["absolute", COST], ids=["absolute", "cost"])
def test_a_default_penalty_at_much_temperature_is_that_of_a_crf(loss):
    train, labels = make_labelled_graphs(30, structure="chain", noise=1, random_state=0)
    X, _ = make_labelled_graphs(30, structure="chain", noise=1, random_state=1)
    crf = ConditionalRandomField(loss, tol=1e-7).fit(train, labels)
    hot = AdversarialGraphicalModel(loss, temperature=1e4, tol=1e-6)
    hot.fit(train, labels)
    decided = hot.predict(X)
    assert_array_equal(decided.values, crf.predict(X).values)
    # A penalty that does not know of the temperature decides otherwise.
    stiff = clone(hot).set_params(l2=1 / 30).fit(train, labels)
    assert (stiff.predict(X).values != decided.values).any()


def test_a_default_penalty_heeds_only_temperatures_above_one():
    data = TinySet()
    model = AdversarialGraphicalModel(COST, classes=LABELS, temperature=0.2)
    auto = clone(model).fit(data.X, data.y)  # .2 * 4 < 1
    by_hand = clone(model).set_params(l2=1 / 5).fit(data.X, data.y)
    assert_array_equal(auto.coef_, by_hand.coef_)


def answers(model, X, y):
    """All that a fitted model says, flat."""
    out = [model.predict(X).values, model.score(X, y), model.surrogate(X, y)]
    if hasattr(model, "predict_equilibrium"):
        out.append(model.predict_equilibrium(X).values)
    return out


@pytest.mark.parametrize("name", MODELS)
def test_a_fitted_model_decides_as_it_was_fitted(name):
    data = TinySet(seed=1)
    loss = Absolute(weight="position")
    model = clone(MODELS[name]).set_params(loss=loss, classes=LABELS)
    model.fit(data.X, data.y)
    before = answers(model, data.X, data.y)
    changes = [
        {"loss__weight": None},
        {"loss": COST, "classes": LABELS[::-1], "class_weight": {"a": 9.0}},
        {"l2": 7.0, "tol": 1.0, "max_iter": 1},
    ]
    if "temperature" in model.get_params():
        changes.append({"temperature": 2.5})
    for change in changes:
        model.set_params(**change)
        for now, then in zip(answers(model, data.X, data.y), before, strict=True):
            assert_array_equal(now, then)
    # The changes are not idle.
    again = answers(model.set_params(max_iter=200).fit(data.X, data.y), data.X, data.y)
    assert again[1:3] != before[1:3]


@pytest.mark.parametrize("name", ["crf", "game", "smooth"])
def test_how_to_predict_may_change_after_a_fit(name):
    data = TinySet(seed=1)
    model = clone(MODELS[name]).fit(data.X, data.y)
    for prediction in ("map", "bayes" if name == "crf" else "equilibrium"):
        other = clone(model).set_params(prediction=prediction).fit(data.X, data.y)
        model.set_params(prediction=prediction)
        assert_array_equal(model.predict(data.X).values, other.predict(data.X).values)

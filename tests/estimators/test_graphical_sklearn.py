"""Graphical models among scikit-learn's tools: searches, routing, callbacks, forms."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import Pipeline, make_pipeline

from skstruct import (
    AdversarialGraphicalModel,
    ConditionalRandomField,
    GraphBatch,
    Ragged,
    StructuredSVM,
)
from skstruct.featurizers import TokenFeaturizer
from skstruct.losses import Absolute, CostMatrix, ZeroOne
from skstruct.metrics import make_loss_scorer, token_accuracy_scorer
from tests.estimators._graphical_oracle import TinySet

MODELS = {
    "crf": ConditionalRandomField(max_iter=30),
    "svm": StructuredSVM(tol=0.2),
    "game": AdversarialGraphicalModel(tol=0.2),
    "smooth": AdversarialGraphicalModel(temperature=1.0),
    "subgradient": AdversarialGraphicalModel(
        solver="subgradient", max_iter=2, tol=10.0
    ),
}
COEF = ("coef_", "intercept_", "transition_coef_")
ignore_slow = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param])


@pytest.fixture(scope="module")
def text():
    """Sentences of unlike lengths, whose words tell most of their labels."""
    rng = np.random.default_rng(0)
    y = [rng.integers(3, size=n).tolist() for n in (3, 1, 5, 4, 2, 6, 3, 4, 2, 5)]
    X = [[f"w{k + 3 * rng.integers(2)}" for k in labels] for labels in y]
    return X, y


def assert_same_fit(a, b, **tolerance):
    for name in COEF:
        assert_allclose(getattr(a, name), getattr(b, name), **tolerance)


@ignore_slow
def test_clone_pickle_repr(model, text):
    X, y = text
    with pytest.raises(NotFittedError):
        model.predict(X)
    before = repr(model)
    assert repr(clone(model)) == before and "loss=" not in before
    model.fit(X, y)
    assert repr(model) == before
    again = pickle.loads(pickle.dumps(model))
    assert_same_fit(again, model, rtol=0)
    assert_array_equal(again.predict(X)[2], model.predict(X)[2])
    assert again.score(X, y) == model.score(X, y) > 0.4
    assert not hasattr(clone(model), "coef_")


def test_parameters_are_not_fitted(text):
    X, y = text
    loss, featurizer = Absolute(weight="position"), TokenFeaturizer(window=0)
    model = ConditionalRandomField(loss, featurizer=featurizer).fit(X, y)
    assert model.loss is loss and model.featurizer is featurizer
    assert not hasattr(featurizer, "vocabulary_")
    assert len(model.coef_.T) == model.featurizer_.n_features_out_


def test_nested_parameters(text):
    X, y = text
    model = ConditionalRandomField(Absolute())
    assert model.get_params()["loss__weight"] is None
    model.set_params(loss__weight="position").fit(X, y)
    assert model.loss.weight == "position"
    weighted = model.score(X, [labels[::-1] for labels in y])
    model.set_params(loss__weight=None).fit(X, y)
    assert model.score(X, [labels[::-1] for labels in y]) != weighted
    with pytest.raises(ValueError, match=r"loss=Absolute\(\)"):
        ConditionalRandomField("absolute").set_params(loss__weight="position")


FORMS = {
    "lists": list,
    "Ragged": Ragged,
    "arrays": lambda X: np.asarray(Ragged(X)),
    "graphs": GraphBatch.from_sequences,
    "pandas": lambda X: pd.Series(X, index=range(7, 7 + len(X))),
    "polars": pl.Series,
}


@pytest.mark.parametrize("name", ["crf", "game"])
@pytest.mark.parametrize("form", FORMS)
def test_forms_of_input(name, text, form):
    model = clone(MODELS[name])
    X, y = text
    make = FORMS[form]
    own = clone(model).fit(make(X), (Ragged if form == "graphs" else make)(y))
    assert_same_fit(own, model.fit(X, y), atol=1e-9)
    answers = [own.predict(make(X))]
    if hasattr(own, "predict_proba"):
        answers.append(own.predict_proba(make(X)))
    else:
        with pytest.raises(AttributeError):
            own.predict_proba  # noqa: B018
    if isinstance(own, AdversarialGraphicalModel):
        answers.append(own.predict_equilibrium(make(X)))
    for answer in answers:
        kind = Ragged if form in ("Ragged", "graphs") else np.ndarray
        assert type(answer) is kind and len(answer) == len(X)
        assert [len(a) for a in answer] == [len(x) for x in X]
    for answer in answers[1:]:
        assert_allclose(np.concatenate(list(answer)).sum(axis=1), 1)
    for got, expected in zip(answers[0], model.predict(X), strict=True):
        assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("form", ["lists", "Ragged", "graphs", "pandas"])
def test_grid_search(text, form):
    X, y = FORMS[form](text[0]), FORMS["lists" if form == "graphs" else form](text[1])
    labels = [0, 1, 2]
    model = AdversarialGraphicalModel("absolute", classes=labels, temperature=1.0)
    pipe = Pipeline([("features", TokenFeaturizer()), ("model", model)])
    if form == "graphs":  # a featurizer of sequences would lose the edges
        pipe = Pipeline([("model", model.set_params(featurizer=TokenFeaturizer()))])
    grid = {"model__l2": [0.02, 100.0]}
    scorer = make_loss_scorer("absolute", labels=labels)
    for scoring in (scorer, None):
        search = GridSearchCV(pipe, grid, scoring=scoring, error_score="raise")
        search.fit(X, y)
        assert search.best_params_ == {"model__l2": 0.02}
        assert search.n_splits_ == 5
        expected = scorer(search, X, y) if scoring else 1 + scorer(search, X, y) / 2
        assert search.score(X, y) == pytest.approx(expected)
        assert [len(s) for s in search.predict(X)] == [len(s) for s in text[0]]


def test_search_of_losses(text):
    X, y = text
    cost = 1 - np.eye(3)
    grid = [
        {"loss": [ZeroOne(), Absolute()], "loss__weight": [None, "position"]},
        {"loss": ["squared", cost], "prediction": ["map", "bayes"]},
    ]
    search = GridSearchCV(
        ConditionalRandomField(classes=[0, 1, 2], max_iter=5),
        grid,
        scoring=token_accuracy_scorer,
        cv=2,
        error_score="raise",
    )
    with pytest.warns(match="max_iter=5"):
        search.fit(X, y)
    assert len(search.cv_results_["params"]) == 8
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@ignore_slow
def test_cross_validation_tools(model, text):
    X, y = text
    for forms in ((X, y), (Ragged(X), Ragged(y))):
        out = cross_val_predict(model, *forms, cv=2)
        assert [len(o) for o in out] == [len(x) for x in X]
    scores = learning_curve(
        model, X, y, cv=2, train_sizes=[0.5, 1.0], error_score="raise"
    )
    assert np.isfinite(scores[2]).all()


def test_folds_may_lack_classes():
    X = [["a"], ["b"], ["c"], ["a"], ["b"]]
    y = [["A"], ["B"], ["C"], ["A"], ["B"]]
    model = ConditionalRandomField(
        CostMatrix(1 - np.eye(3), labels=["A", "B", "C"]), max_iter=20
    )
    out = cross_validate(model, X, y, return_estimator=True, error_score="raise")
    assert np.isfinite(out["test_score"]).all()
    assert [len(e.classes_) for e in out["estimator"]] == [3, 3, 2, 3, 3]
    # As many classes everywhere, where they are named.
    model.set_params(classes=["A", "B", "C"])
    out = cross_validate(model, X, y, return_estimator=True, error_score="raise")
    assert {len(e.classes_) for e in out["estimator"]} == {3}


@ignore_slow
@pytest.mark.parametrize("name", ["crf", "svm", "game", "smooth"])
def test_weights_are_repetitions(name, text):
    # The subgradient method breaks ties over all samples at once.
    model = clone(MODELS[name])
    X, y = (part[:6] for part in text)
    weight = [1, 3, 0, 2, 1, 1]
    weighted = clone(model).fit(X, y, sample_weight=weight)
    repeated = [
        [s for s, n in zip(part, weight, strict=True) for _ in range(n)]
        for part in (X, y)
    ]
    assert_same_fit(weighted, model.fit(*repeated), atol=1e-6)
    once, twice = weighted.surrogate(X, y, weight), model.surrogate(*repeated)
    assert once == pytest.approx(twice, abs=1e-5)
    assert weighted.score(X, y, weight) == pytest.approx(model.score(*repeated))


@ignore_slow
def test_weights_without_routing(model, text):
    X, y = text
    weight = np.arange(1.0, 11)
    node_weight = Ragged([np.full(len(labels), 0.5) for labels in y])
    params = {"sample_weight": weight, "node_weight": node_weight}
    if isinstance(model, ConditionalRandomField):  # it takes none
        del params["node_weight"]
    direct = clone(model).fit(X, y, **params)
    name = type(model).__name__.lower()
    given = {f"{name}__{key}": value for key, value in params.items()}
    piped = make_pipeline(clone(model)).fit(X, y, **given)
    assert_same_fit(piped[-1], direct, rtol=0)
    out = cross_validate(
        model,
        X,
        y,
        cv=2,
        params=params,
        return_estimator=True,
        error_score="raise",
    )
    half = {key: value[5:] for key, value in params.items()}
    by_hand = clone(model).fit(X[5:], y[5:], **half)
    assert_same_fit(out["estimator"][0], by_hand, rtol=0)


@ignore_slow
def test_weights_with_routing(model, text):
    X, y = text
    weight = np.arange(1.0, 11)
    node_weight = [[0.5, *[2.0] * (len(labels) - 1)] for labels in y]
    node_cost = [np.tile(2.0 - 2 * np.eye(3), (len(labels), 1, 1)) for labels in y]
    given = {"sample_weight": weight, "node_weight": node_weight}
    tables = {"node_cost": node_cost}
    if isinstance(model, ConditionalRandomField):  # it takes none
        del given["node_weight"], tables["node_cost"]
    model.set_params(classes=[0, 1, 2])
    with config_context(enable_metadata_routing=True):
        routed = clone(model).set_fit_request(
            sample_weight=True, node_weight=True, node_cost=True
        )
        routed.set_score_request(**dict.fromkeys(given, True))
        out = cross_validate(
            make_pipeline(routed),
            X,
            y,
            cv=2,
            params=given | tables,
            return_estimator=True,
            error_score="raise",
        )
        search = GridSearchCV(routed, {"l2": [0.1, 1.0]}, cv=2, error_score="raise")
        assert np.isfinite(search.fit(X, y, **given).best_score_)
    half = {key: value[5:] for key, value in (given | tables).items()}
    by_hand = clone(model).fit(X[5:], y[5:], **half)
    assert_same_fit(out["estimator"][0][-1], by_hand, rtol=0)
    rest = {key: value[:5] for key, value in given.items()}
    expected = by_hand.score(X[:5], y[:5], **rest)
    assert out["test_score"][0] == pytest.approx(expected)


@ignore_slow
def test_threads_change_nothing(model):
    data = TinySet()
    one = clone(model).fit(data.X, data.y)
    two = clone(model).set_params(n_jobs=2).fit(data.X, data.y)
    assert_same_fit(one, two, rtol=0)
    assert_array_equal(one.predict(data.X).values, two.predict(data.X).values)
    assert one.surrogate(data.X, data.y) == two.surrogate(data.X, data.y)


@ignore_slow
def test_samples_do_not_depend_on_their_batch_mates(model):
    data = TinySet(n_edge_features=1)
    model.fit(data.X, data.y)
    methods = ["predict", "predict_proba", "predict_equilibrium"]
    for method in [m for m in methods if hasattr(model, m)]:
        together = getattr(model, method)(data.X)
        atol = 2e-2 if method == "predict_equilibrium" else 1e-10
        for i in range(len(data.y)):
            alone = getattr(model, method)(data.X[[i]])[0]
            if method == "predict":
                assert alone.tolist() == together[i].tolist()
            else:
                assert_allclose(alone, together[i], atol=atol)


class Stopper:
    """Stop a fit, or break it, after some iterations; look at models on the way."""

    def __init__(self, after=None, error=None):
        self.after, self.error, self.scores = after, error, []

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        if context.task_name != "iteration":
            return False
        self.scores.append(fitted_estimator.score(X, y))
        is_last = len(self.scores) == self.after
        if is_last and self.error is not None:
            raise self.error
        return is_last


@ignore_slow
def test_a_callback_stops_the_fit(model, text):
    X, y = text
    stopper = Stopper(2)
    model.set_params(tol=1e-7).set_callbacks(stopper).fit(X, y)
    assert model.n_iter_ == len(model.history_) == len(stopper.scores) == 2
    assert not model.converged_
    assert model.score(X, y) == stopper.scores[-1]


@ignore_slow
@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("full")])
def test_an_interrupted_fit_leaves_no_half_of_a_model(model, text, error):
    X, y = text
    broken = clone(model).set_params(tol=1e-7).set_callbacks(Stopper(2, error))
    with pytest.raises(type(error)):
        broken.fit(X, y)
    assert not [name for name in vars(broken) if name.endswith("_")]
    model.fit(X, y)
    before, answers = dict(vars(model)), model.predict(X)
    model.set_callbacks(Stopper(1, error))
    with pytest.raises(type(error)):
        model.fit(X[:5], [["a"] * len(x) for x in X[:5]])
    assert all(vars(model)[name] is value for name, value in before.items())
    assert [a.tolist() for a in model.predict(X)] == [a.tolist() for a in answers]


@ignore_slow
def test_progress_bar_and_scoring_monitor(model, text, capsys):
    X, y = text
    monitor = ScoringMonitor(scoring={"accuracy": token_accuracy_scorer})
    model.set_callbacks(ProgressBar(), monitor).fit(X, y)
    assert type(model).__name__ in capsys.readouterr().out
    log = [row for row in monitor.get_logs().data if row["task_name"] == "iteration"]
    assert len(log) == model.n_iter_
    assert all(0 <= row["accuracy"] <= 1 for row in log)


def test_a_second_fit_forgets_the_first():
    data, rows = TinySet(n_edge_features=1), TinySet()
    model = ConditionalRandomField().fit(data.X, data.y)
    assert model.edge_coef_.shape == (1, 3, 3)
    model.fit(rows.X, rows.y)
    assert not hasattr(model, "edge_coef_")
    frame = pd.DataFrame(np.eye(3), columns=list("uvw"))
    model.fit(frame, ["x", "y", "x"])
    assert model.feature_names_in_.tolist() == ["u", "v", "w"]
    model.fit([["a", "b"]], [[0, 1]])
    assert not hasattr(model, "feature_names_in_")
    assert not hasattr(model, "n_features_in_")

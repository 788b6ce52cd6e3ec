"""What callbacks of clusterers of tables see and stop, and what a broken fit leaves."""

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.callback import ProgressBar, ScoringMonitor

from skstruct.constraints import Sparsity
from skstruct.datasets import make_phrase_table
from skstruct.estimators import PitmanYorClusterer, PosteriorRegularizedClusterer
from skstruct.metrics import v_measure, v_measure_scorer
from tests.estimators._clustering_oracle import assert_same_fit, history

X, Y = make_phrase_table(120, n_phrases=20, random_state=0)
MODELS = {
    "sparsity": PosteriorRegularizedClusterer(
        3, constraint=Sparsity(3.0), warmup=2, init="random"
    ),
    "view": PosteriorRegularizedClusterer(
        3, constraint=None, agreement="view", views=[[0, 1], [0, 2]], init="random"
    ),
    "type": PosteriorRegularizedClusterer(3, constraint="type"),
    "pitman-yor": PitmanYorClusterer(3),
}
each = pytest.mark.parametrize("kind", MODELS)


def clusterer(kind, **params):
    params = {"n_init": 1, "max_iter": 6, "tol": 0, "random_state": 0} | params
    return clone(MODELS[kind]).set_params(**params)


class Watcher:
    """Keep models of iterations; stop a run, or break it, after some of them."""

    def __init__(self, after=None, error=None):
        self.after, self.error = after, error
        self.models, self.hashes, self.runs = [], [], 0

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        if context.task_name == "run":
            self.runs += 1
            self.last = fitted_estimator.predict_proba(X)
        if context.task_name != "iteration":
            return self.after is not None and len(self.models) >= self.after
        self.models.append(fitted_estimator)
        self.hashes.append(answers(fitted_estimator, X))
        if len(self.models) == self.after and self.error is not None:
            raise self.error
        return len(self.models) == self.after


def answers(model, X):
    return joblib.hash(
        (model.predict_proba(X), model.regularized_posterior_, model.history_)
    )


@each
def test_a_callback_sees_models_and_stops_the_fit(kind):
    watcher = Watcher(3)
    model = clusterer(kind, n_init=4).set_callbacks(watcher).fit(X)
    assert model.n_iter_ == len(watcher.models) == 3 and watcher.runs == 1
    assert not model.converged_
    short = clusterer(kind, max_iter=3).fit(X)
    assert_same_fit(model, short)
    assert_array_equal(model.labels_, short.labels_)


@each
def test_models_of_callbacks_stay(kind):
    watcher = Watcher()
    model = clusterer(kind, n_init=2).set_callbacks(watcher).fit(X)
    assert len(watcher.models) == 12 and watcher.runs == 2
    assert [answers(seen, X) for seen in watcher.models] == watcher.hashes
    assert len(set(watcher.hashes)) == 12
    for n, seen in enumerate(watcher.models):
        assert seen.n_iter_ == n % 6 + 1
        assert_allclose(seen.cluster_given_phrase_.sum(axis=1), 1)
        assert seen.labels_.shape == (120,) and seen.n_features_in_ == 3
        if n < 6:
            alone = clusterer(kind, max_iter=n + 1)
            if kind == "sparsity":
                alone.set_params(warmup=min(2, n + 1))
                if n < 2:  # a shorter fit would obey in its last iteration
                    continue
            assert_same_fit(seen, alone.fit(X))
    assert_array_equal(watcher.last, watcher.models[-1].predict_proba(X))
    assert_same_fit(model, clusterer(kind, n_init=2).fit(X))


def test_likelihoods_of_callbacks():
    watcher = Watcher()
    model = clusterer("view", agreement=None, views=None, min_count=1, n_init=1)
    model.set_callbacks(watcher).fit(X)
    assert_allclose(
        [seen.score(X) for seen in watcher.models], history(model, "likelihood")
    )


@each
@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("full")])
def test_an_interrupted_fit_leaves_no_half_of_a_model(kind, error):
    model = clusterer(kind).set_callbacks(Watcher(2, error))
    with pytest.raises(type(error)):
        model.fit(X)
    assert not [name for name in vars(model) if name.endswith("_")]
    columns = ["p", "l", "r"]
    frame = pd.DataFrame(X, columns=columns)
    model = clusterer(kind).fit(frame)
    before, proba = dict(vars(model)), model.predict_proba(frame)
    model.set_callbacks(Watcher(2, error))
    wide = pd.DataFrame(np.column_stack([X, X[:, 1]]), columns=list("abcd"))
    with pytest.raises(type(error)):
        model.fit(wide)
    assert all(vars(model)[name] is value for name, value in before.items())
    assert_array_equal(model.predict_proba(frame), proba)
    assert model.feature_names_in_.tolist() == columns


@each
def test_a_fit_of_bad_data_keeps_the_last_one(kind):
    model = clusterer(kind).fit(X)
    before = dict(vars(model))
    wide = np.column_stack([X, X[:, 1]])
    once = np.column_stack([np.arange(120), wide])
    for bad in (wide[:0], once, np.where(wide == X[0, 0], None, wide)):
        with pytest.raises(ValueError):
            model.fit(bad)
    with pytest.raises(ValueError):
        model.fit(wide, sample_weight=np.zeros(120))
    with pytest.raises(ValueError):
        model.fit(wide, sample_weight=[1.0])
    assert all(vars(model)[name] is value for name, value in before.items())
    assert model.n_features_in_ == 3


def test_progress_bar_and_scoring_monitor(capsys):
    for kind in MODELS:
        monitor = ScoringMonitor(scoring={"v": v_measure_scorer})
        model = clusterer(kind, n_init=2).set_callbacks(ProgressBar(), monitor)
        model.fit(X, Y)
        assert type(model).__name__ in capsys.readouterr().out
        log = [r for r in monitor.get_logs().data if r["task_name"] == "iteration"]
        scores = [row["v"] for row in log]
        assert len(scores) == 12 and np.isfinite(scores).all()
        final = v_measure(Y, model.predict(X))
        assert any(score == pytest.approx(final) for score in scores)

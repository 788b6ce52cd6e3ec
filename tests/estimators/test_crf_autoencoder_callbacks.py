"""What callbacks of CRFAutoencoderTagger see and stop, and what a broken fit leaves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.callback import ProgressBar, ScoringMonitor

from skstruct.estimators import CRFAutoencoderTagger
from skstruct.metrics import v_measure, v_measure_scorer
from tests.estimators._autoencoder_oracle import ByNumber, assert_same_fit, words


def tagger(n_states=3, **params):
    params = {"random_state": 0, "max_iter": 6} | params
    return CRFAutoencoderTagger(n_states, **params)


@pytest.fixture(scope="module")
def text():
    return words(length=(2, 6))


class Stopper:
    """Stop a run, or break it, after some iterations; look at models on the way."""

    def __init__(self, after=None, error=None):
        self.after, self.error, self.seen, self.scores, self.runs = (
            after,
            error,
            0,
            [],
            0,
        )

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        self.runs += context.task_name == "run"
        if context.task_name != "iteration":
            return False
        self.seen += 1
        self.scores.append(fitted_estimator.score(X))
        if self.seen == self.after and self.error is not None:
            raise self.error
        return self.seen == self.after


@pytest.mark.parametrize("solver", ["lbfgs", "adagrad"])
def test_a_callback_sees_models_and_stops_the_fit(text, solver):
    X, _ = text
    stopper = Stopper(3)
    model = tagger(solver=solver, batch_size=9).set_callbacks(stopper).fit(X)
    assert stopper.seen == model.n_iter_ == 3 and not model.converged_
    seen = [record["log_likelihood"] for record in model.history_]
    assert_allclose(stopper.scores, seen)
    assert_allclose(model.score(X), seen[-1])
    assert_allclose(model.predict_proba(X).values.sum(axis=1), 1)
    short = tagger(solver=solver, batch_size=9, max_iter=3).fit(X)
    assert_same_fit(model, short)


def test_a_callback_that_only_looks_changes_nothing(text):
    X, _ = text
    stopper = Stopper()
    model = tagger(n_init=2, init="random").set_callbacks(stopper).fit(X)
    assert stopper.runs == 2 and stopper.seen > model.n_iter_
    assert_same_fit(model, tagger(n_init=2, init="random").fit(X))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("full")])
def test_an_interrupted_fit_leaves_no_half_of_a_model(text, error):
    X, _ = text
    model = tagger().set_callbacks(Stopper(2, error))
    with pytest.raises(type(error)):
        model.fit(X)
    assert not [name for name in vars(model) if name.endswith("_")]
    model = tagger().fit(X)
    before, answers = dict(vars(model)), model.predict(X).values
    model.set_callbacks(Stopper(2, error))
    with pytest.raises(type(error)):
        model.fit(X[:10])
    assert all(vars(model)[name] is value for name, value in before.items())
    assert_array_equal(model.predict(X).values, answers)


def test_progress_bar_and_scoring_monitor(text, capsys):
    X, y = text
    monitor = ScoringMonitor(scoring={"v": v_measure_scorer})
    model = tagger(init=["random", ByNumber()]).set_callbacks(ProgressBar(), monitor)
    model.fit(X, y)
    assert "CRFAutoencoderTagger" in capsys.readouterr().out
    log = [row for row in monitor.get_logs().data if row["task_name"] == "iteration"]
    scores = [row["v"] for row in log]
    assert np.isfinite(scores).all()
    assert any(s == pytest.approx(v_measure(y, model.predict(X))) for s in scores)

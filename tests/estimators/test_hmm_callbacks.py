"""What callbacks see and stop, and what a broken fit leaves behind."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.callback import ProgressBar, ScoringMonitor
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from skstruct.containers import Ragged
from skstruct.datasets import (
    make_hmm_sequences,
)
from skstruct.emissions import Categorical
from skstruct.estimators import AnnealedHMM
from skstruct.metrics import v_measure, v_measure_scorer


@pytest.fixture(scope="module")
def text():
    return make_hmm_sequences(
        60, n_states=3, n_symbols=15, length=(2, 9), random_state=0
    )


class Stopper:
    """Stop a run, or break it, after some iterations; stop the fit after some runs."""

    def __init__(self, after, error=None, runs=None):
        self.after, self.error, self.seen = after, error, 0
        self.runs, self.seen_runs, self.run_ends = runs, 0, []
        self.likelihoods = []

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        if context.task_name == "run":
            self.seen_runs += 1
            self.run_ends.append(fitted_estimator.score(X))
            return self.seen_runs == self.runs
        if context.task_name != "iteration":
            return False
        self.seen += 1
        self.likelihoods.append(fitted_estimator.score(X))
        if self.seen == self.after and self.error is not None:
            raise self.error
        return self.seen == self.after


def test_a_callback_stops_the_fit(text):
    X, _ = text
    stopper = Stopper(4, runs=1)
    hmm = AnnealedHMM(3, random_state=0, n_init=5).set_callbacks(stopper)
    hmm.fit(X)  # without a ConvergenceWarning: it was asked for
    assert stopper.seen == hmm.n_iter_ == 4
    assert hmm.n_e_steps_ == 5  # the last one judges the model that is kept
    assert not hmm.converged_
    assert hmm.predict(X).lengths.tolist() == X.lengths.tolist()
    assert np.isfinite(hmm.score(X))
    objectives = [h["objective"] for h in hmm.history_]
    assert_allclose(stopper.likelihoods, objectives)


def test_a_callback_stops_a_run_but_not_the_next(text):
    X, _ = text
    stopper = Stopper(4)
    hmm = AnnealedHMM(3, random_state=0, n_init=3).set_callbacks(stopper).fit(X)
    assert stopper.seen_runs == 3 and stopper.seen > 4 + 2
    assert hmm.score(X) == pytest.approx(max(stopper.run_ends), rel=1e-12)


@pytest.mark.parametrize("runs", [1, 2])
def test_a_callback_ends_the_fit_after_a_run(text, runs):
    X, _ = text
    stopper = Stopper(None, runs=runs)
    hmm = AnnealedHMM(3, random_state=0, n_init=5).set_callbacks(stopper).fit(X)
    assert stopper.seen_runs == runs and hmm.converged_
    same = AnnealedHMM(3, random_state=0, n_init=runs).fit(X)
    assert_array_equal(hmm.transmat_, same.transmat_)


def test_a_callback_stops_annealing(text):
    tags = {0: "A", 1: "B", 2: ["A", "B"]}
    stopper = Stopper(2)
    hmm = AnnealedHMM(tag_dictionary=tags).set_callbacks(stopper).fit(text[0])
    assert hmm.n_iter_ == 2 and hmm.history_[-1]["beta"] == pytest.approx(0.1)
    assert np.isfinite(hmm.score(text[0]))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("full")])
def test_an_interrupted_fit_leaves_no_half_of_a_model(text, error):
    X, _ = text
    hmm = AnnealedHMM(3, random_state=0).set_callbacks(Stopper(2, error))
    with pytest.raises(type(error)):
        hmm.fit(X)
    with pytest.raises(NotFittedError):
        hmm.predict(X)
    assert not [name for name in vars(hmm) if name.endswith("_")]
    hmm = AnnealedHMM(3, random_state=0).fit(X)
    before, answers = dict(vars(hmm)), hmm.predict(X).values
    hmm.set_callbacks(Stopper(2, error))
    with pytest.raises(type(error)):
        hmm.fit(X[:10])
    after = {k: v for k, v in vars(hmm).items() if k in before}
    assert all(after[name] is value for name, value in before.items())
    assert_array_equal(hmm.predict(X).values, answers)


def test_a_failing_fit_leaves_the_earlier_model(text):
    X, _ = text
    hmm = AnnealedHMM(3, random_state=0).fit(X)
    hmm.set_params(
        emissions=Categorical(init=[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]),
        startprob_init=[0.5, 0.5, 0.0],
        transmat_init=np.eye(3)[[1, 2, 2]],
    )
    with pytest.raises(ValueError, match="Sequence 1 has probability zero"):
        hmm.fit([["a", "b"], ["b", "a"]])
    assert np.isfinite(hmm.score(X))


def test_progress_bar(text, capsys):
    X, _ = text
    AnnealedHMM(3, n_init=2, random_state=0).set_callbacks(ProgressBar()).fit(X)
    assert "AnnealedHMM" in capsys.readouterr().out


def test_scoring_monitor(text):
    X, y = text
    monitor = ScoringMonitor(scoring={"v": v_measure_scorer})
    hmm = AnnealedHMM(3, n_init=1, random_state=0).set_callbacks(monitor).fit(X, y)
    log = [row for row in monitor.get_logs().data if row["task_name"] == "iteration"]
    assert len(log) == hmm.n_iter_
    assert log[-1]["v"] == pytest.approx(v_measure(y, hmm.predict(X)), abs=1e-12)


@pytest.mark.filterwarnings("error")
def test_names_of_features_in_mid_fit():
    frame = pd.DataFrame({"u": np.r_[:9, 90:99], "v": np.r_[9:0:-1, :9]}, dtype=float)
    X = Ragged.from_frame(frame, ["u", "v"])
    stopper = Stopper(None)
    hmm = AnnealedHMM(2, random_state=0).set_callbacks(stopper).fit(X)
    assert len(stopper.likelihoods) == hmm.n_iter_
    two = np.concatenate([X, X])
    hmm.fit(two, sample_weight=[1, 0])
    assert hmm.feature_names_in_.tolist() == ["u", "v"]


def test_convergence_warning(text):
    X, _ = text
    with pytest.warns(ConvergenceWarning, match="max_iter or tol"):
        hmm = AnnealedHMM(3, max_iter=2, random_state=0).fit(X)
    assert not hmm.converged_ and hmm.n_iter_ == 2


@pytest.mark.parametrize("max_iter", [1, 500])
@pytest.mark.filterwarnings("ignore:EM did not converge")
def test_the_best_of_several_starts(max_iter):
    tokens = np.random.RandomState(0).randint(5, size=300)
    X = Ragged.from_lengths(tokens, [10] * 30)
    params = {"max_iter": max_iter, "tol": 1e-4}
    many = AnnealedHMM(3, random_state=0, n_init=8, **params).fit(X)
    rng = np.random.RandomState(0)
    single = [AnnealedHMM(3, random_state=rng, n_init=1, **params) for _ in range(8)]
    scores = [hmm.fit(X).score(X) for hmm in single]
    assert np.ptp(scores) > 1e-3
    # Of the models as they are, also where the last step was an M-step.
    assert_allclose(many.score(X), max(scores), rtol=1e-9)
    assert many.n_e_steps_ == sum(hmm.n_e_steps_ for hmm in single)
    assert many.n_iter_ == len(many.history_) < many.n_e_steps_

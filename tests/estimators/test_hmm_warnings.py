"""Rows that are taken for sequences, sequences without weight, identical states."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from skstruct.containers import Ragged
from skstruct.emissions import Categorical, Gaussian
from skstruct.estimators import AnnealedHMM

SERIES = np.random.RandomState(0).normal(size=(60, 2))
SERIES[30:] += 9
QUESTIONS = {
    "predict": lambda m, X: m.predict(X),
    "predict_proba": lambda m, X: m.predict_proba(X),
    "filter_proba": lambda m, X: m.filter_proba(X),
    "predict_next_proba": lambda m, X: m.predict_next_proba(X),
    "predict_k_best": lambda m, X: m.predict_k_best(X),
    "score": lambda m, X: m.score(X),
    "score_samples": lambda m, X: m.score_samples(X),
    "aic": lambda m, X: m.aic(X),
    "bic": lambda m, X: m.bic(X),
}


@pytest.fixture(scope="module")
def series():
    return AnnealedHMM(2, random_state=0).fit([SERIES])


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_a_series_as_a_table_after_a_fit_on_sequences(series, ask):
    with pytest.warns(UserWarning, match=r"separate sequences.*\[X\]") as record:
        ask(series, SERIES)
    assert len(record) == 1 and record[0].filename == __file__
    with pytest.warns(UserWarning, match="separate sequences"):
        ask(series, pd.DataFrame(SERIES))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ask(series, [SERIES])
        ask(series, Ragged.from_lengths(SERIES, [1] * 60))
        ask(series, SERIES[:1])


def test_tables_after_a_fit_on_a_table(series):
    with pytest.warns(UserWarning, match="All sequences have length one"):
        table = AnnealedHMM(2, random_state=0).fit(SERIES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table.predict(SERIES)
    table.partial_fit([SERIES])
    with pytest.warns(UserWarning, match="separate sequences"):
        table.predict(SERIES)


@pytest.mark.filterwarnings("ignore:The rows of X")
def test_lengths_are_no_labels_to_score(series):
    with pytest.raises(ValueError, match=r"lengths of sequences.*from_lengths"):
        series.score(SERIES, [40, 20])


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_sequences_without_weight_decide_nothing():
    far = np.full((5, 2), 1e6)
    far[2] = np.nan
    params = {"emissions": Gaussian(covariance_floor=1e-3), "random_state": 0}
    alone = AnnealedHMM(2, **params).fit([SERIES[:40], SERIES[40:]])
    X = [SERIES[:40], far, SERIES[40:]]
    hmm = AnnealedHMM(2, **params).fit(X, sample_weight=[1, 0, 1])
    assert_array_equal(hmm.means_, alone.means_)
    assert_array_equal(hmm.covariances_, alone.covariances_)
    X, y = [["a", "b"], ["z", "a"], ["b", None]], [["A", "B"], ["Z", "A"], ["B", "Q"]]
    hmm = AnnealedHMM(supervision="clamp", random_state=0)
    hmm.fit(X, y, sample_weight=[1, 0, 0])
    assert hmm.symbols_.tolist() == ["a", "b"] and hmm.states_.tolist() == ["A", "B"]
    with pytest.raises(ValueError, match="sample 2, position 1 is None"):
        hmm.fit(X, y, sample_weight=[1, 0, 2])  # numbered as they were given


@pytest.mark.parametrize(
    "X, params, message",
    [
        ([["a", "a"], ["a"]], {}, "All tokens of X are the same"),
        ([np.ones((4, 2))], {}, "All tokens of X are the same"),
        (
            [["a", "b", "c", "d"]],
            {"n_states": None, "tag_dictionary": {"a": ["A", "B"]}},
            r"tag_dictionary lists 25.0% of the tokens.*list more words",
        ),
        ([["a"], ["b"]], {"beta_min": 0.5}, "beta_min=1.0 with random starts"),
        (
            [["a"], ["b"], ["a"]],
            {"emissions": Categorical(alpha=0.1)},
            "more starts.*fewer states",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:All sequences have", "ignore:Annealing from beta")
def test_what_to_do_about_identical_states(X, params, message):
    hmm = AnnealedHMM(**{"n_states": 2, "random_state": 0, **params})
    with pytest.warns(ConvergenceWarning, match=f"All states are identical.*{message}"):
        hmm.fit(X)


def test_log_probabilities_and_history_are_plain_floats(series):
    (((_, log_prob), *_),) = series.predict_k_best([SERIES[:3]], k=2)
    assert type(log_prob) is float
    series.partial_fit([SERIES])
    assert {type(v) for h in series.history_ for v in h.values()} == {int, float}
    path = series.predict([SERIES[:3]])[0]
    assert_allclose(series.predict_k_best([SERIES[:3]], k=1)[0][0][0], path)

"""What users of hidden Markov models trip over, and what AnnealedHMM does there."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from skstruct.containers import Ragged
from skstruct.emissions import Categorical, Gaussian, Poisson
from skstruct.estimators import AnnealedHMM, TagDictionary
from skstruct.metrics import v_measure_scorer
from skstruct.model_selection import BlockSplit, TransductiveSplit

AB = [["a", "b", "a"], ["b"], ["b", "a"]]
SERIES = np.random.RandomState(0).normal(size=(60, 2))
SERIES[30:] += 9


def hmm(n_states=2, **params):
    return AnnealedHMM(n_states, random_state=0, **params)


def parameters(model):
    return [model.startprob_, model.transmat_, model.emissionprob_]


# Input shapes


def test_a_plain_series_is_read_as_rows_with_a_warning():
    with pytest.warns(UserWarning, match=r"pass \[X\].*from_lengths") as record:
        hmm().fit(SERIES)
    assert record[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hmm().fit([SERIES])
        hmm(1).fit(SERIES)  # one state has no transitions to miss


@pytest.mark.parametrize("supervision", ["ignore", "clamp"])
def test_lengths_in_the_place_of_y(supervision):
    with pytest.raises(ValueError, match=r"lengths of sequences.*from_lengths"):
        hmm(supervision=supervision).fit(SERIES, [40, 20])


@pytest.mark.parametrize(
    "X, message",
    [
        (SERIES[:, 0], r"one sequence as \[X\]"),
        (["hello", "world"], "Sample 0 is a single str"),
        ([["a"], "b"], "Sample 1 is a single str"),
        (np.array([["a", "b"], ["c", "d"]]), "Ragged.from_rows"),
        (np.zeros((2, 3, 4)), r"list\(X\)"),
        ([np.zeros((3, 2)), np.zeros((3, 4))], r"Sample 1 .*\(4,\).*\(2,\)"),
        ([], "0 sample"),
        ([[], []], "no tokens"),
        ([[{"a": 1}]], "sample 0, position 0 is a dict"),
        (3.0, "scalar"),
    ],
)
def test_shapes_that_are_no_batch(X, message):
    with pytest.raises(ValueError, match=message):
        hmm().fit(X)


def test_shapes_that_differ_from_fit():
    series = hmm().fit([SERIES])
    with pytest.raises(ValueError, match=r"X has 3 features.*expecting 2"):
        series.predict([np.zeros((4, 3))])
    with pytest.raises(ValueError, match=r"position 1 is 'b'|position 0 is 'a'"):
        series.predict([["a", "b"]])
    with pytest.raises(ValueError, match=r"one token at a time.*from_rows"):
        hmm().fit([[1, 2], [2]]).predict(np.array([[1, 2]]))


def test_each_sequence_has_a_likelihood_of_its_own():
    model = hmm().fit(AB)
    each = model.score_samples(AB)
    assert each.shape == (3,) and (each < 0).all()
    assert_allclose(model.score(AB), each.sum() / 6)
    assert model.score(AB) > hmm(1).fit(AB).score([["a"] * 6])  # greater is better


def test_empty_sequences():
    X = [[], ["a", "b"], [], ["b", "b", "a"], []]
    model = hmm().fit(X)
    full = hmm().fit([X[1], X[3]])
    for a, b in zip(parameters(model), parameters(full), strict=True):
        assert_allclose(a, b, atol=1e-12)
    assert [len(s) for s in model.predict(X)] == [0, 2, 0, 3, 0]
    assert [p.shape for p in model.predict_proba(X)][:2] == [(0, 2), (2, 2)]
    assert model.score_samples(X)[[0, 2, 4]].tolist() == [0, 0, 0]
    assert [len(s) for s in model.predict([[], []])] == [0, 0]
    assert model.score([[]]) == 0.0
    assert_allclose(model.predict_next_proba([[]])[0], model.startprob_)


def test_boundaries_of_sequences_matter():
    cut, whole = [["a", "b"]] * 20, [["a", "b"] * 20]
    model = hmm(emissions=Categorical(init=[[0.9, 0.1], [0.1, 0.9]])).fit(cut)
    assert_allclose(model.transmat_[0], [0, 1], atol=1e-6)
    joined = hmm(emissions=Categorical(init=[[0.9, 0.1], [0.1, 0.9]])).fit(whole)
    assert_allclose(joined.transmat_, [[0, 1], [1, 0]], atol=1e-6)
    # No transition leads from "b" to the "a" of the next sequence.
    assert_allclose(model.score_samples(cut), 0, atol=1e-5)
    assert joined.score_samples(whole) > model.score_samples(whole)


def test_only_sequences_of_length_one():
    with (
        pytest.warns(ConvergenceWarning, match=r"identical"),
        pytest.warns(UserWarning, match=r"length one"),
    ):
        model = hmm(emissions=Categorical(alpha=0.1)).fit([["a"], ["b"], ["a"]])
    assert_allclose(model.transmat_.sum(axis=1), 1)


# One long series in a search


def test_one_long_series_in_a_search():
    grid = {"n_states": [1, 2]}
    # scikit-learn counts the samples before an estimator or a batch sees them.
    with pytest.raises(ValueError, match=r"n_splits=5 greater than .*n_samples=1"):
        GridSearchCV(hmm(), grid).fit([SERIES])
    # A batch of one sequence gives it a number that says what to do.
    with pytest.raises(ValueError, match=r"BlockSplit, or .* by TransductiveSplit"):
        GridSearchCV(hmm(), grid).fit(Ragged([SERIES]))
    # The trap itself, the series as a table, is where we can tell at once.
    with pytest.warns(UserWarning, match=r"BlockSplit or TransductiveSplit"):
        GridSearchCV(hmm(), {"n_states": [2]}).fit(SERIES)
    cv = BlockSplit(3)
    blocks = cv.cut(SERIES)
    search = GridSearchCV(hmm(), grid, cv=cv, error_score="raise").fit(blocks)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    y = [np.repeat([0, 1], 30)]
    search = GridSearchCV(
        hmm(), grid, cv=TransductiveSplit(), scoring=v_measure_scorer
    ).fit([SERIES], y)
    assert search.best_params_ == {"n_states": 2} and search.best_score_ == 1.0


# Convergence, NaN, degenerate states


def test_a_fit_learns_something():
    first = hmm(n_init=1, max_iter=1)
    X = [["a", "b"] * 5, ["b", "a"] * 4]
    with pytest.warns(ConvergenceWarning):
        first.fit(X)
    last = hmm().fit(X)
    assert last.score(X) > first.score(X) + 0.1
    assert set(last.predict(X)[0]) == {0, 1}
    assert last.converged_ and last.n_iter_ > 2


@pytest.mark.parametrize("X", [[["a", "a"], ["a"] * 4], [["a"]], [np.ones((1, 2))]])
def test_states_that_cannot_differ_give_a_warning(X):
    with pytest.warns(ConvergenceWarning, match=r"All states are identical"):
        model = hmm(3).fit(X)
    assert np.isfinite(model.score(X))
    assert [len(s) for s in model.predict(X)] == [len(s) for s in X]


def test_annealing_without_guidance_gives_a_warning():
    with pytest.warns(UserWarning, match=r"only forgets the start"):
        hmm(beta_min=0.5).fit(AB)
    with pytest.warns(UserWarning, match=r"only forgets the start"):
        hmm(betas=[0.5, 1.0]).fit(AB)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hmm(None, beta_min=0.5, tag_dictionary={"a": "X", "b": ["X", "Y"]}).fit(AB)
        hmm(beta_max=1.5).fit(AB)


@pytest.mark.parametrize("alpha", [1e-6, 0.3])
@pytest.mark.parametrize("update", ["map", "variational"])
def test_priors_below_one(alpha, update):
    model = hmm(
        emissions=Categorical(alpha=alpha, update=update), transition_alpha=alpha
    ).fit([["a", "b", "c"] * 3, ["c"]])
    for table in parameters(model):
        assert (table >= 0).all()
        assert_allclose(table.sum(axis=-1), 1)
    with pytest.raises(ValueError, match=r"alpha must be a number >= 0, got -0.5"):
        hmm(emissions=Categorical(alpha=-0.5)).fit(AB)
    with pytest.raises(ValueError, match=r"transition_alpha"):
        hmm(transition_alpha=-0.5).fit(AB)


@pytest.mark.filterwarnings("error")  # log(0) is no reason to warn
def test_zeros_are_legitimate():
    model = hmm(
        emissions=Categorical(init=[[0.0, 1.0], [0.5, 0.5]]),
        startprob_init=[1.0, 0.0],
        transmat_init=[[0.0, 1.0], [0.5, 0.5]],
    ).fit([["b", "a", "b"], ["b", "b"]])
    assert model.startprob_.tolist() == [1, 0] and model.transmat_[0, 0] == 0
    assert model.emissionprob_[0, 0] == 0
    model.predict([["a"]]), model.predict_proba([["a"]]), model.sample(2)


def test_many_symbols_do_not_overflow():
    X = Ragged.from_lengths(np.arange(20_000), [2000] * 10)
    with pytest.warns(ConvergenceWarning):
        model = hmm(n_init=1, max_iter=3).fit(X)
    assert np.isfinite([h["objective"] for h in model.history_]).all()
    assert np.isfinite(model.transmat_).all()


def strict_model():
    """State 0 first and "a", then state 1 and "b" for ever."""
    return hmm(
        emissions=Categorical(init=[[1, 0], [0, 1]]),
        startprob_init=[1, 0],
        transmat_init=[[0, 1], [0, 1]],
        fixed=["startprob", "transmat", "emission"],
    )


def test_impossible_sequences():
    model = strict_model().fit([["a", "b"]])
    X = [["a", "b", "b"], ["b", "a"], ["a", "a", "b"], ["a"]]
    assert model.score_samples(X).tolist() == [0, -np.inf, -np.inf, 0]
    assert model.score(X) == -np.inf and model.bic(X) == np.inf
    paths = model.predict(X)
    assert [p.tolist() for p in paths][::3] == [[0, 1, 1], [0]]
    assert all(set(p) <= {0, 1} for p in paths)
    for proba in (model.predict_proba(X), model.filter_proba(X)):
        assert_allclose([p.sum(axis=1) for p in proba][1], 1)
        assert_allclose(np.concatenate(list(proba)).sum(axis=1), 1)
    assert_allclose(model.predict_next_proba(X).sum(axis=1), 1)
    assert [len(best) for best in model.predict_k_best(X)] == [1, 0, 0, 1]
    with pytest.raises(ValueError, match=r"Sequence 1 has probability zero"):
        strict_model().fit([["a", "b"], ["b", "a"]])
    # What has no weight has no say.
    model = strict_model().fit([["a", "b"], ["b", "a"]], sample_weight=[1, 0])
    assert model.history_[-1]["objective"] == 0 and model.converged_


@pytest.mark.parametrize(
    "value, message",
    [(np.nan, "holds NaN.*marginalize"), (np.inf, "infinity"), (1e200, "rescale")],
)
def test_numbers_that_are_none(value, message):
    X = [SERIES[:5], SERIES[5:9].copy()]
    X[1][2, 0] = value
    with pytest.raises(ValueError, match=f"sample 1, position 2 .*{message}"):
        hmm().fit(X)
    model = hmm().fit([SERIES])
    with pytest.raises(ValueError, match=f"sample 1, position 2 .*{message}"):
        model.predict(X)


@pytest.mark.parametrize("emissions", [Gaussian, Poisson])
def test_missing_numbers_on_request(emissions):
    X = np.round(np.abs(SERIES))
    X[::7, 0] = np.nan
    model = hmm(emissions=emissions(missing="marginalize")).fit([X])
    assert np.isfinite(model.score([X]))
    assert model.predict([X])[0].tolist() == [0] * 30 + [1] * 30
    X[10] = np.nan  # nothing seen at all
    assert np.isfinite(model.predict_proba([X])[0]).all()


def test_tokens_that_are_none():
    with pytest.raises(ValueError, match=r"sample 0, position 1 is None"):
        hmm().fit([["a", None, "b"]])
    with pytest.raises(ValueError, match=r"sample 0, position 0 is 0.5.*Gaussian"):
        hmm(emissions="categorical").fit([[0.5, 1.0]])


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_scales_far_from_one(scale):
    model = hmm().fit([SERIES * scale])
    assert model.predict([SERIES * scale])[0].tolist() == [0] * 30 + [1] * 30


# Symbols and states that were not seen


def test_unseen_and_gapped_symbols():
    model = hmm().fit([[0, 700, 0], [700, 5]])
    assert model.symbols_.tolist() == [0, 5, 700]
    assert model.emissionprob_.shape == (2, 3)
    # An unknown symbol says nothing: its state is what the others expect.
    proba = model.predict_proba([[3, 0]])[0]
    expected = model.startprob_ * (model.transmat_ @ model.emissionprob_[:, 0])
    assert_allclose(proba[0], expected / expected.sum(), atol=1e-12)
    assert np.isfinite(model.score([[3, 4]]))


def test_known_symbols_without_tokens():
    for alpha, least in [(0.0, 0.0), (0.5, 1e-3)]:
        emissions = Categorical(alpha=alpha, symbols=["a", "b", "z"])
        model = hmm(emissions=emissions).fit(AB)
        assert_allclose(model.emissionprob_.sum(axis=1), 1)
        assert (model.emissionprob_[:, 2] >= least).all()
        assert np.isfinite(model.score([["z", "a"]]))
    with pytest.raises(ValueError, match=r"'b' at sample 0, position 1 .*symbols"):
        hmm(emissions=Categorical(symbols=["a"])).fit(AB)


def test_states_never_visited():
    labels = [[0, 2, 0], [2], [2, 0]]
    model = hmm(4, supervision="clamp").fit(AB, labels)
    for table in parameters(model):
        assert np.isfinite(table).all()
        assert_allclose(table.sum(axis=1 if table.ndim > 1 else 0), 1)
    assert {s for path in model.predict(AB) for s in path} == {0, 2}
    numbers = [SERIES, SERIES]
    labels = [np.repeat([0, 2], 30), None]
    model = hmm(3, supervision="clamp").fit(numbers, labels)
    assert np.isfinite(model.means_).all() and np.isfinite(model.covariances_).all()


def test_more_states_than_symbols_or_tokens():
    model = hmm(20).fit(AB)
    assert np.isfinite(model.score(AB)) and model.transmat_.shape == (20, 20)
    model = hmm(20).fit([SERIES[:5]])
    assert np.isfinite(model.score([SERIES[:5]]))
    assert np.isfinite(model.covariances_).all()


@pytest.mark.filterwarnings("ignore:All states")
def test_one_token():
    for X in ([["a"]], [[3]], [np.array([[1.0, 2.0]])]):
        model = AnnealedHMM().fit(X)
        assert model.predict(X)[0].shape == (1,)
        assert np.isfinite(model.score(X)) and model.startprob_.shape == (12,)


# Labels


def test_labels_through_pandas():
    index = [7, 2, 9]
    X = pd.Series(AB, index=index)
    y = pd.Series([["N", None, "N"], ["V"], [np.nan, "N"]], index=index)
    model = AnnealedHMM(supervision="clamp").fit(X, y)
    assert model.states_.tolist() == ["N", "V"]
    assert [p.tolist() for p in model.predict(X)][1:] == [["V"], ["V", "N"]]
    plain = [["N", None, "N"], ["V"], [None, "N"]]
    same = AnnealedHMM(supervision="clamp").fit(AB, plain)
    assert_array_equal(model.transmat_, same.transmat_)


def test_gaps_of_series_and_of_text():
    with pytest.raises(ValueError, match=r"position 1 holds NaN.*Gaussian\(missing"):
        hmm().fit([[1.5, None, 2.0]])
    for X in ([["a", None]], [["a", np.nan]], [[1, None]]):
        with pytest.raises(ValueError, match=r"position 1 is .*no symbol") as caught:
            hmm().fit(X)
        assert "Gaussian" not in str(caught.value)


@pytest.mark.parametrize("emissions", ["categorical", "loglinear"])
def test_symbols_of_another_kind(emissions):
    words = hmm(emissions=emissions).fit(AB)
    numbers = hmm(emissions=emissions).fit([[1, 2, 1], [2]])
    for X in ([[1.0, 2.0]], [[1, 2]], [np.ones((3, 1))], [[True]], [np.zeros(2)]):
        for call in (words.predict, words.score, words.partial_fit):
            with pytest.raises(ValueError, match=r"holds numbers, but .* words"):
                call(X)
    for X in ([["a", "b"]], [["1"]]):
        for call in (numbers.predict, numbers.score, numbers.partial_fit):
            with pytest.raises(ValueError, match=r"X holds words \('.'\), .*integers"):
                call(X)
    assert_array_equal(*numbers.predict([[1.0, 2.0]]), *numbers.predict([[1, 2]]))
    assert len(words.predict([["new", 3], []])[0]) == 2  # a symbol among others
    assert len(numbers.predict([[1, "new"], []])[0]) == 2
    assert hmm().fit([["a", 3]]).predict([[3]])[0].shape == (1,)


def test_labels_that_hold_must_be_given():
    model = hmm(supervision="clamp")
    for fit in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="y is None: pass them as y, with None"):
            fit(AB)
    assert not [name for name in vars(model) if name.endswith("_")]
    # A stream that has labels goes on without.
    model.partial_fit(AB, [["N"] * 3, ["V"], None]).partial_fit(AB)
    assert model.states_.tolist() == ["N", "V"]


@pytest.mark.parametrize("y", [[[None] * 3, [None], None], [[-1] * 3, [-1], None]])
def test_no_known_label_is_no_label(y):
    with pytest.warns(UserWarning, match="no label is known") as record:
        model = hmm(supervision="clamp").fit(AB, y)
    assert record[0].filename == __file__
    assert_array_equal(model.transmat_, hmm().fit(AB).transmat_)
    assert model.states_.tolist() == [0, 1]


def test_partly_known_labels_that_are_ignored():
    with pytest.warns(UserWarning, match=r"supervision='clamp'"):
        hmm().fit(AB, [["N", None, "N"], ["V"], None])


@pytest.mark.parametrize(
    "y, message",
    [
        ([["X"], ["Y"], ["X", "X"]], "sequence 0 has 1 labels, but X has 3"),
        ([["X", "Y", "X"]], "y has 1 sequences, X has 3"),
        ([["X", 1, "X"], ["Y"], ["X", "X"]], "sequence 0, position 1: 1"),
        ([[0, -2, 0], [0], [0, 1]], "sequence 0, position 1: -2 is not one .*-1 means"),
        ([["X", "Y", "Z"], ["Y"], ["X", "X"]], "contradictory.*n_states: 2, y: 3"),
        ([[0, 7, 0], [0], [0, 1]], "sequence 0, position 1: 7 is not one of the 2"),
    ],
)
def test_labels_that_do_not_fit(y, message):
    with pytest.raises(ValueError, match=message):
        hmm(supervision="clamp").fit(AB, y)


def test_names_that_are_no_states():
    dictionary = TagDictionary({"a": ["N", "V"]})
    model = AnnealedHMM(tag_dictionary=dictionary, supervision="clamp")
    with pytest.raises(ValueError, match=r"y, sequence 1, position 0: 'Q'.*\(N, V\)"):
        model.fit(AB, [None, ["Q"], None])
    model.fit(AB, [["N"] * 3, ["V"], None])
    with pytest.raises(ValueError, match=r"observed_labels, sequence 0, position 2"):
        model.predict(AB, observed_labels=[[None, "N", "Q"], None, None])
    with pytest.raises(ValueError, match=r"allows 'a' the state 'V'.*states=\['N'\]"):
        TagDictionary({"a": ["N", "V"]}, states=["N"])

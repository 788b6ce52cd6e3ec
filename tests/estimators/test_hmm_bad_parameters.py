"""Parameters and arguments that make no sense, and use before fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from skstruct.containers import Ragged
from skstruct.emissions import Categorical, Gaussian
from skstruct.estimators import AnnealedHMM

AB = [["a", "b", "a"], ["b"], ["b", "a"]]
SERIES = np.random.RandomState(0).normal(size=(60, 2))
SERIES[30:] += 9


def hmm(n_states=2, **params):
    return AnnealedHMM(n_states, random_state=0, **params)


FITTED = hmm().fit(AB)


@pytest.mark.parametrize(
    "params, message",
    [
        ({"tag_dictionary": {"a": list("XYZ")}}, "n_states: 2, tag_dictionary: 3"),
        ({"startprob_init": [0.2, 0.3, 0.5]}, "n_states: 2, startprob_init: 3"),
        ({"transmat_init": np.eye(3)}, "n_states: 2, transmat_init: 3"),
        ({"emissions": Categorical(init=np.eye(3))}, "n_states: 2, init of emissions"),
        ({"transmat_init": [[0.5, 0.6], [0.5, 0.5]]}, "transmat_init.*sum to one"),
        ({"transmat_init": [[1.5, -0.5], [0.5, 0.5]]}, "transmat_init.*no negative"),
        ({"transmat_init": [[0.5, np.nan], [0.5, 0.5]]}, "transmat_init.*missing"),
        ({"transmat_init": [[0.5, 0.5], [1.0]]}, "transmat_init must be a rectangular"),
        ({"transmat_init": [0.5, 0.5]}, r"transmat_init must have shape \(2, 2\)"),
        ({"startprob_init": [0.5, 0.6]}, "startprob_init.*sum to one"),
        ({"fixed": ["transitions"]}, r"fixed holds \['transitions'\].*transmat"),
        ({"fixed": [1, "foo"]}, r"fixed holds \[1, 'foo'\]"),
        ({"fixed": [["a"]]}, r"fixed holds \[\['a'\]\]"),
        (
            {"fixed": "startprob"},
            "fixed holds 'startprob'.*give startprob_init or skew",
        ),
        ({"fixed": ["transmat"]}, "fixed holds 'transmat'.*give transmat_init or skew"),
        ({"fixed": "emission"}, "give init of emissions or skew_from"),
        ({"n_states": True}, "n_states must not be a bool"),
        ({"tol": False}, "tol must not be a bool"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"beta_growth": 1 + 1e-6, "beta_min": 0.1}, "beta_growth.*more than 10,000"),
        ({"beta_min": 1.5}, "beta_min=1.5 exceeds beta_max=1.0"),
        ({"beta_growth": 1.0}, "beta_growth"),
        ({"betas": [1.0, 0.5]}, "betas must be positive and rising"),
        ({"betas": [0.0, 1.0]}, "betas must be positive and rising"),
        ({"betas": []}, "betas must be positive and rising"),
        ({"betas": ["a"]}, "betas must be a rectangular array of numbers"),
        ({"order": 3}, "order"),
        ({"emissions": "gauss"}, "emissions must be 'auto', one of"),
        ({"emissions": Categorical}, r"Call the class: emissions=Categorical\(\)"),
        ({"skew_from": hmm()}, "FrozenEstimator"),
        ({"skew_from": FITTED}, "FrozenEstimator"),
        ({"skew_from": FrozenEstimator(hmm())}, "fitted AnnealedHMM"),
        (
            {"skew_from": FrozenEstimator(LogisticRegression())},
            "fitted AnnealedHMM as FrozenEstimator",
        ),
        ({"n_states": 3, "skew_from": FrozenEstimator(FITTED)}, "skew_from: 2"),
        ({"order": 2, "skew_from": FrozenEstimator(FITTED)}, "skew_from is of order 1"),
        (
            {"startprob_init": [0.5, 0.5], "skew_from": FrozenEstimator(FITTED)},
            "skew_from gives the start values, and so does startprob_init",
        ),
        ({"order": 2, "transmat_init": np.eye(2)}, r"shape \(2, 2, 2\)"),
        (
            {"skew_from": FrozenEstimator(hmm().fit([SERIES]))},
            "Gaussian emissions, this model Categorical",
        ),
    ],
)
def test_parameters_that_do_not_fit(params, message):
    with pytest.raises(ValueError, match=message):
        hmm().set_params(**params).fit(AB)


def test_numeric_models_that_do_not_fit():
    wide = FrozenEstimator(hmm().fit([np.c_[SERIES, SERIES]]))
    with pytest.raises(ValueError, match="skew_from has seen 4 features, X has 2"):
        hmm(skew_from=wide).fit([SERIES])
    with pytest.raises(ValueError, match="give means_init of emissions or skew_from"):
        hmm(fixed="emission").fit([SERIES])
    with pytest.raises(ValueError, match=r"'emission'.*give skew_from"):
        hmm(fixed="emission", emissions="poisson").fit([np.abs(SERIES).round()])


def test_parts_of_the_initialiser_may_be_held():
    base = hmm(emissions=Gaussian(means_init=[[0, 0], [5, 5]])).fit([SERIES])
    held = hmm(skew_from=FrozenEstimator(base), fixed=["emission", "transmat"])
    held.fit([SERIES])
    assert_allclose(held.means_, base.means_, atol=1e-3)
    assert_allclose(held.transmat_, base.transmat_, atol=1e-3)


def test_nested_parameters_of_a_name():
    for name in ("auto", "gaussian"):
        with pytest.raises(ValueError, match=rf"emissions is '{name}'.*=Categorical\("):
            hmm(emissions=name).set_params(emissions__alpha=1)
    model = hmm().set_params(emissions=Categorical(), emissions__alpha=1)
    assert model.emissions.alpha == 1
    with pytest.raises(ValueError, match="Invalid parameter 'emission'"):
        hmm().set_params(emission__alpha=1)


def test_fitted_parameters_cannot_be_set():
    model = hmm(order=2).fit(AB)
    for name in ("startprob_", "transmat_", "second_transmat_", "emissions_"):
        with pytest.raises(AttributeError, match=f"{name} cannot be set.*fixed"):
            setattr(model, name, getattr(model, name))
    assert not hasattr(hmm(), "transmat_") and not hasattr(FITTED, "second_transmat_")


def test_a_dictionary_needs_symbols_and_their_spelling():
    with pytest.raises(ValueError, match=r"needs emissions that have symbols"):
        hmm(tag_dictionary={"a": ["X", "Y"]}).fit([SERIES])
    with (
        pytest.warns(ConvergenceWarning, match=r"identical"),
        pytest.warns(UserWarning, match=r"case words alike"),
    ):
        hmm(tag_dictionary={"A": "X", "B": "Y"}).fit(AB)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: m.sample(2, length=-1), "length must hold integers >= 0"),
        (lambda m: m.sample(2, length=[3, -1]), "length must hold integers >= 0"),
        (lambda m: m.sample(2, length=2.5), "length must hold integers >= 0"),
        (lambda m: m.sample(2, length=[1, 2, 3]), "one for each of the 2 samples"),
        (lambda m: m.sample(-1), "n_samples must be an integer >= 0"),
        (lambda m: m.predict_k_best(AB, k=0), "k must be a positive integer"),
        (lambda m: m.predict_k_best(AB, k=1.5), "k must be a positive integer"),
    ],
)
def test_arguments_that_do_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call(FITTED)


def test_sampling_nothing():
    X, y = FITTED.sample(0)
    assert len(X) == len(y) == 0
    X, _ = FITTED.sample(2, length=0)
    assert X.lengths.tolist() == [0, 0]


@pytest.mark.parametrize(
    "use",
    [
        lambda m: m.predict(AB),
        lambda m: m.predict_proba(AB),
        lambda m: m.filter_proba(AB),
        lambda m: m.predict_next_proba(AB),
        lambda m: m.predict_k_best(AB),
        lambda m: m.score(AB),
        lambda m: m.score_samples(AB),
        lambda m: m.aic(AB),
        lambda m: m.bic(AB),
        lambda m: m.sample(),
        lambda m: m.stationary_distribution_,
        lambda m: m.expected_durations_,
        lambda m: m.emissionprob_,
    ],
)
def test_use_before_fit(use):
    with pytest.raises(NotFittedError):
        use(hmm())


def test_arrays_of_the_user_stay_as_they_were():
    numbers, labels = SERIES.copy(), np.repeat([0, -1], 30)
    weight, transmat = np.array([2.0]), np.array([[0.9, 0.1], [0.2, 0.8]])
    means = np.array([[0.0, 0.0], [9.0, 9.0]])
    start = np.array([0.5, 0.5])
    given = [numbers, labels, weight, transmat, means, start]
    before = [a.copy() for a in given]
    for a in given:
        a.flags.writeable = False
    model = hmm(
        supervision="clamp",
        emissions=Gaussian(means_init=means),
        transmat_init=transmat,
        startprob_init=start,
        jitter=0.1,
        betas=[0.5, 1.0],
    ).fit([numbers], [labels], sample_weight=weight)
    model.predict([numbers], observed_labels=[labels])
    model.partial_fit([numbers], [labels])
    for a, b in zip(given, before, strict=True):
        assert_array_equal(a, b)


def test_batches_may_be_read_only():
    values, offsets = np.arange(40) % 5, np.array([0, 10, 25, 40])
    numbers = np.random.RandomState(0).normal(size=(40, 2))
    for array in (values, offsets, numbers):
        array.flags.writeable = False
    for flat in (values, numbers):
        hmm = AnnealedHMM(2, random_state=0)
        hmm.fit(Ragged.from_arrays(flat, offsets))
        hmm.predict_proba(Ragged.from_arrays(flat, offsets))


def test_weights_that_are_none():
    for weight, message in [
        ([1.0], "has shape"),
        ([1.0, np.nan, 1.0], "sample 1 is nan"),
        ([1.0, -1.0, 1.0], "sample 1 is -1"),
        ([0.0, 0.0, 0.0], "at least one non-zero"),
    ]:
        with pytest.raises(ValueError, match=message):
            hmm().fit(AB, sample_weight=weight)


def test_streams_that_change():
    stream = hmm().partial_fit([SERIES])
    with pytest.raises(ValueError, match=r"X has 3 features"):
        stream.partial_fit([np.zeros((4, 3))])
    for change in ({"n_states": 3}, {"order": 2}):
        with pytest.raises(ValueError, match=f"{next(iter(change))}=.*fit starts anew"):
            hmm().partial_fit([SERIES]).set_params(**change).partial_fit([SERIES])
    assert stream.n_iter_ == 1  # as it was
    stream = AnnealedHMM(supervision="clamp").partial_fit([["a"]], [["X"]])
    with pytest.raises(ValueError, match=r"'Z' is not one of the 1 states"):
        stream.partial_fit([["a"]], [["Z"]])

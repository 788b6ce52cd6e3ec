"""Streams that go on from a fitted model."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from skstruct.containers import Ragged
from skstruct.datasets import make_gaussian_hmm_sequences, make_hmm_sequences
from skstruct.emissions import Categorical, Gaussian, Poisson
from skstruct.estimators import AnnealedHMM


def symbols(n):
    return make_hmm_sequences(
        n, n_states=3, n_symbols=6, length=(2, 20), random_state=1
    )[0]


def vectors(n):
    return make_gaussian_hmm_sequences(
        n, n_states=3, n_features=2, length=(2, 20), random_state=1
    )[0]


def numbers(n):
    X = vectors(n)
    return Ragged.from_arrays(np.exp(X.values[:, 0].clip(-2, 3)).round(), X.offsets)


MODELS = {
    "symbols": (symbols, {"n_init": 2}),
    "pseudo-counts": (
        symbols,
        {"n_init": 2, "emissions": Categorical(alpha=0.5), "transition_alpha": 0.3},
    ),
    "variational": (
        symbols,
        {"n_init": 2, "emissions": Categorical(0.2, update="variational")},
    ),
    "order 2": (symbols, {"n_init": 2, "order": 2, "transition_alpha": 0.1}),
    "poisson": (numbers, {"emissions": Poisson()}),
    **{kind: (vectors, {"emissions": Gaussian(kind)}) for kind in ("full", "tied")},
    **{
        kind: (vectors, {"emissions": Gaussian(kind)}) for kind in ("diag", "spherical")
    },
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    make, params = MODELS[request.param]
    X = make(160)
    return AnnealedHMM(3, random_state=0, tol=1e-7, **params).fit(X[:40]), X


@pytest.fixture
def case(fitted):
    """A model fitted on some of the sequences, and all of them."""
    return copy.deepcopy(fitted)


def parameters(hmm):
    emission = vars(hmm.emissions_)
    names = ("probabilities_", "means_", "covariances_", "rates_")
    chain = [hmm.startprob_, hmm.transmat_, getattr(hmm, "second_transmat_", None)]
    return [
        *(a for a in chain if a is not None),
        *(emission[n] for n in names if n in emission),
    ]


def distance(later, earlier):
    """Largest change of a parameter; symbols that came later are left out."""
    pairs = zip(later, earlier, strict=True)
    return max(np.abs(a[..., : b.shape[-1]] - b).max() for a, b in pairs)


def test_the_data_of_the_fit_again_change_next_to_nothing(case):
    hmm, X = case
    before = parameters(hmm)
    hmm.partial_fit(X[:40])
    assert distance(parameters(hmm), before) < 0.02


def test_a_tiny_batch_moves_little(case):
    hmm, X = case
    before, history, n_e_steps = parameters(hmm), hmm.history_, hmm.n_e_steps_
    hmm.partial_fit(X[40:41])
    assert 0 < distance(parameters(hmm), before) < 0.2
    assert hmm.history_[:-1] == history
    assert hmm.history_[-1]["iteration"] == history[-1]["iteration"] + 1
    assert hmm.n_iter_ == len(hmm.history_)
    assert hmm.n_e_steps_ == n_e_steps + 1


def test_batches_lead_towards_the_fit_on_all(case):
    hmm, X = case
    start, whole = hmm.score(X), clone(hmm).fit(X).score(X)
    scores = []
    for begin in [*range(40, 160, 20), *range(0, 160, 20)]:
        scores.append(hmm.partial_fit(X[begin : begin + 20]).score(X))
    assert min(scores) > start - 0.002
    assert scores[-1] - start > 0.4 * (whole - start) > 0.001


def test_states_keep_names_and_numbers():
    X = [["the", "dogs", "run"], ["a", "run", "ends"], ["dogs", "sleep"]]
    tags = {"the": "D", "a": "D", "dogs": "N", "run": ["N", "V"], "sleep": "V"}
    hmm = AnnealedHMM(tag_dictionary=tags, transition_alpha=0.1).fit(X)
    answers = [y.tolist() for y in hmm.predict(X)]
    hmm.partial_fit([["the", "cats", "sleep"], ["dogs", "bark"]])
    assert hmm.states_.tolist() == ["D", "N", "V"]
    assert [y.tolist() for y in hmm.predict(X)] == answers
    impossible = hmm.emissionprob_[:2, hmm.symbols_.tolist().index("sleep")]
    assert_array_equal(impossible, 0)
    hmm.set_params(supervision="clamp")
    hmm.partial_fit([["dogs", "zzz"]] * 9, [["N", "D"]] * 9)
    assert hmm.predict([["dogs", "zzz"]])[0].tolist() == ["N", "D"]


def test_a_broken_batch_leaves_the_fitted_model():
    hmm = AnnealedHMM(supervision="clamp").fit([["a", "b"]], [["A", "B"]])
    before, state = parameters(hmm), dict(vars(hmm))
    for y in ([["A", "Z"]], [["B", "A"]]):  # not a state; of no probability
        with pytest.raises(ValueError, match=r"'Z' is not one|probability zero"):
            hmm.partial_fit([["c", "a"]], y)
        assert all(vars(hmm)[name] is value for name, value in state.items())
        assert distance(parameters(hmm), before) == 0
        assert hmm.symbols_.tolist() == ["a", "b"]


def test_parts_may_be_fixed_and_priors_set_between_batches(case):
    hmm, X = case
    start, transmat, *_, emission = parameters(hmm)
    hmm.set_params(fixed=("startprob", "transmat")).partial_fit(X[40:80])
    assert_array_equal(hmm.startprob_, start)
    assert_array_equal(hmm.transmat_, transmat)
    assert distance(parameters(hmm)[-1:], [emission]) > 0
    hmm.set_params(fixed=(), transition_alpha=1e6).partial_fit(X[40:80])
    assert_allclose(hmm.transmat_, 1 / 3, atol=0.01)


def test_a_fitted_model_holds_its_parameters_once():
    hmm = AnnealedHMM(4, max_iter=2, n_init=1, random_state=0)
    with pytest.warns(ConvergenceWarning):
        hmm.fit(np.random.RandomState(0).permutation(5000).reshape(50, 100).tolist())
    plain = copy.copy(hmm)
    del plain._stream
    assert len(pickle.dumps(hmm)) < 1.01 * len(pickle.dumps(plain))
    thawed = pickle.loads(pickle.dumps(hmm)).partial_fit([[3, 4]])
    assert distance(parameters(thawed), parameters(hmm.partial_fit([[3, 4]]))) == 0


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore:All states are identical")
def test_batches_whose_tokens_have_no_weight():
    hmm, X = AnnealedHMM(2, random_state=0), [["a", "b"], []]
    for learn in (hmm.fit, hmm.partial_fit):
        with pytest.raises(ValueError, match=r"no tokens.*weight 0"):
            learn(X, sample_weight=[0, 1])
    hmm.partial_fit([["b", "b"], ["c"]], sample_weight=[1, 0])
    assert hmm.symbols_.tolist() == ["b"]


def test_states_of_the_dictionary_stay():
    tags = {"a": "A", "b": ["A", "B"]}
    hmm = AnnealedHMM(tag_dictionary=tags).fit([["a", "b"]])
    hmm.set_params(tag_dictionary={**tags, "c": "C"})
    with pytest.raises(ValueError, match=r"\['A', 'B', 'C'\].*learnt so far has"):
        hmm.partial_fit([["a", "c"]])
    hmm.set_params(tag_dictionary={**tags, "c": "B"}).partial_fit([["a", "c"]])
    assert [y.tolist() for y in hmm.predict([["a", "c"]])] == [["A", "B"]]


@pytest.mark.filterwarnings("ignore:All sequences have length one")
def test_features_are_those_of_the_fit():
    frame = pd.DataFrame(vectors(20).values, columns=["u", "v"])
    hmm = AnnealedHMM(2, random_state=0).fit(frame[:50])
    with pytest.raises(ValueError, match="feature names should match"):
        hmm.partial_fit(frame[["v", "u"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        hmm.partial_fit(frame.to_numpy())
    hmm.partial_fit(frame)
    assert hmm.feature_names_in_.tolist() == ["u", "v"]
    assert hmm.n_features_in_ == 2


@pytest.mark.filterwarnings("error")
def test_streams_are_not_annealed():
    hmm = AnnealedHMM(2, beta_min=0.5, random_state=0).partial_fit([["a", "b"]])
    assert hmm.partial_fit([["b", "a"]]).history_[-1]["beta"] == 1


def test_a_snapshot_in_mid_fit_can_go_on():
    snapshots = []

    class Keep:
        def setup(self, estimator, context):
            pass

        teardown = on_fit_task_begin = setup

        def on_fit_task_end(self, estimator, context, *, fitted_estimator):
            if context.task_name == "iteration":
                snapshots.append(fitted_estimator)

    X = vectors(30)
    AnnealedHMM(2, random_state=0).set_callbacks(Keep()).fit(X)
    hmm = snapshots[-1]
    before = parameters(hmm)
    assert distance(parameters(hmm.partial_fit(X)), before) < 0.02


TAGS = {"a": "A", "b": "B"}


@pytest.mark.parametrize(
    "emissions", ["auto", Categorical(0.3), Categorical(0.3, update="variational")]
)
def test_labels_win_over_the_dictionary_between_batches(emissions):
    hmm = AnnealedHMM(tag_dictionary=TAGS, emissions=emissions).fit([["a", "b"]] * 3)
    hmm.set_params(supervision="clamp")
    with pytest.warns(UserWarning, match="win over it"):
        hmm.partial_fit([["b", "a"]], [["A", "B"]])
    assert (hmm.emissionprob_ > 0).all()
    assert_allclose(hmm.emissionprob_.sum(axis=1), 1)
    hmm.partial_fit([["a", "b"]])


def test_a_wider_dictionary_between_batches():
    hmm = AnnealedHMM(tag_dictionary=TAGS).fit([["a", "b"]] * 3)
    hmm.set_params(tag_dictionary={**TAGS, "b": ["A", "B"]})
    hmm.partial_fit([["b", "b"]])
    assert hmm.emissionprob_[0, 1] > 0 == hmm.emissionprob_[1, 0]
    assert hmm.predict([["b", "b"]])[0].tolist() == ["A", "B"]
    hmm.set_params(tag_dictionary=None).partial_fit([["a", "b", "a"]])
    assert hmm.emissionprob_[1, 0] > 0


def test_an_emission_that_is_fixed_is_not_widened():
    hmm = AnnealedHMM(tag_dictionary=TAGS).fit([["a", "b"]] * 3)
    before = hmm.emissionprob_
    hmm.set_params(fixed="emission", tag_dictionary=None).partial_fit([["a", "b"]])
    assert_array_equal(hmm.emissionprob_, before)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_new_symbols_follow_the_dictionary(alpha):
    hmm = AnnealedHMM(emissions=Categorical(alpha), tag_dictionary=TAGS)
    hmm.fit([["a", "b"]] * 3)
    hmm.set_params(tag_dictionary={**TAGS, "c": "A", "e": ["A", "B"]})
    hmm.partial_fit([["c", "b"], ["d", "e"]])
    listed = hmm.emissionprob_ > 0
    assert hmm.symbols_.tolist() == ["a", "b", "c", "d", "e"]
    assert not listed[[1, 0, 1], [0, 1, 2]].any()
    if alpha:
        assert listed.sum() == 7
    assert hmm.emissions_.n_parameters == 7 - 2


def test_pseudo_counts_of_emissions_may_change_between_batches():
    hmm = AnnealedHMM(
        tag_dictionary=TAGS, emissions=Categorical(), transition_alpha=0.1
    ).fit([["a", "b"]])
    hmm.partial_fit([["c", "a"]])
    hmm.set_params(emissions__alpha=1e6).partial_fit([["a", "b", "b"]])
    assert_allclose(hmm.emissionprob_, [[0.5, 0, 0.5], [0, 0.5, 0.5]], atol=1e-3)
    hmm.set_params(emissions__alpha=-1)
    with pytest.raises(ValueError, match="alpha must be a number >= 0, got -1"):
        hmm.partial_fit([["a", "b"]])
    assert hmm.emissions_.alpha == 1e6


@pytest.mark.parametrize("kind", [Gaussian(), Gaussian("diag"), Poisson()])
def test_missing_values_may_be_allowed_between_batches(kind):
    X = (numbers if isinstance(kind, Poisson) else vectors)(20)
    hmm = AnnealedHMM(2, emissions=kind, random_state=0).fit(X)
    values = X.values.copy()
    values[3] = np.nan
    holes = Ragged.from_arrays(values, X.offsets)
    with pytest.raises(ValueError, match="NaN"):
        hmm.partial_fit(holes)
    hmm.set_params(emissions__missing="marginalize").partial_fit(holes)
    assert np.isfinite(hmm.transmat_).all() and np.isfinite(hmm.score(holes))
    hmm.set_params(emissions__missing="drop")
    with pytest.raises(ValueError, match="missing must be"):
        hmm.partial_fit(holes)


@pytest.mark.parametrize(
    ("later", "message"),
    [
        ("poisson", "asks for Poisson, but what was learnt so far has Categorical"),
        (Categorical(symbols=["a", "b"]), r"symbols=\['a', 'b'\], but .* has None"),
        (Categorical(0.1, update="variational"), "update='variational', but"),
    ],
)
def test_other_emissions_start_anew(later, message):
    hmm = AnnealedHMM(emissions="categorical", tag_dictionary=TAGS).fit([["a", "b"]])
    hmm.set_params(emissions=later)
    with pytest.raises(ValueError, match=message):
        hmm.partial_fit([["a", "b"]])
    hmm.set_params(emissions="auto").partial_fit([["a", "b"]])


def test_the_shape_of_covariances_stays():
    X = vectors(20)
    hmm = AnnealedHMM(2, emissions=Gaussian("diag"), random_state=0).fit(X)
    hmm.set_params(emissions__covariance_type="full")
    with pytest.raises(ValueError, match=r"covariance_type='full', but .* has 'diag'"):
        hmm.partial_fit(X)

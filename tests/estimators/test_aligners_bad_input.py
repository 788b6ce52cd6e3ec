"""Aligners given odd text, and parameters that make no sense."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from skstruct.estimators import (
    CRFAutoencoderAligner,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
)
from skstruct.estimators._alignment._features import FEATURE_SETS

ALIGNERS = [
    IBM1Aligner(),
    DiagonalAligner(),
    HMMAligner(),
    CRFAutoencoderAligner(random_state=0),
]
each = pytest.mark.parametrize("model", ALIGNERS, ids=lambda m: type(m).__name__)
joint = pytest.mark.parametrize("model", ALIGNERS[2:], ids=lambda m: type(m).__name__)


def pair(source, target):
    return source.split(), target.split()


TEXT = [
    pair("the dog barks", "canis latrat"),
    pair("the girl sees the dog", "puella canem videt"),
    pair("the girl sings", "puella cantat"),
    pair("", "x"),
    pair("y", ""),
    pair("", ""),
]


def fit(model, X=TEXT, sample_weight=None, **params):
    return clone(model).set_params(**params).fit(X, sample_weight=sample_weight)


def assert_sound(model, X=TEXT):
    """Answers are probabilities and finite numbers, for known and for new words."""
    for text in (X, [pair("the unicorn", "monoceros latrat ?"), *X]):
        for p, (source, target) in zip(model.predict_proba(text), text, strict=True):
            assert p.shape == (len(source), len(target))
            assert (p >= 0).all() and (p <= 1 + 1e-5).all()
        assert np.isfinite(model.score(text))
        assert np.isfinite(model.score_samples(text)).all()
    for record in model.history_:
        assert np.isfinite(list(record.values())).all()
    for name in ("coef_", "jump_coef_", "jump_prob_", "tension_"):
        assert np.isfinite(getattr(model, name, 0)).all()


@each
def test_empty_sides_have_no_links(model):
    fitted = fit(model)
    assert [len(links) for links in fitted.links_[3:]] == [0, 0, 0]
    found = fitted.predict(TEXT[3:])
    assert [links.shape for links in found] == [(0, 2)] * 3
    shapes = [p.shape for p in fitted.predict_proba(TEXT[3:])]
    assert shapes == [(0, 1), (1, 0), (0, 0)]
    assert fitted.score_samples(TEXT[5:]).tolist() == [0] == [fitted.score(TEXT[5:])]
    assert len(fitted.link_table(TEXT[3:])["pair"]) == 0
    assert_sound(fitted)


@each
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([], "X is empty"),
        (TEXT[3:], "no pair of sentences .* words on both sides"),
        ([(["a", None], ["b"])], "Pair 0: token 1 of the source is None"),
        ([(["a"], ["b", float("nan")])], "Pair 0: token 1 of the target is nan"),
        ([(["a"], [2.5])], "The target|Pair 0: token 0 of the target"),
        ([(["a"], ["b"]), (["a"], "b c")], "Pair 1: the target is a string"),
        (["a b ||| c d"], "Pair 0 is a str"),
        ([["a"], ["b"]], "Pair 0 has 1 entries"),
        (np.ones((3, 2)), "sentence pairs"),
        (None, "Expected a list of pairs"),
    ],
)
def test_what_is_no_bitext(model, X, message):
    with pytest.raises(ValueError, match=message):
        fit(model, X)


@each
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2], r"shape \(2,\).*6 samples"),
        ([1, 1, -1, 1, 1, 1], "sample 2 is -1"),
        ([1, np.nan, 1, 1, 1, 1], "sample 1 is nan"),
        ([0, 0, 0, 1, 1, 1], "words on both sides"),
        (np.zeros(6), "non-zero"),
        (["a"] * 6, "must be numbers"),
    ],
)
def test_bad_weights(model, weight, message):
    with pytest.raises(ValueError, match=message):
        fit(model, sample_weight=weight)
    if "both" not in message:
        with pytest.raises(ValueError, match=message):
            fit(model).score(TEXT, sample_weight=weight)


@each
@pytest.mark.parametrize("update", ["map", "cvb0", "variational"])
@pytest.mark.parametrize(
    "weight",
    [1e100, 1e-300, np.array([1e100, 1e-300, 1, 1, 1e100, 0]), 1e-310],
    ids=["large", "small", "both", "tiny"],
)
@pytest.mark.filterwarnings("error")
def test_extreme_weights(model, update, weight):
    weight = np.broadcast_to(weight, 6)
    assert_sound(fit(model, sample_weight=weight, update=update, alpha=0.01))


@each
@pytest.mark.parametrize("update", ["map", "cvb0", "variational"])
@pytest.mark.parametrize("alpha", [1e-300, 1e-17, 1e-6, 1e6, 1e300])
@pytest.mark.filterwarnings("error")
def test_extreme_concentrations(model, update, alpha):
    params = {"update": update, "alpha": alpha}
    assert_sound(fit(model, **params))
    assert_sound(fit(model, [pair("a", "b")], **params), [pair("a", "b")])
    if "null_alpha" in model.get_params():
        assert_sound(fit(model, update=update, null_alpha=alpha))
        assert_sound(fit(model, **params, null_alpha=alpha))


@each
def test_zero_alpha_is_for_maximum_likelihood(model):
    for update in ("cvb0", "variational"):
        with pytest.raises(ValueError, match=f"update='{update}' needs alpha > 0"):
            fit(model, alpha=0, update=update)
    assert_sound(fit(model, alpha=0, update="map"))


@each
@pytest.mark.parametrize(
    "X",
    [
        [pair("a", "b")],
        [pair("a a a a", "b b b")] * 3,
        [(["a"] * 40, ["b"] * 35)],
        [pair("a b c", "a b c"), pair("c d", "c d")],
        [(["", " ", "\x00"], ["", "\u200b", "\U0001f600\U0001f600"])],
        [([1, "1", "a"], ["b", 2, -3]), ([True], [2**70])],
        [pair("a " * 10, "b"), pair("a", "b " * 10)],
    ],
    ids=["one", "repeats", "long", "same", "odd", "mixed", "lopsided"],
)
@pytest.mark.filterwarnings("error")
def test_odd_text(model, X):
    for reconstruction in ("word", "brown", "stem"):
        assert_sound(fit(model, X, reconstruction=reconstruction), X)


@each
def test_identical_sides_are_linked_along_the_diagonal(model):
    sentences = ["a b c", "b c d", "d a e", "e f a", "c f", "b d f"]
    X = [pair(s, s) for s in sentences] * 2
    for links, (source, _) in zip(fit(model, X).links_, X, strict=True):
        assert links.tolist() == [[k, k] for k in range(len(source))]


@pytest.mark.parametrize(
    ("model", "n_source", "n_target"),
    [
        (IBM1Aligner(max_iter=1), 3000, 3000),
        (DiagonalAligner(max_iter=1), 3000, 300),
        (HMMAligner(max_iter=1), 3000, 60),
        (HMMAligner(max_iter=1), 60, 3000),
        (CRFAutoencoderAligner(max_iter=1, random_state=0), 3000, 60),
    ],
)
def test_long_sentences(model, n_source, n_target):
    rng = np.random.default_rng(0)
    source, target = (
        [f"{letter}{k}" for k in rng.integers(50, size=n)]
        for letter, n in (("s", n_source), ("t", n_target))
    )
    X = [(source, target), *TEXT]
    fitted = model.fit(X)
    assert fitted.predict_proba(X)[0].shape == (n_source, n_target)
    assert np.isfinite(fitted.score(X))


def test_an_encoder_learns_from_a_large_pair_if_there_is_no_other():
    words = [f"w{k % 30}" for k in range(110)]
    model = CRFAutoencoderAligner(random_state=0, max_iter=1).fit([(words, words)])
    assert np.abs(model.coef_).max() > 0
    assert_sound(model, [(words, words)])


@each
@pytest.mark.parametrize(
    ("lexicon", "message"),
    [
        ({("dog", "canis"): -1.0}, r"of \('dog', 'canis'\) is -1.0; expected a count"),
        ({("dog", "canis"): np.nan}, "is nan"),
        ({("dog", "canis"): np.inf}, "is inf"),
        ({("dog", "canis"): "often"}, "is 'often'"),
        ({("dog", "canis"): None}, "is None"),
        ({"dog": 1.0}, "key 'dog'; keys are pairs"),
        ({"ab": 1.0}, "key 'ab'; keys are pairs"),
        ({("a", "b", "c"): 1.0}, "keys are pairs"),
        ({("a", None): 1.0}, "keys are pairs"),
        ({3: 1.0}, "key 3"),
        ([("dog", "canis")], "must be a dict .*zip.*; got a list"),
        ([], "must be a dict .*; got a list"),
        (pd.DataFrame({"source": ["dog"]}), r"; got a DataFrame\.$"),
    ],
)
def test_bad_lexicons(model, lexicon, message):
    with pytest.raises(ValueError, match=message):
        fit(model, lexicon_prior=lexicon)


@each
def test_odd_lexicons(model):
    listed = {("dog", "canis"): 0}
    for lexicon in ({}, listed, {("new", "neu"): np.float32(2), **listed}):
        assert_sound(fit(model, lexicon_prior=lexicon))
    large = fit(model, lexicon_prior={("dog", "latrat"): 1e100})
    assert_sound(large)
    # Words are as they are spelt in the text, or otherwise.
    shout, whisper = (
        fit(model, lexicon_prior={(word, "canis"): 3.0}) for word in ("DOG", "dog")
    )
    assert shout.score(TEXT) == whisper.score(TEXT) != fit(model).score(TEXT)


@each
def test_a_lexicon_that_meets_no_word_of_the_text(model):
    swapped = {("canis", "dog"): 1.0, ("puella", "girl"): 1.0, ("dog", "le"): 1.0}
    with pytest.warns(UserWarning, match="none of its 3 entries .* swapped") as caught:
        assert_sound(fit(model, lexicon_prior=swapped))
    assert [w.filename for w in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(model, lexicon_prior={**swapped, ("Dog", "Canis"): 1.0})


@each
@pytest.mark.parametrize(
    "params",
    [
        {"alpha": -1},
        {"alpha": np.nan},
        {"alpha": "large"},
        {"update": "em"},
        {"max_iter": 0},
        {"max_iter": 2.5},
        {"max_iter": True},
        {"reconstruction": "letters"},
        {"stem_length": 0},
        {"store_posteriors": "yes"},
        {"n_jobs": 0},
    ],
)
def test_bad_parameters(model, params):
    with pytest.raises(ValueError, match=f"{next(iter(params))}"):
        fit(model, **params)


@pytest.mark.parametrize("model", ALIGNERS[:3], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("null_prob", [0, 1, -0.1, np.nan])
def test_bad_null_prob(model, null_prob):
    with pytest.raises(ValueError, match="'null_prob' parameter"):
        fit(model, null_prob=null_prob)


@pytest.mark.parametrize("tension", [0, 0.05, 20, np.nan])
def test_bad_tension(tension):
    with pytest.raises(ValueError, match="'tension' parameter"):
        fit(DiagonalAligner(), tension=tension)


@joint
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"constraint": "sparsity"}, "'constraint' parameter"),
        ({"constraint": ["symmetry", "sparsity"]}, "constraint has 'sparsity'; exp"),
        ({"constraint": [3]}, "constraint has 3"),
        ({"constraint": [["symmetry"]]}, r"constraint has \['symmetry'\]"),
        ({"constraint": []}, "at least one constraint"),
        ({"symmetrization": "gdfa"}, "'symmetrization' parameter"),
        ({"threshold": 1.0}, "'threshold' parameter"),
        ({"threshold": -0.1}, "'threshold' parameter"),
        ({"threshold": True}, "'threshold' parameter"),
        ({"threshold": np.nan}, "'threshold' parameter"),
        ({"agreement": "vote"}, "'agreement' parameter"),
        ({"agreement_strength": -1}, "'agreement_strength' parameter"),
        ({"agreement_strength": 1e3}, "'agreement_strength' parameter"),
        ({"init": "random"}, "'init' parameter"),
        ({"null_alpha": 0}, "'null_alpha' parameter"),
    ],
)
def test_bad_parameters_of_both_directions(model, params, message):
    with pytest.raises(ValueError, match=message):
        fit(model, **params)


@joint
@pytest.mark.filterwarnings("error")
def test_strong_agreement(model):
    for agreement in ("odds", "product"):
        assert_sound(fit(model, agreement=agreement, agreement_strength=10))


@joint
def test_a_constraint_of_both_directions_trains_both(model):
    fitted = fit(model, constraint="symmetry", symmetrization="forward", agreement=None)
    assert fitted.directions_ == ["forward", "reverse"]
    assert_sound(fitted)


@joint
def test_one_direction_does_not_join_two(model):
    fitted = fit(model, agreement=None, symmetrization="reverse")
    assert fitted.directions_ == ["reverse"]
    assert_sound(fitted)
    for other in ("forward", "union", "grow-diag"):
        with pytest.raises(ValueError, match=f"'{other}' is not of the one direction"):
            fitted.set_params(symmetrization=other).predict(TEXT)


def broken(source, target):
    raise LookupError(f"nothing about {source}")


def half(source, target):
    return len(source) / 2


@pytest.mark.parametrize(
    ("features", "error", "message"),
    [
        ("full", ValueError, "'features' parameter"),
        (["jumps"], ValueError, "'jumps'; expected .*'similarity'.*'jump', 'log_jump'"),
        (["paper", "full"], ValueError, "'full'; expected .*'default', 'paper'"),
        ([["jump"]], ValueError, r"features has \['jump'\]"),
        ([3], ValueError, "features has 3"),
        ([broken], LookupError, "nothing about the"),
        ([half], TypeError, "'half' among the features gave 1.5 of type float"),
        (None, ValueError, "'features' parameter"),
    ],
)
def test_bad_features(features, error, message):
    with pytest.raises(error, match=message) as caught:
        fit(CRFAutoencoderAligner(), features=features)
    if features == [broken]:
        (note,) = caught.value.__notes__
        assert "'broken', a function among the features, of the pair of words" in note


def same_end(source, target):
    return "same" if source[-1] == target[-1] else None


def test_names_of_sets_among_features():
    listed = [*FEATURE_SETS["default"], same_end]
    model = CRFAutoencoderAligner(random_state=0, max_iter=1)
    models = [
        fit(model, features=features)
        for features in (["default", same_end], listed, [*listed, "default", "jump"])
    ]
    assert "same_end=same" in models[0].feature_names_
    for other in models[1:]:
        assert models[0].feature_names_.tolist() == other.feature_names_.tolist()
        np.testing.assert_array_equal(models[0].coef_, other.coef_)


@pytest.mark.parametrize(
    "features",
    [
        [],
        ["jump"],
        ["log_jump"],
        ["diagonal"],
        ("association",),
        [same_end],
        [same_end, "jump", "lengths", "case"],
        "paper",
    ],
)
@pytest.mark.filterwarnings("error")
def test_few_features(features):
    model = fit(CRFAutoencoderAligner(random_state=0, max_iter=2), features=features)
    n_names = len(model.feature_names_)
    assert model.coef_.shape == (2, n_names) and model.jump_coef_.shape == (2, 61)
    assert_sound(model)
    asked = ["log_jump"] if features == "paper" else features
    assert ("same_end=same" in model.feature_names_) == (same_end in asked)
    assert (np.ptp(model.jump_coef_[0]) > 0.1) == any("jump" in str(f) for f in asked)


@pytest.mark.parametrize(
    "params",
    [
        {"encoder_l2": -1},
        {"encoder_steps": 0},
        {"encoder_sample": 0},
        {"encoder_sample": "all"},
        {"random_state": "seed"},
    ],
)
def test_bad_encoder_parameters(params):
    with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter"):
        fit(CRFAutoencoderAligner(), **params)


@each
def test_a_reconstruction_that_is_no_key(model):
    with pytest.raises(ValueError, match=r"reconstruction\('the'\) is a list"):
        fit(model, reconstruction=list)
    assert_sound(fit(model, reconstruction=len))
    with pytest.raises(ValueError, match=r"reconstruction\('the'\) is None; 'get'"):
        fit(model, reconstruction={}.get)


def letter(word):
    return word[9]


@each
def test_a_reconstruction_that_fails(model):
    with pytest.raises(IndexError) as caught:
        fit(model, reconstruction=letter)
    (note,) = caught.value.__notes__
    assert note == "Raised by 'letter', the reconstruction, of the word 'the'."


def latin(word):
    return word if word.endswith(("is", "at", "a", "em", "et")) else "english"


@each
def test_a_reconstruction_that_tells_no_words_apart(model):
    message = "'latin' gives one and the same for all 7 words of the source side"
    with pytest.warns(UserWarning, match=message) as caught:
        assert_sound(fit(model, reconstruction=latin))
    assert [w.filename for w in caught] == [__file__]


@joint
@pytest.mark.parametrize(
    ("reconstruction", "message"),
    [
        ([], "reconstruction has 'nothing in it'; expected functions"),
        ([len, "letters"], "reconstruction has 'letters'.*'stem', 'word', 'brown'"),
        ([["stem"]], r"reconstruction has \['stem'\]"),
        ((len, None), "reconstruction has None"),
    ],
)
def test_bad_lists_of_reconstructions(model, reconstruction, message):
    with pytest.raises(ValueError, match=message):
        fit(model, reconstruction=reconstruction)

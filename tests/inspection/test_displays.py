"""What all displays have in common."""

import ast
import builtins
import warnings
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

import skstruct.inspection
from skstruct import AnnealedHMM, ConditionalRandomField, HMMAligner
from skstruct.estimators import PosteriorRegularizedClusterer
from skstruct.featurizers import PhraseExtractor
from skstruct.inspection import (
    AlignedText,
    AlignmentDisplay,
    AnnealingPathDisplay,
    PhraseSparsityDisplay,
    PosteriorDisplay,
    StateLabelDisplay,
    TaggedText,
    TopFeaturesDisplay,
    TransitionDisplay,
)
from skstruct.metrics import aer_scorer
from skstruct.model_selection import TransductiveSplit


def displays(n_states, word="w"):
    """One display of each kind, of so many states or words."""
    names = [f"{word}{k}" for k in range(n_states)]
    table = np.full((n_states, n_states), 1 / max(n_states, 1))
    return [
        AlignmentDisplay(names, names, links=[], probabilities=table, gold=[]),
        AnnealingPathDisplay(
            [{"beta": k + 1, "objective": 0.0} for k in range(n_states)]
        ),
        PhraseSparsityDisplay(np.arange(1, n_states + 1), name=word),
        PosteriorDisplay(table, states=names, tokens=names),
        StateLabelDisplay(table, states=names, labels=names),
        TopFeaturesDisplay([names[:8]] * n_states, table[:, :8], states=names),
        TransitionDisplay(table, states=names),
    ]


EACH = pytest.mark.parametrize(
    "which", range(7), ids=lambda i: str(displays(1)[i])[:50]
)


@EACH
@pytest.mark.parametrize("n_states", [0, 1, 45])
def test_any_number_of_states_is_drawn_without_warnings(which, n_states):
    display = displays(n_states)[which]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DeprecationWarning)  # inside old matplotlibs
        assert display.plot() is display
        display.figure_.canvas.draw()
    assert display.ax_.figure is display.figure_


@EACH
@pytest.mark.parametrize(
    "word", ["$x$ $ \\frac", "_", "a\nb\x00", "\ud800", "long " * 9]
)
def test_words_are_text_whatever_they_hold(which, word):
    displays(3, word)[which].plot().figure_.canvas.draw()


@EACH
def test_right_to_left_words_need_no_other_font(which):
    display = displays(3, "שלום مرحبا")[which]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DeprecationWarning)
        display.plot().figure_.canvas.draw()


@EACH
def test_draws_into_axes_that_are_given(which):
    figure, axes = plt.subplots(1, 2)
    display = displays(3)[which].plot(axes[1])
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    assert len(plt.get_fignums()) == 1
    assert not axes[0].has_data()


@EACH
def test_missing_matplotlib_is_named_with_the_extra(which, monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    display = displays(3)[which]
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"Display draws.*skstruct\[plot\]"):
        display.plot()


def test_matplotlib_is_imported_in_functions_only():
    files = list(Path(skstruct.inspection.__file__).parent.glob("*.py"))
    assert len(files) > 8
    for file in files:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert "matplotlib" not in ast.unparse(node), file


@pytest.mark.parametrize(
    ("display", "estimator", "args"),
    [
        (AlignmentDisplay, HMMAligner(), ([(["a"], ["b"])],)),
        (AnnealingPathDisplay, AnnealedHMM(), ()),
        (PhraseSparsityDisplay, PosteriorRegularizedClusterer(), ()),
        (PosteriorDisplay, AnnealedHMM(), ([["a"]],)),
        (StateLabelDisplay, AnnealedHMM(), ([["a"]], [["A"]])),
        (TopFeaturesDisplay, ConditionalRandomField(), ()),
        (TransitionDisplay, AnnealedHMM(), ()),
    ],
)
def test_an_estimator_must_be_fitted(display, estimator, args):
    with pytest.raises(NotFittedError):
        display.from_estimator(estimator, *args)


PAIRS = [(["the", "dog"], ["canis"])] * 4
WORDS, TAGS = [["a", "b"], ["b"]], [["A", "B"], ["B"]]


@pytest.mark.parametrize(
    ("display", "args", "problem"),
    [
        (PosteriorDisplay, (PAIRS,), "neither states_ nor classes_"),
        (StateLabelDisplay, (PAIRS, TAGS), "is an aligner"),
        (TaggedText, (PAIRS,), "is an aligner"),
        (TopFeaturesDisplay, (), "neither states_ nor classes_"),
        (TransitionDisplay, (), "neither states_ nor classes_"),
        (PhraseSparsityDisplay, (), "has no n_clusters_per_phrase"),
    ],
)
def test_what_an_aligner_does_not_have(display, args, problem):
    with pytest.raises(TypeError, match=f"HMMAligner .*{problem}"):
        display.from_estimator(HMMAligner(max_iter=2).fit(PAIRS), *args)


@pytest.mark.parametrize("display", [AlignmentDisplay, AlignedText])
@pytest.mark.parametrize("X", [PAIRS, WORDS], ids=["pairs", "words"])
def test_who_is_no_aligner(display, X):
    table = np.array([["a", "b"], ["a", "c"]], dtype=object)
    for model, has in (
        (AnnealedHMM(2, random_state=0).fit(WORDS), "states_"),
        (ConditionalRandomField().fit(WORDS, TAGS), "classes_"),
        (PosteriorRegularizedClusterer(2, n_init=1).fit(table), "labels_"),
    ):
        with pytest.raises(TypeError, match=f"has {has}, so it is no aligner"):
            display.from_estimator(model, X)


def wrapped(model, X, y=None):
    """The model alone, in a pipeline, and as what a search found."""
    pipe = make_pipeline(FunctionTransformer(), model)
    search = GridSearchCV(pipe, {}, cv=TransductiveSplit(), scoring=lambda *_: 0.0)
    return [m.fit(X, y) for m in (model, pipe, search)]


@pytest.mark.parametrize(
    ("display", "model", "args", "shown"),
    [
        (AnnealingPathDisplay, AnnealedHMM(2, random_state=0), (), "objective_"),
        (PosteriorDisplay, AnnealedHMM(2, random_state=0), (WORDS,), "probabilities"),
        (StateLabelDisplay, ConditionalRandomField(), (WORDS, TAGS), "counts"),
        (TopFeaturesDisplay, AnnealedHMM(2, random_state=0), (), "features"),
        (TransitionDisplay, AnnealedHMM(2, random_state=0), (), "durations"),
        (TransitionDisplay, ConditionalRandomField(), (), "transitions"),
    ],
)
def test_pipelines_and_searches_show_their_model(display, model, args, shown):
    one, *others = (
        getattr(display.from_estimator(m, *args), shown)
        for m in wrapped(model, WORDS, TAGS)
    )
    assert np.size(one) > 0
    for other in others:
        assert np.array_equal(one, other)


def test_pipelines_of_clusterers_show_their_phrases():
    pipe = make_pipeline(
        PhraseExtractor(max_length=2), PosteriorRegularizedClusterer(2, n_init=1)
    )
    display = PhraseSparsityDisplay.from_estimator(pipe.fit([["a", "b", "a", "b"]] * 3))
    assert display.name == "PosteriorRegularizedClusterer"


@pytest.mark.parametrize("display", [PosteriorDisplay, TransitionDisplay, TaggedText])
def test_pipelines_of_aligners_are_named_by_them(display):
    pipe = make_pipeline(FunctionTransformer(), HMMAligner(max_iter=2)).fit(PAIRS)
    args = () if display is TransitionDisplay else (PAIRS,)
    with pytest.raises(TypeError, match="HMMAligner "):
        display.from_estimator(pipe, *args)


@pytest.mark.parametrize("display", [AlignmentDisplay, AlignedText])
def test_a_search_over_aligners_is_one(display):
    gold = [[(1, 0)]] * 4
    search = GridSearchCV(HMMAligner(), {"max_iter": [1, 2]}, scoring=aer_scorer)
    display.from_estimator(search.set_params(cv=2).fit(PAIRS, gold), PAIRS, gold)


@pytest.mark.parametrize(
    ("display", "args", "problem"),
    [
        (AnnealingPathDisplay, (), "history_"),
        (PosteriorDisplay, ([[[1.0]]],), "predict_proba"),
        (TopFeaturesDisplay, (), "featurizer_"),
        (TransitionDisplay, (), "neither transmat_ nor transition_coef_"),
    ],
)
def test_models_of_others_lack_what_is_shown(display, args, problem):
    model = LinearSVC().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError, match=f"LinearSVC has .*{problem}"):
        display.from_estimator(model, *args)


@pytest.mark.parametrize("display", [PosteriorDisplay, AlignmentDisplay])
@pytest.mark.parametrize("sample", [2, -3, 0.0, "0"])
def test_the_sample_must_be_there(display, sample):
    X = [(["a"], ["b"])] * 2 if display is AlignmentDisplay else [["a"], ["b"]]
    with pytest.raises(ValueError, match="sample must be the number of one of the 2"):
        display.from_predictions(X, [[(0, 0)]] * 2, sample=sample)

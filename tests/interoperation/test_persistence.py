"""Models that are saved by skops, joblib and pickle answer as before."""

import importlib
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skops.io.exceptions import UntrustedTypesFoundException

import skstruct
from skstruct import Bitext, GraphBatch, Ragged, TagDictionary, estimators, featurizers
from skstruct.constraints import Bijectivity, Sparsity
from skstruct.emissions import Poisson, Product, View
from skstruct.estimators import (
    AdversarialGraphicalModel,
    AnnealedHMM,
    ConditionalRandomField,
    CRFAutoencoderAligner,
    CRFAutoencoderTagger,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
    PitmanYorClusterer,
    PosteriorRegularizedClusterer,
    StructuredSVM,
    SymmetrizedAligner,
)
from skstruct.featurizers import (
    BrownClusterer,
    ExchangeClusterer,
    PerToken,
    PhraseExtractor,
    PhrasePairExtractor,
    TokenFeaturizer,
)
from skstruct.losses import CostMatrix
from skstruct.metrics import v_measure_scorer
from skstruct.model_selection import TransductiveSplit

TEXT = [
    ["the", "dog", "barked"],
    ["a", "cat", "watched", "the", "dog"],
    ["the", "Cat", "barked"],
    ["a", "dog", "slept"],
]
TAGS = [["D", "N", "V"], ["D", "N", "V", "D", "N"], ["D", "N", "V"], ["D", "N", "V"]]
WORDS = TagDictionary({"the": "D", "dog": ["N", "V"], "barked": "V"})
BITEXT = [
    (["the", "dog", "barks"], ["canis", "latrat"]),
    (["the", "girl", "sees", "the", "dog"], ["puella", "canem", "videt"]),
    (["the", "girl", "sings"], ["puella", "cantat"]),
]
SERIES = [np.random.default_rng(i).normal(size=(9, 2)) for i in range(3)]
COUNTS = [np.arange(6)[:, None] % 4, np.arange(5)[:, None] % 3]
FRAMES = [pd.DataFrame(series, columns=["x", "y"]) for series in SERIES]
TABLE = pd.DataFrame(
    {"phrase": list("abcabd"), "left": list("xyxxzz"), "right": list("uvuuww")}
)
VIEWS = Product([("token", View()), ("before", View("brown", offset=-1))])
COSTS = CostMatrix(
    np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0.0]]), labels=["D", "N", "V"]
)


def _fewest(model, **params):
    return model.set_params(random_state=0, max_iter=2, **params)


CASES = {
    "hmm": (_fewest(AnnealedHMM(2)), TEXT),
    "hmm bytes": (
        _fewest(AnnealedHMM(2)),
        [[word.encode() for word in sentence] for sentence in TEXT],
    ),
    "hmm loglinear": (_fewest(AnnealedHMM(2, emissions="loglinear")), TEXT),
    "hmm dictionary": (_fewest(AnnealedHMM(tag_dictionary=WORDS)), TEXT),
    "hmm gaussian": (_fewest(AnnealedHMM(2)), SERIES),
    "hmm frames": (_fewest(AnnealedHMM(2)), FRAMES),
    "hmm poisson": (_fewest(AnnealedHMM(2, emissions=Poisson())), COUNTS),
    "tagger": (_fewest(CRFAutoencoderTagger(2)), TEXT),
    "tagger adagrad": (_fewest(CRFAutoencoderTagger(2, solver="adagrad")), TEXT),
    "tagger views": (_fewest(CRFAutoencoderTagger(2, reconstruction=VIEWS)), TEXT),
    "tagger vectors": (_fewest(CRFAutoencoderTagger(2)), SERIES),
    "aligner": (_fewest(CRFAutoencoderAligner()), BITEXT),
    "aligner brown": (_fewest(CRFAutoencoderAligner(reconstruction="brown")), BITEXT),
    "aligner own": (_fewest(CRFAutoencoderAligner(features=["class"])), BITEXT),
    "hmm aligner": (HMMAligner(max_iter=2, constraint=Bijectivity()), BITEXT),
    "ibm1": (IBM1Aligner(), BITEXT),
    "diagonal": (DiagonalAligner(reconstruction="stem"), BITEXT),
    "symmetrized": (SymmetrizedAligner(), BITEXT),
    "clusterer": (
        _fewest(PosteriorRegularizedClusterer(2, constraint=Sparsity(), n_init=1)),
        TABLE,
    ),
    "clusterer pairs": (
        _fewest(PosteriorRegularizedClusterer(2, agreement="direction", n_init=1)),
        TABLE,
    ),
    "pitman-yor": (PitmanYorClusterer(2, random_state=0), TABLE),
    "crf": (ConditionalRandomField(), TEXT, TAGS),
    "svm": (StructuredSVM(loss=COSTS), TEXT, TAGS),
    "adversarial": (AdversarialGraphicalModel(), TEXT, TAGS),
    "tokens": (TokenFeaturizer(), TEXT),
    "per token": (PerToken(StandardScaler()), SERIES),
    "phrases": (PhraseExtractor(word_classes=BrownClusterer(3)), TEXT),
    "phrase pairs": (PhrasePairExtractor(HMMAligner(max_iter=1)), BITEXT),
    "brown": (BrownClusterer(3), TEXT),
    "exchange": (ExchangeClusterer(3, random_state=0), TEXT),
    "pipeline": (
        make_pipeline(TokenFeaturizer(), ConditionalRandomField()),
        TEXT,
        TAGS,
    ),
}


# Two iterations do not converge, and six rows say little.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", params=CASES)
def fitted(request):
    """A fitted model and its X."""
    model, X, *y = CASES[request.param]
    return clone(model).fit(X, *y), X


def answers(model, X):
    """What a model says of X: rows of numbers or names."""
    method = "predict" if hasattr(model, "predict") else "transform"
    found = getattr(model, method)(X)
    return found.values if isinstance(found, Ragged) else found


def assert_same(found, expected):
    assert type(found) is type(expected)
    if hasattr(expected, "toarray"):
        found, expected = found.toarray(), expected.toarray()
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one, other)


def by_skops(model):
    data = skops.io.dumps(model)
    return skops.io.loads(data, trusted=skstruct.trusted_types())


def by_pickle(model):
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("save_and_load", [by_skops, by_pickle])
def test_loaded_model_answers_as_the_saved_one(fitted, save_and_load):
    model, X = fitted
    loaded = save_and_load(model)
    assert repr(loaded) == repr(model)
    assert_same(answers(loaded, X), answers(model, X))


def test_loaded_model_has_all_fitted_attributes(fitted):
    model, _ = fitted
    loaded = by_skops(model)
    assert {*vars(loaded)} == {*vars(model)}
    for name, value in vars(model).items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            assert_array_equal(getattr(loaded, name), value, err_msg=name)


def test_what_training_tells_is_plain(fitted):
    model, _ = fitted  # numbers as notebooks and JSON show them
    records = getattr(model, "history_", [])
    found = {(k, type(v)) for record in records for k, v in record.items()}
    for name in ("n_iter_", "n_e_steps_", "converged_", "duality_gap_"):
        found.add((name, type(getattr(model, name, 0))))
    assert not {(k, t) for k, t in found if t not in (bool, int, float)}


def test_unfitted_model(fitted):
    model = clone(fitted[0])
    assert repr(by_skops(model)) == repr(model)


def test_every_public_estimator_is_saved_here():
    # A reconstruction is part of a fitted tagger.
    public = {*estimators.__all__, *featurizers.__all__} - {
        "Reconstruction",
        "TagDictionary",
        "symmetrize",
    }
    tried = {type(model).__name__ for model, *_ in CASES.values()}
    assert public - tried == set()


@pytest.mark.parametrize(
    "batch",
    [
        Ragged(TEXT),
        Ragged.from_arrays(np.eye(3), [0, 1, 3], tokens=["a", "b", "c"]),
        Bitext(BITEXT),
        GraphBatch([(["a", "b"], [[0, 1]]), (["c"], np.zeros((0, 2), dtype=int))]),
    ],
    ids=["words", "vectors", "pairs", "graphs"],
)
@pytest.mark.parametrize("save_and_load", [by_skops, by_pickle])
def test_batch(batch, save_and_load):
    loaded = save_and_load(batch)
    assert repr(loaded) == repr(batch)
    for one, other in zip(loaded, batch, strict=True):
        if isinstance(other, np.ndarray):
            one, other = [one], [other]
        assert_same(one, other)


@pytest.mark.parametrize("save_and_load", [by_skops, by_pickle])
def test_tag_dictionary(save_and_load):
    loaded = save_and_load(WORDS)
    assert loaded == WORDS
    assert not loaded.words.flags.writeable


def test_joblib_with_memory_mapped_arrays(tmp_path):
    model = AnnealedHMM(2, random_state=0, max_iter=2).fit(TEXT)
    joblib.dump(model, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert_same(loaded.predict(TEXT), model.predict(TEXT))


def test_grid_search():
    search = GridSearchCV(
        AnnealedHMM(random_state=0, max_iter=2),
        {"n_states": [2, 3]},
        scoring=v_measure_scorer,
        cv=TransductiveSplit(),
    ).fit(TEXT * 3, TAGS * 3)
    loaded = by_skops(search)
    assert loaded.best_params_ == search.best_params_
    assert_same(loaded.predict(TEXT), search.predict(TEXT))
    assert loaded.score(TEXT, TAGS) == search.score(TEXT, TAGS)


@pytest.mark.parametrize(
    ("cv", "scoring"),
    [
        (2, None),
        (ShuffleSplit(2, random_state=0), {"v": v_measure_scorer}),
        ([([0, 1], [2]), ([1, 2], [0])], None),
    ],
    ids=["number", "splitter", "pairs"],
)
def test_search_with_what_scikit_learn_offers(cv, scoring):
    model = AnnealedHMM(random_state=0, max_iter=2)
    refit = "v" if scoring else True
    search = GridSearchCV(model, {"n_states": [2]}, scoring=scoring, cv=cv, refit=refit)
    search.fit(TEXT * 3, TAGS * 3)
    loaded = by_skops(search)
    assert_same(loaded.predict(TEXT), search.predict(TEXT))
    assert loaded.score(TEXT, TAGS) == search.score(TEXT, TAGS)


def test_frozen_sets_of_tags():
    words = {"the": frozenset({"D"}), "dog": frozenset({"N", "V"})}
    assert by_skops(AnnealedHMM(2, tag_dictionary=words)).tag_dictionary == words


def own_feature(word):
    return (word[:1],)


def test_own_functions_are_named_and_must_be_trusted():
    data = skops.io.dumps(PerToken(own_feature).fit(TEXT))
    with pytest.raises(UntrustedTypesFoundException, match="own_feature"):
        skops.io.loads(data, trusted=skstruct.trusted_types())


def test_all_that_is_trusted_exists():
    for name in skstruct.trusted_types():
        module, _, thing = name.rpartition(".")
        assert hasattr(importlib.import_module(module), thing), name


def test_functions_that_write_are_not_trusted():
    trusted = skstruct.trusted_types()
    assert not [name for name in trusted if name.startswith("skstruct.datasets")]
    assert "skstruct.datasets._lines.write_lines" not in trusted
    assert "skstruct._persistence.sys" not in trusted

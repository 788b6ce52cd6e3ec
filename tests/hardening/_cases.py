"""Every public estimator, what it learns from, and what it answers."""

import inspect
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags

from skstruct import estimators, featurizers
from skstruct.emissions import Gaussian
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

__all__ = [
    "CASES",
    "DATA",
    "KINDS",
    "answers",
    "fit",
    "flat",
    "public_estimators",
]

WORDS = [
    ["the", "dog", "saw", "the", "cat"],
    ["a", "cat"],
    [],
    ["dogs"],
    ["the", "cats", "saw", "a", "dog"],
    ["a", "dog", "saw"],
]
TAGS = [["D", "N", "V", "D", "N"], ["D", "N"], [], ["N"], list("DNVDN"), list("DNV")]
SERIES = [np.random.RandomState(n).normal(size=(n, 2)) for n in (5, 1, 0, 7, 3)]
PAIRS = [
    (["the", "dog", "barks"], ["canis", "latrat"]),
    (["dogs"], []),
    (["the", "girl", "sees", "the", "dog"], ["puella", "canem", "videt"]),
    (["the", "girl", "sings"], ["puella", "cantat"]),
]
TABLE = np.array(
    [list(row) for row in ("axu", "bxv", "axu", "byv", "cyu", "cxv")], dtype=object
)
# X and what else fit takes, by kind.
DATA = {
    "words": (WORDS,),
    "numbers": (SERIES,),
    "labelled": (WORDS, TAGS),
    "pairs": (PAIRS,),
    "table": (TABLE,),
}


class Case(NamedTuple):
    """An estimator with few iterations, and the kinds of data it reads."""

    make: object
    kinds: tuple
    options: dict


def _case(estimator, kinds, **options):
    return Case(estimator, tuple(kinds.split()), options)


_STATES = [1, 2, 3, 15]
_ALIGNER = {"alpha": [0.0, 0.01, 5.0]}
_JOINT = _ALIGNER | {
    "agreement": ["odds", "product", None],
    "constraint": [None, "bijectivity", "symmetry"],
    "symmetrization": ["mean", "union", "grow-diag-final-and", "forward"],
    "reconstruction": ["word", "stem", "brown"],
    "store_posteriors": [False, True],
}
_MODEL = {
    "loss": ["zero_one", "absolute", "squared"],
    "l2": ["auto", 1e-9, 10.0],
    "class_weight": [None, "balanced"],
}
_CLUSTERS = {
    "n_clusters": [1, 2, 40],
    "min_count": [1, 2],
    "context_alpha": [0.0, 0.01],
    "init": ["type", "random"],
}
CASES = {
    "AnnealedHMM": _case(
        AnnealedHMM(2, max_iter=3, n_init=1, anneal_max_iter=2, random_state=0),
        "words numbers",
        n_states=_STATES,
        emissions=["auto", "categorical", "gaussian", "poisson", "loglinear"],
        order=[1, 2],
        beta_min=["auto", 0.5],
        decoding=["viterbi", "posterior"],
        transition_alpha=[0.0, 0.1],
        supervision=["ignore", "clamp"],
    ),
    "AnnealedHMM, missing numbers": _case(
        AnnealedHMM(
            2, emissions=Gaussian(missing="marginalize"), max_iter=3, random_state=0
        ),
        "numbers",
        n_states=_STATES,
        emissions__covariance_type=["diag", "full", "tied", "spherical"],
    ),
    "CRFAutoencoderTagger": _case(
        CRFAutoencoderTagger(2, max_iter=2, init="random", random_state=0),
        "words numbers",
        n_states=_STATES,
        init=["random", "hmm", "exchange", "auto"],
        reconstruction=["auto", "token", "brown", "loglinear"],
        solver=["lbfgs", "adagrad"],
        encoder_l2=["auto", 0.0],
        decoding=["viterbi", "posterior"],
        supervision=["ignore", "clamp"],
    ),
    "ConditionalRandomField": _case(
        ConditionalRandomField(max_iter=5),
        "labelled",
        prediction=["bayes", "map"],
        all_possible_states=[True, False],
        **_MODEL,
    ),
    "StructuredSVM": _case(StructuredSVM(max_iter=3), "labelled", **_MODEL),
    "AdversarialGraphicalModel": _case(
        AdversarialGraphicalModel(max_iter=3),
        "labelled",
        temperature=[0.0, 1.0],
        solver=["proximal", "subgradient"],
        prediction=["auto", "map", "equilibrium"],
        **_MODEL,
    ),
    "CRFAutoencoderAligner": _case(
        CRFAutoencoderAligner(max_iter=2, encoder_steps=1, random_state=0),
        "pairs",
        features=["default", "paper"],
        **_JOINT,
    ),
    "HMMAligner": _case(HMMAligner(max_iter=2), "pairs", **_JOINT),
    "IBM1Aligner": _case(
        IBM1Aligner(max_iter=2),
        "pairs",
        reconstruction=["word", "stem", "brown"],
        update=["map", "variational"],
        **_ALIGNER,
    ),
    "DiagonalAligner": _case(
        DiagonalAligner(max_iter=2), "pairs", tension=[0.1, 14.0], **_ALIGNER
    ),
    "SymmetrizedAligner": _case(
        SymmetrizedAligner(IBM1Aligner(max_iter=2)),
        "pairs",
        method=["mean", "union", "intersection", "grow-diag"],
    ),
    "PosteriorRegularizedClusterer": _case(
        PosteriorRegularizedClusterer(
            2, n_init=1, max_iter=4, warmup=1, random_state=0
        ),
        "table",
        constraint=["sparsity", "type", None],
        agreement=[None, "direction"],
        **_CLUSTERS,
    ),
    "PitmanYorClusterer": _case(
        PitmanYorClusterer(2, n_init=1, max_iter=4, random_state=0),
        "table",
        discount=[0.0, 0.5],
        concentration=[1.0, 1e-6, 1e6],
        **_CLUSTERS,
    ),
    "TokenFeaturizer": _case(
        TokenFeaturizer(),
        "words",
        window=[0, 1, 4],
        min_identity_count=[1, 100],
        output=["ragged", "dicts"],
    ),
    "PerToken": _case(PerToken(FunctionTransformer(np.tanh, validate=True)), "numbers"),
    "PhraseExtractor": _case(
        PhraseExtractor(), "words", max_length=[1, 3], n_context=[0, 1, 3]
    ),
    "PhrasePairExtractor": _case(
        PhrasePairExtractor(IBM1Aligner(max_iter=1)), "pairs", extend=[True, False]
    ),
    "BrownClusterer": _case(
        BrownClusterer(2), "words", n_clusters=[1, 3, 40], lowercase=[True, False]
    ),
    "ExchangeClusterer": _case(
        ExchangeClusterer(2, n_init=1, n_perturbations=2, max_iter=2, random_state=0),
        "words",
        n_clusters=[1, 3, 40],
        attributes=["form", None],
    ),
}
KINDS = [(name, kind) for name, case in CASES.items() for kind in case.kinds]
_METHODS = {
    "predict": {},
    "predict_proba": {},
    "predict_k_best": {"k": 2},
    "predict_equilibrium": {},
    "edge_proba": {},
    "filter_proba": {},
    "predict_next_proba": {},
    "score_samples": {},
    "transform": {},
    "link_table": {},
}


def public_estimators():
    """Names of all classes that users can fit."""
    for module in (estimators, featurizers):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) and issubclass(thing, BaseEstimator):
                yield name


def fit(name, kind, **params):
    """A new estimator fitted to the sound data of a kind."""
    return clone(CASES[name].make).set_params(**params).fit(*DATA[kind])


def answers(model, X, y=None):
    """What each method of a fitted model says of X, by name; "score" may need y."""
    asked = dict(_METHODS)
    if y is not None or not get_tags(model).target_tags.required:
        asked["score"] = {"y": y}
    return {
        name: getattr(model, name)(X, **more)
        for name, more in asked.items()
        if hasattr(model, name)
    }


def flat(answer):
    """All numbers or names of an answer, of whatever form, in order."""
    if isinstance(answer, dict):
        return [part for key in answer for part in flat(answer[key])]
    if sp.issparse(answer):
        return flat(answer.toarray())
    if isinstance(answer, np.ndarray) and answer.dtype != object:
        return answer.ravel().tolist()
    if isinstance(answer, list | tuple | np.ndarray) or (hasattr(answer, "offsets")):
        return [part for item in answer for part in flat(item)]
    return [answer]

"""Structured prediction with little or no labelled data, the scikit-learn way."""

from importlib import import_module

# First, so that compiled code finds a cache folder before anything asks for one.
import skstruct.kernels  # noqa: F401
from skstruct._persistence import trusted_types
from skstruct._warm_up import warm_up
from skstruct.containers import Bitext, GraphBatch, Ragged
from skstruct.estimators import (
    AdversarialGraphicalModel,
    AnnealedHMM,
    ConditionalRandomField,
    CRFAutoencoderAligner,
    CRFAutoencoderTagger,
    HMMAligner,
    PosteriorRegularizedClusterer,
    StructuredSVM,
    SymmetrizedAligner,
    TagDictionary,
)

__all__ = [
    "AdversarialGraphicalModel",
    "AnnealedHMM",
    "Bitext",
    "CRFAutoencoderAligner",
    "CRFAutoencoderTagger",
    "ConditionalRandomField",
    "GraphBatch",
    "HMMAligner",
    "PosteriorRegularizedClusterer",
    "Ragged",
    "StructuredSVM",
    "SymmetrizedAligner",
    "TagDictionary",
    "__version__",
    "trusted_types",
    "warm_up",
]

__version__ = "0.1.0.dev0"


def __getattr__(name):
    """Subpackages that no estimator needs, when they are asked for."""
    if name in ("datasets", "inspection", "model_selection"):
        return import_module(f"skstruct.{name}")
    raise AttributeError(f"module 'skstruct' has no attribute {name!r}.")

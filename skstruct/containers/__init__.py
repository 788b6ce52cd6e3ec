"""Batches of samples of different sizes, as scikit-learn can cut them."""

from skstruct.containers._batch import (
    Batch,
    gather,
    locate,
    neighbours,
    offsets_of,
    place,
)
from skstruct.containers._bitext import Bitext
from skstruct.containers._graphs import GraphBatch
from skstruct.containers._ragged import Ragged
from skstruct.containers._vocabulary import Vocabulary

__all__ = [
    "Batch",
    "Bitext",
    "GraphBatch",
    "Ragged",
    "Vocabulary",
    "gather",
    "locate",
    "neighbours",
    "offsets_of",
    "place",
]

"""Batches of samples of different sizes, as scikit-learn can cut them."""

from skstruct.containers._batch import Batch, gather
from skstruct.containers._ragged import Ragged

__all__ = ["Batch", "Ragged", "gather"]

"""Potentials: weights to log-potentials, expected counts to gradients."""

from skstruct.potentials._agreement import odds_agreement, product_agreement
from skstruct.potentials._distinct import DistinctFeatures
from skstruct.potentials._features import seen_pairs
from skstruct.potentials._linear import LinearChain
from skstruct.potentials._linear_graph import LinearGraph
from skstruct.potentials._positions import diagonal_bins, log_jump_bins
from skstruct.potentials._word_pairs import (
    DEFAULT_BLOCKS,
    NullWords,
    PairBins,
    WordPairs,
    Words,
)

__all__ = [
    "DEFAULT_BLOCKS",
    "DistinctFeatures",
    "LinearChain",
    "LinearGraph",
    "NullWords",
    "PairBins",
    "WordPairs",
    "Words",
    "diagonal_bins",
    "log_jump_bins",
    "odds_agreement",
    "product_agreement",
    "seen_pairs",
]

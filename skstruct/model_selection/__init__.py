"""Splitters and scorers for data that plain folds do not suit."""

from skstruct.model_selection._block import BlockSplit
from skstruct.model_selection._criteria import aic_scorer, bic_scorer
from skstruct.model_selection._marginals import cross_val_marginals
from skstruct.model_selection._transductive import TransductiveSplit

__all__ = [
    "BlockSplit",
    "TransductiveSplit",
    "aic_scorer",
    "bic_scorer",
    "cross_val_marginals",
]

"""Transformers of sequences."""

from skstruct.featurizers._per_token import PerToken
from skstruct.featurizers._tokens import TokenFeaturizer

__all__ = ["PerToken", "TokenFeaturizer"]

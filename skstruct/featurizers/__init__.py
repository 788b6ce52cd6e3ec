"""Transformers of sequences."""

from skstruct.featurizers._per_token import PerToken

__all__ = ["PerToken"]

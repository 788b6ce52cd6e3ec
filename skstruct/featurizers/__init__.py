"""Transformers of sequences."""

from skstruct.featurizers._brown import BrownClusterer
from skstruct.featurizers._exchange import ExchangeClusterer
from skstruct.featurizers._per_token import PerToken
from skstruct.featurizers._phrase_pairs import PhrasePairExtractor
from skstruct.featurizers._phrases import PhraseExtractor
from skstruct.featurizers._tokens import TokenFeaturizer

__all__ = [
    "BrownClusterer",
    "ExchangeClusterer",
    "PerToken",
    "PhraseExtractor",
    "PhrasePairExtractor",
    "TokenFeaturizer",
]

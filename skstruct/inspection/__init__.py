"""Pictures of models and predictions (extra ``plot``), and text for notebooks."""

from skstruct.inspection._aligned_text import AlignedText
from skstruct.inspection._alignment import AlignmentDisplay
from skstruct.inspection._annealing_path import AnnealingPathDisplay
from skstruct.inspection._phrase_sparsity import PhraseSparsityDisplay
from skstruct.inspection._posterior import PosteriorDisplay
from skstruct.inspection._state_labels import StateLabelDisplay
from skstruct.inspection._tagged_text import TaggedText
from skstruct.inspection._top_features import TopFeaturesDisplay
from skstruct.inspection._transitions import TransitionDisplay

__all__ = [
    "AlignedText",
    "AlignmentDisplay",
    "AnnealingPathDisplay",
    "PhraseSparsityDisplay",
    "PosteriorDisplay",
    "StateLabelDisplay",
    "TaggedText",
    "TopFeaturesDisplay",
    "TransitionDisplay",
]

"""Estimators: components composed into models with scikit-learn's interface."""

from skstruct.estimators._adversarial_graphical_model import (
    AdversarialGraphicalModel,
)
from skstruct.estimators._alignment._symmetrization import symmetrize
from skstruct.estimators._annealed_hmm import AnnealedHMM
from skstruct.estimators._autoencoder._reconstruction import Reconstruction
from skstruct.estimators._conditional_random_field import ConditionalRandomField
from skstruct.estimators._crf_autoencoder_aligner import CRFAutoencoderAligner
from skstruct.estimators._crf_autoencoder_tagger import CRFAutoencoderTagger
from skstruct.estimators._diagonal_aligner import DiagonalAligner
from skstruct.estimators._hmm_aligner import HMMAligner
from skstruct.estimators._ibm1_aligner import IBM1Aligner
from skstruct.estimators._pitman_yor_clusterer import PitmanYorClusterer
from skstruct.estimators._posterior_regularized_clusterer import (
    PosteriorRegularizedClusterer,
)
from skstruct.estimators._structured_svm import StructuredSVM
from skstruct.estimators._symmetrized_aligner import SymmetrizedAligner
from skstruct.estimators._tag_dictionary import TagDictionary

__all__ = [
    "AdversarialGraphicalModel",
    "AnnealedHMM",
    "CRFAutoencoderAligner",
    "CRFAutoencoderTagger",
    "ConditionalRandomField",
    "DiagonalAligner",
    "HMMAligner",
    "IBM1Aligner",
    "PitmanYorClusterer",
    "PosteriorRegularizedClusterer",
    "Reconstruction",
    "StructuredSVM",
    "SymmetrizedAligner",
    "TagDictionary",
    "symmetrize",
]

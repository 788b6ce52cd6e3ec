"""Word alignment by IBM Model 1."""

from skstruct.estimators._alignment._independent import UniformPositions
from skstruct.estimators._alignment._single_aligner import SingleAligner

__all__ = ["IBM1Aligner"]


class IBM1Aligner(SingleAligner):
    def __init__(
        self,
        *,
        reconstruction="word",
        stem_length=4,
        update="map",
        alpha=0.0,
        null_prob=0.1,
        lexicon_prior=None,
        max_iter=5,
        store_posteriors=False,
        n_jobs=None,
    ):
        self.reconstruction = reconstruction
        self.stem_length = stem_length
        self.update = update
        self.alpha = alpha
        self.null_prob = null_prob
        self.lexicon_prior = lexicon_prior
        self.max_iter = max_iter
        self.store_posteriors = store_posteriors
        self.n_jobs = n_jobs

    def _start_positions(self):
        return UniformPositions(self.null_prob)

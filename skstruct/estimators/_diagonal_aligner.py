"""Word alignment along the diagonal."""

from skstruct.estimators._alignment._independent import DiagonalPositions
from skstruct.estimators._alignment._single_aligner import SingleAligner

__all__ = ["DiagonalAligner"]


class DiagonalAligner(SingleAligner):
    def __init__(
        self,
        *,
        reconstruction="word",
        stem_length=4,
        update="variational",
        alpha=0.01,
        null_prob=0.08,
        tension=4.0,
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
        self.tension = tension
        self.lexicon_prior = lexicon_prior
        self.max_iter = max_iter
        self.store_posteriors = store_posteriors
        self.n_jobs = n_jobs

    def _start_positions(self):
        return DiagonalPositions(self.null_prob, self.tension)

    def _parameters(self, positions):
        return {"tension_": positions.tension}

"""Word alignment by hidden Markov models."""

from skstruct.estimators._alignment._encoders import MarkovEncoder, MarkovTraining
from skstruct.estimators._alignment._joint_aligner import JointAligner

__all__ = ["HMMAligner"]


class HMMAligner(JointAligner):
    def __init__(
        self,
        *,
        reconstruction="word",
        stem_length=4,
        update="cvb0",
        alpha=1e-3,
        null_alpha=1e-2,
        null_prob=0.2,
        lexicon_prior=None,
        init="hmm",
        agreement="odds",
        agreement_strength=0.5,
        constraint=None,
        symmetrization="mean",
        threshold=0.5,
        max_iter=6,
        store_posteriors=False,
        random_state=None,
        n_jobs=None,
    ):
        self.reconstruction = reconstruction
        self.stem_length = stem_length
        self.update = update
        self.alpha = alpha
        self.null_alpha = null_alpha
        self.null_prob = null_prob
        self.lexicon_prior = lexicon_prior
        self.init = init
        self.agreement = agreement
        self.agreement_strength = agreement_strength
        self.constraint = constraint
        self.symmetrization = symmetrization
        self.threshold = threshold
        self.max_iter = max_iter
        self.store_posteriors = store_posteriors
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _encoders(self, directions, jumps):
        return None, None, [MarkovEncoder(self.null_prob, jump) for jump in jumps]

    def _learners(self, both, weight):
        return [MarkovTraining(x.model.encoder, weight) for x in both]

    def _parameters(self, both):
        return {}

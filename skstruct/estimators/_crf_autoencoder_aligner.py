"""Word alignment by CRF autoencoders."""

import numpy as np
from sklearn.utils import check_random_state

from skstruct.estimators._alignment._encoders import LinearEncoder, LinearTraining
from skstruct.estimators._alignment._features import EncoderFeatures
from skstruct.estimators._alignment._joint_aligner import JointAligner

__all__ = ["CRFAutoencoderAligner"]

# Pairs of sentences whose lattices would take too long to be part of a sample.
_LARGE = 10_000
_MAX_CELLS = 1_000_000


class CRFAutoencoderAligner(JointAligner):
    def __init__(
        self,
        *,
        reconstruction="stem",
        stem_length=4,
        features="default",
        encoder_l2=1e-3,
        encoder_steps=5,
        encoder_sample=1000,
        update="cvb0",
        alpha=1e-3,
        null_alpha=1e-2,
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
        self.features = features
        self.encoder_l2 = encoder_l2
        self.encoder_steps = encoder_steps
        self.encoder_sample = encoder_sample
        self.update = update
        self.alpha = alpha
        self.null_alpha = null_alpha
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
        features = EncoderFeatures(self.features)
        text = features.learn(directions[0].text)
        encoders = [
            LinearEncoder(features, d.reverse, jump)
            for d, jump in zip(directions, jumps, strict=True)
        ]
        return features, text, encoders

    def _learners(self, both, weight):
        sampled = weight * self._sample(both[0].direction, weight)
        return [
            LinearTraining(
                x.model.encoder,
                x.direction,
                x.features,
                x.lattice,
                sampled,
                self.encoder_l2,
                self.encoder_steps,
            )
            for x in both
        ]

    def _sample(self, direction, weight):
        """Mark the pairs of sentences that the encoder learns from."""
        sizes = np.diff(direction.cells)
        useful = (sizes > 0) & (weight > 0)
        if self.encoder_sample is None:
            return useful
        small = useful & (sizes <= _LARGE)
        drawn = np.flatnonzero(small if small.any() else useful)
        drawn = check_random_state(self.random_state).permutation(drawn)
        drawn = drawn[: self.encoder_sample]
        fits = np.cumsum(sizes[drawn]) <= _MAX_CELLS
        fits[:1] = True
        chosen = np.zeros(len(sizes), dtype=bool)
        chosen[drawn[fits]] = True
        return chosen

    def _parameters(self, both):
        return {}

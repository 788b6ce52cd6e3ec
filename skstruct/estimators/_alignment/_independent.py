"""Links that do not depend on one another, and how they start other models."""

import numpy as np

from skstruct.estimators._alignment._encoders import MarkovEncoder, MarkovTraining
from skstruct.kernels._diagonal import (
    diagonal_moments,
    diagonal_prior,
    mean_distance,
)
from skstruct.structures import IndependentLinks, LatticePosterior

__all__ = [
    "NULL_ALPHA",
    "TENSIONS",
    "DiagonalPositions",
    "IndependentLinking",
    "UniformPositions",
    "warm_start",
]

# Of a table that starts others: all but maximum likelihood.
NULL_ALPHA = 1e-9
_NULL_PROB = 0.1
# Of the tension: the range that it is kept in, and steps of an update.
TENSIONS = 0.1, 14.0
_NEWTON_STEPS = 4
_ROUNDING = 1e-9
_MARKOV_NULL_PROB = 0.2
_TINY = 1e-300


class UniformPositions:
    """All positions of a sentence are alike: IBM Model 1.

    Parameters
    ----------
    null_prob : float
        Probability that a word links to nothing.
    """

    def __init__(self, null_prob):
        self.null_prob = null_prob

    def prior(self, direction):
        """Probability of each link, (C,) float32."""
        lengths = direction.states.lengths
        prior = (1 - self.null_prob) / np.maximum(lengths, 1)
        return np.repeat(prior, np.diff(direction.cells)).astype(np.float32)

    def update(self, direction, posterior, weight):
        """Nothing is to be learnt."""


class DiagonalPositions:
    """Positions near the diagonal are likelier, by a tension that is learnt.

    Parameters
    ----------
    null_prob : float
        Probability that a word links to nothing.
    tension : float
        At the start.
    """

    def __init__(self, null_prob, tension):
        self.null_prob = null_prob
        self.tension = tension

    def prior(self, direction):
        """Probability of each link, (C,) float32."""
        states, chain = direction.states.lengths, direction.chain.lengths
        prior = diagonal_prior(states, chain, direction.reverse, self.tension)
        return np.float32(1 - self.null_prob) * prior

    def update(self, direction, posterior, weight):
        """Newton's steps to the tension under which distances are as expected."""
        text, chain = direction.text, direction.chain
        seen = mean_distance(
            text.source.lengths, text.target.lengths, posterior.cell, weight
        )
        linked = np.repeat(weight, chain.lengths) * (1 - posterior.null)
        for _ in range(_NEWTON_STEPS):
            mean, variance = diagonal_moments(
                direction.states.lengths, chain.lengths, linked, self.tension
            )
            # Rounding is all there is where every sentence has one position.
            if variance <= _ROUNDING * linked.sum():
                break
            move = (mean - seen) / variance
            self.tension = float(np.clip(self.tension + move, *TENSIONS))


class IndependentLinking:
    """The links of a text by translations and a prior of positions.

    Parameters
    ----------
    positions : UniformPositions or DiagonalPositions
        The prior.
    direction : Direction
        The text.
    n_jobs : int or None
        Threads.
    """

    def __init__(self, positions, direction, n_jobs=None):
        self.positions = positions
        self.direction = direction
        self.links = IndependentLinks(
            direction.text.source.lengths,
            direction.text.target.lengths,
            reverse=direction.reverse,
            n_jobs=n_jobs,
        )

    def posterior(self, cell, null):
        """Posterior at these translation probabilities."""
        logs, cell, null = self.links.posterior(
            cell * self.positions.prior(self.direction),
            np.maximum(self.positions.null_prob * null, _TINY),
        )
        return LatticePosterior(logs, cell, null, None, None)


def warm_start(direction, table, weight, *, markov_steps, n_jobs=None):
    """Five EM steps of IBM Model 1, and some of a hidden Markov model.

    More would make posteriors sharp, and sharp errors last.

    Parameters
    ----------
    direction : Direction
        Training text.
    table : TranslationTable
        Of update "map", without smoothing.
    weight : ndarray of shape (n,)
        Weights of pairs of sentences.
    markov_steps : int
        Steps of the hidden Markov model.
    n_jobs : int or None
        Threads.

    Returns
    -------
    posterior : LatticePosterior
    jump : ndarray of shape (2M + 1,)
        Log-probabilities of jumps.
    """
    linking = IndependentLinking(UniformPositions(_NULL_PROB), direction, n_jobs)
    probabilities = table.uniform(direction)
    for _ in range(5):
        posterior = linking.posterior(*probabilities)
        probabilities = table.train(direction, posterior, weight)
    encoder = MarkovEncoder(_MARKOV_NULL_PROB)
    training = MarkovTraining(encoder, weight)
    lattice = encoder.lattice(direction, n_jobs=n_jobs)
    for _ in range(markov_steps):
        potentials = encoder.potentials(direction, None, *probabilities)
        posterior = lattice.posterior(potentials, weight)
        training.update(posterior)
        probabilities = table.train(direction, posterior, weight)
    return posterior, encoder.jump

"""Simple models that start the others: independent links, and then a Markov chain."""

import numpy as np

from skstruct.estimators._alignment._encoders import MarkovEncoder, MarkovTraining
from skstruct.structures import IndependentLinks, LatticePosterior

__all__ = ["NULL_ALPHA", "IndependentModel", "warm_start"]

# Of a table that starts others: all but maximum likelihood.
NULL_ALPHA = 1e-9
_NULL_PROB = 0.1
_MARKOV_NULL_PROB = 0.2


class IndependentModel:
    """Links that depend on translations and on a prior of positions only.

    Parameters
    ----------
    null_prob : float
        Probability that a word links to nothing.
    """

    def __init__(self, null_prob):
        self.null_prob = null_prob

    def links(self, direction, n_jobs=None):
        """The structure of a text."""
        source, target = direction.text.source.lengths, direction.text.target.lengths
        return IndependentLinks(
            source, target, reverse=direction.reverse, n_jobs=n_jobs
        )

    def positions(self, direction):
        """Probability of each position, (C,) float32: all of a sentence alike."""
        lengths = direction.states.lengths
        prior = (1 - self.null_prob) / np.maximum(lengths, 1)
        return np.repeat(prior, np.diff(direction.cells)).astype(np.float32)

    def posterior(self, links, positions, cell, null):
        """Posterior at these translation probabilities."""
        logs, cell, null = links.posterior(cell * positions, self.null_prob * null)
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
    model = IndependentModel(_NULL_PROB)
    links, positions = model.links(direction, n_jobs), model.positions(direction)
    probabilities = table.uniform(direction)
    for _ in range(5):
        posterior = model.posterior(links, positions, *probabilities)
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

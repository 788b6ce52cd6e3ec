"""What says where a word links to before its translation is looked at."""

import numpy as np

from skstruct.estimators._alignment._features import MAX_JUMP
from skstruct.solvers import LBFGS
from skstruct.structures import Lattice, LatticePotentials

__all__ = [
    "LinearEncoder",
    "LinearTraining",
    "MarkovEncoder",
    "MarkovTraining",
    "initial_jumps",
]

_JUMP_SMOOTHING = 0.5


def initial_jumps():
    """Log-probabilities of jumps of -30 to 30 words: best goes on to the next word."""
    jumps = np.exp(-0.3 * np.abs(np.arange(-MAX_JUMP, MAX_JUMP + 1) - 1.0)) + 1e-3
    return np.log(jumps / jumps.sum())


def _lattice(direction, index=None, **options):
    source, target = direction.text.source.lengths, direction.text.target.lengths
    return Lattice(source, target, index, reverse=direction.reverse, **options)


class MarkovEncoder:
    """Jumps of a hidden Markov model, and a fixed probability of no link.

    Parameters
    ----------
    null_prob : float
        Probability that a word links to nothing.
    jump : ndarray of shape (2M + 1,), default=None
        Log-probabilities of jumps to start with.
    """

    def __init__(self, null_prob, jump=None):
        self.null_prob = null_prob
        self.jump = initial_jumps() if jump is None else jump

    def lattice(self, direction, features=None, n_jobs=None):
        """The lattice of a text."""
        return _lattice(direction, local=True, n_jobs=n_jobs)

    def potentials(self, direction, features, cell, null):
        """Potentials with weights of links (C,) and of no links (T,)."""
        cell = np.float32(1 - self.null_prob) * cell
        null = np.log(self.null_prob) + np.log(null)
        return LatticePotentials(None, null, self.jump, cell)

    def log_partition(self, lattice, direction, features):
        """Log-partitions without translations: 0, as this is a distribution."""
        return np.zeros(len(lattice))


class MarkovTraining:
    """Fits a Markov encoder to expected jumps.

    Parameters
    ----------
    encoder : MarkovEncoder
        Its jumps are replaced.
    weight : ndarray of shape (n,)
        Weights of pairs of sentences.
    """

    def __init__(self, encoder, weight):
        self.encoder = encoder
        self.weight = weight

    def update(self, posterior):
        """Expected jumps become the distribution of jumps; the log-likelihood."""
        jumps = posterior.jump + _JUMP_SMOOTHING
        self.encoder.jump = np.log(jumps / jumps.sum())
        return self.weight @ posterior.log_partition


class LinearEncoder:
    """Log-linear weights of links and jumps.

    Parameters
    ----------
    features : EncoderFeatures
        What the weights are of.
    reverse : bool
        The direction.
    jump : ndarray of shape (2M + 1,)
        Log-probabilities of jumps to start with; all other weights are 0.
    """

    def __init__(self, features, reverse, jump):
        self.features = features
        self.reverse = reverse
        *others, n_jumps = features.sizes[reverse]
        bins = features.jump_bins
        mean = np.bincount(bins, jump - jump.max(), n_jumps) / np.bincount(bins)
        self.coef = np.append(np.zeros(sum(others)), mean)

    def lattice(self, direction, features, n_jobs=None):
        """The lattice of a text with these features."""
        return _lattice(direction, features.index, n_jobs=n_jobs)

    def potentials(self, direction, features, cell=None, null=None):
        """Potentials with weights of links (C,) and of no links (T,)."""
        bins, null_bins = features.bins, features.null_bins[self.reverse]
        kinds, words, jump = self.features.tables(
            self.coef, bins, null_bins, self.reverse
        )
        no_link = words[direction.chain.codes]
        if null is not None:
            no_link += np.log(null)
        return LatticePotentials(kinds, no_link, jump, cell)

    def log_partition(self, lattice, direction, features):
        """Log-partitions without translations."""
        return lattice.log_partition(self.potentials(direction, features))


class LinearTraining:
    r"""Fits a linear encoder to expected links.

    An update moves the weights to raise

    .. math:: \frac{1}{n} \sum_i E_q \log p_w(y_i)
        - \frac{l_2}{2} \lVert w - w_0 \rVert^2

    where :math:`w_0` are the weights at the start: a convex problem at fixed q.

    Parameters
    ----------
    encoder : LinearEncoder
        Its weights are moved.
    direction : Direction
        Training text.
    features : TextFeatures
        Of the training text.
    lattice : Lattice
        Of the training text.
    weight : ndarray of shape (n,)
        Weights of the pairs of sentences that updates look at.
    l2 : float
        Strength of the penalty.
    steps : int
        Steps of L-BFGS in an update.
    """

    def __init__(self, encoder, direction, features, lattice, weight, l2, steps):
        self.encoder = encoder
        self.direction = direction
        self.features = features
        self.lattice = lattice
        self.weight = weight
        self.l2 = l2
        self.steps = steps
        self._center = encoder.coef
        self._solver = LBFGS()
        self._token_weight = np.repeat(weight, direction.chain.lengths)

    def update(self, posterior):
        """Steps towards a posterior, of counts weighted by ``weight``.

        Returns the log-likelihood of the sentences that have weight, as it was before.
        """
        target = self._expected(posterior)
        total = self.weight.sum()

        def evaluate(coef):
            self.encoder.coef = coef
            found = self.lattice.posterior(
                self.encoder.potentials(self.direction, self.features),
                self.weight,
                cells=False,
            )
            pull = coef - self._center
            log_partition = self.weight @ found.log_partition
            loss = (log_partition - coef @ target) / total
            with np.errstate(over="ignore"):  # numpy 1 warns of subnormal weights
                gradient = (self._expected(found) - target) / total
            gradient += self.l2 * pull
            return loss + self.l2 / 2 * (pull @ pull), gradient, log_partition

        coef = self.encoder.coef
        state = evaluate(coef)
        log_likelihood = self.weight @ posterior.log_partition - state[2]
        for _ in range(self.steps):
            coef, state, moved = self._solver.step(evaluate, coef, state)
            if not moved:
                break
        self.encoder.coef = coef
        return log_likelihood

    def _expected(self, posterior):
        """Expected features."""
        chain, reverse = self.direction.chain, self.encoder.reverse
        null = self._token_weight * posterior.null
        return self.encoder.features.gradient(
            posterior.node,
            np.bincount(chain.codes, null, len(chain.words)),
            posterior.jump,
            self.features.bins,
            self.features.null_bins[reverse],
            reverse,
        )

"""The CRF autoencoder behind the estimator: objective, gradient, reconstruction."""

from typing import NamedTuple

import numpy as np

from skstruct.containers import gather
from skstruct.kernels._sums import sum_rows
from skstruct.potentials import LinearChain
from skstruct.structures import Chain, Potentials

__all__ = ["Autoencoder", "EncodedBatch", "Evaluation"]


class Evaluation(NamedTuple):
    """The objective at some weights, and what it came from.

    Attributes
    ----------
    loss : float
        Minus the objective.
    gradient : ndarray of shape (n_weights,)
        Of the loss.
    node : ndarray of shape (T, K)
        Weighted p(y_t | x, x_hat, labels).
    log_likelihood : float
        Weighted sum over sequences of log p(x_hat, labels | x).
    """

    loss: float
    gradient: np.ndarray
    node: np.ndarray
    log_likelihood: float


class EncodedBatch:
    """Sequences as the encoder reads them.

    Parameters
    ----------
    features : ndarray or csr_array of shape (T, F)
        Features of all tokens.
    offsets : ndarray of shape (n + 1,)
        Where sequences begin.
    n_states : int
        Number of states K.
    allowed : ndarray of bool of shape (T, K), default=None
        States that tokens may have, whatever is reconstructed. None: all.
    labels : ndarray of shape (T,), default=None
        States that hold, -1 where unknown.
    weight : ndarray of shape (n,), default=None
        Weights of sequences.
    n_jobs : int, default=None
        Threads.

    Attributes
    ----------
    held : ndarray of bool of shape (T, K) or None
        States that tokens may have once labels hold.
    """

    def __init__(
        self,
        features,
        offsets,
        n_states,
        *,
        allowed=None,
        labels=None,
        weight=None,
        n_jobs=None,
    ):
        self.linear = LinearChain(features, n_states)
        self.offsets, self.allowed, self.labels = offsets, allowed, labels
        self.weight = np.ones(len(offsets) - 1) if weight is None else weight
        self.n_jobs = n_jobs
        tokens = np.arange(offsets[-1])
        self.encoder = Chain(offsets, tokens, allowed=allowed)
        self.joint, self.held = self.encoder, allowed
        if labels is not None and (labels >= 0).any():
            shape = (len(labels), n_states)
            held = np.ones(shape, dtype=bool) if allowed is None else allowed.copy()
            known = labels >= 0
            held[known] = labels[known, None] == np.arange(n_states)
            self.joint, self.held = Chain(offsets, tokens, allowed=held), held

    def take(self, sequences):
        """Some of the sequences, and the rows of their tokens."""
        rows, offsets = gather(self.offsets, sequences)
        part = EncodedBatch(
            self.linear.features[rows],
            offsets,
            self.linear.n_states,
            allowed=None if self.allowed is None else self.allowed[rows],
            labels=None if self.labels is None else self.labels[rows],
            weight=self.weight[sequences],
            n_jobs=self.n_jobs,
        )
        return part, rows

    def potentials(self, weights, log_prob=None):
        """Log-potentials of p(y | x), or of p(y, x_hat | x)."""
        node, edge, start = self.linear.potentials(weights)
        if log_prob is not None:
            node = node + log_prob
        return Potentials(node, edge, start)

    def encode(self, weights):
        """Potentials and expected counts of p(y | x)."""
        p = self.potentials(weights)
        return p, self.encoder.posterior(p, weight=self.weight, n_jobs=self.n_jobs)

    def evaluate(self, weights, log_prob, l2, centre=0.0, *, total=None, encoded=None):
        r"""Loss, gradient and expected states.

        .. math:: -\frac{1}{n} \sum_i w_i \log p(\hat x_i, y_i | x_i)
            + \frac{l_2}{2} \lVert \lambda - \mu \rVert^2

        Parameters
        ----------
        weights : ndarray of shape (n_weights,)
            :math:`\lambda`.
        log_prob : ndarray of shape (T, K) or None
            Log-probability of what is reconstructed; None: nothing is.
        l2 : float
            Strength of the penalty.
        centre : float or ndarray of shape (n_weights,), default=0.0
            :math:`\mu`.
        total : float, default=None
            n; None is the sum of the weights of sequences.
        encoded : tuple, default=None
            What ``encode(weights)`` returns, if that is known.

        Returns
        -------
        Evaluation
        """
        p, free = self.encode(weights) if encoded is None else encoded
        held = free
        if log_prob is not None or self.joint is not self.encoder:
            if log_prob is not None:
                p = p._replace(node=p.node + log_prob)
            held = self.joint.posterior(p, weight=self.weight, n_jobs=self.n_jobs)
        gradient = self.linear.gradient(
            free.node - held.node, free.edge - held.edge, free.start - held.start
        )
        total = self.weight.sum() if total is None else total
        likelihood = float(self.weight @ (held.log_partition - free.log_partition))
        away = weights - centre
        loss = -likelihood / total + l2 / 2 * away @ away
        return Evaluation(loss, gradient / total + l2 * away, held.node, likelihood)


class Autoencoder:
    """An encoder and a reconstruction, trained together on one batch.

    Parameters
    ----------
    batch : EncodedBatch
        Training data as the encoder reads it.
    observations : Observations
        What is reconstructed of each token.
    emission : Emission
        Of the reconstruction; it is changed.
    l2 : float
        Strength of the encoder's penalty.
    centre : float or ndarray of shape (n_weights,), default=0.0
        Where the penalty pulls to.
    """

    def __init__(self, batch, observations, emission, l2, centre=0.0):
        self.batch, self.emission, self.l2 = batch, emission, l2
        self.observations = observations
        self.centre = centre
        self._encoded = None, None

    def start_from(self, counts):
        """Set the reconstruction by weighted states of tokens (T, K)."""
        self.emission.m_step(self._statistics(counts))
        self._read_emission()

    def start_at_random(self, random_state):
        """Set the reconstruction at random."""
        n_states = self.batch.linear.n_states
        self.emission.initialize(self.observations, n_states, random_state)
        self._read_emission()

    def evaluate(self, weights):
        """Loss, gradient and expected states at the present reconstruction."""
        # An EM step leaves the weights, and p(y | x) with them.
        if self._encoded[0] is not weights:
            self._encoded = weights, self.batch.encode(weights)
        out = self.batch.evaluate(
            weights, self.log_prob, self.l2, self.centre, encoded=self._encoded[1]
        )
        prior = self.emission.log_prior() / self.batch.weight.sum()
        return out._replace(loss=out.loss - prior)

    def reconstruct(self, evaluation):
        """Move the reconstruction by an M-step."""
        self.emission.m_step(self._statistics(evaluation.node))
        self._read_emission()

    def _statistics(self, node):
        index, rows = self.observations
        counts = sum_rows(index, node, len(rows))
        return self.emission.statistics(rows, counts)

    def _read_emission(self):
        table = self.emission.table(self.observations.rows)
        self.log_prob = table[self.observations.index]

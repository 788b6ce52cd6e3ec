"""Mixtures whose categories depend on what they classify."""

import numpy as np

from skstruct.kernels._softmax import softmax_rows
from skstruct.kernels._sums import add_rows, sum_rows

__all__ = ["ConditionalMixture", "TypeMixture"]

# Keeps logs finite where a category has lost a phrase.
_FLOOR = 1e-300


def _log_shares(counts, axis):
    total = np.maximum(counts.sum(axis=axis, keepdims=True), _FLOOR)
    return np.log(np.maximum(counts / total, _FLOOR))


class ConditionalMixture:
    r"""P(z | key) times the product of P_s(c_s | z) over slots s.

    Parameters
    ----------
    key : ndarray of shape (N,)
        Number of what is classified.
    slots : list of ndarray of shape (N,)
        Numbers of what stands in each slot.
    sizes : list of int
        Number of keys, then of values of each slot.
    alpha : float
        Added to the counts of the values of slots.

    Attributes
    ----------
    log_key : ndarray of shape (n_keys + 1, K)
        Log of P(z | key); last, of P(z), for keys that are new.
    log_slots : list of ndarray of shape (n_values + 1, K)
        Log of P_s(c | z); last, what a new value has.
    """

    def __init__(self, key, slots, sizes, alpha):
        self.key, self.slots = key, slots
        self.sizes, self.alpha = sizes, alpha

    def update(self, weighted):
        """Maximise the expected log-likelihood; ``weighted`` are posteriors (N, K)."""
        self.set_key_counts(sum_rows(self.key, weighted, self.sizes[0]))
        self.log_slots = [
            self._log_slot(sum_rows(slot, weighted, size))
            for slot, size in zip(self.slots, self.sizes[1:], strict=True)
        ]

    def set_key_counts(self, counts):
        """P(z | key) by expected counts (n_keys, K)."""
        total = counts.sum(axis=0, keepdims=True)
        self.log_key = _log_shares(np.concatenate([counts, total]), axis=1)

    def _log_slot(self, counts):
        # A new value has the pseudo-count alone; without any it says nothing.
        new = np.full((1, counts.shape[1]), self.alpha)
        logs = _log_shares(counts + self.alpha, axis=0)
        total = counts.sum(axis=0) + self.alpha * len(counts)
        last = np.log(new / np.maximum(total, _FLOOR)) if self.alpha else 0 * new
        return np.concatenate([logs, last])

    @property
    def log_prior(self):
        """Log of the prior behind the pseudo-counts, but for a constant."""
        return self.alpha * sum(float(logs[:-1].sum()) for logs in self.log_slots)

    def log_joint(self, key, slots):
        """Log of P(z, contexts | key) of rows, (N, K)."""
        out = self.log_key[key]
        for logs, slot in zip(self.log_slots, slots, strict=True):
            add_rows(out, logs, slot, 1.0)
        return out

    def ordered(self, order):
        """A copy with the categories in another order, without training rows."""
        out = ConditionalMixture(None, None, self.sizes, self.alpha)
        out.log_key = self.log_key[:, order]
        out.log_slots = [logs[:, order] for logs in self.log_slots]
        return out


class TypeMixture:
    r"""One category for each key, whatever its rows: the limit of sparsity.

    .. math:: \max \sum_p \log \sum_z \pi_z \prod_{i \in p} \prod_s
        P_s(c_{is} \mid z)^{n_i}

    Parameters
    ----------
    mixture : ConditionalMixture
        Tells the rows; its slots are fitted.
    weight : ndarray of shape (N,)
        Weights of rows.
    """

    def __init__(self, mixture, weight):
        self.mixture = mixture
        self.weight = weight

    def fit(self, n_clusters, rng, *, max_iter, tol):
        """EM from random categories; yields the objective of each iteration."""
        mixture = self.mixture
        n_keys = mixture.sizes[0]
        self.posterior = rng.dirichlet(np.ones(n_clusters), size=n_keys)
        old, self.converged = -np.inf, False
        for _ in range(max_iter):
            log_share = _log_shares(self.posterior.sum(axis=0), axis=0)
            mixture.update(self.weight[:, None] * self.posterior[mixture.key])
            rows = np.zeros((len(self.weight), n_clusters))
            for logs, slot in zip(mixture.log_slots, mixture.slots, strict=True):
                add_rows(rows, logs, slot, 1.0)
            rows *= self.weight[:, None]
            logs = log_share + sum_rows(mixture.key, rows, n_keys)
            total = softmax_rows(logs)
            self.posterior = logs
            objective = float(total.sum()) + mixture.log_prior
            yield objective
            if objective - old <= tol * abs(objective):
                self.converged = True
                break
            old = objective
        mixture.set_key_counts(self.posterior)

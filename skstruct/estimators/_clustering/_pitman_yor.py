"""Categories of phrases under a hierarchical Pitman-Yor prior, truncated."""

import numpy as np
from scipy.special import digamma

from skstruct.estimators._clustering._training import ClusterRun, StartedTraining
from skstruct.kernels._sums import sum_rows

__all__ = ["PitmanYorTraining", "stick_means"]

_SMALLEST = 1e-10


def stick_means(tables, concentration, discount):
    """Expected shares of categories under their expected numbers of tables.

    Parameters
    ----------
    tables : ndarray of shape (K,)
        Expected numbers of tables.
    concentration, discount : float
        Of the Pitman-Yor process; discount 0 is the Dirichlet process.

    Returns
    -------
    ndarray of shape (K,)
        Sums to one. The stick is broken in the order of falling numbers.
    """
    order = np.argsort(-tables, kind="stable")
    later = np.cumsum(tables[order][::-1])[::-1] - tables[order]
    first = 1 - discount + tables[order]
    second = concentration + discount * np.arange(1, len(tables) + 1) + later
    broken = first / (first + second)
    broken[-1] = 1.0  # the truncation takes what is left
    shares = np.empty(len(tables))
    shares[order] = broken * np.cumprod(np.append(1.0, 1 - broken[:-1]))
    return np.maximum(shares, _SMALLEST)


class PitmanYorTraining(StartedTraining):
    """Variational inference of one categorical distribution for each phrase.

    Parameters
    ----------
    estimator, encoder, rows, views : object
        As in `StartedTraining`.
    """

    @property
    def n_clusters(self):
        """Number of categories K; more than there are rows would stay empty."""
        return min(self.estimator.n_clusters, len(self.rows.weight))

    def _run(self, name, rng, on_iteration):
        e, weight = self.estimator, self.rows.weight
        models = self._models()
        (mixture,) = models.mixtures
        posterior = self._start(name, models, rng)
        shares = np.full(self.n_clusters, 1 / self.n_clusters)
        history, old, converged = [], -np.inf, False
        for n in range(1, e.max_iter + 1):
            weighted = weight[:, None] * posterior
            models.update(weighted)
            counts = sum_rows(mixture.key, weighted, mixture.sizes[0])
            prior = e.phrase_concentration * shares
            gain = digamma(prior + counts) - digamma(prior)
            shares = stick_means(
                (prior * gain).sum(axis=0), e.concentration, e.discount
            )
            prior = e.phrase_concentration * shares
            total = counts.sum(axis=1, keepdims=True) + prior.sum()
            expected = digamma(prior + counts) - digamma(total)
            mean = np.log(shares / shares.sum())
            mixture.log_key = np.concatenate([expected, mean[None]])
            posterior, bound = models.posterior(weight)
            # What tells new rows is the expected distribution, not expected logs.
            mixture.log_key[:-1] = np.log(prior + counts) - np.log(total)
            objective = float((bound + models.log_prior()) / self.total)
            record = {"iteration": n, "objective": objective}
            history.append({**record, "n_effective": float(np.exp(_entropy(shares)))})
            if on_iteration(ClusterRun(objective, models, posterior, history, False)):
                break
            if n > 2 and abs(objective - old) <= e.tol * abs(objective):
                converged = True
                break
            old = objective
        return ClusterRun(objective, models, posterior, history, converged)


def _entropy(shares):
    shares = shares / shares.sum()
    return -(shares * np.log(shares)).sum()

"""What `PosteriorRegularizedClusterer.fit` does after it has read its input."""

import warnings
from itertools import chain, islice, repeat
from typing import NamedTuple

import numpy as np

from skstruct.constraints import CONSTRAINTS, Rows
from skstruct.estimators._clustering._mixture import TypeMixture
from skstruct.estimators._clustering._models import RowModels

__all__ = ["ROW_CONSTRAINTS", "ClusterRun", "ClusterTraining", "StartedTraining"]

ROW_CONSTRAINTS = {n: c for n, c in CONSTRAINTS.items() if hasattr(c, "project_rows")}

# Posteriors that come from one category for each phrase are mixed with the uniform
# distribution.
_UNIFORM_SHARE = 0.05
_SETTLING = 2


class ClusterRun(NamedTuple):
    """Where a start has led to."""

    objective: float
    models: RowModels
    posterior: np.ndarray
    history: list
    converged: bool


class StartedTraining:
    """Fits the models of one table from several starts.

    A subclass fits from one, by ``_run(start, rng, on_iteration)``.

    Parameters
    ----------
    estimator : PosteriorRegularizedClusterer
        Tells the parameters.
    encoder : TableEncoder
        It has learnt the columns.
    rows : MergedRows
        Training rows.
    views : list of View
        Columns of the models.
    """

    def __init__(self, estimator, encoder, rows, views):
        self.estimator = estimator
        self.encoder = encoder
        self.rows = rows
        self.views = views
        self.total = float(rows.weight.sum())

    @property
    def n_clusters(self):
        """Number of categories K."""
        return self.estimator.n_clusters

    def runs(self, rng, monitor, attributes):
        """A run from each start; ``attributes(run)`` is what callbacks may see."""
        init = self.estimator.init
        init = [init] if isinstance(init, str) else list(init)
        for name in islice(chain(init, repeat(init[-1])), self.estimator.n_init):
            with monitor.run() as on_iteration:
                yield self._run(
                    name, rng, lambda r: on_iteration(lambda: attributes(r))
                )
            if monitor.stopped:
                return

    def _models(self, direction=False):
        alpha = self.estimator.context_alpha
        models = RowModels(self.views, direction, self.encoder, alpha)
        models.learn(self.rows)
        return models

    def _start(self, name, models, rng):
        n, k = len(self.rows.weight), self.n_clusters
        if name == "random":
            return rng.dirichlet(np.ones(k), size=n)
        mixture = models.mixtures[0]
        types = TypeMixture(mixture, self.rows.weight)
        for _ in types.fit(k, rng, max_iter=self.estimator.max_iter, tol=1e-5):
            pass
        posterior = types.posterior[mixture.key]
        return (1 - _UNIFORM_SHARE) * posterior + _UNIFORM_SHARE / k


class ClusterTraining(StartedTraining):
    """EM whose E-step is projected on a constraint, or whose models agree.

    Parameters
    ----------
    estimator, encoder, rows, views : object
        As in `StartedTraining`.
    """

    def __init__(self, estimator, encoder, rows, views):
        super().__init__(estimator, encoder, rows, views)
        self.n_models = 1 if estimator.agreement is None else 2
        self.constraint = self._bind()
        if estimator.agreement == "direction":
            self._warn_of_contexts()

    def _warn_of_contexts(self):
        contexts = self._models(direction=True).mixtures[1].key
        if np.median(np.bincount(contexts, self.rows.weight)) <= 1:
            warnings.warn(
                "agreement='direction' gives categories to contexts, but most contexts "
                "are seen once and say nothing. Take fewer context columns, or word "
                "classes in place of words: PhraseExtractor(word_classes=...).",
                UserWarning,
                stacklevel=6,
            )

    def _bind(self):
        given = self.estimator.constraint
        if given is None or given == "type":
            return None
        constraint = ROW_CONSTRAINTS[given]() if isinstance(given, str) else given
        if not hasattr(constraint, "project_rows"):
            raise ValueError(
                f"constraint={given!r} cannot project the rows of a table, as "
                f"{' and '.join(map(repr, ROW_CONSTRAINTS))} can."
            )
        starts = self.rows.starts
        groups = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        return constraint.bind(Rows(groups, self.rows.weight, self.n_clusters))

    def _run(self, name, rng, on_iteration):
        if self.estimator.constraint == "type":
            return self._type_run(rng, on_iteration)
        return self._em_run(name, rng, on_iteration)

    def _type_run(self, rng, on_iteration):
        e, models, history = self.estimator, self._models(), []
        types = TypeMixture(models.mixtures[0], self.rows.weight)
        steps = types.fit(self.n_clusters, rng, max_iter=e.max_iter, tol=e.tol)
        for n, objective in enumerate(steps, 1):
            value = float(objective / self.total)
            record = {"iteration": n, "likelihood": value, "penalty": 0.0}
            history.append({**record, "objective": value})
            posterior = types.posterior[models.mixtures[0].key]
            models.mixtures[0].set_key_counts(types.posterior)
            if on_iteration(ClusterRun(value, models, posterior, history, False)):
                break
        return ClusterRun(value, models, posterior, history, types.converged)

    def _em_run(self, name, rng, on_iteration):
        e, weight = self.estimator, self.rows.weight
        models = self._models(e.agreement == "direction")
        history, old, converged = [], None, False
        posterior = self._start(name, models, rng)
        models.update(weight[:, None] * posterior)
        constrained = self.constraint is not None
        # The last iteration obeys the constraint in any case.
        warmup = min(e.warmup, e.max_iter - 1) if name == "random" else 0
        warmup *= constrained
        for n in range(1, e.max_iter + 1):
            posterior, likelihood = models.posterior(weight)
            penalty = 0.0
            if constrained and n > warmup:
                posterior, penalty = self._project(posterior)
            objective = float(likelihood - penalty + models.log_prior()) / self.total
            history.append(
                {
                    "iteration": n,
                    "likelihood": float(likelihood / self.total),
                    "penalty": float(penalty / self.total),
                    "objective": objective,
                }
            )
            if on_iteration(ClusterRun(objective, models, posterior, history, False)):
                break
            # The objective falls once, where the constraint sets in.
            if n > warmup + _SETTLING and objective - old <= e.tol * abs(objective):
                converged = True
                break
            old = objective
            if n < e.max_iter:
                models.update(weight[:, None] * posterior)
        return ClusterRun(objective, models, posterior, history, converged)

    def _project(self, posterior):
        """Projected posteriors, and what the projection costs."""
        q = self.constraint.project_rows(posterior, self.n_models * self.rows.weight)
        return q, float(self.constraint.values_.sum())

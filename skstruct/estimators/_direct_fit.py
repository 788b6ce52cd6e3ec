"""Fit a hidden Markov model by L-BFGS on the marginal likelihood itself."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

__all__ = ["climb"]

_TABLES = (("startprob", "start"), ("transmat", "transmat"), ("transmat", "second"))


class _Weights:
    """The free parameters of a model as one vector: logits and emission weights.

    Parts that are fixed, and probabilities that are zero at first, stay.
    """

    def __init__(self, model):
        self._model = model
        self._logits = [
            (i, name, may)
            for i, ((part, name), may) in enumerate(
                zip(_TABLES, model._possible, strict=False)
            )
            if part not in model.fixed
        ]
        self._emission = None if "emission" in model.fixed else model.emission

    def get(self):
        """The present values."""
        tiny = np.finfo(np.float64).tiny
        parts = [
            np.log(np.maximum(getattr(self._model, name)[may], tiny))
            for _, name, may in self._logits
        ]
        if self._emission is not None:
            parts.append(self._emission.coef_.ravel())
        return np.concatenate([[], *parts])

    def set(self, x):
        """Set the parameters of the model."""
        for _, name, may in self._logits:
            logits = np.full(may.shape, -np.inf)
            logits[may], x = np.split(x, [may.sum()])
            setattr(self._model, name, softmax(logits, axis=-1))
        if self._emission is not None:
            self._emission.set_coef(x.reshape(self._emission.coef_.shape).copy())

    def gradient(self, statistics):
        """Slope of log-likelihood and log-prior, of the model's expected counts."""
        parts = []
        for i, name, may in self._logits:
            counts = statistics[i] + self._model.alpha * may
            total = counts.sum(axis=-1, keepdims=True)
            parts.append((counts - total * getattr(self._model, name))[may])
        if self._emission is not None:
            n = len(self._model._possible)
            parts.append(self._emission.gradient(tuple(statistics[n:])).ravel())
        return np.concatenate([[], *parts])


class _Ascent:
    """What L-BFGS evaluates, and what is told of its iterations."""

    def __init__(self, trainer, model, tol, on_iteration):
        self.trainer, self.model = trainer, model
        self.weights = _Weights(model)
        self.tol, self.on_iteration = tol, on_iteration
        self.history, self.n_passes = [], 0
        self.converged = self.stopped = False
        self.loss(self.weights.get())
        self.previous = self.objective

    def loss(self, x):
        """Minus the objective a token, and its gradient."""
        self.weights.set(x)
        self.x, self.n_passes = x.copy(), self.n_passes + 1
        self.posterior = self.trainer.posterior(self.model, 1.0)
        self.objective = self.trainer.objective(self.model, self.posterior, 1.0)
        statistics = self.model.statistics(self.trainer.batch, self.posterior)
        gradient = self.weights.gradient(statistics)
        return -self.objective, -gradient / self.trainer.n_tokens

    def visit(self, x):
        """Be at a point, if it was not the last one evaluated."""
        if not np.array_equal(x, self.x):
            self.loss(x)

    def note(self):
        """Add to the history, and tell of it."""
        entry = self.trainer.entry(
            1.0, len(self.history) + 1, self.objective, self.posterior
        )
        self.history.append(entry)
        self.stopped = bool(self.on_iteration(self.model, self.posterior, self.history))

    def record(self, x):
        """An iteration ends here; StopIteration says that it is the last."""
        self.visit(x)
        self.note()
        risen, self.previous = self.objective - self.previous, self.objective
        self.converged = risen <= self.tol * abs(
            self.objective
        ) and self.trainer.may_stop(self.model, len(self.history), self.posterior)
        if self.stopped or self.converged:
            raise StopIteration


def climb(trainer, model, *, max_iter, tol, on_iteration):
    """Climb the log-likelihood and log-prior of a model, in place.

    Parameters
    ----------
    trainer : Trainer
        Gives posteriors and objective.
    model : HiddenMarkovModel
        Where to start. Its emission has ``coef_``, ``set_coef`` and ``gradient``.
    max_iter : int
        Bound on the iterations.
    tol : float
        Relative gain of the objective at which it has converged.
    on_iteration : callable
        ``on_iteration(model, posterior, history) -> stop``.

    Returns
    -------
    Run
    """
    ascent = _Ascent(trainer, model, tol, on_iteration)
    if ascent.x.size:
        found = minimize(
            ascent.loss,
            ascent.x,
            jac=True,
            method="L-BFGS-B",
            callback=ascent.record,
            options={"maxiter": max_iter, "maxfun": np.inf, "ftol": 0.0, "gtol": 0.0},
        )
        ascent.visit(found.x)
        # Where no step helps it is at a top, as far as numbers can tell.
        halted = found.nit < max_iter and not ascent.stopped
        ascent.converged = ascent.converged or halted
    if not ascent.history:  # it began at a top
        ascent.note()
    return trainer.result(
        model,
        ascent.posterior,
        ascent.history,
        ascent.n_passes,
        converged=ascent.converged,
        stopped=ascent.stopped,
    )

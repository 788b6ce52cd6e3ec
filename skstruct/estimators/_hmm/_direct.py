"""Fit a hidden Markov model by L-BFGS on the marginal likelihood itself."""

import numpy as np
from scipy.special import softmax

from skstruct.kernels._blas import one_blas_thread
from skstruct.solvers import LBFGS

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
            self._emission.set_coef(x.reshape(self._emission.coef_.shape))

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
    weights, solver, history, n_passes = _Weights(model), LBFGS(), [], 0
    nowhere = np.zeros_like(weights.get())

    def loss(x):
        nonlocal n_passes
        weights.set(x)
        n_passes += 1
        posterior = trainer.posterior(model, 1.0)
        # A try may go so far that probabilities vanish; the start may not.
        if n_passes > 1 and np.isneginf(posterior.log_partition).any():
            return np.inf, nowhere, posterior
        objective = trainer.objective(model, posterior, 1.0)
        gradient = weights.gradient(model.statistics(trainer.batch, posterior))
        return -objective, -gradient / trainer.n_tokens, posterior

    x = weights.get()
    state = loss(x)
    converged = stopped = False
    while len(history) < max_iter and not (converged or stopped):
        before = state[0]
        with one_blas_thread:
            x, state, moved = solver.step(loss, x, state)
        if not moved:  # its last try was another point
            weights.set(x)
        objective, posterior, iteration = -state[0], state[2], len(history) + 1
        history.append(trainer.entry(1.0, iteration, objective, posterior))
        stopped = bool(on_iteration(model, posterior, history))
        converged = before + objective <= tol * abs(objective) and (
            not moved or trainer.may_stop(model, iteration, posterior)
        )
    return trainer.result(
        model, state[2], history, n_passes, converged=converged, stopped=stopped
    )

"""Fit a hidden Markov model: E-steps at inverse temperatures, guards, restarts."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import entr

from skstruct.estimators._hmm._model import HiddenMarkovModel
from skstruct.optim import anneal

__all__ = ["Run", "Trainer", "information"]

# Below this mutual information (nats) states are taken to be alike; EM leaves such a
# plateau only after tens of iterations that hardly raise the likelihood.
_ALIKE = 1e-3
_PATIENCE = 50


class Run(NamedTuple):
    """Where one start led to; ``totals`` are those of its last E-step."""

    model: HiddenMarkovModel
    objective: float
    totals: list
    history: list
    n_e_steps: int
    converged: bool
    alike: bool = False
    stopped: bool = False


def information(counts):
    """Mutual information (nats) of row and state, of expected counts (U, K)."""
    total = counts.sum()
    if total <= 0:
        return 0.0
    # Shares, and entropies of them: weights may be so small that products vanish.
    share = counts / total
    sides = (share.sum(axis=axis) for axis in (0, 1))
    return float(sum(entr(side).sum() for side in sides) - entr(share).sum())


class Trainer:
    """E- and M-steps of one model on one batch.

    Parameters
    ----------
    batch : TaggedBatch
        Training data.
    weight : ndarray of shape (n,)
        Weights of sequences; those without one are empty.
    skew : Potentials or None
        Of the initialiser p0 of skewed annealing, as the chain reads them.
    n_jobs : int or None
        Threads.
    """

    def __init__(self, batch, weight, skew, n_jobs):
        self.batch, self.weight = batch, weight
        self.skew, self.n_jobs = skew, n_jobs
        self.n_tokens = max(weight @ np.diff(batch.chain.offsets), 1e-300)

    def posterior(self, model, beta):
        """Posterior under p(x, y)^beta, skewed by p0(x, y)^(1 - beta)."""
        p = self.batch.spread(model.potentials(self.batch.rows))
        skewed = self.skew is not None and beta < 1
        p = p.mix(self.skew, beta) if skewed else p.power(beta)
        return self.batch.chain.posterior(p, weight=self.weight, n_jobs=self.n_jobs)

    def log_likelihood(self, posterior):
        """Mean log-partition a token."""
        return float(self.weight @ posterior.log_partition / self.n_tokens)

    def objective(self, model, posterior, beta):
        """Free energy and log-prior, a token."""
        impossible = np.isneginf(posterior.log_partition)
        if impossible.any():
            raise ValueError(
                f"Sequence {np.flatnonzero(impossible)[0]} has probability zero: start "
                "values, tag_dictionary, clamped labels or skew_from leave it no "
                "possible states. Smooth the arrays given, or remove the sequence."
            )
        return self.log_likelihood(posterior) / beta + model.log_prior() / self.n_tokens

    def entry(self, beta, iteration, objective, posterior):
        """What the history holds of an iteration."""
        out = {
            "beta": float(beta),
            "iteration": iteration,
            "objective": float(objective),
        }
        if beta == 1:  # the free energy of other betas is no likelihood
            out["log_likelihood"] = self.log_likelihood(posterior)
        return out

    def may_stop(self, model, iteration, posterior):
        """Whether a small rise means convergence: states that are alike may part."""
        return (
            iteration >= _PATIENCE
            or model.n_states == 1
            or information(posterior.node) >= _ALIKE
        )

    def result(self, model, posterior, history, n_e_steps, *, beta=1.0, **how):
        """The `Run` that ended at a model, of which this is the posterior."""
        return Run(
            model,
            self.objective(model, posterior, beta),
            model.totals(posterior),
            history,
            n_e_steps,
            alike=model.n_states > 1 and information(posterior.node) < _ALIKE,
            **how,
        )

    def run(self, model, betas, *, jitter, random_state, on_iteration, **limits):
        """Anneal a model in place from where it stands; returns a `Run`."""
        history, last = [], {}

        def expect(beta):
            posterior = self.posterior(model, beta)
            last["posterior"] = posterior
            return self.objective(model, posterior, beta), posterior

        def maximize(posterior):
            model.m_step(model.statistics(self.batch, posterior))

        def record(beta, iteration, objective):
            entry = self.entry(beta, iteration, objective, last["posterior"])
            if len(betas) > 1:
                shared = information(last["posterior"].node)
                entry["effective_states"] = float(np.exp(shared))
            history.append(entry)
            return on_iteration(model, last["posterior"], history)

        def shake(beta):
            if jitter:
                model.perturb(jitter, random_state)

        converged, stopped = anneal(
            expect,
            maximize,
            betas,
            on_iteration=record,
            may_stop=partial(self.may_stop, model),
            on_raise=shake,
            **limits,
        )
        n_e_steps, posterior = len(history), last["posterior"]
        if not converged:  # an M-step came after the last E-step
            n_e_steps += 1
            posterior = self.posterior(model, betas[-1])
        return self.result(
            model,
            posterior,
            history,
            n_e_steps,
            beta=betas[-1],
            converged=converged,
            stopped=stopped,
        )

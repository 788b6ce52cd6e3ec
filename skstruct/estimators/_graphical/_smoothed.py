"""Training with the entropy of the adversary in the game: a smooth problem."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skstruct.solvers import minimize_smooth

__all__ = ["largest_cost", "train_smoothed"]

# The predictor is moved until it could gain no more than this share of the largest
# cost, so that values and gradients are as exact as a line search needs them.
_GAP_SHARE, _ROUNDS = 1e-8, 100
# Of the tolerance of a bracket, what is asked of the gradient.
_GRADIENT_SHARE = 0.01


def largest_cost(costs):
    """The largest cost of a node of weight one; 1 where nothing costs."""
    return costs.cost.max(initial=0.0) or 1.0


def train_smoothed(estimator, training, surrogate, tell):
    r"""Fitted attributes by L-BFGS at the estimator's temperature.

    .. math:: \min_\theta \frac{l_2}{2} \lVert \theta \rVert^2 + \frac1n \sum_s
        \min_p \varepsilon \log Z_s \Big( \frac{\text{score}_\theta + w L^\top p}
        {\varepsilon} \Big) - \text{score}_\theta(y_s)

    Parameters
    ----------
    estimator : AdversarialGraphicalModel
        Gives ``temperature``, ``tol`` and ``max_iter``.
    training : Training
        The training set.
    surrogate : Surrogate
        What is minimised.
    tell : callable
        ``tell(attributes) -> stop``, called after each iteration.

    Returns
    -------
    dict
    """
    problem = training.problem(surrogate, chains=False)
    scale = largest_cost(training.costs)
    temperature, predictor = estimator.temperature * scale, problem.predictor
    history = []

    def evaluate(weights):
        return problem.smoothed(
            weights,
            predictor,
            temperature,
            enough=_GAP_SHARE * scale,
            max_rounds=_ROUNDS,
        )

    def fitted(weights, objective, converged):
        gradient = evaluate(weights).gradient
        excess = gradient @ gradient / (2 * problem.l2)
        return training.attributes(weights) | {
            "history_": list(history),
            "n_iter_": len(history),
            "converged_": converged,
            "duality_gap_": float(excess / max(abs(objective), 1e-12)),
        }

    def on_iteration(iteration, objective, weights):
        history.append({"iteration": iteration, "objective": objective})
        return tell(lambda: fitted(weights, objective, False))

    found = minimize_smooth(
        evaluate,
        np.zeros(problem.linear.n_weights),
        l2=problem.l2,
        tol=_GRADIENT_SHARE * estimator.tol,
        max_iter=estimator.max_iter,
        on_iteration=on_iteration,
        n_jobs=estimator.n_jobs,
    )
    if not (found.converged or found.stopped):
        warnings.warn(
            f"L-BFGS did not converge in {found.n_iter} iterations, max_iter="
            f"{estimator.max_iter}. Standardise the features, or raise max_iter or l2.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return fitted(found.weights, found.objective, found.converged)

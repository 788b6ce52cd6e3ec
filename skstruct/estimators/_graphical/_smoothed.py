"""Training with the entropy of the adversary in the game: a smooth problem."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skstruct.optim import descend
from skstruct.solvers import LBFGS

__all__ = ["train_smoothed"]

# Shares of the tolerance: of what may be in excess, as the bracket of a game without
# temperature has an optimum well inside, and of what may be due to the predictor.
_EXCESS, _GAP = 0.1, 0.01
_ROUNDS, _MEMORY = 10, 20


def train_smoothed(estimator, training, surrogate, tell):
    r"""Fitted attributes by L-BFGS at the estimator's temperature.

    .. math:: \min_\theta \frac{l_2}{2} \lVert \theta \rVert^2 + \frac1n \sum_s
        \min_p \varepsilon \log Z_s \Big( \frac{\text{score}_\theta + w L^\top p}
        {\varepsilon} \Big) - \text{score}_\theta(y_s)

    Parameters
    ----------
    estimator : AdversarialGraphicalModel
        Gives ``tol``, ``max_iter`` and ``n_jobs``.
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
    temperature, predictor = training.temperature, problem.predictor
    enough = 0.0
    history = []

    def evaluate(weights, enough):
        return problem.smoothed(
            weights, predictor, temperature, enough=enough, max_rounds=_ROUNDS
        )

    def excess(found):
        """By how much the value can be lowered, as a share of it."""
        squares = found.gradient @ found.gradient
        slack = found.gap + squares / (2 * problem.l2)
        return float(slack / max(abs(found.value), problem.least))

    def fitted(weights, found, converged):
        return training.attributes(weights) | {
            "history_": list(history),
            "n_iter_": len(history),
            "converged_": converged,
            "duality_gap_": excess(found),
        }

    steps = descend(
        evaluate,
        np.zeros(problem.linear.n_weights),
        predictor,
        LBFGS(_MEMORY, problem.scale, estimator.n_jobs).step,
        lambda: enough,
    )
    for n_steps, (weights, found) in enumerate(steps):
        enough = _GAP * estimator.tol * max(abs(found.value), problem.least)
        solved = excess(found) <= _EXCESS * estimator.tol
        if n_steps or solved:
            history.append(
                {"iteration": len(history) + 1, "objective": float(found.value)}
            )
            if tell(lambda w=weights, f=found: fitted(w, f, False)):
                return fitted(weights, found, False)
        if solved or n_steps == estimator.max_iter:
            break
    if not solved:
        warnings.warn(
            f"L-BFGS did not converge in {n_steps} iterations, max_iter="
            f"{estimator.max_iter}. Standardise the features, or raise max_iter or l2.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return fitted(weights, found, solved)

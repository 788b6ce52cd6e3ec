"""Training by the subgradient method of the paper."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skstruct.optim import Cuts, subgradient_descent
from skstruct.solvers import AdaGrad
from skstruct.structures import Potentials, Tree
from skstruct.surrogates import subgradient_oracle

__all__ = ["train_by_subgradients"]

_STEPS, _LAST_STEPS = 100, 400
_LEARNING_RATE = 0.1
_CUTS = 60


def train_by_subgradients(estimator, training, surrogate, tell):
    r"""Fitted attributes by AdaGrad along subgradients of the game.

    .. math:: \Phi(Q) - \Phi(y) + l_2 \theta

    with adversaries Q by dual decomposition; see `subgradient_oracle`. The weights
    are averaged, and the gap is that of the average.

    Parameters
    ----------
    estimator : AdversarialGraphicalModel
        Gives ``max_iter``, the number of passes.
    training : Training
        The training set.
    surrogate : Surrogate
        The adversarial one.
    tell : callable
        ``tell(attributes) -> stop``, called after each pass.

    Returns
    -------
    dict
    """
    problem = training.problem(surrogate, chains=False)
    if not isinstance(problem.structure, Tree):
        raise ValueError(
            "solver='subgradient' serves chains and trees, but X has graphs with "
            "cycles; use solver='proximal'."
        )
    cuts, history = Cuts(problem.l2, _CUTS), []
    multipliers = None

    def evaluate(weights, n_steps):
        """Objective, gradient, and a cutting plane by one adversary."""
        nonlocal multipliers
        found = subgradient_oracle(
            problem.structure,
            Potentials(*problem.linear.potentials(weights)),
            problem.game,
            max_iter=n_steps,
            multipliers=multipliers,
            weight=problem.sample_weight,
        )
        multipliers = found.multipliers
        slope = problem.linear.gradient(found.node, found.edge) / problem.n_samples
        worth = float(problem.sample_weight @ found.secured / problem.n_samples)
        risk = worth - slope @ weights
        slope -= problem.observed
        cuts.add(risk, slope)
        upper = problem.upper(weights, found.predictor)
        return upper, slope + problem.l2 * weights

    def fitted(weights, gap, stopped):
        return training.attributes(weights) | {
            "history_": list(history),
            "n_iter_": len(history),
            "converged_": not stopped and gap <= estimator.tol,
            "duality_gap_": gap,
        }

    def on_iteration(iteration, objective, weights):
        history.append({"iteration": iteration, "objective": float(objective)})
        return tell(lambda: fitted(weights, np.inf, True))

    weights, stopped = subgradient_descent(
        lambda weights, batch: evaluate(weights, _STEPS),
        AdaGrad(_LEARNING_RATE).step,
        np.zeros(problem.linear.n_weights),
        batches=[None],
        max_iter=estimator.max_iter,
        on_iteration=on_iteration,
    )
    upper, _ = evaluate(weights, _LAST_STEPS)
    gap = (upper - cuts.bound()) / max(abs(upper), problem.least)
    if not stopped and gap > estimator.tol:
        warnings.warn(
            f"After max_iter={estimator.max_iter} passes the objective is known to a "
            f"relative gap of {gap:.2g} (tol={estimator.tol:g}). Raise max_iter, tol "
            "or l2, or take solver='proximal'.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return fitted(weights, float(gap), stopped)

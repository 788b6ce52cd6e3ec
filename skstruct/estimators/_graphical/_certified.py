"""Training with a certificate, for surrogates that play for costs."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skstruct.optim import minimize_game
from skstruct.solvers import LBFGS

__all__ = ["train_certified"]

_MEMORY = 20
# Vectors of the size of the weights that may be kept, in all: numbers, 800 MB.
_BUDGET = 100_000_000
_MOST_CUTS, _FEWEST_CUTS = 60, 10


def train_certified(estimator, training, surrogate, tell, *, chains=False):
    """Fitted attributes by proximal points of the dual; see `minimize_game`.

    Parameters
    ----------
    estimator : GraphicalModel
        Gives ``tol`` and ``max_iter``.
    training : Training
        The training set.
    surrogate : Surrogate
        What is minimised.
    tell : callable
        ``tell(attributes) -> stop``, called at each proximal point.
    chains : bool, default=False
        Whether the surrogate is at ease with Chain.

    Returns
    -------
    dict
    """
    problem = training.problem(surrogate, chains=chains)
    n_weights = problem.linear.n_weights
    room = _BUDGET // n_weights
    history = []

    def fitted(found):
        return training.attributes(found.weights) | {
            "history_": list(history),
            "n_iter_": found.n_iter,
            "converged_": found.converged,
            "duality_gap_": found.gap,
        }

    def on_iteration(found, temperature, n_evaluations):
        history.append(
            {
                "iteration": found.n_iter,
                "upper": found.upper,
                "lower": found.lower,
                "gap": found.gap,
                "temperature": temperature,
                "n_evaluations": n_evaluations,
            }
        )
        return tell(lambda: fitted(found))

    found = minimize_game(
        problem,
        np.zeros(n_weights),
        problem.predictor,
        step=LBFGS(min(_MEMORY, max(room // 4, 5)), problem.scale).step,
        scale=problem.largest_costs.max(initial=0.0) or 1.0,
        tol=estimator.tol,
        max_iter=estimator.max_iter,
        n_cuts=min(_MOST_CUTS, max(room // 2, _FEWEST_CUTS)),
        on_iteration=on_iteration,
    )
    if not (found.converged or found.stopped):
        known = f"the objective is known to a relative gap of {found.gap:.2g}"
        if found.gap <= estimator.tol:
            known += ", but features that say this little may still gain over a tenth"
        warnings.warn(
            f"After max_iter={estimator.max_iter} proximal points {known} "
            f"(tol={estimator.tol:g}). Standardise the features, raise max_iter, tol "
            "or l2.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return fitted(found)

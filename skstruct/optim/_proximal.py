"""Proximal points of the dual: a regularised game solved with a certificate."""

from typing import NamedTuple

import numpy as np

from skstruct.optim._cuts import Cuts
from skstruct.optim._descent import descend

__all__ = ["Certificate", "minimize_game"]

# The inner problem is solved as well as the bracket is wide; the first, when there is
# none, as well as its own value is large.
_INNER_STEPS, _ROUNDS = 40, 5
_GRADIENT_SHARE, _GAP_SHARE, _FIRST_SHARE = 0.25, 0.3, 1e-3
_START, _COOLEST, _HOTTEST = 0.5, 0.05, 2.0
# Where hardly anything is lost, the largest cost says nothing of what is at stake, and
# temperatures that suit it hardly move the adversary.
_COOLEST_OF_LOSS = 0.2
# Of what is gained over the start, this much may be left; unless, by this share of the
# tolerance, nothing can be gained, and as many proximal points have gained nothing.
_GAIN_SHARE, _NOTHING, _PATIENCE = 0.1, 0.01, 10
# A proximal point of few rounds of the predictor is too easy.
_HEAT, _COOL, _FEW_ROUNDS = 1.2, 0.7, 40


class Certificate(NamedTuple):
    """The best point found and the bracket of the optimum.

    Attributes
    ----------
    weights : ndarray of shape (n_weights,)
        Where ``upper`` was reached.
    predictor : ndarray of shape (N, K)
        With it.
    upper, lower : float
        The optimum lies between.
    start : float
        An upper bound on the objective at the weights that the search began with.
    least : float
        Optima below it count as this large when the bracket is judged.
    n_iter : int
        Number of proximal points.
    converged, stopped : bool
        Whether the bracket is narrow enough, and whether a callback ended the search.
    """

    weights: np.ndarray
    predictor: np.ndarray
    upper: float = np.inf
    lower: float = -np.inf
    start: float = -np.inf
    least: float = 1e-12
    n_iter: int = 0
    converged: bool = False
    stopped: bool = False

    @property
    def gap(self):
        """Width of the bracket, relative to the upper bound or `least`."""
        return float((self.upper - self.lower) / max(abs(self.upper), self.least))

    def is_within(self, tol):
        """Whether the bracket is narrow, beside the optimum and beside what is gained.

        Where features say little the objective is hardly lower than that of weights
        zero, which then would be within most tolerances, and predict nothing.
        """
        if self.upper - self.lower <= _GAIN_SHARE * (self.start - self.lower):
            return self.gap <= tol
        tried = self.upper < self.start or self.n_iter >= _PATIENCE
        return tried and self.gap <= _NOTHING * tol


def minimize_game(
    problem, weights, predictor, *, step, scale, tol, max_iter, n_cuts, on_iteration
):
    r"""Minimise a regularised game over weights and predictor.

    .. math:: \min_\theta \frac{l_2}{2} \lVert \theta \rVert^2 + \frac1n \sum_s
        \min_{p_s} \max_{Q_s} \big[ \langle Q_s, \text{score}_\theta \rangle + \sum_i
        w_i p_i^\top L r_i \big] - \text{score}_\theta(y_s)

    by proximal points of the dual in Q,

    .. math:: Q^{k+1} = \arg\max_Q D(Q) - \frac{\varepsilon}{n} \sum_s
        \mathrm{KL}(Q_s \Vert Q_s^k),

    at a moderate temperature :math:`\varepsilon` that never has to vanish. Each is a
    smooth problem in :math:`\theta` and p. Every evaluation gives a cutting plane,
    and all of them together a lower bound.

    Parameters
    ----------
    problem : object
        ``smoothed(weights, predictor, temperature, centre, enough=, max_rounds=)``
        returns a tuple (value, gradient, risk, slope, gap) and moves the predictor
        until the gap is small enough;
        ``upper(weights, predictor)`` the objective without temperature;
        ``centre(centre, weights, predictor, temperature)`` the potentials of
        :math:`Q^{k+1}`, from None at first; ``l2`` is the penalty, ``mean_size`` the
        number of nodes of a sample, ``least`` as in `Certificate`.
    weights : ndarray of shape (n_weights,)
        Where to start.
    predictor : ndarray of shape (N, K)
        Where to start; it is changed.
    step : callable
        ``step(evaluate, weights, state, slack=)`` as `LBFGS.step`.
    scale : float
        The largest cost; temperatures are shares of it.
    tol : float
        Relative width of the bracket that ends the search, once nine tenths of what
        can be gained over the start are.
    max_iter : int
        Bound on the proximal points.
    n_cuts : int
        Cutting planes kept, each of the size of ``weights``.
    on_iteration : callable
        ``on_iteration(certificate, temperature, n_evaluations) -> stop``.

    Returns
    -------
    Certificate

    Examples
    --------
    Without a predictor it minimises by cutting planes, here x²/2 + (x - 3)²:

    >>> from collections import namedtuple
    >>> import numpy as np
    >>> from skstruct.optim import minimize_game
    >>> from skstruct.solvers import LBFGS
    >>> Found = namedtuple("Found", "value gradient risk slope gap n_rounds")
    >>> class Problem:
    ...     l2, mean_size, least = 1.0, 1, 1e-12
    ...
    ...     def upper(self, x, predictor):
    ...         return x @ x / 2 + (x - 3) @ (x - 3)
    ...
    ...     def smoothed(self, x, predictor, temperature, centre=None, **limits):
    ...         slope = 2 * (x - 3)
    ...         cut = (x - 3) @ (x - 3) - slope @ x
    ...         return Found(self.upper(x, predictor), x + slope, cut, slope, 0.0, 1)
    ...
    ...     def centre(self, *args):
    ...         return None
    >>> options = {"step": LBFGS().step, "on_iteration": lambda *args: False}
    >>> limits = {"scale": 1.0, "tol": 1e-3, "max_iter": 20, "n_cuts": 10}
    >>> found = minimize_game(
    ...     Problem(), np.zeros(1), np.zeros((0, 1)), **limits, **options
    ... )
    >>> found.weights.round(3), bool(found.lower <= found.upper)
    (array([2.]), True)
    """
    scale = float(scale)
    temperature = _START * scale
    search = _Search(problem, weights, predictor, step, n_cuts, temperature)
    for k in range(max_iter):
        n_evaluations, n_rounds, capped = search.solve(temperature, first=k == 0)
        search.bound(k, temperature)
        best = search.best._replace(n_iter=k + 1)
        search.best = best._replace(converged=best.is_within(tol))
        stop = on_iteration(search.best, temperature, n_evaluations)
        if stop or search.best.converged:
            return search.best._replace(stopped=bool(stop))
        search.recentre(temperature)
        if capped:
            temperature *= _HEAT
        elif n_rounds <= _FEW_ROUNDS:
            temperature *= _COOL
        loss = max(search.best.upper, problem.least) / float(problem.mean_size)
        coolest = min(_COOLEST * scale, _COOLEST_OF_LOSS * loss)
        temperature = min(max(temperature, coolest), _HOTTEST * scale)
    return search.best


class _Search:
    """The present point, its running average, and what is known of the optimum."""

    def __init__(self, problem, weights, predictor, step, n_cuts, temperature):
        self.problem, self.step = problem, step
        self.weights, self.predictor = weights, predictor
        self.means = weights.copy(), predictor.copy()
        self.centre = None
        self.cuts = Cuts(problem.l2, n_cuts)
        # No cost is negative, so the objective is not either.
        self.best = Certificate(weights, predictor, lower=0.0, least=problem.least)
        self._try(weights, predictor)
        self._try_cool(weights, predictor, temperature)
        self.best = self.best._replace(start=self.best.upper)

    @property
    def width(self):
        return self.best.upper - self.best.lower

    def solve(self, temperature, first):
        """The inner problem; (evaluations, rounds of the predictor, hit a cap)."""
        count = n_rounds = 0

        def evaluate(weights, enough):
            nonlocal count, n_rounds
            count += 1
            found = self.problem.smoothed(
                weights,
                self.predictor,
                temperature,
                self.centre,
                enough=enough,
                max_rounds=_ROUNDS,
            )
            n_rounds += found.n_rounds
            self._learn(self.cuts.add(found.risk, found.slope))
            return found

        points = descend(
            evaluate,
            self.weights,
            self.predictor,
            self.step,
            lambda: _GAP_SHARE * self.width,
        )
        for n_steps, (weights, state) in enumerate(points):
            self.weights = weights
            if self._is_solved(state, first):
                break
            if n_steps == _INNER_STEPS:
                return count, n_rounds, not first
        return count, n_rounds, False

    def _is_solved(self, state, first):
        """As well as what is known calls for."""
        squares = state.gradient @ state.gradient / (2 * self.problem.l2)
        if first:
            return squares <= _FIRST_SHARE * abs(state.value)
        return (
            squares <= _GRADIENT_SHARE * self.width
            and state.gap <= _GAP_SHARE * self.width
        )

    def _learn(self, lower):
        if lower > self.best.lower:
            self.best = self.best._replace(lower=float(lower))

    def bound(self, k, temperature):
        """Bounds at the point, at the average, and at the average polished."""
        self._learn(self.cuts.bound())
        rho = 2 / (k + 2) if k < 8 else 0.2
        for mean, new in zip(self.means, (self.weights, self.predictor), strict=True):
            mean += rho * (new - mean)
        self._try(self.weights, self.predictor)
        self._try(*self.means)
        if k >= 3:
            self._try_cool(*self.means, temperature)

    def _try_cool(self, weights, predictor, temperature):
        # Almost a hard maximum: as cool as the bracket is wide for each node.
        cool = min(max(self.width / self.problem.mean_size, 1e-5), temperature)
        predictor = predictor.copy()
        self.problem.smoothed(weights, predictor, cool)
        self._try(weights, predictor)

    def _try(self, weights, predictor):
        upper = self.problem.upper(weights, predictor)
        if upper < self.best.upper:
            self.best = self.best._replace(
                weights=weights.copy(), predictor=predictor.copy(), upper=float(upper)
            )

    def recentre(self, temperature):
        self.centre = self.problem.centre(
            self.centre, self.weights, self.predictor, temperature
        )

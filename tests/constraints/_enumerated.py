"""Alignment models small enough to list every alignment of every pair."""

import numpy as np
from scipy.optimize import minimize

from skstruct.constraints import Cells
from tests._oracles import enumerate_links, log_partition, probabilities

BOTH = ("forward", "reverse")


class Enumerated:
    """Models with an arbitrary log-potential for each whole alignment.

    ``infer`` is what the projection asks for: posteriors under shifted models.
    """

    def __init__(self, sizes, directions=BOTH, seed=0):
        rng = np.random.default_rng(seed)
        self.directions = directions
        self.layout = Cells(*np.array(sizes, dtype=np.intp).T, directions)
        self.ends = np.cumsum(self.layout.counts)[:-1]
        self.links = [[enumerate_links(*s, d) for s in sizes] for d in directions]
        self.scores = [
            [2 * rng.standard_normal(len(links)) for links in model]
            for model in self.links
        ]
        self.n_calls = 0

    def infer(self, shifts):
        self.n_calls += 1
        expectations, log_partitions = [], []
        for links, scores, shift in zip(self.links, self.scores, shifts, strict=True):
            shifted = [
                s + each @ own
                for s, each, own in zip(
                    scores, links, np.split(shift, self.ends), strict=True
                )
            ]
            log_partitions.append(np.array([log_partition(s) for s in shifted]))
            expectations.append(
                np.concatenate(
                    [probabilities(s) @ x for s, x in zip(shifted, links, strict=True)]
                )
            )
        return expectations, log_partitions

    def log_likelihood(self):
        """Sum of the log-partitions of the models as they are, (n,)."""
        return sum(np.array([log_partition(s) for s in model]) for model in self.scores)


def solve_primal(model, constraints):
    """Least divergence of the only pair, and each model's links there, by SLSQP.

    ``constraints`` are ("ineq" or "eq", linear function of the expected links).
    """
    links = [own[0] for own in model.links]
    p = np.concatenate([probabilities(own[0]) for own in model.scores])
    ends = np.cumsum([len(own) for own in links])[:-1]

    def expected(q):
        return [
            part @ each for part, each in zip(np.split(q, ends), links, strict=True)
        ]

    def linear(kind, function):
        at_zero = function(np.zeros(len(p)))
        slope = np.column_stack([function(e) - at_zero for e in np.eye(len(p))])
        return {
            "type": kind,
            "fun": lambda q: at_zero + slope @ q,
            "jac": lambda q: slope,
        }

    def totals(q):
        return np.array([part.sum() - 1 for part in np.split(q, ends)])

    result = minimize(
        lambda q: q @ np.log(q / p),
        p,
        jac=lambda q: np.log(q / p) + 1,
        bounds=[(1e-12, 1)] * len(p),
        constraints=[
            linear("eq", totals),
            *(
                linear(kind, lambda q, f=function: f(expected(q)))
                for kind, function in constraints
            ),
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert result.success, result.message
    return result.fun, expected(result.x)

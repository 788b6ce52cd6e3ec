"""Exact games, hinges and trainings by enumeration; shares no code with skstruct.

A graph of N nodes with K labels has log-potentials: node (N, K), edges (M, 2) and
tables (M, K, K), ``tables[e, y_u, y_v]`` for edge (u, v); -inf in node forbids. Costs
are ``cost[predicted, adversary]``, (K, K) or one a node (N, K, K); weight (N,) or None.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp, softmax

from tests._oracles import enumerate_paths as labelings
from tests._oracles import graph_scores as scores
from tests._quadratic_program import solve_qp


def node_indicators(ys, K):
    """(n_labelings, N, K): 1 where the labeling gives node i label k."""
    return np.eye(K)[ys]


def edge_indicators(ys, edges, K):
    """(n_labelings, M, K, K)."""
    one = node_indicators(ys, K)
    return np.einsum(
        "sea,seb->seab", *(one[:, np.asarray(edges)[:, j]] for j in (0, 1))
    )


def weighted_costs(cost, weight, N):
    """w_i L_i, (N, K, K)."""
    cost = np.asarray(cost, dtype=float)
    weight = np.ones(N) if weight is None else np.asarray(weight, dtype=float)
    return weight[:, None, None] * np.broadcast_to(cost, (N, *cost.shape[-2:]))


def bayes_risk(r, cost, weight=None):
    """Sum over nodes of w_i min_a (L r_i)_a."""
    costs = weighted_costs(cost, weight, len(r))
    return np.einsum("iac,ic->ia", costs, r).min(axis=1).sum()


def as_distributions(table):
    """Rows clipped and scaled to distributions; uniform where nothing is left."""
    table = np.maximum(table, 0)
    total = table.sum(axis=-1, keepdims=True)
    uniform = np.full_like(table, 1 / table.shape[-1])
    return np.divide(table, total, out=uniform, where=total > 1e-12)


class Game(NamedTuple):
    value: float
    r: np.ndarray  # (N, K), adversary's node marginals
    p: np.ndarray  # (N, K), predictor
    q: np.ndarray  # (K ** N,), adversary over labelings()


def game_value(node, edges, tables, cost, weight=None):
    """max over Q of sum_i w_i min_a (L r_i)_a + <Q, score>, a linear program."""
    N, K = node.shape
    ys = labelings(N, K)
    score = scores(ys, node, edges, tables)
    allowed = np.isfinite(score)
    ys, score = ys[allowed], score[allowed]
    costs = weighted_costs(cost, weight, N)
    # Variables Q and t; t_i <= w_i (L r_i)_a for all a.
    of_labeling = costs[np.arange(N), :, ys].reshape(len(ys), N * K)
    upper = np.hstack([-of_labeling.T, np.repeat(np.eye(N), K, axis=0)])
    found = linprog(
        -np.append(score, np.ones(N)),
        A_ub=upper,
        b_ub=np.zeros(N * K),
        A_eq=np.append(np.ones(len(ys)), np.zeros(N))[None],
        b_eq=[1.0],
        bounds=[(0, None)] * len(ys) + [(None, None)] * N,
        method="highs",
    )
    assert found.status == 0, found.message
    q = np.zeros(len(allowed))
    q[allowed] = as_distributions(found.x[: len(ys)])
    r = np.einsum("s,sik->ik", q[allowed], node_indicators(ys, K))
    p = as_distributions(-found.ineqlin.marginals.reshape(N, K))
    return Game(-found.fun, r, p, q)


def augmented_max(node, edges, tables, cost, weight, p):
    """max over y of score(y) + sum_i w_i (L^T p_i)[y_i]: what p concedes at most."""
    node = node + np.einsum("iac,ia->ic", weighted_costs(cost, weight, len(node)), p)
    return scores(labelings(*node.shape), node, edges, tables).max()


def game_value_smoothed(node, edges, tables, cost, weight=None, *, eps):
    """min over p of eps log sum_y exp((score(y) + sum_i w_i (L^T p_i)[y_i]) / eps).

    The value is exact to the gap sum_i w_i (p_i^T L r_i - min_a (L r_i)_a), asserted.
    """
    N, K = node.shape
    ys = labelings(N, K)
    score = scores(ys, node, edges, tables)
    costs = weighted_costs(cost, weight, N)
    gain = costs[np.arange(N), :, ys].reshape(len(ys), N * K)

    def objective(p):
        z = (score + gain @ p) / eps
        return eps * logsumexp(z), softmax(z) @ gain

    p = np.full(N * K, 1 / K)
    for _ in range(3):  # SLSQP may stop early; again from inside the simplices
        found = minimize(
            objective,
            0.999 * p + 0.001 / K,
            jac=True,
            method="SLSQP",
            bounds=[(0, 1)] * (N * K),
            constraints={
                "type": "eq",
                "fun": lambda p: p.reshape(N, K).sum(axis=1) - 1,
                "jac": lambda p: np.repeat(np.eye(N), K, axis=1),
            },
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        p = as_distributions(found.x.reshape(N, K)).ravel()
        value, slope = objective(p)
        gap = slope @ p - slope.reshape(N, K).min(axis=1).sum()
        if gap <= 1e-8:
            break
    assert gap <= 1e-6, gap
    q = softmax((score + gain @ p) / eps)
    r = np.einsum("s,sik->ik", q, node_indicators(ys, K))
    return Game(value, r, p.reshape(N, K), q)


def hinge_value(node, edges, tables, cost, labels, weight=None):
    """max over y of score(y) + sum_i w_i L[y_i, labels_i], less score(labels)."""
    ys = labelings(*node.shape)
    truth = np.asarray(labels)[None]
    score = scores(ys, node, edges, tables) - scores(truth, node, edges, tables)
    return (score + total_cost(ys, labels, cost, weight)).max()


def total_cost(ys, labels, cost, weight=None):
    """sum_i w_i L[y_i, labels_i] of every labeling."""
    N = ys.shape[1]
    costs = weighted_costs(cost, weight, N)
    return costs[np.arange(N), ys, np.asarray(labels)].sum(axis=1)


class Sample(NamedTuple):
    """One labelled graph for training; theta is coef (K, F), then edge_coef (G, K, K).

    Node potentials are features @ coef.T; table e is sum_g edge_features[e, g]
    edge_coef[g]. Without edge features G = 1 and all edges share one table.
    """

    features: np.ndarray  # (N, F)
    edges: np.ndarray  # (M, 2)
    labels: np.ndarray  # (N,)
    cost: np.ndarray
    weight: np.ndarray | None = None
    edge_features: np.ndarray | None = None  # (M, G)


def _edge_features(sample):
    given = sample.edge_features
    return np.ones((len(sample.edges), 1)) if given is None else given


def split_theta(theta, sample, K):
    """coef (K, F) and edge_coef (G, K, K)."""
    n_node = K * sample.features.shape[1]
    return theta[:n_node].reshape(K, -1), theta[n_node:].reshape(-1, K, K)


def potentials(theta, sample, K):
    """node, edges, tables of a sample."""
    coef, edge_coef = split_theta(theta, sample, K)
    tables = np.tensordot(_edge_features(sample), edge_coef, axes=1)
    return sample.features @ coef.T, sample.edges, tables


def moments(sample, node, edge):
    """Phi of marginals node (..., N, K), edge (..., M, K, K): (..., n_theta)."""
    of_nodes = np.einsum("...ik,if->...kf", node, sample.features)
    of_edges = np.einsum("...eab,eg->...gab", edge, _edge_features(sample))
    lead = node.shape[:-2]
    return np.concatenate(
        [of_nodes.reshape(*lead, -1), of_edges.reshape(*lead, -1)], -1
    )


def labeling_moments(sample, ys, K):
    """Phi of each labeling, (n_labelings, n_theta)."""
    edge = edge_indicators(ys, sample.edges, K)
    return moments(sample, node_indicators(ys, K), edge)


def true_moments(sample, K):
    return labeling_moments(sample, np.asarray(sample.labels)[None], K)[0]


def objective(samples, K, theta, l2):
    """Mean exact game value less score(labels), plus l2 / 2 |theta|^2."""
    values = [
        game_value(*potentials(theta, s, K), s.cost, s.weight).value
        - theta @ true_moments(s, K)
        for s in samples
    ]
    return np.mean(values) + l2 / 2 * theta @ theta


def hinge_objective(samples, K, theta, l2):
    values = [
        hinge_value(*potentials(theta, s, K), s.cost, s.labels, s.weight)
        for s in samples
    ]
    return np.mean(values) + l2 / 2 * theta @ theta


def upper_bound(samples, K, theta, predictors, l2):
    """P(theta, p): what these predictors concede at theta; never below the optimum."""
    values = [
        augmented_max(*potentials(theta, s, K), s.cost, s.weight, p)
        - theta @ true_moments(s, K)
        for s, p in zip(samples, predictors, strict=True)
    ]
    return np.mean(values) + l2 / 2 * theta @ theta


def lower_bound(samples, K, nodes, edges, l2):
    """D(Q) of adversaries' marginals; never above the optimum if they are marginals.

    Whether marginals belong to some distribution: `infeasibility`.
    """
    risk = np.mean(
        [bayes_risk(r, s.cost, s.weight) for s, r in zip(samples, nodes, strict=True)]
    )
    deviation = _mean_deviation(samples, K, nodes, edges)
    return risk - deviation @ deviation / (2 * l2)


def _mean_deviation(samples, K, nodes, edges):
    return np.mean(
        [
            moments(s, r, e) - true_moments(s, K)
            for s, r, e in zip(samples, nodes, edges, strict=True)
        ],
        axis=0,
    )


def infeasibility(edges, node, edge):
    """Least largest deviation of marginals from those of any distribution."""
    N, K = node.shape
    ys = labelings(N, K)
    one = node_indicators(ys, K).reshape(len(ys), -1)
    two = edge_indicators(ys, edges, K).reshape(len(ys), -1)
    table, target = np.hstack([one, two]).T, np.append(node.ravel(), edge.ravel())
    slack = np.ones((len(target), 1))
    found = linprog(
        np.append(np.zeros(len(ys)), 1.0),
        A_ub=np.block([[table, -slack], [-table, -slack]]),
        b_ub=np.append(target, -target),
        A_eq=np.append(np.ones(len(ys)), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    return found.fun


class Fit(NamedTuple):
    theta: np.ndarray
    predictors: list  # of (N, K); for the hinge, the labels
    distributions: list  # adversaries over labelings()
    upper: float
    lower: float


def fit_exact(samples, K, l2, tol=1e-8):
    """The optimum of `objective`, between ``lower`` and ``upper``, at most tol apart.

    A quadratic program in theta, one bound t_s a sample and the predictors:
    t_s >= (Phi(y) - Phi(y_s)) theta + sum_i w_i (L^T p_i)[y_i] for all y.
    """
    sizes = [s.features.shape[0] * K for s in samples]
    gains = [_gains(s, K) for s in samples]
    theta, p, q = _solve_training(samples, K, l2, gains, [0.0] * len(samples))
    starts = np.cumsum([0, *sizes])
    predictors = [
        as_distributions(p[a:b].reshape(-1, K)) for a, b in itertools.pairwise(starts)
    ]
    nodes, edges = marginals(samples, K, q)
    upper = upper_bound(samples, K, theta, predictors, l2)
    lower = lower_bound(samples, K, nodes, edges, l2)
    assert upper - lower <= tol, (upper, lower)
    return Fit(theta, predictors, q, upper, lower)


def fit_exact_hinge(samples, K, l2, tol=1e-8):
    """The optimum of `hinge_objective`, likewise."""
    costs = [
        total_cost(labelings(len(s.labels), K), s.labels, s.cost, s.weight)
        for s in samples
    ]
    gains = [np.zeros((len(c), 0)) for c in costs]
    theta, _, q = _solve_training(samples, K, l2, gains, costs)
    deviation = _mean_deviation(samples, K, *marginals(samples, K, q))
    expected = np.mean([a @ b for a, b in zip(q, costs, strict=True)])
    lower = expected - deviation @ deviation / (2 * l2)
    upper = hinge_objective(samples, K, theta, l2)
    assert upper - lower <= tol, (upper, lower)
    return Fit(theta, [np.eye(K)[s.labels] for s in samples], q, upper, lower)


def marginals(samples, K, distributions):
    """Node (N, K) and edge (M, K, K) marginals of each sample's distribution."""
    nodes, edges = [], []
    for s, q in zip(samples, distributions, strict=True):
        ys = labelings(len(s.labels), K)
        nodes.append(np.tensordot(q, node_indicators(ys, K), axes=1))
        edges.append(np.tensordot(q, edge_indicators(ys, s.edges, K), axes=1))
    return nodes, edges


def _gains(sample, K):
    """What each labeling gains by one unit of each entry of the predictor."""
    N = len(sample.labels)
    ys = labelings(N, K)
    costs = weighted_costs(sample.cost, sample.weight, N)
    table = np.zeros((len(ys), N, N, K))
    for i in range(N):
        table[:, i, i] = costs[i][:, ys[:, i]].T
    return table.sum(axis=1).reshape(len(ys), N * K)


def _solve_training(samples, K, l2, gains, costs):
    """theta, all predictors' entries, and each sample's multipliers of its rows."""
    n, n_theta = len(samples), len(true_moments(samples[0], K))
    n_p = sum(g.shape[1] for g in gains)
    rows, right, column = [], [], n_theta + n
    for i, (s, gain) in enumerate(zip(samples, gains, strict=True)):
        ys = labelings(len(s.labels), K)
        row = np.zeros((len(ys), n_theta + n + n_p))
        row[:, :n_theta] = labeling_moments(s, ys, K) - true_moments(s, K)
        row[:, n_theta + i] = -1
        row[:, column : column + gain.shape[1]] = gain
        column += gain.shape[1]
        rows.append(row)
        right.append(np.broadcast_to(-np.asarray(costs[i]), len(ys)))
    of_p = np.eye(n_theta + n + n_p)[n_theta + n :]
    sums = np.repeat(np.eye(n_p // K), K, axis=1)
    x, z = solve_qp(
        np.append(np.full(n_theta, float(l2)), np.zeros(n + n_p)),
        np.concatenate([np.zeros(n_theta), np.full(n, 1 / n), np.zeros(n_p)]),
        np.vstack([*rows, -of_p]),
        np.concatenate([*right, np.zeros(n_p)]),
        np.hstack([np.zeros((n_p // K, n_theta + n)), sums]),
        np.ones(n_p // K),
    )
    ends = np.cumsum([0, *map(len, rows)])
    q = [as_distributions(z[a:b]) for a, b in itertools.pairwise(ends)]
    return x[:n_theta], x[n_theta + n :], q

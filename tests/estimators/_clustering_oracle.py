"""Clusterers of tables by loops over rows, from the definitions alone."""

from itertools import product
from math import exp, log, sqrt

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma

__all__ = [
    "Em",
    "Model",
    "TypeEm",
    "assert_same_fit",
    "distinct_rows",
    "history",
    "pitman_yor",
    "project",
    "reverse_model",
    "table",
    "view_model",
]

NEW = object()
TINY = 1e-300  # of what no row of any category has


def table(n_rows=40, *, n_phrases=5, n_values=(4, 3), seed=0, words=1):
    """Rows of text whose phrases differ in size; contexts lean on the phrase."""
    rng = np.random.default_rng(seed)
    phrase = (n_phrases * rng.random(n_rows) ** 2).astype(int)
    columns = [[" ".join([f"p{p % 3}"] * (words - 1) + [f"p{p}"]) for p in phrase]]
    for s, n in enumerate(n_values):
        value = np.where(rng.random(n_rows) < 0.5, phrase, rng.integers(n, size=n_rows))
        columns.append([f"c{s}{v % n}" for v in value])
    return np.array(columns, dtype=object).T


def distinct_rows(X, weight, min_count=2):
    """Rows that differ, sorted, of phrases that occur enough; their weights."""
    total, merged = {}, {}
    for row, w in zip(map(tuple, X), weight, strict=True):
        total[row[0]] = total.get(row[0], 0) + w
        if w > 0:
            merged[row] = merged.get(row, 0) + w
    rows = sorted(row for row in merged if total[row[0]] >= min_count - 1e-9)
    return rows, [merged[row] for row in rows]


class Model:
    """P(z | key) and P_s(c | z), as dicts of lists over z."""

    def __init__(self, key, slots, values, alpha):
        self.key, self.slots, self.values, self.alpha = key, slots, values, alpha

    def learn(self, rows, weight, q):
        K = len(q[0])
        counts = {}
        tables = [{v: [0.0] * K for v in values} for values in self.values]
        for row, w, own in zip(rows, weight, q, strict=True):
            for z in range(K):
                counts.setdefault(self.key(row), [0.0] * K)[z] += w * own[z]
                for slot, found in zip(self.slots, tables, strict=True):
                    found[slot(row)][z] += w * own[z]
        self.share = {k: [n / sum(c) for n in c] for k, c in counts.items()}
        total = np.sum(list(counts.values()), axis=0)
        self.new_share = (total / total.sum()).tolist()
        self.tables, self.new = [], []
        for found in tables:
            mass = [
                sum(c[z] for c in found.values()) + self.alpha * len(found)
                for z in range(K)
            ]
            self.tables.append(
                {
                    v: [max((c[z] + self.alpha) / mass[z], TINY) for z in range(K)]
                    for v, c in found.items()
                }
            )
            self.new.append([self.alpha / m if self.alpha else 1.0 for m in mass])

    def contexts(self, row):
        """Product over slots of P_s(c_s | z), for each z."""
        out = [1.0] * len(self.new_share)
        for slot, found, new in zip(self.slots, self.tables, self.new, strict=True):
            own = found.get(slot(row), new)
            out = [a * b for a, b in zip(out, own, strict=True)]
        return out

    def joint(self, row):
        share = self.share.get(self.key(row), self.new_share)
        return [a * b for a, b in zip(share, self.contexts(row), strict=True)]

    def log_prior(self):
        return self.alpha * sum(
            log(p) for found in self.tables for own in found.values() for p in own
        )


def _values(X, weight, column):
    kept = (row for row, w in zip(X, weight, strict=True) if w > 0)
    return {row[column] for row in kept}


def _at(column):
    return lambda row: row[column]


def view_model(X, weight, alpha, key=0, slots=None):
    """The model of a column of phrases and columns of contexts."""
    slots = range(1, len(X[0])) if slots is None else slots
    values = [_values(X, weight, s) for s in slots]
    return Model(_at(key), [_at(s) for s in slots], values, alpha)


def reverse_model(X, weight, alpha):
    """Contexts have categories, which give first and last word of the phrase."""
    phrases = _values(X, weight, 0)

    def end(k):
        return lambda r: r[0].split(" ")[k] if r[0] in phrases else NEW

    values = [{phrase.split(" ")[k] for phrase in phrases} for k in (0, -1)]
    return Model(lambda row: row[1:], [end(0), end(-1)], values, alpha)


def project(p, weight, sigma):
    """min_q sum_i n_i KL(q_i || p_i) + sigma sum_z max_i q_i(z), by a solver."""
    p, weight = np.asarray(p), np.asarray(weight)
    n, K = p.shape
    start = np.concatenate([p.ravel(), p.max(axis=0)])

    def value(x):
        q = np.maximum(x[: n * K].reshape(n, K), 1e-15)
        kl = (weight[:, None] * q * np.log(q / p)).sum()
        slope = weight[:, None] * (np.log(q / p) + 1)
        return kl + sigma * x[n * K :].sum(), np.append(slope, np.full(K, sigma))

    below = np.hstack([-np.eye(n * K), np.tile(np.eye(K), (n, 1))])
    rows = np.hstack([np.kron(np.eye(n), np.ones(K)), np.zeros((n, K))])
    found = minimize(
        value,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(1e-14, 1)] * len(start),
        constraints=[
            {"type": "ineq", "fun": lambda x: below @ x, "jac": lambda x: below},
            {"type": "eq", "fun": lambda x: rows @ x - 1, "jac": lambda x: rows},
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return found.x[: n * K].reshape(n, K)


class Em:
    """EM of one model, or of two that agree, from posteriors of the rows.

    ``sigma`` None is no sparsity; it sets in after ``warmup`` iterations.
    """

    def __init__(self, rows, weight, models, q, *, sigma=None, warmup=0, n_iter=1):
        self.rows, self.weight, self.models = rows, weight, models
        self.history = []
        for n in range(n_iter):
            for model in models:
                model.learn(rows, weight, q)
            q = [self.posterior(row) for row in rows]
            penalty = 0.0
            if sigma is not None and n >= warmup:
                q, penalty = self.projected(q, sigma)
            self.penalty, self.q = penalty, q
            total = sum(weight)
            prior = sum(model.log_prior() for model in models)
            likelihood = self.likelihood()
            self.history.append(
                {
                    "likelihood": likelihood / total,
                    "penalty": penalty / total,
                    "objective": (likelihood - penalty + prior) / total,
                }
            )

    def mixed(self, row):
        """Joint probabilities, or their geometric mean over models."""
        joint = [model.joint(row) for model in self.models]
        return (
            joint[0]
            if len(joint) == 1
            else [sqrt(a * b) for a, b in zip(*joint, strict=True)]
        )

    def posterior(self, row):
        own = self.mixed(row)
        return [p / sum(own) for p in own]

    def likelihood(self):
        return len(self.models) * sum(
            w * log(sum(self.mixed(row)))
            for row, w in zip(self.rows, self.weight, strict=True)
        )

    def agreement(self):
        """L1 + L2 + 2 sum_i n_i log B_i, with B = sum_z sqrt(P1(z) P2(z))."""
        out = 0.0
        for row, w in zip(self.rows, self.weight, strict=True):
            a, b = (model.joint(row) for model in self.models)
            shared = sum(
                sqrt(x / sum(a) * y / sum(b)) for x, y in zip(a, b, strict=True)
            )
            out += w * (log(sum(a)) + log(sum(b)) + 2 * log(shared))
        return out

    def projected(self, p, sigma):
        q, penalty, weight = np.array(p), 0.0, len(self.models) * np.array(self.weight)
        phrases = [row[0] for row in self.rows]
        for phrase in sorted(set(phrases)):
            own = [i for i, name in enumerate(phrases) if name == phrase]
            q[own] = project(np.array(p)[own], weight[own], sigma)
            used = q[own] * np.log(q[own] / np.array(p)[own])
            penalty += weight[own] @ used.sum(axis=1) + sigma * q[own].max(axis=0).sum()
        return q.tolist(), penalty


class TypeEm:
    """EM of one category for each phrase, by enumeration of categories."""

    def __init__(self, rows, weight, model, q, n_iter):
        self.rows, self.weight, self.model = rows, weight, model
        self.phrases = sorted({row[0] for row in rows})
        K, total, self.history = len(q[0]), sum(weight), []
        for _ in range(n_iter):
            self.share = np.mean(q, axis=0)
            known = dict(zip(self.phrases, q, strict=True))
            model.learn(rows, weight, [known[row[0]] for row in rows])
            self.evidence = [
                [self.share[z] * exp(self.log_rows(p, z)) for z in range(K)]
                for p in self.phrases
            ]
            q = [[p / sum(own) for p in own] for own in self.evidence]
            likelihood = sum(log(sum(own)) for own in self.evidence)
            self.history.append((likelihood + model.log_prior()) / total)
        self.q = q

    def log_rows(self, phrase, z):
        return sum(
            w * log(self.model.contexts(row)[z])
            for row, w in zip(self.rows, self.weight, strict=True)
            if row[0] == phrase
        )

    def enumerated(self):
        """Sum over all ways to give each phrase one category."""
        K = len(self.share)
        return sum(
            np.prod([own[z] for own, z in zip(self.evidence, ways, strict=True)])
            for ways in product(range(K), repeat=len(self.phrases))
        )


def sticks(tables, gamma, discount):
    """Means of shares: sticks are broken in the order of falling numbers of tables."""
    order = sorted(range(len(tables)), key=lambda k: -tables[k])
    shares, left = [0.0] * len(tables), 1.0
    for rank, k in enumerate(order[:-1]):
        later = sum(tables[j] for j in order[rank + 1 :])
        a, b = 1 - discount + tables[k], gamma + (rank + 1) * discount + later
        shares[k] = left * a / (a + b)
        left -= shares[k]
    shares[order[-1]] = left
    return shares


def pitman_yor(rows, weight, model, q, *, gamma, discount, a, n_iter):
    """Variational inference; posteriors, P(z | phrase), shares and objectives."""
    K, total, objectives = len(q[0]), sum(weight), []
    beta = [1 / K] * K
    for _ in range(n_iter):
        model.learn(rows, weight, q)
        counts = {}
        for row, w, own in zip(rows, weight, q, strict=True):
            counts.setdefault(row[0], np.zeros(K))
            counts[row[0]] += w * np.array(own)
        tables = [
            sum(
                a * beta[z] * (digamma(a * beta[z] + n[z]) - digamma(a * beta[z]))
                for n in counts.values()
            )
            for z in range(K)
        ]
        beta = sticks(tables, gamma, discount)
        value, q = 0.0, []
        for row, w in zip(rows, weight, strict=True):
            n = counts[row[0]]
            theta = [
                exp(digamma(a * beta[z] + n[z]) - digamma(a + sum(n))) for z in range(K)
            ]
            joint = [x * y for x, y in zip(theta, model.contexts(row), strict=True)]
            value += w * log(sum(joint))
            q.append([p / sum(joint) for p in joint])
        objectives.append((value + model.log_prior()) / total)
    theta = {
        phrase: [(a * beta[z] + n[z]) / (a + sum(n)) for z in range(K)]
        for phrase, n in counts.items()
    }
    return q, theta, beta, objectives


def history(model, name="objective"):
    return np.array([record[name] for record in model.history_])


def assert_same_fit(a, b, **close):
    """Two fits are alike: exactly, or within ``close``."""
    close = {"rtol": 0, "atol": 0} | close
    np.testing.assert_array_equal(a.phrases_, b.phrases_)
    for name in ("cluster_given_phrase_", "context_given_cluster_"):
        for x, y in zip(getattr(a, name), getattr(b, name), strict=True):
            np.testing.assert_allclose(x, y, **close)
    np.testing.assert_allclose(history(a), history(b), **close)

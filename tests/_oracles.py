"""Brute force over all labels of a short chain or graph; shares no code with skstruct.

A chain is given by log-potentials: node (T, K), edge (K, K) or (T, K, K) whose entry t
leads into token t (entry 0 is ignored), start (K,), stop (K,). Order 2 has edge
(K, K, K), indexed by the states of three neighbours, and second (K, K) from the first
to the second token. None adds nothing; -inf forbids.
"""

import itertools

import numpy as np
from scipy.optimize import minimize


def enumerate_paths(T, K):
    """All label sequences, lexicographically, (K ** T, T); for T = 0 one, empty."""
    paths = list(itertools.product(range(K), repeat=T))
    return np.array(paths, dtype=np.intp).reshape(len(paths), T)


def chain_scores(paths, node, edge, start=None, stop=None, second=None, order=1):
    """Log-potential of each path, (n_paths,)."""
    T = paths.shape[1]
    scores = np.zeros(len(paths))
    for i, y in enumerate(paths):
        terms = [node[t, y[t]] for t in range(T)]
        if T and start is not None:
            terms.append(start[y[0]])
        if T and stop is not None:
            terms.append(stop[y[-1]])
        if order == 1:
            table = np.asarray(edge)
            terms += [
                (table[t] if table.ndim == 3 else table)[y[t - 1], y[t]]
                for t in range(1, T)
            ]
        else:
            if T > 1 and second is not None:
                terms.append(second[y[0], y[1]])
            terms += [edge[y[t - 2], y[t - 1], y[t]] for t in range(2, T)]
        scores[i] = sum(terms)
    return scores


def log_partition(scores):
    top = scores.max()
    return top if top == -np.inf else top + np.log(np.exp(scores - top).sum())


def probabilities(scores):
    """p(path); all zero where every path is forbidden."""
    z = log_partition(scores)
    return np.zeros(len(scores)) if z == -np.inf else np.exp(scores - z)


def _marginals(paths, scores, K, width):
    """Probability of each tuple of states that ends at t, (T, K, ..., K)."""
    T = paths.shape[1]
    out = np.zeros((T,) + (K,) * width)
    for y, p in zip(paths, probabilities(scores), strict=True):
        for t in range(width - 1, T):
            out[(t, *y[t - width + 1 : t + 1])] += p
    return out


def node_marginals(paths, scores, K):
    return _marginals(paths, scores, K, 1)


def edge_marginals(paths, scores, K):
    """p(y[t-1] = j, y[t] = k) at [t, j, k]; entry 0 is zero."""
    return _marginals(paths, scores, K, 2)


def triple_marginals(paths, scores, K):
    """p(y[t-2] = u, y[t-1] = v, y[t] = w) at [t, u, v, w]; entries 0, 1 are zero."""
    return _marginals(paths, scores, K, 3)


def k_best(paths, scores, k):
    """The (at most) k best possible paths and their scores, best first."""
    best = np.argsort(-scores, kind="stable")[:k]
    best = best[scores[best] > -np.inf]
    return scores[best], paths[best]


def argmax(paths, scores):
    """Best score and path; among equals the lexicographically first."""
    best = int(scores.argmax())
    return scores[best], paths[best]


def entropy(scores):
    p = probabilities(scores)
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def filtered(node, edge, start=None, second=None, order=1):
    """p(y[t] | potentials of tokens 0..t), (T, K); zero after an impossible prefix."""
    T, K = node.shape
    out = np.zeros((T, K))
    for t in range(T):
        paths = enumerate_paths(t + 1, K)
        scores = chain_scores(paths, node, edge, start, second=second, order=order)
        out[t] = node_marginals(paths, scores, K)[t]
    return out


def enumerate_links(n_source, n_target, direction):
    """All alignments of a sentence pair, bool (n_alignments, n_source * n_target).

    Forward: each target word has one link to a source word or none; reverse: each
    source word has one to a target word or none. Links are source-major.
    """
    words = (n_source, n_target) if direction == "forward" else (n_target, n_source)
    out = []
    for chosen in itertools.product(range(-1, words[0]), repeat=words[1]):
        links = np.zeros(words, dtype=bool)
        for word, choice in enumerate(chosen):
            if choice >= 0:
                links[choice, word] = True
        out.append((links if direction == "forward" else links.T).ravel())
    return np.array(out)


def symmetrized(forward, reverse, method):
    """Links of one pair joined by a heuristic, from sets of (source, target)."""
    if method in ("forward", "reverse"):
        return set(forward if method == "forward" else reverse)
    union = sorted(forward | reverse)
    if method == "union":
        return set(union)
    alignment = forward & reverse
    if method == "intersection":
        return alignment

    def n_free(i, j):
        return all(s != i for s, _ in alignment) + all(t != j for _, t in alignment)

    def is_beside(i, j):
        return any(max(abs(s - i), abs(t - j)) == 1 for s, t in alignment)

    before = None
    while before != len(alignment):
        before = len(alignment)
        for i, j in union:
            if (i, j) not in alignment and n_free(i, j) and is_beside(i, j):
                alignment = alignment | {(i, j)}
    least = {"grow-diag": 3, "grow-diag-final": 1, "grow-diag-final-and": 2}[method]
    for i, j in sorted(forward) + sorted(reverse):
        if n_free(i, j) >= least:
            alignment = alignment | {(i, j)}
    return alignment


def alignment_paths(node, null, jump, groups, local):
    """All alignments of one pair: positions by token (0: NULL), log-potentials, jumps.

    ``node`` (J, K); ``null`` (J,) or None; ``jump`` (G, 2 M + 1), by d = position -
    last real position (0 at the start), clipped; row ``groups[i - 1]`` where the last
    one is i, row 0 where it is 0. ``local`` normalises jumps over the K positions,
    otherwise a jump to K + 1 follows the last token, if there are positions. The jumps
    of a path are pairs (row, column).
    """
    J, K = node.shape
    M = jump.shape[1] // 2

    def entry(last, position):
        row = groups[last - 1] if last else 0
        return row, M + min(max(position - last, -M), M)

    def transition(last, position):
        value = jump[entry(last, position)]
        if not local or value == -np.inf:
            return value
        others = np.array([jump[entry(last, k)] for k in range(1, K + 1)])
        return value - log_partition(others)

    out = []
    for y in itertools.product(range(0 if null is not None else 1, K + 1), repeat=J):
        last, score, jumps = 0, 0.0, []
        for j, k in enumerate(y):
            if k == 0:
                score += null[j]
            else:
                score += node[j, k - 1] + transition(last, k)
                jumps.append(entry(last, k))
                last = k
        if J and K and not local:
            score += jump[entry(last, K + 1)]
            jumps.append(entry(last, K + 1))
        out.append((y, score, jumps))
    return out


def graph_scores(labelings, node, edges, edge):
    """Log-potential of labelings (m, n) of a graph.

    node (n, K); edges (M, 2), edge (u, v) has potential B[y_u, y_v]; edge (K, K), the
    same for all, or (M, K, K).
    """
    n, K = node.shape
    tables = np.broadcast_to(edge, (len(edges), K, K))
    scores = node[np.arange(n), labelings].sum(axis=1)
    for (u, v), table in zip(edges, tables, strict=True):
        scores = scores + table[labelings[:, u], labelings[:, v]]
    return scores


def graph_edge_marginals(labelings, scores, edges, K):
    """p(y_u = a, y_v = b) of every edge (u, v), (M, K, K)."""
    out = np.zeros((len(edges), K, K))
    p = probabilities(scores)
    for table, (u, v) in zip(out, edges, strict=True):
        np.add.at(table, (labelings[:, u], labelings[:, v]), p)
    return out


def first_argmax(labelings, scores, order):
    """Of the best labelings, the first one by the labels of nodes in this order."""
    best = labelings[scores == scores.max()]
    return min(best, key=lambda labels: labels[order].tolist())


def augmented_scores(labelings, scores, cost, weight, predictor):
    """Scores plus w_i p_i^T cost_i[:, y_i] of every node.

    cost (n, K, K) is ``cost[i, predicted, adversary]``; weight (n,), predictor (n, K).
    """
    gains = weight[:, None] * np.einsum("iac,ia->ic", cost, predictor)
    return scores + gains[np.arange(len(weight)), labelings].sum(axis=1)


def game_optimum(labelings, scores, cost, weight):
    """Least log-partition of the augmented scores over all predictors.

    Returns the value at the best predictor that was found, and how much lower the
    minimum could be at most.
    """
    n, K = cost.shape[:2]

    def value(p):
        return augmented_scores(labelings, scores, cost, weight, p.reshape(n, K))

    def slope(p):
        r = node_marginals(labelings, value(p), K)
        return weight[:, None] * np.einsum("iac,ic->ia", cost, r)

    found = minimize(
        lambda p: log_partition(value(p)),
        np.full(n * K, 1 / K),
        jac=lambda p: slope(p).ravel(),
        method="SLSQP",
        bounds=[(0, 1)] * (n * K),
        constraints={
            "type": "eq",
            "fun": lambda p: p.reshape(n, K).sum(axis=1) - 1,
            "jac": lambda p: np.kron(np.eye(n), np.ones(K)),
        },
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    p = np.maximum(found.x.reshape(n, K), 0)
    p = p / p.sum(axis=1, keepdims=True)
    gap = (p * slope(p)).sum() - slope(p).min(axis=1).sum()
    return log_partition(value(p)), gap


def zero_one_game(psi):
    """Value of one node's game under zero-one loss, with log-potentials psi (K,).

    max over adversaries of P(wrong) + <adversary, psi>: the best is uniform on a set.
    """
    sets = itertools.chain.from_iterable(
        itertools.combinations(psi, n) for n in range(1, len(psi) + 1)
    )
    return max((sum(s) + len(s) - 1) / len(s) for s in sets)


def absolute_game(psi, values):
    """Likewise under absolute loss: the best is uniform on two labels, or on one."""
    return max(
        (psi[i] + psi[j] + values[j] - values[i]) / 2
        for i in range(len(psi))
        for j in range(i, len(psi))
    )

"""Tiny training sets of graphs, and fitted models as enumeration sees them."""

import numpy as np
from scipy.special import logsumexp

from skstruct.containers import GraphBatch, Ragged
from tests import _game_oracles as exact

LABELS = np.array(["a", "b", "c"])
# Local edges and number of nodes of each sample.
FORESTS = [
    (3, [(0, 1), (1, 2)]),
    (4, [(2, 0), (2, 3), (1, 2)]),
    (1, []),
    (3, [(1, 0)]),
    (2, [(1, 0)]),
]
LOOPY = [(3, [(0, 1), (2, 1), (2, 0)]), (4, [(0, 1), (1, 2), (2, 3), (3, 0)]), (2, [])]
COST = np.array([[0.0, 1.0, 3.0], [0.5, 0.0, 1.0], [2.0, 4.0, 0.0]])


class TinySet:
    """Random features of nodes (and edges), and labels that depend on them.

    Parameters
    ----------
    shapes : list of (n_nodes, edges)
        The graphs.
    n_edge_features : int or None
        How many features edges have.
    n_classes : int
        Labels used.
    """

    def __init__(self, shapes=FORESTS, n_edge_features=None, n_classes=3, seed=0):
        rng = np.random.default_rng(seed)
        self.n_classes, graphs, self.codes = n_classes, [], []
        for n_nodes, edges in shapes:
            labels = rng.integers(n_classes, size=n_nodes)
            features = rng.normal(size=(n_nodes, 2)) + labels[:, None] * [0.8, -0.3]
            extra = ()
            if n_edge_features is not None:
                extra = (rng.normal(size=(len(edges), n_edge_features)),)
            graphs.append((features, edges, *extra))
            self.codes.append(labels)
        self.X = GraphBatch(graphs)
        self.y = [LABELS[codes].tolist() for codes in self.codes]

    def weights(self, seed=0):
        """Some weights of nodes, among them zeros, as a list and a Ragged."""
        rng = np.random.default_rng(seed)
        return Ragged([rng.choice([0.0, 0.5, 2.0], len(c)) for c in self.codes])

    def samples(self, cost, node_weight=None, sample_weight=None):
        """As the oracle reads them; cost is cost[true, predicted], one or a node's.

        Weights of samples must be integers: samples are repeated.
        """
        out = []
        for i, codes in enumerate(self.codes):
            features, edges, *extra = self.X[i]
            table = np.asarray(cost[i] if isinstance(cost, list) else cost)
            # A constant feature is the intercept, and one of edges the transition.
            ones = np.ones((len(edges), 1))
            sample = exact.Sample(
                np.hstack([features, np.ones((len(codes), 1))]),
                np.reshape(edges, (-1, 2)).astype(int),
                codes,
                np.swapaxes(table, -1, -2),
                None if node_weight is None else np.asarray(node_weight[i]),
                np.hstack([ones, *extra]),
            )
            n_times = 1 if sample_weight is None else sample_weight[i]
            out += [sample] * n_times
        return out


def theta(model):
    """Weights of a fitted model in the order of the oracle."""
    coef = np.column_stack([model.coef_, model.intercept_])
    edge = [model.transition_coef_[None], getattr(model, "edge_coef_", None)]
    edge = np.concatenate([part for part in edge if part is not None])
    return np.concatenate([coef.ravel(), edge.ravel()])


def log_loss(samples, K, weights, l2):
    """The objective of a conditional random field."""
    losses = []
    for s in samples:
        parts = exact.potentials(weights, s, K)
        scores = exact.scores(exact.labelings(len(s.labels), K), *parts)
        losses.append(logsumexp(scores) - exact.scores(s.labels[None], *parts)[0])
    return np.mean(losses) + l2 / 2 * weights @ weights


def log_loss_gradient(samples, K, weights, l2):
    """Its gradient."""
    parts = []
    for s in samples:
        ys = exact.labelings(len(s.labels), K)
        scores = exact.scores(ys, *exact.potentials(weights, s, K))
        p = np.exp(scores - logsumexp(scores))
        moments = exact.labeling_moments(s, ys, K)
        parts.append(p @ moments - exact.true_moments(s, K))
    return np.mean(parts, axis=0) + l2 * weights

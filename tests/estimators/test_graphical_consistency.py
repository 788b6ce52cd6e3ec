"""What graphical models decide where the truth is known in full."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skstruct import (
    AdversarialGraphicalModel,
    ConditionalRandomField,
    GraphBatch,
    StructuredSVM,
)
from skstruct.losses import Absolute, ZeroOne

# Little enough to see the limit, and not too little for the solver.
L2 = 1e-3


def fit_one_node(model, p):
    """Fit to labels 0, 1, ... of probabilities p; nothing is known but their share."""
    n = len(p)
    return model.fit(np.zeros((n, 1)), np.arange(n), sample_weight=p)


def decisions(model):
    """By scores, and by the predictor's strategy."""
    node = np.zeros((1, 1))
    strategy = model.predict_equilibrium(node)[0]
    return model.predict(node)[0], strategy.argmax(), strategy


class TestWithoutMajority:
    """No label has one half: the hinge says nothing, the game does."""

    def test_the_hinge_is_tied(self):
        model = fit_one_node(StructuredSVM(l2=L2), [0.35, 0.25, 0.4])
        # Margins are not worth their price in any direction.
        assert_allclose(model.intercept_, 0, atol=0.02)
        # All tied but for the tolerance, the objective is that of zero weights: 1.
        zero = model.surrogate(np.zeros((3, 1)), [0, 1, 2], [0.35, 0.25, 0.4])
        assert zero == pytest.approx(1, abs=0.02)

    @pytest.mark.parametrize(
        ("p", "best"), [((0.4, 0.35, 0.25), 0), ((0.35, 0.25, 0.4), 2)]
    )
    def test_the_game_finds_the_best_label(self, p, best):
        model = fit_one_node(AdversarialGraphicalModel(l2=L2, tol=1e-4), p)
        # The optimum is 2/3 for the best label and -1/3 for others.
        expected = np.where(np.arange(3) == best, 2 / 3, -1 / 3)
        assert_allclose(model.intercept_, expected, atol=0.02)
        by_scores, by_strategy, strategy = decisions(model)
        assert by_scores == by_strategy == best
        assert strategy[best] > 0.99
        # The surrogate is the least risk, 1 - max p.
        value = model.surrogate(np.zeros((3, 1)), [0, 1, 2], p)
        assert value == pytest.approx(0.6, abs=0.01)

    @pytest.mark.parametrize("seed", range(4))
    def test_any_such_distribution(self, seed):
        p = np.random.default_rng(seed).dirichlet(np.full(4, 20.0))
        assert p.max() < 0.5
        model = fit_one_node(AdversarialGraphicalModel(l2=L2, tol=1e-3), p)
        assert decisions(model)[0] == decisions(model)[1] == p.argmax()
        hinge = fit_one_node(StructuredSVM(l2=L2), p)
        assert np.ptp(hinge.intercept_) < 0.05


@pytest.mark.parametrize(
    ("p", "median"), [((0.3, 0.15, 0.1, 0.45), 2), ((0.1, 0.45, 0.1, 0.05, 0.3), 1)]
)
def test_absolute_costs_give_the_median(p, median):
    """The first has its mode at 3, and a mean of 1.7."""
    model = AdversarialGraphicalModel("absolute", l2=L2, tol=1e-4)
    by_scores, by_strategy, strategy = decisions(fit_one_node(model, p))
    assert by_scores == by_strategy == median
    assert strategy[median] > 0.99


def test_two_medians():
    """Between 2 and 3 all is alike."""
    model = AdversarialGraphicalModel("absolute", l2=L2, tol=1e-4)
    fit_one_node(model, (0.4, 0.05, 0.05, 0.1, 0.4))
    by_scores, by_strategy, strategy = decisions(model)
    assert by_scores in (2, 3) and by_strategy in (2, 3)
    assert strategy[2:4].sum() > 0.99


@pytest.mark.parametrize("seed", [1, 5, 7])
def test_any_costs(seed):
    rng = np.random.default_rng(seed)
    cost = rng.uniform(0.5, 2, size=(3, 3)) * (1 - np.eye(3))
    p = rng.dirichlet(np.full(3, 5.0))
    risks = p @ cost
    assert np.diff(np.sort(risks))[0] > 0.05
    model = AdversarialGraphicalModel(cost, l2=L2, tol=1e-3)
    by_scores, by_strategy, _ = decisions(fit_one_node(model, p))
    assert by_scores == by_strategy == risks.argmin()
    crf = fit_one_node(ConditionalRandomField(cost, l2=1e-6), p)
    assert crf.predict(np.zeros((1, 1)))[0] == risks.argmin()


def test_pairs_of_nodes():
    """The best label of each node, though no labelling has a majority."""
    labelings = list(itertools.product(range(3), repeat=2))
    p = np.random.default_rng(1).dirichlet(np.full(9, 4.0))
    table = p.reshape(3, 3)
    best = [table.sum(axis=1).argmax(), table.sum(axis=0).argmax()]
    assert max(table.sum(axis=1).max(), table.sum(axis=0).max()) < 0.5
    X = [np.eye(2)] * 9  # which node it is
    model = AdversarialGraphicalModel(l2=L2, tol=1e-3).fit(X, labelings, p)
    assert model.predict(X[:1])[0].tolist() == best
    assert model.predict_equilibrium(X[:1])[0].argmax(axis=1).tolist() == best


class TestWeightsByPosition:
    """Weights of nodes are margins: where they differ, so may decisions.

    First nodes have the feature u = (1, 0), second ones v = (0, 1), both of label
    "b"; -u and -v are of "a". There are no edges, and all margins can be had. So the
    difference of scores, b less a, is w_1 at u and w_2 at v: 1 and 1, or 2/3 and 4/3
    where weights are by position. It is 5/4 w_1 - w_2 at the new node (5/4, -1): 1/4,
    which is "b", or -1/2, which is "a".
    """

    X = GraphBatch([(np.eye(2), []), (-np.eye(2), [])])
    y = (("b", "b"), ("a", "a"))
    new = GraphBatch([([[1.25, -1.0]], [])])

    @pytest.mark.parametrize("weight", [None, "position"])
    @pytest.mark.parametrize("estimator", [AdversarialGraphicalModel, StructuredSVM])
    def test_decisions(self, estimator, weight):
        model = estimator(ZeroOne(weight=weight), l2=0.01, tol=1e-3)
        model.fit(self.X, self.y)
        difference = model.coef_[1] - model.coef_[0]
        expected = [1, 1] if weight is None else [2 / 3, 4 / 3]
        assert_allclose(difference, expected, atol=0.05)
        assert model.predict(self.new)[0].tolist() == ["b" if weight is None else "a"]

    def test_weights_of_nodes_do_the_same(self):
        by_rule = AdversarialGraphicalModel(ZeroOne(weight="position"), l2=0.01)
        by_rule.fit(self.X, self.y)
        weights = [[2 / 3, 4 / 3]] * 2
        by_hand = AdversarialGraphicalModel(l2=0.01)
        by_hand.fit(self.X, self.y, node_weight=weights)
        assert_allclose(by_hand.coef_, by_rule.coef_, atol=1e-12)
        assert by_hand.predict(self.new)[0].tolist() == ["a"]

    def test_likelihood_does_not_care(self):
        one, two = (
            ConditionalRandomField(ZeroOne(weight=w)).fit(self.X, self.y)
            for w in (None, "position")
        )
        assert_allclose(one.coef_, two.coef_)
        assert two.predict(self.new)[0].tolist() == ["b"]


def test_scores_weigh_nodes_by_the_rule_of_the_loss():
    X, y = [np.array([[0.0], [1.0], [2.0]])], [[0, 1, 1]]
    model = ConditionalRandomField(Absolute(weight="position"), l2=10.0).fit(X, y)
    assert model.predict(X)[0].tolist() == [1, 1, 1]
    # One mistake at the first of positions 1, 2 and 3.
    assert model.score(X, y) == pytest.approx(1 - 1 / 6)

"""How fitted models are judged: classes, labels -1, weights of nodes."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from skstruct import AdversarialGraphicalModel, ConditionalRandomField, StructuredSVM
from skstruct.losses import CostMatrix, Loss
from skstruct.metrics import make_loss_scorer, mean_additive_loss

MODELS = {
    "crf": ConditionalRandomField(),
    "svm": StructuredSVM(tol=0.1),
    "game": AdversarialGraphicalModel(tol=0.1),
}
X = [["a", "b", "c"], ["b"], ["c", "a"]]
Y = [["A", "B", "C"], ["B"], ["C", "A"]]
COST = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [3.0, 5.0, 0.0]])


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param])


class Ranks(Loss):
    """Labels are as far apart as they stand in the order of the classes."""

    def cost(self, classes):
        place = np.arange(len(classes))
        return np.abs(np.subtract.outer(place, place)).astype(float)


@pytest.mark.parametrize("loss", [COST, Ranks(), CostMatrix(COST)], ids=str)
def test_a_fold_that_lacks_a_class(model, loss):
    model.set_params(loss=loss, classes=[*"ABC"]).fit(X, Y)
    cost, truth = model.cost_, [["A", "C", "C"]]
    predicted = ["ABC".index(label) for label in model.predict(X[:1])[0]]
    expected = cost[[0, 2, 2], predicted].mean()
    assert expected > 0
    assert model.score(X[:1], truth) == pytest.approx(1 - expected / cost.max())
    for judged in (model, make_pipeline(FunctionTransformer(), model)):
        found = make_loss_scorer(loss)(judged, X[:1], truth)
        assert found == pytest.approx(-expected)


def test_labels_that_training_lacked(model):
    truth = [["A", "D", "C"]]
    assert model.fit(X, Y).score(X[:1], truth) == pytest.approx(2 / 3)
    assert make_loss_scorer("zero_one")(model, X[:1], truth) == pytest.approx(-1 / 3)
    # Two numbers cost what they cost; of ranks and tables nobody can tell.
    numbers = clone(model).set_params(loss="absolute")
    numbers.fit(X, [[0, 1, 2], [1], [2, 0]])
    score = numbers.score(X[:1], [[0, 5, 2]])
    assert score == pytest.approx(1 - 4 / 3 / 2)
    for loss in (Ranks(), COST):
        model.set_params(loss=loss, classes=[*"ABC"]).fit(X, Y)
        with pytest.raises(ValueError, match=r"label 'D'.*\['A', 'B', 'C'\].*classes"):
            model.score(X[:1], truth)
        with pytest.raises(ValueError, match="label 'D'"):
            make_loss_scorer(loss)(model, X[:1], truth)


def test_scorers_need_an_order_that_somebody_told(model):
    scorer = make_loss_scorer("absolute")
    with pytest.raises(ValueError, match="needs the order"):
        scorer(model.fit(X, Y), X, Y)
    model.set_params(classes=["C", "A", "B"]).fit(X, Y)
    expected = -mean_additive_loss(
        Y[:1], model.predict(X[:1]), "absolute", labels=["C", "A", "B"]
    )
    assert scorer(make_pipeline(model), X[:1], Y[:1]) == expected


def test_minus_one_is_a_label_like_others(model):
    rng = np.random.default_rng(0)
    y = [rng.choice([-1, 1], 4) for _ in range(30)]
    x = [labels[:, None] + rng.normal(size=(4, 1)) for labels in y]
    model.fit(x, y)
    wrong = np.concatenate(y) != np.concatenate(list(model.predict(x)))
    assert 0 < wrong[np.concatenate(y) == -1].mean() < 1
    assert model.score(x, y) == pytest.approx(1 - wrong.mean())
    scorer = make_loss_scorer("zero_one")
    assert scorer(model, x, y) == pytest.approx(-wrong.mean())
    search = GridSearchCV(model, {"l2": [0.1]}, scoring=scorer, cv=2)
    folds = cross_val_score(model.set_params(l2=0.1), x, y, cv=2)
    assert search.fit(x, y).best_score_ == pytest.approx(folds.mean() - 1)
    # Without labels that name it, -1 is unknown.
    assert mean_additive_loss([[-1, 1]], [[1, 1]], "zero_one") == 0
    assert mean_additive_loss([[-1, 1]], [[1, 1]], "zero_one", labels=[-1, 1]) == 0.5


def test_weights_of_nodes(model):
    model.fit(X, Y)
    wrong, weight = [["B", "B", "C"], ["B"], ["A", "A"]], [[5, 1, 1], [1], [0, 2]]
    expected = 1 - 5 / 10
    assert model.score(X, wrong, node_weight=weight) == pytest.approx(expected)
    twice = model.score(X, wrong, sample_weight=[2, 0, 0], node_weight=weight)
    assert twice == pytest.approx(1 - 5 / 7)
    loss = mean_additive_loss(wrong, Y, "zero_one", node_weight=weight)
    assert loss == pytest.approx(1 - expected)
    distance = mean_additive_loss(
        [[1, 2]], [[3, 3]], lambda t, p: np.abs(t - p), node_weight=[[1, 3]]
    )
    assert distance == 1.25
    with pytest.raises(ValueError, match="sample 0 has 1 entries, but 3 nodes"):
        model.score(X, Y, node_weight=[[1], [1], [1, 1]])
    with pytest.raises(ValueError, match="zero at all tokens"):
        mean_additive_loss([[1, None]], [[1, 1]], "zero_one", node_weight=[[0, 1]])


def test_a_crf_says_what_it_ignores():
    for name in ("node_weight", "node_cost"):
        with pytest.raises(ValueError, match=f"{name} has no effect.*score"):
            ConditionalRandomField().fit(X, Y, **{name: [[1, 1, 1], [1], [1, 1]]})


def test_score_needs_labels(model):
    with pytest.raises(ValueError, match="gold labels"):
        model.fit(X, Y).score(X)

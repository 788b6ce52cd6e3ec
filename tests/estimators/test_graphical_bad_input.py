"""Graphical models and input that is wrong, odd or extreme."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from skstruct import (
    AdversarialGraphicalModel,
    ConditionalRandomField,
    GraphBatch,
    Ragged,
    StructuredSVM,
)
from skstruct.losses import Absolute, CostMatrix, Loss
from tests.estimators._graphical_oracle import COST, LABELS, TinySet

MODELS = {
    "crf": ConditionalRandomField(),
    "svm": StructuredSVM(tol=0.5),
    "game": AdversarialGraphicalModel(tol=0.5),
    "smooth": AdversarialGraphicalModel(temperature=1.0),
    "subgradient": AdversarialGraphicalModel(
        solver="subgradient", max_iter=2, tol=10.0
    ),
}
X = [["a", "b", "c"], ["b"], ["c", "a"]]
Y = [["A", "B", "C"], ["B"], ["C", "A"]]


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param])


class Distance(Loss):
    """A loss of numbers only, which does not call the base class."""

    def __init__(self, factor=1.0):
        self.factor = factor

    def cost(self, classes):
        return self.factor * np.abs(np.subtract.outer(classes, classes))


def rejects(match, *args, model=None, **fit_params):
    """Whatever model it is, fit says what is wrong, and nothing is fitted."""
    kinds = MODELS.values() if model is None else [model]
    if not fit_params.keys().isdisjoint({"node_weight", "node_cost"}):
        kinds = [k for k in kinds if k is not MODELS["crf"]]  # it takes none
    for kind in kinds:
        fresh = clone(kind)
        with pytest.raises(ValueError, match=match):
            fresh.fit(*args, **fit_params)
        assert not [name for name in vars(fresh) if name.endswith("_")]


class TestGraphs:
    """Edges that make no graph, or one that is too wide."""

    def test_a_cycle_in_a_tree(self):
        with pytest.raises(ValueError, match="cycle"):
            GraphBatch.tree([1, 2, 0])

    @pytest.mark.parametrize("edge", [(0, 3), (-1, 0), (1, 1)])
    def test_edges_out_of_range(self, edge):
        good = (np.zeros((3, 1)), [(0, 1)])
        with pytest.raises(ValueError, match=r"[Gg]raph 1|[Ss]ample 1"):
            GraphBatch([good, (np.zeros((3, 1)), [(0, 1), edge])])

    def test_treewidth_over_the_limit(self, model):
        if getattr(model, "solver", "") == "subgradient":
            pytest.skip("serves no cycles at all")
        wide = GraphBatch([(np.zeros((9, 1)), GraphBatch.grid((3, 3)))])
        y = [[0, 1] * 4 + [0]]
        model.set_params(max_treewidth=2)
        with pytest.raises(ValueError, match="max_treewidth"):
            model.fit(wide, y)
        assert not hasattr(model, "coef_")
        # In fit all was well, in predict not.
        model.fit(GraphBatch([(np.zeros((2, 1)), [(0, 1)])]), [[0, 1]])
        with pytest.raises(ValueError, match="max_treewidth"):
            model.predict(wide)
        assert len(model.set_params(max_treewidth=3).predict(wide)[0]) == 9

    def test_cycles_and_subgradients(self):
        ring = GraphBatch([(np.eye(3), [(0, 1), (1, 2), (2, 0)])])
        rejects("cycles", ring, [[0, 1, 0]], model=MODELS["subgradient"])

    def test_parts_and_lonely_nodes_are_fine(self, model):
        features = np.arange(12.0).reshape(6, 2) / 10
        graphs = GraphBatch(
            [(features, [(4, 0), (1, 5)]), (features[:0], []), (features[:1], [])]
        )
        model.fit(graphs, [[0, 1, 0, 1, 0, 1], [], [1]])
        predicted = model.predict(graphs)
        assert predicted.lengths.tolist() == [6, 0, 1]
        assert np.isfinite(model.surrogate(graphs, predicted))
        if hasattr(model, "edge_proba"):
            shapes = [a.shape for a in model.edge_proba(graphs)]
            assert shapes == [(2, 2, 2), (0, 2, 2), (0, 2, 2)]

    def test_features_of_edges(self, model):
        data, plain = TinySet(n_edge_features=2), TinySet()
        wide = TinySet(n_edge_features=3)
        model.fit(data.X, data.y)
        for other, n in ((plain, "no"), (wide, "3")):
            with pytest.raises(ValueError, match=f"have {n} features.* fitted to 2"):
                model.predict(other.X)
        # Graphs without edges have no width to compare.
        lonely = GraphBatch([(np.zeros((2, 2)), [])])
        assert len(model.predict(lonely)[0]) == 2
        assert len(model.predict([np.zeros((1, 2))])[0]) == 1
        model.fit(plain.X, plain.y)
        with pytest.raises(ValueError, match=r"2 features, but .* to none"):
            model.predict(data.X)


class TestLabels:
    """Labels that are odd, missing or not known."""

    @pytest.mark.parametrize(
        "classes", [["A", "B", "C"], [0, 1, 2], [-1, 0, 1], [7, 3, 10**12], ["", "é"]]
    )
    def test_kinds(self, model, classes):
        y = [[classes[k % len(classes)] for k in s] for s in ([0, 1, 2], [1], [2, 0])]
        model.fit(X, y)
        assert model.classes_.tolist() == sorted(classes)
        assert set(np.concatenate(list(model.predict(X)))) <= set(classes)

    def test_booleans(self, model):
        model.fit(X, [[True, False, False], [False], [False, True]])
        assert model.classes_.tolist() == [False, True]
        assert model.predict(X)[0].dtype == bool

    @pytest.mark.parametrize("label", ["A", 5, True])
    def test_one_class_is_always_predicted(self, model, label):
        y = [[label] * len(x) for x in X]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(X, y)
        assert [p.tolist() for p in model.predict([["new", "a"], []])] == [
            [label, label],
            [],
        ]
        assert model.score(X, y) == 1 and model.surrogate(X, y) == pytest.approx(0)
        if hasattr(model, "predict_proba"):
            assert model.predict_proba(X)[0].tolist() == [[1.0]] * 3
            assert_allclose(model.score_samples(X), 0, atol=1e-12)
        if hasattr(model, "predict_equilibrium"):
            assert model.predict_equilibrium(X)[0].tolist() == [[1.0]] * 3

    @pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
    def test_missing(self, missing):
        rejects("sample 2, position 1", X, [*Y[:2], ["C", missing]])

    def test_unlike_kinds_and_fractions(self):
        rejects("sample 0, position 1", X, [["A", 1, "C"], *Y[1:]])
        rejects("sample 1, position 0.*0.5", X, [[0, 1, 2], [0.5], [1, 1]])

    def test_wrong_numbers(self):
        rejects("required|y", X, None)
        rejects("3", X, Y[:2])
        rejects("sequence 0|sample 0|Sample 0", X, [["A", "B"], *Y[1:]])
        rejects("labels|y", X, ["A", "B", "C"])

    def test_classes(self):
        rejects("holds the label 'C', which classes lacks", X, Y,
                model=ConditionalRandomField(classes=["A", "B"]))  # fmt: skip
        rejects("different labels", X, Y,
                model=StructuredSVM(classes=["A", "B", "C", "A"]))  # fmt: skip
        for classes, match in [
            ([], "different labels"),
            ({"A", "B", "C"}, "a list of labels.*got set"),
            (np.array([["A", "B", "C"]]), "a list of labels"),
            ([["A", "B"], ["C"]], r"\['A', 'B'\], which is no label"),
            (["A", "B", np.nan], "nan, which is no label"),
            (["A", "B", None], "None, which is no label"),
            (["A", "B", "C", 3], "'A' and 3"),
        ]:
            rejects(match, X, Y, model=StructuredSVM(classes=classes))

    def test_classes_that_do_not_occur(self, model):
        model.set_params(classes=["Z", "C", "B", "A"]).fit(X, Y)
        assert model.classes_.tolist() == ["Z", "C", "B", "A"]
        assert model.coef_.shape[0] == 4 and model.cost_.shape == (4, 4)
        assert set(np.concatenate(list(model.predict(X)))) <= set("ABCZ")
        assert np.isfinite(model.surrogate(X, Y))

    def test_orders_of_labels(self, model):
        model.set_params(loss="absolute")
        rejects("order of the labels.*classes=", X, Y, model=model)
        model.set_params(classes=["C", "A", "B"]).fit(X, Y)
        assert model.cost_[0].tolist() == [0, 1, 2]

    def test_unknown_labels_when_asked(self, model):
        model.fit(X, Y)
        with pytest.raises(ValueError, match=r"'D' at sample 1, position 0"):
            model.surrogate(X, [Y[0], ["D"], Y[2]])


class TestFeatures:
    """Numbers that are none, too large or of another width."""

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_not_finite(self, model, bad):
        rows = [np.zeros((2, 2)), np.ones((3, 2))]
        y = [[0, 1], [1, 0, 1]]
        model.fit(rows, y)
        rows[1][2, 0] = bad
        for call in (lambda: clone(model).fit(rows, y), lambda: model.predict(rows)):
            with pytest.raises(ValueError, match="sequence 1, position 2"):
                call()
        dense = rows[1]
        sparse = Ragged.from_arrays(sp.csr_array(dense), [0, 1, 3])
        with pytest.raises(ValueError, match="sequence 1, position 1"):
            clone(model).fit(sparse, [[0], [1, 0]])
        edges = (rows[0], [(0, 1)], [[bad]])
        with pytest.raises(ValueError, match="edge"):
            GraphBatch([edges])

    def test_widths(self, model):
        model.fit([np.zeros((2, 2)), np.ones((3, 2))], [[0, 1], [1, 0, 1]])
        with pytest.raises(ValueError, match="3 features"):
            model.predict([np.zeros((2, 3))])

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    @pytest.mark.parametrize("scale", [1e-200, 1e-6, 1e6, 1e14, 1e40, 1e307])
    def test_scales(self, model, scale):
        data = TinySet()
        features = GraphBatch.from_arrays(
            data.X.values * scale, data.X.offsets, data.X.edges, data.X.edge_offsets
        )
        model.set_params(max_iter=5)
        if scale > 1e15:
            with pytest.raises(ValueError, match=r"sample 0, position 0.*Scale them"):
                model.fit(features, data.y)
            assert not hasattr(model, "coef_")
            model.fit(data.X, data.y)
            with pytest.raises(ValueError, match="Scale them"):
                model.predict(features)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(features, data.y)
        assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
        assert np.isfinite(getattr(model, "duality_gap_", 0.0))
        assert set(model.predict(features).values) <= set("abc")
        assert np.isfinite(model.surrogate(features, data.y))

    def test_converged_is_not_said_of_what_is_not(self):
        data = TinySet()
        rows = data.X.with_values(data.X.values * 1e9)
        for model in (MODELS["crf"], MODELS["smooth"]):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                fitted = clone(model).fit(rows, data.y)
            if fitted.converged_:  # rounding may spare the game's certificate
                assert fitted.duality_gap_ <= fitted.tol and not caught
            else:
                assert "Standardise the features" in str(caught[0].message)

    def test_other_kinds(self, model):
        kinds = {
            "words": X,
            "feature dicts": [[{w: 1} for w in x] for x in X],
            "vectors": [np.ones((len(x), 2)) for x in X],
        }
        for name, rows in kinds.items():
            model.fit(rows, Y)
            for other in kinds.keys() - {name}:
                match = f"X holds {other}, but the model was fitted to {name}"
                with pytest.raises(ValueError, match=match):
                    model.predict(kinds[other])
        for missing in (None, np.inf):
            bad = [*kinds["feature dicts"][:2], [{"c": 1}, {"a": 1, "b": missing}]]
            rejects(f"sequence 2, position 1 hold {missing} as 'b'", bad, Y)

    def test_empty_samples(self, model):
        data = TinySet()
        rows, none = list(Ragged(data.X)), np.zeros((0, 2))
        model.fit([none, *rows, none], [[], *data.y, []])
        answers = model.predict([none, rows[0], none])
        assert [len(a) for a in answers] == [0, 3, 0]
        assert [len(a) for a in model.predict([[]])] == [0]
        # By default the penalty is of one sample: it falls with the mean.
        plain = clone(model).fit(rows, data.y)
        assert_allclose(model.coef_, plain.coef_, atol=0.3)

    def test_nothing_at_all(self):
        rejects("no nodes", [[], []], [[], []])
        rejects("empty", [], [])
        rejects("no nodes|weight", X, Y, sample_weight=[0.0, 0.0, 0.0])

    def test_one_sample(self, model):
        model.fit(X[:1], Y[:1])
        assert model.predict(X[:1])[0].tolist() == Y[0]
        model.fit(np.eye(1), ["A"])
        assert model.predict(np.eye(1)).tolist() == ["A"]


class TestCosts:
    """Tables, weights and costs of nodes."""

    @pytest.mark.parametrize(
        ("cell", "value", "match"),
        [
            ((0, 1), -1.0, "predicting 'B' where 'A'.*-1"),
            ((2, 1), np.nan, "predicting 'B' where 'C'.*nan"),
            ((2, 1), np.inf, "inf"),
            ((1, 1), 0.5, "diagonal"),
        ],
    )
    def test_tables(self, cell, value, match):
        cost = COST.copy()
        cost[cell] = value
        for model in MODELS.values():
            rejects(match, X, Y, model=clone(model).set_params(loss=cost))

    def test_sizes_and_names(self):
        for loss in (COST[:2, :2], COST[:, :2], np.zeros((0, 0))):
            for model in MODELS.values():
                rejects("shape", X, Y, model=clone(model).set_params(loss=loss))
        for loss, match in [
            ("hamming", "loss must be one of"),
            (Absolute, r"Write Absolute\(\)"),
            (lambda true, predicted: 0.0, "subclass of Loss"),
            ([[0, 1], [1]], "loss must be one of"),
            ([["a", "b", "c"]] * 3, "CostMatrix: the costs are not all numbers"),
            (Distance(), r"Distance.cost failed on the labels \['A', 'B', 'C'\]"),
        ]:
            rejects(match, X, Y, model=ConditionalRandomField(loss))

    @pytest.mark.parametrize(
        ("weight", "match"),
        [
            ([[1, 1, 1], [1], [1]], "sample 2 has 1 entries, but 2 nodes"),
            ([[1, 1, 1], [1]], "node_weight has 2 samples, X has 3"),
            ([1, 1, 1, 1, 1, 1], r"flat: 6 entries.*Ragged.from_lengths"),
            ([["a"] * 3, ["b"], ["c"] * 2], "node_weight must hold numbers"),
            ("abc", "node_weight must hold a sequence"),
            (3, "node_weight must hold a sequence"),
            ([[1, 1, 1], [-1.0], [1, 1]], "sample 1, position 0.*-1.0"),
            ([[1, 1, 1], [np.nan], [1, 1]], "sample 1, position 0.*nan"),
            ([[1, 1, np.inf], [1], [1, 1]], "sample 0, position 2.*inf"),
            ([[0, 0, 0], [0], [0, 0]], "above zero"),
            ([np.ones((3, 2)), np.ones((1, 2)), np.ones((2, 2))], "one number"),
        ],
    )
    def test_weights_of_nodes(self, weight, match):
        rejects(match, X, Y, node_weight=weight)

    def test_costs_of_nodes(self):
        def tables(change=lambda t: None, shape=(3, 3)):
            out = [np.ones((len(x), *shape)) for x in X]
            for table in out:
                for one in table:
                    np.fill_diagonal(one, 0)
            change(out)
            return out

        def put(where, value):
            def change(out):
                out[2][where] = value

            return tables(change)

        rejects("sample 2, position 1", X, Y, node_cost=put((1, 0, 2), -1))
        rejects("sample 2, position 1", X, Y, node_cost=put((1, 0, 2), np.nan))
        rejects("sample 2, position 0.*diagonal", X, Y, node_cost=put((0, 1, 1), 1))
        rejects("tables of 4 labels.* 3 classes", X, Y, node_cost=tables(shape=(4, 4)))
        rejects(r"shape \(K, K\)", X, Y, node_cost=tables(shape=(3, 2)))
        rejects("node_cost has 2 samples", X, Y, node_cost=tables()[:2])
        rejects("sample 0 has 1", X, Y, node_cost=[t[:1] for t in tables()])
        rejects("node_cost must hold", X, Y, node_cost=3)
        rejects("node_cost must hold", X, Y, node_cost=[["a"], ["b"], ["c"]])

    def test_weights_of_classes(self):
        for weight, match in [
            ({"A": 1, "D": 2}, "'D'"),
            ({"A": -1.0}, "class_weight"),
            ({"A": np.nan}, "class_weight"),
            ({"A": "x"}, "class_weight must hold numbers"),
            ({"A": 1e200}, r"times class_weight, reach 1e\+200"),
            ("heavy", "class_weight"),
        ]:
            model = StructuredSVM(class_weight=weight)
            rejects(match, X, Y, model=model)

    @pytest.mark.parametrize(
        ("weight", "match"),
        [([1, 2], "sample_weight"), ([1, -1, 1], "sample_weight|[Nn]egative")],
    )
    def test_weights_of_samples(self, weight, match):
        rejects(match, X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"l2": 0.0}, "l2"),
        ({"l2": -1.0}, "l2"),
        ({"l2": np.nan}, "l2"),
        ({"l2": True}, "l2"),
        ({"tol": 0.0}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"max_treewidth": 0}, "max_treewidth"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"loss": None}, "loss"),
    ],
)
def test_parameters(params, match):
    for model in MODELS.values():
        rejects(match, X, Y, model=clone(model).set_params(**params))


def test_parameters_of_one_model():
    game = AdversarialGraphicalModel
    rejects("temperature", X, Y, model=game(temperature=-1.0))
    rejects("solver", X, Y, model=game(solver="adam"))
    both = game(solver="subgradient", temperature=1.0)
    rejects("solver='subgradient' is for temperature=0", X, Y, model=both)
    rejects("prediction", X, Y, model=game(prediction="bayes"))
    rejects("prediction", X, Y, model=ConditionalRandomField(prediction="auto"))
    crf = ConditionalRandomField().fit(X, Y)
    for k in (0, 1.5, "1"):
        with pytest.raises(ValueError, match="k must be"):
            crf.predict_k_best(X, k)
    with pytest.raises(ValueError, match="prediction"):
        crf.set_params(prediction="viterbi").predict(X)


def test_tables_of_names_need_their_order(model):
    X, y = [["u", "v", "w"], ["v"]], [["low", "mid", "high"], ["mid"]]
    for loss in (COST, CostMatrix(COST)):
        message = r"loss=CostMatrix depends on the order.*'high', 'low', 'mid'"
        with pytest.raises(ValueError, match=message):
            clone(model).set_params(loss=loss).fit(X, y)
    levels = ["low", "mid", "high"]
    named = [pd.DataFrame(COST, levels, levels), CostMatrix(COST, labels=levels)]
    fits = [clone(model).set_params(loss=COST, classes=levels).fit(X, y)]
    fits += [clone(model).set_params(loss=loss).fit(X, y) for loss in named]
    for fit in fits:
        order = [fit.classes_.tolist().index(name) for name in levels]
        assert_allclose(fit.cost_[np.ix_(order, order)], COST)


def test_forms_that_may_not_be_meant_are_told(model):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(12, 2)), [0, 1] * 6
    with pytest.warns(UserWarning, match="All sequences have length one"):
        clone(model).fit(rows, labels)
    pixels, grid = rng.integers(9, size=12), GraphBatch.grid((1, 12))
    with pytest.warns(UserWarning, match=r"read as symbols.*reshape\(-1, 1\)"):
        clone(model).fit(GraphBatch([(pixels, grid)]), [labels])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        clone(model).fit(GraphBatch([(pixels[:, None], grid)]), [labels])
        clone(model).fit([rows, rows[:3]], [labels, labels[:3]])
        clone(model).fit(rows[:1], labels[:1])


def test_arrays_of_the_user_stay(model):
    data = TinySet(n_edge_features=1)
    loss, weight = COST.copy(), np.ones(len(data.y))
    node_weight, y = data.weights(), Ragged(data.y)
    given = [data.X.values, data.X.edge_values, data.X.edges, loss, weight]
    given += [node_weight.values, y.values]
    before = [array.copy() for array in given]
    for array in given:
        array.flags.writeable = False
    nodes = None if isinstance(model, ConditionalRandomField) else node_weight
    model.set_params(loss=loss, classes=LABELS).fit(data.X, y, weight, nodes)
    model.predict(data.X), model.surrogate(data.X, y, weight, node_weight)
    if hasattr(model, "predict_equilibrium"):
        model.predict_equilibrium(data.X, node_weight)
    for old, new in zip(before, given, strict=True):
        assert (old == new).all()


def test_the_global_generator_stays(model):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    model.fit(X, Y).predict(X)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002

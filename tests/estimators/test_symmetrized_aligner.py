"""SymmetrizedAligner over a small aligner that counts."""

import pickle
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict

from skstruct import Bitext, Ragged
from skstruct.estimators import SymmetrizedAligner, symmetrize
from skstruct.metrics import aer_scorer, alignment_error_rate
from skstruct.model_selection import TransductiveSplit

METHODS = [
    "forward",
    "reverse",
    "intersection",
    "union",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
    "mean",
]


class Counter(BaseEstimator):
    """p(target word links to a source word) by how often they stand together."""

    fits: ClassVar = []

    def __init__(self, power=1.0, own=False):
        self.power = power
        self.own = own

    def fit(self, X, y=None, sample_weight=None):
        assert isinstance(X, Bitext)
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        self.together_ = {}
        for (source, target), w in zip(X, weight, strict=True):
            for s in source:
                for t in target:
                    self.together_[s, t] = self.together_.get((s, t), 0.0) + w
        self.links_ = Ragged([[(0, 0)]] * len(X)) if self.own else self.predict(X)
        return self

    def predict_proba(self, X):
        out = np.empty(len(X), dtype=object)
        for k, (source, target) in enumerate(X):
            counts = [[self.together_.get((s, t), 0.1) for t in target] for s in source]
            counts = np.reshape(counts, (len(source), len(target))) ** self.power
            out[k] = counts / counts.sum(axis=0)
        return out

    def predict(self, X):
        best = []
        for p in self.predict_proba(X):
            columns = np.arange(p.shape[1] if len(p) else 0)
            rows = p.argmax(axis=0) if columns.size else columns
            best.append(np.stack([rows, columns], axis=1))
        return Ragged.from_lengths(np.concatenate(best), [len(b) for b in best])

    def score_samples(self, X):
        return -np.arange(1.0, len(X) + 1) * X.source.lengths


def pair(source, target):
    return source.split(), target.split()


TEXT = [
    pair("the black dog", "le chien noir"),
    pair("the dog", "le chien"),
    pair("", "le"),
    pair("a black cat", "un chat noir"),
    pair("a cat sleeps", "un chat dort"),
    pair("the cat", ""),
    pair("the cat and the dog", "le chat et le chien"),
]


def by_hand(model, X):
    """Links of fitted directions, without the estimator."""
    X = Bitext(X)
    backwards = X.reversed()
    if model.method == "mean":
        proba = zip(
            model.forward_.predict_proba(X),
            model.reverse_.predict_proba(backwards),
            strict=True,
        )
        return [np.argwhere((a + b.T) / 2 > model.threshold) for a, b in proba]
    reverse = [links[:, ::-1] for links in model.reverse_.predict(backwards)]
    return symmetrize(model.forward_.predict(X), reverse, model.method)


def as_lists(links):
    return [each.tolist() for each in links]


@pytest.mark.parametrize("method", METHODS)
def test_joins_the_links_of_both_directions(method):
    model = SymmetrizedAligner(Counter(), method=method, threshold=0.4).fit(TEXT)
    expected = as_lists(by_hand(model, TEXT))
    assert as_lists(model.links_) == as_lists(model.predict(TEXT)) == expected
    assert sum(map(len, expected)) > 5
    assert expected[2] == expected[5] == []
    new = [pair("the cat sleeps", "le chat dort"), pair("a", "xyz")]
    assert as_lists(model.predict(new)) == as_lists(by_hand(model, new))
    alone = [as_lists(model.predict([each]))[0] for each in new]
    assert alone == as_lists(model.predict(new))


def test_methods_differ():
    answers = {
        method: str(
            as_lists(SymmetrizedAligner(Counter(), method=method).fit(TEXT).links_)
        )
        for method in METHODS
    }
    assert len(set(answers.values())) >= 4


def test_directions_are_fitted_to_the_text_and_to_sides_swapped():
    model = SymmetrizedAligner(Counter(2.0)).fit(TEXT)
    assert ("dog", "chien") in model.forward_.together_
    assert ("chien", "dog") in model.reverse_.together_
    assert model.forward_.power == model.reverse_.power == 2.0
    assert not hasattr(model.aligner, "links_")


def test_training_links_are_the_aligners_own():
    model = SymmetrizedAligner(Counter(own=True), method="union").fit(TEXT[:2])
    assert as_lists(model.links_) == [[[0, 0]]] * 2
    found = model.fit_predict(TEXT[:2])
    assert as_lists(found) == [[[0, 0]]] * 2 and found.dtype == object
    assert as_lists(model.predict(TEXT[:2])) != as_lists(found)


class Storing(Counter):
    """Its posteriors of the training text are its own: one for the first link."""

    def __init__(self, power=1.0, own=False, store_posteriors=False):
        super().__init__(power, own)
        self.store_posteriors = store_posteriors

    def fit(self, X, y=None):
        super().fit(X)
        if self.store_posteriors:
            self.posteriors_ = self.predict_proba(X)
            for p in self.posteriors_:
                p[:] = 0
                p[:1, :1] = 1
        return self


def test_the_mean_of_the_training_text_is_of_its_own_posteriors():
    aligner = Storing()
    model = SymmetrizedAligner(aligner, method="mean").fit(TEXT)
    first = [[[0, 0]] if s and t else [] for s, t in TEXT]
    assert as_lists(model.links_) == first != as_lists(model.predict(TEXT))
    assert aligner.store_posteriors is False
    assert not hasattr(SymmetrizedAligner(aligner).fit(TEXT).forward_, "posteriors_")


def test_forms():
    model = SymmetrizedAligner(Counter()).fit(TEXT)
    expected = as_lists(model.links_)
    for X in (TEXT, tuple(TEXT), np.asarray(Bitext(TEXT))):
        found = clone(model).fit_predict(X)
        assert isinstance(found, np.ndarray) and found.dtype == object
        assert as_lists(found) == as_lists(model.predict(X)) == expected
    found = clone(model).fit_predict(Bitext(TEXT))
    assert isinstance(found, Ragged) and as_lists(found) == expected
    assert isinstance(model.predict(Bitext(TEXT)), Ragged)
    assert isinstance(model.links_, Ragged)


def test_probabilities_are_the_mean_of_both():
    model = SymmetrizedAligner(Counter()).fit(TEXT)
    found = model.predict_proba(TEXT)
    forward = model.forward_.predict_proba(Bitext(TEXT))
    reverse = model.reverse_.predict_proba(Bitext(TEXT).reversed())
    assert found.dtype == object
    for p, f, r, (source, target) in zip(found, forward, reverse, TEXT, strict=True):
        assert p.shape == (len(source), len(target))
        np.testing.assert_allclose(p, (f + r.T) / 2)


def test_scores_are_weighted_by_words():
    model = SymmetrizedAligner(Counter()).fit(TEXT)
    X = Bitext(TEXT)
    n_source, n_target = X.source.lengths, X.target.lengths
    place = -np.arange(1.0, len(X) + 1)
    # The dummy gives place * (words of its source side) a word of the other side.
    logs = 2 * place * n_source * n_target
    np.testing.assert_allclose(model.score_samples(TEXT), logs / (n_source + n_target))
    assert model.score(TEXT) == pytest.approx(logs.sum() / (n_source + n_target).sum())
    weight = np.arange(len(X))
    expected = weight @ logs / (weight @ (n_source + n_target))
    assert model.score(TEXT, sample_weight=weight) == pytest.approx(expected)


def test_tables():
    model = SymmetrizedAligner(Counter(), method="union").fit(TEXT)
    table = model.link_table(TEXT)
    assert len(table["pair"]) == model.links_.n_tokens
    proba = model.predict_proba(TEXT)
    forward = model.forward_.predict_proba(Bitext(TEXT))
    reverse = model.reverse_.predict_proba(Bitext(TEXT).reversed())
    for row in zip(*table.values(), strict=True):
        k, i, j, source, target, p, f, r = row
        assert (source, target) == (TEXT[k][0][i], TEXT[k][1][j])
        values = proba[k][i, j], forward[k][i, j], reverse[k][j, i]
        assert (p, f, r) == pytest.approx(values)
    lexicon = model.lexicon(min_count=1)
    assert lexicon["count"].sum() == model.links_.n_tokens


def test_sample_weight_reaches_the_aligners():
    weight = np.array([0, 1, 1, 1, 1, 1, 2.0])
    model = SymmetrizedAligner(Counter()).fit(TEXT, sample_weight=weight)
    assert model.forward_.together_["dog", "chien"] == 3.0
    assert model.reverse_.together_["chien", "dog"] == 3.0


class BothWays(Counter):
    def __init__(self, symmetrization="mean", agreement="odds"):
        self.symmetrization = symmetrization
        self.agreement = agreement
        self.power, self.own = 1.0, False


@pytest.mark.parametrize(
    "params", [("mean", None), ("forward", "odds"), ("union", "product")]
)
def test_an_aligner_of_both_directions_is_refused(params):
    model = SymmetrizedAligner(BothWays(*params))
    message = 'trains both.*set agreement=None, symmetrization="forward"'
    with pytest.raises(ValueError, match=message):
        model.fit(TEXT)
    assert vars(model) == vars(clone(model)) | {"aligner": model.aligner}


def test_an_aligner_set_to_one_direction_is_taken():
    model = SymmetrizedAligner(BothWays("forward", None)).fit(TEXT)
    expected = SymmetrizedAligner(Counter()).fit(TEXT)
    assert as_lists(model.links_) == as_lists(expected.links_)


class WithoutProba(BaseEstimator):
    def fit(self, X):
        self.links_ = self.predict(X)
        return self

    def predict(self, X):
        return [{(0, 0), (0, 0)} if len(s) and len(t) else [] for s, t in X]


def test_heuristics_need_links_only():
    model = SymmetrizedAligner(WithoutProba()).fit(TEXT)
    assert as_lists(model.predict(TEXT[:3])) == [[[0, 0]], [[0, 0]], []]
    with pytest.raises(ValueError, match="method='mean' needs probabilities"):
        SymmetrizedAligner(WithoutProba(), method="mean").fit(TEXT)


class WrongShape(Counter):
    def predict_proba(self, X):
        return [np.ones((1, 1))] * len(X)

    def predict(self, X):
        return Ragged.from_lengths(np.full((len(X), 2), 9), np.ones(len(X), int))


def test_wrong_answers_of_an_aligner_are_named():
    with pytest.raises(ValueError, match=r"WrongShape.*pair 0.*\(9, 9\) is out of"):
        SymmetrizedAligner(WrongShape()).fit(TEXT)
    message = r"WrongShape.*links in pair 0 as a matrix of shape \(1, 1\).*\(3, 3\)"
    with pytest.raises(ValueError, match=message):
        SymmetrizedAligner(WrongShape(), method="mean").fit(TEXT)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"method": "gdfa"}, "'method' parameter"),
        ({"threshold": 1.0}, "'threshold' parameter"),
        ({"threshold": True}, "'threshold' parameter"),
        ({"aligner": "hmm"}, "'aligner' parameter"),
    ],
)
def test_bad_parameters(params, message):
    model = SymmetrizedAligner(**{"aligner": Counter()} | params)
    with pytest.raises(ValueError, match=message):
        model.fit(TEXT)


@pytest.mark.parametrize(
    ("X", "message"), [([], "X is empty"), ([["a b", "c d"]], "X: Pair 0.*string")]
)
def test_bad_input(X, message):
    with pytest.raises(ValueError, match=message):
        SymmetrizedAligner(Counter()).fit(X)


def test_not_fitted():
    for method in ("predict", "predict_proba", "score", "score_samples"):
        with pytest.raises(NotFittedError):
            getattr(SymmetrizedAligner(Counter()), method)(TEXT)


def test_a_failed_fit_leaves_what_was_fitted():
    model = SymmetrizedAligner(Counter()).fit(TEXT)
    before = as_lists(model.links_)
    with pytest.raises(ValueError, match="argument 2 is longer"):
        model.fit(TEXT[:2], sample_weight=np.ones(3))
    assert as_lists(model.links_) == before == as_lists(model.predict(TEXT))


def test_nested_parameters_and_pickle():
    model = SymmetrizedAligner(Counter()).set_params(aligner__power=3.0).fit(TEXT)
    assert model.forward_.power == 3.0
    with pytest.raises(ValueError, match=r"aligner=DiagonalAligner\(\)"):
        SymmetrizedAligner().set_params(aligner__power=3.0)
    copy = pickle.loads(pickle.dumps(model))
    assert as_lists(copy.predict(TEXT)) == as_lists(model.predict(TEXT))


def test_grid_search_over_methods():
    gold = [[(0, 0), (1, 2), (2, 1)], [(0, 0), (1, 1)], *[None] * 4, [(4, 4, 1)]]
    search = GridSearchCV(
        SymmetrizedAligner(Counter()),
        {"method": METHODS, "aligner__power": [1.0, 2.0]},
        scoring=aer_scorer,
        cv=TransductiveSplit(),
        error_score="raise",
    ).fit(TEXT, gold)
    rate = alignment_error_rate(gold, search.best_estimator_.links_)
    assert search.best_score_ == -rate > -1
    assert len(set(search.cv_results_["mean_test_score"])) > 1


@pytest.mark.parametrize("form", [list, Bitext])
def test_cross_val_predict(form):
    model = SymmetrizedAligner(Counter())
    found = cross_val_predict(model, form(TEXT), cv=KFold(2))
    expected = [*clone(model).fit(TEXT[4:]).predict(TEXT[:4])]
    expected += [*clone(model).fit(TEXT[:4]).predict(TEXT[4:])]
    assert as_lists(found) == as_lists(expected)


class Listener:
    max_propagation_depth = None

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(context.estimator_name)

    def on_fit_task_end(self, estimator, context):
        return False


class Telling(CallbackSupportMixin, Counter):
    def fit(self, X, y=None):
        task = self._init_callback_context()
        task.call_on_fit_task_begin(estimator=self, X=X)
        super().fit(X)
        task.call_on_fit_task_end(estimator=self, X=X)
        return self


def test_callbacks_hear_of_both_directions():
    listener = Listener()
    SymmetrizedAligner(Telling()).set_callbacks(listener).fit(TEXT)
    assert listener.heard == ["SymmetrizedAligner", "Telling", "Telling"]

"""CRFAutoencoderTagger: where it starts, and what labels and dictionaries rule."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.frozen import FrozenEstimator

from skstruct.emissions import Categorical
from skstruct.estimators import AnnealedHMM, CRFAutoencoderTagger, TagDictionary
from skstruct.featurizers import ExchangeClusterer
from skstruct.metrics import token_accuracy, v_measure
from tests.estimators._autoencoder_oracle import (
    ByNumber,
    Enumerated,
    assert_same_fit,
    objectives,
    words,
)


def tagger(n_states=3, **params):
    params = {"random_state": 0, "max_iter": 12} | params
    return CRFAutoencoderTagger(n_states, **params)


@pytest.fixture(scope="module")
def text():
    return words()


class Letters(TransformerMixin, BaseEstimator):
    """A start by ``transform``: names for the three first letters."""

    def fit(self, X, y=None):
        self.names_ = {"x": "u", "y": "v", "z": "w"}
        return self

    def transform(self, X):
        return X.with_values([self.names_[word[0]] for word in X.values])


def frozen_hmm(X):
    return FrozenEstimator(AnnealedHMM(3, n_init=1, random_state=0).fit(X))


STARTS = {
    "exchange": lambda X: "exchange",
    "feature_hmm": lambda X: "feature_hmm",
    "hmm": lambda X: "hmm",
    "brown": lambda X: "brown",
    "random": lambda X: "random",
    "predict": lambda X: ByNumber(),
    "transform": lambda X: Letters(),
    "predict_proba": lambda X: AnnealedHMM(3, n_init=1, max_iter=200, random_state=0),
    "frozen clusterer": lambda X: FrozenEstimator(
        ExchangeClusterer(3, random_state=0).fit(X)
    ),
    "frozen hmm": frozen_hmm,
}


@pytest.mark.parametrize("name", STARTS)
def test_every_start_leads_to_a_model(text, name):
    X, _ = text
    init = STARTS[name](X)
    before = vars(init).copy() if isinstance(init, BaseEstimator) else {}
    model = tagger(init=init).fit(X)
    assert isinstance(init, str) or vars(init) == before  # a clone was fitted
    assert np.diff(objectives(model)).min() >= -1e-12
    assert_allclose(model.predict_proba(X).values.sum(axis=1), 1)
    assert len(set(model.predict(X).values)) == 3


@pytest.mark.parametrize("start", [ByNumber(), Letters()])
def test_a_model_begins_where_its_start_is(text, start):
    X, _ = text
    guess = start.fit(X)
    guess = guess.predict(X) if hasattr(start, "predict") else guess.transform(X)
    model = tagger(init=start, max_iter=1, reconstruction="token").fit(X)
    assert v_measure(guess, model.predict(X)) > 0.9


def test_the_best_of_several_starts_is_kept(text):
    X, _ = text
    starts = ["random", ByNumber(), "exchange"]
    alone = [tagger(init=s, random_state=3).fit(X) for s in starts]
    together = tagger(init=starts, random_state=3).fit(X)
    ends = [objectives(model)[-1] for model in alone]
    assert np.ptp(ends) > 1e-3
    assert_same_fit(together, alone[int(np.argmax(ends))])
    rng = np.random.RandomState(3)
    alone = [tagger(init="random", random_state=rng).fit(X) for _ in range(4)]
    many = tagger(init="random", n_init=4, random_state=np.random.RandomState(3)).fit(X)
    assert objectives(many)[-1] == max(objectives(model)[-1] for model in alone)


def test_a_few_labelled_sentences_help_and_hold():
    X, y = words(80, length=(3, 8), seed=1)
    names = y.with_values(np.array(["A", "B", "C"])[y.values])
    given = [list(s) if i < 8 else None for i, s in enumerate(names)]
    model = tagger(None, supervision="clamp")
    answers = model.fit_predict(X, given)
    assert model.states_.tolist() == ["A", "B", "C"]
    for i in range(8):
        assert answers[i].tolist() == given[i]
    assert np.unique(y.values, return_counts=True)[1].max() < 0.45 * X.n_tokens
    assert token_accuracy(names[8:], answers[8:]) > 0.65
    one_label = [[*s[:1], *[None] * (len(s) - 1)] for s in names]
    answers = model.fit_predict(X, one_label)
    assert all(a[0] == b[0] for a, b in zip(answers, one_label, strict=True))


def test_a_penalty_pulls_towards_the_weights_of_labels():
    X, y = words(30, length=(3, 6), seed=1)
    model = tagger(supervision="clamp", encoder_l2=1e6).fit(X, y)
    assert np.abs(model.coef_).max() > 0.1
    assert token_accuracy(y, model.predict(X)) > 0.7
    other = tagger(supervision="clamp", encoder_l2=1e6, init="random").fit(X, y)
    assert np.abs(other.coef_).max() < 1e-3


def test_labels_rule_over_a_start(text):
    X, _ = text
    number = np.array([int(word[1:]) % 3 for word in X.values])
    model = tagger(
        init=ByNumber(), supervision="clamp", reconstruction=Categorical(), max_iter=1
    ).fit(X, X.with_values((number + 1) % 3))
    (emission,) = model.reconstruction_.emissions_.values()
    for word, p in zip(emission.symbols_, emission.probabilities_.T, strict=True):
        assert (p > 0).nonzero()[0] == (int(word[1:]) + 1) % 3


@pytest.mark.filterwarnings("ignore:Only 6.2% of the tokens")
def test_labels_rule_over_a_dictionary(text):
    X, y = text
    word = X.values[0]
    wrong = {word: [k for k in range(3) if k != y.values[0]]}
    dictionary = TagDictionary(wrong, states=[0, 1, 2])
    labels = np.full(X.n_tokens, -1)
    labels[:2] = y.values[:2]
    model = tagger(supervision="clamp", tag_dictionary=dictionary)
    with pytest.warns(UserWarning, match="contradict tag_dictionary"):
        model.fit(X, X.with_values(labels))
    allowed = dictionary.allowed(X.values)
    allowed[[0, 1], labels[:2]] = True
    by_hand = Enumerated(model, X, allowed=allowed, labels=labels)
    expected = by_hand.log_likelihood.sum() / X.n_tokens
    assert_allclose(model.history_[-1]["log_likelihood"], expected)
    observed = X.with_values(labels)
    proba = model.predict_proba(X, observed_labels=observed).values
    assert_allclose(proba, by_hand.proba, atol=1e-10)
    assert model.predict(X, observed_labels=observed).values[0] == labels[0]


def test_a_dictionary_names_states_and_rules():
    X, y = words(60, length=(2, 5), seed=1)
    names = y.with_values(np.array(["A", "B", "C"])[y.values])
    dictionary = TagDictionary.from_tagged(X, names, keep=6)
    model = tagger(None, tag_dictionary=dictionary).fit(X)
    assert model.states_.tolist() == ["A", "B", "C"]
    allowed = dictionary.allowed(X.values)
    assert (~allowed).mean() > 0.1
    by_hand = Enumerated(model, X, allowed=allowed)
    assert_allclose(model.predict_proba(X).values, by_hand.proba, atol=1e-10)
    assert_allclose(model.score_samples(X), by_hand.log_likelihood, atol=1e-10)
    answers = model.predict(X)
    assert_array_equal(answers.values, model.states_[by_hand.path])
    assert token_accuracy(names, answers) > 0.7

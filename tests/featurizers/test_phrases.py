"""PhraseExtractor."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from skstruct.containers import Ragged
from skstruct.datasets import make_hmm_sequences, read_conll, read_phrase_table
from skstruct.estimators import AnnealedHMM
from skstruct.featurizers import BrownClusterer, ExchangeClusterer, PhraseExtractor

X = [["the", "old", "man", "sleeps"], [], ["why"], ["the", "old", "man"]]


def row_of(sentence, start, stop, n_context, classes=None):
    """One row, the slow way."""
    shown = [str(w if classes is None else classes.get(w, "")) for w in sentence]
    padded = ["<s>"] * n_context + shown + ["</s>"] * n_context
    left = padded[start : start + n_context]
    right = padded[stop + n_context : stop + 2 * n_context]
    return [" ".join(map(str, sentence[start:stop])), *left, *right]


def spans_of(sentence, max_length):
    return [
        (start, stop)
        for start in range(len(sentence))
        for stop in range(start + 1, min(start + max_length, len(sentence)) + 1)
    ]


def lists(batch):
    return [sample.tolist() for sample in batch]


words = st.sampled_from(
    ["a", "b", "c", "Ünïcode", "東京", "e\u0301", "<s>", "no\xa0break"]
)
sentences = st.lists(st.lists(words, max_size=9), min_size=1, max_size=5)


@settings(max_examples=150, deadline=None)
@given(sentences, st.integers(1, 12), st.integers(0, 3), st.booleans())
def test_all_spans_are_those_of_plain_loops(text, max_length, n_context, with_classes):
    classes = {"a": "x", "東京": 7} if with_classes else None
    extractor = PhraseExtractor(max_length, n_context=n_context, word_classes=classes)
    spans = [spans_of(sentence, max_length) for sentence in text]
    table = extractor.fit_transform(text)
    assert table.values.shape == (sum(map(len, spans)), 1 + 2 * n_context)
    assert table.values.dtype == object
    assert [list(map(tuple, s)) for s in lists(extractor.spans(text))] == spans
    assert lists(table) == [
        [row_of(sentence, *span, n_context, classes) for span in of_sentence]
        for sentence, of_sentence in zip(text, spans, strict=True)
    ]


@settings(max_examples=100, deadline=None)
@given(sentences, st.integers(0, 3), st.data())
def test_given_spans_keep_their_order_and_may_be_long(text, n_context, data):
    spans = []
    for sentence in text:
        some = st.sampled_from(spans_of(sentence, 99) or [None])
        spans.append(data.draw(st.lists(some, max_size=6)) if sentence else [])
    extractor = PhraseExtractor(max_length=1, n_context=n_context).fit(text)
    assert lists(extractor.extract(text, spans)) == [
        [row_of(sentence, *span, n_context) for span in of_sentence]
        for sentence, of_sentence in zip(text, spans, strict=True)
    ]


def test_equal_phrases_are_one_string():
    table = PhraseExtractor(max_length=3).fit_transform(X)
    same = [cell for cell in table.values[:, 0] if cell == "the old man"]
    assert len(same) == 2 and same[0] is same[1]


def test_extract_of_the_own_spans_is_transform():
    extractor = PhraseExtractor(max_length=3, n_context=2).fit(X)
    again = extractor.extract(X, np.asarray(extractor.spans(X)))
    np.testing.assert_array_equal(again.values, extractor.transform(X).values)
    np.testing.assert_array_equal(again.offsets, extractor.transform(X).offsets)


def test_sentences_without_tokens():
    table = PhraseExtractor(n_context=2).fit_transform([[], []])
    assert table.values.shape == (0, 5) and len(table) == 2
    assert PhraseExtractor().fit(X).extract(X, [[]] * 4).values.shape == (0, 3)


def test_borders_and_case():
    extractor = PhraseExtractor(1, lowercase=True, borders=("^", "$"))
    assert lists(extractor.fit_transform([["The", "MAN"]])) == [
        [["the", "^", "man"], ["man", "the", "$"]]
    ]


def test_lower_case_leaves_classes_to_the_words_as_they_are():
    classes = {"The": "determiner", "the": "wrong"}
    extractor = PhraseExtractor(1, lowercase=True, word_classes=classes)
    table = extractor.fit_transform([["The", "man"]])
    assert lists(table) == [[["the", "<s>", ""], ["man", "determiner", "</s>"]]]


def test_tokens_may_be_numbers_or_carried_beside_features():
    assert lists(PhraseExtractor(2).fit_transform([[7, 8]]))[0][1] == [
        "7 8",
        "<s>",
        "</s>",
    ]
    featured = Ragged.from_lengths(np.eye(2), [2], tokens=["a", "rose"])
    assert PhraseExtractor(2).fit_transform(featured)[0][1][0] == "a rose"


def test_the_users_data_is_not_changed():
    batch = Ragged(X)
    batch.values.flags.writeable = batch.offsets.flags.writeable = False
    classes = {"the": 0}
    PhraseExtractor(word_classes=classes).fit_transform(batch)
    assert classes == {"the": 0}
    assert batch.values.tolist() == [word for sentence in X for word in sentence]


@pytest.fixture(scope="module")
def brown():
    return BrownClusterer(2).fit(X)


def test_classes_of_a_frozen_clusterer_are_kept(brown):
    new = [["the", "new", "man"]]
    frozen = PhraseExtractor(1, word_classes=FrozenEstimator(brown)).fit(new)
    assert lists(frozen.transform(new)) == [
        [row_of(new[0], i, i + 1, 1, brown.paths_) for i in range(3)]
    ]


def test_a_clusterer_is_fitted_and_the_given_one_left_alone(brown):
    given = BrownClusterer(2)
    extractor = PhraseExtractor(1, word_classes=given).fit(X)
    assert not hasattr(given, "paths_")
    assert extractor.word_classes_.paths_ == brown.paths_
    assert extractor.transform(X)[3][1].tolist() == [
        "old",
        brown.paths_["the"],
        brown.paths_["man"],
    ]


def test_classes_that_are_numbers_become_text():
    clusterer = ExchangeClusterer(2, n_perturbations=0, random_state=0)
    extractor = PhraseExtractor(1, word_classes=clusterer).fit(X)
    label = dict(
        zip(
            extractor.word_classes_.words_, extractor.word_classes_.labels_, strict=True
        )
    )
    assert extractor.transform(X)[3][1].tolist() == [
        "old",
        str(label["the"]),
        str(label["man"]),
    ]


def test_classes_may_be_those_of_a_tagger():
    text, _ = make_hmm_sequences(20, n_states=3, random_state=0)
    hmm = AnnealedHMM(3, n_init=1, tol=0.1, random_state=0).fit(text)
    table = PhraseExtractor(1, word_classes=FrozenEstimator(hmm)).fit_transform(text)
    tags = hmm.predict(text)
    for rows, of_sentence in zip(table, tags, strict=True):
        assert rows[1:, 1].tolist() == list(map(str, of_sentence[:-1]))
        assert rows[:-1, 2].tolist() == list(map(str, of_sentence[1:]))


class Careless(BrownClusterer):
    def predict(self, X):
        return super().predict(X)[:-1]


def test_classes_that_do_not_fit_the_tokens():
    extractor = PhraseExtractor(word_classes=Careless()).fit(X)
    with pytest.raises(ValueError, match="one class for each token; Careless"):
        extractor.transform(X)


BAD = [
    ({"max_length": 0}, "max_length"),
    ({"max_length": 2.5}, "max_length"),
    ({"n_context": -1}, "n_context"),
    ({"borders": "<>"}, "borders"),
    ({"borders": ("<s>",)}, r"borders must be two strings"),
    ({"borders": (0, 1)}, r"borders must be two strings"),
    ({"word_classes": "brown"}, "word_classes"),
    ({"lowercase": "yes"}, "lowercase"),
]


@pytest.mark.parametrize(("params", "message"), BAD)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        PhraseExtractor(**params).fit(X)


def test_bad_parameters_after_fit():
    extractor = PhraseExtractor().fit(X).set_params(max_length=0)
    for ask in (extractor.transform, extractor.spans):
        with pytest.raises(ValueError, match="max_length"):
            ask(X)


BAD_SPANS = [
    ([[]], "spans has 1 entries, X has 4 sentences"),
    ([[(0, 1), (0, 5)], [], [], []], r"sentence 0: span 1 is \(0, 5\).*4 tokens"),
    ([[], [(0, 1)], [], []], r"sentence 1: span 0 is \(0, 1\)"),
    ([[], [], [(0, 0)], []], r"sentence 2: span 0"),
    ([[], [], [(-1, 1)], []], r"sentence 2: span 0"),
    ([[(0, 0.5)], [], [], []], r"sentence 0: span 0 is \(0, 0.5\)"),
    ([[(0, float("nan"))], [], [], []], "sentence 0: span 0"),
    ([[("a", "b")], [], [], []], "sentence 0: span 0"),
    ([[(0, 1, "NP")], [], [], []], "must be 2 numbers"),
    ([[0, 1], [], [], []], "must be 2 numbers"),
    ([[(0, 10**400)], [], [], []], "sentence 0: span 0"),
    ([[(0, 1)], None, [], []], r"spans must give each .* Sample 1"),
    (None, r"spans must give each sentence a list of \(start, stop\)"),
]


@pytest.mark.parametrize(("spans", "message"), BAD_SPANS)
def test_bad_spans(spans, message):
    with pytest.raises(ValueError, match=message):
        PhraseExtractor().fit(X).extract(X, spans)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (["the old man"], "a single str"),
        ([["the", None]], "sample 0, position 1"),
        (np.eye(3), "no words"),
        ([], "0 sample"),
    ],
)
def test_bad_sentences(text, message):
    with pytest.raises(ValueError, match=message):
        PhraseExtractor().fit(text)


def test_not_fitted():
    for ask in (
        lambda e: e.transform(X),
        lambda e: e.extract(X, [[]] * 4),
        lambda e: PhraseExtractor(word_classes=FrozenEstimator(BrownClusterer())).fit(
            X
        ),
    ):
        with pytest.raises(NotFittedError):
            ask(PhraseExtractor())


def test_names_of_columns():
    names = PhraseExtractor(n_context=2).get_feature_names_out()
    assert names.tolist() == ["phrase", "left_2", "left_1", "right_1", "right_2"]
    assert not hasattr(PhraseExtractor(), "set_output")  # a batch is no DataFrame


class MostFrequent(BrownClusterer):
    """Stands for a clusterer of phrases: whether a phrase was seen in training."""

    def fit(self, X, y=None):
        self.counts_ = Counter(X.values[:, 0].tolist())
        return self

    def predict(self, X):
        return X.with_values([self.counts_[phrase] for phrase in X.values[:, 0]])


def test_folds_cut_whole_sentences():
    model = make_pipeline(PhraseExtractor(max_length=2), MostFrequent())
    params = clone(model).set_params(phraseextractor__max_length=3).get_params()
    assert params["phraseextractor__max_length"] == 3
    seen = cross_val_predict(model, Ragged(X), cv=KFold(4))
    assert [s.tolist() for s in seen] == [[1, 1, 1, 1, 1, 0, 0], [], [0], [1] * 5]


def test_the_batch_of_rows_is_cut_joined_and_shipped():
    table = PhraseExtractor(max_length=2).fit_transform(X)
    whole = lists(table)
    assert lists(table[[3, 1, 0]]) == [whole[3], whole[1], whole[0]]
    assert lists(np.concatenate([table[2:], table[1:2]])) == [*whole[2:], whole[1]]
    joined = np.concatenate([table[1:2], table[1:2]])
    assert joined.values.shape == (0, 3)
    assert lists(pickle.loads(pickle.dumps(table))) == whole
    assert lists(Ragged(list(table))) == whole
    assert lists(clone(PhraseExtractor(2)).fit(X).transform(X)) == whole


def test_a_table_of_real_phrases_is_what_the_sentences_give(corpora):
    """Phrases of the treebank's text are among those in the table made of it."""
    X = read_conll(corpora / "pos" / "en-ewt" / "dev.tsv.gz", 0)[:400]
    table = PhraseExtractor(n_context=2).fit_transform(X)
    lengths = X.lengths
    n_spans = sum(int(np.maximum(lengths - k, 0).sum()) for k in range(5))
    assert table.values.shape == (n_spans, 5)
    assert table.lengths.tolist() == [len(spans_of(range(n), 5)) for n in lengths]
    assert set(map(type, table.values.ravel())) == {str}
    known, _ = read_phrase_table(corpora / "phrases" / "ewt-en-ud.tsv.gz")
    ours = set(map(tuple, table.values.tolist()))
    found = sum(tuple(row) in ours for row in known.tolist())
    assert found > 1000

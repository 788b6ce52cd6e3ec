"""Tagged sentences of NLTK and spaCy, in and out."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skstruct import AnnealedHMM
from skstruct.datasets import (
    join_tagged,
    read_conllu,
    read_spacy,
    split_tagged,
    write_conllu,
)

TAGGED = [[("Birds", "NOUN"), ("sing", "VERB")], [], [("Fish", None)]]
pairs = st.tuples(st.text(), st.sampled_from(["N", "V", None]))


@given(st.lists(st.lists(pairs, max_size=4), max_size=4))
def test_there_and_back(sentences):
    assert join_tagged(*split_tagged(sentences)) == sentences


def test_any_iterable_of_lists_will_do():
    X, y = split_tagged(iter([list(map(list, sentence)) for sentence in TAGGED]))
    assert [x.tolist() for x in X] == [["Birds", "sing"], [], ["Fish"]]
    assert [tags.tolist() for tags in y] == [["NOUN", "VERB"], [], [None]]


def test_predictions_become_plain_values():
    X, _ = split_tagged(TAGGED)
    model = AnnealedHMM(2, random_state=0).fit(X)
    tagged = join_tagged(X, model.predict(X))
    assert [[word for word, _ in s] for s in tagged] == [
        ["Birds", "sing"],
        [],
        ["Fish"],
    ]
    assert {type(state) for s in tagged for _, state in s} == {int}


@pytest.mark.parametrize("token", ["ab", ("a",), ("a", "B", "C"), None])
def test_tokens_that_are_no_pairs(token):
    with pytest.raises(ValueError, match=r"Sentence 1, position 1: expected \(word"):
        split_tagged([[("a", "B")], [("a", "B"), token]])


def test_tags_that_do_not_fit():
    with pytest.raises(ValueError, match="X has 2 sentences, y has 1"):
        join_tagged([["a"], ["b"]], [["N"]])
    with pytest.raises(ValueError, match="Sentence 1 has 1 words in X but 2 tags in y"):
        join_tagged([["a"], ["b"]], [["N"], ["N", "V"]])


class Doc:
    """What we ask of a document of spaCy."""

    def __init__(self, *sentences, split=True):
        self.sents = [
            [SimpleNamespace(text=word, pos_=tag) for word, tag in sentence]
            for sentence in sentences
        ]
        self._split = split

    def has_annotation(self, name):
        return self._split and name == "SENT_START"

    def __iter__(self):
        return (token for sentence in self.sents for token in sentence)


def test_documents_of_spacy():
    docs = [
        Doc([("Birds", "NOUN"), ("sing", "")], [("Fish", "NOUN")]),
        Doc([("So", "ADV")], [("what", "PRON")], split=False),
        Doc(),
    ]
    X, y = read_spacy(iter(docs))
    assert [x.tolist() for x in X] == [["Birds", "sing"], ["Fish"], ["So", "what"]]
    assert [t.tolist() for t in y] == [["NOUN", None], ["NOUN"], ["ADV", "PRON"]]
    assert [token.text for doc in docs for token in doc] == X.values.tolist()


def test_what_is_no_document():
    with pytest.raises(ValueError, match=r"Pass a single document as \[doc\]"):
        read_spacy(Doc([("Birds", "NOUN")]))
    with pytest.raises(ValueError, match="Tokens have no attribute 'pos'"):
        read_spacy([Doc([("Birds", "NOUN")])], tag="pos")


def test_real_documents_of_spacy():
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    assert [x.tolist() for x in read_spacy([nlp("Birds sing.")])[0]] == [
        ["Birds", "sing", "."]
    ]
    nlp.add_pipe("sentencizer")
    X, y = read_spacy(nlp.pipe(["Birds sing. Fish do not.", ""]))
    assert [len(x) for x in X] == [3, 4]
    assert set(y.values) == {None}


def test_tagged_sentences_to_conllu(tmp_path):
    X, y = split_tagged([sentence for sentence in TAGGED if sentence])
    write_conllu(tmp_path / "tagged.conllu", X, y)
    assert join_tagged(*read_conllu(tmp_path / "tagged.conllu")) == [
        sentence for sentence in TAGGED if sentence
    ]

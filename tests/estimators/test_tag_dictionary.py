"""Dictionaries of the states that words may have."""

import copy
import pickle
import time

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV

from skstruct.containers import Ragged
from skstruct.estimators import TagDictionary

MAPPING = {"the": "D", "run": ["V", "N"], "they": ("P",), "show": {"N", "V"}}


@pytest.fixture
def tags():
    return TagDictionary(MAPPING)


@pytest.fixture(scope="module")
def large():
    rng = np.random.RandomState(0)
    names = [f"T{k}" for k in range(17)]
    return TagDictionary(
        {
            f"word{i}": [names[k] for k in rng.randint(0, 17, 1 + i % 3)]
            for i in range(50_000)
        }
    )


class Holder(BaseEstimator):
    """An estimator with a dictionary among its parameters."""

    def __init__(self, tag_dictionary=None):
        self.tag_dictionary = tag_dictionary

    def fit(self, X, y=None):
        return self

    def score(self, X, y=None):
        return self.tag_dictionary.coverage([word for sample in X for word in sample])


def test_words_and_states(tags):
    assert tags.states.tolist() == ["D", "N", "P", "V"]
    assert tags.words.tolist() == ["run", "show", "the", "they"]
    assert len(tags) == 4 and "run" in tags and "zebra" not in tags
    assert tags.ambiguity == 1.5
    assert tags.to_dict() == {
        "run": ["N", "V"],
        "show": ["N", "V"],
        "the": ["D"],
        "they": ["P"],
    }


def test_allowed_is_the_mapping(tags):
    symbols = ["zebra", "they", "run", "the", "run"]
    expected = [
        [word not in MAPPING or state in MAPPING[word] for state in "DNPV"]
        for word in symbols
    ]
    for form in (symbols, np.array(symbols), np.array(symbols, dtype=object)):
        table = tags.allowed(form)
        assert table.dtype == bool and table.tolist() == expected
    assert tags.allowed([]).shape == (0, 4)


def test_states_keep_the_order_given():
    tags = TagDictionary(MAPPING, states=np.array(["V", "X", "D", "N", "P"]))
    assert tags.states.tolist() == ["V", "X", "D", "N", "P"]
    assert tags.allowed(["run"]).tolist() == [[True, False, False, True, False]]
    assert tags.to_dict()["show"] == ["V", "N"]


def test_integers_are_words_and_states():
    tags = TagDictionary({3: [1, 0], np.int64(5): 2})
    assert tags.states.dtype == np.intp and tags.states.tolist() == [0, 1, 2]
    allowed = tags.allowed(np.array([5, 4], dtype=np.int32))
    assert allowed.tolist() == [[False, False, True], [True, True, True]]
    assert np.int8(3) in tags


def test_repeated_names_count_once():
    assert TagDictionary({"a": ["N", "N", "V"]}).ambiguity == 2
    generated = TagDictionary({"a": (name for name in "NV"), "b": np.array(["N"])})
    assert generated.to_dict() == {"a": ["N", "V"], "b": ["N"]}


def test_coverage_counts_what_is_given(tags):
    assert tags.coverage(["the", "the", "the", "zebra"]) == 0.75
    assert tags.coverage({"the", "zebra"}) == 0.5
    assert tags.coverage([]) == 0.0


def test_restrict_keeps_states(tags):
    part = tags.restrict(["run", "zebra", "the", "run"])
    assert part.to_dict() == {"run": ["N", "V"], "the": ["D"]}
    assert part.states.tolist() == tags.states.tolist()
    none = tags.restrict([])
    assert len(none) == 0 and none.allowed(["run"]).all() and none.ambiguity == 0


def test_of(tags):
    assert TagDictionary.of(tags) is tags
    assert TagDictionary.of(MAPPING) == tags
    assert TagDictionary.of(pd.Series(MAPPING).to_dict()) == tags


# --- from tagged sentences ------------------------------------------------------------

X = [["the", "run"], ["they", "run", "the", "show"], ["run"]]
Y = [["D", "N"], ["P", "V", "D", None], None]


@pytest.mark.parametrize("form", [list, Ragged, pd.Series])
def test_tagged_sentences(form):
    tags = TagDictionary.from_tagged(form(X), pd.Series(Y) if form is pd.Series else Y)
    assert tags.to_dict() == {"run": ["N", "V"], "the": ["D"], "they": ["P"]}


def test_rare_words_are_left_out_but_not_their_states():
    tags = TagDictionary.from_tagged(X, Y, min_count=2)
    assert tags.words.tolist() == ["run", "the"]
    assert tags.states.tolist() == ["D", "N", "P", "V"]


@pytest.mark.parametrize(
    ("keep", "words"),
    [(1, ["b"]), (2, ["a", "b"]), (3, ["a", "b", "c"]), (9, list("abcd"))],
)
def test_the_most_frequent_words_are_kept(keep, words):
    sentence = list("dbbbccaa")
    tags = TagDictionary.from_tagged([sentence], [["N"] * 8], keep=keep)
    assert tags.words.tolist() == words


def test_feature_rows_that_carry_tokens():
    batch = Ragged.from_lengths(np.eye(2), [2], tokens=["the", "run"])
    assert TagDictionary.from_tagged(batch, [["D", "N"]]).words.tolist() == [
        "run",
        "the",
    ]


def test_integer_labels_may_be_unknown():
    tags = TagDictionary.from_tagged([["a", "b"]], [np.array([1, -1])])
    assert tags.to_dict() == {"a": [1]}


# --- as a parameter -------------------------------------------------------------------


def test_equal_content_is_equal(tags):
    same = TagDictionary({w: list(MAPPING[w]) for w in reversed(MAPPING)})
    assert tags == same and hash(tags) == hash(same)
    assert joblib.hash(tags) == joblib.hash(same)
    for other in (
        tags.restrict(["run"]),
        TagDictionary(MAPPING, states=list("VNPD")),
        TagDictionary({**MAPPING, "the": "P"}),
        MAPPING,
    ):
        assert tags != other


def test_pickles(tags):
    again = pickle.loads(pickle.dumps(tags))
    assert (
        again == tags
        and again.allowed(["run"]).tolist() == tags.allowed(["run"]).tolist()
    )
    assert "zebra" not in again


def test_it_cannot_be_changed(tags):
    for array in (tags.words, tags.states, pickle.loads(pickle.dumps(tags)).states):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = "X"
    tags.allowed(["run"])[:] = False
    assert tags.allowed(["run"]).any()


def test_large_dictionaries_copy_and_print_at_once(large):
    holder = Holder(tag_dictionary=large)
    start = time.process_time()
    for _ in range(100):
        assert clone(holder).tag_dictionary is large
        assert copy.deepcopy(large) is copy.copy(large) is large
        text = repr(large)
        holder.get_params()
    assert time.process_time() - start < 0.5
    assert text.startswith("TagDictionary(50,000 words, 17 states, 1.")
    assert text in repr(holder).replace("\n", " ").replace("  ", "")


def test_large_dictionaries_send_compactly(large):
    assert len(pickle.dumps(large)) < 3_000_000
    assert large.allowed(large.words).sum() == round(large.ambiguity * 50_000)


def test_one_word_is_printed_as_one():
    assert repr(TagDictionary({"a": "N"})) == (
        "TagDictionary(1 word, 1 state, 1.0 states a word)"
    )


def test_searches_over_dictionaries(tags):
    search = GridSearchCV(
        Holder(), {"tag_dictionary": [tags.restrict(["the"]), tags]}, cv=3, n_jobs=1
    ).fit(X)
    assert search.best_params_["tag_dictionary"] is tags


# --- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mapping", "states", "message"),
    [
        ({"run": []}, None, "mapping allows 'run' no state at all"),
        ({"the": "D", "run": ["V"]}, ["D"], r"'run' the state 'V'.*states=\['D'\]"),
        ({"run": [None]}, None, "allows 'run' the state None; names of states are"),
        ({"run": None}, None, "mapping of 'run' must be a state name or several"),
        ({None: "N"}, None, "mapping lists None; words are strings or integers"),
        ({"run": "V"}, ["V", "V"], "states names 'V' more than once"),
        ({}, None, "mapping is empty; name the states by states="),
        ([("run", "V")], None, "must be a dict of word to states, got list"),
        (None, None, "must be a dict of word to states, got NoneType"),
    ],
)
def test_bad_mappings(mapping, states, message):
    with pytest.raises(ValueError, match=message):
        TagDictionary(mapping, states=states)


def test_bad_tagged_sentences():
    with pytest.raises(ValueError, match="y: sequence 0 has 1 labels, but X has 2"):
        TagDictionary.from_tagged(X, [["D"], *Y[1:]])
    with pytest.raises(ValueError, match="y tags no word"):
        TagDictionary.from_tagged(X, [None, None, None])
    with pytest.raises(ValueError, match="X must hold words, got vectors"):
        TagDictionary.from_tagged([np.eye(2)], [["D", "N"]])
    for wrong in ({"keep": 0}, {"min_count": 0}, {"keep": 1.5}):
        with pytest.raises(ValueError, match="must be a positive integer"):
            TagDictionary.from_tagged(X, Y, **wrong)


def test_tokens_that_are_no_words(tags):
    with pytest.raises(ValueError, match="got tokens that are vectors or dicts"):
        tags.allowed([{"w": "run"}])
    with pytest.raises(ValueError, match="got tokens that are vectors or dicts"):
        tags.allowed(np.eye(2))

"""Features of tokens: which, where, and what becomes of them."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn_crfsuite
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from skstruct.containers import Ragged
from skstruct.datasets import read_conll
from skstruct.featurizers import TokenFeaturizer
from skstruct.featurizers._words import prefix, suffix, word_shape
from skstruct.metrics import token_accuracy_scorer

X = [["He", "walked"], [], ["Dogs", "talked", "re-run", "4x4"], ["Stop"]]
BARE = {
    "prefixes": (),
    "suffixes": (),
    "shape": False,
    "min_identity_count": None,
    "flags": (),
}


@parametrize_with_checks([TokenFeaturizer(), TokenFeaturizer(output="dicts")])
def test_estimator_checks(estimator, check):
    check(estimator)


def described(featurizer, sequence):
    """Names of the features that each token of a sequence has."""
    names = featurizer.get_feature_names_out()
    rows = featurizer.transform([sequence]).values
    assert set(rows.data) <= {1.0}
    return [set(names[rows[[t]].indices]) for t in range(len(sequence))]


# --- forms of words -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("", ""),
        ("AbCd", "AaAa"),
        ("www.x-1.org", "a#a#0#a"),
        ("ǅ", "A"),
        ("नमस्ते", "b"),  # vowel signs are marks, no letters of their own
        ("e\u0301tude", "a"),
        ("١٢٣", "0"),
        ("東京2", "b0"),
        ("a\n b", "a#a"),
    ],
)
def test_shapes(word, shape):
    assert word_shape(word) == shape
    assert word_shape(word, 2) == shape[:2]


@given(st.text())
def test_shapes_of_any_text(word):
    shape = word_shape(word)
    assert set(shape) <= set("Aa0b#") and len(shape) <= len(word)
    assert all(a != b for a, b in pairwise(shape))


def test_affixes_are_shorter_than_the_word():
    assert (prefix("walk", 3), suffix("walk", 3)) == ("wal", "alk")
    assert prefix("walk", 4) is None and suffix("we", 3) is None


# --- which features -------------------------------------------------------------------


def test_windows_and_boundaries():
    featurizer = TokenFeaturizer(2, **BARE | {"flags": ("capital",)}).fit(X)
    assert featurizer.get_feature_names_out().tolist() == [
        *("-2:capital", "-2:boundary", "-1:capital", "-1:boundary", "0:capital"),
        *("+1:capital", "+1:boundary", "+2:capital", "+2:boundary"),
    ]
    assert described(featurizer, ["A", "b", "C"]) == [
        {"-2:boundary", "-1:boundary", "0:capital", "+2:capital"},
        {"-2:boundary", "-1:capital", "+1:capital", "+2:boundary"},
        {"-2:capital", "0:capital", "+1:boundary", "+2:boundary"},
    ]
    alone = {"-2:boundary", "-1:boundary", "+1:boundary", "+2:boundary"}
    assert described(featurizer, ["b"]) == [alone]


def test_no_window_looks_at_the_token_alone():
    featurizer = TokenFeaturizer(0, **BARE | {"flags": ("hyphen", "digit")}).fit(X)
    assert described(featurizer, ["x-y", "z", "-9"]) == [
        {"0:hyphen"},
        set(),
        {"0:hyphen", "0:digit"},
    ]


def test_windows_do_not_reach_into_other_sequences():
    featurizer = TokenFeaturizer(3).fit(X)
    whole = featurizer.transform(X)
    for i, sequence in enumerate(X):
        alone = featurizer.transform([sequence]).values
        assert (whole[i] != alone).nnz == 0


def test_affixes_must_occur_in_enough_words():
    def kept(share, words):
        settings = BARE | {"suffixes": (2,), "min_affix_share": share}
        return list(TokenFeaturizer(0, **settings).fit([words]).vocabulary_)

    words = ["aXX", "bXX", "cXX", "dYY", "eYY", "fZZ", "fZZ", "fZZ", "XX", "gg"]
    assert kept(0, words) == ["suffix=xx", "suffix=yy"]  # fZZ is one word
    assert kept(2 / 8, words) == ["suffix=xx"]  # 2 of 8 is not more than the share
    assert kept(3 / 8, words) == []


def test_identities_need_tokens_and_shapes_need_types():
    words = ["The", "the", "THE", "cat", "cat"]
    settings = BARE | {"min_identity_count": 3}
    assert list(TokenFeaturizer(0, **settings).fit([words]).vocabulary_) == ["word=the"]
    cased = TokenFeaturizer(0, **settings | {"min_identity_count": 2}, lowercase=False)
    assert list(cased.fit([words]).vocabulary_) == ["word=cat"]
    shapes = TokenFeaturizer(0, **BARE | {"shape": True})
    assert shapes.fit([["a", "b", "c", "a", "A"]]).vocabulary_ == {}
    assert list(shapes.fit([["a", "b", "c", "d", "A"]]).vocabulary_) == ["shape=a"]


def test_a_letter_counts_once_though_it_makes_two_in_lower_case():
    words = ["\u0130zmir", "\u0130z\u0130", "\u039f\u03a3\u0391"]
    affixes = {"prefixes": (2,), "suffixes": (1,), "min_identity_count": 1}
    featurizer = TokenFeaturizer(0, **BARE | affixes).fit(
        [words + [w + "x" for w in words]]
    )
    names = described(featurizer, words)
    assert names[0] == {"0:prefix=i\u0307z", "0:word=i\u0307zmir"}
    assert names[1] == {"0:prefix=i\u0307z", "0:word=i\u0307zi\u0307"}
    # Lower case depends on what follows: a capital sigma ends a prefix, not the word.
    assert names[2] == {"0:prefix=\u03bf\u03c3", "0:word=\u03bf\u03c3\u03b1"}


def test_unknown_words_have_the_features_learnt_from_others():
    featurizer = TokenFeaturizer(0, min_identity_count=1).fit(X)
    (known,) = described(featurizer, ["talked"])
    (unknown,) = described(featurizer, ["Smirked"])
    assert {"0:word=talked", "0:suffix=ed", "0:suffix=ked", "0:bias"} <= known
    assert unknown == {"0:suffix=ed", "0:suffix=ked", "0:bias", "0:capital"}


def kind(token):
    return "vowel" if token[0] in "aeiou" else "other"


def details(token):
    return {
        "size": len(token),
        "is_long": len(token) > 4,
        "first": token[0],
        "no": None,
    }


def test_functions_of_the_user():
    words = [["apple", "pear", "fig"]]
    featurizer = TokenFeaturizer(0, **BARE, functions=(kind, len, details)).fit(words)
    names = [name.removeprefix("0:") for name in featurizer.get_feature_names_out()]
    assert names == [
        *("details:first=a", "details:first=f", "details:first=p", "details:is_long"),
        *("details:size", "kind=other", "kind=vowel", "len"),
    ]
    row = featurizer.transform([["orange"]]).values.toarray()[0]
    assert dict(zip(names, row, strict=True)) == dict.fromkeys(names, 0) | {
        "details:is_long": 1.0,
        "details:size": 6.0,
        "kind=vowel": 1.0,
        "len": 6.0,
    }
    again = pickle.loads(pickle.dumps(clone(featurizer).fit(words)))
    assert again.vocabulary_ == featurizer.vocabulary_


def test_functions_are_asked_once_for_each_new_token():
    asked = []

    def ask(token):
        asked.append(token)
        return np.bool_(True)

    featurizer = TokenFeaturizer(functions=[ask]).fit([["a", "b", "a"]])
    featurizer.transform([["a", "c", "a", "c"]])
    assert asked == ["a", "b", "c"]


def test_integers_are_read_as_digits():
    featurizer = TokenFeaturizer(0, min_identity_count=1, functions=(abs,))
    out = featurizer.fit([[-12, 7], [7]]).transform([[7, 300]])
    names = featurizer.get_feature_names_out()
    assert set(names[out.values[[0]].indices]) == {
        *("0:abs", "0:bias", "0:digit", "0:word=7")
    }
    assert out.tokens.tolist() == [7, 300] and out.values[1, list(names).index("0:abs")]


# --- forms of input and output --------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        list,
        Ragged,
        pd.Series,
        lambda X: [np.array(s, dtype=str) for s in X],
        lambda X: [tuple(s) for s in X],
    ],
)
def test_all_forms_of_sequences_are_alike(form):
    featurizer = TokenFeaturizer(min_identity_count=1).fit(form(X))
    assert featurizer.vocabulary_ == clone(featurizer).fit(X).vocabulary_
    out = featurizer.transform(form(X))
    assert type(out) is Ragged and out.lengths.tolist() == [2, 0, 4, 1]
    assert type(out.values) is sp.csr_array and out.values.dtype == np.float64
    assert out.values.shape == (7, featurizer.n_features_out_)
    assert out.values.has_sorted_indices
    assert out.values.indices.dtype == out.values.indptr.dtype == np.int32
    assert out.tokens.tolist() == [token for sequence in X for token in sequence]
    assert (out.values != featurizer.transform(X).values).nnz == 0


def test_the_frame_behind_a_batch_stays_known():
    frame = pd.DataFrame({"id": [2, 1, 2], "word": ["b", "a", "c"]})
    batch = Ragged.from_frame(frame, "word", group="id")
    out = TokenFeaturizer().fit_transform(batch)
    assert out.tokens.tolist() == ["b", "c", "a"] and batch.tokens is None
    beside = out.to_frame(out.with_values(out.tokens))
    assert beside["prediction"].tolist() == frame["word"].tolist()


def test_tokens_beside_feature_rows_are_read():
    rows = Ragged.from_lengths(np.eye(3), [2, 1], tokens=["a", "B", "c"])
    featurizer = TokenFeaturizer(min_identity_count=1).fit(rows)
    again = featurizer.transform(featurizer.transform(rows))
    expected = featurizer.transform([["a", "B"], ["c"]])
    assert (again.values != expected.values).nnz == 0
    assert again.tokens is rows.tokens


def test_dicts_hold_what_the_rows_hold():
    featurizer = TokenFeaturizer(2, min_identity_count=1, functions=(len,)).fit(X)
    rows = featurizer.transform(X).values.toarray()
    dicts = featurizer.set_params(output="dicts").transform(X)
    assert dicts.shape == (4,) and [len(s) for s in dicts] == [2, 0, 4, 1]
    names = featurizer.get_feature_names_out()
    expected = [{names[j]: row[j] for j in np.flatnonzero(row)} for row in rows]
    assert [token for sequence in dicts for token in sequence] == expected


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.text(max_size=4), max_size=5), min_size=1), st.integers(0, 3)
)
def test_any_text_has_features(sequences, window):
    featurizer = TokenFeaturizer(window, min_identity_count=1)
    if not any(sequences):
        with pytest.raises(ValueError, match="no tokens"):
            featurizer.fit(sequences)
        return
    out = featurizer.fit_transform(sequences)
    assert out.lengths.tolist() == [len(s) for s in sequences]
    names = featurizer.get_feature_names_out()
    assert len(set(names)) == len(names) == out.values.shape[1]
    edges = [j for j, name in enumerate(names) if name.endswith(":boundary")]
    # At a distance d, the last or first min(d, T) tokens of a sequence see its end.
    beyond = sum(min(d, len(s)) for s in sequences for d in range(1, window + 1))
    assert out.values[:, edges].sum() == 2 * beyond


def test_small_corpora():
    featurizer = TokenFeaturizer().fit([["a"]])
    assert featurizer.get_feature_names_out().tolist() == [
        *("-1:bias", "-1:boundary", "0:bias", "+1:bias", "+1:boundary")
    ]
    assert described(featurizer, ["a"]) == [{"-1:boundary", "0:bias", "+1:boundary"}]
    empty = featurizer.transform([[], []])
    assert empty.lengths.tolist() == [0, 0] and empty.values.shape == (0, 5)
    dicts = featurizer.set_params(output="dicts").transform([[], []])
    assert dicts.tolist() == [[], []]
    nothing = TokenFeaturizer(0, **BARE).fit_transform(X)
    assert nothing.values.shape == (7, 0)


def test_output_configuration_does_not_break_batches():
    with config_context(transform_output="pandas"):
        assert type(TokenFeaturizer().fit_transform(X)) is Ragged


# --- estimator manners ----------------------------------------------------------------


def test_answers_depend_on_the_input_alone():
    featurizer = TokenFeaturizer(min_identity_count=1).fit(X)
    before = pickle.dumps(featurizer)
    first = featurizer.transform(X)
    featurizer.transform([["other", "words"]])
    again = pickle.loads(before).transform(X)
    assert (first.values != again.values).nnz == 0
    assert pickle.dumps(featurizer) == before


def test_nothing_is_answered_before_fit():
    for method in (lambda f: f.transform(X), lambda f: f.get_feature_names_out()):
        with pytest.raises(NotFittedError):
            method(TokenFeaturizer())


def colour(token):
    return float("nan")


def shape(token):
    return 1.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"window": -1}, "'window' parameter .* must be an int"),
        ({"window": 1.5}, "'window'"),
        ({"min_affix_share": 1.0}, "'min_affix_share'"),
        ({"min_identity_count": 0}, "'min_identity_count'"),
        ({"output": "csr"}, "'output'"),
        ({"prefixes": 3}, "'prefixes'"),
        ({"suffixes": (2, 0)}, "suffixes holds 0; lengths of affixes are integers"),
        ({"prefixes": ["un"]}, "prefixes holds 'un'"),
        ({"flags": ("vowel",)}, "flags holds 'vowel'; there are 'bias', 'hyphen'"),
        ({"functions": (3,)}, "functions holds 3; each must be a function"),
        ({"functions": (len, len)}, "named 'len', which other features"),
        ({"functions": (shape,)}, "named 'shape', which other features"),
        ({"functions": (colour,)}, "colour answers nan for the token 'He'"),
        ({"functions": (list,)}, r"list answers \['H', 'e'\] for the token 'He'"),
    ],
)
def test_bad_parameters(parameters, message):
    featurizer = TokenFeaturizer(**parameters)
    with pytest.raises(ValueError, match=message):
        featurizer.fit(X)
    assert not hasattr(featurizer, "vocabulary_")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([["a"], ["b", None]], "sequence 1, position 1: None. TokenFeaturizer reads"),
        (
            [["a"], [{"w": 1}]],
            r"sequence 1, position 0.*PerToken\(DictVectorizer\(\)\)",
        ),
        ([[0.5, 1.0]], "position 0: .*0.5.*pass them to the model"),
        ([[True]], "position 0: .*True"),
        ([np.eye(2)], r"rows of 2 columns.*PerToken\(StandardScaler\(\)\)"),
        (np.eye(2), "rows of 2 columns"),
        ([sp.csr_array(np.eye(2))], "rows of 2 columns"),
        (["a rose"], "X: Sample 0 is a single str"),
        (["a", "rose"], "Expected 2D array|is a single str"),
        (np.array([["a", "b"]]), "table of strings"),
        ([], "X is empty"),
        ([[], []], "X has no tokens to learn from"),
    ],
)
def test_bad_input(wrong, message):
    with pytest.raises(ValueError, match=message):
        TokenFeaturizer().fit(wrong)


# --- other libraries, real data -------------------------------------------------------


def test_before_a_conditional_random_field():
    words = [
        ["Ann", "sleeps"],
        ["Bob", "walks"],
        ["she", "sees", "Ann"],
        ["Bob", "nods"],
    ]
    tags = [["N", "V"], ["N", "V"], ["P", "V", "N"], ["N", "V"]]
    pipe = make_pipeline(
        TokenFeaturizer(suffixes=(1,), output="dicts"),
        sklearn_crfsuite.CRF(algorithm="lbfgs", max_iterations=50),
    )
    pipe.fit(words, tags)
    assert [list(s) for s in pipe.predict([["Tom", "runs"]])] == [["N", "V"]]
    search = GridSearchCV(
        pipe,
        {"tokenfeaturizer__window": [0, 1]},
        cv=2,
        scoring=token_accuracy_scorer,
        error_score="raise",
    )
    assert search.fit(Ragged(words * 2), Ragged(tags * 2)).best_score_ > 0.8


def test_real_corpus(corpora):
    batch = read_conll(corpora / "pos" / "en-ewt" / "dev.tsv.gz", 0)
    featurizer = TokenFeaturizer().fit(batch)
    out = featurizer.transform(batch)
    names = featurizer.get_feature_names_out()
    assert out.values.shape == (batch.n_tokens, len(names)) and len(names) > 500
    frequent = dict(zip(names, out.values.sum(axis=0), strict=True))
    words = [w.lower() for w in batch.values]
    assert frequent["0:word=the"] == words.count("the")
    assert frequent["-1:boundary"] == len(batch) == frequent["+1:boundary"]
    ending = [w for w in words if w.endswith("ing") and len(w) > 3]
    assert frequent["0:suffix=ing"] == len(ending)


def test_parameters_set_after_fit_wait_for_the_next():
    def told(word):
        return word[0]

    featurizer = TokenFeaturizer(min_affix_share=0).fit(X)
    new = [["Cats", "walked", "re-ran"]]
    before, names = featurizer.transform(new), featurizer.get_feature_names_out()
    featurizer.set_params(
        window=2, suffixes=(), shape=False, lowercase=False, functions=(told,)
    )
    after = featurizer.transform(new)
    assert after.values.shape[1] == featurizer.n_features_out_
    np.testing.assert_array_equal(after.values.toarray(), before.values.toarray())
    np.testing.assert_array_equal(featurizer.get_feature_names_out(), names)
    featurizer.fit(X)
    assert featurizer.transform(new).values.shape[1] == featurizer.n_features_out_
    assert featurizer.get_feature_names_out()[0].startswith("-2:")


def _asks_too_much(word):
    return {"walked": 1}[word]


def test_errors_of_a_function_name_it_and_the_word():
    message = "functions: _asks_too_much raised KeyError.* for the word 'stopped'"
    featurizer = TokenFeaturizer(functions=(_asks_too_much,)).fit([["walked"]])
    with pytest.raises(ValueError, match=message) as caught:
        featurizer.transform([["walked", "stopped"]])
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(ValueError, match=message):
        TokenFeaturizer(functions=(_asks_too_much,)).fit([["stopped"]])


@pytest.mark.parametrize("answer", [10**400, {"size": -(10**400)}])
def test_an_answer_beyond_all_floats_is_refused(answer):
    def size(word):
        return answer

    with pytest.raises(ValueError, match=r"functions: size.* answers .*'walked'"):
        TokenFeaturizer(functions=(size,)).fit([["walked"]])

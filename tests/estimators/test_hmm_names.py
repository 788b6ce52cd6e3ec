"""Names of states: integers, dictionaries and labels that meet."""

import warnings

import pytest
from numpy.testing import assert_array_equal

from skstruct.estimators import AnnealedHMM, TagDictionary

AB = [["a", "b", "a"], ["b"], ["b", "a"]]


def answers(hmm, X=AB, **observed):
    return [y.tolist() for y in hmm.predict(X, **observed)]


def clamped(*args, **params):
    return AnnealedHMM(*args, supervision="clamp", random_state=0, **params)


# Integers


def test_integer_names_of_a_dictionary():
    hmm = AnnealedHMM(tag_dictionary={"a": [5], "b": [7]}).fit(AB)
    assert hmm.states_.tolist() == [5, 7] and hmm.states_.dtype.kind == "i"
    assert answers(hmm) == [[5, 7, 5], [7], [7, 5]]
    assert_array_equal(hmm.predict_proba([["b"]])[0], [[0, 1]])
    assert answers(hmm, [["?"]], observed_labels=[[7]]) == [[7]]
    with pytest.raises(ValueError, match=r"position 0: 0 is not one .*\(5, 7\)"):
        hmm.predict([["?"]], observed_labels=[[0]])


def test_the_order_of_integer_names_is_kept():
    tags = TagDictionary({"a": [0], "b": [1]}, states=[1, 0])
    hmm = AnnealedHMM(tag_dictionary=tags).fit(AB)
    assert hmm.states_.tolist() == [1, 0]
    assert answers(hmm) == [[0, 1, 0], [1], [1, 0]]
    labelled = clamped(tag_dictionary=tags).fit(AB, [[0, 1, 0], [1], None])
    assert labelled.states_.tolist() == [1, 0]
    assert answers(labelled) == answers(hmm)


@pytest.mark.parametrize("large", [7, 10**9, 2**40])
def test_integer_labels_are_names(large):
    hmm = clamped().fit([["a", "b"], ["b"]], [[large, 1], [1]])
    assert hmm.states_.tolist() == [1, large] and hmm.states_.dtype.kind == "i"
    assert answers(hmm, [["a", "b"]]) == [[large, 1]]
    same = clamped(2).fit([["a", "b"], ["b"]], [[large, 1], [1]])
    assert same.states_.tolist() == [1, large]


def test_integer_labels_are_numbers_where_more_states_are_asked_for():
    X, y = [["a", "b"], ["b"]], [[2, 0], [0]]
    assert clamped(4).fit(X, y).states_.tolist() == [0, 1, 2, 3]
    assert clamped(startprob_init=[0.2] * 5).fit(X, y).states_.size == 5
    with pytest.raises(ValueError, match=r"y, sequence 0, position 0: 1000000000 is"):
        clamped(4).fit(X, [[10**9, 0], [0]])


@pytest.mark.parametrize("y", [[[-2, 10**9], [0]], [[-2, -2], [-2]]])
def test_negative_labels_are_no_names(y):
    with pytest.raises(
        ValueError, match=r"sequence 0, position 0: -2 is.*-1 means unk"
    ):
        clamped().fit([["a", "b"], ["b"]], y)


def test_labels_that_are_all_negative_name_no_states():
    with pytest.raises(ValueError, match=r"-2 is no state: negative.*-1 means unknown"):
        clamped().fit([["a", "b"]], [[-2, -3]])
    with pytest.raises(ValueError, match=r"-3 is not one of the 2 states \(0, 1\)"):
        clamped(2).fit([["a", "b"]], [[-1, -3]])


def test_made_up_names_are_not_those_of_labels():
    X, y = [["a", "b", "c"]] * 2, [["state_2", "x", None], None]
    states = clamped(4).fit(X, y).states_.tolist()
    assert states == ["state_2", "x", "state_3", "state_4"]
    with pytest.raises(ValueError, match="n_states: 1, y: 2"):
        clamped(1).fit(X, y)


# Dictionaries


@pytest.mark.parametrize("change", ["mutate", "set_params"])
def test_predictions_read_the_dictionary_of_the_fit(change):
    tags = {"a": ["A"], "b": ["B"]}
    hmm = AnnealedHMM(tag_dictionary=tags).fit(AB)
    if change == "mutate":
        tags.update({"a": ["B"], "c": ["C"]})
    else:
        hmm.set_params(tag_dictionary=None)
    hmm.predict_proba(AB)
    assert answers(hmm) == [["A", "B", "A"], ["B"], ["B", "A"]]
    hmm.set_params(tag_dictionary={"a": "B", "b": "A"})
    assert answers(hmm)[1] == ["B"] and answers(hmm.fit(AB))[1] == ["A"]


def test_labels_and_sizes_outside_the_dictionary():
    tags = {"a": ["N", "V"]}
    more = r"TagDictionary\(\.\.\., states=\[\.\.\.\]\)"
    with pytest.raises(ValueError, match=f"'Q' is not one of the 2 .*{more}"):
        clamped(tag_dictionary=tags).fit(AB, [None, ["Q"], None])
    with pytest.raises(ValueError, match=f"n_states: 3, tag_dictionary: 2.*{more}"):
        AnnealedHMM(3, tag_dictionary=tags).fit(AB)


def test_labels_that_contradict_the_dictionary():
    hmm = clamped(tag_dictionary={"a": ["A"], "b": ["A", "B"]})
    with pytest.warns(UserWarning) as record:
        hmm.fit([["c", "a"], ["b", "a"]], [["B", "A"], ["A", "B"]])
    assert len(record) == 1 and record[0].filename == __file__
    assert "first sequence 1, position 1, a labelled B" in str(record[0].message)
    assert (hmm.emissionprob_[1, hmm.symbols_ == "a"] > 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hmm.fit([["c", "a"], ["b", "a"]], [["B", "A"], [None, "A"]])

"""Reading user input: sentence pairs and their links."""

from collections import UserDict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skstruct._validation import as_links, read_bitext_batch
from skstruct.containers import Bitext, Ragged

PAIRS = [(["a", "b"], ["c"]), (["d", "e"], ["f"])]


def object_array(items):
    out = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        out[i] = item
    return out


def test_a_bitext_passes_and_is_answered_by_a_ragged():
    X = Bitext(PAIRS)
    bitext, answer = read_bitext_batch(X)
    assert bitext is X
    links = Ragged.from_lengths(np.array([[0, 0], [1, 0]]), [2, 0])
    assert answer(links) is links


@pytest.mark.parametrize("form", [list, tuple, object_array, pd.Series])
@pytest.mark.parametrize("lengths", [[1, 1], [2, 0], [0, 0]])
def test_list_likes_are_answered_by_arrays_of_links(form, lengths):
    bitext, answer = read_bitext_batch(form(PAIRS))
    assert [s.tolist() for s in bitext.source] == [["a", "b"], ["d", "e"]]
    n = sum(lengths)
    links = answer(Ragged.from_lengths(np.zeros((n, 2), dtype=np.intp), lengths))
    assert type(links) is np.ndarray and links.shape == (2,)
    assert [pair.shape for pair in links] == [(k, 2) for k in lengths]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((3, 2)), r"X is a ndarray of shape \(3, 2\); an aligner takes sent"),
        (np.ones((3, 2, 4), int), "an aligner takes sentence pairs"),
        (Ragged([["a"]]), r"X is a Ragged of shape \(1,\); an aligner takes"),
        (pd.DataFrame({"a": ["x"]}), "X: .*DataFrame.*from_sides"),
        ([(["a"], "b c")], "X: Pair 0: the target is a string"),
        ([], "X is empty: found 0 sample"),
        (Bitext([]), "X is empty: found 0 sample"),
    ],
)
def test_what_is_no_bitext(X, message):
    with pytest.raises(ValueError, match=message):
        read_bitext_batch(X)


FORMS = {
    "arrays": lambda y: [np.array(links).reshape(-1, 2) for links in y],
    "sets": lambda y: [set(links) for links in y],
    "frozen sets in a tuple": lambda y: tuple(map(frozenset, y)),
    "object array": object_array,
    "pandas": pd.Series,
    "floats": lambda y: [np.array(links, dtype=float).reshape(-1, 2) for links in y],
    "small": lambda y: [np.array(links, dtype=np.uint8).reshape(-1, 2) for links in y],
    "Ragged": lambda y: Ragged.from_lengths(
        np.array([link for links in y for link in links]), [len(links) for links in y]
    ),
    "Ragged of lists": Ragged,
    "marked": lambda y: [[(*link, 1) for link in links] for links in y],
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_links(form):
    y = [[(2, 0), (0, 1)], [], [(1, 1)]]
    links = as_links(FORMS[form](y))
    assert links.pair.tolist() == [0, 0, 2]
    assert links.source.tolist() == [0, 2, 1]
    assert links.target.tolist() == [1, 0, 1]
    assert links.sure.tolist() == [True] * 3
    assert links.known.tolist() == [True] * 3
    assert {a.dtype for a in links[:3]} == {np.dtype(np.intp)}


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_links_are_not_known(missing):
    links = as_links([[(0, 0)], missing, []])
    assert links.known.tolist() == [True, False, True]
    assert links.pair.tolist() == [0]


@pytest.mark.parametrize("y", [[], [[], []], [None], Ragged([[], []])])
def test_no_links_at_all(y):
    links = as_links(y)
    assert len(links.known) == len(y)
    assert [len(a) for a in links[:4]] == [0] * 4


def test_three_dimensions_are_pairs_with_as_many_links():
    links = as_links(np.array([[[0, 0], [1, 0]], [[0, 1], [1, 1]]]))
    assert links.pair.tolist() == [0, 0, 1, 1]
    assert links.target.tolist() == [0, 0, 1, 1]


@given(
    y=st.lists(
        st.lists(st.tuples(*[st.integers(0, 3)] * 2, st.integers(0, 1)), max_size=9),
        max_size=4,
    )
)
def test_duplicates_collapse_and_sure_wins(y):
    expected = {}
    for p, links in enumerate(y):
        for i, j, sure in links:
            expected[p, i, j] = max(sure, expected.get((p, i, j), 0))
    links = as_links(y)
    rows = [a.tolist() for a in links[:4]]
    assert [((p, i, j), s) for p, i, j, s in zip(*rows, strict=True)] == sorted(
        expected.items()
    )


SIZES = Bitext([([1, 2], [3]), ([], [4, 5]), ([6], [7, 8, 9])])


def test_links_in_range_pass_with_either_form_of_sizes():
    y = [[(1, 0)], [], [(0, 2)]]
    lengths = SIZES.source.lengths, SIZES.target.lengths
    for sizes in (SIZES, lengths):
        assert as_links(y, sizes).target.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[(2, 0)], [], []], r"gold, pair 0: the link \(2, 0\) .*2 tokens.*target 1\."),
        ([[], [(0, 0)], []], r"gold, pair 1: the link \(0, 0\) .*0 tokens.*target 2\."),
        ([[], None, [(0, 0), (0, 3)]], r"pair 2: the link \(0, 3\).*one_based=True"),
        ([[], []], "gold has links for 2 pairs, X has 3"),
    ],
)
def test_links_out_of_range_name_pair_and_sizes(y, message):
    with pytest.raises(ValueError, match=message):
        as_links(y, SIZES, "gold")
    as_links(y)  # without the text nothing is known of its sizes


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[], [(0, -1)]], r"y, pair 1: the link \(0, -1\) is negative"),
        ([[], [(0, 0), (0.5, 1)]], r"y, pair 1: the link \(0\.5, 1\.0\) is not made"),
        ([[(0, np.nan)]], r"y, pair 0: the link \(0\.0, nan\) is not made of whole"),
        ([[("0", "1")]], r"y, pair 0: the link \(0, 1\) is not made of whole"),
        ([[(0, "x")]], r"the link \(0, x\) is not made of whole"),
        ([np.array([[0, None]])], r"the link \(0, None\) is not made of whole"),
        ([np.array([[2**63, 1]], dtype=np.uint64)], "is negative|whole numbers"),
        ([np.eye(2, dtype=bool)], r"the link \(True, False\) is not made of whole"),
        ([np.eye(4)], r"array of shape \(4, 4\).*argwhere"),
        ([[(0, 0, 2)]], r"y, pair 0: the link \(0, 0, 2\) is marked 2"),
        ([[(0, 0), (1, 1, 1)]], "y, pair 0: links must be .* all alike"),
        ([0, [(0, 1)]], "y, pair 0: links are an array"),
        ([[0, 1]], r"y, pair 0: links must be .*shape \(2,\)"),
        (np.array([[0, 1], [1, 1]]), r"y, pair 0: links must be .*shape \(2,\)"),
        (["0-0 1-1"], "y, pair 0: .*got a str; .*read_links"),
        ([{0: 0}], "y, pair 0: .*got a dict"),
        ([UserDict({(0, 0): 1})], "y, pair 0: .*got a UserDict"),
        (UserDict({((0, 0),): 1}), "y must be a list .*got a UserDict"),
        ("0-0", "y must be a list .*got a str"),
        (None, "y must be a list .*got a NoneType"),
        (pd.DataFrame({"a": [0]}), "y must be a list .*got a DataFrame"),
        (Ragged([[], ["x"]]), r"y, pair 1: links must be .*shape \(1,\)"),
        (Ragged([[], [[0, -1]]]), r"y, pair 1: the link \(0, -1\) is negative"),
        (Ragged([[], [[0, 0, 3]]]), r"y, pair 1: the link \(0.*, 3.*\) is marked 3"),
    ],
)
def test_what_is_no_link(y, message):
    with pytest.raises(ValueError, match=message):
        as_links(y)


def test_the_input_is_not_changed():
    y = object_array([np.array([[1, 0], [0, 0], [1, 0]])])
    y[0].flags.writeable = False
    as_links(y)
    assert y[0].tolist() == [[1, 0], [0, 0], [1, 0]]

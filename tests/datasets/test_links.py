"""read_links, write_links."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skstruct._validation import as_links
from skstruct.containers import Ragged
from skstruct.datasets import read_bitext, read_links, write_links


@pytest.fixture
def save(tmp_path):
    def write(text, name="gold.txt"):
        path = tmp_path / name
        path.write_bytes(
            gzip.compress(text.encode()) if ".gz" in name else text.encode()
        )
        return path

    return write


def lists(links):
    return [None if pair is None else pair.tolist() for pair in links]


@pytest.mark.parametrize("name", ["gold.txt", "gold.gz"])
def test_pharaoh(save, name):
    links = read_links(save("0-0  2-1\r\n\n10-3\n", name))
    assert links.shape == (3,) and links.dtype == object
    assert links[1].shape == (0, 2) and links[1].dtype == np.intp
    assert lists(links) == [[[0, 0], [2, 1]], [], [[10, 3]]]


def test_equal_numbers_of_links_stay_one_dimensional(save):
    assert read_links(save("0-0\n1-1\n")).shape == (2,)


@pytest.mark.parametrize("mark", "?p")
def test_a_possible_link_gives_the_whole_file_a_third_column(save, mark):
    links = read_links(save(f"0-0\n\n1-1 0{mark}1\n"))
    assert lists(links) == [[[0, 0, 1]], [], [[1, 1, 1], [0, 1, 0]]]
    assert links[1].shape == (0, 3)


def test_marks_after_links(save):
    links = read_links(save("0-0S 12-3P\n1-1 2?2\n"))
    assert lists(links) == [[[0, 0, 1], [12, 3, 0]], [[1, 1, 1], [2, 2, 0]]]
    assert lists(read_links(save("0-0S 1-0S\n"))) == [[[0, 0], [1, 0]]]


def test_reverse_and_one_based(save):
    path = save("1-2 3?1\n")
    assert lists(read_links(path, reverse=True)) == [[[2, 1, 1], [1, 3, 0]]]
    assert lists(read_links(path, one_based=True)) == [[[0, 1, 1], [2, 0, 0]]]


NAACL = "0003 1 2 S\n0001 2 1 P\n\n3 4  1 0.25\n3 2 2 P 0.5\n5 0 3 S\n"


def test_naacl(save):
    links = read_links(save(NAACL), format="naacl")
    assert lists(links) == [
        [[1, 0, 0]],
        None,
        [[0, 1, 1], [3, 0, 1], [1, 1, 0]],
        None,
        [],
    ]
    assert lists(read_links(save("1 1 1\n"), format="naacl")) == [[[0, 0]]]


def test_naacl_that_counts_from_zero(save):
    path = save("0 0 1\n1 2 0 P\n")
    links = read_links(path, format="naacl", one_based=False, reverse=True)
    assert lists(links) == [[[1, 0, 1]], [[0, 2, 0]]]
    with pytest.raises(ValueError, match=r"line 1: sentence 0 .*one_based=False"):
        read_links(path, format="naacl")


@pytest.mark.parametrize(("format", "text"), [("pharaoh", "0-1\n"), ("naacl", "1 1 2")])
def test_n_pairs_fills_up(save, format, text):
    links = read_links(save(text), format=format, n_pairs=3)
    assert lists(links) == [[[0, 1]], None, None]


def test_more_pairs_than_n_pairs(save):
    with pytest.raises(ValueError, match=r"gold.txt, line 2: .*n_pairs=1"):
        read_links(save("0-0\n\n"), n_pairs=1)
    with pytest.raises(ValueError, match=r"line 1: pair 7 is beyond n_pairs=6"):
        read_links(save("7 1 1\n"), format="naacl", n_pairs=6)


@pytest.mark.parametrize(
    ("format", "line"),
    [
        ("pharaoh", "0-0 1-"),
        ("pharaoh", "0:0"),
        ("pharaoh", "-1-2"),
        ("pharaoh", "1-2-3"),
        ("pharaoh", "1.0-2"),
        ("pharaoh", "0 - 1"),
        ("pharaoh", "\u0663-1"),
        ("pharaoh", "99999999-1"),
        ("pharaoh", "1?1S"),
        ("pharaoh", "1-1SP"),
        ("pharaoh", "1-1s"),
        ("naacl", "1 2"),
        ("naacl", "1 2 3 Q"),
        ("naacl", "1 2 3 P S"),
        ("naacl", "1-2"),
        ("naacl", "123456789 1 1"),
    ],
)
def test_bad_lines_are_named(save, format, line):
    first = "0-0" if format == "pharaoh" else "1 1 1"
    with pytest.raises(ValueError, match=r"gold\.txt, line 2: '.*' is no"):
        read_links(save(f"{first}\n{line}\n"), format=format)


def test_zero_in_a_pharaoh_file_that_should_count_from_one(save):
    with pytest.raises(ValueError, match=r"line 1: the link 0-3 .*one_based=False"):
        read_links(save("1-1 0-3\n"), one_based=True)


def test_unknown_format(tmp_path):
    with pytest.raises(ValueError, match="format must be 'pharaoh' or 'naacl'"):
        read_links(tmp_path / "x", format="moses")
    with pytest.raises(ValueError, match="format must be 'pharaoh' or 'naacl'"):
        write_links([], tmp_path / "x", format="moses")


tables = st.lists(
    st.dictionaries(
        st.tuples(st.integers(0, 12), st.integers(0, 12)), st.booleans(), max_size=5
    ),
    max_size=5,
)


@given(
    tables=tables,
    format=st.sampled_from(["pharaoh", "naacl"]),
    reverse=st.booleans(),
    one_based=st.sampled_from([None, True, False]),
)
def test_round_trip(tmp_path_factory, tables, format, reverse, one_based):
    path = tmp_path_factory.mktemp("links") / "links.txt"
    links = [[(*link, int(sure)) for link, sure in pair.items()] for pair in tables]
    keywords = {"format": format, "reverse": reverse, "one_based": one_based}
    write_links(links, path, **keywords)
    again = read_links(path, n_pairs=len(links), **keywords)
    for a, b in zip(as_links(links)[:4], as_links(again)[:4], strict=True):
        assert a.tolist() == b.tolist()


def test_all_forms_are_written_alike(tmp_path):
    rows = np.array([[0, 0], [1, 0], [2, 2]])
    forms = [
        Ragged.from_lengths(rows, [2, 0, 1]),
        [rows[:2], [], rows[2:]],
        [{(1, 0), (0, 0)}, set(), [(2, 2, 1)]],
    ]
    for links in forms:
        write_links(links, tmp_path / "x")
        assert (tmp_path / "x").read_text() == "0-0 1-0\n\n2-2\n"


def test_what_pharaoh_cannot_say(tmp_path):
    write_links([[(0, 0)], None, None], tmp_path / "x")
    assert (tmp_path / "x").read_text() == "0-0\n"
    with pytest.raises(ValueError, match="links, pair 1: nothing is known"):
        write_links([[(0, 0)], None, [(0, 1)]], tmp_path / "y")
    assert not (tmp_path / "y").exists()
    write_links([[(0, 0)], None, [(0, 1, 0)]], tmp_path / "y", format="naacl")
    assert (tmp_path / "y").read_text() == "0001 1 1 S\n0003 1 2 P\n"


@pytest.mark.parametrize(
    ("links", "options"),
    [
        ([[(0, 0)], [(0, 10**7)]], {}),
        ([[], [(1e7, 0.0)]], {}),
        ([[], [(0, 10**7 - 1)]], {"one_based": True}),
        ([[], [(0, 10**7 - 1)]], {"format": "naacl"}),
    ],
)
def test_numbers_that_would_not_be_read_back_are_refused(tmp_path, links, options):
    with pytest.raises(ValueError, match="pair 1: the number 10000000 has more than 7"):
        write_links(links, tmp_path / "x", **options)
    assert not list(tmp_path.iterdir())


def test_the_largest_number_and_whole_floats_are_written(tmp_path):
    write_links([[(9_999_999.0, 0.0)]], tmp_path / "x")
    assert read_links(tmp_path / "x")[0].tolist() == [[9_999_999, 0]]
    with pytest.raises(ValueError, match=r"pair 0: .* not made of whole numbers"):
        write_links([[(0.5, 0.0)]], tmp_path / "y")


GOLD = {
    ("en-cs", "test"): (2501, 44292, 23131),
    ("ja-en", "dev"): (637, 19564, 0),
    ("en-sv", "test"): (1164, 23766, 0),
    ("grc-en", "test"): (274, 6036, 1388),
    ("grc-la", "test"): (100, 1380, 213),
    ("en-es", "test"): (245, 4722, 0),
    ("en-ru", "dev"): (90, 1113, 0),
}


@pytest.mark.parametrize(("pair", "part"), GOLD)
def test_real_gold(corpora, tmp_path, pair, part):
    path = corpora / "align" / pair / part
    X = read_bitext(path.with_suffix(".src"), path.with_suffix(".tgt"))
    links = read_links(path.with_suffix(".gold"))
    flat = as_links(links, X)
    counts = len(links), flat.sure.sum(), (~flat.sure).sum()
    assert counts == GOLD[pair, part]
    write_links(links, tmp_path / "gold")
    again = as_links(read_links(tmp_path / "gold"), X)
    assert all((a == b).all() for a, b in zip(flat, again, strict=True))
    with pytest.raises(ValueError, match=re.escape(" is out of range")):
        as_links(read_links(path.with_suffix(".gold"), reverse=True), X)


@pytest.mark.parametrize(
    "parameters",
    [{"n_pairs": -1}, {"n_pairs": 1.5}, {"n_pairs": True}, {"one_based": "no"}],
)
def test_parameters_that_make_no_sense(save, parameters):
    (name,) = parameters
    with pytest.raises(ValueError, match=f"{name} must be"):
        read_links(save("0-0\n"), **parameters)

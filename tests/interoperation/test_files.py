"""What models find goes to files of the field's formats, and comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skstruct import AnnealedHMM, Bitext
from skstruct.datasets import (
    make_bitext,
    read_bitext,
    read_conllu,
    read_links,
    write_bitext,
    write_conllu,
    write_links,
)
from skstruct.datasets._conllu import FIELDS, replace_column
from skstruct.estimators import IBM1Aligner
from skstruct.metrics import alignment_error_rate

words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=4)


@pytest.mark.parametrize("format", ["pharaoh", "naacl"])
@pytest.mark.parametrize("reverse", [False, True])
def test_links_that_an_aligner_finds(tmp_path, format, reverse):
    X, gold = make_bitext(30, random_state=0)
    write_bitext(X, tmp_path / "pairs.gz")
    X = read_bitext(tmp_path / "pairs.gz")
    links = IBM1Aligner().fit_predict(X)
    path = tmp_path / "links"
    write_links(links, path, format=format, reverse=reverse)
    found = read_links(path, format=format, reverse=reverse, n_pairs=len(X))
    for one, other in zip(found, links, strict=True):
        assert one is None or one.tolist() == other.tolist()
    if format == "pharaoh":
        rate = alignment_error_rate(gold, links)
        assert alignment_error_rate(gold, found) == rate


@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_states_that_a_tagger_finds(tmp_path):
    X = [["the", "dog", "barked"], ["a", "cat", "slept"]]
    states = AnnealedHMM(3, random_state=0, max_iter=4).fit(X).predict(X)
    write_conllu(tmp_path / "states.conllu", X, states, tag="xpos")
    back, tags = read_conllu(tmp_path / "states.conllu", tag="xpos")
    assert [x.tolist() for x in back] == X
    assert [list(map(int, t)) for t in tags] == [s.tolist() for s in states]


@given(
    st.lists(st.lists(words, min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from(["upos", "xpos", "misc", "feats"]),
    st.randoms(use_true_random=False),
)
def test_replacing_a_column_touches_no_other(tmp_path_factory, X, tag, random):
    folder = tmp_path_factory.mktemp("conllu")
    old, new = folder / "old.conllu", folder / "new.conllu"
    write_conllu(old, X, [[w[::-1] for w in sentence] for sentence in X], tag="lemma")
    y = [[str(random.randrange(9)) for _ in sentence] for sentence in X]
    labels = [label for sentence in y for label in sentence]
    replace_column(old, new, y, tag=tag)
    before = read_conllu(old, return_X_y=False)
    after = read_conllu(new, return_X_y=False)
    for name in FIELDS[1:]:
        expected = labels if name == tag else before[name].values.tolist()
        assert after[name].values.tolist() == expected


def test_an_entry_of_misc_takes_the_place_of_its_key(tmp_path):
    path = tmp_path / "x.conllu"
    words = [["a", "b", "c", "d"]]
    old = ["State=1", "_", "State=1|SpaceAfter=No|State=2", "Statement=1"]
    write_conllu(path, words, [old], tag="misc")
    new = [f"State={k}" for k in range(4)]
    for _ in range(2):
        replace_column(path, path, [new], tag="misc")
        assert read_conllu(path, tag="misc")[1].values.tolist() == [
            *("State=0", "State=1", "SpaceAfter=No|State=2", "Statement=1|State=3")
        ]


def test_bitext_of_two_files(tmp_path):
    X = Bitext([(["a", "b"], ["c"]), ([], ["d"]), (["|||"], [])])
    write_bitext(X, tmp_path / "a", tmp_path / "b")
    back = read_bitext(tmp_path / "a", tmp_path / "b")
    for one, other in zip(back, X, strict=True):
        np.testing.assert_equal(one, other)

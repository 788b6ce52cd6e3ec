"""to_universal_tags: tables, files, forms of y, unknown tags."""

import gzip

import numpy as np
import pytest

from skstruct.containers import Ragged
from skstruct.datasets import read_conll, to_universal_tags

UD = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
PETROV = "ADJ ADP ADV VERB CONJ DET X NOUN NUM PRT PRON NOUN . CONJ X VERB X"


def test_table_of_universal_dependencies():
    assert to_universal_tags([UD.split()], "ud-petrov12") == [PETROV.split()]


def test_universal_tags_stay():
    assert to_universal_tags([PETROV.split()], "ud-petrov12") == [PETROV.split()]


def test_answers_in_the_form_of_y():
    y = [["a", "b"], [], ["b", None]]
    expected = [["A", "B"], [], ["B", None]]
    table = {"a": "A", "b": "B"}
    assert to_universal_tags(y, table) == expected
    batch = Ragged(y)
    answer = to_universal_tags(batch, table)
    assert isinstance(answer, Ragged)
    assert [list(s) for s in answer] == expected
    assert list(batch.values) == ["a", "b", "b", None]
    answer = to_universal_tags(np.asarray(batch), table)
    assert isinstance(answer, np.ndarray)
    assert answer.shape == (3,)
    assert [list(s) for s in answer] == expected
    assert table == {"a": "A", "b": "B"}


def test_states_may_be_mapped_too():
    assert to_universal_tags([[0, 1], [1]], {0: "N", 1: "V"}) == [["N", "V"], ["V"]]


def test_unknown_tag_names_sentence_and_position():
    y = [["NOUN"], [], ["VERB", "ONOM"]]
    with pytest.raises(ValueError, match="Sentence 2, position 1: the tag 'ONOM'"):
        to_universal_tags(y, "ud-petrov12")
    assert to_universal_tags(y, "turkish-petrov12")[2] == ["VERB", "X"]


@pytest.mark.parametrize("name", ["a.map", "a.map.gz"])
def test_map_files(tmp_path, name):
    content = b"#\t.\nNN\tNOUN\n\nNN\tNOUN\n-LRB-\t.\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    for mapping in (path, str(path)):
        assert to_universal_tags([["NN", "#"]], mapping) == [["NOUN", "."]]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("VB VERB", "expected TAG<TAB>UNIVERSAL"),
        ("VB\t", "expected TAG<TAB>UNIVERSAL"),
        ("VB\tVERB\tX", "expected TAG<TAB>UNIVERSAL"),
        ("NN\tVERB", "'NN' is mapped to 'NOUN' and 'VERB'"),
    ],
)
def test_malformed_map_files(tmp_path, line, problem):
    path = tmp_path / "bad.map"
    path.write_text(f"NN\tNOUN\n{line}\n")
    with pytest.raises(ValueError, match=rf"bad\.map, line 2: {problem}"):
        to_universal_tags([["NN"]], path)


@pytest.mark.parametrize("mapping", ["ud-petrov21", 12, ["NN"], None])
def test_bad_mapping(mapping):
    with pytest.raises(ValueError, match=r"mapping=.*ud-petrov12"):
        to_universal_tags([["NN"]], mapping)


def test_real_maps(corpora):
    maps = corpora / "pos" / "petrov-maps"
    _, upos, xpos = read_conll(corpora / "pos" / "da-cdt" / "dev.tsv.gz", [0, 1, 2])
    answer = to_universal_tags(xpos, maps / "da-ddt.map")
    np.testing.assert_array_equal(answer.values, upos.values)
    universal = set(PETROV.split())
    for path in sorted(maps.glob("*.map")):
        tags = [line.split("\t")[0] for line in path.read_text("utf-8").splitlines()]
        assert set(to_universal_tags([tags], path)[0]) <= universal

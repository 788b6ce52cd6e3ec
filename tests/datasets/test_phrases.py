"""read_phrase_table, write_phrase_labels, make_phrase_table."""

import gzip
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skstruct.datasets import (
    make_phrase_table,
    read_phrase_table,
    write_phrase_labels,
)

LINES = "old man\the\tsaw\t.\t</s>\tNP\nça\t<s>\t<s>\tva\t!\tVP\n"


@pytest.fixture
def save(tmp_path):
    def write(text, name="phrases.tsv"):
        path = tmp_path / name
        path.write_bytes(
            gzip.compress(text.encode()) if ".gz" in name else text.encode()
        )
        return path

    return write


@pytest.mark.parametrize("name", ["phrases.tsv", "phrases.tsv.gz"])
def test_read(save, name):
    X, y = read_phrase_table(save(LINES, name))
    assert X.dtype == y.dtype == object
    assert X.tolist() == [
        ["old man", "he", "saw", ".", "</s>"],
        ["ça", "<s>", "<s>", "va", "!"],
    ]
    assert y.tolist() == ["NP", "VP"]


def test_the_nearest_contexts_are_kept(save):
    path = save(LINES)
    X, y = read_phrase_table(path, 1)
    assert X.tolist() == [["old man", "saw", "."], ["ça", "<s>", "va"]]
    assert y.tolist() == ["NP", "VP"]
    assert read_phrase_table(path, 2)[0].shape == (2, 5)
    assert read_phrase_table(path, 0)[0].tolist() == [["old man"], ["ça"]]


def test_without_labels(save):
    X = read_phrase_table(save("a rose\tis\t.\n\t\t\n"), label=False)
    assert X.tolist() == [["a rose", "is", "."], ["", "", ""]]
    assert read_phrase_table(save("a rose\n"), label=False).tolist() == [["a rose"]]


BAD = [
    ("a\tb\tc\tNP\na\tb\tNP\n", {}, "line 2: expected 4 columns .* found 3"),
    ("a\tb\tc\tNP\n\n", {}, "line 2: expected 4 columns .* found 1"),
    ("a\tb\tc\n", {}, "line 1: label=True leaves 1 columns"),
    ("a\tb\tc\tNP\n", {"label": False}, "line 1: label=False leaves 3 columns"),
    ("a\n", {}, "line 1: label=True leaves -1 columns"),
    ("a\tb\tc\tNP\n", {"n_context": 2}, "line 1: there are 1 contexts .*n_context=2"),
    ("", {}, "has no lines"),
    ("a\tNP\n", {"n_context": -1}, "n_context"),
]


@pytest.mark.parametrize(("text", "params", "message"), BAD)
def test_bad_tables(save, text, params, message):
    with pytest.raises(ValueError, match=message):
        read_phrase_table(save(text), **params)


REAL = {
    "gum-en-const.tsv.gz": (46_197, 30_852, {"NP": 26_904, "PP": 7_257, "CONJP": 62}),
    "ewt-en-ud.tsv.gz": (21_974, 12_225, {"NP": 11_565, "VP": 1_880, "SBAR": 201}),
}


@pytest.mark.parametrize("name", REAL)
def test_real_tables(corpora, name):
    n_rows, n_phrases, n_labels = REAL[name]
    X, y = read_phrase_table(corpora / "phrases" / name)
    assert X.shape == (n_rows, 5) and y.shape == (n_rows,)
    assert len(set(X[:, 0])) == n_phrases
    assert n_labels.items() <= Counter(y).items()
    nearest, _ = read_phrase_table(corpora / "phrases" / name, 1)
    np.testing.assert_array_equal(nearest, X[:, [0, 2, 3]])


ROWS = [("the man", 3, 1.0, 12), ("naïve", "VP", 1 / 3, np.int64(8))]
FRAME = {
    "cluster": [0, 0],
    "count": [12, 8],
    "probability": [1.0, 1 / 3],
    "category": ["3", "VP"],
    "phrase": ["the man", "naïve"],
}
WRITTEN = "the man\t3\t1\t12\nnaïve\tVP\t0.333333\t8\n"


@pytest.mark.parametrize(
    "table", [ROWS, iter(ROWS), pd.DataFrame(FRAME), pl.DataFrame(FRAME)]
)
def test_write(tmp_path, table):
    write_phrase_labels(table, tmp_path / "labels.tsv.gz")
    with gzip.open(tmp_path / "labels.tsv.gz", "rt", encoding="utf-8") as file:
        assert file.read() == WRITTEN


BAD_ROWS = [
    (("a\tb", "NP", 1.0, 1), "row 1: the phrase .* tab"),
    (("a", "N\nP", 1.0, 1), "row 1: the category .* line end"),
    (("a\ud800", "NP", 1.0, 1), "row 1: the phrase .* half of a surrogate pair"),
    (("a", "NP", 1.5, 1), "row 1: the probability of 'a' is 1.5"),
    (("a", "NP", float("nan"), 1), "row 1: the probability of 'a' is nan"),
    (("a", "NP", "1", 1), "row 1: the probability of 'a' is '1'"),
    (("a", "NP", 1.0, -1), "row 1: the count of 'a' is -1"),
    (("a", "NP", 1.0, None), "row 1: the count of 'a' is None"),
    (("a", "NP", 1.0), r"row 1: expected \(phrase, category, probability, count\)"),
    ("abcd", "row 1: expected"),
    (None, "row 1: expected"),
]


@pytest.mark.parametrize(("row", "message"), BAD_ROWS)
def test_a_bad_row_leaves_the_older_file(tmp_path, row, message):
    path = tmp_path / "labels.tsv"
    path.write_text("old")
    with pytest.raises(ValueError, match=message):
        write_phrase_labels([ROWS[0], row], path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_told_by_the_name_that_was_given(tmp_path):
    path = tmp_path / "none" / "labels.tsv"
    with pytest.raises(FileNotFoundError) as told:
        write_phrase_labels(ROWS, path)
    assert told.value.filename == str(path)


def test_a_frame_without_a_column(tmp_path):
    frame = pd.DataFrame(FRAME).drop(columns="count")
    with pytest.raises(ValueError, match="table has no column 'count'"):
        write_phrase_labels(frame, tmp_path / "labels.tsv")


def test_generated_phrases_have_mostly_one_category():
    X, y = make_phrase_table(5000, ambiguity=0.2, n_slots=3, random_state=0)
    assert X.shape == (5000, 4) and X.dtype == object
    assert set(map(type, X.ravel())) == {str}
    assert sorted(set(y)) == [0, 1, 2, 3]
    tops = sum(
        Counter(y[X[:, 0] == phrase]).most_common(1)[0][1] for phrase in set(X[:, 0])
    )
    # A row in five draws its category anew, and hits that of the phrase in a quarter.
    assert 0.84 < tops / 5000 < 0.88


def test_without_ambiguity_a_phrase_has_one_category():
    X, y = make_phrase_table(
        1000, n_categories=3, n_phrases=7, ambiguity=0, random_state=1
    )
    pairs = set(zip(X[:, 0], y, strict=True))
    assert len(pairs) == len(set(X[:, 0])) == 7
    assert len(set(y)) == 3


def test_contexts_tell_of_the_category_but_none_alone_for_sure():
    X, y = make_phrase_table(20_000, n_phrases=5, random_state=0)
    by_word = {}
    for word, category in zip(X[:, 1], y, strict=True):
        by_word.setdefault(word, Counter())[category] += 1
    right = sum(counts.most_common(1)[0][1] for counts in by_word.values())
    assert 0.6 < right / 20_000 < 0.95
    shared = {word for word, counts in by_word.items() if len(counts) > 1}
    assert 0 < len(shared) < len(by_word)


def test_the_seed_decides():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    (A, a), (B, b), (C, _) = (make_phrase_table(50, random_state=s) for s in (0, 0, 1))
    assert A.tolist() == B.tolist() and a.tolist() == b.tolist()
    assert A.tolist() != C.tolist()
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


@pytest.mark.parametrize(
    "params",
    [
        {"n_rows": 0},
        {"n_categories": 0},
        {"n_phrases": 0},
        {"n_slots": -1},
        {"ambiguity": 1.1},
        {"ambiguity": float("nan")},
        {"ambiguity": "much"},
    ],
)
def test_bad_numbers(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        make_phrase_table(**params)

"""read_text, read_conll, read_conllu, write_conllu."""

import gzip
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skstruct.containers import Ragged
from skstruct.datasets import read_conll, read_conllu, read_text, write_conllu
from skstruct.datasets._lines import write_lines


@pytest.fixture
def save(tmp_path):
    """Write text or bytes under a name; gzipped where the name says so."""

    def write(content, name="corpus.txt"):
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def lists(batch):
    return [list(sequence) for sequence in batch]


def conllu(*rows):
    """Rows ``id form upos`` as lines of ten columns; others as they are."""
    lines = []
    for row in rows:
        fields = row.split()
        if len(fields) == 3 and "\t" not in row and row[0] != "#":
            i, form, upos = fields
            row = "\t".join([i, form, form.lower(), upos, "T" + upos, *"_" * 5])
        lines.append(row)
    return "\n".join(lines) + "\n"


SAMPLE = conllu(
    "# sent_id = 1",
    "# text = Vedilo con lei.",
    "1-2 Vedilo _",
    "1 Vedi VERB",
    "2 lo PRON",
    "3 con ADP",
    "4 lei PRON",
    "4.1 ombra NOUN",
    "5 . PUNCT",
    "",
    "",
    "# text = Sì",
    "1 Sì INTJ",
    "",
)
WORDS = [["Vedi", "lo", "con", "lei", "."], ["Sì"]]
TAGS = [["VERB", "PRON", "ADP", "PRON", "PUNCT"], ["INTJ"]]


# --- read_text


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.GZ.gz"])
def test_text_keeps_a_sequence_for_each_line(save, name):
    X = read_text(save("a  rose\tis\n\n  \r\nred \n", name))
    assert isinstance(X, Ragged)
    assert lists(X) == [["a", "rose", "is"], [], [], ["red"]]


def test_text_without_final_line_end_or_content(save):
    assert lists(read_text(save("one\ntwo"))) == [["one"], ["two"]]
    assert len(read_text(save(""))) == 0


def test_text_cuts_at_ascii_space_only(save):
    text = "10\u00a0000 \u3000 x\u2028y\n"
    assert lists(read_text(save(text))) == [["10\u00a0000", "\u3000", "x\u2028y"]]


def test_text_drops_a_byte_order_mark(save):
    assert lists(read_text(save("\ufeffone two\n"))) == [["one", "two"]]


def test_equal_words_are_one_object(save):
    X = read_text(save("déjà vu\ndéjà\n"))
    assert X.values[0] is X.values[2]


@pytest.mark.parametrize("read", [read_text, lambda p: read_conll(p, 0), read_conllu])
def test_bad_bytes_name_file_and_line(save, read):
    path = save(b"# fine\n\n\xff\n", "latin.txt")
    with pytest.raises(ValueError, match=r"latin\.txt, line 3: not UTF-8"):
        read(path)


def test_damaged_gzip_names_the_file(save, tmp_path):
    whole = save("word\n" * 10_000, "whole.gz").read_bytes()
    for name, content in {"cut.gz": whole[:-20], "plain.gz": b"no gzip"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=rf"{name}, line \d+: not a complete gzip"):
            read_text(tmp_path / name)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "nowhere.txt")


# --- read_conll

CHUNKS = "He PRP B-NP\nsleeps  VBZ B-VP \n\n \nWhy WRB B-ADVP"


@pytest.mark.parametrize("name", ["a.conll", "a.conll.gz"])
def test_conll_one_column_or_several(save, name):
    path = save(CHUNKS, name)
    assert lists(read_conll(path, 0)) == [["He", "sleeps"], ["Why"]]
    answer = read_conll(path, [-1, 0])
    assert isinstance(answer, tuple)
    assert lists(answer[0]) == [["B-NP", "B-VP"], ["B-ADVP"]]
    assert lists(answer[1]) == [["He", "sleeps"], ["Why"]]
    assert isinstance(read_conll(path, [1]), tuple)


def test_conll_words_with_spaces_survive_between_tabs(save):
    path = save("1 000\tNUM\r\nyen\tNOUN\r\n\r\n")
    for sep in (None, "\t"):
        X, y = read_conll(path, [0, 1], sep=sep)
        assert lists(X) == [["1 000", "yen"]]
        assert lists(y) == [["NUM", "NOUN"]]


def test_conll_other_separators(save):
    assert lists(read_conll(save("a/DT\nrose/NN\n"), 1, sep="/")) == [["DT", "NN"]]


@pytest.mark.parametrize("columns", [[0, 2], [0, -1], -3])
def test_conll_too_few_columns(save, columns):
    path = save("a DT x\n\nrose\n", "short.conll")
    with pytest.raises(ValueError, match=r"short\.conll, line 3: .* found 1 in 'rose'"):
        read_conll(path, columns)


@pytest.mark.parametrize("columns", [[], "0", 1.0, [0, "x"]])
def test_conll_bad_columns(save, columns):
    with pytest.raises(ValueError, match="columns must be an integer or a list"):
        read_conll(save(CHUNKS), columns)


def test_conll_empty_separator(save):
    with pytest.raises(ValueError, match="sep"):
        read_conll(save(CHUNKS), 0, sep="")


# --- read_conllu


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz"])
def test_conllu_words_and_tags(save, name):
    X, y = read_conllu(save(SAMPLE, name))
    assert lists(X) == WORDS
    assert lists(y) == TAGS
    assert lists(read_conllu(save(SAMPLE, name), tag="xpos")[1])[1] == ["TINTJ"]


@pytest.mark.parametrize(
    "text",
    [
        SAMPLE.replace("\n", "\r\n"),
        "\ufeff" + SAMPLE,
        SAMPLE.rstrip("\n"),
        "\n\n" + SAMPLE + "\n# a comment at the end",
    ],
    ids=["crlf", "bom", "no final blank line", "stray blank lines"],
)
def test_conllu_variants_read_alike(save, text):
    X, y = read_conllu(save(text))
    assert lists(X) == WORDS
    assert lists(y) == TAGS


def test_conllu_all_columns(save):
    columns = read_conllu(save(SAMPLE), return_X_y=False)
    assert list(columns) == [
        *("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    ]
    assert lists(columns.lemma)[0][0] == "vedi"
    assert lists(columns.feats)[1] == ["_"]
    assert lists(columns.deprel)[1] == [None]


def test_conllu_unannotated_labels_are_none_and_words_are_not(save):
    text = conllu("1 _ PUNCT", "2 x _")
    X, y = read_conllu(save(text))
    assert lists(X) == [["_", "x"]]
    assert lists(y) == [["PUNCT", None]]


def test_conllu_empty_file(save):
    X, y = read_conllu(save(""))
    assert len(X) == len(y) == 0


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("2\tonly\tthree", "expected 10 columns separated by tabs, found 3"),
        ("2 b b X X _ _ _ _ _", "separated by tabs, found 1"),
        ("2\t" + "\t".join("b" * 10), "found 11"),
        ("x\t" + "\t".join("b" * 9), "id 'x' is no number"),
        ("²\t" + "\t".join("b" * 9), "id '²' is no number"),
        ("9" * 5000 + "\t_" * 9, "id '99999999999999999999' is no number of at most 9"),
        ("1\t" + "\t".join("b" * 9), "id 1 follows id 1; is the blank line"),
        ("0\t" + "\t".join("b" * 9), "id 0 follows id 1"),
        ("2\t\t" + "\t".join("b" * 8), "column form is empty"),
        ("2\tb\tb\t\t" + "\t".join("b" * 6), "column upos is empty"),
    ],
)
def test_conllu_malformed_lines(save, row, problem):
    path = save(conllu("# c", "1 a X", row), "bad.conllu")
    with pytest.raises(ValueError, match=r"bad\.conllu, line 3: ") as error:
        read_conllu(path)
    assert problem in str(error.value)


@pytest.mark.parametrize("tag", ["form", "id", "pos", None])
def test_conllu_unknown_tag(save, tmp_path, tag):
    with pytest.raises(ValueError, match="tag must be one of"):
        read_conllu(save(SAMPLE), tag=tag)
    with pytest.raises(ValueError, match="tag must be one of"):
        write_conllu(tmp_path / "out", WORDS, TAGS, tag=tag)


# --- write_conllu

texts = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1, max_size=6
)
tokens = st.tuples(texts, st.none() | texts.filter(lambda t: t != "_"))
sentences = st.lists(st.lists(tokens, min_size=1, max_size=5), max_size=5)


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(corpus=sentences, suffix=st.sampled_from(["", ".gz"]))
def test_round_trip(tmp_path, corpus, suffix):
    path = tmp_path / f"corpus.conllu{suffix}"
    words = [[word for word, _ in sentence] for sentence in corpus]
    tags = [[tag for _, tag in sentence] for sentence in corpus]
    write_conllu(path, words, tags, tag="xpos")
    X, y = read_conllu(path, tag="xpos")
    assert lists(X) == words
    assert lists(y) == tags


def test_write_gzips_by_suffix(tmp_path):
    path = tmp_path / "a.conllu.gz"
    write_conllu(str(path), Ragged(WORDS), Ragged(TAGS))
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")
    assert lines[0] == "1\tVedi\t_\tVERB\t_\t_\t_\t_\t_\t_"
    assert lines[5:] == ["", "1\tSì\t_\tINTJ\t_\t_\t_\t_\t_\t_", "", ""]


def test_write_words_only_states_and_unknown_sentences(tmp_path):
    path = tmp_path / "a.conllu"
    write_conllu(path, WORDS)
    assert lists(read_conllu(path)[1]) == [[None] * 5, [None]]
    write_conllu(path, WORDS, [None, np.array([7])], tag="deprel")
    assert lists(read_conllu(path, tag="deprel")[1]) == [[None] * 5, ["7"]]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (
            [["a"], ["b", "c\td"]],
            None,
            r"Sentence 1, position 1: the word 'c\\td' holds",
        ),
        ([["a\nb"]], None, "Sentence 0, position 0: .* line break"),
        ([["a\r"]], None, "Sentence 0, position 0: .* line break"),
        ([["a", ""]], None, "Sentence 0, position 1: the word '' is empty"),
        ([["a"], [3]], None, "position 0: the word 3 is not a string"),
        ([["a"], ["b", "\ud800"]], None, "Sentence 1, position 1: .* cannot encode"),
        ([["a"]], [["\udfff"]], "Sentence 0, position 0: the label .* cannot encode"),
        ([["a"]], [["X\tY"]], "position 0: the label .* holds a tab"),
        ([["a"]], [[float("nan")]], "the label nan is not a string"),
        ([["a"], []], None, "Sentence 1 is empty"),
        ([["a"], ["b", "c"]], [["X"], ["X"]], "Sentence 1 has 2 words .* 1 labels"),
        ([["a"], ["b"]], [["X"]], "X has 2 sentences, y has 1"),
    ],
)
def test_write_refuses_what_it_could_not_read_back(tmp_path, X, y, message):
    path = tmp_path / "a.conllu"
    path.write_text("precious")
    with pytest.raises(ValueError, match=message):
        write_conllu(path, X, y)
    assert path.read_text() == "precious"


def test_an_unknown_state_is_not_annotated(tmp_path):
    path = tmp_path / "a.conllu"
    write_conllu(path, [["a", "b"], ["c"]], [np.array([3, -1]), [-1]])
    _, y = read_conllu(path)
    assert [labels.tolist() for labels in y] == [["3", None], [None]]


def test_a_file_is_replaced_when_the_new_one_is_complete(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link"
    path.write_text("precious")
    link.symlink_to(path)

    def lines(fails):
        yield "new"
        if fails:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_lines(path, lines(True))
    assert path.read_text() == "precious"
    write_lines(link, lines(False))
    assert path.read_text() == "new\n" and link.is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "link"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
def test_a_pipe_is_written_to_and_stays(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    # A pipe open for both holds what is written until it is read.
    pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    write_lines(path, ["one", "two"])
    assert os.read(pipe, 100) == b"one\ntwo\n"
    os.close(pipe)
    assert path.is_fifo() and [*tmp_path.iterdir()] == [path]


# --- real data


def test_real_columns(corpora, tmp_path):
    X, y = read_conll(corpora / "pos" / "en-ewt" / "test.tsv.gz", [0, 1])
    assert (len(X), X.n_tokens) == (2077, 25094)
    assert len(set(y.values)) == 17
    write_conllu(tmp_path / "ewt.conllu.gz", X, y)
    words, tags = read_conllu(tmp_path / "ewt.conllu.gz")
    np.testing.assert_array_equal(words.values, X.values)
    np.testing.assert_array_equal(words.offsets, X.offsets)
    np.testing.assert_array_equal(tags.values, y.values)


def test_real_parallel_text(corpora):
    folder = corpora / "align" / "en-et"
    source, target = read_text(folder / "test.src"), read_text(folder / "test.tgt")
    assert len(source) == len(target) == 245
    assert (source.n_tokens, target.n_tokens) == (4316, 3346)

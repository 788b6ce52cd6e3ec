"""read_bitext, write_bitext."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skstruct.containers import Bitext
from skstruct.datasets import read_bitext, read_text, write_bitext


def lists(X):
    return [(source.tolist(), target.tolist()) for source, target in X]


def save(path, text):
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
def test_one_file(tmp_path, name):
    path = save(tmp_path / name, "the  roses ||| rosae\r\nthey love |||\tamant \n")
    assert lists(read_bitext(path)) == [
        (["the", "roses"], ["rosae"]),
        (["they", "love"], ["amant"]),
    ]


def test_empty_sides_keep_their_lines(tmp_path):
    path = save(tmp_path / "x", "a ||| b\n||| c\nd |||\n|||\n ||| \ne ||| f\n")
    X = read_bitext(path)
    assert lists(X)[1:] == [
        ([], ["c"]),
        (["d"], []),
        ([], []),
        ([], []),
        (["e"], ["f"]),
    ]
    source = save(tmp_path / "source", "a\n\nd\n\n\ne\n")
    target = save(tmp_path / "target.gz", "b\nc\n\n\n\nf\n")
    assert lists(read_bitext(source, target)) == lists(X)


def test_a_separator_inside_a_token_is_text(tmp_path):
    path = save(tmp_path / "x", "a|||b |||| ||| |||c\u00a0d\n")
    assert lists(read_bitext(path)) == [(["a|||b", "||||"], ["|||c\u00a0d"])]


@pytest.mark.parametrize(
    ("line", "n"), [("a b", 0), ("", 0), ("a ||| b ||| c", 2), ("a ||| ||| b", 2)]
)
def test_a_line_without_one_separator_is_named(tmp_path, line, n):
    path = save(tmp_path / "x.txt", f"a ||| b\n{line}\nc ||| d\n")
    message = rf"x\.txt, line 2: .*separator '\|\|\|', got {n}\. .*target_path"
    with pytest.raises(ValueError, match=message):
        read_bitext(path)


def test_a_tab_is_suggested_where_it_is_the_separator(tmp_path):
    path = save(tmp_path / "x.tsv", "a b\tc\n")
    with pytest.raises(ValueError, match=r"line 1: .*has a tab.*sep=\"\\t\""):
        read_bitext(path)
    assert lists(read_bitext(path, sep="\t")) == [(["a", "b"], ["c"])]


def test_other_separators(tmp_path):
    path = save(tmp_path / "x", "a b\tc ||| d\n\te\n")
    assert lists(read_bitext(path, sep="\t")) == [
        (["a", "b"], ["c", "|||", "d"]),
        ([], ["e"]),
    ]
    path = save(tmp_path / "y", "a.b . c\n")
    assert lists(read_bitext(path, sep=".")) == [(["a.b"], ["c"])]


@pytest.mark.parametrize("sep", ["", "a b", None, " |||"])
def test_a_separator_that_is_no_token_is_refused(tmp_path, sep):
    with pytest.raises(ValueError, match="sep must be one token"):
        read_bitext(save(tmp_path / "x", "a ||| b\n"), sep=sep)


def test_mismatched_files_are_named_with_their_counts(tmp_path):
    source = save(tmp_path / "one.en", "a\nb\nc\n")
    target = save(tmp_path / "one.la", "a\nb\n")
    with pytest.raises(ValueError, match=r"one\.en has 3 lines, \S*one\.la has 2"):
        read_bitext(source, target)


def test_an_empty_file_is_an_empty_bitext(tmp_path):
    assert len(read_bitext(save(tmp_path / "x", ""))) == 0


words = st.text("ab|é\u00a0\u3000\ufeff", min_size=1, max_size=4).filter(
    lambda w: w != "|||"
)
sentences = st.lists(words, max_size=4)


@given(pairs=st.lists(st.tuples(sentences, sentences), max_size=5))
def test_round_trip(tmp_path_factory, pairs):
    folder = tmp_path_factory.mktemp("bitext")
    write_bitext(pairs, folder / "one.gz")
    assert lists(read_bitext(folder / "one.gz")) == pairs
    write_bitext(Bitext(pairs), folder / "s", folder / "t")
    assert lists(read_bitext(folder / "s", folder / "t")) == pairs


def test_the_separator_as_a_token_goes_to_two_files(tmp_path):
    pairs = [(["a"], []), (["b"], ["c", "|||"])]
    with pytest.raises(ValueError, match=r"Pair 1: token 1 of the target.*two files"):
        write_bitext(pairs, tmp_path / "x")
    assert not list(tmp_path.iterdir())
    write_bitext(pairs, tmp_path / "s", tmp_path / "t")
    assert lists(read_bitext(tmp_path / "s", tmp_path / "t")) == pairs


@pytest.mark.parametrize("word", ["", "a b", "a\n", "\r"])
def test_tokens_that_would_not_be_read_back_are_refused(tmp_path, word):
    with pytest.raises(ValueError, match=r"Pair 1: token 0 of the source.*white space"):
        write_bitext([([], ["c"]), ([word], [])], tmp_path / "x", tmp_path / "y")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("word", ["\ud800", "a\udfff"])
@pytest.mark.parametrize("names", ["x", "xy"])
def test_halves_of_surrogate_pairs_are_refused(tmp_path, word, names):
    (tmp_path / "x").write_text("old")
    with pytest.raises(ValueError, match=r"Pair 1: token 2 of the target.*surrogate"):
        write_bitext([([], []), ([], ["c", "d", word])], *map(tmp_path.joinpath, names))
    assert (tmp_path / "x").read_text() == "old"
    assert [*tmp_path.iterdir()] == [tmp_path / "x"]


@pytest.mark.parametrize("name", ["x", "x.gz"])
def test_a_word_that_begins_like_a_byte_order_mark_stays(tmp_path, name):
    pairs = [(["\ufeffa"], ["\ufeff"]), (["\ufeff"], [])]
    write_bitext(pairs, tmp_path / name)
    assert lists(read_bitext(tmp_path / name)) == pairs
    write_bitext(pairs, tmp_path / "s", tmp_path / name)
    assert lists(read_bitext(tmp_path / "s", tmp_path / name)) == pairs


def test_two_files_are_written_together_or_not_at_all(tmp_path):
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(FileNotFoundError):
        write_bitext([(["a"], ["b"])], path, tmp_path / "no" / "y")
    with pytest.raises(ValueError, match="target_path are the same file"):
        write_bitext([(["a"], ["b"])], path, f"{tmp_path}/../{tmp_path.name}/x")
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_real_corpora(corpora, tmp_path):
    folder = corpora / "align" / "en-cs"
    X = read_bitext(folder / "test.src", folder / "test.tgt")
    assert repr(X) == "Bitext(2501 pairs, 59724 + 52881 tokens)"
    write_bitext(X, tmp_path / "one.txt.gz")
    assert lists(read_bitext(tmp_path / "one.txt.gz")) == lists(X)
    train = read_bitext(folder / "train.src.gz", folder / "train.tgt.gz")
    assert len(train) == 9926
    source = read_text(folder / "train.src.gz")
    assert train.source[9925].tolist() == source[9925].tolist()

"""``python -m skstruct``, in this process and, where that matters, in its own."""

import gzip
import io
import os
import pty
import signal
import subprocess
import sys

import joblib
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from skstruct._cli import main
from skstruct._cli._progress import watched
from skstruct.datasets import make_bitext, read_conllu, read_links, write_bitext
from skstruct.datasets import write_links as write
from skstruct.estimators import AnnealedHMM, HMMAligner
from skstruct.featurizers import TokenFeaturizer
from tests.conftest import ROOT

ALIGN = ["align", "-m", "hmm", "-I", "3"]
TAG = ["tag", "-m", "hmm", "-n", "3", "-I", "4"]
TEXT = "the dog barked\n\na cat slept\nthe cat barked\n"
TREEBANK = """# sent_id = 1
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\tP\t_\t3\tcase\t_\tA=b
2\tle\tle\tDET\tD\t_\t3\tdet\t_\t_
3\tpain\tpain\tNOUN\tN\t_\t0\troot\t_\t_

# sent_id = 2
1\tle\tle\tDET\tD\t_\t2\tdet\t_\t_
1.1\tnothing\t_\t_\t_\t_\t_\t_\t_\t_
2\tpain\tpain\tNOUN\tN\t_\t0\troot\t_\t_

"""
pytestmark = pytest.mark.filterwarnings("ignore:.*did not converge")


@pytest.fixture
def bitext(tmp_path):
    """A file of sentence pairs, one of gold links, and the pairs."""
    X, gold = make_bitext(40, random_state=0)
    path, links = tmp_path / "pairs.txt", tmp_path / "gold.txt"
    write_bitext(X, path)
    write(gold[:30], links)
    return str(path), str(links), X


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text(TEXT)
    return str(path)


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "words.conllu"
    path.write_text(TREEBANK)
    return str(path)


@pytest.fixture
def run(capfd):
    """Exit code, standard output and standard error of the arguments."""

    def run(*arguments):
        capfd.readouterr()
        code = main([*map(str, arguments)])
        return code, *capfd.readouterr()

    return run


def test_align_writes_what_the_aligner_finds(run, bitext, tmp_path):
    path, _, X = bitext
    code, out, err = run(*ALIGN, path)
    assert (code, err) == (0, "")
    expected = tmp_path / "expected"
    write(HMMAligner(max_iter=3).fit_predict(X), expected)
    assert out == expected.read_text()


@pytest.mark.parametrize("model", ["crf", "hmm", "diagonal", "ibm1"])
def test_each_model_and_direction(run, bitext, tmp_path, model):
    path, _, X = bitext
    options = [path, "-m", model, "-I", "2", "--seed", "1", "-j", "2"]
    outputs = set()
    for more in ([], ["-r"], ["-s", "forward"], ["--symmetrization", "union"]):
        output = tmp_path / "links"
        assert run("align", *options, *more, "-o", output) == (0, "", "")
        assert len(read_links(output, n_pairs=len(X))) == len(X)
        outputs.add(output.read_text())
    assert len(outputs) >= 3


def test_two_files_are_as_good_as_one(run, bitext, tmp_path):
    path, _, X = bitext
    source, target = tmp_path / "a.gz", tmp_path / "b"
    write_bitext(X, source, target)
    assert run(*ALIGN, source, target) == run(*ALIGN, path)


def test_gold_links_of_the_first_pairs(run, bitext):
    path, gold, _ = bitext
    code, out, err = run(*ALIGN, path, "--gold", gold)
    assert code == 0
    assert len(out.splitlines()) == 40
    assert err.startswith("AER 0.") and "recall 0." in err


def test_gold_links_out_of_range_are_named_before_the_fit(run, tmp_path):
    pairs, gold = tmp_path / "pairs.txt", tmp_path / "gold.txt"
    pairs.write_text("a dog ||| canis\n" + "the dog barks ||| canis latrat\n" * 2)
    gold.write_text("0-0\n1-0 3?1 2-2\n")
    code, out, err = run(*ALIGN, pairs, "-g", gold)
    assert (code, out) == (2, "")
    assert f"{gold}, line 2: the link 3-1 is out of range" in err
    assert "3 words and the target 2" in err and "counts from 1" in err
    gold.write_text("1-0\n0-2\n")
    assert "line 2: the link 0-2 is out of range" in run(*ALIGN, pairs, "-g", gold)[2]
    gold.write_text("1-0\n2-1 0?0\n")
    assert run(*ALIGN, pairs, "-g", gold)[0] == 0


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_gold_without_links_is_named(run, bitext, tmp_path, content):
    gold = tmp_path / "empty"
    gold.write_text(content)
    code, out, err = run(*ALIGN, bitext[0], "-g", gold)
    assert (code, out) == (2, "") and f"{gold} holds no links." in err


def test_text_is_tagged(run, text):
    code, out, _ = run(*TAG, text)
    assert code == 0
    assert [line.split("\t")[1] for line in out.splitlines() if line][:3] == [
        *("the", "dog", "barked")
    ]
    assert out.count("\n\n") == 3  # the empty line is no sentence
    rows = [line.split("\t") for line in out.splitlines() if line]
    assert {row[4] for row in rows} <= {"0", "1", "2"}
    assert {row[3] for row in rows} == {"_"}


@pytest.mark.parametrize(("column", "index"), [("xpos", 4), ("upos", 3), ("misc", 9)])
def test_a_treebank_keeps_everything_else(run, treebank, column, index):
    code, out, _ = run(*TAG, treebank, "--column", column)
    assert code == 0
    pairs = list(zip(TREEBANK.split("\n"), out.split("\n"), strict=True))
    words = [
        (old.split("\t"), new.split("\t"))
        for old, new in pairs
        if old[:2].strip() in ("1", "2", "3")
    ]
    assert len(words) == 5
    for old, new in words:
        assert old[:index] + old[index + 1 :] == new[:index] + new[index + 1 :]
        assert new[index].removeprefix("State=").removeprefix("A=b|State=") in "012"
    others = [(old, new) for old, new in pairs if old.split("\t")[0] not in "123"]
    assert all(old == new for old, new in others)


def test_default_tagger_and_formats(run, text, tmp_path):
    path = tmp_path / "words.txt.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    output = tmp_path / "out.conllu"
    options = ["-n", "2", "-I", "2", "--format", "text", "-o", output]
    assert run("tag", path, *options)[:2] == (0, "")
    X, y = read_conllu(output, tag="xpos")
    assert len(X) == 3
    assert set(y.values) <= {"0", "1"}


@pytest.mark.parametrize("name", ["model.skops", "model.joblib"])
def test_a_saved_model_tags_as_it_did(run, text, tmp_path, name):
    path = tmp_path / name
    code, out, _ = run(*TAG, text, "--model-out", path)
    assert code == 0
    assert run("tag", text, "--model-in", path) == (0, out, "")
    assert sorted(p.name for p in tmp_path.iterdir()) == [name, "words.txt"]


def test_standard_input(run, text, monkeypatch):
    expected = run(*TAG, text)
    stdin = io.TextIOWrapper(io.BytesIO(TEXT.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert run(*TAG, "-") == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: command"),
        (["align"], "the following arguments are required: text"),
        (["align", "{text}", "-m", "giza"], "invalid choice: 'giza'"),
        (["align", "missing.txt"], "No such file or directory: 'missing.txt'"),
        (["align", "{text}"], "words.txt, line 1: expected one separator '|||'"),
        (["align", "{bitext}", "-I", "0"], "The 'max_iter' parameter"),
        (["align", "{bitext}", "-g", "{text}"], "words.txt, line 1: 'the' is no link"),
        ([*ALIGN, "{bitext}", "-o", "no/such"], "No such file or directory: 'no/such'"),
        ([*TAG, "{text}", "-o", "no/such"], "No such file or directory: 'no/such'"),
        ([*TAG, "{text}", "--model-out", "no/such"], "file or directory: 'no/such'"),
        (["tag", "{text}", "-f", "conllu"], "words.txt, line 1: expected 10 columns"),
        (["tag", "{text}", "-n", "-2"], "The 'n_states' parameter"),
        (
            ["tag", "{text}", "--model-in", "{text}"],
            "words.txt is no model that --model-out of this version has written.\n",
        ),
        (["tag", "{text}", "--model-in", "{bitext}", "-n", "3"], "--n-states is for"),
        (["tag", "{text}", "--model-in", "none.skops"], "No such file"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(run, text, bitext, arguments, message):
    arguments = [a.format(text=text, bitext=bitext[0]) for a in arguments]
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("python -m skstruct") and err.count("\n") == 1


@pytest.mark.parametrize("start", ["", "\n# text = 1\n", "1.1" + "\t_" * 9 + "\n"])
def test_a_treebank_is_not_taken_for_text(run, tmp_path, monkeypatch, start):
    path = tmp_path / "words.conll"
    path.write_text(start + TREEBANK)
    advice = "looks like CoNLL-U; pass --format conllu, or --format text"
    code, out, err = run(*TAG, path)
    assert (code, out) == (2, "") and f"{path} {advice}" in err
    stdin = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert f"standard input {advice}" in run(*TAG, "-")[2]
    assert run(*TAG, path, "-f", "conllu")[0] == 0
    assert run(*TAG, path, "-f", "text")[0] == 0


def test_text_with_numbers_and_tabs_is_text(run, tmp_path):
    path = tmp_path / "words.txt"
    for line in ("1" + "\ta" * 8, "a" + "\ta" * 9, "# a"):
        path.write_text(f"{line}\n{line}\n")
        assert run(*TAG, path)[0] == 0


class Constant(AnnealedHMM):
    """Gives every word this label."""

    label = "a\tb"

    def predict(self, X):
        return [[self.label] * len(words) for words in X]


@pytest.mark.parametrize("column", ["xpos", "misc"])
def test_labels_that_columns_cannot_hold(run, text, treebank, tmp_path, column):
    X, _ = read_conllu(treebank)
    model = Constant(2, max_iter=1).fit(X)
    path, output = tmp_path / "model", tmp_path / "out.conllu"
    output.write_text("precious")
    joblib.dump(model, path)
    for corpus in (text, treebank):
        arguments = ["tag", corpus, "--model-in", path, "-c", column, "-o", output]
        code, _, err = run(*arguments)
        assert code == 2 and output.read_text() == "precious"
        assert "Sentence 0, position 0: the label " in err
        assert "holds a tab or a line break" in err


class Morphological(Constant):
    """Gives every word features as its label."""

    label = "Case=Nom|Number=Sing"


def test_a_label_of_several_entries_is_none_of_misc(run, text, tmp_path):
    model, X = tmp_path / "model", [["the", "dog"], ["a", "dog"]]
    joblib.dump(Morphological(2, max_iter=1).fit(X), model)
    code, out, err = run("tag", text, "--model-in", model, "-c", "misc")
    assert (code, out) == (2, "")
    assert "'Case=Nom|Number=Sing' holds '|'" in err
    code, out, _ = run("tag", text, "--model-in", model, "-c", "xpos")
    assert code == 0 and "Case=Nom|Number=Sing" in out


def test_tagging_twice_leaves_one_state(run, treebank):
    once = run(*TAG, treebank, "-c", "misc", "-o", treebank)
    assert once[0] == 0
    with open(treebank) as file:
        before = file.read()
    assert before.count("State=") == 5
    assert run(*TAG, treebank, "-c", "misc")[1] == before


class Stranger:
    """A type that skops does not trust."""


def test_what_cannot_tag_or_is_not_trusted(run, text, tmp_path):
    path = tmp_path / "model"
    joblib.dump(TokenFeaturizer(), path)
    assert (
        "a TokenFeaturizer, which cannot tag" in run("tag", text, "--model-in", path)[2]
    )
    joblib.dump(AnnealedHMM(2), path)
    code, _, err = run("tag", text, "--model-in", path)
    assert code == 2 and "not fitted" in err
    pairs, _ = make_bitext(5, random_state=0)
    classes = DummyClassifier().fit([[0], [1]], ["yes", "no"])
    regression = LogisticRegression().fit([[0], [1]], [0, 1])
    aligner = HMMAligner(max_iter=1).fit(pairs)
    for other in (AnnealedHMM, LogisticRegression(), regression, classes, aligner):
        joblib.dump(other, path)
        code, out, err = run("tag", text, "--model-in", path)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert f"{path} holds a {type(other).__name__}, which cannot tag" in err
    path = tmp_path / "model.skops"
    pytest.importorskip("skops.io").dump(Stranger(), path)
    code, _, err = run("tag", text, "--model-in", path)
    assert code == 2 and "has written: Untrusted types found" in err


def test_missing_skops_is_named(run, text, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    code, _, err = run("tag", text, "--model-in", tmp_path / "model.skops")
    assert code == 2 and "pip install skstruct[skops]" in err


def test_an_older_model_stays_when_saving_fails(run, text, tmp_path, monkeypatch):
    path = tmp_path / "model.joblib"
    path.write_bytes(b"older")

    def fail(model, file):
        file.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(joblib, "dump", fail)
    code, out, err = run(*TAG, text, "--model-out", path)
    assert (code, out) == (2, "") and "disk full" in err
    assert path.read_bytes() == b"older"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.joblib", "words.txt"]


@pytest.mark.parametrize("option", ["--output", "--model-out"])
def test_a_folder_is_no_file_to_write(run, text, tmp_path, monkeypatch, option):
    folder = tmp_path / "out"
    folder.mkdir()
    monkeypatch.setattr(AnnealedHMM, "fit", lambda *_: pytest.fail("was fitted"))
    code, out, err = run(*TAG, text, option, folder)
    assert (code, out) == (2, "")
    assert err.endswith(f" Is a directory: '{folder}'\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "words.txt"]


def test_empty_input_is_named(run, tmp_path, monkeypatch):
    empty, blank = tmp_path / "empty.txt", tmp_path / "blank.txt"
    empty.touch()
    blank.write_text("\n\n")
    expected = f"python -m skstruct align: error: {empty} holds no sentence pairs.\n"
    assert run(*ALIGN, empty) == (2, "", expected)
    for path in (empty, blank):
        expected = f"python -m skstruct tag: error: {path} holds no words.\n"
        assert run(*TAG, path) == (2, "", expected)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    assert "error: standard input holds no words." in run(*TAG, "-")[2]


def test_advice_on_separators_is_for_the_command_line(run, tmp_path):
    path = tmp_path / "pairs.txt"
    for line, n in (("a b\tc", 0), ("a b c", 0), ("a ||| b ||| c", 2)):
        path.write_text(f"a ||| b\n{line}\n")
        code, _, err = run(*ALIGN, path)
        assert code == 2
        assert f"{path}, line 2: expected one separator '|||', got {n}. Each" in err
        assert "read_bitext" not in err and "sep=" not in err
    path.write_bytes(b"a ||| \xff\n")
    assert "line 1: not UTF-8" in run(*ALIGN, path)[2]


def test_a_model_takes_the_place_of_no_text(run, treebank, tmp_path, monkeypatch):
    monkeypatch.setattr(AnnealedHMM, "fit", lambda *_: pytest.fail("was fitted"))
    link = tmp_path / "link"
    link.symlink_to(treebank)
    for path in (treebank, link, f"{tmp_path}/../{tmp_path.name}/words.conllu"):
        code, out, err = run(*TAG, treebank, "--model-out", path)
        assert (code, out) == (2, "")
        assert f"--model-out and the text are the same file, {treebank};" in err
    new = tmp_path / "new"
    code, _, err = run(*TAG, treebank, "--model-out", new, "-o", f"{tmp_path}/./new")
    assert code == 2 and "--model-out and -o are the same file" in err
    assert not new.exists()
    with open(treebank) as file:
        assert file.read() == TREEBANK


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
@pytest.mark.parametrize("name", ["model", "model.skops"])
def test_a_pipe_is_no_file_to_save_a_model_in(run, text, tmp_path, monkeypatch, name):
    monkeypatch.setattr(AnnealedHMM, "fit", lambda *_: pytest.fail("was fitted"))
    pipe = tmp_path / name
    os.mkfifo(pipe)
    code, out, err = run(*TAG, text, "--model-out", pipe)
    assert (code, out) == (2, "") and pipe.is_fifo()
    assert f"--model-out needs a file on a disk, and {pipe} is none." in err


def test_tags_take_the_place_of_no_model(run, text, tmp_path):
    model, link = tmp_path / "model", tmp_path / "link"
    assert run(*TAG, text, "--model-out", model)[0] == 0
    link.symlink_to(model)
    saved = model.read_bytes()
    for path in (model, link):
        code, out, err = run("tag", text, "--model-in", model, "-o", path)
        assert (code, out) == (2, "")
        assert f"-o and --model-in are the same file, {model};" in err
    assert model.read_bytes() == saved


def test_links_take_the_place_of_no_text(run, bitext, tmp_path, monkeypatch):
    monkeypatch.setattr(HMMAligner, "fit", lambda *_: pytest.fail("was fitted"))
    path, gold, X = bitext
    source, target = tmp_path / "a", tmp_path / "b"
    write_bitext(X, source, target)
    for arguments, output, what in (
        ([path], path, "the text"),
        ([source, target], target, "the target text"),
        ([path, "-g", gold], gold, "--gold"),
    ):
        code, out, err = run(*ALIGN, *arguments, "-o", output)
        assert (code, out) == (2, "")
        assert f"-o and {what} are the same file, {output};" in err
    assert (tmp_path / "pairs.txt").read_text().count("|||") == 40


def test_missing_folders_are_said_before_the_fit(run, text, monkeypatch):
    monkeypatch.setattr(AnnealedHMM, "fit", lambda *_: pytest.fail("was fitted"))
    assert run(*TAG, text, "-o", "no/such")[0] == 2


def test_warnings_are_one_line(run, tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("a\nb\n")
    code, _, err = run("tag", "-m", "hmm", "-n", "2", "-I", "1", path)
    assert code == 0
    assert all(
        line.startswith("python -m skstruct tag: warning: ")
        for line in err.splitlines()
    )
    assert "warning: All sequences have length one" in err


def test_help(run):
    code, out, err = run("tag", "--help")
    assert (code, err) == (0, "")
    assert "--model-in" in out


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals(monkeypatch):
    X = [["a", "b"], ["b", "a", "a"]]
    model = AnnealedHMM(2, random_state=0, max_iter=3)
    shown = {}
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        with watched(model) as watching:
            watching.fit(X)
        shown[stream.isatty()] = stream.getvalue()
    assert "AnnealedHMM: iteration 3" in shown[True]
    assert shown[True].endswith("\r\033[K")
    assert shown[False] == ""
    joblib.hash(model)  # nothing is left on it that could not be saved


def start(*arguments, **options):
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "skstruct", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        **options,
    )


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="needs /dev/fd")
def test_what_is_no_regular_file_is_written_to(run, text, treebank, tmp_path):
    for arguments in ([*TAG, text], [*TAG, treebank, "--column", "misc"]):
        expected = run(*arguments)
        read, written = os.pipe()
        assert run(*arguments, "-o", f"/dev/fd/{written}") == (0, "", expected[2])
        os.close(written)
        with open(read) as pipe:
            assert pipe.read() == expected[1]


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="needs /dev/fd")
def test_a_pipe_to_read_is_as_good_as_a_file(run, treebank):
    expected = run(*TAG, treebank)
    read, written = os.pipe()
    os.write(written, TREEBANK.encode())
    os.close(written)
    assert run(*TAG, "-f", "conllu", f"/dev/fd/{read}") == expected
    os.close(read)


def test_closed_streams_are_named(run, bitext, tmp_path, monkeypatch):
    path, output = bitext[0], tmp_path / "links"
    expected = run(*ALIGN, path)[1]
    monkeypatch.setattr(sys, "stdin", None)  # as `<&-` leaves it
    for command in (ALIGN, TAG):
        code, _, err = run(*command, "-")
        assert code == 2 and err.endswith(" error: standard input is closed.\n")
    monkeypatch.setattr(sys, "stdout", None)
    assert run(*ALIGN, path, "-o", output)[0] == 0
    assert output.read_text() == expected
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert run(*ALIGN, path, "-o", output) == (0, "", "")
        assert run(*ALIGN, "missing") == (2, "", "")
    monkeypatch.setattr(HMMAligner, "fit", lambda *_: pytest.fail("was fitted"))
    monkeypatch.setattr(AnnealedHMM, "fit", lambda *_: pytest.fail("was fitted"))
    for command in (ALIGN, TAG):
        code, _, err = run(*command, path)
        assert code == 2 and err.endswith(" error: standard output is closed.\n")


def test_broken_pipe_ends_quietly(bitext):
    read, written = os.pipe()
    os.close(read)
    process = start(*ALIGN, bitext[0], stdout=written, stderr=subprocess.PIPE)
    os.close(written)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (141, b"")


def test_interrupt_ends_quietly(tmp_path):
    X, _ = make_bitext(4000, random_state=0)
    path, output = tmp_path / "pairs.txt", tmp_path / "links.txt"
    write_bitext(X, path)
    watching, stderr = pty.openpty()
    process = start(
        "align", "-m", "hmm", "-I", "5000", path, "-o", output, stderr=stderr
    )
    os.close(stderr)
    shown = b""
    while b"iteration 2" not in shown:  # so that the fit has begun
        shown += os.read(watching, 1000)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    shown += os.read(watching, 100_000)
    os.close(watching)
    assert b"Traceback" not in shown and shown.endswith(b"\r\x1b[K")
    assert not output.exists()

"""Fetchers against a server in a thread: good answers, bad ones, and none."""

import hashlib
import io
import re
import stat
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skstruct.datasets import (
    _download,
    _treebanks,
    _ugarit,
    fetch_greek_alignments,
    fetch_ud_treebank,
)

NAME = "UD_Latin-Tiny"
CONLLU = "1\t{}\t_\t{}\t_\t_\t0\troot\t_\t_\n\n"
TRAIN = CONLLU.format("rosa", "NOUN") * 2
TEST = CONLLU.format("amat", "VERB")
FILES = {
    "la_tiny-ud-train.conllu": TRAIN,
    "la_tiny-ud-test.conllu": TEST,
    "LICENSE.txt": "CC0",
    "eval.log": "0.9",
    "old/la_tiny-ud-test.conllu": "not this one",
}
DIGEST = hashlib.sha256(TEST.encode()).hexdigest()


def archive(files, top="UD_Latin-Tiny-r2.16/"):
    """A zip archive as GitHub makes them; a name may be a ZipInfo."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in files.items():
            file.writestr(name if top is None else top + name, text)
    return out.getvalue()


GOOD = archive(FILES)


class Server(ThreadingHTTPServer):
    """Gives its answers in turn, the last one for ever.

    An answer is bytes, a status, or (bytes, promised length); ``paths`` are what
    clients asked for.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.paths = [GOOD], []
        self.wait = 0.0


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.paths.append(self.path)
        time.sleep(server.wait)
        answers = server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, int):
            self.send_error(answer)
            return
        body, length = answer if isinstance(answer, tuple) else (answer, len(answer))
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Keep quiet."""


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(_treebanks, "SOURCE", address + "/{name}/{ref}.zip")
    monkeypatch.setattr(_ugarit, "SOURCE", address + "/{commit}/{code}/{file}")
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def fetch(server, tmp_path):
    """`fetch_ud_treebank` into a folder of the test, without long waits."""

    def fetch(name=NAME, **options):
        return fetch_ud_treebank(name, data_home=tmp_path, **{"delay": 0.01, **options})

    return fetch


def words(batch):
    return [sentence.tolist() for sentence in batch]


def left_behind(tmp_path):
    """Everything in the cache but folders on the way."""
    return [p.name for p in tmp_path.rglob("*") if p.is_file() or "part" in p.name]


def test_good_answer(fetch, server, tmp_path):
    X, y = fetch()
    assert words(X) == [["rosa"], ["rosa"], ["amat"]]
    assert words(y) == [["NOUN"], ["NOUN"], ["VERB"]]
    assert server.paths == ["/UD_Latin-Tiny/refs/tags/r2.16.zip"]
    kept = tmp_path / "ud_treebanks" / NAME / "2.16"
    assert sorted(left_behind(tmp_path)) == [
        "LICENSE.txt",
        "SHA256SUMS",
        "la_tiny-ud-test.conllu",
        "la_tiny-ud-train.conllu",
    ]
    assert f"{DIGEST}  la_tiny-ud-test.conllu\n" in (kept / "SHA256SUMS").read_text()


def test_parts_columns_and_commits(fetch, server):
    assert words(fetch(part="test")[0]) == [["amat"]]
    assert words(fetch(return_X_y=False, part="train").deprel) == [["root"], ["root"]]
    assert words(fetch(tag="deprel", part="test")[1]) == [["root"]]
    with pytest.raises(ValueError, match=r"no part 'dev', only \['train', 'test'\]"):
        fetch(part="dev")
    fetch(version="0123456789" * 4)
    assert server.paths[1:] == [f"/UD_Latin-Tiny/{'0123456789' * 4}.zip"]


def test_what_is_kept_needs_no_network(fetch, server):
    fetch()
    server.answers = [500]
    assert len(fetch(n_retries=0)[0]) == 3
    assert len(fetch(download_if_missing=False)[0]) == 3
    assert len(server.paths) == 1


def test_default_home_is_that_of_scikit_learn(server, tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    fetch_ud_treebank(NAME)
    assert (tmp_path / "home" / "ud_treebanks" / NAME / "2.16").is_dir()


def test_missing_and_not_allowed_to_download(fetch, server):
    with pytest.raises(OSError, match="download_if_missing is False"):
        fetch(download_if_missing=False)
    assert server.paths == []


@pytest.mark.parametrize("status", [404, 403])
def test_what_is_not_there_is_asked_for_once(fetch, server, tmp_path, status):
    server.answers = [status]
    kind = FileNotFoundError if status == 404 else OSError
    with pytest.raises(kind, match=rf"r2\.16\.zip: the server answered {status}"):
        fetch()
    assert len(server.paths) == 1
    assert left_behind(tmp_path) == []


def test_unknown_treebank_is_explained(fetch, server):
    server.answers = [404]
    with pytest.raises(FileNotFoundError, match="Is the name spelt as on"):
        fetch()


@pytest.mark.parametrize(
    "bad", [500, 503, 429, (GOOD[:300], len(GOOD))], ids=["500", "503", "429", "cut"]
)
def test_what_passes_is_tried_again(fetch, server, bad):
    server.answers = [bad, GOOD]
    assert len(fetch()[0]) == 3
    assert len(server.paths) == 2


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (500, r"after 3 attempts: the server answered 500 \(Internal Server Error\)"),
        ((GOOD[:300], len(GOOD)), rf"broke off, 300 of {len(GOOD)} bytes came"),
    ],
    ids=["error", "truncated"],
)
def test_it_gives_up(fetch, server, tmp_path, bad, message):
    server.answers = [bad]
    with pytest.raises(OSError, match=message):
        fetch(n_retries=2)
    assert len(server.paths) == 3
    assert left_behind(tmp_path) == []


def test_waits_double(fetch, server, monkeypatch):
    waits = []
    monkeypatch.setattr(_download.time, "sleep", lambda s: s and waits.append(s))
    server.answers = [503]
    with pytest.raises(OSError, match="503"):
        fetch(delay=1.0)
    assert waits == [1.0, 2.0, 4.0]


def test_a_silent_server_is_left(fetch, server, monkeypatch):
    monkeypatch.setattr(_download, "_TIMEOUT", 0.1)
    server.wait = 0.4
    with pytest.raises(OSError, match="timed out"):
        fetch(n_retries=1)


def test_no_network(fetch, server, monkeypatch, tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
        address = f"http://127.0.0.1:{closed.server_port}/{{name}}/{{ref}}"
    monkeypatch.setattr(_treebanks, "SOURCE", address)
    with pytest.raises(
        OSError, match=r"refused.*can be copied from a machine"
    ) as caught:
        fetch(n_retries=1)
    assert str(tmp_path) in str(caught.value)
    assert left_behind(tmp_path) == []


def test_checksums(fetch, server, tmp_path):
    name = "la_tiny-ud-test.conllu"
    with pytest.raises(OSError, match=rf"{name} has the SHA-256 checksum {DIGEST}"):
        fetch(sha256={name: "0" * 64})
    assert left_behind(tmp_path) == []
    assert len(fetch(sha256={name: DIGEST.upper()})[0]) == 3
    with pytest.raises(OSError, match="expected 0000"):
        fetch(sha256={name: "0" * 64})
    with pytest.raises(OSError, match=r"b\.conllu is missing"):
        fetch(sha256={"b.conllu": DIGEST})


def test_a_file_that_changed_later(fetch, tmp_path):
    fetch()
    (file,) = tmp_path.rglob("*-test.conllu")
    file.write_text(TEST + TEST)
    with pytest.raises(OSError, match="remove the folder to fetch it again"):
        fetch()
    file.unlink()
    with pytest.raises(OSError, match=r"test\.conllu is missing"):
        fetch()


def kept_sums(tmp_path):
    (sums,) = tmp_path.rglob("SHA256SUMS")
    return sums


def test_checksums_as_sha256sum_writes_them(fetch, tmp_path):
    fetch()
    sums = kept_sums(tmp_path)
    (sums.parent / "my notes.txt").write_text(TEST)
    sums.write_text(
        f"\n{DIGEST} *la_tiny-ud-test.conllu\r\n  \n{DIGEST.upper()}  my notes.txt\n"
    )
    assert len(fetch()[0]) == 3
    (sums.parent / "my notes.txt").write_text("new")
    with pytest.raises(OSError, match=r"my notes\.txt has the SHA-256 checksum"):
        fetch()


@pytest.mark.parametrize(
    "bad", [b"abc  file.txt", DIGEST.encode(), b"\xff\xfe\x00", b"no checksums at all"]
)
def test_broken_checksums_name_their_file(fetch, tmp_path, bad):
    fetch()
    sums = kept_sums(tmp_path)
    sums.write_bytes(b"\n" + bad + b"\n")
    with pytest.raises(OSError, match="line 2 must be a SHA-256 checksum") as caught:
        fetch()
    assert str(sums) in str(caught.value)


def test_a_folder_made_by_hand(fetch, server, tmp_path):
    folder = tmp_path / "ud_treebanks" / NAME / "2.16"
    folder.mkdir(parents=True)
    (folder / "la_tiny-ud-test.conllu").write_text(TEST)
    assert len(fetch()[0]) == 1
    assert server.paths == []


@pytest.mark.parametrize("part", ["all", "test"])
@pytest.mark.parametrize("files", [(), ("LICENSE.txt",), ("notes.conllu",)])
def test_a_folder_without_a_treebank(fetch, server, tmp_path, files, part):
    folder = tmp_path / "ud_treebanks" / NAME / "2.16"
    folder.mkdir(parents=True)
    for name in files:
        (folder / name).write_text("CC0")
    with pytest.raises(OSError, match=r"no CoNLL-U files.*remove the folder") as caught:
        fetch(part=part)
    assert str(folder) in str(caught.value)
    assert server.paths == []


def link_to_a_secret():
    info = zipfile.ZipInfo("top/la_tiny-ud-dev.conllu")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return archive({info: "/etc/passwd", "top/la_tiny-ud-test.conllu": TEST}, None)


@pytest.mark.parametrize(
    "name", ["../a-ud-test.conllu", "/a-ud-test.conllu", "top/../../a-ud-test.conllu"]
)
def test_archive_that_writes_elsewhere(fetch, server, tmp_path, name):
    server.answers = [archive({name: TEST, **FILES}, None)]
    with pytest.raises(OSError, match="would be written elsewhere"):
        fetch()
    assert left_behind(tmp_path) == []


def test_links_in_archives_are_left_out(fetch, server, tmp_path):
    server.answers = [link_to_a_secret()]
    assert words(fetch()[0]) == [["amat"]]
    assert not list(tmp_path.rglob("*dev*"))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"<html>Please log in.</html>", "no sound zip archive"),
        (GOOD[:60] + b"\0" * 20 + GOOD[80:], "no sound zip archive"),
        (archive({"eval.log": "0.9"}), "holds no CoNLL-U files"),
    ],
    ids=["page", "damaged", "empty"],
)
def test_no_archive(fetch, server, tmp_path, answer, message):
    server.answers = [answer]
    with pytest.raises(OSError, match=message):
        fetch()
    assert left_behind(tmp_path) == []


def test_many_at_once(fetch, server, tmp_path):
    server.wait = 0.05
    found, start = [], threading.Barrier(6)

    def work():
        start.wait()
        found.append(len(fetch()[0]))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 6
    assert len(left_behind(tmp_path)) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "Latin"}, "such as 'UD_Latin-ITTB', got 'Latin'"),
        ({"name": "UD_Latin-../../x"}, "name must be"),
        ({"name": None}, "name must be"),
        ({"version": "latest"}, "version must be a release"),
        ({"version": 2.16}, "version must be a release"),
        ({"part": "valid"}, "part must be"),
        ({"n_retries": -1}, "n_retries must be an integer, 0 or more, got -1"),
        ({"n_retries": 1.5}, "n_retries must be an integer"),
        ({"delay": -1}, "delay must be a finite number of seconds, 0 or more, got -1"),
        ({"delay": float("nan")}, "delay must be a finite"),
        ({"delay": "1"}, "delay must be a finite"),
    ],
)
def test_bad_parameters(fetch, server, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        fetch(**options)
    assert server.paths == []


def test_greek_alignments(server, tmp_path):
    server.answers = ["γῆ ἐστι\n".encode(), b"terra est\n", b"0-0S 1-1P\n"]
    X, y = fetch_greek_alignments("latin", data_home=tmp_path)
    assert X[0][1].tolist() == ["terra", "est"]
    assert y[0].tolist() == [[0, 0, 1], [1, 1, 0]]
    assert [path.split("/")[-2:] for path in server.paths] == [
        ["lat", "grc.txt"],
        ["lat", "lat.txt"],
        ["lat", "alignment_grc_lat.txt"],
    ]
    assert len(fetch_greek_alignments("latin", data_home=tmp_path)[0]) == 1
    assert len(server.paths) == 3
    for wrong in ({"n_retries": -1}, {"delay": -1}):
        (name,) = wrong
        with pytest.raises(ValueError, match=f"{name} must be"):
            fetch_greek_alignments("latin", data_home=tmp_path, **wrong)
    with pytest.raises(ValueError, match="target must be one of"):
        fetch_greek_alignments("lat", data_home=tmp_path)


def test_a_folder_that_lacks_greek(server, tmp_path):
    folder = tmp_path / "greek_alignments" / "latin"
    folder.mkdir(parents=True)
    (folder / "grc.txt").write_text("a\n")
    message = r"lacks \['lat\.txt', 'alignment_grc_lat\.txt'\]; remove the folder"
    with pytest.raises(OSError, match=message) as caught:
        fetch_greek_alignments("latin", data_home=tmp_path)
    assert str(folder) in str(caught.value)
    assert server.paths == []

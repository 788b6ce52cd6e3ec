"""load_turkish_treebank: files found through package metadata."""

import sys
from importlib import metadata

import numpy as np
import pytest

from skstruct.datasets import load_turkish_treebank, to_universal_tags


def test_counts_parts_and_tags():
    pytest.importorskip("turkish_treebanks", exc_type=ImportError)
    X, y = load_turkish_treebank()
    assert (len(X), X.n_tokens) == (4851, 81370)
    web, _ = load_turkish_treebank(part="web")
    wiki, _ = load_turkish_treebank(part="wiki")
    assert (len(web), len(wiki)) == (2541, 2310)
    np.testing.assert_array_equal(np.concatenate([web, wiki]).values, X.values)
    assert len(set(y.values)) == 14
    assert len(set(to_universal_tags(y, "turkish-petrov12").values)) == 12


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A made-up distribution of the same layout, in place of the real one."""
    info = tmp_path / "turkish_treebanks-9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: turkish-treebanks\nVersion: 9\n")
    (info / "RECORD").write_text("data/web.conllu,,\ndata/wiki.conllu,,\n")
    (tmp_path / "data").mkdir()
    for name in ("web", "wiki"):
        # No blank line at the end: the next file still begins a new sentence.
        fields = ["1", name, "_", "NOUN", "NN", "_", "0", "root", "_", "_"]
        (tmp_path / "data" / f"{name}.conllu").write_text("\t".join(fields))
    found = metadata.PathDistribution(info)
    monkeypatch.setattr(metadata, "distribution", lambda name: found)
    return tmp_path


def test_reads_the_files_without_importing_the_package(wheel):
    sys.modules.pop("turkish_treebanks", None)
    X, y = load_turkish_treebank(tag="deprel")
    assert [list(x) for x in X] == [["web"], ["wiki"]]
    assert list(y.values) == ["root", "root"]
    columns = load_turkish_treebank(part="wiki", return_X_y=False)
    assert list(columns.xpos.values) == ["NN"]
    assert "turkish_treebanks" not in sys.modules


def test_lost_files_name_the_extra(wheel):
    (wheel / "data" / "wiki.conllu").unlink()
    with pytest.raises(ImportError, match=r"pip install skstruct\[data\]"):
        load_turkish_treebank()
    assert len(load_turkish_treebank(part="web")[0]) == 1


def test_missing_wheel_names_the_extra(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(ImportError, match=r"pip install skstruct\[data\]"):
        load_turkish_treebank()


def test_bad_arguments():
    with pytest.raises(ValueError, match="part must be"):
        load_turkish_treebank(part="news")

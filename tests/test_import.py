"""What an import costs, what it leaves alone, and where it still works."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OPTIONAL = {"matplotlib", "pandas", "polars", "rich", "sklearn_crfsuite", "hmmlearn"}


def run(code, path=ROOT, *, options=(), **environment):
    """Standard output of code in a process of its own that imports from path."""
    result = subprocess.run(
        [sys.executable, *options, "-c", code],
        env=os.environ | {"PYTHONPATH": str(path)} | environment,
        cwd=path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def cpu_seconds(module):
    code = f"import {module}, time; print(time.process_time())"
    # As installed, with bytecode on disk: the first of several runs writes it.
    return float(run(code, PYTHONDONTWRITEBYTECODE=""))


def test_import_takes_less_than_a_second_beyond_scikit_learn():
    # CPU time, interleaved, the least of each: neighbours and first runs only add.
    pairs = [(cpu_seconds("skstruct"), cpu_seconds("sklearn")) for _ in range(3)]
    ours, theirs = map(min, zip(*pairs, strict=True))
    assert ours - theirs < 1.0, pairs


def test_subpackages_come_when_they_are_named():
    code = """
import sys
import skstruct
assert "skstruct.datasets" not in sys.modules
print(skstruct.datasets.__name__)
assert not hasattr(skstruct, "nothing")
"""
    assert run(code) == "skstruct.datasets"


def test_import_brings_no_optional_dependency():
    # scikit-learn itself loads some of these where they are installed.
    code = """
import sys
import sklearn.callback
before = set(sys.modules)
import skstruct
print(*set(sys.modules) - before)
"""
    loaded = set(run(code).split())
    assert "numba" in loaded
    assert loaded & OPTIONAL == set()


def test_import_leaves_the_global_random_state_alone():
    code = """
import numpy as np
np.random.seed(3)
expected = np.random.RandomState(3).random_sample()
import skstruct
assert np.random.random_sample() == expected
"""
    run(code)


@pytest.fixture
def read_only(tmp_path):
    """A copy of the package beside which, and for whom, numba cannot write.

    Regular files stand where folders would be made: that stops root too.
    """
    shutil.copytree(
        ROOT / "skstruct",
        tmp_path / "skstruct",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for folder in [tmp_path / "skstruct", *(tmp_path / "skstruct").rglob("*/")]:
        if folder.is_dir():
            (folder / "__pycache__").touch()
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file" / "below")
    environment = {
        "HOME": nowhere,
        "LOCALAPPDATA": nowhere,
        "XDG_CACHE_HOME": nowhere,
        "NUMBA_CACHE_DIR": nowhere,
        "TMPDIR": str(tmp_path),
    }
    return tmp_path, environment


FIT = """
import os, warnings
from pathlib import Path

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from skstruct import AnnealedHMM

    X = [["a", "b", "a"], ["b", "b", "a", "a"]]
    model = AnnealedHMM(2, random_state=0).fit(X)
ours = [w for w in caught if "NUMBA_CACHE_DIR" in str(w.message)]
assert [w.category for w in ours] == [RuntimeWarning], caught
assert len(model.predict(X)) == 2
folder = Path(os.environ["NUMBA_CACHE_DIR"])
assert list(folder.rglob("*.nbc")), "nothing was cached"
print(folder)
"""


def test_fits_where_no_cache_folder_is_writable(read_only):
    path, environment = read_only
    folder = Path(run(FIT, path, **environment))
    assert folder.parent == path
    assert not folder.exists()


def test_worker_processes_share_the_temporary_cache(read_only):
    path, environment = read_only
    code = """
import os, warnings
import skstruct
from joblib import Parallel, delayed

def work():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        import skstruct
    return os.environ["NUMBA_CACHE_DIR"]

assert set(Parallel(2)(delayed(work)() for _ in range(2))) == {
    os.environ["NUMBA_CACHE_DIR"]
}
"""
    run(code, path, **environment)


def test_says_nothing_where_a_cache_folder_is_writable(tmp_path):
    run(
        "import skstruct",
        options=["-W", "error::RuntimeWarning"],
        NUMBA_CACHE_DIR=str(tmp_path),
    )

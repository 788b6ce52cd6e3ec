"""After ``warm_up`` nothing is compiled any more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import skstruct
from skstruct import estimators

# Signatures are counted and not files: the cache may hold what other tests compiled.
WARM = """
import gc
from numba.core.registry import CPUDispatcher
import skstruct
from tests._default_fits import fit_all

def compiled():
    return {
        (kernel.py_func.__module__, kernel.py_func.__name__, str(signature))
        for kernel in gc.get_objects() if isinstance(kernel, CPUDispatcher)
        for signature in kernel.signatures
        if kernel.py_func.__module__.startswith("skstruct")
    }

skstruct.warm_up()
before = compiled()
assert len(before) > 40
print(*sorted(fit_all()), sep=",")
for line in compiled() - before:
    print(*line)
"""


def test_no_default_fit_compiles_after_warm_up():
    done = subprocess.run(
        [sys.executable, "-c", WARM],
        cwd=Path(__file__).resolve().parents[1],
        env=os.environ | {"PYTHONPATH": "."},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    fitted, *compiled = done.stdout.splitlines()
    assert compiled == []
    public = {n for n in estimators.__all__ if hasattr(getattr(estimators, n), "fit")}
    assert set(fitted.split(",")) == public


@pytest.mark.parametrize("names", ["AnnealedHMM", ["AnnealedHMM", "HiddenMarkov"]])
def test_names_that_are_none(names):
    with pytest.raises(ValueError, match=r"estimators=.* AnnealedHMM, CRFAuto"):
        skstruct.warm_up(names)

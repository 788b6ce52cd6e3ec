"""Where tests find real corpora, and the fixtures that several folders share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def data_folder():
    """The folder of real corpora, or None where there is none."""
    places = [os.environ.get("SKSTRUCT_DATA"), ROOT.parent / "shared" / "data"]
    return next((Path(p) for p in places if p and Path(p).is_dir()), None)


@pytest.fixture(scope="session")
def corpora():
    """Folder of real corpora; skips without it, fails where CI demands it."""
    folder = data_folder()
    if folder is None:
        if os.environ.get("SKSTRUCT_REQUIRE_DATA"):
            pytest.fail("SKSTRUCT_REQUIRE_DATA is set, but no corpora were found.")
        pytest.skip("needs the corpora: set SKSTRUCT_DATA")
    return folder

"""The user guide's code runs, and prints what its comments say."""

import re
import textwrap
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).resolve().parents[1] / "doc/user_guide").glob("*.rst"))
BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:(?:    .*)?\n)+)", re.MULTILINE)


def test_the_guide_has_pages():
    assert len(PAGES) >= 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, capsys):
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks
    names = {"__name__": "__main__"}
    for number, block in enumerate(blocks):
        code = textwrap.dedent(block)
        exec(compile(code, f"<{page.name}, block {number}>", "exec"), names)
        promised = re.findall(r"^ *print\(.*\)  # (.*)$", code, flags=re.MULTILINE)
        assert capsys.readouterr().out.splitlines() == promised

"""README's code runs and prints what its comments say."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def test_readme_has_code():
    assert BLOCKS


@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_readme_block(code, capsys):
    exec(compile(code, "<README block>", "exec"), {"__name__": "__main__"})
    promised = re.findall(r"^print\(.*\)  # (.*)$", code, flags=re.MULTILINE)
    assert promised
    assert capsys.readouterr().out.splitlines() == promised

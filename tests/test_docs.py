"""The code of the documentation runs, and prints what its comments say."""

import re

import pytest

from tests._documented import DOC, blocks

# What is generated when the documentation is built.
GENERATED = {"_build", "api", "auto_examples"}
PAGES = [
    p
    for p in sorted(DOC.rglob("*.rst"))
    if p.relative_to(DOC).parts[0] not in GENERATED
]
# Other libraries that a page sets beside this one.
PEERS = {"hmmlearn", "sklearn_crfsuite"}


WITH_CODE = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize(
    "folder, n_pages", [("user_guide", 20), ("coming_from", 4), ("extend", 6)]
)
def test_pages_have_code(folder, n_pages):
    assert sum(page.parent == DOC / folder for page in WITH_CODE) >= n_pages


@pytest.mark.parametrize(
    "page", WITH_CODE, ids=lambda page: page.relative_to(DOC).as_posix()
)
def test_page(page, capsys):
    names = {"__name__": "__main__"}
    for number, code in enumerate(blocks(page)):
        try:
            exec(compile(code, f"<{page.name}, block {number}>", "exec"), names)
        except ModuleNotFoundError as error:
            if error.name not in PEERS:
                raise
            pytest.skip(f"needs {error.name}")
        promised = re.findall(r"^ *print\(.*\)  # (.*)$", code, flags=re.MULTILINE)
        assert capsys.readouterr().out.splitlines() == promised

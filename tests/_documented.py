"""Classes that pages of the documentation define, for the contract tests."""

import re
import sys
import textwrap
from pathlib import Path
from types import ModuleType

DOC = Path(__file__).resolve().parents[1] / "doc"
BLOCK = re.compile(r"^\.\. code-block:: python\n\n((?:(?:    .*)?\n)+)", re.MULTILINE)


def blocks(page):
    """The Python code of a page, block by block."""
    text = page.read_text(encoding="utf-8") + "\n"
    return [textwrap.dedent(block) for block in BLOCK.findall(text)]


def documented(part, name):
    """The class ``name`` of ``extend/part.rst``, which is in its first block."""
    module = ModuleType(f"documented_{part}")
    # What is pickled is looked up there again.
    sys.modules[module.__name__] = module
    exec(blocks(DOC / "extend" / f"{part}.rst")[0], vars(module))
    return getattr(module, name)

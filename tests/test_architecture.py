"""The tree is the formula: who may import whom, read from the source."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "skstruct"
MAX_LINES = 400

CORE = {"containers", "kernels", "solvers"}
FAMILIES = {
    "structures",
    "potentials",
    "emissions",
    "constraints",
    "losses",
    "surrogates",
}
SHARED = {"_base", "_params", "_validation", "exceptions"}
OUTER = {"metrics", "model_selection", "datasets", "featurizers"}
BELOW_ESTIMATORS = CORE | FAMILIES | SHARED | OUTER | {"optim"}

# The parts of skstruct that a part may import besides itself.
MAY_IMPORT = {
    "containers": set(),
    "kernels": set(),
    "solvers": {"kernels"},
    **dict.fromkeys(FAMILIES, CORE),
    "optim": set(),
    **{part: {"containers", "kernels"} | SHARED for part in OUTER},
    # A score and a fit under the same loss mean the same by it.
    "metrics": {"containers", "kernels", "losses"} | SHARED,
    "estimators": BELOW_ESTIMATORS,
    "inspection": {"containers"} | SHARED,
    "_persistence": set(),
    "_warm_up": {"estimators", "_warm_up_jobs"},
    "_warm_up_jobs": {"datasets", "constraints"},
    "_cli": {"estimators", "datasets", "containers", "metrics", "_persistence"},
    "__main__": {"_cli"},
    "exceptions": set(),
    "_params": {"exceptions"},
    "_validation": {"containers", "_params", "exceptions"},
    "_base": {"containers", "_params", "_validation", "exceptions"},
    "__init__": BELOW_ESTIMATORS
    | {"estimators", "inspection", "_persistence", "_warm_up"},
}
# Exported by scikit-learn's public modules for libraries like this one.
SEMI_PUBLIC = {"_safe_indexing", "_align_api_if_sparse", "_check_sample_weight"}


def imports(tree):
    """(line, module, name) of every import; name is None for ``import module``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, None
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.lineno, "." * node.level + (node.module or ""), alias.name


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def own_import_fault(part, module, name):
    """Why a part may not import this module of ours, or None."""
    if module.startswith("."):
        return "relative import; imports are absolute"
    path = module.split(".") if name is None else [*module.split("."), name]
    if path[0] != "skstruct":
        return None
    target = path[1] if len(path) > 1 else "the top package"
    if target == part or target in MAY_IMPORT[part]:
        return None
    return f"{part} may not import {target}"


def foreign_import_fault(where, module, name):
    """Why a file may not import this module of others, or None."""
    folder, path = where.split("/")[0], module.split(".")
    if path[0] == "numba" and folder not in {"kernels", "structures"}:
        return "only kernels/ and structures/ import numba"
    if path[0] != "sklearn":
        return None
    whole = path if name is None else [*path, name]
    if whole[:2] == ["sklearn", "callback"] and where != "_base.py":
        return "only _base.py imports sklearn.callback"
    if (
        any(map(is_private, whole))
        and name not in SEMI_PUBLIC
        and where != "_params.py"
    ):
        return "only _params.py imports private parts of scikit-learn"
    return None


def private_reads(tree):
    """(line, attribute) of private attributes of anything but self and cls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = node.value
            if not (isinstance(owner, ast.Name) and owner.id in {"self", "cls"}):
                yield node.lineno, node.attr


def package_faults(tree):
    """What an ``__init__`` lacks."""
    names = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    if "__all__" not in names:
        yield "a package has __all__"
    if len((ast.get_docstring(tree) or "").split()) < 3:
        yield "a package has a docstring"


def faults(root, where):
    """Everything that is wrong with one file, as ``file:line: message``."""
    source = (root / where).read_text(encoding="utf-8")
    tree = ast.parse(source, filename=where)
    *folders, stem = Path(where).with_suffix("").parts
    part = folders[0] if folders else stem
    if {"utils", "_utils"} & {*folders, stem}:
        yield f"{where}: nothing is named utils"
        return
    if part not in MAY_IMPORT:
        yield f"{where}: {part} has no place in the architecture"
        return
    if folders and not stem.startswith("_"):
        yield f"{where}: modules are private; public names come through __init__"
    if (n_lines := len(source.splitlines())) > MAX_LINES:
        yield f"{where}: {n_lines} lines, more than {MAX_LINES}"
    if stem == "__init__":
        yield from (f"{where}: {fault}" for fault in package_faults(tree))
    for line, module, name in imports(tree):
        fault = own_import_fault(part, module, name)
        fault = fault or foreign_import_fault(where, module, name)
        if fault:
            yield f"{where}:{line}: {fault}"
    if part == "inspection":
        for line, attribute in private_reads(tree):
            yield f"{where}:{line}: inspection reads {attribute}, which is private"


def files(root):
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*.py"))


@pytest.mark.parametrize("where", files(PACKAGE))
def test_file_keeps_to_the_architecture(where):
    assert list(faults(PACKAGE, where)) == []


VIOLATIONS = [
    ("containers/_x.py", "from skstruct.kernels import f", "may not import kernels"),
    ("kernels/_x.py", "import skstruct.containers", "may not import containers"),
    ("solvers/_x.py", "from skstruct import containers", "may not import containers"),
    ("losses/_x.py", "from skstruct.structures import Chain", "import structures"),
    ("emissions/_x.py", "from skstruct._params import P", "import _params"),
    ("optim/_x.py", "def f():\n    from skstruct.kernels import g", "import kernels"),
    ("metrics/_x.py", "from skstruct.structures._chain import C", "import structures"),
    ("metrics/_x.py", "import skstruct", "may not import the top package"),
    ("datasets/_x.py", "from skstruct import AnnealedHMM", "import AnnealedHMM"),
    ("estimators/_x.py", "from skstruct.inspection import D", "import inspection"),
    ("inspection/_x.py", "from skstruct.estimators import E", "import estimators"),
    ("inspection/_x.py", "def f(e):\n    return e._coef", "_coef, which is private"),
    ("_validation.py", "from skstruct.estimators import E", "import estimators"),
    ("optim/_x.py", "from . import _loop", "relative import"),
    ("emissions/_x.py", "from numba import njit", "import numba"),
    ("estimators/_x.py", "import numba.core", "import numba"),
    ("optim/_x.py", "from sklearn.callback import ProgressBar", "sklearn.callback"),
    ("optim/_x.py", "from sklearn import callback", "sklearn.callback"),
    ("estimators/_x.py", "from sklearn.base import _fit_context", "private parts"),
    ("_base.py", "import sklearn.utils._param_validation", "private parts"),
    ("utils/_x.py", "", "nothing is named utils"),
    ("kernels/_utils.py", "", "nothing is named utils"),
    ("helpers/_x.py", "", "helpers has no place"),
    ("losses/squared.py", "", "modules are private"),
    ("losses/_x.py", "a = 1\n" * (MAX_LINES + 1), "401 lines"),
    ("losses/__init__.py", '"""Additive losses of labels."""', "has __all__"),
    ("losses/__init__.py", '"""."""\n__all__ = []', "has a docstring"),
]


@pytest.mark.parametrize(("where", "source", "message"), VIOLATIONS)
def test_each_rule_catches_its_violation(tmp_path, where, source, message):
    (tmp_path / where).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / where).write_text(source, encoding="utf-8")
    found = list(faults(tmp_path, where))
    assert len(found) == 1
    assert found[0].startswith(where)
    assert message in found[0]


ALLOWED = [
    ("solvers/_x.py", "from skstruct.kernels import f\nimport scipy.optimize"),
    ("structures/_x.py", "from numba import njit\nfrom skstruct.kernels import f"),
    ("structures/_x.py", "from skstruct.structures._base import Posterior"),
    ("estimators/_x.py", "from skstruct import emissions\nimport sklearn.base"),
    ("featurizers/_x.py", "from skstruct._base import B\nimport skstruct.containers"),
    ("_base.py", "from sklearn.callback import CallbackSupportMixin"),
    ("_params.py", "from sklearn.utils._param_validation import Interval"),
    ("_validation.py", "from sklearn.utils.validation import _check_sample_weight"),
    ("inspection/_x.py", "def f(self, e):\n    return self._ax, e.coef_, e.__class__"),
    ("losses/__init__.py", '"""Additive losses of labels."""\n__all__ = []'),
]


@pytest.mark.parametrize(("where", "source"), ALLOWED)
def test_what_the_architecture_allows_passes(tmp_path, where, source):
    (tmp_path / where).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / where).write_text(source, encoding="utf-8")
    assert list(faults(tmp_path, where)) == []


def test_no_parts_import_each_other():
    order = list(TopologicalSorter(MAY_IMPORT).static_order())  # raises on a circle
    assert set(order) == set(MAY_IMPORT)

"""Docstrings of the public names are numpydoc, as pyproject.toml asks."""

import importlib
import inspect
import pkgutil
import tomllib
from pathlib import Path

import pytest
from numpydoc.validate import validate

import skstruct

ROOT = Path(__file__).resolve().parents[1]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REFERENCE = (ROOT / "doc" / "api.rst").read_text(encoding="utf-8")
IGNORED = set(CONFIG["tool"]["numpydoc_validation"]["checks"]) - {"all"}


def own_methods(cls):
    """Public methods that are written here, not inherited from scikit-learn."""
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("skstruct"):
            yield name


def public_names():
    """Import paths of the classes and functions that our packages export."""
    packages = [m.name for m in pkgutil.iter_modules(skstruct.__path__) if m.ispkg]
    for package in (f"skstruct.{p}" for p in packages if not p.startswith("_")):
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield f"{package}.{name}"
            # A named tuple describes its fields as attributes.
            elif inspect.isclass(thing) and not issubclass(thing, tuple):
                yield f"{package}.{name}"
                if package == "skstruct.estimators":
                    yield from (f"{package}.{name}.{m}" for m in own_methods(thing))


@pytest.mark.parametrize("name", sorted(public_names()))
def test_docstring_is_numpydoc(name):
    errors = validate(name)["errors"]
    assert [error for error in errors if error[0] not in IGNORED] == []


@pytest.mark.parametrize(
    "folder", sorted({name.split(".")[1] for name in public_names()} - {"kernels"})
)
def test_reference_lists_every_public_name(folder):
    module = importlib.import_module(f"skstruct.{folder}")
    section = REFERENCE.split(f"currentmodule:: skstruct.{folder}\n")[1]
    listed = section.split("..")[1].split()
    assert set(module.__all__) <= set(listed)


@pytest.mark.parametrize("name", sorted(n for n in public_names() if n.count(".") == 2))
def test_docstring_has_an_example(name):
    module, _, thing = name.rpartition(".")
    doc = inspect.getdoc(getattr(importlib.import_module(module), thing))
    assert ">>> " in doc


def test_reference_lists_what_the_package_exports():
    listed = set(REFERENCE.split())
    assert set(skstruct.__all__) - {"__version__"} <= listed

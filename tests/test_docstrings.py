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
IGNORED = set(CONFIG["tool"]["numpydoc_validation"]["checks"]) - {"all"}


def own_methods(cls):
    """Public methods that are written here, not inherited from scikit-learn."""
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_") and method.__module__.startswith("skstruct"):
            yield name


def public_names():
    """Import paths of the classes and functions that our packages export."""
    packages = ["skstruct"] + [
        f"skstruct.{module.name}"
        for module in pkgutil.iter_modules(skstruct.__path__)
        if module.ispkg
    ]
    for package in packages:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", []):
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

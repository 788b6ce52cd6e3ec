"""How the documentation is built: ``sphinx-build doc doc/_build``."""

import skstruct

project = "skstruct"
author = "The skstruct developers"
release = version = skstruct.__version__

extensions = [
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"

# Attributes are described in the class; a second page for each says no more.
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    # Scripts to be run by hand, not subgalleries.
    "ignore_pattern": r"(benchmarks|reproductions)/",
    "nested_sections": False,
}

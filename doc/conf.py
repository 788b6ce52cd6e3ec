"""How the documentation is built, from the root of the repository and offline:

python -m sphinx -W --keep-going -b html doc doc/_build/html

With ``-D plot_gallery=0`` the examples are shown and not run, which is quick.
"""

import skstruct

project = "skstruct"
author = "The skstruct developers"
release = version = skstruct.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = f"skstruct {release}"
html_static_path = ["_static"]
html_theme_options = {"navigation_with_keys": False, "show_prev_next": False}

# Attributes are described in the class; a second page for each says no more.
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    # Scripts to be run by hand, not subgalleries.
    "ignore_pattern": r"(benchmarks|reproductions)/",
    "nested_sections": False,
    # Pages of the guide show the examples that use their estimators.
    "backreferences_dir": "auto_examples/uses",
    "doc_module": ("skstruct",),
}

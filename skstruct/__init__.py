"""Structured prediction with little or no labelled data, the scikit-learn way."""

__version__ = "0.1.0.dev0"

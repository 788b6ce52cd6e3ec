"""Tables of phrases, as ``phrases.py`` reads them."""

import gzip
from collections import Counter
from typing import NamedTuple

import numpy as np
from _corpora import data_folder

from skstruct.datasets import read_bitext, read_phrase_table
from skstruct.estimators import HMMAligner
from skstruct.featurizers import BrownClusterer, PhraseExtractor, PhrasePairExtractor

__all__ = ["TABLES", "Table", "read", "read_pairs"]

BORDERS = ("<s>", "</s>")
# File, and how often a phrase occurs at least.
TABLES = {
    "gum, >= 5": ("gum-en-const", 5),
    "gum, >= 2": ("gum-en-const", 2),
    "ewt, >= 2": ("ewt-en-ud", 2),
}


class Table(NamedTuple):
    """Occurrences of phrases between two contexts, and their gold labels."""

    name: str
    contexts: str
    X: np.ndarray
    y: np.ndarray


def read(name, contexts):
    """Phrases in lower case, of a table; contexts are "words" or "classes"."""
    file, min_count = TABLES[name]
    X, y = read_phrase_table(data_folder("phrases") / f"{file}.tsv.gz", n_context=1)
    X[:, 0] = [phrase.lower() for phrase in X[:, 0]]
    kept = _frequent(X[:, 0], min_count)
    X, y = X[kept], y[kept]
    change = str.lower if contexts == "words" else brown_class()
    X[:, 1:] = np.vectorize(change, otypes=[object])(X[:, 1:])
    return Table(name, contexts, X, y)


def brown_class():
    """Gives the Brown cluster of a word of the English Web Treebank, one of 100."""
    path = data_folder("pos") / "en-ewt" / "brown100.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        fields = (line.rstrip("\n").split("\t") for line in file)
        classes = {word: path for path, word, _ in fields}
    classes |= {border: border for border in BORDERS}
    return lambda word: classes.get(word, classes.get(word.lower(), "unknown"))


def read_pairs(n_pairs):
    """Phrase pairs seen twice in linked sentences: phrase, left and right class, twice.

    Urdu stands before English.
    """
    folder = data_folder("phrases") / "ur-en"
    bitext = read_bitext(*(folder / f"bitext.{side}.gz" for side in ("ur", "en")))
    classes = BrownClusterer(100)
    side = PhraseExtractor(word_classes=classes, lowercase=True)
    extractor = PhrasePairExtractor(
        HMMAligner(), source=side, target=side, extend=False
    )
    # Links and classes are learnt from all sentences, phrases taken from some.
    X = extractor.fit(bitext).transform(bitext[:n_pairs]).values
    pairs = [tuple(row) for row in X[:, [0, 3]]]
    return X[_frequent(pairs, 2)]


def _frequent(phrases, min_count):
    """Which rows have a phrase that occurs so often."""
    count = Counter(phrases)
    return np.array([count[phrase] >= min_count for phrase in phrases])

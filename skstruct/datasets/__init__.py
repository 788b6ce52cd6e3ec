"""Corpora and series: readers, writers, a real treebank, synthetic generators.

Readers return `Ragged` batches of words and labels, or a `Bitext` and its links.
Only fetchers use the network, the first time.
"""

from skstruct.datasets._bitext import read_bitext, write_bitext
from skstruct.datasets._conll import read_conll
from skstruct.datasets._conllu import read_conllu, write_conllu
from skstruct.datasets._generators import (
    make_gaussian_hmm_sequences,
    make_hmm_sequences,
    make_regime_series,
)
from skstruct.datasets._grammar import make_bitext
from skstruct.datasets._graph_generators import make_labelled_graphs
from skstruct.datasets._links import read_links, write_links
from skstruct.datasets._phrases import (
    make_phrase_table,
    read_phrase_table,
    write_phrase_labels,
)
from skstruct.datasets._tagged import join_tagged, read_spacy, split_tagged
from skstruct.datasets._text import read_text
from skstruct.datasets._treebanks import fetch_ud_treebank
from skstruct.datasets._turkish import load_turkish_treebank
from skstruct.datasets._ugarit import fetch_greek_alignments
from skstruct.datasets._universal import to_universal_tags

__all__ = [
    "fetch_greek_alignments",
    "fetch_ud_treebank",
    "join_tagged",
    "load_turkish_treebank",
    "make_bitext",
    "make_gaussian_hmm_sequences",
    "make_hmm_sequences",
    "make_labelled_graphs",
    "make_phrase_table",
    "make_regime_series",
    "read_bitext",
    "read_conll",
    "read_conllu",
    "read_links",
    "read_phrase_table",
    "read_spacy",
    "read_text",
    "split_tagged",
    "to_universal_tags",
    "write_bitext",
    "write_conllu",
    "write_links",
    "write_phrase_labels",
]

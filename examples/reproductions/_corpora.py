"""Tagged corpora, as the reproductions read them, and the folders of all corpora."""

import os
from pathlib import Path

import numpy as np

from skstruct.containers import Ragged
from skstruct.datasets import read_conll

__all__ = [
    "SPLITS",
    "concat",
    "data_folder",
    "first_tokens",
    "lower",
    "read",
    "read_all",
]

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = {"UPOS": 1, "XPOS": 2}
SPLITS = ("train", "dev", "test")


def data_folder(kind):
    """The folder of corpora of one kind: "pos" or "align"."""
    places = [os.environ.get("SKSTRUCT_DATA"), ROOT.parent / "shared" / "data"]
    for place in places:
        if place and (Path(place) / kind).is_dir():
            return Path(place) / kind
    raise SystemExit(
        f"No corpora found: set SKSTRUCT_DATA to the folder that has {kind}/."
    )


def read(corpus, split, tags):
    """Words as they stand and their tags."""
    path = data_folder("pos") / corpus / f"{split}.tsv.gz"
    return read_conll(path, [0, COLUMNS[tags]])


def read_all(corpus, tags):
    """Words and tags of all splits, one after the other."""
    parts = [read(corpus, split, tags) for split in SPLITS]
    return tuple(map(concat, zip(*parts, strict=True)))


def lower(X):
    """The same sentences in lower case."""
    return X.with_values([word.lower() for word in X.values])


def concat(parts):
    """Batches one after the other."""
    return Ragged([sequence for part in parts for sequence in part])


def first_tokens(X, n_tokens):
    """How many sentences, from the first on, have so many tokens."""
    return 1 + int(np.searchsorted(np.cumsum(X.lengths), n_tokens))

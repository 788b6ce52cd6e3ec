"""Texts with tags, and a file of finished results, for ``annealing.py``."""

import json
import os
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from skstruct.containers import Ragged
from skstruct.datasets import read_conll
from skstruct.estimators import TagDictionary

__all__ = ["Piece", "Results", "concat", "lower", "read", "read_piece"]

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = {"UPOS": 1, "XPOS": 2}


def data_folder():
    """The folder of tagged corpora."""
    places = [os.environ.get("SKSTRUCT_DATA"), ROOT.parent / "shared" / "data"]
    for place in places:
        if place and (Path(place) / "pos").is_dir():
            return Path(place) / "pos"
    raise SystemExit("No corpora found: set SKSTRUCT_DATA to the folder that has pos/.")


def read(corpus, split, tags):
    """Words as they stand and their tags."""
    path = data_folder() / corpus / f"{split}.tsv.gz"
    return read_conll(path, [0, COLUMNS[tags]])


def lower(X):
    """The same sentences in lower case."""
    return X.with_values([word.lower() for word in X.values])


def concat(parts):
    """Batches one after the other."""
    return Ragged([sequence for part in parts for sequence in part])


class Piece(NamedTuple):
    """Text to learn from, all that is known of its words, and sentences beside it."""

    X: Ragged
    y: Ragged
    dictionary: TagDictionary
    X_rest: Ragged
    y_rest: Ragged

    @property
    def symbols(self):
        return np.unique(self.X.values.astype(str)).astype(object)


def read_piece(corpus, tags, n_tokens, end):
    """A random piece of the training text; its dictionary is that of the treebank."""
    splits = [read(corpus, split, tags) for split in ("train", "dev", "test")]
    splits = [(lower(X), y) for X, y in splits]
    X, y = splits[0]
    order = np.random.default_rng(1234).permutation(len(X))
    order = order if end == "front" else order[::-1]
    size = 1 + np.searchsorted(np.cumsum(X.lengths[order]), n_tokens)
    piece, rest = order[:size], order[size:]
    # Where all of the training text is learnt from, sentences to tag come from dev.
    X_rest, y_rest = (X[rest], y[rest]) if len(rest) >= 200 else splits[1]
    everything = [concat(parts) for parts in zip(*splits, strict=True)]
    dictionary = TagDictionary.from_tagged(*everything)
    return Piece(X[piece], y[piece], dictionary, X_rest, y_rest)


class Results:
    """Finished rows in a file of JSON lines."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.path = folder / "annealing.jsonl"
        self.rows = []
        if self.path.exists():
            self.rows = [json.loads(line) for line in self.path.open()]

    def add(self, measure, **key):
        """Measure a row, unless it is there."""
        if self.find(**key):
            return
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of annealing that only forgets the start
            row = key | measure()
        row["cpu"] = round(time.process_time() - begin, 2)
        self.rows.append(row)
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(row, flush=True)

    def find(self, **key):
        """Rows that agree with the key."""
        return [r for r in self.rows if all(r.get(k) == v for k, v in key.items())]

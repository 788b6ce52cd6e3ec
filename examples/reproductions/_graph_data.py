"""Labelled chains, trees and grids for ``adversarial.py``: sets, splits, features."""

import gzip
import json
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from _corpora import data_folder
from sklearn.feature_extraction import DictVectorizer
from sklearn.preprocessing import StandardScaler

from skstruct import GraphBatch, Ragged
from skstruct.featurizers import TokenFeaturizer
from skstruct.losses import LOSSES

__all__ = ["FEATURES", "ROLES", "SETS", "Task", "cut", "read_task", "vectors"]

ROLES = ("O", "V", "A0", "A1", "A2", "R-A0", "R-A1", "R-A2", "R")
FEATURES = ("plain", "edges", "thresholds", "both")
_LEVELS = np.arange(0.1, 0.95, 0.1)


class Task(NamedTuple):
    """A set of labelled graphs.

    Attributes
    ----------
    X : Ragged
        Nodes; a GraphBatch has edges, too.
    y : Ragged
        Their labels.
    groups : ndarray of shape (n,)
        Samples with the same number stay together in random splits.
    parts : ndarray of shape (n,) or None
        "train", "dev" or "test" where the split is given.
    """

    X: Ragged
    y: Ragged
    groups: np.ndarray
    parts: np.ndarray | None = None

    def loss(self, name):
        """A loss and the labels in its order."""
        labels = np.unique(self.y.values)
        if name.startswith("order"):
            order = np.random.default_rng(int(name.split()[1])).permutation(len(labels))
            return LOSSES["absolute"](), labels[order].tolist()
        kind, *weighted = name.split(", ")
        return LOSSES[kind](weight="position" if weighted else None), labels.tolist()


# --- Sets


def turbofan():
    """Engines: chains of three ordinal states."""
    data = np.load(data_folder("graphs") / "turbofan" / "turbofan.npz")
    X = Ragged.from_lengths(data["X"].astype(float), data["lengths"])
    return Task(X, X.with_values(data["y"].astype(int)), np.arange(len(X)))


def flights():
    """Airports by day: chains of four ordinal delays."""
    data = np.load(data_folder("graphs") / "flight-delay" / "flight_delay.npz")
    X = Ragged.from_lengths(data["X"].astype(float), data["lengths"])
    return Task(X, X.with_values(data["y"].astype(int)), data["day_of_year"])


def flight_grids():
    """The same as grids of three airports, one for each day."""
    folder = data_folder("graphs") / "flight-delay"
    data = np.load(folder / "flight_delay.npz")
    grid = np.load(folder / "flight_delay_grid.npz")
    offsets, edge_offsets = (
        np.r_[0, np.cumsum(grid[name], dtype=int)] for name in ("n_nodes", "n_edges")
    )
    order = grid["order"]
    X = GraphBatch.from_arrays(
        data["X"][order].astype(float), offsets, grid["edges"], edge_offsets
    )
    y = Ragged.from_arrays(data["y"][order].astype(int), offsets)
    days = np.repeat(data["day_of_year"], data["lengths"])
    return Task(X, y, days[order][offsets[:-1]])


def _json_lines(*path):
    with gzip.open(data_folder("graphs").joinpath(*path), "rt", encoding="utf8") as f:
        return [json.loads(line) for line in f]


def _fixed(X, y, parts):
    return Task(X, Ragged(y), np.arange(len(X)), np.array(parts))


def roles(train):
    """Semantic roles on pruned parse trees; costs of a random order of the labels."""
    rows, parts = [], []
    for part, name in (("train", train), ("dev", "dev"), ("test", "test")):
        found = _json_lines("srl-ewt", f"{name}.jsonl.gz")
        rows += found
        parts += [part] * len(found)
    X = GraphBatch((row["features"], GraphBatch.tree(row["parents"])) for row in rows)
    return _fixed(X, [row["labels"] for row in rows], parts)


def tags(graph):
    """Words and their universal tags, on chains or dependency trees."""
    rows, parts = [], []
    for part in ("train", "test"):
        found = _json_lines("ewt-tags", f"{part}.jsonl.gz")
        rows += found
        parts += [part] * len(found)
    words = [row["words"] for row in rows]
    if graph == "chain":
        X = Ragged(words)
    else:
        heads = [GraphBatch.tree(row["heads"]) for row in rows]
        X = GraphBatch(zip(words, heads, strict=True))
    return _fixed(X, [row["upos"] for row in rows], parts)


SETS = {
    "turbofan": turbofan,
    "flights": flights,
    "flight grids": flight_grids,
    "roles, 3k": lambda: roles("train-3k"),
    "roles": lambda: roles("train"),
    "tags, chains": lambda: tags("chain"),
    "tags, trees": lambda: tags("tree"),
}


@lru_cache(maxsize=1)
def read_task(name, size=None):
    """A set; ``size`` keeps some samples of each part, for a smoke test."""
    task = SETS[name]()
    if size is None:
        return task
    parts = np.zeros(len(task.X)) if task.parts is None else task.parts
    keep = np.concatenate([np.flatnonzero(parts == p)[:size] for p in np.unique(parts)])
    return Task(*(None if part is None else part[keep] for part in task))


# --- Splits


def _cut(groups, samples, rng):
    """70 and 30 per cent of the groups of some samples, in random order."""
    found = rng.permutation(np.unique(groups[samples]))
    first = np.isin(groups[samples], found[: int(0.7 * len(found))])
    return samples[first], samples[~first]


def cut(task, number):
    """Samples to train and to test on; "validation k" cuts the first training part."""
    everything = np.arange(len(task.X))
    validation = isinstance(number, str)
    if task.parts is None:
        rng = np.random.default_rng(0 if validation else number)
        train, held = _cut(task.groups, everything, rng)
    else:
        train, held = (np.flatnonzero(task.parts == p) for p in ("train", "test"))
    if not validation:
        return train, held
    if task.parts is not None and "dev" in task.parts:
        return train, np.flatnonzero(task.parts == "dev")
    seed = 1000 + int(number.split()[1])
    return _cut(task.groups, train, np.random.default_rng(seed))


# --- Features


def vectors(task, train, features):
    """All samples with vectors at their nodes, as training samples have them."""
    X = task.X
    if isinstance(X.values[0], str):
        words = TokenFeaturizer(min_identity_count=1, min_affix_share=0)
        return X.with_values(words.fit(X[train]).transform(X).values)
    if isinstance(X.values[0], dict):
        dicts = DictVectorizer().fit(X[train].values)
        return X.with_values(dicts.transform(X.values))
    scaled = StandardScaler().fit(X[train].values).transform(X.values)
    values = scaled
    if features in ("thresholds", "both"):
        values = np.hstack([scaled, _levels(X.values, X[train].values)])
    X = X.with_values(values)
    return _with_steps(X, scaled) if features in ("edges", "both") else X


def _levels(values, reference):
    """Whether each value reaches each decile of its column."""
    columns = []
    for column, known in zip(values.T, reference.T, strict=True):
        cuts = np.unique(np.quantile(known, _LEVELS))
        columns.append(column[:, None] >= cuts[cuts > known.min()])
    return np.hstack(columns).astype(float)


def _with_steps(X, values):
    """How much the features of nodes differ from those of their neighbours."""
    if not isinstance(X, GraphBatch):
        X = GraphBatch.from_sequences(X)
    before, after = X.global_edges.T
    steps = np.abs(values[after] - values[before])
    return GraphBatch.from_arrays(X.values, X.offsets, X.edges, X.edge_offsets, steps)

"""Passes and time of certified training beside a conditional random field.

    python examples/benchmarks/bench_adversarial.py [--quick] [--trees]

Chains of 600 words in 26 letters with noisy pixels, and ordinal chains of three labels.
A pass is what a gradient of a conditional random field costs on the same chains,
measured in the same process: potentials, sum-product, expected features. ``--trees``
fits the role labelling trees of the corpora in $SKSTRUCT_DATA or ../shared/data.
"""

import os

# Before numpy is imported: one BLAS thread for all.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import gzip
import json
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skstruct import (
    AdversarialGraphicalModel,
    ConditionalRandomField,
    GraphBatch,
    Ragged,
    StructuredSVM,
)
from skstruct.potentials import LinearGraph
from skstruct.structures import Potentials, Tree

GAPS = (1e-1, 1e-2, 1e-3)


def letters(n_samples=600, n_states=26, n_pixels=128, noise=0.37, seed=0):
    """Words of 4 to 12 letters from a Markov chain; binary pixels, some flipped."""
    rng = np.random.default_rng(seed)
    transition = rng.dirichlet(np.full(n_states, 0.25), size=n_states)
    start = rng.dirichlet(np.ones(n_states))
    shapes = rng.random((n_states, n_pixels)) < 0.35
    lengths = rng.integers(4, 13, n_samples)
    labels = []
    for length in lengths:
        p = start
        for _ in range(length):
            labels.append(rng.choice(n_states, p=p))
            p = transition[labels[-1]]
    labels = np.array(labels)
    pixels = shapes[labels] ^ (rng.random((len(labels), n_pixels)) < noise)
    return Ragged.from_lengths(pixels.astype(float), lengths), labels


def ordinal(n_samples=120, length=20, n_features=20, seed=0):
    """A rising line with noise, cut in three; noisy projections of it."""
    rng = np.random.default_rng(seed)
    line = np.linspace(-1.5, 1.5, length) * rng.uniform(0.5, 1.5, (n_samples, 1))
    line = line + 0.7 * rng.standard_normal((n_samples, 1))
    line = (line + 0.4 * rng.standard_normal((n_samples, length))).ravel()
    direction = rng.standard_normal(n_features) / np.sqrt(n_features)
    noise = rng.standard_normal((line.size, n_features))
    features = line[:, None] * direction + noise
    lengths = np.full(n_samples, length)
    return Ragged.from_lengths(features, lengths), np.digitize(line, [-0.5, 0.6])


def one_pass(X, n_states, repeats=20):
    """CPU seconds of a gradient of the likelihood on a structure of the same kind."""
    graphs = GraphBatch.from_sequences(X)
    tree = Tree(X.offsets, graphs.global_edges, graphs.edge_offsets)
    linear = LinearGraph(X.values, n_states=n_states)
    weights = 0.1 * np.random.default_rng(0).standard_normal(linear.n_weights)
    seconds = []
    for _ in range(repeats + 1):
        begin = time.process_time()
        found = tree.posterior(Potentials(*linear.potentials(weights)))
        linear.gradient(found.node, found.edge)
        seconds.append(time.process_time() - begin)
    return np.median(seconds[1:])


def time_to_gaps(model, X, y, gaps=GAPS):
    """CPU seconds until the relative gap is at most each of these; NaN if never.

    A fit stops at its tolerance, so that each gap is a fit of its own.
    """
    seconds = []
    for gap in gaps:
        model.set_params(tol=gap)
        begin = time.process_time()
        model.fit(X, y)
        taken = time.process_time() - begin
        seconds.append(taken if model.duality_gap_ <= gap else np.nan)
    return np.array(seconds)


def chains(quick):
    """Passes to each gap, beside L-BFGS on the likelihood."""
    print("data, loss, model | pass (ms) | passes to gaps", *GAPS, "| evaluations")
    letter_data, ordinal_data = letters(), ordinal()
    rows = [("letters", *letter_data, "zero_one")]
    if not quick:
        rows += [
            ("ordinal", *ordinal_data, "absolute"),
            ("ordinal", *ordinal_data, "squared"),
        ]
    for name, X, labels, loss in rows:
        y = Ragged.from_arrays(labels, X.offsets)
        l2 = 10 / len(X)
        unit = one_pass(X, len(np.unique(labels)))
        gaps = GAPS[:1] if quick else GAPS
        for model in (
            AdversarialGraphicalModel(loss, l2=l2, max_iter=1000),
            StructuredSVM(loss, l2=l2, max_iter=1000),
        ):
            model.set_params(tol=0.9).fit(X, y)  # whatever must be compiled
            passes = time_to_gaps(model, X, y, gaps) / unit
            evaluations = sum(h["n_evaluations"] for h in model.history_)
            report(name, loss, model, unit, passes, evaluations)
        for model in (
            AdversarialGraphicalModel(loss, l2=l2, temperature=1.0),
            ConditionalRandomField(loss, l2=l2),
        ):
            model.fit(X, y)
            begin = time.process_time()
            model.fit(X, y)
            passes = [(time.process_time() - begin) / unit]
            report(name, loss, model, unit, passes, model.n_iter_)


def report(name, loss, model, unit, passes, evaluations):
    figures = " ".join(f"{p:7.0f}" for p in passes)
    kind = type(model).__name__
    if getattr(model, "temperature", 0):
        kind += f", temperature {model.temperature:g}"
    print(
        f"{name}, {loss}, {kind} | {1000 * unit:.1f} | {figures} | {evaluations}",
        flush=True,
    )


def role_trees(name):
    """Propositions of a file, as a batch and labels."""
    root = os.environ.get("SKSTRUCT_DATA") or Path(__file__).parents[3] / "shared/data"
    path = Path(root) / "graphs" / "srl-ewt" / f"{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf8") as lines:
        rows = [json.loads(line) for line in lines]
    graphs = [(row["features"], GraphBatch.tree(row["parents"])) for row in rows]
    return GraphBatch.from_graphs(graphs), [row["labels"] for row in rows]


def trees(quick):
    """Whole fits of role labelling, on one thread and on two."""
    print("data, model | wall s, 1 thread | 2 threads | gap | iterations | error")
    test = role_trees("test")
    for name in ("train-3k",) if quick else ("train-3k", "train"):
        X, y = role_trees(name)
        for model in (
            ConditionalRandomField(),
            StructuredSVM(),
            AdversarialGraphicalModel(),
        ):
            wall = []
            for n_jobs in (1, 2):
                begin = time.perf_counter()
                model.set_params(n_jobs=n_jobs).fit(X, y)
                wall.append(time.perf_counter() - begin)
            gap = getattr(model, "duality_gap_", np.nan)
            error = 1 - model.score(*test)
            print(
                f"{name}, {type(model).__name__} | {wall[0]:.0f} | {wall[1]:.0f}"
                f" | {gap:.1e} | {model.n_iter_} | {error:.4f}",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one row, one gap")
    parser.add_argument("--trees", action="store_true", help="role labelling instead")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    (trees if arguments.trees else chains)(arguments.quick)


if __name__ == "__main__":
    main()

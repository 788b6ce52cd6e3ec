"""Time a round of the CRF autoencoder beside what competes with it.

    python examples/benchmarks/bench_crf_autoencoder.py [--pairs 3] [--out costs.svg]
    python examples/benchmarks/bench_crf_autoencoder.py --quick | --memory

CPU seconds on one thread, 12 states. All models are timed in turn, in one process, and
all that again for each pair; a figure is the median over pairs, a ratio the median of
ratios within a pair. A round is an iteration of the model's fit: for the autoencoder a
step on both sides, for EM both steps, else a step of L-BFGS. With SKSTRUCT_DATA, also
on the English Web Treebank; ``--memory``, which needs it, fits the default on it once.
"""

import os

# Before numpy is imported: one BLAS thread for all.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from _crf_costs import K, cpu, generate, round_seconds, systems
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator

from skstruct import CRFAutoencoderTagger
from skstruct.datasets import read_conll
from skstruct.estimators._autoencoder._model import EncodedBatch
from skstruct.featurizers import BrownClusterer, ExchangeClusterer, TokenFeaturizer

ROOT = Path(__file__).resolve().parents[2]
TYPES = (1_000, 3_000, 10_000, 30_000, 100_000)
TOKENS = (10_000, 30_000, 100_000, 200_000)
SWEEP_TOKENS = 120_000


def sweep(texts, pairs):
    """CPU seconds of a round, by system an array (pairs, texts)."""
    seconds = {name: np.empty((pairs, len(texts))) for name in systems()}
    # Encoder and features are the same at each fit: no need to make them again.
    ready = [TokenFeaturizer().fit_transform(X) for X in texts]
    for pair in range(pairs):
        # Sizes of one model are neighbours in time: their ratio is what is asked for.
        for name, system in systems().items():
            for i, X in enumerate(ready if name.startswith("CRF-AE") else texts):
                seconds[name][pair, i] = round_seconds(system, X)
    return seconds


def print_sweep(title, sizes, seconds):
    """A row a system: seconds at each size, and the last over the first."""
    print(f"\n| {title} |", *(f"{n:,} |" for n in sizes), "last / first |")
    print("| --- |" + " --- |" * (len(sizes) + 1))
    for name, table in seconds.items():
        growth = np.median(table[:, -1] / table[:, 0])
        cells = " | ".join(f"{s:.4f}" for s in np.median(table, axis=0))
        print(f"| {name} | {cells} | {growth:.1f} |", flush=True)


def treebank():
    """Training sentences of the English Web Treebank, None without the corpora."""
    places = [os.environ.get("SKSTRUCT_DATA"), ROOT.parent / "shared" / "data"]
    for place in filter(None, places):
        path = Path(place) / "pos" / "en-ewt" / "train.tsv.gz"
        if path.is_file():
            return read_conll(path, [0, 1])[0]
    return None


class Gradients:
    """The gradient of a supervised conditional random field, of our own parts."""

    def __init__(self, features):
        T, rng = features.n_tokens, np.random.default_rng(0)
        parts = features.values, features.offsets, K
        self.free = EncodedBatch(*parts)
        self.clamped = EncodedBatch(*parts, labels=rng.integers(K, size=T))
        self.log_prob = np.log(rng.dirichlet(np.ones(K), size=T))
        self.weights = 0.1 * rng.normal(size=self.free.linear.n_weights)

    def seconds(self, repeats=3):
        """CPU seconds with labels that hold, and with two full sum-products."""
        # Copies: potentials are kept while the weights are the same array.
        on_labels = [
            cpu(lambda: self.clamped.evaluate(self.weights.copy(), None, 0.6))
            for _ in range(repeats)
        ]
        full = [
            cpu(lambda: self.free.evaluate(self.weights.copy(), self.log_prob, 0.6))
            for _ in range(repeats)
        ]
        return np.median(on_labels), np.median(full)


def compare_with_gradient(X, pairs):
    """Print what a round costs in gradients of a conditional random field."""
    start = time.process_time()
    brown = BrownClusterer().fit(X)
    middle = time.process_time()
    ExchangeClusterer(K, random_state=0).fit(X)
    end = time.process_time()
    print(f"\nBrownClusterer {middle - start:.1f} s, ", end="")
    print(f"ExchangeClusterer {end - middle:.1f} s")
    features = TokenFeaturizer().fit_transform(X)
    print(f"{X.n_tokens:,} tokens, {len(set(X.values)):,} types, ", end="")
    print(f"{features.values.shape[1]:,} features")
    gradients, rows = Gradients(features), {}
    gradients.seconds()  # compiles
    for _ in range(pairs):
        models = systems(FrozenEstimator(brown))
        del models["CRF-AE, five views"], models["MRF"]
        for name, system in models.items():
            encoded = name.startswith("CRF-AE")
            seconds = round_seconds(system, features if encoded else X)
            on_labels, full = gradients.seconds()
            row = seconds, on_labels, full, seconds / on_labels, seconds / full
            rows.setdefault(name, []).append(row)
    print(
        "\n| a round of | seconds | gradient on labels | of two full sum-products",
        end="",
    )
    print(" | ratio to the first | to the second |\n|" + " --- |" * 6)
    for name, values in rows.items():
        s, a, b, to_a, to_b = np.median(values, axis=0)
        print(f"| {name} | {s:.3f} | {a:.3f} | {b:.3f} | {to_a:.1f} | {to_b:.1f} |")


def featurize(X, pairs):
    """Print the speed of the featurizer on 100,000 tokens."""
    X = X[: 1 + int(np.searchsorted(np.cumsum(X.lengths), 100_000))]
    featurizer = TokenFeaturizer()
    both = np.median([cpu(lambda: featurizer.fit_transform(X)) for _ in range(pairs)])
    again = np.median([cpu(lambda: featurizer.transform(X)) for _ in range(pairs)])
    print(
        f"\nTokenFeaturizer, {X.n_tokens:,} tokens: {X.n_tokens / both:,.0f} tokens/s",
        end="",
    )
    print(f" with fit, {X.n_tokens / again:,.0f} after it")


def memory(X):
    """Print CPU time and peak memory of a fit of the default."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    model = CRFAutoencoderTagger(K, random_state=0)
    seconds = cpu(lambda: model.fit(X))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{model.n_iter_} rounds: {seconds:.1f} CPU s with start and compilation, ",
        end="",
    )
    print(f"peak {peak:,.0f} MB, before it {before:,.0f} MB")


def draw(path, by_types, by_tokens):
    """Seconds a round against the size of vocabulary and text."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # text as text: a small file
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, 2, figsize=(10, 4), sharey=True, layout="constrained"
    )
    for ax, (sizes, seconds), label in zip(
        axes, (by_types, by_tokens), ("types", "tokens"), strict=True
    ):
        for (name, table), marker in zip(seconds.items(), "osD^v*x", strict=True):
            ax.loglog(sizes, np.median(table, axis=0), marker=marker, label=name)
        ax.set(xlabel=label)
        ax.grid(alpha=0.3)
    axes[0].set(ylabel="CPU seconds a round")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one pair, small texts")
    parser.add_argument("--memory", action="store_true", help="measure memory instead")
    parser.add_argument("--out", type=Path, help="draw a figure to this file")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    real = treebank()
    if arguments.memory:
        if real is None:
            parser.error("--memory needs the corpora: set SKSTRUCT_DATA")
        memory(real)
        return
    types, tokens, fixed, pairs = TYPES, TOKENS, SWEEP_TOKENS, arguments.pairs
    if arguments.quick:
        types, tokens, fixed, pairs = (300, 1_000), (1_000, 2_000), 2_000, 1
        real = None if real is None else real[:200]
    texts = [generate(fixed, n, every_type=True) for n in types]
    by_types = sweep(texts, pairs)
    print_sweep(f"types, at {fixed:,} tokens", types, by_types)
    texts = [generate(n, max(types), every_type=False) for n in tokens]
    by_tokens = sweep(texts, pairs)
    grown = ", ".join(f"{len(set(X.values)):,}" for X in texts)
    print_sweep(f"tokens, of {grown} types", tokens, by_tokens)
    if real is not None:
        compare_with_gradient(real, pairs)
        featurize(real, pairs)
    if arguments.out:
        draw(arguments.out, (types, by_types), (tokens, by_tokens))


if __name__ == "__main__":
    main()

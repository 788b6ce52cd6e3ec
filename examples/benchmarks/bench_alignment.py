"""Time word aligners beside what people use, and inference beside a random field.

    python examples/benchmarks/bench_alignment.py [--pairs 5] [--out costs.svg]
    python examples/benchmarks/bench_alignment.py --quick | --memory

First whole processes, from start to written links of both directions, all aligners in
turn and all that again for each pair: CPU seconds, medians, and medians of ratios
within a pair. Then inference in one direction against the size of the training text,
beside a model that sums over the vocabulary. ``--memory`` aligns a large text and one
pair of 1,500 x 1,500 words, once each. Needs the ``bench`` extra; without corpora, in
$SKSTRUCT_DATA, all texts are generated.
"""

import os

# Before numpy is imported: one BLAS thread for all.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _align_costs import inference_costs

from skstruct.containers import Bitext
from skstruct.datasets import make_bitext, read_bitext, write_bitext

HERE = Path(__file__).resolve().parent
SYSTEMS = ("CRF-AE", "HMM", "eflomal", "fast_align")
SIZES = (500, 1_000, 2_000, 4_000, 8_000, 12_000)
# What a process has ever held counts what its parent held when it was started: hence a
# small one between this one and the aligner.
LAUNCH = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Cost(NamedTuple):
    """CPU seconds, with those of processes started, and peak megabytes."""

    seconds: float
    peak: float


def cost(system, X):
    """Align sentences in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{name}" for name in ("source", "target", "links")]
        write_bitext(X, *paths[:2])
        command = [sys.executable, "-c", LAUNCH, sys.executable]
        command += [str(HERE / "_align_process.py"), system, *paths]
        path = os.pathsep.join([str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")])
        result = subprocess.run(
            command,
            env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return Cost(*map(float, result.stdout.splitlines()[-1].split()))


def corpus(name):
    """All pairs of a corpus, of its test text first; generated ones without it."""
    places = [os.environ.get("SKSTRUCT_DATA"), HERE.parents[2] / "shared" / "data"]
    for place in filter(None, places):
        folder = Path(place) / "align" / name
        if folder.is_dir():
            parts = [("test", ""), ("dev", ""), ("train", ".gz")]
            files = [
                [folder / f"{part}.{side}{end}" for side in ("src", "tgt")]
                for part, end in parts
            ]
            found = [read_bitext(*pair) for pair in files if pair[0].exists()]
            return np.concatenate(found)
    return make_bitext(12_000, random_state=0)[0]


def compare(X, pairs):
    """Print CPU seconds and peak memory of all systems on one text."""
    for system in SYSTEMS:
        cost(system, X[:20])  # compiles
    table = [[cost(system, X) for system in SYSTEMS] for _ in range(pairs)]
    seconds = np.array([[c.seconds for c in row] for row in table])
    peaks = np.array([[c.peak for c in row] for row in table]).max(axis=0)
    print(f"\n{X!r}\n\n| process | CPU s | times eflomal | times fast_align", end="")
    print(" | peak MB |\n|" + " --- |" * 5)
    for k, system in enumerate(SYSTEMS):
        ratios = [
            np.median(seconds[:, k] / seconds[:, SYSTEMS.index(other)])
            for other in ("eflomal", "fast_align")
        ]
        cells = [f"{np.median(seconds[:, k]):.1f}", *(f"{r:.2f}" for r in ratios)]
        print(f"| {system} |", " | ".join([*cells, f"{peaks[k]:,.0f}"]), "|")


def one_long(X, length):
    """The first pairs, and one of so many words on each side."""
    sides = [
        [*side[:300], list(chain.from_iterable(side))[:length]]
        for side in (X.source, X.target)
    ]
    return Bitext.from_sides(*sides)


def print_inference(costs):
    """A row a size of the training text."""
    head = ["pairs", "source types", "target types", "terms a source word"]
    head += ["CRF-AE, ms", "MRF, ms", "ratio", "MRF, sums shared, ms", "ratio"]
    print("\n| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for c in costs:
        sizes = [c.n_pairs, c.n_source_types, c.n_target_types, c.n_kinds]
        cells = [f"{size:,.0f}" for size in sizes] + [f"{c.autoencoder:.2f}"]
        for other in (c.field, c.field_shared):
            cells += [f"{other:.2f}", f"{other / c.autoencoder:.1f}"]
        print("| " + " | ".join(cells) + " |")


def draw(path, costs):
    """Milliseconds a pair of sentences against the size of the training text."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # text as text: a small file
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator

    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    sizes = [c.n_pairs for c in costs]
    for name, label in {
        "autoencoder": "CRF autoencoder",
        "field": "MRF, sum over the vocabulary",
        "field_shared": "MRF, sums shared by all pairs",
    }.items():
        ax.loglog(sizes, [getattr(c, name) for c in costs], marker="o", label=label)
    ax.set(xlabel="sentence pairs of the training text", ylabel="CPU ms a pair")
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    ax.grid(alpha=0.3)
    ax.legend()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one pair, small texts")
    parser.add_argument("--memory", action="store_true", help="measure memory instead")
    parser.add_argument("--out", type=Path, help="draw a figure to this file")
    arguments = parser.parse_args()
    if arguments.quick:
        X = make_bitext(300, random_state=0)[0]
        compare(X, 1)
        compare(one_long(X, 100), 1)
        print_inference(inference_costs(X, (100, 200), n_sample=5, repeats=1))
        return
    X = corpus("en-cs")
    if arguments.memory:
        compare(corpus("ja-en")[:50_000], 1)
        compare(one_long(X, 1_500), 1)
        return
    compare(X[:5_001], arguments.pairs)
    costs = inference_costs(X, SIZES, n_sample=50, repeats=arguments.pairs)
    print_inference(costs)
    if arguments.out:
        draw(arguments.out, costs)


if __name__ == "__main__":
    main()

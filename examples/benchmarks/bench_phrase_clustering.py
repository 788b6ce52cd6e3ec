"""Time the clusterer of phrases with and without sparse posteriors.

    python examples/benchmarks/bench_phrase_clustering.py [--runs 5]
    python examples/benchmarks/bench_phrase_clustering.py --quick

CPU seconds of one thread, 25 categories. First, generated tables of up to 5 million
rows, each in a process of its own, whose peak memory is printed. Then phrases of GUM
that occur twice, from $SKSTRUCT_DATA or ../shared/data: milliseconds of the iterations
of one run before the constraint sets in, after the 30th, and later, medians over
runs; and the projection beside projected gradient ascent of its dual, compiled, and
as it is kept in the tests.
"""

import os

# Before numpy is imported: one BLAS thread for all.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import json
import resource
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
from _crf_costs import Clock
from _phrase_costs import Posteriors

from skstruct.constraints import Sparsity
from skstruct.datasets import make_phrase_table
from skstruct.estimators import PosteriorRegularizedClusterer

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "examples" / "reproductions"), str(ROOT / "tests/constraints")]

K = 25
SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
SIGMAS = (1, 3, 10, 30, 100)
WARMUP = 30


def iteration_seconds(X, constraint, n_iter=2 * WARMUP):
    """CPU seconds of each iteration but the first, and the model."""
    clock = Clock()
    model = PosteriorRegularizedClusterer(
        K,
        constraint=constraint,
        init="random",
        n_init=1,
        warmup=WARMUP,
        max_iter=n_iter,
        tol=0,
        random_state=0,
    )
    model.set_callbacks(clock).fit(X)
    return np.diff(clock.ends), model


# --- Size


def measure_size(n_rows):
    """Print what iterations on a generated table cost, as JSON."""
    X = make_phrase_table(1_000, n_categories=K, random_state=0)[0]
    iteration_seconds(X, Sparsity())  # compiles
    X, _ = make_phrase_table(
        n_rows, n_categories=K, n_phrases=n_rows // 5, random_state=0
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    seconds, model = iteration_seconds(X, Sparsity(), n_iter=WARMUP + 6)
    row = {
        "plain": seconds[: WARMUP - 1].mean(),
        "sparse": seconds[WARMUP - 1 :].mean(),
        "fit": time.process_time() - begin,
        "distinct": len(model._posterior),
        "phrases": len(model.phrases_),
        "before": before / 1024,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(row))


def print_sizes(sizes):
    """A row for each size of table."""
    print(
        "| rows | fitted, distinct | phrases | plain | sparse | 36 iterations", end=""
    )
    print(" with reading | table, MB | peak, MB |\n|" + " --- |" * 8)
    for n_rows in sizes:
        command = [sys.executable, __file__, "--rows", str(n_rows)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        row = json.loads(done.stdout.splitlines()[-1])
        print(f"| {n_rows:,} | {row['distinct']:,} | {row['phrases']:,} ", end="")
        print(f"| {row['plain']:.4f} | {row['sparse']:.4f} | {row['fit']:.1f} ", end="")
        print(f"| {row['before']:,.0f} | {row['peak']:,.0f} |", flush=True)


# --- GUM


def print_iterations(tables, runs):
    """Iterations of a run before the constraint sets in, right after it and later."""
    print(
        "\n| contexts | sigma | plain | first 30 | next 40 | ratios | of 100 ", end=""
    )
    print("iterations to plain ones |\n|" + " --- |" * 8)
    for table in tables:
        iteration_seconds(table.X, Sparsity())  # compiles
        found = {}
        for _, sigma in product(range(runs), SIGMAS):
            seconds = iteration_seconds(table.X, Sparsity(sigma), n_iter=100)[0]
            plain = seconds[5 : WARMUP - 1].mean()
            parts = seconds[WARMUP - 1 : 59].mean(), seconds[59:].mean()
            ratios = [part / plain for part in (*parts, seconds.mean())]
            found.setdefault(sigma, []).append((plain, *parts, *ratios))
        for sigma, rows in found.items():
            *parts, first, later, all_ = np.median(rows, axis=0)
            print(f"| {table.contexts} | {sigma} |", end="")
            print("".join(f" {1000 * part:.1f} |" for part in parts), end="")
            print(f" {first:.1f}, {later:.1f} | {all_:.1f} |", flush=True)


def print_projections(table, n_phrases, max_iter):
    """Our projection beside projected gradient ascent, to the same gap."""
    model = iteration_seconds(table.X, None, n_iter=WARMUP + 1)[1]
    some = Posteriors(table.X, model, n_phrases)
    some.project(10.0, 1e-6), some.ascend(10.0, 1e-2, 5)  # compiles
    print(f"\n{n_phrases} phrases of {len(some.p):,} rows, {table.contexts}")
    print(
        "\n| sigma | gap | ours | largest gap | gradient | unfinished | ratio ", end=""
    )
    print("| of the tests | ratio |\n|" + " --- |" * 9)
    for sigma, tol in product((1.0, 10.0, 100.0), (1e-4, 1e-6)):
        seconds = np.median([some.project(sigma, tol)[0] for _ in range(5)])
        largest = some.project(sigma, tol)[1].max()
        compiled, gaps = some.ascend(sigma, tol, max_iter)
        slow, _ = some.ascend_slowly(sigma, tol, max_iter)
        print(f"| {sigma:.0f} | {tol:.0e} | {seconds:.4f} | {largest:.0e} ", end="")
        print(
            f"| {compiled:.3f} | {(gaps > tol).sum()} | {compiled / seconds:.0f} ",
            end="",
        )
        print(f"| {slow:.1f} | {slow / seconds:,.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one run, small tables")
    parser.add_argument("--rows", type=int, help="one generated table only, as JSON")
    arguments = parser.parse_args()
    if arguments.rows:
        measure_size(arguments.rows)
        return
    print_sizes(SIZES[:2] if arguments.quick else SIZES)
    from _phrase_data import read

    tables = [read("gum, >= 2", contexts) for contexts in ("words", "classes")]
    if arguments.quick:  # no phrase is cut in two
        tables = [t._replace(X=t.X[t.X[:, 0] < "b"]) for t in tables]
    print_iterations(tables, 1 if arguments.quick else arguments.runs)
    n_phrases, max_iter = (20, 20) if arguments.quick else (100, 500)
    print_projections(tables[0], n_phrases, max_iter)


if __name__ == "__main__":
    main()

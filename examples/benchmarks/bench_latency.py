"""Time single requests: the first of a fresh process, and those that follow.

    python examples/benchmarks/bench_latency.py [--requests 1000] [--quick]

Every model is fitted to 20,000 tokens of some 6,000 types, with 12 states or labels,
saved, loaded by a fresh process that finds compiled code in its cache, and asked for
one sentence of 20 tokens at a time. Of the first request: CPU seconds of the import,
of loading, and of ``predict``, and wall seconds of the whole process. Of those that
follow in one process: milliseconds, median and 99th percentile, of the CPU and of the
wall clock. "Features given" leaves featurising to the caller.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import joblib
import numpy as np

from skstruct import estimators
from skstruct.datasets import make_hmm_sequences
from skstruct.featurizers import TokenFeaturizer

LENGTH, N_LABELS = 20, 12
GRAPHICAL = ("ConditionalRandomField", "StructuredSVM", "AdversarialGraphicalModel")
# The sentence is read with the model, so that its own reading is not timed.
FIRST_REQUEST = """
import sys, time
start = time.process_time()
import joblib, skstruct
imported = time.process_time()
model, request = joblib.load(sys.argv[1])
loaded = time.process_time()
model.predict(request)
print(imported - start, loaded - imported, time.process_time() - loaded)
"""


def jobs(n_sentences):
    """(name, model, X, y, requests) of each estimator."""
    numbers, y = make_hmm_sequences(
        n_sentences,
        n_states=N_LABELS,
        n_symbols=10_000,
        length=LENGTH,
        random_state=0,
    )
    words = [[f"w{number}" for number in sentence] for sentence in numbers]
    single = [[sentence] for sentence in words]
    few = {"n_states": N_LABELS, "random_state": 0}
    yield "AnnealedHMM", few | {"max_iter": 10}, words, None, single
    yield "CRFAutoencoderTagger", few | {"max_iter": 3}, words, None, single

    # The translation of a word is its number with another letter, two words swapped.
    order = np.arange(LENGTH) ^ 1
    pairs = [(s, [f"v{s[i][1:]}" for i in order]) for s in words]
    one_pair = [[pair] for pair in pairs]
    for name in ("CRFAutoencoderAligner", "HMMAligner", "SymmetrizedAligner"):
        yield name, {}, pairs, None, one_pair

    tables = [list(zip(s[1:-1], s, s[2:], strict=False)) for s in words]
    rows = [row for table in tables for row in table]
    for name in ("PosteriorRegularizedClusterer", "PitmanYorClusterer"):
        few = {"n_clusters": N_LABELS, "n_init": 1, "max_iter": 10, "random_state": 0}
        yield name, few, rows, None, tables

    featurizer = TokenFeaturizer().fit(words)
    features = featurizer.transform(words)
    given = [featurizer.transform(sentence) for sentence in single]
    for name in GRAPHICAL:
        yield name, {"max_iter": 5}, words, y, single
        yield f"{name}, features given", {"max_iter": 5}, features, y, given


def first_request(path):
    """CPU seconds of import, load and predict, and wall seconds: the least of each."""
    rows = []
    for _ in range(3):
        begin = time.perf_counter()
        command = [sys.executable, "-c", FIRST_REQUEST, str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append([*map(float, done.stdout.split()), time.perf_counter() - begin])
    # The first run may have compiled.
    return np.min(rows[1:], axis=0)


def later_requests(model, requests, n_requests):
    """Milliseconds: median and 99th percentile of the CPU, then of the wall clock."""
    for request in requests[:20]:
        model.predict(request)
    rows = []
    for number in range(n_requests):
        begin = time.process_time(), time.perf_counter()
        model.predict(requests[number % len(requests)])
        rows.append((time.process_time() - begin[0], time.perf_counter() - begin[1]))
    return 1000 * np.percentile(rows, [50, 99], axis=0).T.ravel()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="little data, 20 requests")
    arguments = parser.parse_args()
    n_sentences, n_requests = (
        (50, 20) if arguments.quick else (1000, arguments.requests)
    )
    warnings.simplefilter("ignore")
    print("first request: import, load, predict (CPU s), process (wall s) |")
    print("later requests: p50, p99 (CPU ms), p50, p99 (wall ms)")
    print("load of the machine:", *np.round(os.getloadavg(), 1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.joblib"
        for name, parameters, X, y, requests in jobs(n_sentences):
            model = getattr(estimators, name.split(",")[0])(**parameters).fit(X, y)
            joblib.dump((model, requests[0]), path)
            first = " ".join(f"{seconds:5.2f}" for seconds in first_request(path))
            later = later_requests(model, requests, n_requests)
            later = " ".join(f"{value:5.2f}" for value in later)
            print(f"{name:<42} | {first} | {later}", flush=True)


if __name__ == "__main__":
    main()

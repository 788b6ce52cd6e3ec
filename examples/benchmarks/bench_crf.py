"""Time a conditional random field beside sklearn-crfsuite, interleaved in one process.

    python examples/benchmarks/bench_crf.py [--sentences 8900] [--iterations 20]
    python examples/benchmarks/bench_crf.py --quick

CPU seconds on one thread, on a text like that of CoNLL-2000's chunking task: 23 labels,
19 features a token. Each time that CRFsuite ends an iteration of L-BFGS, we do one; a
figure is the median over iterations, a ratio the median of ratios. Ours is timed with
weights for all pairs of a feature and a label, and for those that are seen together,
as CRFsuite's are; ``--all-states`` gives it all of them too. Needs the ``bench`` extra.
"""

import os

# Before numpy is imported: one BLAS thread for both sides.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import time
from itertools import pairwise

import numpy as np
import pycrfsuite
from _chunk_text import N_LABELS, encode, features, generate, names
from scipy.linalg.blas import daxpy
from sklearn_crfsuite import CRF

from skstruct.potentials import DistinctFeatures, LinearGraph, seen_pairs
from skstruct.solvers import LBFGS
from skstruct.structures import Chain, Potentials

C2, MEMORY = 0.1, 6


class Ours:
    """Our parts put together: minus the penalised mean log-likelihood, and a solver."""

    def __init__(self, x, labels, offsets, pairs=None, n_jobs=1):
        T, self.n = len(labels), len(offsets) - 1
        self.linear = LinearGraph(x, n_states=N_LABELS, pairs=pairs)
        self.chain = Chain(offsets, np.arange(T))
        self.n_jobs, self.l2 = n_jobs, 2 * C2 / self.n
        self.weight = np.full(self.n, 1 / self.n)
        node = np.eye(N_LABELS)[labels]
        inner = np.setdiff1d(np.arange(T), offsets)
        edge = np.zeros((N_LABELS, N_LABELS))
        np.add.at(edge, (labels[inner - 1], labels[inner]), 1)
        self.seen = self.linear.gradient(node, edge) / self.n
        self.solver = LBFGS(MEMORY, n_jobs=n_jobs)
        self.x = np.zeros(self.linear.n_weights)
        self.state, self.parts = self.evaluate(self.x), []

    def evaluate(self, weights):
        """Value and gradient; notes where the time goes."""
        clock = [time.process_time()]
        node, edge = self.linear.potentials(weights, n_jobs=self.n_jobs)
        clock.append(time.process_time())
        p = self.chain.posterior(
            Potentials(node, edge), weight=self.weight, n_jobs=self.n_jobs
        )
        clock.append(time.process_time())
        gradient = self.linear.gradient(p.node, p.edge, n_jobs=self.n_jobs)
        clock.append(time.process_time())
        gradient -= self.seen
        value = self.weight @ p.log_partition - self.seen @ weights
        value += self.l2 / 2 * weights @ weights
        daxpy(weights, gradient, a=self.l2)  # in place
        return value, gradient, np.diff([*clock, time.process_time()])

    def step(self):
        """CPU seconds and wall seconds of an iteration, and of its parts."""
        begin, wall = time.process_time(), time.perf_counter()
        self.x, self.state, _ = self.solver.step(self.evaluate, self.x, self.state)
        seconds = time.process_time() - begin
        self.parts.append([*self.state[2], seconds - self.state[2].sum()])
        return seconds, time.perf_counter() - wall


def interleaved(models, rows, losses):
    """A trainer for sklearn-crfsuite: when it ends an iteration, we do one each."""

    class Trainer(pycrfsuite.Trainer):
        left, spent = None, 0.0

        def message(self, message):
            """CRFsuite reports, several times an iteration."""
            if self.left is not None:
                self.spent += time.process_time() - self.left
            if message.startswith("***** Iteration"):
                rows.append(
                    [self.spent, *np.ravel([m.step() for m in models.values()])]
                )
                self.spent = 0.0
            elif message.startswith("Loss"):
                losses.append(float(message.split()[1]))
            self.left = time.process_time()

    return Trainer


def cpu(call):
    """CPU seconds of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def compare_fits(models, X, y, n_iter, **params):
    """Print seconds an iteration; CRFsuite's fitted model."""
    rows, losses = [], []
    crf = CRF(
        algorithm="lbfgs",
        c1=0,
        c2=C2,
        num_memories=MEMORY,
        max_iterations=n_iter,
        trainer_cls=interleaved(models, rows, losses),
        **params,
    )
    crf.fit(X, y)
    # The first ones have what is prepared, and a line search.
    theirs, *ours = np.transpose(rows[min(3, n_iter - 1) :])
    print(f"iteration, CPU s: CRFsuite {np.median(theirs):.3f}, loss {losses[-1]:.2f}")
    parts = "potentials", "sums over chains", "gradient", "penalty", "L-BFGS"
    for (name, model), seconds in zip(models.items(), ours[::2], strict=True):
        loss = model.state[0] * model.n
        print(f"  ours, {name}: {np.median(seconds):.3f}, ", end="")
        print(f"ratio {np.median(theirs / seconds):.2f}, loss {loss:.2f}; ", end="")
        medians = np.median(model.parts[3:], axis=0)
        print(*(f"{p} {s:.3f}" for p, s in zip(parts, medians, strict=True)), sep=", ")
    one, two = ours[1], ours[-1]
    print(f"  wall time on one thread over two: {np.median(one / two):.2f}", flush=True)
    return crf


def compare_predictions(crf, models, distinct, text, known, repeats=5):
    """Print seconds to predict other sentences."""
    words, tags, labels, offsets = text
    found = features(words, tags, offsets)
    strings, x = by_sentence(names(found), offsets), encode(found, known)
    model = models["pairs seen"]
    coef, *others = model.linear.split(model.x)

    def predict():
        linear = LinearGraph(x, n_states=N_LABELS)
        chain = Chain(offsets, np.arange(len(labels)))
        node, edge = linear.potentials(weights)
        return chain.argmax(Potentials(node, edge))[0]

    weights = LinearGraph(x, n_states=N_LABELS).join(distinct.expand(coef), *others)
    ours, theirs = predict(), np.concatenate(crf.predict(strings)).astype(int)
    rows = [(cpu(predict), cpu(lambda: crf.predict(strings))) for _ in range(repeats)]
    seconds, ratio = np.median(rows, axis=0), np.median([b / a for a, b in rows])
    print(f"predict {len(labels):,} tokens, CPU s: CRFsuite, of strings ", end="")
    print(f"{seconds[1]:.3f}; ours, of CSR {seconds[0]:.4f}, ratio {ratio:.1f}")
    print(f"  accuracy {np.mean(theirs == labels):.4f} and ", end="")
    print(f"{np.mean(ours == labels):.4f}")


def by_sentence(tokens, offsets):
    """A list of tokens for each sentence."""
    return [tokens[a:b] for a, b in pairwise(offsets.tolist())]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sentences", type=int, default=8_900)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--all-states", action="store_true", help="CRFsuite's too")
    parser.add_argument("--quick", action="store_true", help="a small text")
    arguments = parser.parse_args()
    n, n_iter = arguments.sentences, arguments.iterations
    if arguments.quick:
        n, n_iter = 100, 8
    words, tags, labels, offsets = generate(n)
    known = features(words, tags, offsets)
    x = encode(known, known)
    begin = time.process_time()
    distinct = DistinctFeatures(x)
    seconds = time.process_time() - begin
    print(f"{n:,} sentences, {len(labels):,} tokens, {x.shape[1]:,} features", end="")
    print(f", {distinct.values.shape[1]:,} distinct ones found in {seconds:.2f} s")
    z = distinct.values
    pairs = seen_pairs(z, labels, N_LABELS)
    models = {
        "pairs seen": Ours(z, labels, offsets, pairs),
        "all pairs": Ours(z, labels, offsets),
        "pairs seen, two threads": Ours(z, labels, offsets, pairs, n_jobs=2),
    }
    every = dict.fromkeys(["all_possible_states", "all_possible_transitions"], True)
    crf = compare_fits(
        models,
        by_sentence(names(known), offsets),
        by_sentence(labels.astype(str).tolist(), offsets),
        n_iter,
        **(every if arguments.all_states else {}),
    )
    compare_predictions(crf, models, distinct, generate(2 * n // 9, seed=1), known)


if __name__ == "__main__":
    main()

"""Time EM and Viterbi against hmmlearn, interleaved in one process.

    python examples/benchmarks/bench_hmm.py [--pairs 5] [--quick] [--memory]

CPU seconds on one thread, V = 10,000 symbols by Zipf's law, sentences of 5 to 39
tokens. A figure is the median over pairs of neighbouring runs, a ratio the median of
the ratios. Both sides do the same EM iteration (E-step and M-step) from the same
parameters. Needs the ``bench`` extra.
"""

import os

# Before numpy is imported: one BLAS thread for both sides.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import logging
import resource
import time
import warnings

import numpy as np
from hmmlearn.hmm import CategoricalHMM
from sklearn.exceptions import ConvergenceWarning

from skstruct import AnnealedHMM
from skstruct.containers import Ragged
from skstruct.emissions import Categorical

N_SYMBOLS = 10_000


def corpus(n_tokens, seed=0):
    """Symbols in 0 .. N_SYMBOLS - 1 and lengths of sentences."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 40, size=n_tokens // 22)
    p = 1 / np.arange(1, N_SYMBOLS + 1)
    return rng.choice(N_SYMBOLS, size=lengths.sum(), p=p / p.sum()), lengths


def models(n_states, seed=0):
    """The same start parameters for both libraries."""
    rng = np.random.default_rng(seed)
    start = rng.dirichlet(np.ones(n_states))
    transmat = rng.dirichlet(np.ones(n_states), size=n_states)
    emission = rng.dirichlet(np.ones(N_SYMBOLS), size=n_states)
    ours = AnnealedHMM(
        emissions=Categorical(init=emission, symbols=range(N_SYMBOLS)),
        startprob_init=start,
        transmat_init=transmat,
        tol=0,
    )
    theirs = CategoricalHMM(
        n_states, implementation="scaling", init_params="", n_features=N_SYMBOLS, tol=-1
    )
    theirs.startprob_, theirs.transmat_ = start, transmat
    theirs.emissionprob_ = emission
    return ours, theirs


def cpu(call):
    """CPU seconds and wall seconds of a call."""
    wall, begin = time.perf_counter(), time.process_time()
    call()
    return time.process_time() - begin, time.perf_counter() - wall


def per_iteration(fit, many, few=2):
    """Seconds of one EM iteration: what more iterations of a fit cost more."""
    a, b = cpu(lambda: fit(few)), cpu(lambda: fit(many))
    return (b[0] - a[0]) / (many - few), (b[1] - a[1]) / (many - few)


def compare(n_tokens, n_states, pairs):
    """Print one row of the table."""
    symbols, lengths = corpus(n_tokens)
    X, column = Ragged.from_lengths(symbols, lengths), symbols[:, None]
    ours, theirs = models(n_states)

    def fit_ours(n_iter, n_jobs=1):
        ours.set_params(max_iter=n_iter, n_jobs=n_jobs).fit(X)

    def fit_theirs(n_iter):
        fresh = models(n_states)[1]
        fresh.n_iter = n_iter
        fresh.fit(column, lengths)
        return fresh

    # Whatever is compiled at its first call is compiled before the clock runs.
    fit_ours(1, n_jobs=2)
    ours.predict(X)
    fit_ours(1)
    likelihood = [h["objective"] * len(symbols) for h in ours.history_]
    history = list(fit_theirs(1).monitor_.history)
    np.testing.assert_allclose(likelihood[:1], history[:1], rtol=1e-6)
    # Short iterations take more of them to be told; hmmlearn stops at 10.
    many = 6 if n_tokens > 100_000 else 10
    rows = []
    for _ in range(pairs):
        one = per_iteration(fit_ours, many)
        two = per_iteration(lambda n: fit_ours(n, n_jobs=2), many)
        other = per_iteration(fit_theirs, many)
        decode = cpu(lambda: ours.predict(X))[0]
        decode_other = cpu(lambda: theirs.predict(column, lengths))[0]
        rows.append(
            (
                one[0],
                other[0],
                other[0] / one[0],
                decode,
                decode_other,
                decode_other / decode,
                one[1] / two[1],
            )
        )
    median = np.median(rows, axis=0)
    print(
        f"{n_tokens:>7,} {n_states:>3}"
        f" | {median[0]:.4f} {median[1]:.4f} {median[2]:5.1f}x"
        f" | {median[3]:.4f} {median[4]:.4f} {median[5]:5.1f}x | {median[6]:.2f}x",
        flush=True,
    )


def memory():
    """Peak memory of the whole process for two large batches."""
    for name, n_sequences, length, n_states in (
        ("one sequence of 200,000", 1, 200_000, 20),
        ("5 million tokens", 250_000, 20, 12),
    ):
        rng = np.random.default_rng(0)
        symbols = rng.integers(0, N_SYMBOLS, size=n_sequences * length)
        X = Ragged.from_lengths(symbols, np.full(n_sequences, length))
        seconds = cpu(lambda X=X, K=n_states: fit_and_predict(X, K))[0]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{name}, K={n_states}: {seconds:.1f} CPU s, peak {peak:,.0f} MB")


def fit_and_predict(X, n_states):
    """Three iterations, best path and marginals."""
    hmm = AnnealedHMM(n_states, max_iter=3, n_init=1, random_state=0).fit(X)
    hmm.predict(X)
    hmm.predict_proba(X)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one pair, one small row")
    parser.add_argument("--memory", action="store_true", help="measure memory instead")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore", ConvergenceWarning)
    if arguments.memory:
        memory()
        return
    print("tokens, states | EM iteration: skstruct, hmmlearn (CPU s), ratio |")
    print("Viterbi: the same | two threads: wall ratio of an EM iteration")
    if arguments.quick:
        compare(50_000, 12, pairs=1)
        return
    for n_states in (12, 45):
        for n_tokens in (50_000, 500_000):
            compare(n_tokens, n_states, arguments.pairs)


if __name__ == "__main__":
    main()

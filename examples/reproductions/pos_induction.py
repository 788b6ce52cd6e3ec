"""Induction of parts of speech on eight treebanks.

Twelve states are learnt from words alone and compared with twelve universal tags: by
hidden Markov models, by clusterings of word types, and by CRF autoencoders (Ammar, Dyer
and Smith, 2014) as published and as ``CRFAutoencoderTagger`` has them by default. The
tables stand in ``doc/reproductions/pos_induction.md``.

Run ``python examples/reproductions/pos_induction.py``. Rows that are finished, and
models that others start from, are kept in ``--out`` and not made again. The corpora,
gzipped columns word, UPOS and XPOS, are looked for in ``$SKSTRUCT_DATA`` and in
``../shared/data``.
"""

import argparse
import subprocess
import time
import warnings
from collections import Counter
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import _pos_tables
import joblib
from _corpora import first_tokens, read_all
from _pos_systems import FITTED, SYSTEMS
from _results import Results
from scipy.stats import entropy

from skstruct.containers import Ragged
from skstruct.datasets import to_universal_tags
from skstruct.metrics import many_to_one_accuracy, one_to_one_accuracy, v_measure

# Corpora and how many seeds each: the small ones depend on them most.
CORPORA = {
    "da-cdt": 3,
    "el-gdt": 3,
    "hu-szeged": 5,
    "it-partut": 3,
    "tr-imst": 5,
    "eu-bdt-ud1": 3,
    "ar-padt": 3,
    "en-ewt": 3,
}
N_TOKENS = 100_000
# Of these the first sentences, up to so many tokens; of the others, all.
CUT = {"ar-padt", "eu-bdt-ud1", "en-ewt"}
# Of the package, as far as it is checked in.
COMMIT = subprocess.run(
    ["git", "log", "-1", "--format=%h", "--", "skstruct"],
    cwd=Path(__file__).parents[2],
    capture_output=True,
    text=True,
).stdout.strip()


class Text(NamedTuple):
    """Sentences, tags to score with, a seed, and models fitted to the sentences."""

    name: str
    X: Ragged
    y: Ragged
    seed: int
    folder: Path

    def fitted(self, name):
        """A model that several systems use, and the CPU seconds that it took."""
        path = self.folder / f"{self.name}-{self.seed}-{name}.joblib"
        if path.exists():
            return joblib.load(path)
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of runs that are short on purpose
            model = FITTED[name](self)
        answer = model, time.process_time() - begin
        path.parent.mkdir(parents=True, exist_ok=True)
        joblib.dump(answer, path)
        return answer


def read_text(corpus, n_tokens=None):
    """All sentences of a treebank, or its first ones, with universal tags."""
    X, y = read_all(corpus, "UPOS")
    y = to_universal_tags(y, "ud-petrov12")
    if n_tokens is not None:
        size = first_tokens(X, n_tokens)
        X, y = X[:size], y[:size]
    return X, y


def measure(text, system):
    """How well the states of a system match the tags, and what it has cost."""
    fitted = [text.fitted(name) for name in system.needs]
    begin = time.process_time()
    states = system.run(text, *(model for model, _ in fitted))
    cpu = time.process_time() - begin + sum(seconds for _, seconds in fitted)
    sizes, tag_sizes = (Counter(y.values.tolist()) for y in (states, text.y))
    return {
        "v_measure": v_measure(text.y, states),
        "many_to_one": many_to_one_accuracy(text.y, states),
        "one_to_one": one_to_one_accuracy(text.y, states),
        "n_states": len(sizes),
        "bits": float(entropy([*sizes.values()], base=2)),
        "tag_bits": float(entropy([*tag_sizes.values()], base=2)),
        "cpu": round(cpu, 2),
        "commit": COMMIT,
    }


def main():
    """Measure what is missing, then print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "cache")
    parser.add_argument("--quick", action="store_true", help="a smoke test")
    parser.add_argument("--only", nargs="+", default=SYSTEMS, choices=SYSTEMS)
    options = parser.parse_args()
    corpora, out = CORPORA, options.out
    if options.quick:
        corpora, out = {"da-cdt": 1}, options.out / "quick"
    results = Results(out / "pos_induction.jsonl")
    texts = {}
    for seed, corpus in product(range(max(corpora.values())), corpora):
        if seed >= corpora[corpus]:
            continue
        if corpus not in texts:
            size = N_TOKENS if corpus in CUT else None
            texts[corpus] = read_text(corpus, 1_000 if options.quick else size)
        text = Text(corpus, *texts[corpus], seed, out / "pos_models")
        for name in options.only:
            system = SYSTEMS[name]
            if seed >= system.max_seeds:
                continue
            results.add(
                partial(measure, text, system), system=name, corpus=corpus, seed=seed
            )
    print(_pos_tables.render(results.rows))


if __name__ == "__main__":
    main()

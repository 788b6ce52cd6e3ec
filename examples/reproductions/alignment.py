"""Word alignment of six language pairs, beside the aligners that people use.

Links between the words of sentence pairs are learnt from the pairs alone and compared
with links made by hand: by eflomal, fast_align and IBM models, by CRF autoencoders
(Ammar, Dyer and Smith, 2014) as published and as ``CRFAutoencoderAligner`` has them by
default, and by that default with one part left out at a time. The tables stand in
``doc/reproductions/alignment.md``.

Run ``python examples/reproductions/alignment.py`` with the ``bench`` extra installed.
Rows that are finished are kept in ``--out`` and not made again. The corpora, tokenised
text and links ``i-j`` (sure) and ``i?j`` (possible), are looked for in
``$SKSTRUCT_DATA`` and in ``../shared/data``.
"""

import argparse
import subprocess
from functools import partial
from itertools import product
from pathlib import Path

import _align_tables
from _align_data import CORPORA, read
from _align_systems import SYSTEMS
from _results import Results

from skstruct.estimators import symmetrize
from skstruct.metrics import alignment_error_rate, alignment_precision_recall_f1

JOINED = {"intersection": "intersection", "gdfa": "grow-diag-final-and"}
# Of the package, as far as it is checked in.
COMMIT = subprocess.run(
    ["git", "log", "-1", "--format=%h", "--", "skstruct"],
    cwd=Path(__file__).parents[2],
    capture_output=True,
    text=True,
).stdout.strip()


def align(text, system, run):
    """CPU seconds, without what only a first call costs, and links of all pairs."""
    system.run(text.X[:20], run)
    return system.run(text.X, run)


def measure(text, system, run):
    """How well each set of links agrees with gold, and what they have cost."""
    seconds, sets = align(text, system, run)
    for name, method in JOINED.items():
        sets[name] = symmetrize(sets["forward"], sets["reverse"], method)
    row = {"cpu": round(seconds, 2), "n_pairs": len(text.X), "commit": COMMIT}
    for name, links in sets.items():
        row[name] = alignment_error_rate(text.gold, links)
        scores = alignment_precision_recall_f1(text.gold, links)
        row[f"{name}_precision"], row[f"{name}_recall"], _ = scores
    return row


def main():
    """Measure what is missing, then print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "cache")
    parser.add_argument("--quick", action="store_true", help="a smoke test")
    parser.add_argument("--only", nargs="+", default=SYSTEMS, choices=SYSTEMS)
    parser.add_argument("--corpora", nargs="+", default=CORPORA, choices=CORPORA)
    options = parser.parse_args()
    corpora, out = options.corpora, options.out
    if options.quick:
        corpora, out = ["en-et"], options.out / "quick"
    results = Results(out / "alignment.jsonl")
    for corpus in corpora:
        text = read(corpus, 100 if options.quick else None)
        for name, run in product(options.only, range(3)):
            system = SYSTEMS[name]
            if run < (1 if options.quick else system.n_runs):
                results.add(
                    partial(measure, text, system, run),
                    system=name,
                    corpus=corpus,
                    run=run,
                )
    print(_align_tables.render(results.rows))


if __name__ == "__main__":
    main()

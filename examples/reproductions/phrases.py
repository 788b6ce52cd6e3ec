"""Categories of phrases under posterior constraints.

Occurrences of constituents are clustered by the words around them: by EM, with
posteriors that are sparse (Graça, Ganchev, Taskar and Pereira, 2009), by two models
that agree, and by simpler ways to few categories a phrase. The tables stand in
``doc/reproductions/phrase_clustering.md``.

Run ``python examples/reproductions/phrases.py``. Rows that are finished are kept in
``--out`` and not made again. The tables of phrases and the Urdu-English sentences are
looked for in ``$SKSTRUCT_DATA`` and in ``../shared/data``.
"""

import argparse
import subprocess
import time
from functools import partial
from itertools import product
from pathlib import Path

import _phrase_tables
import _phrase_views
import numpy as np
from _phrase_data import TABLES, read, read_pairs
from _phrase_systems import FEWER, SYSTEMS
from _phrase_views import use
from _results import Results

from skstruct.metrics import conditional_entropy, v_measure

# Contexts, number of categories, seeds and systems.
PASSES = [
    ("classes", 25, 5, SYSTEMS),
    ("classes", 10, 5, SYSTEMS),
    ("words", 25, 3, FEWER),
]
N_PAIRS = 4_000
# Of the package, as far as it is checked in.
COMMIT = subprocess.run(
    ["git", "log", "-1", "--format=%h", "--", "skstruct"],
    cwd=Path(__file__).parents[2],
    capture_output=True,
    text=True,
).stdout.strip()


def describe(table, labels):
    """How the categories match the gold labels, and how phrases use them."""
    categories, top = use(table.X[:, 0], labels)
    row = {"categories": categories, "top": top}
    row["bits"] = conditional_entropy(table.y, labels)
    row["v_measure"] = v_measure(table.y, labels)
    return row


def measure(table, system, K, seed):
    """What a fit finds, and what it has cost."""
    begin = time.process_time()
    model = system.make(K, seed).fit(table.X)
    cpu = time.process_time() - begin
    return describe(table, model.labels_) | {
        "objective": float(model.history_[-1]["objective"]),
        "n_iter": model.n_iter_,
        "converged": model.converged_,
        "n_categories": len(set(model.labels_.tolist())),
        "cpu": round(cpu, 2),
        "commit": COMMIT,
    }


def fill(results, names, passes, only, quick):
    """Measure what is missing of the tables with gold labels."""
    for contexts, K, n_seeds, systems in passes:
        tables = [read(name, contexts) for name in names]
        if quick:
            tables = [t._replace(X=t.X[:2000], y=t.y[:2000]) for t in tables]
        for table in tables:
            for name, labels in (("one", np.zeros(len(table.y))), ("gold", table.y)):
                key = {"contexts": "", "K": 0, "table": table.name, "system": name}
                results.add(partial(describe, table, labels), **key)
            SYSTEMS["default"].make(K, 0).set_params(max_iter=3).fit(
                table.X
            )  # compiles
        for seed, table, name in product(range(n_seeds), tables, systems):
            key = {"contexts": contexts, "K": K, "table": table.name, "system": name}
            if name in only:
                measured = partial(measure, table, SYSTEMS[name], K, seed)
                results.add(measured, **key, seed=seed)


def fill_views(results, K, n_seeds, n_pairs):
    """Measure what is missing of phrases in two languages."""
    keys = [
        {"system": name, "K": K, "seed": seed}
        for seed, name in product(range(n_seeds), _phrase_views.SYSTEMS)
    ]
    if all(results.find(**key) for key in keys):
        return
    X = read_pairs(n_pairs)
    for key in keys:
        system = _phrase_views.SYSTEMS[key["system"]]
        results.add(partial(_phrase_views.measure, X, system, K, key["seed"]), **key)


def main():
    """Measure what is missing, then print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "cache")
    parser.add_argument("--quick", action="store_true", help="a smoke test")
    parser.add_argument("--only", nargs="+", default=SYSTEMS, choices=SYSTEMS)
    parser.add_argument("--tables", nargs="+", default=TABLES, choices=TABLES)
    options = parser.parse_args()
    names, passes, views = options.tables, PASSES, (25, 3, N_PAIRS)
    out = options.out
    if options.quick:
        names, passes, views = ["gum, >= 5"], [("classes", 5, 1, SYSTEMS)], (5, 1, 300)
        out = options.out / "quick"
    results = Results(out / "phrases.jsonl")
    fill(results, names, passes, options.only, options.quick)
    of_views = Results(out / "phrase_views.jsonl")
    fill_views(of_views, *views)
    print(_phrase_tables.render(results.rows))
    print(_phrase_tables.render_views(of_views.rows))


if __name__ == "__main__":
    main()

"""The tables of ``alignment.py``, in Markdown."""

import numpy as np
from _align_systems import ABLATION, SYSTEMS
from _results import groups, lines, spread

__all__ = ["render"]

# How links are made of two directions, in the order of columns.
SETS = {
    "forward": "forward",
    "reverse": "reverse",
    "intersection": "intersection",
    "gdfa": "grow-diag-final-and",
    "mean": "mean > 0.5",
}


def render(rows):
    """All tables that the rows fill."""
    of = groups(rows, "corpus", "system")
    corpora = list(dict.fromkeys(corpus for corpus, _ in of))
    systems = [name for name in SYSTEMS if any((c, name) in of for c in corpora)]
    out = ["### All corpora", "", *_overview(of, corpora, systems), ""]
    for corpus in corpora:
        found = {name: of[corpus, name] for name in systems if (corpus, name) in of}
        n_pairs = next(iter(found.values()))[0]["n_pairs"]
        out += [f"### {corpus}, {n_pairs:,} pairs", "", *_corpus(found), ""]
    out += ["### What each part brings", "", *_ablation(of, corpora, systems), ""]
    return "\n".join(out)


def _overview(of, corpora, systems):
    """AER by the common rule, and of the links that a system decides on itself."""
    body = []
    for name in systems:
        if name in ABLATION:
            continue
        runs = [of.get((corpus, name), []) for corpus in corpora]
        for key in ("gdfa", "mean"):
            if not all(r and key in r[0] for r in runs):
                continue
            means = [100 * np.mean([row[key] for row in r]) for r in runs]
            cells = [f"{value:.1f}" for value in (*means, np.mean(means))]
            seconds = sum(np.mean([row["cpu"] for row in r]) for r in runs)
            body.append([SYSTEMS[name].title, SETS[key], *cells, f"{seconds:.0f}"])
    return lines(["system", "links", *corpora, "mean", "CPU s"], body)


def _corpus(found):
    """AER of each set of links, precision and recall, and cost."""
    head = ["system", *SETS.values(), "P / R", "P / R of the mean", "CPU s"]
    body = []
    for name, runs in found.items():
        if name in ABLATION:
            continue
        known = [key in runs[0] for key in SETS]
        cells = [
            spread(runs, key, 100) if there else ""
            for key, there in zip(SETS, known, strict=True)
        ]
        for key in ("gdfa", "mean"):
            scores = [f"{key}_precision", f"{key}_recall"]
            there = scores[0] in runs[0]
            means = [100 * np.mean([r[s] for r in runs]) for s in scores if there]
            cells.append(" / ".join(f"{value:.1f}" for value in means))
        seconds = np.mean([row["cpu"] for row in runs])
        body.append([SYSTEMS[name].title, *cells, f"{seconds:.1f}"])
    return lines(head, body)


def _ablation(of, corpora, systems):
    """AER of all sets of links, the parts of a cell."""
    body = []
    for name in systems:
        if name not in {"hmm", "crfae"} | ABLATION.keys():
            continue
        cells = []
        for corpus in corpora:
            runs = of.get((corpus, name), [])
            means = [100 * np.mean([r[key] for r in runs]) for key in SETS if runs]
            cells.append(" / ".join(f"{value:.1f}" for value in means))
        body.append([SYSTEMS[name].title, *cells])
    return lines(["system", *corpora], body)

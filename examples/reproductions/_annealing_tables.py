"""The tables of ``annealing.py``, in Markdown."""

import numpy as np
from _results import groups, lines, spread

__all__ = ["render"]

ORDERS = {1: "bigram", 2: "trigram"}


def render(rows):
    """All tables that the rows fill."""
    parts = {
        "dictionary": (_from_starts, "EM and annealing, from several starts"),
        "tagged": (_from_tagged, "From a few tagged sentences"),
        "induction": (_induction, "Without a dictionary"),
        "resources": (_resources, "Small dictionaries"),
    }
    out = []
    for part, (table, title) in parts.items():
        chosen = [row for row in rows if row["part"] == part]
        if chosen:
            cpu = sum(row["cpu"] for row in chosen)
            out += [f"### {title} ({cpu:,.0f} CPU seconds)", "", *table(chosen), ""]
    return "\n".join(out)


def _measures(rows):
    return [
        len(rows),
        spread(rows, "accuracy", 100),
        spread(rows, "ambiguous", 100),
        spread(rows, "loglik", digits=4),
        spread(rows, "e_steps", digits=0),
        spread(rows, "cpu", digits=0),
    ]


def _from_starts(rows):
    head = ["text", "model", "method", "runs", "accuracy", "ambiguous"]
    head += ["log-likelihood", "E-steps", "CPU s", "same tags"]
    body = []
    for (piece, order), group in groups(rows, "piece", "order").items():
        methods = groups(group, "method")
        random = methods.get(("EM, random starts",), [])
        if random:
            best = max(random, key=lambda row: row["loglik"])
            total = {name: sum(r[name] for r in random) for name in ("e_steps", "cpu")}
            methods[(f"EM, best likelihood of {len(random)}",)] = [best | total]
        for (method,), runs in sorted(methods.items(), key=lambda item: item[0]):
            same = min(100 * row.get("same", np.nan) for row in runs)
            same = "" if np.isnan(same) else f"{same:.2f} %"
            body.append([piece, ORDERS[order], method, *_measures(runs), same])
    return lines(head, body)


def _from_tagged(rows):
    head = ["text", "model", "sentences", "draws", "counts alone", "EM", "skewed DA"]
    head += ["ambiguous: counts", "EM", "skewed DA", "E-steps: EM", "skewed DA"]
    body, pieces = [], list(groups(rows, "piece"))
    rows = sorted(rows, key=lambda r: (pieces.index((r["piece"],)), r["order"], r["m"]))
    for (piece, order, m), group in groups(rows, "piece", "order", "m").items():
        of = {method: groups(group, "method").get((method,), []) for method in METHODS}
        if not all(of.values()):
            continue
        cells = [spread(of[method], "accuracy", 100) for method in METHODS]
        cells += [spread(of[method], "ambiguous", 100) for method in METHODS]
        cells += [spread(of[method], "e_steps", digits=0) for method in METHODS[1:]]
        body.append([piece, ORDERS[order], m, len(of["EM"]), *cells])
    return lines(head, body)


METHODS = ("counts", "EM", "skewed DA")


def _induction(rows):
    head = ["text", "method", "seeds", "V-measure", "many-to-1", "1-to-1"]
    head += ["log-likelihood", "E-steps", "CPU s"]
    body = []
    for (piece, method), runs in groups(rows, "piece", "method").items():
        scores = ("v_measure", "many_to_one", "one_to_one")
        cells = [spread(runs, name, 100) for name in scores]
        cells += [spread(runs, "loglik", digits=3), spread(runs, "e_steps", digits=0)]
        body.append([piece, method, len(runs), *cells, spread(runs, "cpu", digits=0)])
    return lines(head, body)


def _resources(rows):
    numbers = sorted({row["m"] for row in rows})
    head = ["model", "dictionary", *(f"{m} sentences" for m in numbers)]
    body = []
    for (method, words), runs in groups(rows, "method", "words").items():
        of = groups(runs, "m")
        size = "none" if method == "CRF" else f"{words:,} words" if words else "all"
        cells = [
            spread(of[(m,)], "accuracy", 100) if (m,) in of else "" for m in numbers
        ]
        body.append([method, size, *cells])
    return lines(head, body)

"""The tables of ``annealing.py``, in Markdown."""

import numpy as np

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


def _groups(rows, *names):
    """Rows with equal values of the names, in order of first appearance."""
    out = {}
    for row in rows:
        out.setdefault(tuple(row[name] for name in names), []).append(row)
    return out


def _spread(rows, name, scale=1.0, digits=1):
    """Mean, and standard deviation where there are several."""
    values = scale * np.array([row[name] for row in rows], dtype=float)
    text = f"{values.mean():,.{digits}f}"
    return text + (f" ± {values.std():.{digits}f}" if len(values) > 1 else "")


def _lines(head, body):
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for cells in body:
        yield "| " + " | ".join(map(str, cells)) + " |"


def _measures(rows):
    return [
        len(rows),
        _spread(rows, "accuracy", 100),
        _spread(rows, "ambiguous", 100),
        _spread(rows, "loglik", digits=4),
        _spread(rows, "e_steps", digits=0),
        _spread(rows, "cpu", digits=0),
    ]


def _from_starts(rows):
    head = ["text", "model", "method", "runs", "accuracy", "ambiguous"]
    head += ["log-likelihood", "E-steps", "CPU s", "same tags"]
    body = []
    for (piece, order), group in _groups(rows, "piece", "order").items():
        methods = _groups(group, "method")
        random = methods.get(("EM, random starts",), [])
        if random:
            best = max(random, key=lambda row: row["loglik"])
            total = {name: sum(r[name] for r in random) for name in ("e_steps", "cpu")}
            methods[(f"EM, best likelihood of {len(random)}",)] = [best | total]
        for (method,), runs in sorted(methods.items(), key=lambda item: item[0]):
            same = min(100 * row.get("same", np.nan) for row in runs)
            same = "" if np.isnan(same) else f"{same:.2f} %"
            body.append([piece, ORDERS[order], method, *_measures(runs), same])
    return _lines(head, body)


def _from_tagged(rows):
    head = ["text", "model", "sentences", "draws", "counts alone", "EM", "skewed DA"]
    head += ["ambiguous: counts", "EM", "skewed DA", "E-steps: EM", "skewed DA"]
    body, pieces = [], list(_groups(rows, "piece"))
    rows = sorted(rows, key=lambda r: (pieces.index((r["piece"],)), r["order"], r["m"]))
    for (piece, order, m), group in _groups(rows, "piece", "order", "m").items():
        of = {method: _groups(group, "method").get((method,), []) for method in METHODS}
        if not all(of.values()):
            continue
        cells = [_spread(of[method], "accuracy", 100) for method in METHODS]
        cells += [_spread(of[method], "ambiguous", 100) for method in METHODS]
        cells += [_spread(of[method], "e_steps", digits=0) for method in METHODS[1:]]
        body.append([piece, ORDERS[order], m, len(of["EM"]), *cells])
    return _lines(head, body)


METHODS = ("counts", "EM", "skewed DA")


def _induction(rows):
    head = ["text", "method", "seeds", "V-measure", "many-to-1", "1-to-1"]
    head += ["log-likelihood", "E-steps", "CPU s"]
    body = []
    for (piece, method), runs in _groups(rows, "piece", "method").items():
        scores = ("v_measure", "many_to_one", "one_to_one")
        cells = [_spread(runs, name, 100) for name in scores]
        cells += [_spread(runs, "loglik", digits=3), _spread(runs, "e_steps", digits=0)]
        body.append([piece, method, len(runs), *cells, _spread(runs, "cpu", digits=0)])
    return _lines(head, body)


def _resources(rows):
    numbers = sorted({row["m"] for row in rows})
    head = ["model", "dictionary", *(f"{m} sentences" for m in numbers)]
    body = []
    for (method, words), runs in _groups(rows, "method", "words").items():
        of = _groups(runs, "m")
        size = "none" if method == "CRF" else f"{words:,} words" if words else "all"
        cells = [
            _spread(of[(m,)], "accuracy", 100) if (m,) in of else "" for m in numbers
        ]
        body.append([method, size, *cells])
    return _lines(head, body)

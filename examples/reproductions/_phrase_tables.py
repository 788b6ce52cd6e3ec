"""The tables of ``phrases.py``, in Markdown."""

import _phrase_views
import numpy as np
from _phrase_systems import SYSTEMS
from _phrase_views import VIEWS
from _results import groups, lines, spread

__all__ = ["render", "render_views"]

COLUMNS = {
    "bits": ("H(gold given predicted)", 1, 3),
    "v_measure": ("V-measure", 100, 1),
    "categories": ("categories a phrase", 1, 2),
    "top": ("share of the first", 100, 1),
    "objective": ("objective", 1, 3),
    "n_iter": ("iterations", 1, 0),
    "cpu": ("CPU s", 1, 1),
}
TRIVIAL = {"one": "one cluster", "gold": "gold labels"}


TITLES = TRIVIAL | {name: system.title for name, system in SYSTEMS.items()}
VIEW_COLUMNS = {
    "{}_categories": ("categories a phrase", 2),
    "{}_top": ("share of the first", 1),
    "{}_bits": ("bits of categories", 2),
}


def render(rows):
    """The tables of phrases with gold labels that the rows fill."""
    trivial = groups(rows, "K", "table")
    tables = list(dict.fromkeys(row["table"] for row in rows))
    out = [f"### Bits: {' / '.join(tables)}", "", *_overview(rows, tables), ""]
    for (contexts, K, table), runs in groups(rows, "contexts", "K", "table").items():
        if K:
            runs = trivial[0, table] + runs
            out += [f"### {table}, {contexts}, K = {K}", "", *_scores(runs), ""]
    return "\n".join(out)


def _overview(rows, tables):
    """H(gold | predicted) on each table, for contexts and K."""
    of = groups(rows, "contexts", "K", "system", "table")
    settings = [key for key in groups(rows, "contexts", "K") if key[1]]
    body = []
    for name, title in TITLES.items():
        cells = []
        for contexts, K in settings:
            key = ("", 0) if name in TRIVIAL else (contexts, K)
            found = [of.get((*key, name, table), []) for table in tables]
            means = [np.mean([run["bits"] for run in runs]) for runs in found if runs]
            cells.append(" / ".join(f"{mean:.2f}" for mean in means))
        body.append([title, *cells])
    return lines(["system", *(f"{contexts}, {K}" for contexts, K in settings)], body)


def _scores(rows):
    found = groups(rows, "system")
    body = []
    for name, title in TITLES.items():
        runs = found.get((name,), [])
        if not runs:
            continue
        known = runs[0].keys() - ({"cpu"} if name in TRIVIAL else set())
        cells = [
            spread(runs, key, scale, digits) if key in known else ""
            for key, (_, scale, digits) in COLUMNS.items()
        ]
        body.append([title, *cells])
    return lines(["system", *(head for head, *_ in COLUMNS.values())], body)


def render_views(rows):
    """The tables of phrases in two languages."""
    of, out = groups(rows, "system"), []
    systems = {name: s for name, s in _phrase_views.SYSTEMS.items() if (name,) in of}
    for view in VIEWS:
        heads = [head for head, _ in VIEW_COLUMNS.values()]
        body = []
        for name, system in systems.items():
            cells = [
                spread(
                    of[(name,)], key.format(view), 100 if "top" in key else 1, digits
                )
                for key, (_, digits) in VIEW_COLUMNS.items()
            ]
            body.append([system.title, *cells])
        out += [f"### {view.title()} phrases", "", *lines(["system", *heads], body), ""]
    body = []
    for name, system in systems.items():
        runs = of[(name,)]
        objectives = [
            spread(runs, key, 1, 3)
            for key in ("both_objective", "urdu_objective", "english_objective")
            if key in runs[0]
        ]
        between = spread(runs, "between", 100)
        cpu = spread(runs, "cpu")
        body.append([system.title, between, " / ".join(objectives), cpu])
    head = ["system", "V-measure of both languages", "objective", "CPU s"]
    out += ["### Both languages", "", *lines(head, body), ""]
    return "\n".join(out)

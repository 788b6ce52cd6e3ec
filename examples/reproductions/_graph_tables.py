"""The tables of ``adversarial.py``, in Markdown."""

import warnings

import numpy as np
from _results import groups, lines
from scipy.stats import wilcoxon

__all__ = ["render"]

_LEVEL = 0.05


def render(rows):
    """One table for each set: losses by system, with what was chosen below."""
    out = []
    for (task,), of_task in groups(rows, "task").items():
        splits = 1 + max(row["split"] for row in of_task)
        systems = list(dict.fromkeys(row["system"] for row in of_task))
        body = []
        for (loss,), of_loss in groups(of_task, "loss").items():
            body.append([loss, *_cells(of_loss, systems)])
            if of_loss[0]["F1"] is not None:
                body.append([f"{loss}: F1 of roles", *_f1(of_loss, systems)])
        cpu = ["CPU s a fit", *(_cpu(of_task, system) for system in systems)]
        title = f"### {task} ({splits} split{'s' * (splits > 1)})"
        out += [title, "", *lines(["loss", *systems], [*body, cpu]), ""]
    return "\n".join(out)


def _values(rows, system):
    """Losses of a system by split."""
    found = {row["split"]: row["value"] for row in rows if row["system"] == system}
    return np.array([found[number] for number in sorted(found)])


def _cells(rows, systems):
    """Means; bold where best or not significantly worse than the best."""
    values = {system: _values(rows, system) for system in systems}
    known = [v for v in values.values() if len(v)]
    best = min(known, key=np.mean)
    for system in systems:
        v = values[system]
        if not len(v):
            yield ""
            continue
        text = f"{v.mean():.3f}".removeprefix("0")
        yield f"**{text}**" if _ties(v, best) else text


def _ties(values, best):
    """Whether a Wilcoxon signed-rank test finds no difference."""
    if np.array_equal(values, best):
        return True
    if len(values) != len(best) or len(best) < 6:  # too few to tell
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of equal values
        return wilcoxon(values, best).pvalue >= _LEVEL


def _f1(rows, systems):
    found = {row["system"]: row["F1"] for row in rows}
    return [f"{found[system]:.3f}".removeprefix("0") for system in systems]


def _cpu(rows, system):
    return f"{np.mean([r['cpu'] for r in rows if r['system'] == system]):.1f}"

"""The tables of ``pos_induction.py``, in Markdown."""

import numpy as np
from _pos_systems import SYSTEMS
from _results import groups, lines, spread
from scipy.stats import t

__all__ = ["render"]

SCORES = {
    "v_measure": "V-measure",
    "many_to_one": "Many-to-one",
    "one_to_one": "One-to-one",
}
# Chosen on one of them, the rest is a test.
DEVELOPMENT = "da-cdt"

PAIRS = [
    ("feature-hmm", "hmm"),
    ("crfae-paper", "hmm"),
    ("crfae-paper", "feature-hmm"),
    ("crfae-paper-fhmm", "feature-hmm"),
    ("crfae", "hmm"),
    ("crfae", "hmm-variational"),
    ("crfae", "feature-hmm"),
    ("crfae", "feature-hmm-exchange"),
    ("crfae", "feature-hmm-long"),
    ("crfae", "feature-hmm-exchange-long"),
    ("crfae", "exchange"),
    ("crfae", "brown"),
    ("crfae", "k-means"),
    ("crfae", "k-means-all"),
    ("crfae", "crfae-paper"),
    ("crfae-fhmm", "feature-hmm"),
    ("crfae-type", "crfae"),
    ("crfae", "crfae-restarts"),
    ("exchange", "exchange-restarts"),
    ("exchange", "k-means"),
    ("crfae-better", "crfae"),
    ("crfae-better", "k-means"),
]


def render(rows):
    """All tables that the rows fill."""
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    out = []
    for score, title in SCORES.items():
        out += [f"### {title}", "", *_scores(rows, corpora, score), ""]
    out += ["### Paired differences", "", *_paired(rows, corpora), ""]
    out += ["### States and cost", "", *_costs(rows, corpora), ""]
    return "\n".join(out)


def _by_system(rows):
    """Rows by system, in the order of systems."""
    found = groups(rows, "system")
    return {name: found[(name,)] for name in SYSTEMS if (name,) in found}


def _means(rows, corpora, name):
    """The mean over seeds on each corpus; NaN where nothing is known."""
    found = groups(rows, "corpus")
    return np.array(
        [np.mean([r[name] for r in found.get((c,), ())] or np.nan) for c in corpora]
    )


def _scores(rows, corpora, score):
    head = ["system", *corpora, "mean", f"without {DEVELOPMENT}"]
    body = []
    for name, runs in _by_system(rows).items():
        of = groups(runs, "corpus")
        cells = [spread(of[(c,)], score, 100) if (c,) in of else "" for c in corpora]
        rest = [corpus for corpus in corpora if corpus != DEVELOPMENT]
        cells += [_overall(of, some, score) for some in (corpora, rest)]
        body.append([SYSTEMS[name].title, *cells])
    return lines(head, body)


def _overall(of, corpora, score):
    """Mean over corpora, and its standard error from the seeds where there are some."""
    runs = [100 * np.array([r[score] for r in of.get((c,), ())]) for c in corpora]
    if not runs or any(len(values) == 0 for values in runs):
        return ""
    text = f"{np.mean([values.mean() for values in runs]):.1f}"
    if any(len(values) == 1 for values in runs):
        return text
    error = np.sqrt(sum(v.var(ddof=1) / len(v) for v in runs)) / len(runs)
    return f"{text} ± {error:.1f}"


def _paired(rows, corpora):
    of = _by_system(rows)
    head = ["system", "compared with"]
    for title in SCORES.values():
        head += [title, "95 % interval", "higher on"]
    body = []
    for one, other in PAIRS:
        if one not in of or other not in of:
            continue
        cells = [SYSTEMS[one].title, SYSTEMS[other].title]
        pair = _at_common_seeds(of[one], of[other])
        for score in SCORES:
            means = [100 * _means(runs, corpora, score) for runs in pair]
            cells += _difference(means[0] - means[1])
        body.append(cells)
    return lines(head, body)


def _at_common_seeds(*systems):
    """Rows of systems on the texts and seeds that all of them have."""
    found = [set(groups(runs, "corpus", "seed")) for runs in systems]
    common = set.intersection(*found)
    return [
        [run for run in runs if (run["corpus"], run["seed"]) in common]
        for runs in systems
    ]


def _difference(values):
    """Mean, interval by Student's t, and how many are positive."""
    values = values[~np.isnan(values)]
    n = len(values)
    wins = f"{(values > 0).sum()} of {n}"
    if n < 2:
        return [f"{values.mean():+.1f}" if n else "", "", wins]
    half = t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n)
    mean = values.mean()
    return [f"{mean:+.1f}", f"{mean - half:+.1f} to {mean + half:+.1f}", wins]


def _costs(rows, corpora):
    head = ["system", "bits of states", "of tags", "fewest states", "CPU s"]
    body = []
    for name, runs in _by_system(rows).items():
        bits = [_means(runs, corpora, key).mean() for key in ("bits", "tag_bits")]
        cells = [f"{value:.2f}" for value in bits]
        cells += [min(run["n_states"] for run in runs)]
        cells += [f"{_means(runs, corpora, 'cpu').mean():.0f}"]
        body.append([SYSTEMS[name].title, *cells])
    return lines(head, body)

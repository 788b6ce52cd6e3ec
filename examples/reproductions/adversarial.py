"""Adversarial graphical models against CRFs and margins, on real labelled graphs.

The losses of the paper's Table 1 on chains of ordinal labels, costs of a random order
of the labels on trees of semantic roles, grids, and tags of words. Penalties,
temperatures and features are chosen on validation parts of the first split's training
part for each loss, then fixed. ``doc/reproductions/adversarial.md`` has the tables.

Run ``python examples/reproductions/adversarial.py``. Rows that are finished are kept in
``--out`` and not run again. The graphs are looked for in ``$SKSTRUCT_DATA`` and in
``../shared/data``.
"""

import argparse
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import _graph_tables
from _graph_systems import measure
from _results import Results

ORDINAL = [
    kind + weight
    for weight in ("", ", weighted")
    for kind in ("zero_one", "absolute", "squared")
]
ORDERS = ["order 0", "order 1"]
RICH = ("plain", "edges", "thresholds", "both")


class Plan(NamedTuple):
    """What is measured on a set."""

    losses: list
    n_splits: int = 1
    features: tuple = ("plain",)
    penalties: tuple = (0.1, 1, 10, 100, 1000)
    temperatures: tuple = (0, 3, 10, 30, 100)
    n_validations: int = 1
    chosen_on: str | None = None  # another set
    least: float = 1.0  # penalty of fits that are not smooth: below it they take long


WORDS = {"penalties": (0.1, 1, 10), "temperatures": (0, 1, 10)}
PLANS = {
    "turbofan": Plan(ORDINAL, 20, RICH, n_validations=3),
    "flights": Plan(ORDINAL, 20, RICH, n_validations=3),
    "flight grids": Plan(ORDINAL[:3], 20, chosen_on="flights"),
    "roles, 3k": Plan(["zero_one", *ORDERS], **WORDS),
    "roles": Plan(["zero_one", *ORDERS[:1]], chosen_on="roles, 3k"),
    "tags, chains": Plan(["zero_one"], **WORDS),
    "tags, trees": Plan(["zero_one"], **WORDS),
}


class System(NamedTuple):
    """A column: a family of fits, how it decides, and what is chosen for it."""

    family: str
    decision: str
    temperatures: tuple | None = (None,)  # None: those of the plan
    rich: bool = False
    chosen_by: str | None = None  # another decision

    def is_smooth(self, temperature):
        """Whether fits are of a smooth objective."""
        return self.family != "SSVM" and temperature != 0


SYSTEMS = {
    "LR + Bayes": System("LR", "bayes"),
    "CRF + Bayes": System("CRF", "bayes"),
    "CRF Viterbi": System("CRF", "map"),
    "SSVM": System("SSVM", "map"),
    "AGM MAP": System("AGM", "map", (0,)),
    "AGM equilibrium": System("AGM", "equilibrium", (0,), chosen_by="map"),
    "AGM chosen": System("AGM", "auto", None),
    "CRF + Bayes, rich": System("CRF", "bayes", rich=True),
    "AGM MAP, rich": System("AGM", "map", (0,), rich=True),
    "AGM chosen, rich": System("AGM", "auto", None, rich=True),
}


class Runner:
    """Fits that are finished, and those that a table still lacks."""

    def __init__(self, results, size=None):
        self.results, self.size = results, size

    def fit(self, **key):
        """The row of a fit."""
        self.results.add(partial(measure, size=self.size, **key), **key)
        return self.results.find(**key)[0]

    def choose(self, task, plan, system, loss):
        """What does best on the validation parts, on average."""
        if plan.chosen_on:
            task, plan = plan.chosen_on, PLANS[plan.chosen_on]
        features = ["plain"]
        if system.rich:
            features = plan.features
            if system.family != "CRF":  # the CRF's choice saves time
                crf = SYSTEMS["CRF + Bayes, rich"]
                features = [self.choose(task, plan, crf, loss)["features"]]
        candidates = [
            {"features": variant, "temperature": temperature, "c": c}
            for variant, temperature, c in product(
                features, system.temperatures or plan.temperatures, plan.penalties
            )
            if system.is_smooth(temperature) or c >= plan.least
        ]
        key = {"task": task, "family": system.family, "loss": loss}

        def mean_loss(candidate):
            decided = system.chosen_by or decision(system, candidate)
            return mean(
                self.fit(**key, split=f"validation {k}", **candidate)[decided]
                for k in range(plan.n_validations)
            )

        return min(candidates, key=mean_loss)

    def row(self, task, plan, name, loss, number):
        """A cell of the table, for one split."""
        system = SYSTEMS[name]
        chosen = self.choose(task, plan, system, loss)
        key = {"task": task, "split": number, "family": system.family, "loss": loss}
        found = self.fit(**key, **chosen)
        decided = decision(system, found)
        row = found | {"system": name, "value": found[decided]}
        return row | {"F1": found.get(f"{decided} F1")}


def decision(system, row):
    """How a system decides: by "auto", as an adversarial model does."""
    if system.decision != "auto":
        return system.decision
    return "equilibrium" if row["temperature"] > 0 else "map"


def systems_of(plan):
    """Columns of a set."""
    return [s for s, system in SYSTEMS.items() if plan.features[1:] or not system.rich]


def main():
    """Measure what is missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("reproductions"))
    parser.add_argument("--quick", action="store_true", help="a smoke test")
    parser.add_argument("--only", nargs="+", default=list(PLANS), choices=PLANS)
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    parser.add_argument("--splits", type=int, help="at most so many")
    parser.add_argument("--choose", action="store_true", help="choose, do not test")
    options = parser.parse_args()
    folder = options.out / "quick" if options.quick else options.out
    runner = Runner(
        Results(folder / "adversarial.jsonl"), size=12 if options.quick else None
    )
    rows = []
    for task in options.only:
        if options.quick and task == "roles":
            continue  # as "roles, 3k", but slow to read
        plan = PLANS[task]
        if options.quick:
            features = plan.features[:2]
            plan = Plan(
                plan.losses[-1:], features=features, penalties=(10,), n_validations=2
            )
        systems = [s for s in systems_of(plan) if s in options.systems]
        if options.choose:
            for loss, name in product(plan.losses, systems):
                print(task, loss, name, runner.choose(task, plan, SYSTEMS[name], loss))
            continue
        n_splits = min(plan.n_splits, options.splits or plan.n_splits)
        for number, loss, name in product(range(n_splits), plan.losses, systems):
            rows.append(runner.row(task, plan, name, loss, number))
    print(_graph_tables.render(rows))


if __name__ == "__main__":
    main()

"""
Phrases belong to few categories
================================

A model that sees a phrase in many contexts gives it many categories; a reader gives it
one or two. A price on each category that a phrase uses closes the gap, without labels:
the higher the price, the fewer categories a phrase has, and the closer they come to
those of a treebank, whose labels only judge the result.
"""

# %%
# Real phrases where they are found: constituents of English texts (GUM, in a folder
# that ``$SKSTRUCT_DATA`` names) that occur five times or more, each with the word
# before and after it. Most of these words are seen too rarely to tell much, so that
# classes stand for them, by a Brown clustering of other text. Else a table is drawn in
# which a phrase keeps its category in nearly all its rows.

import os
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from skstruct import PosteriorRegularizedClusterer
from skstruct.constraints import Sparsity
from skstruct.datasets import make_phrase_table, read_conll, read_phrase_table
from skstruct.featurizers import BrownClusterer
from skstruct.metrics import conditional_entropy, v_measure

folder = Path(os.environ.get("SKSTRUCT_DATA", "../shared/data"))
if (folder / "phrases").is_dir():
    text = read_conll(folder / "pos" / "en-ewt" / "train.tsv.gz", 0)
    classes = BrownClusterer(min_count=2).fit(text).paths_
    classes |= {"<s>": "<s>", "</s>": "</s>"}  # the borders of sentences
    X, y = read_phrase_table(folder / "phrases" / "gum-en-const.tsv.gz", n_context=1)
    X = pd.DataFrame(X, columns=["phrase", "left", "right"])
    X["phrase"] = X["phrase"].str.lower()
    X[["left", "right"]] = X[["left", "right"]].map(lambda w: classes.get(w, ""))
    frequent = X.groupby("phrase")["phrase"].transform("size") >= 5
    X, y = X[frequent], y[frequent]
else:
    X, y = make_phrase_table(
        10_000, n_categories=8, n_phrases=800, n_slots=1, ambiguity=0.02, random_state=0
    )
    X = pd.DataFrame(X, columns=["phrase", "right"])
print(f"{len(X)} rows, {X['phrase'].nunique()} phrases, {len(set(y))} gold categories")

# %%
# Twenty-five categories from three random starts, at rising prices sigma. EM has no
# price. The last row is the strong baseline: a mixture of whole phrases, in which all
# occurrences of a phrase have one category by definition.
#
# H(gold | predicted), in bits, is how much the category leaves open; with one category
# for all it is the entropy of gold labels.

SIGMAS = [0, 1, 3, 10, 30, 100]
MODELS = {s: Sparsity(sigma=s) if s else None for s in SIGMAS} | {"type": "type"}


def describe(model):
    """What phrases use, and how far gold labels agree."""
    table = pd.DataFrame(model.phrase_table())
    return {
        "categories": model.n_clusters_per_phrase().mean(),
        "top share": 100 * table.groupby("phrase")["probability"].max().mean(),
        "V-measure": 100 * v_measure(y, model.labels_),
        "H(gold|pred.)": conditional_entropy(y, model.labels_),
    }


rows, fitted = [], {}
for name, constraint in MODELS.items():
    for seed in range(3):
        model = PosteriorRegularizedClusterer(
            25, constraint=constraint, init="random", n_init=1, random_state=seed
        )
        fitted[name] = model.fit(X)
        rows.append({"sigma": name, **describe(model)})
results = pd.DataFrame(rows).groupby("sigma", sort=False).agg(["mean", "min", "max"])

gold = pd.crosstab(X["phrase"], y).to_numpy()
gold_used = (gold > 0).sum(axis=1).mean()
gold_top = 100 * (gold.max(axis=1) / gold.sum(axis=1)).mean()
print(
    f"\nOne category for all: {conditional_entropy(y, np.zeros(len(y), int)):.2f} bits"
)
print(f"Gold labels: {gold_used:.2f} categories a phrase, top share {gold_top:.0f} %\n")
print(results.xs("mean", axis=1, level=1).round(2).to_string())

# %%
# What that means for single phrases: how often EM puts the most frequent ones in each
# category, and how often the model with sigma = 10 does, in per cent.

phrases = X["phrase"].value_counts().index[:6]
for name in (0, 10):
    table = pd.DataFrame(fitted[name].phrase_table()).set_index("phrase")
    print("\nEM" if name == 0 else f"\nsigma = {name}")
    for phrase in phrases:
        shares = (100 * table.loc[[phrase], "probability"]).round().astype(int)
        print(f"{phrase:>12}  ", *shares)

# %%
# A high price does no harm here, since phrases of this kind rarely change their
# category. Where they often do and contexts tell it, a high price is wrong: try
# ``make_phrase_table(ambiguity=0.2)``.

places = np.arange(len(SIGMAS))
figure = plt.figure(figsize=(11, 5), layout="constrained")
axes = figure.subplot_mosaic("ac;bc", width_ratios=[1, 1.15])


def draw(axis, column, color):
    """Mean over starts, and their range, against sigma."""
    curve = results[column].loc[SIGMAS]
    axis.plot(places, curve["mean"], "o-", color=color)
    axis.fill_between(places, curve["min"], curve["max"], color=color, alpha=0.2, lw=0)
    axis.set_xticks(places, ["0 (EM)", *map(str, SIGMAS[1:])])
    axis.spines[["top", "right"]].set_visible(False)


def draw_line(axis, height, text, style, *, x=0.99, above=True):
    """A horizontal line and what it means."""
    axis.axhline(height, color="0.35", ls=style, lw=1.2)
    axis.annotate(
        text,
        (x, height),
        (0, 4 if above else -4),
        xycoords=axis.get_yaxis_transform(),
        textcoords="offset points",
        ha="right" if x > 0.5 else "left",
        va="bottom" if above else "top",
        color="0.25",
    )


draw(axes["a"], "categories", "tab:blue")
draw_line(axes["a"], gold_used, "gold labels", ":")
axes["a"].set(title="Categories that a phrase has, mean", ylim=(0.8, None))
axes["a"].tick_params(labelbottom=False)
draw(axes["b"], "top share", "tab:blue")
draw_line(axes["b"], gold_top, "gold labels", ":", above=False)
axes["b"].set(title="Share of its most frequent one, %", ylim=(None, 104))
draw(axes["c"], "V-measure", "tab:orange")
best = results["V-measure"].loc["type", "mean"]
draw_line(axes["c"], best, "one category a phrase (type mixture)", "--", x=0.01)
draw_line(axes["c"], results["V-measure"].loc[0, "mean"], "EM", "-.", above=False)
title = "Agreement with gold labels: V-measure, %"
axes["c"].set_title(f"{title}\n(mean of three starts, and their range)")
axes["c"].margins(y=0.15)
for name in "bc":
    axes[name].set_xlabel("price of a category, sigma")
figure.savefig("posterior_sparsity.png", dpi=120)
print("\nPicture: posterior_sparsity.png")
plt.show()

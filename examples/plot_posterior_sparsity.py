"""
Phrases belong to few categories
================================

A model that sees a phrase in many contexts gives it many categories; a reader gives it
one or two. A price on each category that a phrase uses closes the gap, without labels:
the higher the price, the fewer categories a phrase has, and the closer they come to
those of gold labels, which only judge the result.
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
from skstruct.inspection import PhraseSparsityDisplay
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
# price; at sigma = 10 phrases have about one category, and more brings no more. The
# last row is the strong baseline: a mixture of whole phrases, in which all occurrences
# of a phrase have one category by definition.
#
# H(gold|found) is how many bits of the gold label the category leaves open.

MODELS = {
    "EM": None,
    **{f"sigma = {sigma}": Sparsity(sigma=sigma) for sigma in (3, 10, 30)},
    "one category": "type",
}
rows, fitted = [], {}
for name, constraint in MODELS.items():
    for seed in range(3):
        model = PosteriorRegularizedClusterer(
            25, constraint=constraint, init="random", n_init=1, random_state=seed
        )
        fitted[name] = model.fit(X)
        row = {
            "categories a phrase": model.n_clusters_per_phrase().mean(),
            "V-measure": v_measure(y, model.labels_),
            "H(gold|found)": conditional_entropy(y, model.labels_),
        }
        rows.append({"model": name, **row})
results = pd.DataFrame(rows).groupby("model", sort=False)
print(f"\n{results.mean().round(2).to_string()}")

# %%
# Categories that phrases have in the last start and by gold labels, and how far those
# of all starts agree with gold labels.

colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(MODELS)))
figure, (sparsity, agreement) = plt.subplots(
    1, 2, figsize=(11, 4.5), layout="constrained"
)
for (name, model), colour in zip(fitted.items(), colours, strict=True):
    PhraseSparsityDisplay.from_estimator(model, name=name, ax=sparsity, color=colour)
    values = results.get_group(name)["V-measure"]
    agreement.plot(values, [name] * len(values), "o", color=colour, alpha=0.7, ms=9)
PhraseSparsityDisplay.from_predictions(
    X["phrase"], y, name="gold labels", ax=sparsity, color="black", ls="--"
)
agreement.invert_yaxis()
agreement.grid(axis="y", color="0.9")
agreement.set(xlabel="V-measure with gold labels, three starts")
for axis in (sparsity, agreement):
    axis.spines[["top", "right"]].set_visible(False)
figure.savefig("posterior_sparsity.png", dpi=120)
print("\nPicture: posterior_sparsity.png")
plt.show()

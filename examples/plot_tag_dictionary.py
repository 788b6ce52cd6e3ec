"""
Which tag is meant: a dictionary and raw text
=============================================

A dictionary lists the tags that each word may have; which of them is meant, the
neighbours say. A hidden Markov model learns that from raw sentences and the dictionary,
without a single tagged sentence: it picks the tags of ambiguous words far better than
chance.
"""

# %%
# Turkish sentences, and for all of their words all tags that they have. Most words have
# one tag; the others make four tokens of ten.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from skstruct import AnnealedHMM, TagDictionary
from skstruct.datasets import load_turkish_treebank, to_universal_tags
from skstruct.metrics import token_accuracy

X, y = load_turkish_treebank()
y = to_universal_tags(y, "turkish-petrov12")
dictionary = TagDictionary.from_tagged(X, y)
allowed = dictionary.to_dict()
n_allowed = np.array([len(allowed[word]) for word in X.values])
ambiguous = n_allowed > 1
print(X, dictionary, f"{ambiguous.mean():.0%} of tokens ambiguous", sep="\n")

# %%
# Chance picks any of the tags that are allowed: its expected accuracy at a token is one
# by their number.

model = AnnealedHMM(tag_dictionary=dictionary, n_jobs=2).fit(X)
states = model.predict(X)
table = pd.DataFrame(
    {
        "tags": [", ".join(allowed[word]) for word in X.values],
        "chance": 1 / n_allowed,
        "model": states.values == y.values,
    }
)
print(f"\n{'accuracy':<18}{'chance':>8}{'model':>8}")
print(f"{'all tokens':<18}{np.mean(1 / n_allowed):>8.3f}", end="")
print(f"{token_accuracy(y, states):>8.3f}")
chance, learnt = table.loc[ambiguous, ["chance", "model"]].mean()
print(f"{'ambiguous tokens':<18}{chance:>8.3f}{learnt:>8.3f}")

# %%
# The choices that are most frequent in the text. Where a rare tag is allowed beside a
# common one, a model that has never seen a tagged token may prefer the rare one.

groups = (
    table[ambiguous]
    .groupby("tags")
    .agg(tokens=("model", "size"), chance=("chance", "mean"), model=("model", "mean"))
)
groups = groups.nlargest(12, "tokens")[::-1]
better = (groups["model"] > groups["chance"]).sum()
print(f"better than chance in {better} of the {len(groups)} commonest choices")

figure, axis = plt.subplots(figsize=(9, 5), layout="constrained")
rows = np.arange(len(groups))
axis.hlines(rows, groups["chance"], groups["model"], color="0.75", lw=2)
axis.plot(groups["chance"], rows, "o", color="0.5", ms=8, label="chance")
axis.plot(
    groups["model"], rows, "o", color="#0072B2", ms=8, label="hidden Markov model"
)
names = [f"{tags}  ({n:,})" for tags, n in groups["tokens"].items()]
axis.set_yticks(rows, names)
axis.set(xlim=(0, 1), xlabel="accuracy", title="Tags that a word may have (tokens)")
axis.legend(loc="upper right")
axis.spines[["top", "right"]].set_visible(False)
figure.savefig("tag_dictionary.png", dpi=120)
print("\nPicture: tag_dictionary.png")
plt.show()

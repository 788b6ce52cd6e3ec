"""
Word classes from raw text, and the features that tell them apart
=================================================================

Endings, capitals and neighbours say much of what a Turkish word is. A CRF autoencoder
may use all of them; a hidden Markov model sees words as bare symbols. Both read 3,000
Turkish sentences without their tags, in 12 states, and the autoencoder's states are far
closer to parts of speech. Gold tags only judge the result.
"""

# %%
# The text, and its gold tags as 12 universal ones.

import time

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from skstruct import AnnealedHMM, CRFAutoencoderTagger
from skstruct.datasets import load_turkish_treebank, to_universal_tags
from skstruct.metrics import many_to_one_accuracy, v_measure

X, y = load_turkish_treebank()
X, y = X[:3000], to_universal_tags(y[:3000], "turkish-petrov12")
n_tags = len(np.unique(y.values))
print(X, f"{n_tags} tags", sep="\n")

# %%
# One start proves nothing, so that each model gets two seeds: the HMM runs EM from
# three random starts in each, the autoencoder begins with an exchange clustering of
# words. Many-to-one accuracy gives each state its commonest tag,
# V-measure also asks that the tokens of a tag share a state.

MODELS = {
    "HMM": AnnealedHMM(n_tags, n_init=3, tol=1e-4),
    "CRF autoencoder": CRFAutoencoderTagger(n_tags, n_jobs=2),
}

print(
    f"\n{'':<16}{'seed':>5}{'V-measure':>11}{'many-to-1':>11}{'in use':>8}{'sec.':>6}"
)
for name, model in MODELS.items():
    for seed in (0, 1):
        begin = time.perf_counter()
        states = model.set_params(random_state=seed).fit_predict(X)
        seconds = time.perf_counter() - begin
        scores = [100 * score(y, states) for score in (v_measure, many_to_one_accuracy)]
        in_use = len(np.unique(states.values))
        print(
            f"{name:<16}{seed:>5}{scores[0]:>11.1f}{scores[1]:>11.1f}"
            f"{in_use:>8}{seconds:>6.0f}"
        )

# %%
# The classes of the last autoencoder, largest first, with their commonest words: those
# which are in that class more often than in any other. Beside them the features that
# speak most for the class, in the weights of the encoder: ``0:`` is the word itself,
# ``-1:`` the one before it and ``+1:`` the one after it.

counts = pd.crosstab(states.values, X.values)
own = counts.where(counts == counts.max(), 0)
words = ["  ".join(row.nlargest(5).index) for _, row in own.iterrows()]
features = model.top_features(3).groupby("state")["feature"].agg("  ".join)
print()
for state, (typical, feature) in enumerate(zip(words, features, strict=True)):
    print(f"{state:>2}  {typical:<44}{feature}")

# %%
# What the classes stand for: the gold tags of their tokens. Rows are ordered by their
# commonest tag. Full stops and most verbs have classes of their own; nouns, two fifths
# of the text, are in most of the others, as this model likes classes of even size.

tags = pd.crosstab(states.values, y.values)
share = tags.sum(axis=1) / tags.values.sum()
tags = tags[tags.sum().sort_values(ascending=False).index]
percent = 100 * tags.div(tags.sum(axis=1), axis=0).to_numpy()
order = np.lexsort((-percent.max(axis=1), percent.argmax(axis=1)))

figure, axis = plt.subplots(figsize=(13, 6), layout="constrained")
image = axis.imshow(percent[order], cmap="Blues", vmin=0, vmax=100, aspect="auto")
for (i, j), value in np.ndenumerate(percent[order]):
    if value >= 1:
        color = "white" if value > 60 else "black"
        axis.text(j, i, f"{value:.0f}", ha="center", va="center", color=color)
rows = range(len(order))
axis.set_xticks(range(n_tags), tags.columns)
axis.set_yticks(rows, [f"{words[k]}   ({share[k]:.0%})" for k in order])
axis.set(xlabel="gold tag", ylabel="class: its commonest words (share of tokens)")
axis.set_title("Classes learnt without tags, and the tags of their tokens (%)")
right = axis.secondary_yaxis("right")
right.set_yticks(rows, [features[k] for k in order], fontsize="small")
right.set_ylabel("features that speak most for the class")
right.tick_params(length=0)  # a mark would look like the minus of "-1:"
figure.savefig("crf_autoencoder.png", dpi=120)
print("\nPicture: crf_autoencoder.png")
plt.show()

"""
Word vectors as what states must tell
=====================================

Clusters of word vectors are word classes, but a word without a vector has none. In a
CRF autoencoder the vector is what a state must tell, while endings and neighbours
propose the state: of the new words, half of the verbs are told from nouns. Known words,
of which the vector says enough, are better left to the clusters.
"""

# %%
# Vectors from the text itself: how often each word stands before and after each of the
# 500 most frequent ones, brought down to 20 dimensions. Other sentences judge.

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from scipy.sparse import coo_array, hstack
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from skstruct import CRFAutoencoderTagger
from skstruct.datasets import load_turkish_treebank, to_universal_tags
from skstruct.emissions import Gaussian, Product, View
from skstruct.metrics import many_to_one_accuracy, v_measure

X, y = load_turkish_treebank()
y = to_universal_tags(y, "turkish-petrov12").values[X.offsets[2000] : X.offsets[3000]]
X, X_test = X[:2000], X[2000:3000]
words, codes, counts = np.unique(X.values, return_inverse=True, return_counts=True)
joined = np.delete(np.arange(len(codes) - 1), X.offsets[1:-1] - 1)  # no borders
pairs = codes[joined], codes[joined + 1]
beside = coo_array((np.ones(len(joined)), pairs), shape=2 * words.shape).tocsc()
frequent = np.argsort(-counts)[:500]
beside = hstack([beside[:, frequent], beside.T.tocsc()[:, frequent]])
reduce = make_pipeline(TruncatedSVD(20, random_state=0), Normalizer())
vectors = dict(zip(words, reduce.fit_transform(np.log1p(beside.tocsr())), strict=True))
print(X, f"{len(vectors):,} vectors", sep="\n")

# %%
# Both have 12 classes. A new word's vector is missing, which ``marginalize`` reads as
# "says nothing". An exponent holds vectors back, whose dimensions repeat one another.


def vector(word):
    return vectors.get(word, np.full(20, np.nan))


emission = Gaussian("diag", missing="marginalize")
model = CRFAutoencoderTagger(
    12,
    reconstruction=Product([("vector", View(vector, emission, exponent=0.3))]),
    random_state=0,
)
states = model.fit(X).predict(X_test).values

clusters = KMeans(12, n_init=3, random_state=0)
clusters.fit(np.array(list(vectors.values())), sample_weight=counts)
class_of = dict(zip(words, clusters.labels_, strict=True))
classes = np.array([class_of.get(word, -1) for word in X_test.values])
answers = {"k-means of vectors": classes, "CRF autoencoder": states}

# %%
# All new words are one class to k-means. That alone has a high many-to-one accuracy,
# as three in four of them have the same tag, but a V-measure of zero.

new = ~np.isin(X_test.values, words)
parts = {"known words": ~new, "new words": new}
print(f"\n{'':<12}{'':<20}{'tokens':>8}{'V-measure':>11}{'many-to-1':>11}")
scores = {name: [] for name in answers}
for part, rows in parts.items():
    for name, answer in answers.items():
        scores[name].append(100 * v_measure(y[rows], answer[rows]))
        accuracy = 100 * many_to_one_accuracy(y[rows], answer[rows])
        cells = f"{rows.sum():>8,}{scores[name][-1]:>11.1f}{accuracy:>11.1f}"
        print(f"{part:<12}{name:<20}{cells}")

# %%
# The scores, and where the tags of new words go.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(12, 4.5), width_ratios=(2, 3), layout="constrained"
)
for i, (name, colour) in enumerate(zip(answers, ("0.6", "#0072B2"), strict=True)):
    bars = left.bar(
        np.arange(2) + 0.4 * i, scores[name], 0.38, color=colour, label=name
    )
    left.bar_label(bars, fmt="%.1f", padding=2)
left.set_xticks([0.2, 1.2], list(parts))
left.set(ylabel="V-measure (%)", title="Tokens of unseen sentences")
left.legend()
left.spines[["top", "right"]].set_visible(False)

tags = pd.crosstab(y[new], states[new])
tags = tags.loc[tags.sum(axis=1).nlargest(6).index]
percent = 100 * tags.div(tags.sum(axis=1), axis=0).to_numpy()
right.imshow(percent, cmap="Blues", vmin=0, vmax=100, aspect="auto")
for (i, j), value in np.ndenumerate(percent):
    color = "white" if value > 60 else "black"
    right.text(j, i, f"{value:.0f}", ha="center", va="center", color=color)
right.set_xticks(range(tags.shape[1]), tags.columns)
names = [f"{tag} ({n:,})" for tag, n in tags.sum(axis=1).items()]
right.set_yticks(range(len(names)), names)
right.set(xlabel="state", title="New words: states of each gold tag (%)")
figure.savefig("embeddings.png", dpi=120)
print("\nPicture: embeddings.png")
plt.show()

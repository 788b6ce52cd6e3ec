"""
A few labelled sentences, and many without labels
=================================================

Labels are dear, text is not. A conditional random field (CRF) learns from labelled
sentences alone. A CRF autoencoder is held to the same labels and must explain all the
other text as well: where labels are few, it tags unseen sentences better.
"""

# %%
# Turkish sentences with 12 universal tags. All of 2,000 are read; the labels of 10
# or 50 of them are known, None stands for the rest. A thousand others judge.

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import MultipleLocator

from skstruct import ConditionalRandomField, CRFAutoencoderTagger
from skstruct.datasets import load_turkish_treebank, to_universal_tags
from skstruct.featurizers import TokenFeaturizer
from skstruct.metrics import token_accuracy

SIZES, N_TEXT, DRAWS = (10, 50), 2000, 2
X, y = load_turkish_treebank()
y = to_universal_tags(y, "turkish-petrov12")

# %%
# The CRF sees each word of so little text by name, the autoencoder frequent ones. Its
# labels are "clamped": what is known holds while the rest is inferred.

crf = ConditionalRandomField(featurizer=TokenFeaturizer(min_identity_count=1))
autoencoder = CRFAutoencoderTagger(supervision="clamp", random_state=0, n_jobs=2)

accuracy = {name: np.zeros((DRAWS, 2)) for name in ("CRF", "CRF autoencoder")}
for draw in range(DRAWS):
    order = np.random.default_rng(draw).permutation(len(X))
    text, test = order[:N_TEXT], order[N_TEXT : N_TEXT + 1000]
    for j, n in enumerate(SIZES):
        known = [y[i] if place < n else None for place, i in enumerate(text)]
        crf.fit(X[text[:n]], y[text[:n]])
        autoencoder.fit(X[text], known)
        for name, model in (("CRF", crf), ("CRF autoencoder", autoencoder)):
            accuracy[name][draw, j] = token_accuracy(y[test], model.predict(X[test]))
print(f"{'labelled sentences':<20}", *(f"{n:>7}" for n in SIZES))
for name, shares in accuracy.items():
    print(f"{name:<20}", *(f"{share:>7.1%}" for share in shares.mean(axis=0)))
gain = accuracy["CRF autoencoder"] - accuracy["CRF"]
print(f"{'least gain of a draw':<20}", *(f"{g:>7.1%}" for g in gain.min(axis=0)))

# %%
# Thin lines are draws of sentences, thick ones their means.

figure, axis = plt.subplots(figsize=(7, 4.5), layout="constrained")
for (name, shares), colour in zip(accuracy.items(), ("0.4", "#0072B2"), strict=True):
    axis.plot(SIZES, shares.T, color=colour, lw=0.8, alpha=0.6)
    axis.plot(SIZES, shares.mean(axis=0), "o-", color=colour, lw=2.5, label=name)
axis.set(
    xscale="log",
    xlabel=f"labelled sentences, of {N_TEXT:,}",
    ylabel="accuracy of tokens of unseen sentences",
)
axis.set_xticks(SIZES, SIZES)
axis.yaxis.set_major_formatter("{x:.0%}")
axis.yaxis.set_major_locator(MultipleLocator(0.05))
axis.minorticks_off()
axis.legend(loc="lower right", reverse=True)
axis.spines[["top", "right"]].set_visible(False)
figure.savefig("semi_supervised.png", dpi=120)
print("\nPicture: semi_supervised.png")
plt.show()

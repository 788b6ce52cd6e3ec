"""
Which word translates which
===========================

A sentence and its translation do not say which words belong together. The usual models
know words and places, and like the diagonal or short jumps. A CRF autoencoder also sees
how words are spelt, and makes fewer errors on the same text. Links made by hand only
judge the result.
"""

# %%
# Real text where it is found: 1,000 English sentences and their Czech translations
# (CzEnAli, in a folder that ``$SKSTRUCT_DATA`` names). Else English and Latin that a
# small grammar writes. Gold links are sure or possible; a sentence pair is all that a
# model sees, and 1,000 are few.

import os
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

from skstruct import CRFAutoencoderAligner, HMMAligner, SymmetrizedAligner
from skstruct.datasets import make_bitext, read_bitext, read_links
from skstruct.inspection import AlignmentDisplay
from skstruct.metrics import alignment_error_rate, alignment_precision_recall_f1

folder = Path(os.environ.get("SKSTRUCT_DATA", "../shared/data"), "align", "en-cs")
if folder.is_dir():
    X = read_bitext(folder / "test.src", folder / "test.tgt")[:1000]
    gold = read_links(folder / "test.gold")[:1000]
else:
    X, gold = make_bitext(1000, random_state=0)
print(X)

# %%
# Each model runs in both directions, and links what both together hold for more likely
# than not. ``SymmetrizedAligner`` fits a ``DiagonalAligner``, the model of fast_align,
# once for each direction; those of the two others agree while they learn. AER is the
# alignment error rate.

models = {
    "diagonal model": SymmetrizedAligner(method="mean"),
    "hidden Markov model": HMMAligner(),
    "CRF autoencoder": CRFAutoencoderAligner(random_state=0),
}
overall = {}
print(f"\n{'%':<19}{'precision':>10}{'recall':>10}{'AER':>10}")
for name, model in models.items():
    model.fit(X)
    precision, recall, _ = alignment_precision_recall_f1(gold, model.links_)
    overall[name] = alignment_error_rate(gold, model.links_)
    rates = precision, recall, overall[name]
    print(f"{name:<19}", *(f"{100 * rate:>9.1f}" for rate in rates))

# %%
# A typical pair by all three: of those of 8 to 11 words a side, the one on which their
# error rates come closest to those of all pairs.

lengths = np.array([X.source.lengths, X.target.lengths])
readable = np.flatnonzero(((lengths >= 8) & (lengths <= 11)).all(axis=0))


def distance(i):
    """How far the error rates of one pair are from those of all."""
    return sum(
        abs(alignment_error_rate(gold[[i]], model.links_[[i]]) - overall[name])
        for name, model in models.items()
    )


shown = min(readable, key=distance)
figure, axes = plt.subplots(1, 3, figsize=(15, 5.4), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    AlignmentDisplay.from_estimator(
        model, X, gold, sample=shown, ax=ax, colorbar=ax is axes[-1]
    )
    ax.get_legend().remove()
    rate = alignment_error_rate(gold[[shown]], model.links_[[shown]])
    title = f"{name}\nAER {100 * rate:.0f} %, of all pairs {100 * overall[name]:.0f} %"
    ax.set(title=title, xlabel=None, ylabel=None)
handles, names = axes[0].get_legend_handles_labels()
figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False)
figure.savefig("word_alignment.png", dpi=120)
print("\nPicture: word_alignment.png")
plt.show()

"""
Which word translates which
===========================

A sentence and its translation do not say which words belong together. The usual way to
find out is a model that likes the diagonal, run in both directions and joined by a
heuristic. A CRF autoencoder does better on the same text: its directions agree while
they learn, and it sees how words are spelt. Links made by hand only judge the result.
"""

# %%
# Real text where it is found: 1,000 English sentences and their Czech translations
# (CzEnAli, in a folder that ``$SKSTRUCT_DATA`` names). Else English and Latin that a
# small grammar writes. Gold links are sure or possible; a sentence pair is all that a
# model sees, and 1,000 are few.

import os
import time
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from skstruct import CRFAutoencoderAligner, HMMAligner, SymmetrizedAligner
from skstruct.datasets import make_bitext, read_bitext, read_links
from skstruct.estimators import symmetrize
from skstruct.metrics import alignment_error_rate

folder = Path(os.environ.get("SKSTRUCT_DATA", "../shared/data"), "align", "en-cs")
if folder.is_dir():
    X = read_bitext(folder / "test.src", folder / "test.tgt")[:1000]
    gold = read_links(folder / "test.gold")[:1000]
else:
    X, gold = make_bitext(1000, random_state=0)
print(X)

# %%
# Alignment error rates of the links of either direction, of what both have in common,
# of the heuristic grow-diag-final-and (gdfa), and of links whose mean probability
# exceeds one half. ``SymmetrizedAligner`` fits a ``DiagonalAligner``, the model of
# fast_align, once for each direction. Seconds are those of the last fit, of both
# directions. The very first run compiles for about a minute before.

MODELS = {
    "DiagonalAligner": lambda how: SymmetrizedAligner(method=how),
    "HMMAligner": lambda how: HMMAligner(symmetrization=how),
    "CRFAutoencoderAligner": lambda how: CRFAutoencoderAligner(
        symmetrization=how, random_state=0, store_posteriors=True
    ),
}

head = ("forward", "reverse", "intersection", "gdfa", "mean", "seconds")
print("\nAER, %".ljust(23), *(f"{title:>13}" for title in head))
for name, make in MODELS.items():
    one, other = (make(how).fit_predict(X) for how in ("forward", "reverse"))
    begin = time.perf_counter()
    model = make("mean").fit(X)
    seconds = time.perf_counter() - begin
    both = [
        symmetrize(one, other, how) for how in ("intersection", "grow-diag-final-and")
    ]
    rates = [
        alignment_error_rate(gold, links) for links in (one, other, *both, model.links_)
    ]
    print(
        name.ljust(22), *(f"{100 * rate:>13.1f}" for rate in rates), f"{seconds:>13.1f}"
    )

# %%
# Two pairs by the last model, one with fewer and one with more errors than all pairs
# together (up to three times as many): those of 8 to 11 words a side whose sure links
# cross most. Words that change places are no trouble where something else speaks for
# them: a name, or a stem that was seen before. Beside them, what the encoder has learnt
# in both directions: the next link is likely close by, and words that begin alike
# belong together.


def count_crossings(links):
    """Number of pairs of sure links that cross."""
    source, target = links[links[:, 2] == 1, :2].T
    return ((source[:, None] < source) & (target[:, None] > target)).sum()


overall = alignment_error_rate(gold, model.links_)
rates = np.array(
    [
        alignment_error_rate([links], [found])
        for links, found in zip(gold, model.links_, strict=True)
    ]
)
lengths = np.array([X.source.lengths, X.target.lengths])
readable = ((lengths >= 8) & (lengths <= 11)).all(axis=0)
crossings = np.array([count_crossings(links) for links in gold])
shown = [
    np.where(readable & group, crossings, -1).argmax()
    for group in (rates < overall, (overall < rates) & (rates < 3 * overall))
]

STYLES = (
    {"marker": "o", "color": "tab:blue"},
    {"marker": "s", "ls": "--", "color": "0.5"},
)


def draw_links(axis, i):
    """Probabilities as shades, predicted links as dots, gold ones as squares."""
    source, target = X[i]
    axis.imshow(model.posteriors_[i], cmap="Blues", vmin=0, vmax=1.4, aspect="equal")
    for s, t, sure in gold[i]:
        style = {"lw": 1.8} if sure else {"lw": 1.2, "ls": (0, (2, 2))}
        corner = t - 0.41, s - 0.41
        axis.add_patch(Rectangle(corner, 0.82, 0.82, fill=False, ec="black", **style))
    axis.plot(*model.links_[i].T[::-1], "o", color="darkorange", ms=8)
    axis.set_xticks(
        range(len(target)), target, rotation=50, ha="left", rotation_mode="anchor"
    )
    axis.set_yticks(range(len(source)), source)
    axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axis.set_xticks(np.arange(len(target) - 1) + 0.5, minor=True)
    axis.set_yticks(np.arange(len(source) - 1) + 0.5, minor=True)
    axis.grid(which="minor", color="0.88", lw=0.6)
    axis.tick_params(which="minor", length=0)
    axis.spines[:].set_color("0.7")
    label = f"AER of this pair: {100 * rates[i]:.0f} %, of all: {100 * overall:.0f} %"
    axis.set_xlabel(label, labelpad=8)


def draw_weights(axis, labels, weights, title, xlabel):
    """Weights of both directions over the values of a feature."""
    for name, row, style in zip(model.directions_, weights, STYLES, strict=True):
        axis.plot(labels, row, ms=4, lw=1.2, label=name, **style)
    axis.set(title=title, xlabel=xlabel, ylabel="weight")
    axis.spines[["top", "right"]].set_visible(False)


figure = plt.figure(figsize=(13, 6), layout="constrained")
axes = figure.subplot_mosaic("aabbc;aabbd")
for axis, i in zip("ab", shown, strict=True):
    draw_links(axes[axis], i)
widths = np.arange(-6, 7)
middle = model.jump_coef_.shape[1] // 2
draw_weights(
    axes["c"],
    widths,
    model.jump_coef_[:, middle + widths],
    "Jumps",
    "words from the one linked last",
)
letters = [f"prefix={n}" for n in range(6)] + ["prefix>=6"]
columns = [list(model.feature_names_).index(name) for name in letters]
draw_weights(
    axes["d"],
    [*"012345", "≥6"],
    model.coef_[:, columns],
    "Spelling",
    "first letters in common",
)
axes["c"].legend(frameon=False, fontsize="small")
marks = [
    Rectangle((0, 0), 1, 1, color=plt.get_cmap("Blues")(0.65)),
    Line2D([], [], marker="o", ls="", color="darkorange", ms=8),
    Rectangle((0, 0), 1, 1, fill=False, lw=1.8),
    Rectangle((0, 0), 1, 1, fill=False, lw=1.2, ls=(0, (2, 2))),
]
names = [
    "probability of a link (shade)",
    "predicted link",
    "gold, sure",
    "gold, possible",
]
figure.legend(
    marks,
    names,
    loc="outside lower center",
    ncols=4,
    frameon=False,
    handleheight=1,
    handlelength=1,
)
figure.savefig("word_alignment.png", dpi=120)
print("\nPicture: word_alignment.png")
plt.show()

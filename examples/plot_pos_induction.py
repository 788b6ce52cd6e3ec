"""
Parts of speech from raw text and from a small dictionary
=========================================================

Which words behave alike? A hidden Markov model with 12 states reads the Turkish
treebanks without their tags, alone and with a dictionary of the tags of 1,000 words.
With it, deterministic annealing (DA) ends in one model from every start, and a likelier
one than EM, which ends where its start leads it. Gold tags only judge the result.
"""

# %%
# The text, its gold tags as 12 universal ones, and the 1,000 most frequent words with
# all the tags that they have. A dictionary rules tags out; it says no more than that.

import time
import warnings
from importlib.util import find_spec

import numpy as np
from matplotlib import pyplot as plt
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from skstruct import AnnealedHMM, TagDictionary
from skstruct.datasets import load_turkish_treebank, to_universal_tags
from skstruct.metrics import many_to_one_accuracy, one_to_one_accuracy, v_measure

X, y = load_turkish_treebank()
y = to_universal_tags(y, "turkish-petrov12")
tags, tag_counts = np.unique(y.values, return_counts=True)
dictionary = TagDictionary.from_tagged(X, y, keep=1000)
print(X, dictionary, f"{dictionary.coverage(X.values):.0%} of tokens listed", sep="\n")

# %%
# Every method gets the same random starts. Annealing without a dictionary warns that it
# forgets the start; it amounts to EM that begins with nearly equal states.

METHODS = {
    "EM": {"beta_min": 1.0},
    "DA": {"beta_min": 0.1},
    "EM, dictionary": {"beta_min": 1.0, "tag_dictionary": dictionary},
    "DA, dictionary": {"beta_min": 0.1, "tag_dictionary": dictionary},
}
STARTS = range(3)
warnings.filterwarnings("ignore", message="Annealing from beta < 1")


def fit(parameters, seed):
    """A model from one random start, and the seconds that it took."""
    rng = np.random.default_rng(seed)
    model = AnnealedHMM(
        n_states=len(tags),
        startprob_init=rng.dirichlet(np.ones(len(tags))),
        transmat_init=rng.dirichlet(np.ones(len(tags)), len(tags)),
        n_init=1,
        tol=1e-5,
        n_jobs=2,
        random_state=seed,
        **parameters,
    )
    begin = time.perf_counter()
    return model.fit(X), time.perf_counter() - begin


def measure(model, seconds):
    scores = (v_measure, many_to_one_accuracy, one_to_one_accuracy)
    percent = [100 * score(y, model.predict(X)) for score in scores]
    return [*percent, model.score(X), model.n_e_steps_, seconds]


jobs = [(name, seed) for name in METHODS for seed in STARTS]
if find_spec("rich"):
    from rich.progress import track

    jobs = track(jobs, "Fitting")
fits = {name: [] for name in METHODS}
for name, seed in jobs:
    fits[name].append(fit(METHODS[name], seed))

# %%
# Mean and spread (standard deviation) over the starts; the first fit also compiles.
# Without a dictionary the start matters to both. With it DA's spread is zero, at two
# times the E-steps of one EM run. Likelier is not better by every measure, though.

models = {}
head = ("V-measure", "many-to-1", "1-to-1", "log-lik./token", "E-steps", "seconds")
print(f"\n{len(STARTS)} starts".ljust(16), *(f"{title:>14}" for title in head))
for name in METHODS:
    models[name] = max((m for m, _ in fits[name]), key=lambda model: model.score(X))
    rows = np.array([measure(*each) for each in fits[name]])
    cells = zip(rows.mean(axis=0), rows.std(axis=0), (1, 1, 1, 3, 0, 0), strict=True)
    cells = [f"{mean:.{n}f} ±{spread:.{n}f}" for mean, spread, n in cells]
    print(name.ljust(15), *(f"{cell:>14}" for cell in cells))

# %%
# What the states stand for: the most likely EM model and the annealed one. Each row is
# a state, matched with a tag where it can be, and shows the gold tags of its tokens.

columns = np.argsort(-tag_counts)
figure, axes = plt.subplots(1, 2, figsize=(13, 5.5), layout="constrained")
for axis, name in zip(axes, ("EM", "DA, dictionary"), strict=True):
    predicted = models[name].predict(X).values
    counts = contingency_matrix(predicted, y.values)[:, columns]
    _, matched = linear_sum_assignment(counts.T, maximize=True)
    counts, states = counts[matched], np.unique(predicted)[matched]
    percent = 100 * counts / counts.sum(axis=1, keepdims=True)
    image = axis.imshow(percent, cmap="Blues", vmin=0, vmax=100)
    for (i, j), value in np.ndenumerate(percent):
        if value >= 1:
            color = "white" if value > 60 else "black"
            axis.text(j, i, f"{value:.0f}", ha="center", va="center", color=color)
    shares = counts.sum(axis=1) / counts.sum()
    labels = [f"{s} ({p:.0%})" for s, p in zip(states, shares, strict=True)]
    axis.set_xticks(range(len(tags)), tags[columns], rotation=45)
    axis.set_yticks(range(len(labels)), labels)
    axis.set(title=name, xlabel="gold tag", ylabel="state (share of tokens)")
figure.colorbar(image, ax=axes, label="% of the state's tokens", shrink=0.8)
figure.savefig("pos_induction.png", dpi=120)
print("\nPicture: pos_induction.png")
plt.show()

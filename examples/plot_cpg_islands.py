"""
Islands in DNA, from nothing but a rough guess
==============================================

In much DNA a C before a G is rare, but for stretches, the CpG islands, where it is not.
A hidden Markov model finds them in sequences that nobody has annotated. Which states a
letter may have, it reads from a dictionary; that islands are long and spare CG, from
its start values; all else it learns. How often letters occur is not enough: a model of
two states without the order of letters misses far more.
"""

# %%
# Simulated DNA, where each letter depends on the one before it, by one table inside
# islands and another outside. Islands have 400 letters and gaps 1,600, on average.

import numpy as np
from matplotlib import pyplot as plt

from skstruct import AnnealedHMM, Ragged
from skstruct.datasets import make_hmm_sequences
from skstruct.metrics import token_accuracy

# What follows each of the letters A, C, G, T.
# fmt: off
INSIDE = np.array(
    [[22, 27, 31, 20], [20, 31, 28, 21], [20, 30, 29, 21], [17, 29, 32, 22]]
)
OUTSIDE = np.array(
    [[28, 22, 27, 23], [31, 29, 8, 32], [25, 25, 28, 22], [20, 24, 28, 28]]
)
# fmt: on


def switch(inside, outside, length_in, length_out):
    """What follows each letter inside, then outside, and how often these change."""
    leave, enter = 1 / length_in, 1 / length_out
    above = [(1 - leave) * inside, leave * outside]
    return np.block([above, [enter * inside, (1 - enter) * outside]])


codes, places = make_hmm_sequences(
    20,
    length=5000,
    transmat=switch(INSIDE / 100, OUTSIDE / 100, 400, 1600),
    emissionprob=np.tile(np.eye(4), (2, 1)),
    random_state=0,
)
X = Ragged.from_arrays(np.array(list("ACGT"))[codes.values], codes.offsets)
y = Ragged.from_arrays(places.values < 4, codes.offsets)
print("".join(X[0][:70]), "...", f"{y.values.mean():.0%} in islands")

# %%
# What we say beforehand. Each letter is seen in two states. Islands may have a thousand
# letters, gaps ten thousand; any letter follows any other, but outside a G is half as
# frequent after a C. EM starts from that, as ``beta_min=1.0`` does not anneal. The
# smaller model has two states, which emit letters, and knows the same about lengths.

dictionary = {letter: [f"in {letter}", f"out {letter}"] for letter in "ACGT"}
even = np.full((4, 4), 1 / 4)
guess = even.copy()
guess[1] = np.array([2, 2, 1, 2]) / 7
MODELS = {
    "letters": AnnealedHMM(
        2,
        transmat_init=[[1 - 1 / 1000, 1 / 1000], [1 / 10_000, 1 - 1 / 10_000]],
        random_state=0,
    ),
    "order of letters": AnnealedHMM(
        tag_dictionary=dictionary,
        transmat_init=switch(even, guess, 1000, 10_000),
        beta_min=1.0,
    ),
}

# %%
# Recall is the share of the islands' letters that are found, precision the share of
# letters found that are right. The smaller model's islands are the state with more C
# and G; the other's states are sorted by name, those of islands first.

posteriors = {}
print(f"\n{'':<18}{'accuracy':>10}{'recall':>8}{'precision':>11}{'fit':>8}")
for name, model in MODELS.items():
    model.fit(X)
    rich = model.emissionprob_[:, [1, 2]].sum(axis=1)
    islands = np.arange(8) < 4 if len(rich) == 8 else rich == rich.max()
    posteriors[name] = model.predict_proba(X).values[:, islands].sum(axis=1)
    found = np.isin(model.predict(X).values, model.states_[islands])
    hits = (found & y.values).sum()
    print(
        f"{name:<18}{token_accuracy(y.values, found):>10.3f}"
        f"{hits / y.values.sum():>8.2f}{hits / found.sum():>11.2f}"
        f"{model.score(X):>8.3f}"
    )

# %%
# What it has learnt beside what is true: how often G follows C, and how long islands
# are. (``fit`` above is the mean log-likelihood of a letter.)

share = model.stationary_distribution_[:4]
length = share.sum() / (share @ model.transmat_[:4, 4:]).sum()
cg_in, cg_out = model.transmat_[[1, 5], [2, 6]]
print(f"\nG after C: {cg_in:.2f} inside, {cg_out:.2f} outside (true: 0.28, 0.08)")
print(f"letters of an island: {length:.0f} (true: 400)")

# %%
# Three of the sequences, and how sure each model is of an island at each letter.

figure, axes = plt.subplots(3, figsize=(11, 5.5), sharex=True, layout="constrained")
for i, axis in enumerate(axes):
    letters = slice(*X.offsets[i : i + 2])
    rows = [y[i], *(p[letters] for p in posteriors.values())]
    image = axis.imshow(rows, cmap="Blues", aspect="auto", interpolation="nearest")
    axis.set_yticks(range(3), ["truth", *posteriors])
    axis.hlines([0.5, 1.5], 0, len(X[i]), color="white", lw=4)
    axis.set_title(f"sequence {i}", loc="left", fontsize="medium")
axes[-1].set(xlabel="position", xlim=(0, len(X[0])))
figure.colorbar(image, ax=axes, label="probability of an island", pad=0.01)
figure.savefig("cpg_islands.png", dpi=120)
print("\nPicture: cpg_islands.png")
plt.show()

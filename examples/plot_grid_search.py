"""
A model chosen by a hundred labelled sentences
==============================================

How much of a word should a hidden Markov model see, and how many states should it have?
Its likelihood cannot tell, since models of other symbols explain other data. Gold tags
of a hundred sentences can: a grid search scores each candidate on them, and the ranking
holds on the sentences whose tags it has not seen.
"""

# %%
# Turkish words end in what says their part of speech. Candidates see whole words, or
# their last letters only, and have 6, 12 or 24 states.

import warnings

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from scipy.stats import spearmanr
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from skstruct import AnnealedHMM
from skstruct.datasets import load_turkish_treebank, to_universal_tags
from skstruct.featurizers import PerToken
from skstruct.metrics import v_measure, v_measure_scorer
from skstruct.model_selection import TransductiveSplit

X, y = load_turkish_treebank()
X, y = X[:1500], to_universal_tags(y[:1500], "turkish-petrov12")
gold = [labels if i % 15 == 0 else None for i, labels in enumerate(y)]
unseen = np.array([labels is None for labels in gold])


def last_letter(word):
    return word[-1:].lower()


def last_two(word):
    return word[-2:].lower()


def last_three(word):
    return word[-3:].lower()


# %%
# Every candidate learns from all sentences and no label: ``TransductiveSplit`` fits on
# all, and scores on those with tags. A warning that tags are not read is as meant.

search = GridSearchCV(
    make_pipeline(PerToken(str.lower), AnnealedHMM(n_init=2, tol=1e-4, random_state=0)),
    {
        "pertoken__transformer": [last_letter, last_two, last_three, str.lower],
        "annealedhmm__n_states": [6, 12, 24],
    },
    scoring=v_measure_scorer,
    cv=TransductiveSplit("labelled"),
)
warnings.filterwarnings("ignore", message="y has known and unknown labels")
search.fit(X, gold)

# %%
# On the other sentences, whose tags were put aside, the same candidates once more.

results = search.cv_results_
sees = [function.__name__ for function in results["param_pertoken__transformer"]]
table = pd.DataFrame(
    {
        "sees": ["whole word" if name == "lower" else name for name in sees],
        "n_states": results["param_annealedhmm__n_states"],
        "labelled": results["mean_test_score"],
    }
)
table["others"] = [
    v_measure(y[unseen], search.estimator.set_params(**p).fit_predict(X)[unseen])
    for p in results["params"]
]
print(table.round(3).sort_values("labelled", ascending=False).to_string(index=False))
rank = spearmanr(table["labelled"], table["others"]).statistic
chosen = table.loc[table["labelled"].idxmax()]
print(f"\nSpearman correlation of both: {rank:.2f}")
print(f"chosen on the others: {chosen.others:.3f}; best: {table['others'].max():.3f}")

# %%
# Each candidate by the score that chose and by the score that counts.

MARKS = {6: "o", 12: "s", 24: "D"}
COLOURS = ("#440154", "#31688e", "#35b779", "#E69F00")
figure, axis = plt.subplots(figsize=(7, 5), layout="constrained")
groups = table.groupby("sees", sort=False)
for (name, group), colour in zip(groups, COLOURS, strict=True):
    axis.plot([], [], "o", color=colour, label=name.replace("_", " "))
    for row in group.itertuples():
        axis.plot(row.labelled, row.others, MARKS[row.n_states], color=colour, ms=9)
for n_states, mark in MARKS.items():
    axis.plot([], [], mark, color="0.5", label=f"{n_states} states")
best = (chosen.labelled, chosen.others)
axis.plot(*best, "o", ms=18, mfc="none", color="black", label="chosen")
axis.set(
    xlabel="V-measure of the 100 labelled sentences",
    ylabel="V-measure of the 1,400 others",
)
axis.legend(loc="upper left")
axis.spines[["top", "right"]].set_visible(False)
figure.savefig("grid_search.png", dpi=120)
print("\nPicture: grid_search.png")
plt.show()

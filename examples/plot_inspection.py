"""
What states are, in pictures
============================

A score says how good the states of a model are; pictures say what they are: which
labels stand behind them, how they follow one another, where the model is unsure, and
which links of words it finds.
"""

# %%
# Sequences drawn from a hidden Markov model, whose states are the gold labels; a model
# that has never seen these; and a small bitext with gold links.

from matplotlib import pyplot as plt

from skstruct import AnnealedHMM, HMMAligner
from skstruct.datasets import make_bitext, make_hmm_sequences
from skstruct.inspection import (
    AlignedText,
    AlignmentDisplay,
    PosteriorDisplay,
    StateLabelDisplay,
    TaggedText,
    TransitionDisplay,
)

X, y = make_hmm_sequences(200, n_states=4, random_state=0)
model = AnnealedHMM(5, random_state=0).fit(X)
bitext, links = make_bitext(200, random_state=0)
aligner = HMMAligner().fit(bitext)

# %%
# There is one state more than labels: two labels share it, as its row in the first
# picture shows. Bars of several colours in the third are tokens that may be either.

figure, axes = plt.subplots(2, 2, figsize=(12, 9), layout="constrained")
(states, transitions), (posterior, alignment) = axes
StateLabelDisplay.from_estimator(model, X, y, ax=states)
TransitionDisplay.from_estimator(model, ax=transitions)
PosteriorDisplay.from_estimator(model, X, sample=2, kind="stacked", ax=posterior)
AlignmentDisplay.from_estimator(aligner, bitext, links, sample=3, ax=alignment)
figure.savefig("inspection.png", dpi=120)
print("Picture: inspection.png")

# %%
# Notebooks show text as such, each label in a colour of its own.

TaggedText.from_estimator(model, X, y, max_samples=3)

# %%
# Words that links join have one colour; links that differ from gold are listed.

AlignedText.from_estimator(aligner, bitext, links, max_samples=3)

# %%
plt.show()

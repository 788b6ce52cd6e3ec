"""
One featurizer, two conditional random fields
=============================================

Features of words are most of a tagger. `TokenFeaturizer` writes them as dicts for
sklearn-crfsuite, in one pipeline with it, and as sparse rows for our own conditional
random field. With the same features and penalty both are the same model: their
probabilities agree, and both do better than with words alone.
"""

# %%
# Turkish sentences with 12 universal tags: 300 to learn from, and others to judge.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn_crfsuite import CRF

from skstruct import ConditionalRandomField
from skstruct.datasets import load_turkish_treebank, to_universal_tags
from skstruct.featurizers import TokenFeaturizer
from skstruct.metrics import token_accuracy

X, y = load_turkish_treebank()
y = to_universal_tags(y, "turkish-petrov12")
order = np.random.default_rng(0).permutation(len(X))
train, test = order[:300], order[300:1300]
print(X[train])

# %%
# CRFsuite's penalty ``c2`` is of a sum over sentences, ours of their mean, and halved.
# ``all_possible_states=False`` is what CRFsuite does: weights for what is seen only. In
# so few sentences each word counts, hence ``min_identity_count=1``.

C2 = 0.5
featurizer = TokenFeaturizer(min_identity_count=1)


def crfsuite():
    return CRF(c2=C2, all_possible_transitions=True, max_iterations=1000)


def words_alone(sentences):
    return [[{"word": word} for word in sentence] for sentence in sentences]


theirs = make_pipeline(clone(featurizer).set_params(output="dicts"), crfsuite())
theirs.fit(X[train], y[train])
ours = ConditionalRandomField(
    featurizer=featurizer,
    l2=2 * C2 / len(train),
    all_possible_states=False,
    prediction="map",
)
ours.fit(X[train], y[train])
plain = crfsuite().fit(words_alone(X[train]), list(y[train]))

answers = {
    "CRFsuite, words alone": plain.predict(words_alone(X[test])),
    "CRFsuite, TokenFeaturizer": theirs.predict(X[test]),
    "skstruct, TokenFeaturizer": ours.predict(X[test]),
}
accuracy = {name: token_accuracy(y[test], answer) for name, answer in answers.items()}
print("\nAccuracy of the tokens of 1,000 other sentences")
for name, share in accuracy.items():
    print(f"{name:<26}{share:.3f}")

# %%
# The probability of each label of each token by either. CRFsuite answers with dicts.

dicts = theirs[:-1].transform(X[test])
marginals = [
    [token[label] for label in ours.classes_]
    for sentence in theirs[-1].predict_marginals(dicts)
    for token in sentence
]
marginals, probabilities = np.array(marginals), ours.predict_proba(X[test]).values
apart = np.abs(marginals - probabilities)
print(f"\nProbabilities differ by {apart.mean():.4f}, by {apart.max():.3f} at most")

# %%
# What differs is mostly where the optimisers stop, and the intercept of ours.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(11, 4.5), width_ratios=(3, 2), layout="constrained"
)
bars = left.barh(list(accuracy), accuracy.values(), color=["0.7", "#E69F00", "#0072B2"])
left.bar_label(bars, fmt="{:.1%}", padding=3)
left.set(xlim=(0, 1), xlabel="accuracy of tokens, 300 training sentences")
left.invert_yaxis()
left.spines[["top", "right"]].set_visible(False)
right.plot([0, 1], [0, 1], color="0.6", lw=1)
right.plot(marginals.ravel(), probabilities.ravel(), ".", ms=2, color="#0072B2")
right.set(xlabel="CRFsuite", ylabel="skstruct", aspect="equal")
right.set_title("Probability of a label of a token")
figure.savefig("sklearn_crfsuite.png", dpi=120)
print("Picture: sklearn_crfsuite.png")
plt.show()

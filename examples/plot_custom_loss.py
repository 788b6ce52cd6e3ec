"""
Three losses, three decisions
=============================

What should be predicted depends on what mistakes cost. One model of ordered levels,
with the same belief about them each time, says one thing where all mistakes cost alike,
another where far misses cost more, and a third where too low is worse than too high: a
cost that takes four lines to write. Each decision is the best one by its own loss.
"""

# %%
# Sequences of alarm levels from 0 to 5. Neighbours have similar levels, and what is
# measured tells a level from the next but poorly.

import numpy as np
from matplotlib import pyplot as plt

from skstruct import ConditionalRandomField
from skstruct.datasets import make_labelled_graphs
from skstruct.losses import Loss
from skstruct.metrics import mean_additive_loss

LEVELS = np.arange(6)
X, y = make_labelled_graphs(
    500,
    structure="chain",
    size=24,
    n_classes=len(LEVELS),
    n_features=3,
    ordinal=True,
    coupling=0.6,
    noise=2.5,
    random_state=0,
)
train, test = slice(0, 100), slice(100, 500)
print(X)

# %%
# A loss of one's own says what each mistake costs: here a level that is missed costs
# five times as much as a false alarm. Rows of its table are true levels, columns
# predicted ones.


class Cautious(Loss):
    def cost(self, classes):
        missed = np.subtract.outer(classes, classes)  # true - predicted
        return np.where(missed > 0, 5 * missed, -missed)


LOSSES = {
    "any mistake costs 1": "zero_one",
    "a level off costs 1": "absolute",
    "a level too low costs 5": Cautious(),
}
print(Cautious().table(LEVELS))

# %%
# A conditional random field heeds the loss in its decisions only: its probabilities are
# the same each time. The mode, the median and a high quantile of them are predicted.

models = {name: ConditionalRandomField(loss) for name, loss in LOSSES.items()}
decisions = {
    name: model.fit(X[train], y[train]).predict(X[test])
    for name, model in models.items()
}
costs = np.array(
    [
        [mean_additive_loss(y[test], chosen, loss) for loss in LOSSES.values()]
        for chosen in decisions.values()
    ]
)
print("\nMean cost of a test node where")
for name, row in zip(LOSSES, costs.T, strict=True):
    print(f"  {name}:")
    for decided, cost in zip(LOSSES, row, strict=True):
        print(f"    {cost:.2f}  decided as if {decided}")

# %%
# The sequence on which the three disagree most, and the whole test set.

stacked = np.stack([chosen.values for chosen in decisions.values()])
spread = stacked.max(axis=0) - stacked.min(axis=0)
shown = np.add.reduceat(spread, y[test].offsets[:-1]).argmax()
(belief,) = models["a level off costs 1"].predict_proba(X[test][[shown]])
colours, marks = ("#0072B2", "#009E73", "#D55E00"), "osD"

figure, (left, right) = plt.subplots(
    1, 2, figsize=(13, 5), width_ratios=(8, 4), layout="constrained"
)
image = left.imshow(
    belief.T, cmap="Greys", vmin=0, vmax=1, origin="lower", aspect="auto"
)
for (name, chosen), colour, mark, shift in zip(
    decisions.items(), colours, marks, (-0.15, 0, 0.15), strict=True
):
    left.plot(
        chosen[shown] + shift, color=colour, marker=mark, ms=6, lw=1.5, label=name
    )
left.plot(y[test][shown], "kx", ms=8, mew=2, label="true level")
left.set(xlabel="position", ylabel="level")
left.set_title("One belief, three decisions")
figure.legend(loc="outside lower left", ncols=4, frameon=False)
figure.colorbar(image, ax=left, label="probability of a level", pad=0.01)

right.imshow(costs / costs.min(axis=0), cmap="Oranges", vmin=1, vmax=2.5, aspect="auto")
for (i, j), cost in np.ndenumerate(costs):
    weight = "bold" if i == j else "normal"
    right.text(j, i, f"{cost:.2f}", ha="center", va="center", weight=weight, size=13)
names = [name.replace(" costs", "\ncosts") for name in LOSSES]
right.set_xticks(range(3), names)
right.set_yticks(range(3), names)
for label, colour in zip(right.get_yticklabels(), colours, strict=True):
    label.set_color(colour)
right.set(xlabel="judged by", ylabel="decided for")
right.set_title("Mean cost of a test node")
figure.savefig("custom_loss.png", dpi=120)
print("\nPicture: custom_loss.png")
plt.show()

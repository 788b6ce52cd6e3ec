"""
Labels of trees: what neighbours tell
=====================================

Where features say little of a node, its parent and its children say more. Logistic
regression sees each node by itself; an adversarial graphical model (AGM) and a
conditional random field (CRF) label all nodes of a tree together, and make about half
as many mistakes with the same features.
"""

# %%
# Trees of 12 to 20 nodes, where a label depends on that of the parent. A batch has
# features of nodes, and edges that lead from parent to child.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.linear_model import LogisticRegression

from skstruct import AdversarialGraphicalModel, ConditionalRandomField
from skstruct.datasets import make_labelled_graphs

N_TEST, SIZES, DRAWS = 300, (10, 30, 100), 5


def draw(seed):
    return make_labelled_graphs(
        N_TEST + max(SIZES),
        structure="tree",
        size=(12, 20),
        n_classes=4,
        n_features=8,
        coupling=3.0,
        noise=0.9,
        random_state=seed,
    )


# %%
# Models of graphs take batches; logistic regression takes the nodes as rows. Each draw
# is another world, with noise and means of its own.

MODELS = {
    "logistic regression": LogisticRegression(),
    "AGM": AdversarialGraphicalModel(),
    "CRF": ConditionalRandomField(),
}


def predict(model, train, y_train, test):
    if isinstance(model, LogisticRegression):
        return model.fit(train.values, y_train.values).predict(test.values)
    return model.fit(train, y_train).predict(test).values


accuracy = {name: np.empty((DRAWS, len(SIZES))) for name in MODELS}
for d in range(DRAWS):
    X, y = draw(d)
    trees, truth = X[:N_TEST], y[:N_TEST].values
    answers = {}
    for name, model in MODELS.items():
        for j, n in enumerate(SIZES):
            known = slice(N_TEST, N_TEST + n)
            answers[name] = predict(model, X[known], y[known], trees)
            accuracy[name][d, j] = (answers[name] == truth).mean()

print(f"\n{'accuracy of nodes, training trees:':<34}", *(f"{n:>6}" for n in SIZES))
for name, shares in accuracy.items():
    print(f"{name:<34}", *(f"{share:>6.2f}" for share in shares.mean(axis=0)))

# %%
# The first test tree of 20 nodes as each model labels it after the last fit; its wrong
# nodes are orange squares. Beside it the accuracies of all fits.


def layout(edges, n):
    """Places of the nodes of a tree: parents above, and midway between, children."""
    across, depth, leaves = np.zeros(n), np.zeros(n), iter(range(n))

    def place(v):
        children = edges[edges[:, 0] == v, 1]
        depth[children] = depth[v] + 1
        below = [place(child) for child in children]
        across[v] = np.mean(below) if below else next(leaves)
        return across[v]

    place(0)
    return across, -depth


RIGHT = {"color": "black", "bbox": {"boxstyle": "circle", "facecolor": "white"}}
WRONG = {"color": "white", "bbox": {"boxstyle": "square", "facecolor": "#D55E00"}}
STYLES = (("0.4", "^"), ("#E69F00", "s"), ("#0072B2", "D"))

figure, (*drawings, curves) = plt.subplots(
    1, 4, figsize=(14, 4.5), layout="constrained"
)
shown = np.flatnonzero(trees.lengths == 20)[0]
nodes = slice(*trees.offsets[shown : shown + 2])
_, edges = trees[shown]
across, up = layout(edges, 20)
for axis, (name, labels) in zip(drawings, answers.items(), strict=True):
    right = labels[nodes] == truth[nodes]
    axis.plot(across[edges.T], up[edges.T], color="0.7")
    for *place, label, fine in zip(across, up, labels[nodes], right, strict=True):
        style = RIGHT if fine else WRONG
        axis.text(*place, "ABCD"[label], ha="center", va="center", **style)
    axis.set(title=f"{name}: {20 - right.sum()} of 20 wrong", xmargin=0.1, ymargin=0.1)
    axis.axis("off")

for (name, shares), (colour, mark) in zip(accuracy.items(), STYLES, strict=True):
    curves.plot(shares.T, color=colour, lw=0.7, alpha=0.5)
    curves.plot(shares.mean(axis=0), color=colour, marker=mark, ms=8, lw=2, label=name)
curves.set(xlabel="training trees", ylabel="accuracy of nodes of 300 test trees")
curves.set_xticks(range(len(SIZES)), SIZES)
curves.legend(loc="center right", reverse=True)
curves.set_title(f"{DRAWS} draws and their mean")
figure.savefig("tree_labelling.png", dpi=120)
print("\nPicture: tree_labelling.png")
plt.show()

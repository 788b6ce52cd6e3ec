"""
Annealing: one end from every start
===================================

Expectation maximisation (EM) climbs to the top of the hill that it starts on.
Deterministic annealing begins at a high temperature, where there is one hill, and
follows its top while the temperature falls. With a dictionary that rules states out, it
ends in the same model from every start, here a likelier one than most of EM's.
"""

# %%
# Sequences of 100 symbols from a hidden Markov model of 8 states, and a dictionary of
# the states of the 30 most frequent symbols, which leaves them nearly 5 states each.

import numpy as np
from matplotlib import pyplot as plt

from skstruct import AnnealedHMM, TagDictionary
from skstruct.datasets import make_hmm_sequences
from skstruct.inspection import AnnealingPathDisplay
from skstruct.metrics import token_accuracy

N_STATES, N_STARTS = 8, 12
X, y = make_hmm_sequences(
    200, n_states=N_STATES, n_symbols=100, concentration=0.2, random_state=0
)
dictionary = TagDictionary.from_tagged(X, y, keep=30)
print(X, dictionary, sep="\n")

# %%
# The same random starts for both. ``beta`` is the inverse temperature: at its default
# with a dictionary, ``beta_min`` is 0.1, at 1 there is nothing to anneal.

METHODS = {"EM": 1.0, "annealing": 0.1}


def fit(beta_min, seed):
    rng = np.random.default_rng(seed)
    model = AnnealedHMM(
        startprob_init=rng.dirichlet(np.ones(N_STATES)),
        transmat_init=rng.dirichlet(np.ones(N_STATES), N_STATES),
        tag_dictionary=dictionary,
        beta_min=beta_min,
        n_init=1,
        max_iter=2000,
        random_state=seed,
    )
    return model.fit(X)


models = {
    name: [fit(beta_min, seed) for seed in range(N_STARTS)]
    for name, beta_min in METHODS.items()
}

# %%
# Likelihoods and accuracies where the starts end, and the passes over the data. A
# lucky start of EM may beat annealing by both.

ends, accuracies = {}, {}
print(f"\n{N_STARTS} starts:", "log-lik./token".rjust(18), "accuracy".rjust(16), end="")
print("E-steps".rjust(10))
for name, fitted in models.items():
    ends[name] = [model.score(X) for model in fitted]
    accuracies[name] = [token_accuracy(y, model.predict(X)) for model in fitted]
    steps = np.mean([model.n_e_steps_ for model in fitted])
    low, high = min(ends[name]), max(ends[name])
    worst, best = min(accuracies[name]), max(accuracies[name])
    print(
        f"{name:<10} {f'{low:.4f} to {high:.4f}':>19}"
        f"{f'{worst:.2f} to {best:.2f}':>17}{steps:>10.0f}"
    )


beaten = np.mean(np.array(ends["EM"]) < min(ends["annealing"]))
print(f"annealing is likelier than {beaten:.0%} of the ends of EM")

# %%
# The path of one start, a dot for each temperature, and where all starts end. The
# objective of a high temperature adds up all states, so that the curve falls; that it
# is smooth is what matters. On the right, how many states the tokens tell apart: they
# part at the last temperature only.

COLOURS = {"EM": "#E69F00", "annealing": "#0072B2"}
figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
path, likelihood, accuracy = axes
AnnealingPathDisplay.from_estimator(models["annealing"][0], ax=path, color="#0072B2")
path.set(title="One path")
rng = np.random.default_rng(0)
for axis, values in ((likelihood, ends), (accuracy, accuracies)):
    for place, (name, colour) in enumerate(COLOURS.items()):
        aside = place + rng.uniform(-0.2, 0.2, N_STARTS)
        axis.scatter(aside, values[name], color=colour, alpha=0.7, edgecolor="white")
    axis.set_xticks(range(2), COLOURS)
    axis.set_xlim(-0.5, 1.5)
likelihood.set(title="Ends of all starts", ylabel="log-likelihood of a token")
accuracy.set(title="Their states", ylabel="accuracy of tokens")
figure.savefig("annealing_path.png", dpi=120)
print("\nPicture: annealing_path.png")
plt.show()

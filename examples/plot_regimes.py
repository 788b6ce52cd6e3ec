"""
Regimes of a series, and how many there are
===========================================

A market moves between calm and unrest, and nobody writes down when. A hidden Markov
model with Gaussian states reads the regimes off daily returns and volumes: the Bayesian
information criterion chooses their number, and the posterior says how sure each day is.
The series is drawn from three known regimes, so that the answer can be checked.
"""

# %%
# One row a day. ``Ragged.from_frame`` reads the columns to learn from; without
# ``group=`` all rows are one sequence.

import numpy as np
from matplotlib import pyplot as plt
from sklearn.model_selection import GridSearchCV

from skstruct import AnnealedHMM, Ragged
from skstruct.datasets import make_regime_series
from skstruct.metrics import many_to_one_accuracy
from skstruct.model_selection import TransductiveSplit, bic_scorer

frame = make_regime_series(1000, as_frame=True, random_state=0)
X = Ragged.from_frame(frame, ["return", "log_volume"])
print(frame.head(3))

# %%
# The criterion belongs to the data that the model learnt from, so that every candidate
# learns from the whole series and is scored on it. Each state starts from a k-means
# cluster; there is nothing to anneal.

search = GridSearchCV(
    AnnealedHMM(random_state=0),
    {"n_states": [1, 2, 3, 4, 5]},
    scoring=bic_scorer,
    cv=TransductiveSplit(),
).fit(X)
model = search.best_estimator_
bic = -search.cv_results_["mean_test_score"]
print("BIC:", {k + 1: round(float(value)) for k, value in enumerate(bic)})

# %%
# States come in the order of their first mean, which says little here. We name them by
# the spread of their returns, and put the answer back beside the rows of the frame.

calm_first = np.argsort(model.covariances_[:, 0, 0])
(states,) = model.predict(X)
rank = np.argsort(calm_first)[states]
answer = X.to_frame([rank], name="state")
agreement = many_to_one_accuracy([frame["regime"].to_list()], [rank])
print(answer.groupby(["state", "regime"]).size().unstack(fill_value=0))
print(f"Days whose regime is found: {agreement:.1%}")

lasts = model.expected_durations_[calm_first]
share = model.stationary_distribution_[calm_first]
spread = np.sqrt(model.covariances_[calm_first, 0, 0])
volume = model.means_[calm_first, 1]
for k, row in enumerate(zip(share, lasts, spread, volume, strict=True)):
    print(
        "state {}: {:3.0%} of days, {:4.1f} days a visit, returns ±{:.1f} %, "
        "log volume {:+.2f}".format(k, *row)
    )

# %%
# What the model knows tomorrow morning: the regime of the next day, given all so far.

tomorrow = model.predict_next_proba(X)[0, calm_first]
print("Tomorrow:", tomorrow.round(3))

# %%
# The series over its regimes, and how sure the model is of each day.

(posterior,) = model.predict_proba(X)
days = frame.index.to_numpy()
palette = plt.get_cmap("YlOrRd")(np.linspace(0.12, 0.8, len(calm_first)))

figure, (top, bottom) = plt.subplots(
    2, figsize=(10, 5), sharex=True, height_ratios=[3, 1], layout="constrained"
)
starts = np.flatnonzero(np.diff(rank, prepend=-1))
ends = np.append(days[starts[1:]], days[-1] + 1)
for begin, end, k in zip(days[starts], ends, rank[starts], strict=True):
    top.axvspan(begin - 0.5, end - 0.5, color=palette[k], linewidth=0)
top.plot(days, frame["return"], color="black", linewidth=0.7)
top.set(ylabel="return (%)", title="A daily series and the regimes read off it")
names = [f"state {k}: returns ±{spread[k]:.1f} %" for k in range(len(spread))]
patches = [plt.Rectangle((0, 0), 1, 1, color=color) for color in palette]
top.legend(patches, names, ncols=len(names), loc="lower left", fontsize="small")
bottom.stackplot(days, posterior[:, calm_first].T, colors=palette, linewidth=0)
bottom.set(ylabel="p(state)", xlabel="day", ylim=(0, 1), xlim=(-0.5, days[-1] + 0.5))

figure.savefig("regimes.png", dpi=150)
print("Picture: regimes.png")
plt.show()

"""
A grid search on a dask cluster
===============================

Candidates of a search do not wait for one another, so they may run on many machines.
scikit-learn and skstruct hand their work to joblib, and joblib to dask: one ``with``
line sends a search to a cluster, and its scores are the same to the last digit.
"""

# %%
# Two workers in this process stand for a cluster: they show how it is done, and that
# the answer does not change. Speed comes with machines of their own, by giving
# ``Client`` the address of their scheduler.

import time

import numpy as np

try:
    from distributed import Client, get_task_stream
except ImportError as error:
    raise ImportError("This example needs `pip install 'skstruct[dask]'`.") from error
from joblib import parallel_config
from matplotlib import pyplot as plt
from sklearn.model_selection import GridSearchCV

from skstruct import AnnealedHMM
from skstruct.datasets import make_hmm_sequences

X, _ = make_hmm_sequences(1000, n_states=6, random_state=0)
search = GridSearchCV(
    AnnealedHMM(tol=1e-4, random_state=0), {"n_states": [2, 4, 6, 8, 10]}, cv=3
)

# %%
# The search without and with the cluster. A first fit compiles the kernels.

AnnealedHMM(2, n_init=1, max_iter=2, tol=1.0).fit(X)
begin = time.perf_counter()
alone = search.fit(X).cv_results_["mean_test_score"]
serial = time.perf_counter() - begin

with Client(
    n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
) as client:
    begin = time.time()
    with get_task_stream(client) as stream, parallel_config("dask"):
        spread = search.fit(X).cv_results_["mean_test_score"]
    seconds = time.time() - begin
    tasks = stream.data

print(f"{'states':<8}{'alone':>10}{'cluster':>10}   log-likelihood of a held-out token")
for n, *scores in zip(search.cv_results_["param_n_states"], alone, spread, strict=True):
    print(f"{n:<8}{scores[0]:>10.4f}{scores[1]:>10.4f}")
print(f"largest difference: {np.abs(alone - spread).max():.1e}")
print(f"{serial:.1f} s alone, {seconds:.1f} s on two workers")

# %%
# Who fitted what and when: a bar for each task.

figure, axis = plt.subplots(figsize=(9, 3), layout="constrained")
workers = sorted({str(task["worker"]) for task in tasks})
for task in tasks:
    row = workers.index(str(task["worker"]))
    for stage in task["startstops"]:
        if stage["action"] == "compute":
            length = stage["stop"] - stage["start"]
            place = {"left": stage["start"] - begin, "edgecolor": "white"}
            axis.barh(row, length, color="#0072B2", **place)
axis.set_yticks(range(len(workers)), [f"worker {i + 1}" for i in range(len(workers))])
axis.set(xlabel="seconds since the search began", xlim=(0, None))
axis.set_title(f"{len(tasks)} tasks of the search")
figure.savefig("dask.png", dpi=120)
print("\nPicture: dask.png")
plt.show()

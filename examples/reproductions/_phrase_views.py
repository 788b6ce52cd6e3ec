"""Categories of Urdu and English phrases that translate one another."""

import time

import numpy as np
from _phrase_systems import regularized
from scipy.stats import entropy

from skstruct.constraints import Sparsity
from skstruct.metrics import v_measure

__all__ = ["SYSTEMS", "VIEWS", "measure", "use"]

# Columns of the views, that of the phrase first.
VIEWS = {"urdu": [0, 1, 2], "english": [3, 4, 5]}
BOTH = {"agreement": "view", "views": list(VIEWS.values())}
SYSTEMS = {
    "em": regularized("EM, each language alone", constraint=None),
    "sparsity-10": regularized(
        "sparsity, sigma = 10, each language alone", constraint=Sparsity(10)
    ),
    "type": regularized("one category a phrase, each alone", constraint="type"),
    "view": regularized("agreement of languages", constraint=None, **BOTH),
    "view-both": regularized(
        "agreement and sparsity, sigma = 10", constraint=Sparsity(10), **BOTH
    ),
}


def use(phrases, labels):
    """Mean number of categories of a phrase, and the share of its first one."""
    _, phrase = np.unique(phrases.astype(str), return_inverse=True)
    _, category = np.unique(labels, return_inverse=True)
    counts = np.zeros((phrase.max() + 1, category.max() + 1))
    np.add.at(counts, (phrase, category), 1)
    share = counts.max(axis=1).sum() / len(labels)
    return float((counts > 0).sum(axis=1).mean()), float(share)


def measure(X, system, K, seed):
    """How phrases use categories, and how well those of both languages agree."""
    begin = time.process_time()
    model = system.make(K, seed)
    if model.agreement == "view":
        models = {"both": model.fit(X)}
        labels = dict.fromkeys(VIEWS, model.labels_)
        own = dict(zip(VIEWS, own_labels(model, X), strict=True))
    else:
        models = {
            view: system.make(K, seed).fit(X[:, columns])
            for view, columns in VIEWS.items()
        }
        labels = own = {view: fitted.labels_ for view, fitted in models.items()}
    row = {"cpu": round(time.process_time() - begin, 2)}
    for view, (key, *_) in VIEWS.items():
        row[f"{view}_categories"], row[f"{view}_top"] = use(X[:, key], labels[view])
        row[f"{view}_bits"] = float(entropy(np.bincount(own[view]), base=2))
    row["between"] = v_measure(*own.values())
    row["n_iter"] = max(fitted.n_iter_ for fitted in models.values())
    for view, fitted in models.items():
        row[f"{view}_objective"] = float(fitted.history_[-1]["objective"])
    return row


def own_labels(model, X):
    """Categories by the model of each view alone, of models that agree."""
    models, codes = model._models, model._encoder.encode(X)
    for mixture, reader in zip(models.mixtures, models.readers, strict=True):
        yield mixture.log_joint(*reader.read(codes)).argmax(axis=1)

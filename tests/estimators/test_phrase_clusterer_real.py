"""Clusterers of tables on the phrases of a treebank, whose labels none has seen."""

import gzip

import numpy as np
import pytest

from skstruct.constraints import Sparsity
from skstruct.datasets import read_phrase_table
from skstruct.estimators import PosteriorRegularizedClusterer
from skstruct.metrics import conditional_entropy, v_measure


@pytest.fixture(scope="module")
def phrases(corpora):
    """Phrases that occur five times, between classes of words; their labels."""
    X, y = read_phrase_table(corpora / "phrases" / "gum-en-const.tsv.gz", n_context=1)
    path = corpora / "pos" / "en-ewt" / "brown100.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        classes = {word: name for name, word, _ in (line.split("\t") for line in file)}
    classes |= {"<s>": "<s>", "</s>": "</s>"}
    X[:, 0] = [phrase.lower() for phrase in X[:, 0]]
    for column in X.T[1:]:
        column[:] = [classes.get(w, classes.get(w.lower(), "other")) for w in column]
    index = np.unique(X[:, 0], return_inverse=True)[1]
    kept = np.bincount(index)[index] >= 5
    return X[kept], y[kept]


@pytest.mark.parametrize("seed", [0, 1])
def test_sparsity_beats_em(phrases, seed):
    X, y = phrases
    assert X.shape == (12_225, 3)

    def fit(constraint):
        model = PosteriorRegularizedClusterer(
            constraint=constraint, init="random", n_init=1, random_state=seed
        )
        return model.fit(X)

    em, sparse = fit(None), fit(Sparsity(10))
    h_em, h_sparse = (conditional_entropy(y, model.labels_) for model in (em, sparse))
    assert h_sparse < h_em - 0.15
    assert 0.9 < h_em < 1.15 and 0.6 < h_sparse < 0.85
    assert v_measure(y, sparse.labels_) > v_measure(y, em.labels_) + 0.05
    assert sparse.n_clusters_per_phrase().mean() < 1.25
    assert em.n_clusters_per_phrase().mean() > 2.5
    objective = [record["objective"] for record in sparse.history_[30:]]
    assert (np.diff(objective) > -1e-6).all()


def test_one_category_for_each_phrase_is_strong(phrases):
    X, y = phrases
    model = PosteriorRegularizedClusterer(constraint="type", n_init=1, random_state=0)
    model.fit(X)
    assert model.converged_
    assert conditional_entropy(y, model.labels_) < 0.85
    assert (model.n_clusters_per_phrase() == 1).all()
    table = model.phrase_table(min_count=100)
    assert (table["count"] >= 100).all() and (table["probability"] == 1).all()

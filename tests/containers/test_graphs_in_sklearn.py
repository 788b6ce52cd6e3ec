"""Graphs under scikit-learn's splitters and searches, and in featurizers."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction import DictVectorizer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skstruct._validation import as_labels, read_batch
from skstruct.containers import GraphBatch, Ragged
from skstruct.featurizers import PerToken, TokenFeaturizer
from tests.containers._dummies import ParityTagger, Same
from tests.containers._graph_examples import (
    ALL_EDGES,
    EDGE_OFFSETS,
    EDGE_VALUES,
    FEATURES,
    OFFSETS,
    as_plain,
    with_edge_values,
)


class EdgeTagger(ParityTagger):
    """Tags a node by the parity of its degree, plus a shift."""

    def predict(self, X):
        batch, answer = read_batch(X)
        assert type(batch) is GraphBatch
        degrees = np.bincount(batch.global_edges.ravel(), minlength=batch.n_tokens)
        return answer((degrees + self.shift) % 2)


@pytest.fixture
def labelled():
    """Twelve trees and the parity of their nodes' degrees."""
    rng = np.random.RandomState(0)
    trees = [
        [-1, *(rng.randint(i) for i in range(1, n))] for n in rng.randint(1, 6, 12)
    ]
    graphs = [
        (np.full((len(p), 2), i), GraphBatch.tree(p)) for i, p in enumerate(trees)
    ]
    batch = GraphBatch(graphs)
    degrees = np.bincount(batch.global_edges.ravel(), minlength=batch.n_tokens)
    return batch, Ragged.from_arrays(degrees % 2, batch.offsets)


def test_validation_passes_graphs_through(labelled):
    batch, labels = labelled
    read, answer = read_batch(batch)
    assert read is batch
    assert type(answer(labels.values)) is Ragged
    assert as_labels(labels, batch)[0].tolist() == labels.values.tolist()


def test_train_test_split(labelled):
    batch, labels = labelled
    X_train, X_test, y_train, y_test = train_test_split(*labelled, random_state=1)
    assert type(X_train) is type(X_test) is GraphBatch and len(X_test) == 3
    for X, y in ((X_train, y_train), (X_test, y_test)):
        assert EdgeTagger().score(X, y) == ParityTagger.score(EdgeTagger(), X, y) == 1
        assert all(item in as_plain(batch) for item in as_plain(X))
    assert len(X_train) + len(X_test) == len(labels)


def test_search_in_two_processes(labelled):
    search = GridSearchCV(
        make_pipeline(Same(), EdgeTagger()),
        {"edgetagger__shift": [1, 0]},
        cv=3,
        n_jobs=2,
        error_score="raise",
    ).fit(*labelled)
    assert search.cv_results_["mean_test_score"].tolist() == [0.0, 1.0]


def test_cross_val_predict(labelled):
    cv = KFold(4, shuffle=True, random_state=0)
    predicted = cross_val_predict(EdgeTagger(), *labelled, cv=cv)
    assert type(predicted) is Ragged
    assert [p.tolist() for p in predicted] == [y.tolist() for y in labelled[1]]


def check_featurized(featurized, batch):
    assert type(featurized) is GraphBatch
    assert featurized.edges is batch.edges
    assert featurized.edge_values is batch.edge_values


def test_transformers_of_rows_keep_graphs():
    batch = with_edge_values()
    scaled = PerToken(StandardScaler()).fit_transform(batch)
    check_featurized(scaled, batch)
    np.testing.assert_allclose(scaled.values.mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("kind", ["dicts", "names"])
def test_dicts_become_columns_of_graphs(kind):
    batch = GraphBatch.from_arrays(
        FEATURES[kind](), OFFSETS, ALL_EDGES, EDGE_OFFSETS, EDGE_VALUES
    )
    vectorizer = PerToken(DictVectorizer()).fit(batch)
    table = vectorizer.transform(batch)
    check_featurized(table, batch)
    back = vectorizer.transformer_.inverse_transform(table.values)
    assert back == [{k: v for k, v in d.items() if v} for d in batch.values]
    nothing = vectorizer.transform(batch[[1]])
    assert type(nothing) is GraphBatch and nothing.values.shape[0] == 0


def test_words_become_columns_of_graphs():
    words = ["rose", "is", "a", "rose", "red", "as", "a", "rose", "is", "red"]
    batch = GraphBatch.from_arrays(words, OFFSETS, ALL_EDGES, EDGE_OFFSETS)
    table = TokenFeaturizer(min_identity_count=1).fit_transform(batch)
    check_featurized(table, batch)
    assert table.tokens.tolist() == words and sp.issparse(table.values)
    shouted = PerToken(str.upper).fit_transform(batch)
    check_featurized(shouted, batch)
    assert shouted.values.tolist() == [w.upper() for w in words]

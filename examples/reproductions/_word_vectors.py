"""Word classes by k-means of word vectors, as the guide to word classes has them."""

from collections import Counter, defaultdict
from itertools import groupby

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction import DictVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, OneHotEncoder

__all__ = ["cluster_words"]


def cluster_words(X, n_clusters, random_state, min_count=10):
    """Classes of the tokens: one for each word, by its neighbours and its form.

    The neighbours of words that occur less often than ``min_count`` are not heeded.
    """
    counts = Counter(X.values)
    words, weights = list(counts), np.array([*counts.values()])
    neighbours = read_neighbours(X)
    by_neighbours = make_pipeline(
        FunctionTransformer(lambda words: [neighbours[word] for word in words]),
        DictVectorizer(),
        FunctionTransformer(mutual_information),
        TruncatedSVD(min(20, len(words) - 1), random_state=random_state),
        Normalizer(),
        FunctionTransformer(lambda rows: rows * (weights >= min_count)[:, None]),
    )
    by_form = make_pipeline(
        FunctionTransformer(lambda words: [form(word) for word in words]),
        OneHotEncoder(min_frequency=1 / 500, sparse_output=False),
    )
    rows = FeatureUnion(
        [("neighbours", by_neighbours), ("form", by_form)],
        transformer_weights={"form": 0.6},
    ).fit_transform(words)
    kmeans = KMeans(n_clusters, n_init=5, random_state=random_state)
    classes = kmeans.fit(rows, sample_weight=weights).labels_
    class_of = dict(zip(words, classes, strict=True))
    return X.with_values([class_of[word] for word in X.values])


def read_neighbours(X):
    """How often each word has which word on either side."""
    neighbours = defaultdict(Counter)
    for sentence in X:
        padded = ["", *sentence, ""]
        for left, word, right in zip(padded, sentence, padded[2:], strict=False):
            neighbours[word].update([f"{left} _", f"_ {right}"])
    return neighbours


def mutual_information(table):
    """Positive pointwise mutual information, that of rare neighbours smoothed."""
    table = sp.coo_array(table)
    left, right = table.sum(axis=1), table.sum(axis=0) ** 0.75
    expected = left[table.row] * right[table.col] / right.sum()
    gain = np.maximum(np.log(table.data / expected), 0)
    return sp.csr_array((gain, (table.row, table.col)), shape=table.shape)


def form(word):
    """Suffix and shape of a word."""
    return word.lower()[-2:], "".join(k for k, _ in groupby(map(kind, word)))[:4]


def kind(character):
    """A digit, a letter in upper or lower case, or something else."""
    if character.isdigit():
        return "0"
    return "A" if character.isupper() else "a" if character.islower() else "#"

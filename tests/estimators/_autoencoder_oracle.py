"""A fitted CRF autoencoder by enumeration, from its public attributes alone."""

import numpy as np
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator

from skstruct.datasets import make_hmm_sequences
from tests import _oracles as oracle

__all__ = ["ByNumber", "Enumerated", "assert_same_fit", "objectives", "words"]

WEIGHTS = ("coef_", "transition_coef_", "start_coef_")


def words(n=40, length=(1, 5), seed=0):
    """Sentences of 15 words whose states are easy to tell by their neighbours."""
    X, y = make_hmm_sequences(
        n, n_states=3, n_symbols=15, length=length, random_state=seed
    )
    return X.with_values([f"{'xyz'[s % 3]}{s}" for s in X.values]), y


class ByNumber(BaseEstimator):
    """A start without chance: the state of a word is its number modulo 3."""

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X.with_values([int(word[1:]) % 3 for word in X.values])


def objectives(model):
    return np.array([record["objective"] for record in model.history_])


def assert_same_fit(a, b):
    for name in WEIGHTS:
        assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.history_ == b.history_


class Enumerated:
    """Answers of a model on sequences X.

    ``allowed`` (T, K) limits p(y | x), ``labels`` (T,) with -1 limit p(y | x, x_hat).
    """

    def __init__(self, model, X, allowed=None, labels=None):
        free = model.featurizer_.transform(X).values @ model.coef_
        if allowed is not None:
            free = np.where(allowed, free, -np.inf)
        joint = free + model.reconstruction_.log_prob(X)
        if labels is not None:
            hold = labels[:, None] == np.arange(len(model.states_))
            joint = np.where((labels[:, None] < 0) | hold, joint, -np.inf)
        K = joint.shape[1]
        self.log_likelihood, self.proba = np.zeros(len(X)), np.zeros(joint.shape)
        self.path = np.zeros(len(joint), dtype=int)
        for i in range(len(X)):
            part = slice(X.offsets[i], X.offsets[i + 1])
            paths = oracle.enumerate_paths(part.stop - part.start, K)
            a, b = (
                oracle.chain_scores(
                    paths, node[part], model.transition_coef_, model.start_coef_
                )
                for node in (joint, free)
            )
            self.log_likelihood[i] = oracle.log_partition(a) - oracle.log_partition(b)
            self.proba[part] = oracle.node_marginals(paths, a, K)
            self.path[part] = oracle.argmax(paths, a)[1]

"""Graphical models as classifiers of single nodes, by scikit-learn's own checks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import ClassifierMixin
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skstruct import (
    AdversarialGraphicalModel,
    ConditionalRandomField,
    StructuredSVM,
)


class NodeCRF(ClassifierMixin, ConditionalRandomField):
    """A conditional random field that says that it is a classifier."""


class NodeSVM(ClassifierMixin, StructuredSVM):
    """Likewise."""


class NodeGame(ClassifierMixin, AdversarialGraphicalModel):
    """Likewise."""


_FAILURES = {
    "check_classifiers_train": (
        "it fits to X.tolist(), and lists of lists of numbers are sequences here; see "
        "test_what_check_classifiers_train_asks_of_arrays"
    ),
}


_FAILURES_OF_MARGINS = {
    "check_class_weight_classifiers": (
        "costs of 1000 and 0.0001 make margins, they do not weigh samples: where "
        "classes overlap, the optimum is decided by how many are on either side"
    ),
}


def expected_failures(estimator):
    """Names of the checks that a classifier fails, with reasons."""
    return _FAILURES | (_FAILURES_OF_MARGINS if isinstance(estimator, NodeSVM) else {})


@parametrize_with_checks(
    [NodeCRF(), NodeSVM(tol=0.1), NodeGame(temperature=1.0)],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model", [NodeCRF(), NodeSVM(), NodeGame(), NodeGame(temperature=1.0)]
)
def test_what_check_classifiers_train_asks_of_arrays(model, n_classes):
    X, y = make_blobs(n_samples=300, centers=n_classes, random_state=0)
    X = StandardScaler().fit_transform(X)
    with pytest.raises(ValueError, match="299"):
        model.fit(X, y[:-1])
    model.fit(X, y)
    assert model.classes_.tolist() == list(range(n_classes))
    predicted = model.predict(X)
    assert predicted.shape == (300,) and predicted.dtype == y.dtype
    assert model.score(X, y) == np.mean(predicted == y) > 0.83
    with pytest.raises(ValueError, match="X has 300 features, but"):
        model.predict(X.T)
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(X)
        assert proba.shape == (300, n_classes)
        assert_allclose(proba.sum(axis=1), 1)
        assert (proba.argmax(axis=1) == predicted).all()


def test_single_nodes_are_logistic_regression():
    X, y = make_blobs(n_samples=60, centers=3, cluster_std=4, random_state=1)
    X = StandardScaler().fit_transform(X)
    # Its penalty leaves the intercept out: so here, with a column of ones.
    ones = np.column_stack([X, np.ones(60)])
    theirs = LogisticRegression(C=1 / (60 * 0.02), tol=1e-8, fit_intercept=False)
    theirs.fit(np.column_stack([ones, np.ones(60)]), y)
    ours = ConditionalRandomField(l2=0.02, tol=1e-7).fit(ones, y)
    assert_allclose(
        ours.predict_proba(ones),
        theirs.predict_proba(np.column_stack([ones, np.ones(60)])),
        atol=1e-5,
    )


def test_one_against_the_rest():
    X, y = make_blobs(n_samples=60, centers=3, random_state=0)
    model = OneVsRestClassifier(NodeCRF()).fit(X, y)
    assert model.score(X, y) > 0.8

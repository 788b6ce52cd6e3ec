"""Fits and predictions with defaults, on other data than ``warm_up`` takes."""

import warnings

import numpy as np
import pandas as pd

from skstruct import GraphBatch, Ragged, estimators
from skstruct.featurizers import TokenFeaturizer

__all__ = ["fit_all"]

SUPERVISED = ("ConditionalRandomField", "StructuredSVM", "AdversarialGraphicalModel")
ALIGNERS = (
    *("CRFAutoencoderAligner", "HMMAligner", "SymmetrizedAligner"),
    *("IBM1Aligner", "DiagonalAligner"),
)
CLUSTERERS = ("PosteriorRegularizedClusterer", "PitmanYorClusterer")


def fit_all():
    """Fit every public estimator, and predict for all samples and for one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, parameters, X, y in jobs():
            model = getattr(estimators, name)(**parameters).fit(X, y)
            model.predict(X)
            model.predict(X[:1])
            if hasattr(model, "predict_proba"):
                model.predict_proba(X[:1])
        return {name for name, *_ in jobs()}


def jobs():
    rng = np.random.default_rng(1)
    labels = [rng.integers(3, size=n).tolist() for n in (4, 1, 7, 5, 0, 3) * 5]
    words = [[f"w{3 * k + rng.integers(3)}" for k in sample] for sample in labels]
    series = rng.normal(size=(60, 2))
    frame = pd.DataFrame({"day": np.repeat(range(6), 10), "load": series[:, 0]})
    for X in (
        *(words, Ragged(words), Ragged(labels), [series], series.astype(np.float32)),
        Ragged.from_frame(frame, "load", group="day"),
    ):
        yield "AnnealedHMM", {"random_state": 1}, X, None
    for X in (words, Ragged(words), [series]):
        yield "CRFAutoencoderTagger", {"n_states": 3, "random_state": 1}, X, None

    pairs = [(sample, [f"v{w}" for w in sample[::-1]]) for sample in words]
    for name in ALIGNERS:
        yield name, {}, pairs, None

    table = np.array(
        [(a, b, c) for s in words for a, b, c in zip(s, s[1:], s[2:], strict=False)],
        dtype=object,
    )
    for name in CLUSTERERS:
        yield name, {"n_clusters": 3}, table, None
        yield name, {"n_clusters": 3}, table.tolist(), None

    rows = [rng.normal(size=(len(sample), 4)) for sample in labels]
    trees = [(x, GraphBatch.tree(range(-1, len(x) - 1))) for x in rows]
    one_each = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    grid = GraphBatch([(rng.normal(size=(6, 2)), GraphBatch.grid((2, 3)))] * 4)
    features = TokenFeaturizer().fit_transform(words)
    for name in SUPERVISED:
        for X in (words, rows, GraphBatch(trees), features):
            yield name, {}, X, labels
        yield name, {}, *one_each
        yield name, {}, grid, [rng.integers(2, size=6) for _ in range(4)]

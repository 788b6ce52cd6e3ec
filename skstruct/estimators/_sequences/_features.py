"""Features of tokens for an encoder: the default featurizer, and checks."""

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction import DictVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    PolynomialFeatures,
    StandardScaler,
)

from skstruct.containers import Ragged
from skstruct.containers._batch import locate
from skstruct.featurizers import PerToken, TokenFeaturizer

__all__ = [
    "default_featurizer",
    "fit_featurizer",
    "holds_dicts",
    "kind_of_tokens",
    "make_features",
    "standardized",
    "with_columns",
]


def kind_of_tokens(batch):
    """What a featurizer is given: "vectors", "feature dicts" or "words"."""
    if batch.values.ndim == 2:
        return "vectors"
    return "feature dicts" if holds_dicts(batch) else "words"


def with_columns(batch):
    """The batch, with a series of measured numbers as vectors of one."""
    measured = batch.values.ndim == 1 and batch.values.dtype.kind == "f"
    if not measured or not batch.n_tokens:
        return batch
    return batch.with_values(batch.values[:, None])


def standardized():
    """Columns scaled, and a constant: weights of unlike units share one penalty."""
    return PerToken(make_pipeline(StandardScaler(), PolynomialFeatures(1)))


def default_featurizer(batch, vectors=standardized, words=TokenFeaturizer):
    """The transformer, unfitted, that suits a batch.

    Parameters
    ----------
    batch : Ragged
        Tokens, feature dicts, vectors, or features with tokens beside them.
    vectors, words : callable, default=standardized, TokenFeaturizer
        Make the transformers of dense vectors and of words.

    Returns
    -------
    transformer
        Features that carry tokens, or are sparse, pass as they are.
    """
    if batch.values.ndim == 2:
        if batch.tokens is not None or sp.issparse(batch.values):
            return FunctionTransformer()
        return vectors()
    return PerToken(DictVectorizer()) if holds_dicts(batch) else words()


def holds_dicts(batch):
    """Whether the tokens of a batch are feature dicts; all must be, if one is."""
    dicts = np.array([isinstance(token, dict) for token in batch.values], dtype=bool)
    if dicts.any() and not dicts.all():
        sequence, position = locate(batch.offsets, dicts.argmin())
        token = batch.values[dicts.argmin()]
        raise ValueError(
            f"X holds feature dicts, but the token at sequence {sequence}, position "
            f"{position} is {token!r}; give each token a dict, {{}} if it has no "
            "features."
        )
    return bool(dicts.any())


def make_features(featurize, batch):
    """The checked features of all tokens.

    Parameters
    ----------
    featurize : callable
        Method of a featurizer.
    batch : Ragged
        What it is given.

    Returns
    -------
    ndarray or csr_array of shape (T, F), dtype float64

    Raises
    ------
    ValueError
        If there is not one row of finite numbers for each token.
    """
    try:
        features = featurize(batch)
    except ValueError:
        # Those who do not want NaN do not say where it stands.
        _reject_not_finite(batch.values, batch)
        raise
    values = features.values if isinstance(features, Ragged) else features
    if hasattr(values, "columns"):  # of a data frame
        values = np.asarray(values)
    if getattr(values, "ndim", 0) != 2 or values.shape[0] != batch.n_tokens:
        raise ValueError(
            "The featurizer must answer a Ragged with a row of numbers for each of the "
            f"{batch.n_tokens} tokens, got {type(features).__name__} "
            f"{getattr(values, 'shape', '')}."
        )
    try:
        values = values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Features must be numbers ({error}).") from error
    _reject_not_finite(values, batch)
    return sp.csr_array(values) if sp.issparse(values) else values


def fit_featurizer(featurizer, batch, **defaults):
    """A fitted clone of a featurizer, or of the default, and the features."""
    if featurizer is None:
        out = default_featurizer(batch, **defaults)
    else:
        out = clone(featurizer)
    if hasattr(out, "fit_transform"):
        return out, make_features(out.fit_transform, batch)
    out.fit(batch, None)  # a frozen one
    return out, make_features(out.transform, batch)


def _is_infinite(value):
    """Whether it is a number that is NaN or infinite."""
    return isinstance(value, float | np.floating) and not np.isfinite(value)


def _reject_not_finite(values, batch):
    """Raise, and say where, if there are numbers that are not finite."""
    flat = values.data if sp.issparse(values) else values
    if flat.dtype.kind != "f" or np.isfinite(flat).all():
        return
    if sp.issparse(values):
        entry = np.flatnonzero(~np.isfinite(flat))[0]
        row = np.searchsorted(values.indptr, entry, side="right") - 1
    else:
        row = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))[
            0
        ]
    sequence, position = locate(batch.offsets, row)
    what = "NaN or inf"
    if batch.values.dtype == object and isinstance(token := batch.values[row], dict):
        bad = [k for k, v in token.items() if v is None or _is_infinite(v)]
        what = f"{token[bad[0]]} as {bad[0]!r}" if bad else what
    raise ValueError(
        f"Features of the token at sequence {sequence}, position {position} hold "
        f"{what}; impute or remove it."
    )

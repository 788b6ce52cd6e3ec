"""Reading numeric tokens, and where their states start."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from skstruct.containers import place
from skstruct.emissions._base import plain

__all__ = ["as_numbers", "check_missing", "of_width", "start_means"]

# k-means only finds where to start: more rows than this would not change that.
_KMEANS_ROWS = 100_000


def check_missing(missing):
    """Raise for a value of the parameter ``missing`` that is not known."""
    if missing not in ("raise", "marginalize"):
        raise ValueError(f"missing must be 'raise' or 'marginalize', got {missing!r}.")


def as_numbers(values, emission, offsets=None):
    """Tokens as a float array (T, d) that is finite, or NaN where that is allowed.

    Parameters
    ----------
    values : ndarray of shape (T,) or (T, d)
        Tokens of all sequences; 1-D ones become a column.
    emission : Emission
        Gives its name and its parameter ``missing`` to the checks.
    offsets : ndarray of shape (n + 1,), default=None
        Where sequences begin, for errors.
    """
    name = type(emission).__name__
    if sp.issparse(values):
        raise ValueError(f"{name} reads dense arrays; got a sparse one, use toarray().")
    values = _as_floats(np.asarray(values), name, offsets)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.shape[1] == 0:
        raise ValueError(
            f"{name} reads tokens of shape (T,) or (T, d) with d >= 1, got "
            f"{values.shape}."
        )
    infinite = np.isinf(values).any(axis=1)
    if infinite.any():
        at = place(np.flatnonzero(infinite)[0], offsets)
        raise ValueError(
            f"The token at {at} holds infinity; {name} needs finite numbers."
        )
    if emission.missing == "raise":
        absent = np.isnan(values).any(axis=1)
        if absent.any():
            at = place(np.flatnonzero(absent)[0], offsets)
            raise ValueError(
                f"The token at {at} holds NaN. Fill it, or let "
                f"{name}(missing='marginalize') use what was observed."
            )
    return values


def of_width(values, emission):
    """Raise scikit-learn's message for a number of features that differs."""
    if not len(values):  # no tokens, as an empty list gives them, have any width
        return np.zeros((0, emission.n_features_in_))
    if values.shape[1] != emission.n_features_in_:
        raise ValueError(
            f"X has {values.shape[1]} features, but {type(emission).__name__} is "
            f"expecting {emission.n_features_in_} features as input"
        )
    return values


def _as_floats(values, name, offsets):
    if values.dtype.kind in "biuf":
        return np.ascontiguousarray(values, dtype=np.float64)
    if values.dtype.kind == "O":
        for i, token in enumerate(values):
            if not isinstance(token, np.ndarray) and not _is_number(token):
                raise ValueError(
                    f"The token at {place(i, offsets)} is {plain(token)!r}; {name} "
                    "needs numbers. Use Categorical() for symbols."
                )
        try:
            return np.ascontiguousarray(values.tolist(), dtype=np.float64)
        except (TypeError, ValueError):
            pass
    raise ValueError(
        f"{name} needs real numbers, got an array of dtype {values.dtype}. Use "
        "Categorical() for symbols."
    )


def _is_number(token):
    return token is None or isinstance(token, int | float | np.number | np.bool_)


def start_means(rows, weights, n_states, random_state, allowed=None):
    """Find a mean for each state: of its own rows where these are known, or k-means.

    Parameters
    ----------
    rows : ndarray of shape (U, d)
        Distinct observations; NaN is missing.
    weights : ndarray of shape (U,)
        How often each occurs.
    n_states : int
        Number of states K.
    random_state : RandomState or None
        For k-means; None takes a fixed seed.
    allowed : ndarray of bool of shape (U, K), default=None
        Rows with one state only give that state its mean.

    Returns
    -------
    ndarray of shape (K, d)
    """
    complete = ~np.isnan(rows).any(axis=1)
    if complete.sum() < n_states:
        average = np.average(rows[complete], axis=0) if complete.any() else 0.0
        rows = np.where(np.isnan(rows), average, rows)
        complete[:] = True
    random_state = check_random_state(0 if random_state is None else random_state)
    centres = _kmeans(rows[complete], weights[complete], n_states, random_state)
    if allowed is None:
        return centres
    known = complete & (allowed.sum(axis=1) == 1)
    hits = allowed[known] * weights[known, None]
    sizes = hits.sum(axis=0)
    named = np.flatnonzero(sizes > 0)
    means = centres.copy()
    means[named] = (hits.T @ rows[known])[named] / sizes[named, None]
    # States without rows of their own share the centres that no other is close to.
    taken = linear_sum_assignment(cdist(means[named], centres))[1]
    means[np.setdiff1d(np.arange(n_states), named)] = np.delete(centres, taken, axis=0)
    return means


def _kmeans(rows, weights, n_states, random_state):
    from sklearn.cluster import KMeans  # slow to import, and few fits need it

    if len(rows) < n_states:
        return rows[np.arange(n_states) % len(rows)]
    if len(rows) > _KMEANS_ROWS:
        chosen = random_state.choice(len(rows), _KMEANS_ROWS, replace=False)
        rows, weights = rows[chosen], weights[chosen]
    # Fewer distinct rows than states: equal centres are fine as a start. KMeans would
    # warn, and warnings cannot be silenced in one thread alone.
    n_distinct = len(np.unique(rows[:, 0]))
    if n_distinct < n_states:
        n_distinct = len(np.unique(rows, axis=0))
    n_clusters = min(n_states, n_distinct)
    kmeans = KMeans(n_clusters, n_init=1, random_state=random_state)
    centres = kmeans.fit(rows, sample_weight=weights).cluster_centers_
    return centres[np.arange(n_states) % n_clusters]

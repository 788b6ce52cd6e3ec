"""The one place that looks at the form in which users give data."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from skstruct.containers import Ragged

__all__ = ["as_labels", "as_ragged", "read_batch"]


def as_ragged(X, name="X"):
    """Any accepted form of sequences as a Ragged; see `read_batch`."""
    return read_batch(X, name)[0]


def read_batch(X, name="X"):
    """Read user input as a batch of sequences.

    Parameters
    ----------
    X : Ragged, list-like of sequences, or 2-D array of numbers
        A 2-D array or DataFrame of numbers is n sequences of length one.
    name : str, default="X"
        The name used in errors.

    Returns
    -------
    batch : Ragged
        The data.
    answer : callable
        ``answer(values)`` turns one value (or row) for each token into the caller's
        form: container to container, list-like to a 1-D object array of arrays, 2-D
        to one entry for each row.
    """
    if isinstance(X, Ragged):
        return X, lambda values: Ragged.from_arrays(values, X.offsets)
    if _is_rectangular(X):
        return _read_rows(X, name)
    if getattr(X, "ndim", None) == 1 and getattr(X, "dtype", object) != object:
        if isinstance(X, np.ndarray):
            raise ValueError(
                f"Expected 2D array, got 1D array instead: {name} is a 1-D array of "
                f"{X.dtype}. Reshape your data with array.reshape(-1, 1) if its entries "
                f"are samples of one token each, or pass one sequence as [{name}]."
            )
    if np.ndim(X) == 0 and not hasattr(X, "__iter__"):
        raise ValueError(
            f"Expected 2D array, got scalar array instead: {name}={X!r}. Pass a list of "
            "sequences."
        )
    try:
        batch = Ragged(X)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if len(batch) == 0:
        raise ValueError(f"{name} is empty: found 0 sample(s), need at least 1.")
    return batch, lambda values: np.asarray(Ragged.from_arrays(values, batch.offsets))

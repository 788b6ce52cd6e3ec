"""Batches of sequences in the forms in which users give them."""

from numbers import Number

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array

from skstruct.containers import Batch, Ragged
from skstruct.containers._reading import is_missing, reject_masked

__all__ = ["as_ragged", "is_scalar", "is_table", "n_dimensions", "read_batch"]


def as_ragged(X, name="X"):
    """Any accepted form of sequences as a Ragged; see `read_batch`."""
    return read_batch(X, name)[0]


def read_batch(X, name="X", *, accept_sparse=False):
    """Read user input as a batch of sequences.

    Parameters
    ----------
    X : Ragged, list-like of sequences, or 2-D array of numbers
        A 2-D array or DataFrame of numbers is n sequences of length one; a list of
        lists is a list of sequences, whatever their lengths. NaN and inf pass: the
        emission decides what they mean.
    name : str, default="X"
        The name used in errors.
    accept_sparse : bool, default=False
        Whether a sparse matrix is a table like any other.

    Returns
    -------
    batch : Ragged
        The data.
    answer : callable
        ``answer(values)`` turns one value (or row) for each token into the caller's
        form: container to container, list-like to a 1-D object array of arrays, 2-D
        to one entry for each row.

    Raises
    ------
    ValueError
        If the input is empty, a scalar, one sequence instead of a batch, a table of
        strings or of more than two dimensions; what to do is said.
    TypeError
        If a 2-D array holds dicts, or is sparse and that is not accepted.
    """
    if not isinstance(X, Batch):
        X = _as_iterable(X, name)
    if n_dimensions(X) > 1:
        return _read_table(X, name, accept_sparse)
    if n_dimensions(X) == 1 and not isinstance(X, Batch):
        _reject_one_sequence(X, name)
    if isinstance(X, Ragged):
        batch = X
    else:
        try:
            batch = Ragged(X)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    if len(batch) == 0:
        raise ValueError(
            f"{name} is empty: found 0 sample(s) while a minimum of 1 is required."
        )
    _reject_kinds(batch.values.dtype, name)
    if batch is X:
        return batch, lambda values: Ragged.from_arrays(values, batch.offsets)
    return batch, lambda values: np.asarray(Ragged.from_arrays(values, batch.offsets))


def n_dimensions(X):
    """Number of axes of an array, frame, series or sparse matrix; 0 for lists."""
    return len(getattr(X, "shape", None) or ())


def is_table(X):
    """Whether the input is a 2-D array, frame or sparse matrix, not sequences."""
    if not hasattr(X, "__iter__") and hasattr(X, "__array__"):
        X = np.asarray(X)
    return n_dimensions(X) == 2


def _as_iterable(X, name):
    """The input itself, or what its ``__array__`` gives where that is all it has."""
    if not hasattr(X, "__iter__") and hasattr(X, "__array__"):
        X = np.asarray(X)
    if not hasattr(X, "__iter__") or (isinstance(X, np.ndarray) and X.ndim == 0):
        raise ValueError(
            f"Expected 2D array, got scalar array instead: {name}={X!r}. Pass a list "
            "of sequences."
        )
    return X


def is_scalar(token):
    """Whether a token is text or a number."""
    return isinstance(token, str | bytes | Number | np.generic)


def _reject_one_sequence(X, name):
    first = next((sample for sample in X if not is_missing(sample)), np.nan)
    if is_scalar(first):
        kind = getattr(X, "dtype", type(first).__name__)
        raise ValueError(
            f"Expected 2D array, got 1D array instead: {name} has shape ({len(X)},) "
            f"and holds {kind} values. Reshape your data: pass one sequence as "
            f"[{name}], several as a list or by Ragged.from_lengths({name}, lengths), "
            "and numbers that are separate samples as array.reshape(-1, 1) or, for a "
            "single sample, array.reshape(1, -1)."
        )


def _reject_kinds(dtype, name):
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} holds {dtype} values.")
    if dtype.kind in "mM":
        raise ValueError(
            f"{name} holds dates or times ({dtype}); convert them to numbers, or name "
            "them as order= in Ragged.from_frame."
        )


def _read_table(X, name, accept_sparse):
    """A 2-D array or frame of numbers: rows of length one each."""
    if n_dimensions(X) > 2:
        raise ValueError(
            f"Found array with dim {n_dimensions(X)}, while dim <= 2 is required: "
            f"{name} has shape {X.shape}. For sequences {name}[i] pass list({name})."
        )
    if not sp.issparse(X):
        reject_masked(X, name)
        _reject_text(np.asarray(X), name)
    values = check_array(
        X,
        accept_sparse="csr" if accept_sparse else False,
        ensure_all_finite=False,
        input_name=name,
    )
    _reject_kinds(values.dtype, name)
    batch = Ragged.from_arrays(values, np.arange(values.shape[0] + 1))
    return batch, np.asarray


def _reject_text(table, name):
    if table.dtype.kind in "UST" or (
        table.dtype == object and any(isinstance(v, str | bytes) for v in table.flat)
    ):
        raise ValueError(
            f"{name} is a table of strings, shape {table.shape}, whose reading is "
            "ambiguous. Use Ragged.from_rows(array) if every row is one sequence of "
            "tokens, Ragged.from_frame(frame, column, group=...) if every row is one "
            "token."
        )

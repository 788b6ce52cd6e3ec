"""The one place that looks at the form in which users give data."""

from numbers import Number

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from skstruct.containers import Batch, Ragged
from skstruct.containers._batch import locate
from skstruct.containers._reading import reject_masked

__all__ = [
    "as_labels",
    "as_ragged",
    "check_features",
    "check_sample_weight",
    "is_missing",
    "is_table",
    "is_unknown",
    "read_batch",
    "reject_lengths",
]

# Sums of weighted counts must stay finite.
_LARGEST_WEIGHT = 1e100


def as_ragged(X, name="X"):
    """Any accepted form of sequences as a Ragged; see `read_batch`."""
    return read_batch(X, name)[0]


def read_batch(X, name="X"):
    """Read user input as a batch of sequences.

    Parameters
    ----------
    X : Ragged, list-like of sequences, or 2-D array of numbers
        A 2-D array or DataFrame of numbers is n sequences of length one; a list of
        lists is a list of sequences, whatever their lengths. NaN and inf pass: the
        emission decides what they mean.
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

    Raises
    ------
    ValueError
        If the input is empty, a scalar, one sequence instead of a batch, a table of
        strings or of more than two dimensions; what to do is said.
    TypeError
        If a 2-D array holds dicts, or is sparse.
    """
    if not isinstance(X, Batch):
        X = _as_iterable(X, name)
    if _n_dimensions(X) > 1:
        return _read_table(X, name)
    if _n_dimensions(X) == 1 and not isinstance(X, Batch):
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


def _n_dimensions(X):
    """Number of axes of an array, frame, series or sparse matrix; 0 for lists."""
    return len(getattr(X, "shape", None) or ())


def is_table(X):
    """Whether the input is a 2-D array, frame or sparse matrix, not sequences."""
    if not hasattr(X, "__iter__") and hasattr(X, "__array__"):
        X = np.asarray(X)
    return _n_dimensions(X) == 2


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


def _is_scalar(token):
    return isinstance(token, str | bytes | Number | np.generic)


def _reject_one_sequence(X, name):
    first = next(iter(X), None)
    if _is_scalar(first):
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


def _read_table(X, name):
    """A 2-D array or frame of numbers: rows of length one each."""
    if _n_dimensions(X) > 2:
        raise ValueError(
            f"Found array with dim {_n_dimensions(X)}, while dim <= 2 is required: "
            f"{name} has shape {X.shape}. For sequences {name}[i] pass list({name})."
        )
    if not sp.issparse(X):
        reject_masked(X, name)
        _reject_text(np.asarray(X), name)
    values = check_array(X, ensure_all_finite=False, input_name=name)
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


def check_features(estimator, X, batch, *, reset):
    """Keep or compare the number and names of features, as scikit-learn does.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_``, and ``feature_names_in_`` from columns with names.
    X : object
        The data as the user gave it.
    batch : Ragged
        The data as `read_batch` gave it; tokens without features are not counted.
    reset : bool
        True in ``fit``; otherwise a difference from ``fit`` raises.

    Raises
    ------
    ValueError
        If the features differ from those in ``fit``.
    """
    if batch.values.ndim == 2:
        # Only frames have names; the values of other forms tell the number.
        named = X if hasattr(X, "columns") else batch.header
        named = batch.values if named is None else named
        validate_data(estimator, named, reset=reset, skip_check_array=True)


def reject_lengths(y, batch, name="y"):
    """Raise if ``y`` is hmmlearn's ``lengths`` in the wrong place.

    Parameters
    ----------
    y : object
        What was given as labels; None passes.
    batch : Ragged
        The data beside it.
    name : str, default="y"
        The name used in errors.

    Raises
    ------
    ValueError
        If ``y`` is a 1-D array of positive integers, not one for each sequence, that
        sum to the number of tokens.
    """
    if isinstance(y, Batch) or not hasattr(y, "__len__") or len(y) == len(batch):
        return
    if not all(isinstance(v, int | np.integer) for v in y):
        return
    if sum(y) == batch.n_tokens and min(y, default=0) > 0:
        raise ValueError(
            f"{name} looks like the lengths of sequences: {len(y)} integers that sum "
            f"to the {batch.n_tokens} rows of X; use Ragged.from_lengths(X, lengths)."
        )


def as_labels(y, batch, name="y"):
    """Read labels, some of which may be unknown, for the tokens of a batch.

    None, NaN and, among integers, -1 mean that a label is unknown; None in the place
    of a sequence means that all its labels are.

    Parameters
    ----------
    y : Ragged, or list-like of sequences of labels
        One label for each token. Where all sequences have length one, also a plain 1-D
        array.
    batch : Ragged
        The data that the labels belong to.
    name : str, default="y"
        The name used in errors.

    Returns
    -------
    labels : ndarray of shape (n_tokens,)
        Integers with -1, or objects with None, where unknown.
    known : ndarray of bool of shape (n_tokens,)
        Where the label is known.

    Raises
    ------
    ValueError
        If the numbers of sequences or their lengths differ from those of the batch, or
        a label is neither a string nor an integer.
    """
    reject_lengths(y, batch, name)
    rows = y if isinstance(y, Ragged) else _label_rows(y, name)
    if len(rows) != len(batch):
        raise ValueError(f"{name} has {len(rows)} sequences, X has {len(batch)}.")
    y = _fill_unknown(rows, batch.lengths, name)
    wrong = np.flatnonzero(y.lengths != batch.lengths)
    if wrong.size:
        i = wrong[0]
        raise ValueError(
            f"{name}: sequence {i} has {y.lengths[i]} labels, but X has "
            f"{batch.lengths[i]} tokens there; give one label for each token."
        )
    values = y.values
    if values.shape[1:] == (1,) and not sp.issparse(values):
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            f"{name} must hold one label for each token, got {values.shape[1]} columns."
        )
    if values.dtype.kind in "iu" and values.dtype != np.uint64:
        return values.astype(np.intp), values != -1
    return _normalise(values, batch.offsets, name)


def _label_rows(y, name):
    """List-like labels as a list with an entry for each sequence."""
    if isinstance(y, str | bytes | dict) or not hasattr(y, "__iter__"):
        raise ValueError(
            f"{name} must be a list of sequences of labels, got {type(y).__name__}."
        )
    return list(y if _n_dimensions(y) < 2 else np.asarray(y))


def _fill_unknown(rows, lengths, name):
    """Rows of labels as a Ragged; an unknown sequence is filled with None."""
    if isinstance(rows, Ragged):
        return rows
    if (lengths == 1).all():
        rows = [[s] if _is_scalar(s) else s for s in rows]
    rows = [
        [None] * n if is_missing(s) else s
        for s, n in zip(rows, lengths.tolist(), strict=True)
    ]
    try:
        return Ragged(rows)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def is_missing(label):
    """Whether None, NaN or NA stands where a label, or a sequence, is expected."""
    if hasattr(label, "__len__"):  # text, or a sequence: arrays compare item by item
        return False
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA compares as NA, which has no truth value
        return True


def is_unknown(label):
    """Whether a label says that it is not known: it is missing or -1."""
    return is_missing(label) or (not isinstance(label, str) and label == -1)


def _normalise(values, offsets, name):
    """Labels of mixed or floating type as integers with -1 or objects with None."""
    flat = values.tolist()
    types = set(map(type, flat))
    if types <= {int, type(None)}:
        labels = _as_integers([-1 if v is None else v for v in flat], name)
        return labels, labels != -1
    if types <= {str, type(None)}:
        return values.copy(), np.array([v is not None for v in flat], dtype=bool)
    labels, kinds = np.empty(len(flat), dtype=object), set()
    for t, label in enumerate(flat):
        if is_unknown(label):
            continue
        if isinstance(label, float | np.floating) and label.is_integer():
            label = int(label)
        kind = next(
            (k for k in (str, bool, int, np.integer) if isinstance(label, k)), 0
        )
        kinds.add({np.integer: int}.get(kind, kind))
        if len(kinds) > 1 or 0 in kinds:
            i, position = locate(offsets, t)
            shown = label.item() if isinstance(label, np.generic) else label
            raise ValueError(
                f"Unknown label type: {name}, sequence {i}, position {position}: "
                f"{shown!r}; labels are all strings or all integers, None if unknown."
            )
        labels[t] = label
    known = np.array([label is not None for label in labels], dtype=bool)
    if kinds <= {int}:
        labels = _as_integers(np.where(known, labels, -1), name)
    return labels, known


def _as_integers(labels, name):
    try:
        return np.array(labels, dtype=np.intp)
    except OverflowError as error:
        raise ValueError(
            f"{name} holds an integer beyond 64 bits; name such labels by strings."
        ) from error


def check_sample_weight(sample_weight, n, *, allow_all_zero=False):
    """One finite weight for each of ``n`` samples.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), float or None
        A number is the weight of every sample; None stands for 1.
    n : int
        The number of samples (sequences).
    allow_all_zero : bool, default=False
        Whether all samples may be left out.

    Returns
    -------
    ndarray of shape (n,), dtype float64

    Raises
    ------
    ValueError
        If the shape is wrong, a weight is negative or not finite, or all are zero
        where that is not allowed.
    """
    if sample_weight is None:
        return np.ones(n)
    try:
        weight = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sample_weight must be numbers, one for each of the {n} samples."
        ) from error
    if weight.ndim == 0:
        weight = np.full(n, weight)
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, but there are {n} samples; give "
            "one weight for each sample (sequence), shape (n_samples,)."
        )
    bad = np.flatnonzero(~((weight >= 0) & (weight <= _LARGEST_WEIGHT)))
    if bad.size:
        raise ValueError(
            f"sample_weight of sample {bad[0]} is {weight[bad[0]]}; weights are "
            f"finite, not negative and at most {_LARGEST_WEIGHT:g}."
        )
    if n and not allow_all_zero and not weight.any():
        raise ValueError("sample_weight must hold at least one non-zero weight.")
    return weight

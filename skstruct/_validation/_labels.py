"""Labels, some of which may be unknown."""

from math import prod

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import column_or_1d

from skstruct._validation._batches import is_scalar, n_dimensions
from skstruct.containers import Batch, Ragged, locate, place
from skstruct.containers._reading import is_missing

__all__ = [
    "as_classes",
    "as_known_labels",
    "as_labels",
    "is_unknown",
    "plain",
    "reject_lengths",
]


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
    values = _flat_labels(y, batch, name)
    if values.dtype.kind in "iu" and values.dtype != np.uint64:
        return values.astype(np.intp), values != -1
    return _normalise(values, batch.offsets, name)


def as_known_labels(y, batch, name="y"):
    """Read labels, all of which are known, for the tokens (nodes) of a batch.

    Parameters
    ----------
    y : Ragged, or list-like of sequences of labels
        One label for each token: strings, booleans or whole numbers, -1 among them.
        Where all sequences have length one, also a plain 1-D array.
    batch : Ragged
        The data that the labels belong to.
    name : str, default="y"
        The name used in errors.

    Returns
    -------
    ndarray of shape (n_tokens,)
        Labels of one type.

    Raises
    ------
    ValueError
        If the numbers of sequences or their lengths differ from those of the batch, or
        a label is missing, a fraction, or of another type than the others.
    """
    if y is None:
        raise ValueError(
            f"This estimator requires {name} to be passed, but the target y is None: "
            "give a sequence of labels for each sample."
        )
    if n_dimensions(y) == 2 and y.shape == (len(batch), 1):
        y = column_or_1d(y, warn=True)
    values = _flat_labels(y, batch, name)
    if values.dtype.kind in "bi":
        return values.copy()
    flat = values.tolist()
    missing = [t for t, label in enumerate(flat) if is_missing(label)]
    if missing:
        raise ValueError(
            f"Input {name} contains NaN: there is no label at "
            f"{place(missing[0], batch.offsets)}; all labels must be known here. Leave "
            "such samples out."
        )
    kinds = {_kind(label): t for t, label in reversed(list(enumerate(flat)))}
    if len(kinds) > 1 or None in kinds:
        t = kinds.get(None, max(kinds.values()))
        raise ValueError(
            f"Unknown label type: {name}, {place(t, batch.offsets)}: "
            f"{plain(flat[t])!r}; "
            "labels are all strings or all whole numbers. (Numbers that are measured, "
            "continuous ones, must be cut into classes first.)"
        )
    if int in kinds:
        return _as_integers([int(label) for label in flat], name)
    return np.array(flat, dtype=bool if bool in kinds else object)


def as_classes(classes, name="classes"):
    """Different labels of one type, in the order given.

    Parameters
    ----------
    classes : array-like of shape (K,)
        Strings, booleans or whole numbers.
    name : str, default="classes"
        The name used in errors.

    Returns
    -------
    ndarray of shape (K,)
        Of dtype object, bool or intp.

    Raises
    ------
    ValueError
        If it is a set, which has no order, or text; or labels are missing, of several
        types, no labels at all, or named twice.
    """
    if isinstance(classes, set | frozenset | dict | str) or n_dimensions(classes) > 1:
        raise ValueError(
            f"{name} must be a list of labels, whose order has a meaning; got "
            f"{type(classes).__name__} {classes!r}."
        )
    labels = [plain(label) for label in classes]
    kinds = list(map(_kind, labels))
    for label, kind in zip(labels, kinds, strict=True):
        if kind is None:
            raise ValueError(
                f"{name} holds {label!r}, which is no label: labels are strings or "
                "whole numbers, in a flat list."
            )
        if kind is not kinds[0]:
            raise ValueError(
                f"{name} holds {labels[0]!r} and {label!r}; labels are all strings or "
                "all whole numbers."
            )
    if len(set(labels)) < len(labels) or not labels:
        raise ValueError(f"{name} must be different labels, got {labels!r}.")
    if kinds[0] is int:
        return _as_integers([int(label) for label in labels], name)
    return np.array(labels, dtype=bool if kinds[0] is bool else object)


def _kind(label):
    """The type that a label counts as; None for what is no label."""
    if isinstance(label, float):
        return int if label.is_integer() else None
    return next((kind for kind in (str, bool, int) if isinstance(label, kind)), None)


def _flat_labels(y, batch, name):
    """Labels of all tokens, 1-D, after a check that there is one for each."""
    reject_lengths(y, batch, name)
    rows = y if isinstance(y, Ragged) else _label_rows(y, name)
    if len(rows) != len(batch):
        _raise_number(rows, batch, name)
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
    return values


def _raise_number(rows, batch, name):
    known = [row for row in rows if not is_missing(row)]
    if not known or not all(map(is_scalar, known)):
        raise ValueError(f"{name} has {len(rows)} sequences, X has {len(batch)}.")
    advice = f"X has {batch.n_tokens} tokens: give a label for each, by sequence."
    if len(rows) == batch.n_tokens:
        advice = (
            "If they are those of all tokens, one sequence after another, pass "
            f"Ragged.from_lengths({name}, Ragged(X).lengths)."
        )
    raise ValueError(
        f"{name} is flat: {len(rows)} labels, no sequence for each of the {len(batch)} "
        f"samples of X. {advice}"
    )


def _label_rows(y, name):
    """List-like labels as a list with an entry for each sequence."""
    if not hasattr(y, "__iter__") and hasattr(y, "__array__"):
        y = np.asarray(y)
    if isinstance(y, str | bytes | dict) or not hasattr(y, "__iter__"):
        raise ValueError(
            f"{name} must be a list of sequences of labels, got {type(y).__name__}."
        )
    return list(y if n_dimensions(y) < 2 else np.asarray(y))


def _fill_unknown(rows, lengths, name):
    """Rows of labels as a Ragged; an unknown sequence is filled with None."""
    if isinstance(rows, Ragged):
        return rows
    if (lengths == 1).all():
        rows = [[s] if is_scalar(s) else s for s in rows]
    rows = [
        [None] * n if is_missing(s) else s
        for s, n in zip(rows, lengths.tolist(), strict=True)
    ]
    for i, s in enumerate(rows):
        if is_scalar(s) or isinstance(s, dict | set | frozenset):
            raise ValueError(
                f"{name}: Sample {i} is a single {type(s).__name__} "
                f"({str(s)[:40]!r}); give a label for each token, in a list for each "
                "sample."
            )
        if n_dimensions(s) > 1 and s.shape[0] != lengths[i] == prod(s.shape):
            raise ValueError(
                f"{name}: sequence {i} has the shape {s.shape}, X has {lengths[i]} "
                "tokens there; give one label for each token, such as mask.ravel() of "
                "a mask."
            )
    try:
        return Ragged(rows)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def is_unknown(label):
    """Whether a label says that it is not known: it is missing or -1."""
    return is_missing(label) or (not isinstance(label, str) and label == -1)


def plain(label):
    """A label as Python's own text or number, which reads well in messages."""
    return label.item() if isinstance(label, np.generic) else label


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
            raise ValueError(
                f"Unknown label type: {name}, sequence {i}, position {position}: "
                f"{plain(label)!r}; labels are all strings or all integers, None if "
                "unknown."
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
            f"{name} holds an integer beyond 64 bits, one of them the sign; name such "
            "labels by strings."
        ) from error

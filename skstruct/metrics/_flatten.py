"""Gold and predicted label sequences as flat integer codes."""

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from skstruct._validation import check_sample_weight, is_missing, plain
from skstruct.containers import Ragged
from skstruct.containers._batch import locate

__all__ = ["LabelPairs", "read_pairs"]

_IN_NO_ORDER = Mapping | set | frozenset


class LabelPairs(NamedTuple):
    """The tokens that count: those with a known gold label and some weight.

    Attributes
    ----------
    gold, predicted : ndarray of shape (n,)
        Codes of the labels: ``names[gold[t]]`` is the gold label of token ``t``.
    names : list
        The labels of both sides, sorted where they can be.
    weight : ndarray of shape (n,) or None
        Weight of the sequence that a token stands in.
    sequence : ndarray of shape (n,)
        Number of the sequence that a token stands in.
    row : ndarray of shape (n,)
        Place of a token among all tokens, those without a gold label included.
    offsets : ndarray of shape (n_sequences + 1,)
        Where each sequence begins among all tokens.
    """

    gold: np.ndarray
    predicted: np.ndarray
    names: list
    weight: np.ndarray | None
    sequence: np.ndarray
    row: np.ndarray
    offsets: np.ndarray


def read_pairs(y_true, y_pred, sample_weight=None, known=None):
    """Pair each known gold label with its prediction.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        A 1-D array is n sequences of one label. None, NaN and -1 are unknown labels;
        None in the place of a sequence makes all of its labels unknown.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        One label for each label of ``y_true``; here -1 is a label like others.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences; those of weight 0 count as absent.
    known : list, default=None
        Labels; with -1 among them it is a label like others.

    Returns
    -------
    LabelPairs or None
        None, with a UserWarning, where no known label is left.

    Raises
    ------
    ValueError
        If the two sides differ in length, or a prediction is missing; the message
        names the sequence.
    """
    predicted = _read(y_pred, "y_pred")
    gold = _read(y_true, "y_true", lengths=predicted.lengths)
    _check_same_lengths(gold, predicted)
    codes, names = _encode(gold.values.tolist() + predicted.values.tolist())
    gold_codes, predicted_codes = np.split(codes, [gold.n_tokens])
    is_known = gold_codes >= 0
    if -1 in names and (known is None or -1 not in known):
        is_known &= gold_codes != names.index(-1)
    _check_predicted(is_known & (predicted_codes < 0), gold)
    sequence = np.repeat(np.arange(len(gold)), gold.lengths)
    weight = _token_weight(sample_weight, gold.lengths)
    row = np.flatnonzero(is_known if weight is None else is_known & (weight > 0))
    if not row.size:
        warnings.warn(
            "There is no known gold label to compare with (None, NaN and -1 are "
            "unknown, sequences of weight 0 are absent), so the score is NaN.",
            UserWarning,
            stacklevel=3,
        )
        return None
    return LabelPairs(
        gold_codes[row],
        predicted_codes[row],
        names,
        None if weight is None else weight[row],
        sequence[row],
        row,
        gold.offsets,
    )


def _read(y, name, lengths=None):
    """A Ragged of labels; ``lengths`` fill sequences that are unknown as a whole."""
    if y is None:
        raise ValueError(f"{name} is None; a metric needs gold labels and predictions.")
    batch = y if isinstance(y, Ragged) else _from_list(_as_list(y, name), name, lengths)
    if batch.values.ndim != 1:
        raise ValueError(
            f"{name} must hold one label for each token, not vectors: its values have "
            f"shape {batch.values.shape}."
        )
    return batch


def _as_list(y, name):
    for method in ("tolist", "to_list"):  # arrays, pandas and pyarrow; polars
        if hasattr(y, method):
            y = getattr(y, method)()
            break
    if isinstance(y, str | _IN_NO_ORDER) or not hasattr(y, "__iter__"):
        raise ValueError(
            f"{name} must be a list of label sequences or of labels, got one "
            f"{type(y).__name__}."
        )
    if hasattr(y, "columns"):
        raise ValueError(
            f"{name} is a data frame; pass one column of it, or use Ragged.from_frame."
        )
    return list(y)


def _from_list(items, name, lengths):
    kinds = set(map(type, items))
    for kind in kinds:
        if issubclass(kind, _IN_NO_ORDER):
            i = list(map(type, items)).index(kind)
            raise ValueError(
                f"{name}[{i}] is a {kind.__name__}, whose entries are in no order of "
                "tokens; give a list of labels."
            )
    if kinds != {type(None)} and not any(map(_is_sequence_type, kinds)):
        return Ragged.from_lengths(items, np.ones(len(items), dtype=np.intp))
    sequences = []
    for i, item in enumerate(items):
        if _is_sequence_type(type(item)):
            to_list = getattr(item, "tolist", None) or getattr(item, "to_list", None)
            sequences.append(to_list() if to_list else list(item))
        elif is_missing(item) and lengths is not None:
            # A surplus sequence is left empty: the check of counts reports it.
            sequences.append([None] * int(lengths[i]) if i < len(lengths) else [])
        else:
            raise ValueError(
                f"{name}[{i}] is {plain(item)!r}, not a sequence of labels."
            )
    try:
        return Ragged(sequences)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _is_sequence_type(kind):
    return hasattr(kind, "__len__") and not issubclass(kind, str | bytes)


def _check_same_lengths(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError(
            f"y_true has {len(gold)} sequences, y_pred {len(predicted)}. (A 1-D array "
            "is read as sequences of one label; write one sequence as [labels].)"
        )
    differ = np.flatnonzero(gold.lengths != predicted.lengths)
    if differ.size:
        i = differ[0]
        raise ValueError(
            f"Sequence {i} has {gold.lengths[i]} labels in y_true and "
            f"{predicted.lengths[i]} in y_pred; each token needs one of both."
        )


def _encode(labels):
    """Codes of labels and the names behind them; missing labels have code -1."""
    try:
        distinct = dict.fromkeys(labels)
    except TypeError as error:
        raise ValueError(f"Labels must be text or numbers: {error}.") from error
    names = [plain(label) for label in distinct if not is_missing(label)]
    try:
        names.sort()
    except TypeError:
        names.sort(key=lambda label: (type(label).__name__, str(label)))
    code = dict.fromkeys(distinct, -1)
    code.update((name, i) for i, name in enumerate(names))
    return np.fromiter(map(code.__getitem__, labels), np.intp, len(labels)), names


def _check_predicted(missing, batch):
    if missing.any():
        row = np.argmax(missing)
        i, position = locate(batch.offsets, row)
        raise ValueError(
            f"y_pred has no label (None or NaN) at position {position} "
            f"of sequence {i}, where the gold label is {plain(batch.values[row])!r}."
        )


def _token_weight(sample_weight, lengths):
    if sample_weight is None:
        return None
    weight = check_sample_weight(sample_weight, len(lengths), allow_all_zero=True)
    return np.repeat(weight, lengths)

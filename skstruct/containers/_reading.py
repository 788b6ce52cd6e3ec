"""Sequences in the forms users have them, as one flat array and offsets."""

from collections.abc import Mapping
from itertools import chain, pairwise

import numpy as np
import scipy.sparse as sp

from skstruct.containers._batch import Batch, offsets_of
from skstruct.containers._frame import common_header

__all__ = [
    "as_values",
    "describe",
    "flatten",
    "is_missing",
    "join",
    "reject_masked",
    "reject_networkx",
]

_REAL = float | np.floating


def as_values(values):
    """A flat array of tokens: CSR stays CSR, text becomes objects."""
    if sp.issparse(values):
        return sp.csr_array(values)
    if isinstance(values, Batch):
        raise ValueError(f"values must be flat; pass the values of the {values!r}.")
    if isinstance(values, list | tuple):
        return _from_lists([list(values)])
    reject_masked(values, "values")
    values = np.asarray(values)
    if values.ndim == 0:
        raise ValueError("values must have one entry for each token, got a scalar.")
    return values.astype(object) if values.dtype.kind in "UST" else values


def describe(values):
    """Kind and width of a flat array of tokens, such as ``"float64 x 5"``."""
    is_text = values.dtype == object and isinstance(next(iter(values.flat), 0), str)
    kind = "str" if is_text else str(values.dtype)
    return f"{kind} x {values.shape[1]}" if values.ndim == 2 else kind


def join(arrays, what="Sample"):
    """The arrays of several samples as one; empty ones have no say in its type.

    Those that are unlike are named by ``what`` they are and their number.
    """
    _check_alike([(i, a) for i, a in enumerate(arrays) if a.shape[0]], what)
    filled = [a for a in arrays if a.shape[0]] or arrays[:1]
    if not filled:
        return np.zeros(0, dtype=object)
    if sp.issparse(filled[0]):
        return sp.csr_array(sp.vstack(filled, format="csr"))
    joined = np.concatenate(filled)
    if joined.dtype.kind == "f" and all(a.dtype.kind in "iu" for a in filled):
        return np.concatenate([a.astype(object) for a in filled])  # to stay exact
    return joined


def is_missing(label):
    """Whether None, NaN or NA stands where a label, or a sequence, is expected."""
    if hasattr(label, "__len__"):  # text, or a sequence: arrays compare item by item
        return False
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA compares as NA, which has no truth value
        return True


def reject_masked(array, what) -> None:
    """Raise for a masked array, whose mask numpy would forget."""
    if np.ma.is_masked(array):
        raise ValueError(
            f"{what} is an array with masked entries. Fill them, such as by "
            "array.filled(np.nan), or leave them out."
        )


def flatten(sequences):
    """Flat values, offsets and the header of an iterable of sequences."""
    _reject_other_forms(sequences)
    given = list(sequences)
    header = None
    if given and all(hasattr(s, "columns") for s in given):
        header = common_header(given)
    return *_flatten(given), header


def _flatten(sequences):
    sequences = [
        s if type(s) is list else _as_sequence(s, i) for i, s in enumerate(sequences)
    ]
    if all(type(s) is list for s in sequences):
        return _from_lists(sequences), offsets_of([len(s) for s in sequences])
    arrays = [
        _from_lists([s], i) if type(s) is list else s for i, s in enumerate(sequences)
    ]
    return join(arrays), offsets_of([a.shape[0] for a in arrays])


def _reject_other_forms(sequences):
    kind = type(sequences).__name__
    reject_networkx(sequences, "What should be a list of sequences")
    if _is_graph(sequences):
        raise ValueError(
            "Expected a list of sequences, got one graph (features, edges). A batch of "
            "graphs is GraphBatch([(features, edges), ...]); its part with one graph, "
            "which models take, is X[i:i + 1]: X[:1], not X[0]."
        )
    if isinstance(sequences, str | bytes | Mapping | Batch) or not hasattr(
        sequences, "__iter__"
    ):
        raise ValueError(
            f"Expected a list of sequences, got one {kind}; write one sequence of "
            "tokens as [tokens]."
        )
    shape = getattr(sequences, "shape", ())
    if len(shape) > 1:
        advice = (
            "Use from_frame(frame, columns, group=...)"
            if hasattr(sequences, "columns")
            else "Use from_rows(array) if each row is a sequence of symbols, "
            "from_lengths(array, lengths) if each row is a token, list(array) if "
            "array[i] is sequence i"
        )
        raise ValueError(
            f"Expected a list of sequences, got a {kind} of shape {shape}. {advice}."
        )


def reject_networkx(given, what) -> None:
    """Raise for a graph of networkx, which iterates over the names of its nodes."""
    if not hasattr(given, "nodes") or not hasattr(given, "edges"):
        return
    if not hasattr(given, "__array__"):  # frames may have such columns
        raise ValueError(
            f"{what} is a {type(given).__name__}; graphs of networkx, a single one as "
            "[graph], are read by GraphBatch.from_networkx(graphs, feature=...)."
        )


def _is_graph(sample):
    """Whether it is (features, edges) or (features, edges, edge features) of a graph.

    Only what a GraphBatch answers with is told from two sequences: a tuple of arrays,
    of which the second one holds pairs of row numbers of the first one.
    """
    if not isinstance(sample, tuple) or len(sample) not in (2, 3):
        return False
    features, edges = sample[:2]
    if not isinstance(edges, np.ndarray) or edges.dtype.kind not in "iu":
        return False
    if edges.ndim != 2 or edges.shape[1] != 2 or not hasattr(features, "shape"):
        return False
    return bool(((edges >= 0) & (edges < features.shape[0])).all())


def _as_sequence(sequence, i):
    """A list, or an array of numbers, from whatever holds one sample."""
    if isinstance(sequence, tuple | range):
        return list(sequence)
    if sp.issparse(sequence) and sequence.ndim == 2:
        return sp.csr_array(sequence)
    if isinstance(sequence, str | bytes | Mapping) or not hasattr(sequence, "__iter__"):
        _raise_single(sequence, i)
    if isinstance(sequence, set | frozenset):
        raise ValueError(f"Sample {i} is a set, which has no order; pass a list.")
    reject_networkx(sequence, f"Sample {i}")
    if not hasattr(sequence, "__array__"):
        return list(sequence)
    reject_masked(sequence, f"Sample {i}")
    array = np.asarray(sequence)
    if array.ndim == 0:
        _raise_single(sequence, i)
    if array.ndim > 2:
        raise ValueError(
            f"Sample {i} has {array.ndim} dimensions; a sequence is (T,) or (T, d)."
        )
    return array.tolist() if array.dtype.kind in "OUST" else array


def _raise_single(sample, i):
    if is_missing(sample):
        raise ValueError(
            f"Sample {i} is missing ({sample}), and no sequence. Leave such rows out, "
            "with their labels if there are some: dropna() in pandas, drop_nulls() in "
            "polars. A sequence without tokens is []."
        )
    raise ValueError(
        f"Sample {i} is a single {type(sample).__name__} ({str(sample)[:40]!r}), not a "
        "sequence. A batch is a list of sequences: split text into tokens, and write "
        "one sequence as [sequence]."
    )


def _from_lists(sequences, first=0):
    """Tokens of lists as one array; samples are numbered from ``first`` in errors."""
    tokens = list(chain.from_iterable(sequences))
    kinds = set(map(type, tokens))
    if kinds and all(
        issubclass(k, bool | int | float | np.number | np.bool_) for k in kinds
    ):
        numbers = np.asarray(tokens)
        if numbers.dtype.kind != "f" or any(issubclass(k, _REAL) for k in kinds):
            return numbers
        tokens = [int(t) for t in tokens]  # beyond 64 bits floats would not be exact
    if any(issubclass(k, list | tuple) or hasattr(k, "__array__") for k in kinds):
        # numpy's scalars are the other types with `__array__`: their shape is ().
        shapes = [[_shape(t) for t in s] for s in sequences]
        if set(chain.from_iterable(shapes)) != {()}:
            _check_shapes(shapes, first)
            return _from_vectors(tokens)
    out = np.empty(len(tokens), dtype=object)
    out[:] = tokens
    return out


def _shape(token):
    if isinstance(token, str | dict):
        return ()
    try:
        return np.shape(token)
    except ValueError:
        return None


def _check_shapes(shapes, first):
    """Raise at the first token that is not shaped as the first one, or no vector."""
    expected = next(chain.from_iterable(shapes))
    for i, sample in enumerate(shapes, start=first):
        for t, shape in enumerate(sample):
            if shape is None or shape != expected or len(shape) > 1:
                raise ValueError(
                    f"Sample {i}, position {t}: {_shape_fault(shape, expected)}"
                    f"{_GRAPHS if _has_edges(sample) else ''}"
                )


_GRAPHS = (
    " If each sample is a graph, (features, edges), pass GraphBatch(samples) instead "
    "of the list."
)


def _has_edges(sample):
    """Whether shapes of tokens may be those of the parts of a graph."""
    return len(sample) in (2, 3) and (sample[1] or ())[1:] == (2,)


def _shape_fault(shape, expected):
    if shape is not None and len(shape) > 1:
        return (
            f"the token has shape {shape}. Tokens may be symbols, numbers, dicts or "
            "vectors, but not matrices: are the brackets one pair too many?"
        )
    what = f"has shape {shape}" if shape is not None else "is a list of uneven lists"
    first = "" if expected is None else f", the first token {expected}"
    return (
        f"the token {what}{first}. Tokens are symbols, numbers, dicts or vectors; "
        "vectors need the same number of columns in all sequences."
    )


def _from_vectors(tokens):
    vectors = np.asarray(tokens)
    if vectors.dtype.kind in "biuf":
        return vectors.astype(np.float64)
    # Beside text numpy would turn numbers into text.
    return np.array([list(t) for t in tokens], dtype=object)


def _check_alike(samples, what):
    """Raise at the first sample whose width or kind differs from the one before."""
    for (i, a), (j, b) in pairwise(samples):
        if a.shape[1:] != b.shape[1:]:
            raise ValueError(
                f"{what} {j} has tokens of shape {b.shape[1:]}, {what.lower()} {i} of "
                f"shape {a.shape[1:]}; all sequences need the same number of columns."
            )
    kinds = [(i, _kind(a)) for i, a in samples]
    for (i, a), (j, b) in pairwise([(i, kind) for i, kind in kinds if kind]):
        if a != b:
            raise ValueError(
                f"{what} {j} holds {b}, {what.lower()} {i} {a}; arrays of a batch hold "
                "one kind of values."
            )


def _kind(a):
    """What an array of tokens holds; None for gaps, and all that stands among text."""
    if sp.issparse(a):
        return "sparse rows"
    if a.dtype != object:
        return "numbers"
    is_symbolic = any(isinstance(v, str | bytes | Mapping) for v in a.flat)
    return "symbols" if is_symbolic else None

"""What sequence models are trained on: sequences, weights, labels that hold."""

import warnings
from typing import NamedTuple

import numpy as np

from skstruct._validation import (
    as_labels,
    check_sample_weight,
    reject_lengths,
)
from skstruct.containers import Ragged
from skstruct.estimators._sequences._reading import read_sequences

__all__ = ["TrainingData", "read_training_data", "warn_of_coverage", "warn_of_rows"]

# Share of tokens in a dictionary below which words are hardly spelt alike.
_FEW_LISTED = 0.1


class TrainingData(NamedTuple):
    """Sequences to learn from.

    Attributes
    ----------
    batch : Ragged
        All sequences; those without weight are empty, so that errors number them.
    weight : ndarray of shape (n,)
        Weights of sequences; 0 for empty ones.
    labels, known : ndarray of shape (T,), or None
        Clamped labels and where they are known; None if labels are not read.
    """

    batch: Ragged
    weight: np.ndarray
    labels: np.ndarray | None
    known: np.ndarray | None


def read_training_data(X, y, sample_weight, supervision):
    """Read what was given to ``fit``.

    Parameters
    ----------
    X, y, sample_weight : object
        As given to ``fit``.
    supervision : {"ignore", "clamp"}
        Whether labels hold.

    Returns
    -------
    TrainingData

    Raises
    ------
    ValueError
        If the input is not understood, or holds no tokens that weigh, or there is no
        ``y`` whose labels could hold.
    """
    batch, _ = read_sequences(X)
    reject_lengths(y, batch)
    weight = check_sample_weight(sample_weight, len(batch)) * (batch.lengths > 0)
    labels = known = None
    if supervision == "ignore":
        if y is not None:
            _warn_if_partly_unknown(y, batch)
    elif y is None:
        raise ValueError(
            "supervision='clamp' says that labels hold, but y is None: pass them as y, "
            "with None (or -1 among integers) where one is unknown, or set "
            "supervision='ignore'."
        )
    else:
        labels, known = as_labels(y, batch)
    used = (weight > 0) | (batch.lengths == 0)
    if not used.all():
        kept = np.repeat(used, batch.lengths)
        tokens = None if batch.tokens is None else batch.tokens[kept]
        rest = Ragged.from_lengths(
            batch.values[kept], batch.lengths * used, tokens=tokens
        )
        rest.header = batch.header
        batch = rest
        if labels is not None:
            labels, known = labels[kept], known[kept]
    if batch.n_tokens == 0:
        raise ValueError("X holds no tokens: its sequences are empty or have weight 0.")
    return TrainingData(batch, weight, labels, known)


def _warn_if_partly_unknown(y, batch):
    """Say that some labels are known, but none is read."""
    try:
        known = as_labels(y, batch)[1]
    except (ValueError, TypeError):
        return  # it is not read, so it may be anything
    if known.any() and not known.all():
        warnings.warn(
            "y has known and unknown labels, but supervision='ignore' reads none of "
            "them; set supervision='clamp' to learn from the known ones.",
            stacklevel=6,
        )


def warn_of_rows(batch, n_states, stacklevel):
    """Say that a table was read as separate sequences, which may not be meant."""
    if n_states > 1 and len(batch) > 1 and batch.lengths.max() == 1:
        warnings.warn(
            "All sequences have length one: rows were read as separate sequences, "
            "so there are no transitions to learn. For one series pass [X], for "
            "several Ragged.from_lengths(X, lengths); to search over one series "
            "use BlockSplit or TransductiveSplit of skstruct.model_selection.",
            stacklevel=stacklevel,
        )


def warn_of_coverage(share, dictionary, stacklevel):
    """Say that a dictionary lists few of the tokens."""
    if share < _FEW_LISTED:
        warnings.warn(
            f"Only {share:.1%} of the tokens of X are in tag_dictionary "
            f"({len(dictionary):,} words); do both spell and case words alike?",
            stacklevel=stacklevel,
        )

"""Sentence pairs in the forms in which users give them."""

import numpy as np

from skstruct._validation._batches import n_dimensions
from skstruct.containers import Batch, Bitext

__all__ = ["read_bitext_batch"]


def read_bitext_batch(X, name="X"):
    """Read user input as a batch of sentence pairs.

    Parameters
    ----------
    X : Bitext, or list-like of (source, target)
        Pairs of sequences of tokens.
    name : str, default="X"
        The name used in errors.

    Returns
    -------
    bitext : Bitext
        The data.
    answer : callable
        ``answer(links)`` turns a Ragged with one sequence for each pair into the
        caller's form: a Ragged for a Bitext, a 1-D object array of arrays for a
        list-like.

    Raises
    ------
    ValueError
        If there are no pairs, or the input holds anything else; the message names pair
        and side.
    """
    if isinstance(X, Bitext):
        bitext, answer = X, _same
    else:
        _reject_sequences(X, name)
        try:
            bitext, answer = Bitext(X), np.asarray
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    if len(bitext) == 0:
        raise ValueError(
            f"{name} is empty: found 0 sample(s) while a minimum of 1 is required."
        )
    return bitext, answer


def _same(links):
    return links


def _reject_sequences(X, name):
    is_numeric = n_dimensions(X) > 1 and np.asarray(X).dtype.kind in "biufc"
    if isinstance(X, Batch) or (is_numeric and not hasattr(X, "columns")):
        raise ValueError(
            f"{name} is a {type(X).__name__} of shape {X.shape}; an aligner takes "
            "sentence pairs: a Bitext, or a list of (source tokens, target tokens)."
        )

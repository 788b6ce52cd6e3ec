"""Weights of samples, and what stands beside single nodes."""

import numpy as np

from skstruct._validation._batches import is_scalar, n_dimensions
from skstruct.containers import Batch, Ragged, place

__all__ = ["check_node_weight", "check_sample_weight", "read_beside"]

# Sums of weighted counts, or costs, must stay finite.
_LARGEST_WEIGHT = 1e100


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


def read_beside(values, offsets, name):
    """Entries that stand beside the nodes of a batch, flat.

    Parameters
    ----------
    values : Ragged or list-like of sequences
        One entry for each node. Where all samples are of one node, also 1-D.
    offsets : ndarray of shape (n + 1,)
        Where each sample of the batch begins.
    name : str
        The name used in errors.

    Returns
    -------
    ndarray of shape (n_nodes, ...)

    Raises
    ------
    ValueError
        If there is not one entry for each node; the message names the sample.
    """
    lengths = np.diff(offsets)
    if isinstance(values, str | bytes | dict) or not hasattr(values, "__iter__"):
        raise ValueError(
            f"{name} must hold a sequence for each sample, with an entry for each of "
            f"its nodes; got {type(values).__name__} {values!r}."
        )
    if not isinstance(values, Batch):
        rows = list(values if n_dimensions(values) < 2 else np.asarray(values))
        if any(map(is_scalar, rows)):
            if len(rows) == len(lengths) and (lengths == 1).all():
                return np.asarray(rows)
            raise ValueError(
                f"{name} is flat: {len(rows)} entries, no sequence for each of the "
                f"{len(lengths)} samples of X. If they are those of all nodes, one "
                f"sample after another, pass Ragged.from_lengths({name}, X.lengths)."
            )
        try:
            values = Ragged(rows)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    if len(values) != len(lengths):
        raise ValueError(f"{name} has {len(values)} samples, X has {len(lengths)}.")
    wrong = np.flatnonzero(values.lengths != lengths)
    if wrong.size:
        i = wrong[0]
        raise ValueError(
            f"{name}: sample {i} has {values.lengths[i]} entries, but {lengths[i]} "
            "nodes; give one entry for each node."
        )
    return np.asarray(values.values)


def check_node_weight(node_weight, offsets):
    """A finite weight for each node, flat; None stays None.

    Parameters
    ----------
    node_weight : Ragged, list-like of sequences or None
        One weight for each node.
    offsets : ndarray of shape (n + 1,)
        Where each sample of the batch begins.

    Returns
    -------
    ndarray of shape (n_nodes,) or None

    Raises
    ------
    ValueError
        If there is not one for each node, one is negative or not finite, or all are
        zero; the message names the sample and position.
    """
    if node_weight is None:
        return None
    weight = read_beside(node_weight, offsets, "node_weight")
    try:
        weight = weight.astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"node_weight must hold numbers: {error}.") from error
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = weight[:, 0]
    if weight.ndim != 1:
        raise ValueError(
            f"node_weight must hold one number for each node, got {weight.shape[1:]}."
        )
    bad = np.flatnonzero(~((weight >= 0) & (weight <= _LARGEST_WEIGHT)))
    if bad.size:
        raise ValueError(
            f"node_weight at {place(bad[0], offsets)} is {weight[bad[0]]}; weights are "
            f"finite, not negative and at most {_LARGEST_WEIGHT:g}."
        )
    if not weight.any():
        raise ValueError("node_weight must hold at least one weight above zero.")
    return weight

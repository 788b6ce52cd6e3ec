"""Weights and costs of single nodes, which stand beside the samples."""

import numpy as np

from skstruct._validation import as_ragged
from skstruct.containers import Batch, Ragged, place

__all__ = ["check_shape", "read_node_cost", "read_node_weight"]

# Sums of weighted costs must stay finite.
_LARGEST = 1e100


def read_node_weight(node_weight, batch):
    """A weight for each node, flat; None stays None."""
    if node_weight is None:
        return None
    weight = _beside(node_weight, batch, "node_weight").astype(float)
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = weight[:, 0]
    if weight.ndim != 1:
        raise ValueError(
            f"node_weight must hold one number for each node, got {weight.shape[1:]}."
        )
    _reject(~((weight >= 0) & (weight <= _LARGEST)), batch, "node_weight", weight)
    if not weight.any():
        raise ValueError("node_weight must hold at least one weight above zero.")
    return weight


def read_node_cost(node_cost, batch):
    """A table cost[true, predicted] for each node, (N, K, K); None stays None."""
    if node_cost is None:
        return None
    if not isinstance(node_cost, Batch):
        node_cost = _join_tables(node_cost)
    cost = _beside(node_cost, batch, "node_cost").astype(float)
    if cost.ndim != 3 or cost.shape[1] != cost.shape[2]:
        raise _no_tables(cost.shape[1:])
    diagonal = np.diagonal(cost, axis1=1, axis2=2)
    bad = ~((cost >= 0) & (cost <= _LARGEST)).all(axis=(1, 2)) | diagonal.any(axis=1)
    _reject(bad, batch, "node_cost", cost)
    return cost


def _join_tables(node_cost):
    """Arrays (n_nodes, K, K) of the samples, or (K, K) of single nodes, as a Ragged."""
    tables = [np.asarray(sample, dtype=float) for sample in node_cost]
    tables = [t[None] if t.ndim == 2 and t.size else t for t in tables]
    filled = [t for t in tables if len(t)]
    shapes = sorted({t.shape[1:] for t in filled})
    if len(shapes) != 1:
        raise _no_tables(shapes)
    return Ragged.from_lengths(np.concatenate(filled), [len(t) for t in tables])


def _no_tables(shape):
    return ValueError(
        "node_cost must hold a table cost[true, predicted], of one shape (K, K), for "
        f"each node; got {shape}."
    )


def _beside(values, batch, name):
    """The flat values of a batch that stands beside X."""
    try:
        given = as_ragged(values, name)
    except ValueError:
        if (batch.lengths != 1).any() or len(values) != len(batch):
            raise
        return np.asarray(values)  # one for each sample of one node
    if not np.array_equal(given.lengths, batch.lengths):
        wrong = "samples" if len(given) != len(batch) else "nodes"
        raise ValueError(
            f"{name} must hold one entry for each node of X, but has other {wrong}: "
            f"{len(given)} samples with {given.n_tokens} nodes, X has {len(batch)} "
            f"with {batch.n_tokens}."
        )
    return np.asarray(given.values)


def _reject(bad, batch, name, values):
    rows = np.flatnonzero(bad)
    if rows.size:
        raise ValueError(
            f"{name} at {place(rows[0], batch.offsets)} is "
            f"{values[rows[0]].tolist()!r}; it must be finite and not negative"
            + (", and zero on the diagonal." if values.ndim == 3 else ".")
        )


def check_shape(node_cost, n_states):
    """Raise unless the tables are of all classes."""
    if node_cost.shape[1] != n_states:
        raise ValueError(
            f"node_cost has tables of {node_cost.shape[1]} labels, but there are "
            f"{n_states} classes."
        )

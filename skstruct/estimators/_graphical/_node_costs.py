"""Costs of single nodes, which stand beside the samples."""

import numpy as np

from skstruct._validation import read_beside
from skstruct.containers import Batch, Ragged, place

__all__ = ["LARGEST_COST", "check_shape", "read_node_cost"]

# Sums of weighted costs must stay finite.
LARGEST_COST = 1e100


def read_node_cost(node_cost, offsets):
    """A table cost[true, predicted] for each node, (N, K, K); None stays None."""
    if node_cost is None:
        return None
    if hasattr(node_cost, "__iter__") and not isinstance(node_cost, Batch | str):
        node_cost = _join_tables(node_cost)
    cost = read_beside(node_cost, offsets, "node_cost").astype(float)
    if cost.ndim != 3 or cost.shape[1] != cost.shape[2]:
        raise _no_tables(cost.shape[1:])
    diagonal = np.diagonal(cost, axis1=1, axis2=2)
    good = ((cost >= 0) & (cost <= LARGEST_COST)).all(axis=(1, 2))
    bad = np.flatnonzero(~good | diagonal.any(axis=1))
    if bad.size:
        raise ValueError(
            f"node_cost at {place(bad[0], offsets)} is {cost[bad[0]].tolist()!r}; "
            "it must be finite and not negative, and zero on the diagonal."
        )
    return cost


def _join_tables(node_cost):
    """Arrays (n_nodes, K, K) of the samples, or (K, K) of single nodes, as a Ragged."""
    try:
        tables = [np.asarray(sample, dtype=float) for sample in node_cost]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"node_cost must hold an array of numbers (n_nodes, K, K) for each sample: "
            f"{error}."
        ) from error
    tables = [t[None] if t.ndim == 2 and t.size else t for t in tables]
    filled = [t for t in tables if t.size]
    shapes = sorted({t.shape[1:] for t in filled})
    if len(shapes) != 1 or len(shapes[0]) != 2:
        raise _no_tables(shapes)
    return Ragged.from_lengths(np.concatenate(filled), [len(t) for t in tables])


def _no_tables(shape):
    return ValueError(
        "node_cost must hold a table cost[true, predicted], of one shape (K, K), for "
        f"each node; got {shape}."
    )


def check_shape(node_cost, n_states):
    """Raise unless the tables are of all classes."""
    if node_cost.shape[1] != n_states:
        raise ValueError(
            f"node_cost has tables of {node_cost.shape[1]} labels, but there are "
            f"{n_states} classes."
        )

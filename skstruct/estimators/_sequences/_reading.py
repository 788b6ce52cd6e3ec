"""Batches as sequence models read them."""

import numpy as np

from skstruct._validation import read_batch
from skstruct.containers import GraphBatch

__all__ = ["read_sequences"]


def read_sequences(X):
    """Read user input as sequences, whose tokens each follow the one before.

    Parameters
    ----------
    X : Ragged, list-like of sequences, or 2-D array of numbers
        As `read_batch` takes it.

    Returns
    -------
    batch : Ragged
        The data.
    answer : callable
        As of `read_batch`.

    Raises
    ------
    ValueError
        If X holds graphs that are no chains, or whose edges have features; or if the
        input is not understood.
    """
    batch, answer = read_batch(X)
    if isinstance(batch, GraphBatch):
        _reject_graphs(batch)
    return batch, answer


def _reject_graphs(graphs):
    advice = (
        "Sequence models would ignore them: label graphs by ConditionalRandomField, or "
        "pass Ragged.from_arrays(X.values, X.offsets) if the order of the nodes is all "
        "that counts."
    )
    if graphs.edge_values is not None and len(graphs.edges):
        raise ValueError(f"X has features of edges. {advice}")
    if _are_same(graphs, GraphBatch.from_sequences(graphs)):
        return
    i = next(
        i
        for i in range(len(graphs))
        if not _are_same(graphs[[i]], GraphBatch.from_sequences(graphs[[i]]))
    )
    n, edges = int(graphs.lengths[i]), graphs[i][1]
    shown = edges[:3].tolist()
    raise ValueError(
        f"X has edges that are no chains: the edges of sample {i}, which has {n} "
        f"nodes, are {shown}{' and others' if len(edges) > 3 else ''}. {advice}"
    )


def _are_same(graphs, others):
    """Whether both have the same edges, in any order."""
    a, b = (np.sort(_codes(batch)) for batch in (graphs, others))
    return np.array_equal(a, b)


def _codes(graphs):
    """A number for each edge."""
    before, after = graphs.global_edges.T
    return before * graphs.n_tokens + after

"""Synthetic graphs whose nodes' labels depend on those of their neighbours."""

from bisect import bisect_right
from numbers import Integral, Real

import numpy as np
from scipy.spatial.distance import pdist
from scipy.special import log_softmax
from sklearn.utils import check_random_state, check_scalar

from skstruct.containers import GraphBatch, Ragged

__all__ = ["make_labelled_graphs"]

_SIZES = {"chain": (5, 15), "tree": (5, 15), "grid": (2, 4)}
_N_SWEEPS = 100


def make_labelled_graphs(
    n_samples=100,
    *,
    structure="tree",
    size=None,
    n_classes=3,
    n_features=5,
    ordinal=False,
    coupling=2.0,
    noise=0.5,
    random_state=None,
):
    r"""Draw graphs with labelled nodes from a Markov random field.

    .. math::
        p(y) \propto \prod_{(u, v)} A_{y_u y_v}, \qquad
        A_{jk} = \frac{e^{B_{jk}}}{\sum_l e^{B_{jl}}}, \qquad
        x_u \sim N(\mu_{y_u}, \sigma^2 I)

    Edges point from the first node of a chain, the root of a tree, or the first corner
    of a grid to the others. :math:`B_{jk}` is ``coupling`` where k = j + 1 (after the
    last class comes the first), else 0, so that the direction of edges matters; of
    ordinal labels it is :math:`-|j - k|` times ``coupling``, so that neighbours have
    labels that are near.

    Parameters
    ----------
    n_samples : int, default=100
        Number of graphs.
    structure : {"chain", "tree", "grid"}, default="tree"
        Kind of graph. The parent of a tree's node is any of the nodes before it.
    size : int or tuple (low, high), default=None
        Nodes of a chain or tree, rows and columns of a grid; of a pair, each drawn
        uniformly from low to high inclusive. None: (5, 15), or (2, 4) for a grid.
    n_classes : int, default=3
        Number of labels K.
    n_features : int, default=5
        Number of columns d.
    ordinal : bool, default=False
        Whether labels are levels, whose means :math:`\mu_k` lie on a line.
    coupling : float, default=2.0
        How much a node's label tells of those of its neighbours; 0 is nothing.
    noise : float, default=0.5
        Standard deviation :math:`\sigma` of each feature, where the means of the two
        nearest labels are at a distance of 1.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.

    Returns
    -------
    X : GraphBatch of float, nodes of shape (n, d)
        Graphs with features of their nodes.
    y : Ragged of int
        Labels from 0 to K - 1 of the nodes of each graph.

    Raises
    ------
    ValueError
        If a number is out of its range, or ``structure`` unknown; the message names the
        parameter.

    Notes
    -----
    Labels of chains and trees are drawn exactly, those of grids by 100 sweeps of Gibbs
    sampling.

    Examples
    --------
    >>> from skstruct.datasets import make_labelled_graphs
    >>> X, y = make_labelled_graphs(3, structure="grid", size=2, random_state=0)
    >>> X
    GraphBatch(3 graphs, 12 nodes, 12 edges, float64 x 5)
    >>> y
    Ragged(3 sequences, 12 tokens, int64)
    """
    counts = {"n_samples": n_samples, "n_classes": n_classes, "n_features": n_features}
    for name, value in counts.items():
        check_scalar(value, name, Integral, min_val=1)
    for name, value in {"coupling": coupling, "noise": noise}.items():
        check_scalar(value, name, Real, min_val=0)
        if not np.isfinite(value):
            raise ValueError(f"{name} must be a finite number, got {value}.")
    if structure not in _SIZES:
        raise ValueError(f"structure must be one of {list(_SIZES)}, got {structure!r}.")
    rng = check_random_state(random_state)
    low, high = _bounds(_SIZES[structure] if size is None else size)
    shapes = rng.randint(low, high + 1, size=(n_samples, 1 + (structure == "grid")))
    offsets = np.append(0, np.cumsum(shapes.prod(axis=1)))
    edges = [_draw_edges(structure, shape, rng) for shape in shapes.tolist()]
    field = _log_transitions(n_classes, coupling, ordinal)

    graphs = GraphBatch.from_arrays(
        np.zeros(offsets[-1]),
        offsets,
        np.concatenate(edges),
        np.append(0, np.cumsum([len(pairs) for pairs in edges])),
    )
    if structure == "grid":
        colours = [np.indices(shape).sum(axis=0).ravel() % 2 for shape in shapes]
        labels = _sample_grids(graphs, np.concatenate(colours), field, rng)
    else:
        labels = _sample_trees(graphs, field, rng)
    values = _draw_means(n_classes, n_features, ordinal, rng)[labels]
    values += noise * rng.normal(size=values.shape)
    return graphs.with_values(values), Ragged.from_arrays(labels, offsets)


def _bounds(size):
    try:
        low, high = (size, size) if isinstance(size, Integral) else size
    except (TypeError, ValueError):
        raise ValueError(
            f"size must be an integer or a pair (low, high), got {size!r}."
        ) from None
    check_scalar(low, "size", Integral, min_val=1)
    check_scalar(high, "size", Integral, min_val=low)
    return low, high


def _draw_edges(structure, shape, rng):
    if structure == "grid":
        return GraphBatch.grid(shape)
    if structure == "chain":
        return GraphBatch.chain(*shape)
    parents = np.floor(rng.uniform(size=shape) * np.arange(*shape)).astype(np.intp)
    parents[0] = -1
    return GraphBatch.tree(parents)


def _log_transitions(n_classes, coupling, ordinal):
    k = np.arange(n_classes)
    if ordinal:
        edge = -coupling * np.abs(k[:, None] - k)
    else:
        edge = coupling * ((k[:, None] + 1) % n_classes == k)
    return log_softmax(edge, axis=1)


def _draw_means(n_classes, n_features, ordinal, rng):
    if ordinal:
        direction = rng.normal(size=n_features)
        return np.outer(np.arange(n_classes), direction / np.linalg.norm(direction))
    means = rng.normal(size=(n_classes, n_features))
    return means / pdist(means).min(initial=np.inf)


def _sample_trees(graphs, field, rng):
    """Labels, each drawn given that of its parent, which comes before it."""
    parents = np.full(graphs.n_tokens, -1)
    parents[graphs.global_edges[:, 1]] = graphs.global_edges[:, 0]
    sums = np.cumsum(np.exp(field), axis=1)
    rows = (sums / sums[:, -1:]).tolist()
    # Rows of A sum to one, so that roots, and all labels, are equally likely at first.
    root = (np.arange(1, len(field) + 1) / len(field)).tolist()
    uniform = rng.uniform(size=len(parents))
    labels = []
    for parent, u in zip(parents.tolist(), uniform.tolist(), strict=True):
        labels.append(bisect_right(rows[labels[parent]] if parent >= 0 else root, u))
    return np.array(labels, dtype=np.intp)


def _sample_grids(graphs, colours, field, rng):
    """Labels by Gibbs sampling; nodes of a colour are no neighbours, and move at once.

    The largest of log-probabilities plus Gumbel noise is a draw from them.
    """
    u, v = graphs.global_edges.T
    labels = rng.randint(len(field), size=len(colours))
    for colour in [0, 1] * _N_SWEEPS:
        scores = rng.gumbel(size=(len(colours), len(field)))
        np.add.at(scores, v, field[labels[u]])
        np.add.at(scores, u, field[:, labels[v]].T)
        labels = np.where(colours == colour, scores.argmax(axis=1), labels)
    return labels

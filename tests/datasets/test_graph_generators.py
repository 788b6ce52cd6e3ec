"""Synthetic labelled graphs: the law of labels, shapes, seeds, bad arguments."""

import numpy as np
import pytest

from skstruct.containers import GraphBatch, Ragged
from skstruct.datasets import make_labelled_graphs

COUPLING = 1.3
STRUCTURES = ("chain", "tree", "grid")


def log_field(n_classes, ordinal):
    """Rows of log-probabilities of a neighbour's label, written out."""
    rows = np.empty((n_classes, n_classes))
    for j in range(n_classes):
        for k in range(n_classes):
            follows = k == (j + 1) % n_classes
            rows[j, k] = COUPLING * (-abs(j - k) if ordinal else follows)
        rows[j] -= np.log(np.exp(rows[j]).sum())
    return rows


def all_labellings(n, n_classes):
    return np.stack(np.meshgrid(*[range(n_classes)] * n, indexing="ij"), -1).reshape(
        -1, n
    )


@pytest.mark.parametrize("ordinal", [False, True])
@pytest.mark.parametrize(("structure", "size"), [("chain", 3), ("grid", 2)])
def test_labels_follow_the_field(structure, size, ordinal):
    X, y = make_labelled_graphs(
        4000,
        structure=structure,
        size=size,
        coupling=COUPLING,
        ordinal=ordinal,
        random_state=0,
    )
    field, edges = log_field(3, ordinal), X[0][1]
    labellings = all_labellings(X.lengths[0], 3)
    scores = sum(field[labellings[:, u], labellings[:, v]] for u, v in edges)
    expected = np.exp(scores) / np.exp(scores).sum()
    given = y.values.reshape(4000, -1) @ 3 ** np.arange(X.lengths[0])[::-1]
    counts = np.bincount(given, minlength=len(expected))
    # Pearson's statistic: its mean is the number of cells less one.
    statistic = ((counts - 4000 * expected) ** 2 / (4000 * expected)).sum()
    free = len(expected) - 1
    assert statistic < free + 5 * np.sqrt(2 * free)


@pytest.mark.parametrize("ordinal", [False, True])
def test_children_of_a_tree_follow_their_parents(ordinal):
    X, y = make_labelled_graphs(
        1500, coupling=COUPLING, ordinal=ordinal, random_state=1
    )
    parents, children = y.values[X.global_edges.T]
    counts = np.zeros((3, 3))
    np.add.at(counts, (parents, children), 1)
    frequencies = counts / counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(frequencies, np.exp(log_field(3, ordinal)), atol=0.02)
    roots = np.bincount(y.values[y.offsets[:-1]], minlength=3) / len(y)
    np.testing.assert_allclose(roots, 1 / 3, atol=0.05)


def test_trees_branch():
    X, _ = make_labelled_graphs(200, size=6, random_state=0)
    assert X.edge_offsets.tolist() == list(range(0, 1001, 5))
    assert len({tuple(map(tuple, edges)) for _, edges in X}) > 50
    assert all(edges[:, 1].tolist() == [1, 2, 3, 4, 5] for _, edges in X)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_form_of_the_answer(structure):
    X, y = make_labelled_graphs(
        30, structure=structure, n_classes=4, n_features=2, random_state=0
    )
    assert type(X) is GraphBatch and type(y) is Ragged
    assert X.values.shape == (X.n_tokens, 2) and X.values.dtype == np.float64
    assert y.values.dtype == np.intp and set(y.values) == {0, 1, 2, 3}
    assert X.offsets.tolist() == y.offsets.tolist()
    sizes = {"grid": {4, 6, 8, 9, 12, 16}}.get(structure, set(range(5, 16)))
    assert set(X.lengths) == sizes


def test_edges_of_chains_and_grids_are_those_of_the_helpers():
    X, _ = make_labelled_graphs(3, structure="chain", size=4, random_state=0)
    assert [e.tolist() for _, e in X] == [GraphBatch.chain(4).tolist()] * 3
    X, _ = make_labelled_graphs(3, structure="grid", size=3, random_state=0)
    assert [e.tolist() for _, e in X] == [GraphBatch.grid((3, 3)).tolist()] * 3


@pytest.mark.parametrize("ordinal", [False, True])
def test_features_scatter_around_the_means_of_labels(ordinal):
    X, y = make_labelled_graphs(
        800, n_classes=4, ordinal=ordinal, noise=0.3, random_state=2
    )
    means = np.array([X.values[y.values == k].mean(axis=0) for k in range(4)])
    residuals = X.values - means[y.values]
    np.testing.assert_allclose(residuals.std(axis=0), 0.3, atol=0.02)
    gaps = np.linalg.norm(means[:, None] - means, axis=2)
    assert abs(gaps[~np.eye(4, dtype=bool)].min() - 1) < 0.05
    if ordinal:
        levels = np.arange(4)
        np.testing.assert_allclose(gaps, abs(levels[:, None] - levels), atol=0.05)


def test_without_coupling_neighbours_tell_nothing():
    X, y = make_labelled_graphs(800, structure="grid", coupling=0, random_state=0)
    first, second = y.values[X.global_edges.T]
    assert abs(np.mean(first == second) - 1 / 3) < 0.02


@pytest.mark.parametrize("structure", STRUCTURES)
def test_extremes(structure):
    X, y = make_labelled_graphs(
        2, structure=structure, size=1, n_classes=1, n_features=1, random_state=0
    )
    assert X.n_tokens == 2 and not len(X.edges) and (y.values == 0).all()
    # The successor is all but certain, and no number overflows.
    X, y = make_labelled_graphs(
        20, structure=structure, size=2, coupling=1e5, noise=0, random_state=0
    )
    first, second = y.values[X.global_edges.T]
    assert np.isfinite(X.values).all() and ((first + 1) % 3 == second).all()


@pytest.mark.parametrize("structure", STRUCTURES)
def test_seeds(structure):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    draws = [
        make_labelled_graphs(5, structure=structure, random_state=seed)
        for seed in (0, 0, 1)
    ]
    same, again, other = [
        (X.values.tolist(), X.edges.tolist(), y.values.tolist()) for X, y in draws
    ]
    assert same == again != other
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("n_samples", 0, ValueError),
        ("n_samples", 2.5, TypeError),
        ("structure", "ring", ValueError),
        ("size", 0, ValueError),
        ("size", (3, 2), ValueError),
        ("size", (1, 2, 3), ValueError),
        ("size", "big", ValueError),
        ("n_classes", 0, ValueError),
        ("n_features", -1, ValueError),
        ("coupling", np.nan, ValueError),
        ("coupling", -1.0, ValueError),
        ("noise", np.inf, ValueError),
    ],
)
def test_bad_arguments_are_named(name, value, error):
    with pytest.raises(error, match=name):
        make_labelled_graphs(**{name: value})

"""A predictor that settles: as low as many sweeps, after far fewer."""

import numpy as np
from numpy.testing import assert_allclose

from skstruct.kernels._node_game import ZERO_ONE, Game
from skstruct.structures import Potentials, Tree
from skstruct.surrogates import Settler


def chains(rng, lengths, K=3):
    """Long chains whose neighbours like to agree."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    last = np.zeros(offsets[-1], dtype=bool)
    last[offsets[1:] - 1] = True
    first = np.flatnonzero(~last)
    edge_offsets = np.concatenate([[0], np.cumsum(np.maximum(lengths - 1, 0))])
    tree = Tree(offsets, np.column_stack([first, first + 1]), edge_offsets)
    N = offsets[-1]
    cost = (1 - np.eye(K))[None]
    index = np.zeros(N, dtype=np.intp)
    game = Game(ZERO_ONE, cost, index, np.full(N, 2.0), np.arange(float(K)))
    return tree, Potentials(0.3 * rng.normal(size=(N, K)), 3 * np.eye(K)), game


def settle(tree, potentials, game, settler, gap, max_rounds):
    p = np.full(potentials.node.shape, 1 / 3)
    found, n_rounds = settler.settle(
        lambda: tree.game_sweep(potentials, game, p, n_sweeps=2),
        p,
        lambda sweep: sweep.gap.max() <= gap,
        max_rounds,
    )
    assert (p >= 0).all()
    assert_allclose(p.sum(axis=1), 1)
    return found, n_rounds


def test_it_is_as_good_as_many_sweeps():
    rng = np.random.default_rng(0)
    tree, potentials, game = chains(rng, np.array([40, 0, 25, 1]))
    found, n_rounds = settle(tree, potentials, game, Settler(tree.offsets), 1e-5, 500)
    assert found.gap.max() <= 1e-5
    p = np.full(potentials.node.shape, 1 / 3)
    many = tree.game_sweep(potentials, game, p, n_sweeps=20 * n_rounds)
    assert_allclose(found.log_partition, many.log_partition, atol=1e-4)
    few = np.full(potentials.node.shape, 1 / 3)
    swept = tree.game_sweep(potentials, game, few, n_sweeps=4 * n_rounds)
    assert swept.gap.max() > 10 * found.gap.max()


def test_what_it_learnt_serves_again():
    rng = np.random.default_rng(1)
    tree, potentials, game = chains(rng, np.array([40, 30]))
    settler = Settler(tree.offsets)
    _, first = settle(tree, potentials, game, settler, 1e-4, 500)
    found, again = settle(tree, potentials, game, settler, 1e-4, 500)
    assert found.gap.max() <= 1e-4
    assert again <= first


def test_rounds_are_bounded():
    rng = np.random.default_rng(2)
    tree, potentials, game = chains(rng, np.array([40]))
    found, n_rounds = settle(tree, potentials, game, Settler(tree.offsets), 0.0, 3)
    assert n_rounds == 3
    assert np.isfinite(found.log_partition).all()

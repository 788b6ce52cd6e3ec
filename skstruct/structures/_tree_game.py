"""The vectors of single nodes: potentials, and what the predictor adds to them."""

import numpy as np
from numba import njit

from skstruct.kernels._node_game import augment_node, update_node
from skstruct.structures._tree_messages import (
    LOGARITHMS,
    LOST,
    loosely,
    multiply,
    rescale,
)

__all__ = [
    "ABOVE",
    "BASE",
    "BASE_SHIFT",
    "DOWN",
    "GATHERED",
    "LOCAL",
    "REACH",
    "REST",
    "SCALE",
    "SHIFT",
    "SUB",
    "UP",
    "make_work",
    "row",
    "set_local",
    "set_row",
    "update",
]

# Rows of a node. BASE: its potentials. LOCAL: and what the predictor adds. UP, DOWN:
# what it sends to its parent, and what that sends to it. SUB, ABOVE: what they are made
# from. GATHERED: product of the UP of its children; on a walk, of those passed.
# REST: product of the UP of its siblings that a walk passes later.
BASE, LOCAL, GATHERED, SUB, UP, ABOVE, DOWN, REST, _CAVITY, _GAIN = range(10)
_N_VECTORS = 10
# Logarithms of what was taken off BASE, LOCAL, all on the way up, and DOWN.
BASE_SHIFT, SHIFT, SCALE, REACH = range(4)
_N_LOGS = 4


def make_work(longest, K):
    """Room for the vectors and logarithms of the longest sample, and for kernels."""
    shapes = (longest * _N_VECTORS, K), (longest, _N_LOGS), (3, K)
    return tuple(np.empty(shape) for shape in shapes)


@njit(cache=True, nogil=True, error_model="numpy")
def row(i, a):
    """Where vector a of node i is held."""
    return i * _N_VECTORS + a


@njit(cache=True, nogil=True, error_model="numpy")
def set_row(vectors, x, value):
    """Fill row x with a value."""
    for k in range(vectors.shape[1]):
        vectors[x, k] = value


@njit(cache=True, nogil=True, error_model="numpy")
def _add_gain(i, vectors, logs, mode):
    """Local vector of node i from its own and its gain; answers success."""
    top = rescale(vectors, row(i, _GAIN), LOGARITHMS)
    if mode != LOGARITHMS:
        # Zero-one has one gain for all labels that are not predicted.
        last, factor = 0.0, 1.0
        for k in range(vectors.shape[1]):
            if vectors[row(i, _GAIN), k] != last:
                last = vectors[row(i, _GAIN), k]
                factor = np.exp(last)
            vectors[row(i, _GAIN), k] = factor
    scale = multiply(vectors, row(i, BASE), row(i, _GAIN), row(i, LOCAL), mode)
    logs[i, SHIFT] = logs[i, BASE_SHIFT] + top + scale
    return scale != LOST


@njit(cache=True, nogil=True, error_model="numpy")
def set_local(i, v, game, predictor, vectors, logs, mode):
    """Set the local vector of node i, which is v; answers success."""
    cost, gain = game.cost[game.index[v]], vectors[row(i, _GAIN)]
    augment_node(game.kind, game.weight[v], cost, predictor[v], gain)
    return _add_gain(i, vectors, logs, mode)


@njit(cache=True, nogil=True, error_model="numpy")
def _set_cavity(i, vectors, mode):
    """Logarithms of the own potentials and all messages of node i; answers success."""
    x, loose = row(i, _CAVITY), loosely(mode)  # only the largest entries matter
    top = multiply(vectors, row(i, BASE), row(i, DOWN), x, loose)
    top = min(top, multiply(vectors, x, row(i, GATHERED), x, loose))
    if mode != LOGARITHMS:
        for k in range(vectors.shape[1]):
            vectors[x, k] = np.log(vectors[x, k])
    return top != LOST


@njit(cache=True, nogil=True, error_model="numpy")
def update(i, v, game, predictor, vectors, logs, work, mode):
    """Exact answer of the predictor at node i, which is v, given all others."""
    w = game.weight[v]
    if w == 0.0:
        return True
    done = _set_cavity(i, vectors, mode)
    if done:
        cost, cavity = game.cost[game.index[v]], vectors[row(i, _CAVITY)]
        p, gain = predictor[v], vectors[row(i, _GAIN)]
        update_node(game.kind, cavity, w, cost, game.values, p, work)
        augment_node(game.kind, w, cost, p, gain)
        done = _add_gain(i, vectors, logs, mode)
    return done

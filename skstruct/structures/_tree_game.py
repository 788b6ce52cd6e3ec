"""The local vectors of nodes: their potentials with what the predictor adds."""

import numpy as np
from numba import njit

from skstruct.kernels._node_game import augment_node, update_node
from skstruct.structures._tree_messages import LOST, multiply, rescale

__all__ = ["set_local", "update"]


@njit(cache=True, nogil=True)
def set_local(i, v, game, predictor, w, in_log, strict):
    """Local vector of node v at position i, and its log-scale; answers success."""
    K = w.local.shape[1]
    if len(game.weight) == 0 or game.weight[v] == 0.0:
        for k in range(K):
            w.local[i, k] = w.base[i, k]
        w.shift[i] = w.base_shift[i]
        return True
    gain, cost = w.gain[0], game.cost[game.index[v]]
    augment_node(game.kind, game.weight[v], cost, predictor[v], gain)
    top = rescale(w.gain, 0, True, False)
    if in_log:
        multiply(w.base, i, w.gain, 0, w.local, i, True)
    else:
        for k in range(K):
            # Zero-one has one gain for all labels that are not predicted.
            if k > 0 and gain[k] == gain[k - 1]:
                w.factor[k] = w.factor[k - 1]
            else:
                w.factor[k] = np.exp(gain[k])
            w.local[i, k] = w.base[i, k] * w.factor[k]
    scale = rescale(w.local, i, in_log, strict)
    w.shift[i] = w.base_shift[i] + top + scale
    return scale != LOST


@njit(cache=True, nogil=True)
def update(i, v, has_children, game, predictor, w, in_log, strict):
    """Exact answer of the predictor at node v, given all others; answers success.

    The cavity is the node's own potentials times the messages of all its neighbours.
    """
    if game.weight[v] == 0.0:
        return True
    multiply(w.base, i, w.down, i, w.gain, 0, in_log)
    if rescale(w.gain, 0, in_log, False) == LOST:
        return False
    if has_children:
        multiply(w.gain, 0, w.gathered, i, w.gain, 0, in_log)
        if rescale(w.gain, 0, in_log, False) == LOST:
            return False
    cavity = w.factor
    for k in range(len(cavity)):
        cavity[k] = w.gain[0, k] if in_log else np.log(w.gain[0, k])
    cost = game.cost[game.index[v]]
    update_node(
        game.kind, cavity, game.weight[v], cost, game.values, predictor[v], w.scratch
    )
    return set_local(i, v, game, predictor, w, in_log, strict)

"""Messages on forests, and the sweeps of the adversarial game inside of them.

A sweep is a walk around the tree that makes each message anew when it passes its edge,
so that every node is updated by messages that know of all updates before. Functions
answer whether they succeeded: possible samples always do in logarithms.
"""

import numpy as np
from numba import njit

from skstruct.structures._tree_game import (
    ABOVE,
    BASE,
    BASE_SHIFT,
    DOWN,
    GATHERED,
    LOCAL,
    REACH,
    REST,
    SCALE,
    SHIFT,
    SUB,
    UP,
    row,
    set_local,
    set_row,
    update,
)
from skstruct.structures._tree_layout import (
    EDGE,
    IS_SECOND,
    LAST_CHILD,
    NODE,
    PARENT,
    PREVIOUS,
)
from skstruct.structures._tree_messages import (
    LOGARITHMS,
    LOST,
    multiply,
    send,
)

__all__ = ["all_messages"]


@njit(cache=True, nogil=True, error_model="numpy")
def _set_base(i, v, node, scaled, shift, vectors, logs, mode):
    x = row(i, BASE)
    for k in range(vectors.shape[1]):
        vectors[x, k] = scaled[v, k]
        if mode == LOGARITHMS:
            vectors[x, k] = node[v, k] - shift[v]
        vectors[row(i, LOCAL), k] = vectors[x, k]
    logs[i, BASE_SHIFT] = logs[i, SHIFT] = shift[v]


@njit(cache=True, nogil=True, error_model="numpy")
def _start(t, node, scaled, shift, game, predictor, vectors, logs, mode):
    """Vectors of the nodes alone."""
    played = len(game.weight) > 0
    one = 0.0 if mode == LOGARITHMS else 1.0
    done = True
    for i in range(len(t)):
        v = t[i, NODE]
        _set_base(i, v, node, scaled, shift, vectors, logs, mode)
        set_row(vectors, row(i, GATHERED), one)
        if played and game.weight[v] > 0.0:
            done &= set_local(i, v, game, predictor, vectors, logs, mode)
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def _gather(i, j, vectors, mode):
    """Let node j hear the message of its child i; answers a log-scale or LOST."""
    return multiply(vectors, row(j, GATHERED), row(i, UP), row(j, GATHERED), mode)


@njit(cache=True, nogil=True, error_model="numpy")
def _leave(i, t, log_tables, tables, shift, vectors, logs, work, mode):
    """Send to the parent of node i what its subtree says."""
    scale = multiply(vectors, row(i, LOCAL), row(i, GATHERED), row(i, SUB), mode)
    j = t[i, PARENT]
    if j >= 0:
        e = t[i, EDGE] if len(shift) > 1 else 0
        begin = (2 * e + t[i, IS_SECOND]) * len(work)
        scale += shift[e] + send(
            vectors, row(i, SUB), row(i, UP), log_tables, tables, begin, work, mode
        )
        scale += _gather(i, j, vectors, mode)
    logs[i, SCALE] = logs[i, SHIFT] + scale
    return scale != LOST


@njit(cache=True, nogil=True, error_model="numpy")
def _enter(i, t, log_tables, tables, shift, vectors, logs, work, mode):
    """Send to node i what all that is not its subtree says."""
    j, x, scale = t[i, PARENT], row(i, ABOVE), 0.0
    if j < 0:
        set_row(vectors, row(i, DOWN), 0.0 if mode == LOGARITHMS else 1.0)
    else:
        scale += multiply(vectors, row(j, LOCAL), row(j, DOWN), x, mode)
        if t[i, PREVIOUS] >= 0:
            scale += multiply(vectors, x, row(j, GATHERED), x, mode)
        if t[j, LAST_CHILD] != i:
            scale += multiply(vectors, x, row(i, REST), x, mode)
        e = t[i, EDGE] if len(shift) > 1 else 0
        begin = (2 * e + 1 - t[i, IS_SECOND]) * len(work)
        reach = send(vectors, x, row(i, DOWN), log_tables, tables, begin, work, mode)
        logs[i, REACH] = reach
        scale += reach
    return scale != LOST


@njit(cache=True, nogil=True, error_model="numpy")
def _forget_children(i, t, vectors, mode):
    """Forget what the children of node i said, but for each one's later siblings."""
    one = 0.0 if mode == LOGARITHMS else 1.0
    set_row(vectors, row(i, GATHERED), one)
    c, scale = t[i, LAST_CHILD], 0.0
    if c >= 0 and t[c, PREVIOUS] >= 0:
        set_row(vectors, row(c, REST), one)
        while t[c, PREVIOUS] >= 0:
            b = t[c, PREVIOUS]
            scale += multiply(vectors, row(c, REST), row(c, UP), row(b, REST), mode)
            c = b
    return scale != LOST


@njit(cache=True, nogil=True, error_model="numpy")
def _tour(
    t,
    log_tables,
    tables,
    shift,
    game,
    predictor,
    twice,
    vectors,
    logs,
    work,
    mode,
):
    """Walk around the trees; update each node when it is entered, ``twice``: and left.

    Leaves every message upwards exact for the predictor.
    """
    here, following, done = -1, np.int64(0), True
    while done and (here >= 0 or following < len(t)):
        enters = following < len(t) and t[following, PARENT] == here
        if enters:
            here = following
            following += 1
            done = _enter(
                here, t, log_tables, tables, shift, vectors, logs, work[0], mode
            )
        if enters or (twice and t[here, LAST_CHILD] >= 0):
            v = t[here, NODE]
            done = done and update(here, v, game, predictor, vectors, logs, work, mode)
        if enters:
            done = done and _forget_children(here, t, vectors, mode)
        else:
            done = done and _leave(
                here, t, log_tables, tables, shift, vectors, logs, work[0], mode
            )
            here = t[here, PARENT]
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def _messages_downwards(t, log_tables, tables, shift, vectors, logs, work, every, mode):
    """Messages from the roots; ``every`` one, or those that a tour left inexact.

    A tour that updates on entering only leaves exact messages on the last branches.
    """
    done, stale = True, np.full(len(t), every)
    for i in range(len(t)):
        j = t[i, PARENT]
        if j >= 0:
            stale[i] |= stale[j] or t[j, LAST_CHILD] != i
        if stale[i]:
            done = done and _enter(
                i, t, log_tables, tables, shift, vectors, logs, work, mode
            )
        done = done and _forget_children(i, t, vectors, mode)
        if j >= 0 and t[j, LAST_CHILD] != i:
            done = done and _gather(i, j, vectors, mode) != LOST
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def all_messages(
    t,
    node,
    scaled,
    node_shift,
    log_tables,
    tables,
    shift,
    game,
    predictor,
    n_sweeps,
    downwards,
    vectors,
    logs,
    work,
    mode,
):
    """Messages for the predictor after its half-sweeps; ``downwards``: these too."""
    done = _start(t, node, scaled, node_shift, game, predictor, vectors, logs, mode)
    for i in range(len(t) - 1, -1, -1):
        done = done and _leave(
            i, t, log_tables, tables, shift, vectors, logs, work[0], mode
        )
    for sweep in range(0, n_sweeps, 2):
        done = done and _tour(
            t,
            log_tables,
            tables,
            shift,
            game,
            predictor,
            sweep + 1 < n_sweeps,
            vectors,
            logs,
            work,
            mode,
        )
    if done and downwards:
        every = n_sweeps % 2 == 0
        done = _messages_downwards(
            t, log_tables, tables, shift, vectors, logs, work[0], every, mode
        )
    return done

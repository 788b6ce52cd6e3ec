"""Moves of word types between classes, one at a time, each to where it fits best."""

import numpy as np
from numba import njit

__all__ = ["exchange"]

# A gain in nats up to which a move is taken for rounding.
_LEAST_GAIN = 1e-7
# A sweep that moves less than one type in so many is the last one.
_SETTLED = 2000


@njit(cache=True, nogil=True)
def exchange(labels, n_classes, followers, leaders, attributes, tables, max_iter):
    """Sweep over word types until they stay where they are.

    Types are visited in the order of their numbers. The boundary, the last type, never
    leaves its class, the last one.

    Parameters
    ----------
    labels : ndarray of shape (V + 1,)
        Class of each type; changed in place. That of the boundary is ``n_classes``.
    n_classes : int
        Number of classes of words.
    followers, leaders : tuple (indptr, indices, data)
        Bigram counts of shape (V + 1, V + 1) in rows by their first, and by their
        second, type.
    attributes : ndarray of shape (V, A)
        Attributes of each type, numbered over all of them.
    tables : tuple (x_log_x, member, size)
        ``x_log_x[n]`` for counts n of tokens. A type gains ``member[n]`` for an
        attribute that n types of its class have, and pays ``size[n]`` for n types.
    max_iter : int
        Bound on the sweeps.

    Returns
    -------
    int
        Number of sweeps.
    """
    classes = _class_counts(labels, n_classes, followers, attributes)
    left, right = np.empty(n_classes + 1, np.int64), np.empty(n_classes + 1, np.int64)
    gain = np.empty(n_classes)
    for iteration in range(max_iter):
        n_moved = 0
        for v in range(len(attributes)):
            own, forms = labels[v], attributes[v]
            itself = _neighbours(right, v, labels, followers)
            _neighbours(left, v, labels, leaders)
            _put(classes, own, left, right, itself, forms, -1)
            _gains(gain, classes, left, right, itself, forms, tables)
            best = np.argmax(gain)
            if gain[best] <= gain[own] + _LEAST_GAIN:
                best = own
            _put(classes, best, left, right, itself, forms, 1)
            labels[v] = best
            n_moved += best != own
        if n_moved * _SETTLED < len(attributes):
            return iteration + 1
    return max_iter


@njit(cache=True, nogil=True)
def _class_counts(labels, n_classes, followers, attributes):
    """Counts of class bigrams, of tokens, of types, and of types with an attribute."""
    indptr, indices, data = followers
    n_values = attributes.max() + 1 if attributes.size else 0
    pairs = np.zeros((n_classes + 1, n_classes + 1), np.int64)
    types = np.zeros(n_classes, np.int64)
    having = np.zeros((n_values, n_classes), np.int64)
    for v in range(len(labels)):
        for p in range(indptr[v], indptr[v + 1]):
            pairs[labels[v], labels[indices[p]]] += data[p]
    for v in range(len(attributes)):
        types[labels[v]] += 1
        for a in attributes[v]:
            having[a, labels[v]] += 1
    return pairs, pairs.sum(axis=0), types, having


@njit(cache=True, nogil=True)
def _neighbours(out, v, labels, counts):
    """Tokens of each class beside a type; those of the type itself are returned."""
    indptr, indices, data = counts
    out[:] = 0
    itself = 0
    for p in range(indptr[v], indptr[v + 1]):
        if indices[p] == v:
            itself = data[p]
        else:
            out[labels[indices[p]]] += data[p]
    return itself


@njit(cache=True, nogil=True)
def _put(classes, k, left, right, itself, forms, sign):
    """Add a type to the counts of a class, or take it away."""
    pairs, tokens, types, having = classes
    for j in range(len(left)):
        pairs[j, k] += sign * left[j]
        pairs[k, j] += sign * right[j]
    pairs[k, k] += sign * itself
    tokens[k] += sign * (right.sum() + itself)
    types[k] += sign
    for a in forms:
        having[a, k] += sign


@njit(cache=True, nogil=True)
def _gains(gain, classes, left, right, itself, forms, tables):
    """What the objective gains by a type in each class."""
    pairs, tokens, types, having = classes
    x_log_x, member, size = tables
    count = right.sum() + itself
    for k in range(len(gain)):
        within = pairs[k, k]
        # The loops below take the bigrams inside k for two cells, and it is but one.
        gain[k] = x_log_x[within + left[k] + right[k] + itself] + x_log_x[within]
        gain[k] -= x_log_x[within + left[k]] + x_log_x[within + right[k]]
        gain[k] -= 2 * (x_log_x[tokens[k] + count] - x_log_x[tokens[k]])
        gain[k] -= size[types[k]]
    for j in range(len(left)):
        if left[j]:  # most types have few neighbours
            for k in range(len(gain)):
                gain[k] += x_log_x[pairs[j, k] + left[j]] - x_log_x[pairs[j, k]]
        if right[j]:
            for k in range(len(gain)):
                gain[k] += x_log_x[pairs[k, j] + right[j]] - x_log_x[pairs[k, j]]
    for a in forms:
        for k in range(len(gain)):
            gain[k] += member[having[a, k]]

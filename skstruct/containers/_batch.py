"""The protocol that lets scikit-learn cut, join and ship structured samples."""

from itertools import chain
from numbers import Integral

import numpy as np

__all__ = ["Batch", "gather", "locate", "neighbours", "offsets_of", "place"]


class Batch:
    """A batch of ``n`` structured samples, seen by scikit-learn as shape ``(n,)``.

    A subclass gives ``__len__``, ``_item(i)`` (one sample), ``_take(ids)`` (a batch of
    the samples ``ids``) and the class method ``_concat(batches)``. Batches are
    immutable by convention: every method answers with a new batch.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.containers import Batch, Ragged
    >>> X = Ragged([["a", "rose"], [], ["is", "a", "rose"]])
    >>> isinstance(X, Batch), X.shape
    (True, (3,))
    >>> X[[2, 0]]
    Ragged(2 sequences, 5 tokens, str)
    >>> X + X[:1]
    Ragged(4 sequences, 7 tokens, str)
    >>> np.concatenate([X[:1], X[2:]]).lengths
    array([2, 3])
    """

    __slots__ = ()

    # A 1-D shape makes `sklearn.utils._safe_indexing` keep the type of the batch.
    @property
    def shape(self):
        """``(n_samples,)``."""
        return (len(self),)

    ndim = 1

    # Slots need it, so that skops can save what holds a batch.
    def __getstate__(self):
        slots = chain.from_iterable(
            vars(c).get("__slots__", ()) for c in type(self).mro()
        )
        return {name: getattr(self, name) for name in slots}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)

    def __iter__(self):
        return (self._item(i) for i in range(len(self)))

    def __getitem__(self, key):
        if isinstance(key, tuple):  # scikit-learn spells it X[key, ...]
            keys = [k for k in key if k is not Ellipsis]
            if len(keys) != 1:
                raise IndexError(
                    f"{type(self).__name__} has one axis, the samples; got {key!r}."
                )
            key = keys[0]
        if isinstance(key, Integral) and not isinstance(key, bool | np.bool_):
            return self._item(range(len(self))[key])
        return self._take(self._as_ids(key))

    def _as_ids(self, key):
        """Slices, masks and (negative) ids as an array of ids in range."""
        n = len(self)
        if isinstance(key, slice):
            return np.arange(*key.indices(n))
        key = np.asarray(key)
        if key.dtype == bool:
            if key.shape != (n,):
                raise IndexError(
                    f"A mask of shape {key.shape} cannot choose from {n} samples."
                )
            return np.flatnonzero(key)
        if key.size == 0:
            return np.zeros(0, dtype=np.intp)
        if key.ndim != 1 or key.dtype.kind not in "iu":
            raise IndexError(
                "Samples are chosen by an integer, a slice, a mask or a 1-D array of "
                f"integers; got dtype {key.dtype} and shape {key.shape}."
            )
        ids = key.astype(np.intp)
        if ids.min() < -n or ids.max() >= n:
            raise IndexError(f"A sample id is out of range for {n} samples.")
        return np.where(ids < 0, ids + n, ids)

    def __add__(self, other):
        if type(other) is not type(self):
            if not isinstance(other, Batch):
                return NotImplemented
            raise TypeError(
                f"A {type(self).__name__} and a {type(other).__name__} do not join: "
                "batches of one kind do."
            )
        return self._concat([self, other])

    def __array__(self, dtype=None, copy=None):
        """A 1-D object array of samples, whatever their sizes."""
        if dtype is not None and np.dtype(dtype) != object:
            raise TypeError(
                f"{type(self).__name__} has no rectangular form of dtype {dtype}; use "
                "its flat `values`."
            )
        out = np.empty(len(self), dtype=object)
        for i, sample in enumerate(self):
            out[i] = sample
        return out

    def __array_function__(self, func, types, args, kwargs):
        # cross_val_predict joins the predictions of the folds by concatenate.
        if func is np.concatenate and len(args) == 1 and not kwargs:
            return type(self)._concat(list(args[0]))
        return NotImplemented


def offsets_of(lengths) -> np.ndarray:
    """Offsets of samples with these lengths.

    Parameters
    ----------
    lengths : array-like of int of shape (n,)
        Number of rows of each sample.

    Returns
    -------
    ndarray of shape (n + 1,)
        Sample ``i`` owns the rows ``offsets[i]:offsets[i + 1]``.

    Examples
    --------
    >>> from skstruct.containers import offsets_of
    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.intp)
    np.cumsum(lengths, out=offsets[1:], dtype=np.intp)
    return offsets


def locate(offsets, row):
    """Sample, and position in it, of a row of the flat arrays.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Where samples begin.
    row : int
        Number of the row.

    Returns
    -------
    sample : int
        The sample that owns the row.
    position : int
        Its position there, from 0.

    Examples
    --------
    >>> from skstruct.containers import locate, offsets_of
    >>> sample, position = locate(offsets_of([2, 0, 3]), 3)
    >>> print(sample, position)
    2 1
    """
    sample = np.searchsorted(offsets, row, side="right") - 1
    return sample, row - offsets[sample]


def place(row, offsets=None) -> str:
    """Where a row of the flat arrays stands, in the words of an error message.

    Parameters
    ----------
    row : int
        Number of the row.
    offsets : ndarray of shape (n + 1,), default=None
        Where samples begin.

    Returns
    -------
    str
        Such as ``"sample 2, position 0"``; ``"row 7"`` without offsets.

    Examples
    --------
    >>> from skstruct.containers import offsets_of, place
    >>> place(3, offsets_of([2, 0, 3]))
    'sample 2, position 1'
    """
    if offsets is None:
        return f"row {row}"
    return "sample {}, position {}".format(*locate(offsets, row))


def neighbours(offsets, offset) -> np.ndarray:
    """Row of the neighbour that stands some positions away in the same sample.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Where samples begin.
    offset : int
        How many positions later; negative is earlier.

    Returns
    -------
    ndarray of shape (n_rows,)
        Row of the neighbour of each row; -1 where it would lie outside of the sample,
        so that it reads a boundary put at the end of an array.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.containers import Ragged, neighbours
    >>> X = Ragged([["a", "rose"], ["is", "a", "rose"]])
    >>> np.append(X.values, "<end>")[neighbours(X.offsets, 1)]
    array(['rose', '<end>', 'a', 'rose', '<end>'], dtype=object)
    """
    lengths = np.diff(offsets)
    rows = np.arange(offset, offset + offsets[-1])
    inside = rows >= np.repeat(offsets[:-1], lengths)
    inside &= rows < np.repeat(offsets[1:], lengths)
    return np.where(inside, rows, -1)


def gather(offsets, ids):
    """Rows and new offsets of the samples ``ids`` of a batch with ``offsets``.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Sample ``i`` owns the rows ``offsets[i]:offsets[i + 1]``.
    ids : ndarray of shape (m,)
        The samples to take, in the order wanted.

    Returns
    -------
    rows : ndarray of shape (n_rows,)
        Positions in the flat arrays.
    new_offsets : ndarray of shape (m + 1,)
        Offsets of the taken samples.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.containers import gather, offsets_of
    >>> rows, offsets = gather(offsets_of([2, 0, 3]), np.array([2, 0]))
    >>> rows, offsets
    (array([2, 3, 4, 0, 1]), array([0, 3, 5]))
    """
    lengths = offsets[ids + 1] - offsets[ids]
    new = offsets_of(lengths)
    rows = np.arange(new[-1]) + np.repeat(offsets[ids] - new[:-1], lengths)
    return rows, new

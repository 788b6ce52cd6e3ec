"""Features of positions: of cells by their distance to the diagonal, and of jumps."""

import numpy as np

from skstruct.kernels._links import diagonal_distance

__all__ = ["diagonal_bins", "log_jump_bins"]


def diagonal_bins(source_lengths, target_lengths, n_bins=10):
    r"""Bins of the distances of all cells of sentence pairs to the diagonal.

    .. math:: \left| \frac{i + 1/2}{I} - \frac{j + 1/2}{J} \right|

    Parameters
    ----------
    source_lengths, target_lengths : array-like of shape (N,)
        Lengths I and J of the two sides of each pair; a side may be empty.
    n_bins : int, default=10
        Number of bins of equal width, up to 256.

    Returns
    -------
    ndarray of shape (C,), uint8
        Bin of each cell: pair after pair, source position after source position.

    Examples
    --------
    >>> from skstruct.potentials import diagonal_bins
    >>> diagonal_bins([2], [3]).reshape(2, 3)
    array([[0, 2, 5],
           [5, 2, 0]], dtype=uint8)
    """
    source = np.asarray(source_lengths, dtype=np.int64)
    target = np.asarray(target_lengths, dtype=np.int64)
    if not 1 <= n_bins <= 256:
        raise ValueError(f"n_bins must be from 1 to 256; got {n_bins}.")
    bins = np.empty(source @ target, np.uint8)
    diagonal_distance(source, target, n_bins, bins)
    return bins


def log_jump_bins(max_jump):
    r"""Bins of jumps d by their logarithm: :math:`\pm\lfloor\log(1 + 2|d|)\rfloor`.

    Near jumps are told apart, far ones share a bin: 0, 1 to 3, 4 to 9, 10 to 26
    and so on, forwards and backwards.

    Parameters
    ----------
    max_jump : int
        Longest jump M.

    Returns
    -------
    ndarray of shape (2 M + 1,), int64
        Bin of each jump from -M to M, counted from 0.

    Examples
    --------
    >>> from skstruct.potentials import log_jump_bins
    >>> log_jump_bins(5)
    array([0, 0, 1, 1, 1, 2, 3, 3, 3, 4, 4])
    """
    forwards = np.log(1 + 2 * np.arange(max_jump + 1)).astype(np.int64)
    bins = np.concatenate([-forwards[:0:-1], forwards])
    return bins + forwards[-1]

"""Both directions of a word alignment joined to one."""

import numpy as np

from skstruct.containers import Ragged
from skstruct.containers._batch import offsets_of
from skstruct.kernels._symmetrize import FORWARD, REVERSE, grow_links, merge_links

__all__ = ["SYMMETRIZATIONS", "symmetrize_links"]

# How many words of a link must be free in the final pass.
_GROWING = {"grow-diag": 0, "grow-diag-final": 1, "grow-diag-final-and": 2}
SYMMETRIZATIONS = ("forward", "reverse", "intersection", "union", *_GROWING)


def symmetrize_links(forward, reverse, method):
    """Join the links of both directions; see :func:`symmetrize` for the rules.

    Parameters
    ----------
    forward, reverse : Ragged of int arrays of shape (n_links, 2)
        Links (source, target) of each pair, in any order.
    method : str
        One of ``SYMMETRIZATIONS``.

    Returns
    -------
    Ragged of intp arrays of shape (n_links, 2)
        Distinct links of each pair, sorted by source, then target.
    """
    return _join(_columns(forward), _columns(reverse), len(forward), method)


def _columns(links):
    pair = np.repeat(np.arange(len(links)), links.lengths)
    values = links.values.reshape(-1, 2).astype(np.intp, copy=False)
    return pair, values[:, 0], values[:, 1]


def _join(forward, reverse, n_pairs, method):
    """Join columns (pair, source, target) of links."""
    pair, source, target, member = merge_links(forward, reverse)
    kept = _kept(pair, source, target, member, n_pairs, method)
    lengths = np.bincount(pair[kept], minlength=n_pairs)
    links = np.stack([source[kept], target[kept]], axis=1)
    return Ragged.from_arrays(links, offsets_of(lengths))


def _kept(pair, source, target, member, n_pairs, method):
    """Which points of the union a method keeps."""
    if method == "forward":
        return member & FORWARD > 0
    if method == "reverse":
        return member & REVERSE > 0
    if method == "intersection":
        return member == FORWARD | REVERSE
    if method == "union":
        return member > 0
    offsets = offsets_of(np.bincount(pair, minlength=n_pairs))
    return grow_links(offsets, source, target, member, _GROWING[method])

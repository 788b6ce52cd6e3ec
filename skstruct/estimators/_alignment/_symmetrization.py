"""Both directions of a word alignment joined to one."""

import numpy as np

from skstruct._validation import as_links
from skstruct.containers import Ragged
from skstruct.containers._batch import offsets_of
from skstruct.kernels._symmetrize import FORWARD, REVERSE, grow_links, merge_links

__all__ = ["SYMMETRIZATIONS", "join_links", "symmetrize", "symmetrize_links"]

# How many words of a link must be free in the final pass.
_GROWING = {"grow-diag": 0, "grow-diag-final": 1, "grow-diag-final-and": 2}
SYMMETRIZATIONS = ("forward", "reverse", "intersection", "union", *_GROWING)


def symmetrize(forward, reverse, method="grow-diag-final-and"):
    """Join the links of both directions of an alignment by a heuristic.

    A model of one direction links each word of one side to at most one of the other.
    The links of both directions together allow for many to many: their intersection is
    precise, their union complete, and growing [1]_ stands between.

    Parameters
    ----------
    forward, reverse : Ragged or list-like of links
        For each pair an array, list or set of ``(source, target)``, counted from 0;
        both directions in this order.
    method : str, default="grow-diag-final-and"
        - "forward", "reverse": one of both.
        - "intersection", "union": what both have, what one of them has.
        - "grow-diag": begin with the intersection. Visit the other points of the union
          in the order of source, then target, and add a point if one of the eight
          around it is in the alignment, points added before included, and at least ONE
          of its words is free, that is, has no link yet. Sweep so over all points until
          nothing is added.
        - "grow-diag-final": then visit the points of ``forward``, and after them those
          of ``reverse``, in the same order, and add those with at least one free word.
        - "grow-diag-final-and": the same, but both words must be free.

    Returns
    -------
    Ragged or object array of arrays of shape (n_links, 2)
        Distinct links of each pair, sorted by source, then target; a Ragged if
        ``forward`` is one.

    Raises
    ------
    ValueError
        If the method is unknown, the numbers of pairs differ, or the links of a pair
        are missing or not pairs of whole numbers from 0.

    Notes
    -----
    The order of visits matters to which links stay. It is fixed as above, so that the
    answer does not depend on the order in which links are given.

    References
    ----------
    .. [1] P. Koehn, F. J. Och and D. Marcu (2003). Statistical phrase-based
       translation. NAACL.

    Examples
    --------
    >>> from skstruct.estimators import symmetrize
    >>> forward, reverse = [[(0, 0), (1, 1), (3, 2)]], [[(0, 0), (0, 1), (4, 4)]]
    >>> symmetrize(forward, reverse, "grow-diag")[0].tolist()
    [[0, 0], [0, 1], [1, 1]]
    >>> symmetrize(forward, reverse, "grow-diag-final-and")[0].tolist()
    [[0, 0], [0, 1], [1, 1], [3, 2], [4, 4]]
    """
    if method == "mean":
        raise ValueError(
            "method='mean' needs probabilities, and links have none: use "
            "SymmetrizedAligner(aligner, method='mean'), or HMMAligner or "
            "CRFAutoencoderAligner with symmetrization='mean', which is their default."
        )
    if method not in SYMMETRIZATIONS:
        raise ValueError(
            f"method={method!r}; expected one of {', '.join(SYMMETRIZATIONS)}."
        )
    sides = [_read(forward, "forward"), _read(reverse, "reverse")]
    n_pairs, n_reverse = (len(links.known) for links in sides)
    if n_pairs != n_reverse:
        raise ValueError(f"forward has {n_pairs} pairs, reverse {n_reverse}.")
    joined = join_links(*(links[:3] for links in sides), n_pairs, method)
    return joined if isinstance(forward, Ragged) else np.asarray(joined)


def _read(links, name):
    links = as_links(links, name=name)
    if not links.known.all():
        raise ValueError(
            f"{name}[{np.argmin(links.known)}] is missing (None); a pair without links "
            "has an empty list."
        )
    return links


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
    return join_links(_columns(forward), _columns(reverse), len(forward), method)


def _columns(links):
    pair = np.repeat(np.arange(len(links)), links.lengths)
    values = links.values.reshape(-1, 2).astype(np.intp, copy=False)
    return pair, values[:, 0], values[:, 1]


def join_links(forward, reverse, n_pairs, method):
    """Join links given as arrays (pair, source, target) of both directions."""
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

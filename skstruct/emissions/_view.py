"""Views of a token, and observations of several at once."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator

from skstruct.emissions._base import Emission, Observations

__all__ = ["View", "ViewRows", "check_view", "is_pair", "joined"]

_FARTHEST = 1_000_000


class View(BaseEstimator):
    """One view of a token: what is observed, how it is emitted and how much it counts.

    It only holds parameters, which `Product` and a CRF autoencoder read.

    Parameters
    ----------
    target : str or object, default="token"
        What is observed of a token. `Product` leaves it alone: its values come ready.
    emission : Emission or None, default=None
        Distribution of the values given the state. None is
        ``Categorical(alpha=0.1, update="variational")``.
    offset : int, default=0
        Observe the token that many positions further on, at most a million; -1 is the
        one before.
        `Product` leaves it alone.
    exponent : float, default=1.0
        Positive power of the view's probability: 0.5 counts it as half evidence.

    Examples
    --------
    >>> from skstruct.emissions import Categorical, View
    >>> View("brown", Categorical(alpha=0.5), offset=1, exponent=0.5)
    View(emission=Categorical(alpha=0.5), exponent=0.5, offset=1, target='brown')
    """

    def __init__(self, target="token", emission=None, *, offset=0, exponent=1.0):
        self.target = target
        self.emission = emission
        self.offset = offset
        self.exponent = exponent

    def set_params(self, **params):
        """Set parameters, also those of the emission (``emission__alpha``).

        Parameters
        ----------
        **params : dict
            Parameters by name.

        Returns
        -------
        View
            The view itself.

        Raises
        ------
        ValueError
            If there is no such parameter, or the emission is None.
        """
        nested = [name for name in params if name.startswith("emission__")]
        if nested and params.get("emission", self.emission) is None:
            raise ValueError(
                f"{nested[0]} is a parameter of the emission, but that is None; pass "
                "emission=Categorical(), say, to set or search its options."
            )
        return super().set_params(**params)


class ViewRows:
    """Observations of several views, each a row of every view's own observations.

    Parameters
    ----------
    codes : ndarray of shape (U, n_views), dtype intp
        Numbers of rows of each view.
    views : tuple of n_views ndarrays
        Rows of each view.
    """

    ndim = 2

    def __init__(self, codes, views):
        self.codes = codes
        self.views = views

    def __len__(self):
        """U, the number of rows."""
        return len(self.codes)

    def __getitem__(self, which):
        """Some of the rows, by a slice or an array."""
        return ViewRows(self.codes[which], self.views)

    def __array__(self, dtype=None, copy=None):
        """Give the codes."""
        make = np.array if copy else np.asarray
        return make(self.codes, dtype=dtype)

    def __eq__(self, other):
        """Compare codes, bool of shape (U, n_views); rows of one batch only."""
        return self.codes == np.asarray(other)

    __hash__ = None

    def split(self):
        """Observations of each view, of the rows that are in use."""
        columns = np.ascontiguousarray(self.codes.T)
        pairs = zip(columns, self.views, strict=True)
        return [Observations(index, rows).in_use() for index, rows in pairs]


def is_pair(item):
    """Whether an entry of a list is a name with its view."""
    pair = isinstance(item, list | tuple) and len(item) == 2
    return pair and isinstance(item[0], str) and isinstance(item[1], View)


def check_view(name, view):
    """Raise for parameters of a view that make no sense to a product."""
    if not (view.emission is None or isinstance(view.emission, Emission)):
        raise ValueError(
            f"The view {name!r} needs an Emission instance, such as "
            f"emission=Categorical(), or None; got {view.emission!r}."
        )
    offset = view.offset
    whole = isinstance(offset, Integral) and not isinstance(offset, bool)
    if not (whole and -_FARTHEST <= offset <= _FARTHEST):
        raise ValueError(
            f"The view {name!r} needs a whole number of positions between -{_FARTHEST} "
            f"and {_FARTHEST} as its offset, such as -1 for the token before; got "
            f"{offset!r}."
        )
    exponent = view.exponent
    number = isinstance(exponent, Real) and not isinstance(exponent, bool)
    if not (number and 0 < exponent < np.inf):
        raise ValueError(
            f"The view {name!r} needs a positive exponent, got {exponent!r}; leave out "
            "a view that is not to count."
        )


def joined(read):
    """Observations of all views as one; repeats are merged if that halves the rows."""
    rows = ViewRows(
        np.column_stack([view.index for view in read]),
        tuple(view.rows for view in read),
    )
    n_tokens = len(rows)
    key, n_keys = read[0].index, len(read[0].rows)
    for view in read[1:]:
        if n_keys * len(view.rows) >= 2**63:  # too many to number: only those in use
            distinct, key = np.unique(key, return_inverse=True)
            n_keys = len(distinct)
        key, n_keys = key * len(view.rows) + view.index, n_keys * len(view.rows)
    distinct, index = np.unique(key, return_inverse=True)
    if 2 * len(distinct) > n_tokens:
        return Observations(np.arange(n_tokens), rows)
    member = np.zeros(len(distinct), dtype=np.intp)
    member[index] = np.arange(n_tokens)
    return Observations(index, rows[member])

"""Factors on links by which two directions of an aligner come to agree."""

import numpy as np

from skstruct.kernels._links import power

__all__ = ["odds_agreement", "product_agreement"]

_LOW, _HIGH = 1e-4, 1 - 1e-3


def odds_agreement(posterior, strength, out=None):
    r"""Factors of links from the other direction's posteriors o, by their odds.

    .. math:: \left(\frac{o}{1 - o}\right)^\gamma

    Multiplied into the potentials of links, where linking to nothing has factor 1,
    they give the product of the model with the other direction's links, taken as
    independent and raised to the power :math:`\gamma`: a step of mean field.

    Parameters
    ----------
    posterior : ndarray of shape (C,), float32
        Posteriors of the links in the other direction; clipped to [1e-4, 1 - 1e-3], so
        that no direction forbids what the other one needs.
    strength : float
        The exponent: 0 for no agreement.
    out : ndarray of shape (C,), float32, optional
        Receives the factors; it may be ``posterior`` itself.

    Returns
    -------
    ndarray of shape (C,), float32

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.potentials import odds_agreement
    >>> odds_agreement(np.array([0.2, 0.5, 0.8], dtype=np.float32), 0.5)
    array([0.5, 1. , 2. ], dtype=float32)
    """
    return _factors(posterior, strength, _HIGH, True, out)


def product_agreement(posterior, strength, out=None):
    r"""Factors of links from the other direction's posteriors o: :math:`o^\gamma`.

    The product of the posteriors of Liang, Taskar and Klein (2006), for links only:
    linking to nothing keeps its potential, which favours it over all links that the
    other direction doubts.

    Parameters
    ----------
    posterior : ndarray of shape (C,), float32
        Posteriors of the links in the other direction; 1e-4 if they are less.
    strength : float
        The exponent: 0 for no agreement.
    out : ndarray of shape (C,), float32, optional
        Receives the factors; it may be ``posterior`` itself.

    Returns
    -------
    ndarray of shape (C,), float32

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.potentials import product_agreement
    >>> product_agreement(np.array([0.25, 1.0], dtype=np.float32), 0.5)
    array([0.5, 1. ], dtype=float32)
    """
    return _factors(posterior, strength, 1.0, False, out)


def _factors(posterior, strength, high, odds, out):
    if out is None:
        out = np.empty(len(posterior), np.float32)
    bounds = (np.float32(value) for value in (strength, _LOW, high))
    power(posterior, *bounds, odds, out)
    return out

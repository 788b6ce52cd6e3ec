"""What a CRF autoencoder reconstructs: names to views, tokens to their targets."""

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from skstruct._validation import read_batch
from skstruct.containers import Ragged, neighbours
from skstruct.containers._vocabulary import reject_other_kind
from skstruct.emissions import Categorical, Emission, Gaussian, LogLinear, Product, View
from skstruct.estimators._sequences._features import holds_dicts
from skstruct.featurizers import PerToken
from skstruct.featurizers._brown import QuietBrownClusterer

__all__ = [
    "RECONSTRUCTIONS",
    "Reconstruction",
    "as_product",
    "fit_reconstruction",
    "surface",
]

_BOUNDARY = "<boundary>"
# Numbers in a sparse target up to which it is made dense (400 MB).
_MAX_DENSE = 50_000_000


def _brown(offset=0, exponent=1.0):
    emission = Categorical(alpha=0.1, update="variational")
    return View("brown", emission, offset=offset, exponent=exponent)


def _spelling_and_context():
    """The word by its spelling, and the classes of both neighbours."""
    return Product(
        [
            ("token", View("token", LogLinear())),
            ("previous", _brown(offset=-1, exponent=0.5)),
            ("next", _brown(offset=1, exponent=0.5)),
        ]
    )


RECONSTRUCTIONS = {
    "auto": _spelling_and_context,
    "brown": lambda: Product([("brown", _brown())]),
    "loglinear": lambda: Product([("token", View("token", LogLinear()))]),
    "token": lambda: Product([("token", View("token"))]),
}

TARGETS = {"brown": QuietBrownClusterer}


def surface(batch):
    """The tokens of a batch, or its vectors where it carries no tokens.

    Parameters
    ----------
    batch : Ragged
        Tokens, vectors, or features with tokens beside them.

    Returns
    -------
    Ragged

    Raises
    ------
    ValueError
        If there is nothing but features.
    """
    if batch.tokens is None:
        values = batch.values
        if sp.issparse(values) or (values.ndim == 1 and holds_dicts(batch)):
            raise ValueError(
                "X holds features without tokens, and tokens are what is "
                "reconstructed; give the words by Ragged.from_arrays(values, offsets, "
                "tokens=words)."
            )
        return batch
    return Ragged.from_arrays(batch.tokens, batch.offsets, tokens=batch.tokens)


def as_product(reconstruction, batch):
    """The views that a name or an emission stands for, unfitted.

    Parameters
    ----------
    reconstruction : str, Emission or View
        As given to the estimator.
    batch : Ragged
        What `surface` returned.

    Returns
    -------
    Product
        The user's own, if it is one.
    """
    numeric = batch.values.ndim == 2
    if isinstance(reconstruction, Product):
        product = reconstruction
        if product.views is None:
            raise ValueError(
                "reconstruction=Product() has no views; name them, as in "
                "Product([('class', View('brown'))])."
            )
        product._check_parameters()
        return product
    if isinstance(reconstruction, View):
        return Product([("view", reconstruction)])
    if isinstance(reconstruction, Emission):
        return Product([("token", View("token", clone(reconstruction)))])
    if reconstruction not in RECONSTRUCTIONS:
        raise ValueError(
            f"reconstruction must be one of {sorted(RECONSTRUCTIONS)}, an emission or "
            f"a Product of views, got {reconstruction!r}."
        )
    if numeric and reconstruction == "auto":
        return Product([("token", View("token", Gaussian()))])
    if numeric:
        raise ValueError(
            f"reconstruction={reconstruction!r} reads words, but X holds vectors "
            "without tokens; use 'auto' or Gaussian(), or give the words by "
            "Ragged.from_arrays(values, offsets, tokens=words)."
        )
    return RECONSTRUCTIONS[reconstruction]()


class Reconstruction:
    r"""What a fitted CRF autoencoder reconstructs of each token, and how.

    .. math:: \log p(\hat x \mid k) = \sum_v \gamma_v \log p_v(\hat x_v \mid k)

    over views v, each with an exponent :math:`\gamma_v`.

    Parameters
    ----------
    product : Product
        Views, with fitted emissions.
    targets : dict of str to transformer or None
        By the name of the view, what makes of tokens that which its emission sees,
        fitted; None: the token itself.

    Examples
    --------
    >>> from skstruct import CRFAutoencoderTagger
    >>> X = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat", "barks"]]
    >>> model = CRFAutoencoderTagger(2, random_state=0).fit(X)
    >>> sorted(model.reconstruction_.emissions_)
    ['next', 'previous', 'token']
    >>> model.reconstruction_.log_prob([["the", "fox"]]).shape
    (2, 2)
    """

    def __init__(self, product, targets):
        self.product, self.targets = product, targets

    @property
    def emissions_(self):
        """Fitted emissions by the name of the view."""
        return self.product.emissions_

    def encode(self, batch, *, reset=False):
        """Observations of the emissions.

        Parameters
        ----------
        batch : Ragged
            Tokens or vectors.
        reset : bool, default=False
            Learn vocabularies.

        Returns
        -------
        Observations
        """
        seen, values = {}, {}
        for name, view in self.product.views:
            target = self.targets[name]
            if target is None and batch.values.ndim == 1 and not reset:
                symbols = getattr(self.emissions_[name], "symbols_", None)
                reject_other_kind(symbols, batch.values)
            if id(target) not in seen:
                seen[id(target)] = _target_values(target, batch, name)
            values[name] = _shifted(
                seen[id(target)], view.offset, batch.offsets, f"view {name!r}"
            )
        return self.product.encode(values, reset=reset, offsets=batch.offsets)

    def log_prob(self, X):
        """Log-probability of what is reconstructed of each token in each state.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as the estimator takes them.

        Returns
        -------
        ndarray of shape (n_tokens, K)
        """
        observations = self.encode(surface(read_batch(X)[0])).in_use()
        return self.product.table(observations.rows)[observations.index]


def fit_reconstruction(product, batch, fit):
    """Fit what views see of tokens.

    Parameters
    ----------
    product : Product
        Views, unfitted.
    batch : Ragged
        What `surface` returned.
    fit : callable
        ``fit(transformer, batch)`` returns a fitted transformer.

    Returns
    -------
    Reconstruction
        Its emissions know their vocabularies, but have no parameters.
    Observations
        Of the batch.
    """
    targets, fitted = {}, {}
    for name, view in product.views:
        target = view.target
        if isinstance(target, str) and target == "token":
            targets[name] = None
            continue
        # Views of one target, such as both neighbours' classes, share its fit.
        key = target if isinstance(target, str) else id(target)
        if key not in fitted:
            fitted[key] = fit(_as_transformer(target, name), batch)
        targets[name] = fitted[key]
    out = Reconstruction(clone(product), targets)
    return out, out.encode(batch, reset=True)


def _as_transformer(target, name):
    if isinstance(target, str):
        if target not in TARGETS:
            raise ValueError(
                f"The target of view {name!r} must be one of "
                f"{sorted([*TARGETS, 'token'])}, a transformer of sequences or a "
                f"function of one token, got {target!r}."
            )
        return TARGETS[target]()
    if callable(target) and not isinstance(target, type | BaseEstimator):
        return PerToken(target)
    if isinstance(target, type) or not all(
        hasattr(target, method) for method in ("fit", "transform")
    ):
        raise ValueError(
            f"The target of view {name!r} must be a name, a transformer of sequences "
            f"or a function of one token, got {target!r}."
        )
    return clone(target)


def _target_values(target, batch, name):
    """What a view sees of each token, shape (T,) or (T, d)."""
    if target is None:
        return batch.values
    out = target.transform(batch)
    values = out.values if isinstance(out, Ragged) else out
    if hasattr(values, "columns"):  # of a data frame
        values = np.asarray(values)
    shape = getattr(values, "shape", ())
    if len(shape) not in (1, 2) or shape[0] != batch.n_tokens:
        raise ValueError(
            f"The target of view {name!r} must answer a Ragged, or an array, with a "
            f"value or row for each of the {batch.n_tokens} tokens; got "
            f"{type(out).__name__} {shape or ''}."
        )
    if not sp.issparse(values):
        return values
    if np.prod(values.shape, dtype=float) > _MAX_DENSE:
        raise ValueError(
            f"The target of view {name!r} answered a sparse table of {values.shape[0]} "
            f"x {values.shape[1]}, and emissions read dense ones; make it narrow by "
            "TruncatedSVD."
        )
    return values.toarray()


def _shifted(values, offset, offsets, what):
    """The value ``offset`` positions away in the same sequence."""
    if offset == 0:
        return values
    if values.ndim != 1 or values.dtype.kind == "f":
        raise ValueError(
            f"{what}: offset={offset} needs a target of symbols, for vectors have none "
            "for what lies beyond the ends of a sequence."
        )
    return np.append(values.astype(object), _BOUNDARY)[neighbours(offsets, offset)]

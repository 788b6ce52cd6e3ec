"""Where a CRF autoencoder starts: a first guess of the states of tokens."""

import numpy as np
from sklearn.base import clone

from skstruct._validation import as_labels
from skstruct.containers import Ragged, Vocabulary
from skstruct.emissions import Gaussian, LogLinear
from skstruct.estimators._annealed_hmm import AnnealedHMM
from skstruct.estimators._sequences._state_names import token_place
from skstruct.featurizers import ExchangeClusterer
from skstruct.featurizers._brown import QuietBrownClusterer

__all__ = ["check_starts", "guess_states"]

# A guessed label holds with this probability at the start.
_TRUST = 0.9

_OF_WORDS = ("exchange", "feature_hmm", "brown")
_STARTS = (*_OF_WORDS, "hmm", "random", "supervised")


def check_starts(init, *, words, named, labelled):
    """The starts that a parameter asks for, a list.

    Parameters
    ----------
    init : str, estimator or list of such
        As given to the estimator.
    words : bool
        Whether tokens are words, not vectors.
    named : bool
        Whether a dictionary names the states.
    labelled : bool
        Whether labels that hold name the states.

    Returns
    -------
    list of str and estimators

    Raises
    ------
    ValueError
        If a start is unknown, or does not suit the data.
    """
    automatic = "exchange" if words and not named else "hmm"
    automatic = "supervised" if labelled else automatic
    starts = list(init) if isinstance(init, list | tuple) else [init]
    if not starts:
        raise ValueError("init is an empty list; give at least one start.")
    starts = [automatic if one == "auto" else one for one in starts]
    for one in starts:
        if not isinstance(one, str) and (
            isinstance(one, type) or not hasattr(one, "fit")
        ):
            raise ValueError(f"init must hold names or estimators, got {one!r}.")
        if not isinstance(one, str):
            continue
        if one not in _STARTS:
            raise ValueError(
                f"init must be 'auto', one of {sorted(_STARTS)}, an estimator or a "
                f"list of these, got {one!r}."
            )
        if one == "supervised" and not labelled:
            raise ValueError(
                "init='supervised' needs labels that hold: give some as y, with "
                "supervision='clamp'."
            )
        if one in _OF_WORDS and not words:
            raise ValueError(
                f"init={one!r} reads words, but X holds vectors without tokens; use "
                "'hmm' or 'random'."
            )
        if one in ("exchange", "brown") and (named or labelled):
            raise ValueError(
                f"init={one!r} numbers its classes, but tag_dictionary or labels name "
                "states; use init='auto'."
            )
    if len(starts) > 1 and "supervised" in [s for s in starts if isinstance(s, str)]:
        raise ValueError(
            "init='supervised' cannot be one of several starts: its penalty pulls to "
            "other weights, so that objectives do not compare."
        )
    return starts


def guess_states(init, batch, names, *, dictionary, labels, random_state, n_jobs, fit):
    """A guess of the states of all tokens.

    Parameters
    ----------
    init : str or estimator
        A name but "auto" and "supervised", or anything that fits sequences and then
        predicts or transforms tokens to states.
    batch : Ragged
        Tokens or vectors.
    names : StateNames
        The states.
    dictionary : TagDictionary or None
        For a hidden Markov model.
    labels : ndarray of shape (T,) or None
        Codes of states that hold, -1 where unknown; likewise.
    random_state : RandomState
        Source of randomness.
    n_jobs : int or None
        Threads.
    fit : callable
        ``fit(estimator, batch, y=None, n_jobs=None)`` returns a fitted estimator.

    Returns
    -------
    ndarray of shape (T, K) or None
        Distributions; rows sum to one. None leaves it to the emissions.
    """
    K = names.size
    if isinstance(init, str):
        if init == "random":
            return _random_classes(batch, K, random_state)
        seed = random_state.randint(np.iinfo(np.int32).max)
        if init == "brown":
            clusterer = fit(QuietBrownClusterer(), batch)
            return _smoothed(_brown_classes(clusterer, batch, K), K)
        if init == "exchange":
            start, y = _WordClasses(K, random_state=seed), None
        else:
            words = batch.values.ndim == 1
            start = _hidden_markov_model(init, K, words, dictionary, seed)
            y = None
            if labels is not None:
                known = np.append(names.states.astype(object), None)[labels]
                start.set_params(supervision="clamp")
                y = batch.with_values(known)
        return _answer(fit(start, batch, y, n_jobs), batch, names)
    return _answer(fit(clone(init), batch), batch, names)


class _Start(AnnealedHMM):
    """A model that is not fitted for its own sake, but cut short on purpose."""

    _warns = False


class _WordClasses(ExchangeClusterer):
    """Classes of which the model itself tells those without tokens."""

    _warns = False


def _smoothed(labels, n_states):
    """Distributions that trust labels, -1 where there are none."""
    out = np.full((len(labels), n_states), (1 - _TRUST) / n_states)
    known = np.flatnonzero(labels >= 0)
    out[known, labels[known]] += _TRUST
    return out / out.sum(axis=1, keepdims=True)


def _hidden_markov_model(init, K, words, dictionary, seed):
    common = {"tag_dictionary": dictionary, "random_state": seed}
    if init == "feature_hmm":
        common |= {"emissions": LogLinear(), "solver": "lbfgs", "beta_min": 1.0}
        return _Start(K, max_iter=60, n_init=3, **common)
    # Vectors with holes come this far only if the reconstruction accepts them.
    common["emissions"] = "categorical" if words else Gaussian(missing="marginalize")
    if dictionary is not None:
        return _Start(K, **common)
    # Short runs: long ones leave a likelihood that is hardly higher, and worse states.
    return _Start(K, n_init=8, max_iter=10, **common)


def _random_classes(batch, K, random_state):
    """One random class for each word."""
    if batch.values.ndim == 2:
        return None
    words = Vocabulary.learn(batch.values, batch.offsets)
    classes = random_state.randint(K, size=len(words))
    return _smoothed(classes[words.codes(batch.values)], K)


def _brown_classes(clusterer, batch, K):
    """Classes of the tree of clusters, cut to K of them."""
    classes = clusterer.cut(min(K, clusterer.n_clusters_))
    numbers = dict(zip(clusterer.words_.tolist(), classes.tolist(), strict=True))
    return np.array([numbers.get(w, -1) for w in batch.values.tolist()], dtype=np.intp)


def _answer(estimator, batch, names):
    """What a fitted estimator says of the states of tokens."""
    K, what = names.size, f"init: {type(estimator).__name__}"
    if hasattr(estimator, "predict_proba"):
        return _probabilities(estimator, batch, names, what)
    method = "predict" if hasattr(estimator, "predict") else "transform"
    labels, known = as_labels(getattr(estimator, method)(batch), batch, what)
    if names.named:
        return _smoothed(names.codes(labels, known, batch, what), K)
    codes = np.full(len(labels), -1)
    distinct, codes[known] = np.unique(labels[known], return_inverse=True)
    if len(distinct) > K:
        raise ValueError(f"{what} gives {len(distinct)} classes, but n_states is {K}.")
    return _smoothed(codes, K)


def _probabilities(estimator, batch, names, what):
    """Probabilities of the states of tokens, checked and normalised."""
    K, answer = names.size, estimator.predict_proba(batch)
    answer = answer if isinstance(answer, Ragged) else Ragged(answer)
    proba = answer.values
    if not np.array_equal(answer.offsets, batch.offsets) or (
        proba.ndim != 2 or proba.dtype.kind not in "fiu"
    ):
        raise ValueError(
            f"{what} answers {answer}, which does not fit {batch}; predict_proba must "
            "give a row of probabilities for each token."
        )
    columns = getattr(estimator, "states_", np.arange(proba.shape[1])).tolist()
    if proba.shape[1] != K or (names.named and columns != names.states.tolist()):
        raise ValueError(
            f"{what} gives probabilities of {proba.shape[1]} states ({columns[:5]} "
            f"...), but there are {K} ({names.states.tolist()[:5]} ...)."
        )
    good = ((proba >= 0) & (proba < np.inf)).all(axis=1) & (proba.sum(axis=1) > 0)
    if not good.all():
        raise ValueError(
            f"{what} gives no probabilities at "
            f"{token_place(good.argmin(), batch.offsets)}: {proba[good.argmin()]}."
        )
    return proba / proba.sum(axis=1, keepdims=True)

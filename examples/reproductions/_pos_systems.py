"""What ``pos_induction.py`` compares: systems that find states of tokens."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from _word_vectors import cluster_words
from sklearn.frozen import FrozenEstimator

from skstruct.emissions import Categorical, LogLinear
from skstruct.estimators import AnnealedHMM, CRFAutoencoderTagger
from skstruct.featurizers import BrownClusterer, ExchangeClusterer

__all__ = ["FITTED", "SYSTEMS"]

K = 12


# --- Models that several systems use: each a function of the text


def feature_hmm(text, coef=None, max_iter=100, n_init=1, **start):
    """Log-linear emissions, the likelihood climbed by L-BFGS."""
    return AnnealedHMM(
        K,
        emissions=LogLinear(init=coef),
        solver="lbfgs",
        max_iter=max_iter,
        n_init=n_init,
        random_state=text.seed,
        **start,
    ).fit(text.X)


def autoencoder(text, start):
    """The default, from a fitted start."""
    init = FrozenEstimator(start)
    return CRFAutoencoderTagger(K, init=init, random_state=text.seed).fit(text.X)


def exchange(text, **search):
    """Exchange classes."""
    return ExchangeClusterer(K, random_state=text.seed, **search).fit(text.X)


FITTED = {
    "brown": lambda text: BrownClusterer(100).fit(text.X),
    "exchange": exchange,
    "restarts": lambda text: exchange(text, n_init=20, n_perturbations=0),
    "feature_hmm": feature_hmm,
    "from_exchange": lambda text: autoencoder(text, text.fitted("exchange")[0]),
    "from_restarts": lambda text: autoencoder(text, text.fitted("restarts")[0]),
    "from_feature_hmm": lambda text: autoencoder(text, text.fitted("feature_hmm")[0]),
}


# --- Systems: each a function of the text and of the fitted models it needs


def predict(text, *models):
    """The states of the last model; those before are what it started from."""
    return models[-1].predict(text.X)


def hmm(text, emissions="categorical"):
    """Best likelihood of three runs of EM."""
    model = AnnealedHMM(
        K, emissions=emissions, max_iter=100, n_init=3, random_state=text.seed
    )
    return model.fit(text.X).predict(text.X)


def variational_hmm(text):
    """The same, with sparse emissions."""
    return hmm(text, Categorical(alpha=0.1, update="variational"))


def longer_feature_hmm(text):
    """Best likelihood of three long runs."""
    return feature_hmm(text, max_iter=300, n_init=3).predict(text.X)


def feature_hmm_from_classes(text, exchange, max_iter=100):
    """The feature HMM from the start that autoencoders have: trusted to nine tenths."""
    X, classes = text.X, exchange.transform(text.X).values
    guess = np.full((X.n_tokens, K), 0.1 / K)
    guess[np.arange(X.n_tokens), classes] += 0.9
    emission = LogLinear()
    index, symbols = emission.encode(X.values, reset=True)
    emission.initialize((index, symbols), K, None)
    counts = np.zeros((len(symbols), K))
    np.add.at(counts, index, guess)
    emission.m_step(emission.statistics(symbols, counts))
    first = X.offsets[:-1]
    later = np.setdiff1d(np.arange(X.n_tokens), first)
    start, moves = guess[first].sum(axis=0), guess[later - 1].T @ guess[later]
    model = feature_hmm(
        text,
        coef=emission.coef_,
        max_iter=max_iter,
        startprob_init=start / start.sum(),
        transmat_init=moves / moves.sum(axis=1, keepdims=True),
    )
    return model.predict(X)


def longer_from_classes(text, exchange):
    """The same, three times as long."""
    return feature_hmm_from_classes(text, exchange, max_iter=300)


def brown(text, clusterer):
    """The tree of Brown clusters where it has twelve branches."""
    classes = clusterer.cut(K)
    number = dict(zip(clusterer.words_, classes, strict=True))
    return text.X.with_values([number[word] for word in text.X.values])


def k_means(text):
    """The strong simple baseline, of scikit-learn's parts alone."""
    return cluster_words(text.X, K, text.seed)


def k_means_of_all(text):
    """The same, the neighbours of rare words heeded too."""
    return cluster_words(text.X, K, text.seed, min_count=1)


def paper(text):
    """The published recipe: Brown clusters reconstructed, short HMMs at the start."""
    return brown_autoencoder(text, init="hmm", max_iter=50)


def paper_from_feature_hmm(text, start):
    """The published model from a better start."""
    return brown_autoencoder(text, init=FrozenEstimator(start), encoder_l2=0.2)


def brown_autoencoder(text, **parameters):
    model = CRFAutoencoderTagger(
        K, reconstruction="brown", random_state=text.seed, **parameters
    )
    return model.fit(text.X).predict(text.X)


def by_type(text, start, model):
    """The default, with one state for each word."""
    return model.set_params(decoding="type").predict(text.X)


def better(text, exchange, one, hmm, other):
    """Of two starts, that which the objective prefers, as ``init=[...]`` does."""
    best = max(one, other, key=lambda model: model.history_[-1]["objective"])
    return best.predict(text.X)


class System(NamedTuple):
    """A way to find states, and the fitted models it needs, in the order of `run`."""

    title: str
    run: Callable
    needs: tuple = ()
    max_seeds: int = 5


EXCHANGE = ("exchange", "from_exchange")
FEATURES = ("feature_hmm", "from_feature_hmm")

SYSTEMS = {
    "hmm": System("HMM", hmm),
    "hmm-variational": System("HMM, variational", variational_hmm),
    "feature-hmm": System("feature HMM", predict, ("feature_hmm",)),
    "feature-hmm-long": System(
        "feature HMM, best of 3 long runs", longer_feature_hmm, max_seeds=1
    ),
    "feature-hmm-exchange": System(
        "feature HMM, exchange start", feature_hmm_from_classes, ("exchange",)
    ),
    "feature-hmm-exchange-long": System(
        "feature HMM, exchange start, long run",
        longer_from_classes,
        ("exchange",),
        max_seeds=1,
    ),
    "brown": System("Brown, 12 branches", brown, ("brown",)),
    "k-means": System("k-means of word vectors", k_means),
    "k-means-all": System("k-means, rare words' neighbours too", k_means_of_all),
    "exchange": System("exchange", predict, ("exchange",)),
    "exchange-restarts": System("exchange, 20 plain starts", predict, ("restarts",)),
    "crfae-paper": System("CRF-AE of the paper", paper),
    "crfae-paper-fhmm": System(
        "CRF-AE of the paper, feature HMM start",
        paper_from_feature_hmm,
        ("feature_hmm",),
    ),
    "crfae": System("CRF-AE", predict, EXCHANGE),
    "crfae-type": System("CRF-AE, by type", by_type, EXCHANGE),
    "crfae-restarts": System(
        "CRF-AE, start of 20 plain starts", predict, ("restarts", "from_restarts")
    ),
    "crfae-fhmm": System("CRF-AE, feature HMM start", predict, FEATURES),
    "crfae-better": System(
        "CRF-AE, better objective of two starts", better, (*EXCHANGE, *FEATURES)
    ),
}

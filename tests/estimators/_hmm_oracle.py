"""The steps of EM for hidden Markov models by enumeration, and a tiny task."""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.testing import assert_allclose

from skstruct.emissions import Categorical
from skstruct.estimators import AnnealedHMM
from tests import _oracles as oracle

ORDERS = [1, 2]
STATES = ["A", "B", "C"]
SYMBOLS = ["a", "b", "c", "d"]
K, V = len(STATES), len(SYMBOLS)
DICTIONARY = {"a": ["A", "B"], "b": ["C"], "d": ["A", "C"]}  # "c" is free
X = [list(s) for s in ["abcd", "c", "", "bda", "ca", "addc"]]
Y = [[None, None, "B", None], None, [], ["C", None, "A"], [None, "B"], [None] * 4]
WEIGHT = np.array([1.0, 2.0, 3.0, 0.5, 0.0, 1.5])


class Parameters(NamedTuple):
    start: np.ndarray
    transmat: np.ndarray
    second: np.ndarray | None
    emission: np.ndarray


class Counts(NamedTuple):
    log_z: np.ndarray
    start: np.ndarray
    edge: np.ndarray
    second: np.ndarray
    emission: np.ndarray


def log(p):
    with np.errstate(divide="ignore"):
        return np.log(p)


def dictionary_mask():
    return np.array([[s in DICTIONARY.get(w, STATES) for s in STATES] for w in SYMBOLS])


def random_parameters(seed, order, mask):
    rng = np.random.default_rng(seed)
    start, emission = rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(V), size=K)
    transmat = rng.dirichlet(np.ones(K), size=(K,) * order)
    emission = emission * mask.T
    emission /= emission.sum(axis=1, keepdims=True)
    # What the estimator says it does with a second-order start array.
    second = np.einsum("i,ijk->jk", start, transmat) if order == 2 else None
    return Parameters(start, transmat, second, emission)


def scores_of(sequence, labels, p, mask, beta=1.0, skew=None):
    """All paths of a sequence and beta log p + (1 - beta) log p0 of each."""
    order = p.transmat.ndim - 1
    codes = [SYMBOLS.index(w) for w in sequence]
    paths = oracle.enumerate_paths(len(codes), K)
    total = np.zeros(len(paths))
    for q, share in [(p, beta)] + ([] if skew is None else [(skew, 1 - beta)]):
        total += share * oracle.chain_scores(
            paths,
            log(q.emission.T[codes]),
            log(q.transmat),
            log(q.start),
            second=None if q.second is None else log(q.second),
            order=order,
        )
    for t, (v, label) in enumerate(
        zip(codes, labels or [None] * len(codes), strict=True)
    ):
        allowed = mask[v] if label is None else np.array(STATES) == label
        total[~allowed[paths[:, t]]] = -np.inf
    return paths, total


def expected_counts(p, mask, labels=None, weight=WEIGHT, beta=1.0, skew=None):
    """E-step by enumeration, for models of order 1 and 2."""
    order = p.transmat.ndim - 1
    out = Counts(
        np.zeros(len(X)),
        np.zeros(K),
        np.zeros((K,) * (order + 1)),
        np.zeros((K, K)),
        np.zeros((K, V)),
    )
    for i, sequence in enumerate(X):
        y = None if labels is None else labels[i]
        paths, scores = scores_of(sequence, y, p, mask, beta, skew)
        out.log_z[i] = oracle.log_partition(scores)
        for path, q in zip(
            paths, weight[i] * oracle.probabilities(scores), strict=True
        ):
            if not len(path):
                continue
            out.start[path[0]] += q
            if order == 2 and len(path) > 1:
                out.second[path[0], path[1]] += q
            for t in range(order, len(path)):
                out.edge[tuple(path[t - order : t + 1])] += q
            for k, w in zip(path, sequence, strict=True):
                out.emission[k, SYMBOLS.index(w)] += q
    return out


def normalised(counts, old):
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), old)


def updated(p, counts, mask, alpha=0.0, transition_alpha=0.0):
    """M-step: pseudo-counts on all starts, transitions and allowed emissions."""
    return Parameters(
        normalised(counts.start + transition_alpha, p.start),
        normalised(counts.edge + transition_alpha, p.transmat),
        None
        if p.second is None
        else normalised(counts.second + transition_alpha, p.second),
        normalised(counts.emission + alpha * mask.T, p.emission),
    )


def fitted_parameters(hmm):
    second = getattr(hmm, "second_transmat_", None)
    return Parameters(hmm.startprob_, hmm.transmat_, second, hmm.emissionprob_)


def assert_same(actual, expected, **tolerance):
    for name, a, b in zip(Parameters._fields, actual, expected, strict=True):
        if b is not None:
            assert_allclose(a, b, err_msg=name, **{"atol": 1e-10, **tolerance})


def one_step(p, beta=1.0, alpha=0.0, labels=None, dictionary=None, **params):
    """A model after one E- and M-step, from given parameters or an initialiser."""
    start = {"startprob_init": p.start, "transmat_init": p.transmat}
    init = p.emission
    if "skew_from" in params:
        start, init = {}, None
    hmm = AnnealedHMM(
        K,
        emissions=Categorical(alpha=alpha, init=init, symbols=SYMBOLS),
        **start,
        order=p.transmat.ndim - 1,
        tag_dictionary=dictionary,
        supervision="ignore" if labels is None else "clamp",
        betas=[beta],
        max_iter=1,
        **params,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hmm.fit(X, labels, sample_weight=WEIGHT)


def guidance(kind):
    """Mask, dictionary and labels of a way of saying what states mean."""
    mask = np.ones((V, K), dtype=bool)
    dictionary = labels = None
    if kind in ("dictionary", "both"):
        mask, dictionary = dictionary_mask(), DICTIONARY
    if kind in ("labels", "both"):
        labels = [list(y) if y is not None else None for y in Y]
        if kind == "both":
            labels[0][2] = "A"  # "c" is free, all others are allowed already
    return mask, dictionary, labels

"""Texts, models and clocks of ``bench_crf_autoencoder.py``."""

import time

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from skstruct import AnnealedHMM, CRFAutoencoderTagger
from skstruct.containers import Ragged
from skstruct.emissions import Categorical, LogLinear, Product, View
from skstruct.featurizers import TokenFeaturizer
from skstruct.potentials import LinearChain
from skstruct.solvers import LBFGS
from skstruct.structures import Chain, Potentials

__all__ = ["K", "MarkovRandomField", "cpu", "generate", "round_seconds", "systems"]

K = 12
ROUNDS = 6
CONSONANTS, VOWELS = "bdfghklmnprstvz", "aeiou"


# --- Texts


def word(number):
    """A word of its own for each number; of 75 beginnings and 75 ends."""
    syllables = [c + v for c in CONSONANTS for v in VOWELS]
    rest, stem = number // len(syllables), ""
    while rest:
        rest, digit = divmod(rest, len(syllables))
        stem += syllables[digit]
    text = syllables[number % len(syllables)] + stem + syllables[number // 7 % 75] + "s"
    return text.capitalize() if number % 10 == 9 else text


def beginning(word):
    """One of 75 classes, as a clustering of words gives."""
    return word[:2].lower()


def suffix(word):
    """The last three letters."""
    return word[-3:]


def shape(word):
    """Whether the word has a capital."""
    return word[:1].isupper()


def generate(n_tokens, n_types, every_type, seed=0):
    """Sentences of 5 to 39 words by Zipf's law.

    ``every_type`` makes each of the types occur, otherwise the law decides.
    """
    rng = np.random.default_rng(seed)
    p = 1 / np.arange(1, n_types + 1)
    fixed = rng.permutation(n_types if every_type else 0)
    drawn = rng.choice(n_types, size=n_tokens - len(fixed), p=p / p.sum())
    numbers = rng.permutation(np.concatenate([fixed, drawn]))
    ends = np.cumsum(rng.integers(5, 40, size=n_tokens // 5))
    offsets = np.concatenate([[0], ends[ends < n_tokens], [n_tokens]])
    words = np.array([word(number) for number in range(n_types)], dtype=object)
    return Ragged.from_arrays(words[numbers], offsets)


# --- Models


def _view(target, offset=0, exponent=1.0):
    emission = Categorical(alpha=0.1, update="variational")
    return View(target, emission, offset=offset, exponent=exponent)


def _autoencoder(*views):
    named = [(f"view_{i}", view) for i, view in enumerate(views)]
    return CRFAutoencoderTagger(K, reconstruction=Product(named), init="random")


def _hmm(emissions, **params):
    return AnnealedHMM(K, emissions=emissions, n_init=1, **params)


def systems(classes=beginning):
    """Unfitted estimators by name.

    ``classes`` stands for Brown clusters: the cost of a round does not depend on where
    they come from, and those of 100,000 types would take long.
    """
    both = _view(classes, -1, 0.5), _view(classes, 1, 0.5)
    return {
        "CRF-AE, Brown": _autoencoder(_view(classes)),
        "CRF-AE, five views": _autoencoder(
            _view(classes), _view(suffix), _view(shape), *both
        ),
        "CRF-AE, default": _autoencoder(View("token", LogLinear()), *both),
        "feature HMM, L-BFGS": _hmm(LogLinear(), solver="lbfgs"),
        "feature HMM, EM": _hmm(LogLinear()),
        "HMM, EM": _hmm("categorical"),
        "MRF": None,
    }


class MarkovRandomField:
    r"""An undirected model of words and states, normalised over all sentences.

    .. math:: p(x, y) \propto \exp \sum_t f(x_t) \cdot w_{y_t} + a_{y_{t-1} y_t}

    among the sentences of one length. Of a word it sees itself, its beginning, end and
    shape. All positions share one sum over the vocabulary; the paper's model, with
    features of neighbours, could not.
    """

    def __init__(self, X):
        words, index = np.unique(X.values.astype(str), return_inverse=True)
        alone = Ragged.from_lengths(words.astype(object), np.ones(len(words), int))
        spelling = TokenFeaturizer(window=0, min_identity_count=None)
        shared = spelling.fit_transform(alone).values
        design = sp.csr_array(sp.hstack([shared, sp.eye_array(len(words))]))
        self.words, self.index = LinearChain(design, K), index
        self.data = Chain(X.offsets, index)
        # A sentence of each length has no words: any may stand at each position.
        lengths, self.counts = np.unique(X.lengths, return_counts=True)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        self.all = Chain(ends, np.zeros(ends[-1], dtype=int))
        self.n_sentences = len(X)

    def evaluate(self, weights, l2=0.6):
        """Minus the penalised mean log-likelihood, and its gradient."""
        scores, edge, start = self.words.potentials(weights)
        total = logsumexp(scores, axis=0, keepdims=True)
        seen = self.data.posterior(Potentials(scores, edge, start))
        free = self.all.posterior(Potentials(total, edge, start), weight=self.counts)
        gradient = self.words.gradient(
            free.node * np.exp(scores - total) - seen.node,
            free.edge - seen.edge,
            free.start - seen.start,
        )
        value = self.counts @ free.log_partition - seen.log_partition.sum()
        n = self.n_sentences
        loss = value / n + l2 / 2 * weights @ weights
        return loss, gradient / n + l2 * weights

    def round_ends(self):
        """CPU clock after each step of L-BFGS."""
        solver, weights, ends = LBFGS(), np.zeros(self.words.n_weights), []
        state = self.evaluate(weights)
        for _ in range(ROUNDS):
            weights, state, _ = solver.step(self.evaluate, weights, state)
            ends.append(time.process_time())
        return ends


# --- Time


class Clock:
    """A callback that notes the CPU clock after each iteration."""

    def __init__(self):
        self.ends = []

    def setup(self, estimator, context):
        """Nothing is prepared, put away or done at a beginning."""

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context):
        """Note the time."""
        if context.task_name == "iteration":
            self.ends.append(time.process_time())
        return False


def cpu(call):
    """CPU seconds of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def round_seconds(system, X):
    """CPU seconds of a round of a fit, the median of those after the first."""
    if system is None:
        ends = MarkovRandomField(X).round_ends()
    else:
        clock = Clock()
        system.set_params(max_iter=ROUNDS, tol=0, random_state=0)
        system.set_callbacks(clock).fit(X)
        ends = clock.ends
    return np.median(np.diff(ends))

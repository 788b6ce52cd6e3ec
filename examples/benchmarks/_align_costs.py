"""Inference of ``bench_alignment.py``: a CRF autoencoder beside a random field."""

import time
from typing import NamedTuple

import numpy as np
from numba import njit

from skstruct.containers import Bitext
from skstruct.estimators import CRFAutoencoderAligner
from skstruct.structures import Lattice, LatticePotentials

__all__ = ["inference_costs"]


class InferenceCost(NamedTuple):
    """Sizes of a training text, and CPU milliseconds a pair of sentences.

    ``n_kinds`` is how many of the target words a source word's features tell apart.
    """

    n_pairs: int
    n_source_types: int
    n_target_types: int
    n_kinds: float
    autoencoder: float
    field: float
    field_shared: float


@njit(cache=True)
def sum_rows(index, potential, out):
    """The sum of the potentials of each row of kinds."""
    for i in range(len(index)):
        total = 0.0
        for kind in index[i]:
            total += potential[kind]
        out[i] = total


@njit(cache=True)
def add_rows(index, potential, weight, counts):
    """Add the potentials of each row, weighted, to the counts of their kinds."""
    for i in range(len(index)):
        for kind in index[i]:
            counts[kind] += weight[i] * potential[kind]


class Autoencoder:
    """Posterior of the links of a sample, and the gradient of the encoder."""

    def __init__(self, model, sample):
        self.links = model._model.read(sample, None)[0]

    def gradient(self):
        """Expected features with the translations, less those without."""
        links, features = self.links, self.links.features
        encoder, chain = links.model.encoder, links.direction.chain
        found = links.model.table.apply(links.direction)
        seen = links.lattice.posterior(links.potentials(*found))
        free = links.lattice.posterior(links.potentials(None, None), cells=False)
        return encoder.features.gradient(
            seen.node - free.node,
            np.bincount(chain.codes, seen.null - free.null, len(chain.words)),
            seen.jump - free.jump,
            features.bins,
            features.null_bins[False],
            False,
        )


class RandomField:
    r"""A log-linear model of target words and links given the source.

    .. math:: p(t, y \mid s) \propto \prod_{j: y_j > 0}
        \exp(w \cdot f(s_{y_j}, t_j) + g_{y_j - \ell_j})
        \prod_{j: y_j = 0} \exp(w \cdot h(t_j))

    among the targets of one length over a vocabulary V, with features, jumps and NULL
    of the CRF autoencoder's encoder. In the partition function each link to a source
    word has the potential :math:`Z(s) = \sum_{v \in V} \exp(w \cdot f(s, v))`, and NULL
    the like: a lattice again, once these sums are known. Words that f does not tell
    apart are still summed one by one, as they must be where f sees the word itself.
    """

    def __init__(self, model, sample, vocabulary):
        words = [np.unique(source) for source, _ in sample]
        lists = [(types, vocabulary) for types in words]
        links = model._model.read(Bitext([*sample, *lists]), None)[0]
        self.encoder, self.features = links.model.encoder, links.features
        chain, cells = links.direction.chain, links.direction.cells
        n, n_tokens = len(sample), sample.target.n_tokens
        self.n_words, self.codes = len(chain.words), chain.codes[:n_tokens]
        self.vocabulary = chain.codes[n_tokens:][: len(vocabulary)]
        # All target words, a row for each distinct source word of a sentence.
        index = self.features.index
        self.rows = [
            index[cells[n + i] : cells[n + i + 1]].reshape(len(types), -1)
            for i, types in enumerate(words)
        ]
        ends = np.cumsum([len(types) for types in words])
        self.parts = [slice(e - len(w), e) for e, w in zip(ends, words, strict=True)]
        self.sums = np.empty(ends[-1])
        lengths = sample.source.lengths, sample.target.lengths
        self.seen = Lattice(*lengths, index[: cells[n]])
        row_of_cell = [
            np.repeat(part.start + np.searchsorted(types, source), len(target))
            for part, types, (source, target) in zip(
                self.parts, words, sample, strict=True
            )
        ]
        self.free = Lattice(*lengths, np.concatenate(row_of_cell))

    @property
    def n_kinds(self):
        """How many kinds of target words there are for a source word."""
        return np.mean([len(np.unique(row)) for rows in self.rows for row in rows])

    def tables(self):
        """Potentials of kinds, and log-potentials of kinds, words and jumps."""
        null_bins = self.features.null_bins[False]
        tables = self.encoder.features.tables(
            self.encoder.coef, self.features.bins, null_bins, False
        )
        return np.exp(tables[0]), *tables

    def sum_vocabulary(self, potential):
        """The sum over the vocabulary for each source word."""
        for rows, part in zip(self.rows, self.parts, strict=True):
            sum_rows(rows, potential, self.sums[part])

    def add_vocabulary(self, potential, links, counts):
        """Share expected links of source words among the vocabulary."""
        weight = links / self.sums
        for rows, part in zip(self.rows, self.parts, strict=True):
            add_rows(rows, potential, weight[part], counts)

    def value(self):
        """Log-likelihood, its gradient, and CPU seconds spent on the vocabulary."""
        potential, kinds, words, jump = self.tables()
        begin = time.process_time()
        self.sum_vocabulary(potential)
        spent = time.process_time() - begin
        null = np.exp(words[self.vocabulary])
        log_null = np.full(len(self.codes), np.log(null.sum()))
        seen = self.seen.posterior(
            LatticePotentials(kinds, words[self.codes], jump), cells=False
        )
        free = self.free.posterior(
            LatticePotentials(np.log(self.sums), log_null, jump), cells=False
        )
        counts = np.zeros(len(kinds))
        begin = time.process_time()
        self.add_vocabulary(potential, free.node, counts)
        spent += time.process_time() - begin
        share = null * (free.null.sum() / null.sum())
        gradient = self.encoder.features.gradient(
            seen.node - counts,
            np.bincount(self.codes, seen.null, self.n_words)
            - np.bincount(self.vocabulary, share, self.n_words),
            seen.jump - free.jump,
            self.features.bins,
            self.features.null_bins[False],
            False,
        )
        value = seen.log_partition.sum() - free.log_partition.sum()
        return value, gradient, spent


def inference_costs(X, sizes, n_sample, repeats):
    """Costs of an E-step and a gradient after training on the first pairs of a text.

    They are measured on the same pairs at all sizes. A sum over the vocabulary is made
    for each source word of each pair, as where weights change from pair to pair; or,
    ``shared``, once for each source type of the training text, as where they change
    once in all pairs.
    """
    first = X[: min(sizes)]
    filled = np.flatnonzero((first.source.lengths > 0) & (first.target.lengths > 0))
    drawn = np.random.default_rng(0).permutation(filled)[:n_sample]
    return [_inference_cost(X[:n], first[np.sort(drawn)], repeats) for n in sizes]


def _inference_cost(X, sample, repeats):
    model = CRFAutoencoderAligner(
        agreement=None, symmetrization="forward", max_iter=1, random_state=0
    ).fit(X)
    types = [np.unique(side.values) for side in (X.source, X.target)]
    ours, field = Autoencoder(model, sample), RandomField(model, sample, types[1])
    ours.gradient(), field.value()  # compiles
    seconds = []
    for _ in range(repeats):
        begin = time.process_time()
        ours.gradient()
        middle = time.process_time()
        *_, vocabulary = field.value()
        seconds.append(
            (middle - begin, time.process_time() - middle - vocabulary, vocabulary)
        )
    encoded, lattices, vocabulary = 1000 * np.median(seconds, axis=0) / len(sample)
    shared = vocabulary * len(sample) / len(field.sums) * len(types[0]) / len(X)
    return InferenceCost(
        len(X),
        len(types[0]),
        len(types[1]),
        field.n_kinds,
        encoded,
        lattices + vocabulary,
        lattices + shared,
    )

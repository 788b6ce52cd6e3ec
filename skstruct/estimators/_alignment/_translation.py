"""How likely a word of one side is, given the word of the other that it links to."""

from copy import copy

import numpy as np
from scipy.special import digamma

from skstruct.kernels._pairs import unseen_outcomes
from skstruct.kernels._translation import collapsed_table, count_pairs, spread_table

__all__ = ["ProductTable", "TranslationTable"]

# Keeps the odd text possible under unsmoothed counts.
_FLOOR = 1e-12
_TINY = 1e-300


class TranslationTable:
    """Multinomials t(outcome | condition), one for each key and one for NULL.

    Parameters
    ----------
    update : {"cvb0", "variational", "map"}
        How expected counts give probabilities. "cvb0" leaves out the part that the
        token itself has in them.
    alpha, null_alpha : float
        Pseudo-count (of "map") or Dirichlet concentration of each outcome that occurs
        beside a word, and of each outcome of NULL.
    condition : ndarray of shape (P,)
        Conditioning key of each pair in the table.
    prior : ndarray of shape (P,)
        What a lexicon adds to ``alpha``.
    n_conditions, n_outcomes : int
        Numbers of keys.
    """

    def __init__(
        self, update, alpha, null_alpha, condition, prior, n_conditions, n_outcomes
    ):
        self.update = update
        self.alpha = alpha
        self.null_alpha = null_alpha
        self.condition = condition
        self.prior = prior
        self.n_conditions = n_conditions
        self.n_outcomes = n_outcomes
        self.set_counts(np.zeros(len(condition)), np.zeros(n_outcomes))

    def set_counts(self, pairs, null):
        """Take expected counts of pairs (P,), and of outcomes that link to nothing."""
        self.pairs = pairs + self.alpha + self.prior
        self.totals = np.bincount(self.condition, self.pairs, self.n_conditions)
        self.null = null + self.null_alpha
        self.null_total = self.null.sum()

    def uniform(self, direction):
        """Alike for all words; in the form of `train`."""
        prob = 1.0 / max(self.n_outcomes, 1)
        cell = np.full(len(direction.index), prob, dtype=np.float32)
        return cell, np.full(len(direction.outcome), prob)

    def train(self, direction, posterior, weight):
        """Count links and give the probabilities of the training text itself.

        Parameters
        ----------
        direction : Direction
            Training text.
        posterior : LatticePosterior
            Its links: ``cell`` (C,) and ``null`` (T,).
        weight : ndarray of shape (n,)
            Weights of pairs of sentences.

        Returns
        -------
        cell : ndarray of float32 of shape (C,)
            Probability of the chain's word given the state's word.
        null : ndarray of shape (T,)
            Probability of the chain's word given NULL.
        """
        cells, index, outcome = direction.cells, direction.index, direction.outcome
        token_weight = np.repeat(weight, direction.chain.lengths)
        self.set_counts(
            count_pairs(index, posterior.cell, cells, weight, len(self.condition)),
            np.bincount(outcome, token_weight * posterior.null, self.n_outcomes),
        )
        if self.update == "cvb0":
            own = np.minimum(token_weight, 1.0) * posterior.null
            cell = collapsed_table(
                index,
                self.condition,
                self.pairs,
                self.totals,
                posterior.cell,
                cells,
                weight,
            )
            null = (self.null[outcome] - own) / np.maximum(self.null_total - own, _TINY)
            return np.maximum(cell, np.float32(_FLOOR)), np.clip(null, _FLOOR, 1.0)
        top, total = self._expected(self.pairs), self._expected(self.totals)
        table = top / np.maximum(total, _TINY)[self.condition]
        cell = np.maximum(table, _FLOOR).astype(np.float32)[index]
        return cell, self._null_table()[outcome]

    def apply(self, direction):
        """The probabilities of text that had no part in the counts.

        New words count with their prior alone, as if the sentence had been there.
        """
        index, outcome = direction.index, direction.outcome
        states, chain = direction.states, direction.chain
        unseen = unseen_outcomes(
            index,
            len(states.codes),
            outcome,
            states.offsets,
            chain.offsets,
            int(outcome.max(initial=-1)) + 1,
            direction.reverse,
        )
        totals = np.append(self.totals, 0.0)[
            np.minimum(direction.condition, self.n_conditions)
        ]
        totals += self.alpha * unseen
        cell = spread_table(
            *self._numerators(index),
            float(self._expected(self.alpha)),
            np.maximum(self._expected(totals), _TINY),
            states.offsets,
            chain.lengths,
            direction.reverse,
        )
        null = self._null_table()[np.minimum(outcome, self.n_outcomes)]
        return np.maximum(cell, np.float32(_FLOOR)), null

    def _numerators(self, index):
        """Where the numerator of each cell stands, -1 for new pairs, and a table."""
        if len(index) >= len(self.pairs):
            return index, self._expected(self.pairs)
        # A short text does not pay for the pairs that it lacks.
        own = np.where(index >= 0, np.arange(len(index)), -1).astype(index.dtype)
        return own, self._expected(self.pairs[index])

    def _null_table(self):
        """Probabilities of outcomes of NULL; that of a new one comes last."""
        counts = np.append(self.null, self.null_alpha)
        table = self._expected(counts) / max(self._expected(self.null_total), _TINY)
        return np.maximum(table, _FLOOR)

    def _expected(self, counts):
        """Counts as the numerator or denominator of a probability."""
        if self.update != "variational":
            return counts
        return np.exp(digamma(np.maximum(counts, _TINY)))


class ProductTable:
    """Geometric mean of the tables of several views of the same words.

    The views share one alignment, of which each counts its own keys.

    Parameters
    ----------
    tables : list of TranslationTable
        One for each view.
    """

    def __init__(self, tables):
        self.tables = tables

    def __copy__(self):
        return ProductTable([copy(table) for table in self.tables])

    def train(self, direction, posterior, weight):
        """As `TranslationTable.train`."""
        return self._mean(
            table.train(view, posterior, weight)
            for table, view in zip(self.tables, direction.views, strict=True)
        )

    def apply(self, direction):
        """As `TranslationTable.apply`."""
        return self._mean(
            table.apply(view)
            for table, view in zip(self.tables, direction.views, strict=True)
        )

    def _mean(self, probabilities):
        root = np.float32(1 / len(self.tables))
        cell, null = 1, 1
        for cells, nulls in probabilities:
            cell, null = cell * cells**root, null * nulls**root
        return cell, null

"""One direction of alignment: words of the chain link to words of the states."""

import warnings
from numbers import Real

import numpy as np

from skstruct.estimators._alignment._independent import NULL_ALPHA
from skstruct.estimators._alignment._text import PairTable
from skstruct.estimators._alignment._translation import ProductTable, TranslationTable

__all__ = ["Direction", "TranslationModel", "TranslationViews", "learn_translations"]

# Sums of counts must stay finite.
_LARGEST_COUNT = 1e100


class Direction:
    """A text as one direction reads it.

    Attributes
    ----------
    reverse : bool
        False where target words link to source words.
    text : EncodedBitext
        The text.
    states, chain : Side
        The side that is linked to, and the side whose words are reconstructed.
    index : ndarray of int32 of shape (C,)
        Number of the pair of keys in each cell; -1 for a new one.
    condition : ndarray of shape (n_state_tokens,)
        Keys of the states.
    outcome : ndarray of shape (n_chain_tokens,)
        Keys of the chain.
    views : tuple of Direction
        The text by the keys of each view, where translations have several.
    """

    views = ()

    def __init__(self, text, index, reverse):
        self.text = text
        self.index = index
        self.reverse = reverse
        sides = text.source, text.target
        self.states, self.chain = reversed(sides) if reverse else sides
        self.condition = self.states.condition[self.states.codes]
        self.outcome = self.chain.outcome[self.chain.codes]

    @property
    def cells(self):
        """Where the cells of pairs of sentences begin."""
        return self.text.cells


class TranslationModel:
    """The pairs of keys of a training text in each direction.

    Parameters
    ----------
    encoder : TextEncoder
        It reads texts.
    reverse : tuple of bool
        The directions.
    """

    def __init__(self, encoder, reverse):
        self.encoder = encoder
        self.reverse = reverse

    def learn(self, bitext, lexicon):
        """Learn from a training text; it as the directions read it.

        ``lexicon`` maps (source word, target word) to pseudo-counts.
        """
        text = self.encoder.learn(bitext)
        sides = self.encoder.sides
        known = [(sides[0].keys(s), sides[1].keys(t)) for s, t in lexicon]
        self.meets_lexicon = any(self.encoder.has(s[0], t[0]) for s, t in known)
        weights = np.array(list(lexicon.values()), dtype=float)
        self.pairs, self.priors, directions = [], [], []
        for r in self.reverse:
            if not (directions and self.encoder.symmetric):
                extra = [(s[r], t[1 - r]) for s, t in known]
                pairs, index, listed = PairTable.number(text, *_keys(text, r), extra)
                prior = np.bincount(listed, weights, len(pairs.outcome))
            self.pairs.append(pairs)
            self.priors.append(prior)
            directions.append(Direction(text, index, r))
        self.n_keys = [
            (len(sides[r].known["condition"]), len(sides[1 - r].known["outcome"]))
            for r in map(int, self.reverse)
        ]
        return directions

    def tables(self, update, alpha, null_alpha):
        """A table for each direction, without counts yet."""
        return [
            TranslationTable(
                update,
                alpha,
                null_alpha,
                pairs.outcome if r else pairs.source,
                prior,
                *n,
            )
            for r, pairs, prior, n in zip(
                self.reverse, self.pairs, self.priors, self.n_keys, strict=True
            )
        ]

    def start_tables(self):
        """Tables of maximum likelihood, for the warm start."""
        return self.tables("map", 0.0, NULL_ALPHA)

    def read(self, bitext):
        """Another text as the directions read it."""
        text = self.encoder.encode(bitext)
        out = []
        for r, pairs in zip(self.reverse, self.pairs, strict=True):
            if not (out and self.encoder.symmetric):
                index = pairs.find(text, *_keys(text, r))
            out.append(Direction(text, index, r))
        return out


class TranslationViews:
    """Translations by the keys of several views of a word, in one alignment.

    Parameters
    ----------
    models : list of TranslationModel
        One for each view; the first is that of the warm start.
    """

    def __init__(self, models):
        self.models = models

    def learn(self, bitext, lexicon):
        """As `TranslationModel.learn`."""
        return _together([m.learn(bitext, lexicon) for m in self.models])

    def tables(self, update, alpha, null_alpha):
        """A product of tables for each direction, without counts yet."""
        tables = [m.tables(update, alpha, null_alpha) for m in self.models]
        return [ProductTable(list(each)) for each in zip(*tables, strict=True)]

    def start_tables(self):
        """As `TranslationModel.start_tables`."""
        return self.models[0].start_tables()

    def read(self, bitext):
        """As `TranslationModel.read`."""
        return _together([m.read(bitext) for m in self.models])


def _together(views):
    """The directions of the first view, which know those of all views."""
    for direction, *others in zip(*views, strict=True):
        direction.views = direction, *others
    return views[0]


def learn_translations(models, bitext, lexicon, stacklevel):
    """Learn translations from a training text.

    Parameters
    ----------
    models : list of TranslationModel
        One for each view of a word.
    bitext : Bitext
        The text.
    lexicon : dict of (source, target) to float, or None
        What the user knows.
    stacklevel : int
        Where warnings point, as seen from here.

    Returns
    -------
    translations : TranslationModel or TranslationViews
        The models.
    directions : list of Direction
        The text as they read it.
    """
    lexicon = {} if lexicon is None else lexicon
    _check_lexicon(lexicon)
    translations = models[0] if len(models) == 1 else TranslationViews(models)
    directions = translations.learn(bitext, lexicon)
    remarks = [remark for model in models for remark in model.encoder.remarks()]
    if lexicon and not any(model.meets_lexicon for model in models):
        remarks.append(
            f"lexicon_prior: none of its {len(lexicon)} entries has its source word "
            "among the source words and its target word among the target words of the "
            "training text. Keys are (source word, target word): are the languages "
            "swapped?"
        )
    for remark in remarks:
        warnings.warn(remark, UserWarning, stacklevel=stacklevel)
    return translations, directions


def _check_lexicon(lexicon):
    if not isinstance(lexicon, dict):
        raise ValueError(
            "lexicon_prior must be a dict of (source word, target word) to the count "
            "to add, such as dict(zip(zip(source, target), counts)); got a "
            f"{type(lexicon).__name__}."
        )
    for words, count in lexicon.items():
        if not (
            isinstance(words, tuple)
            and len(words) == 2
            and all(isinstance(word, str | int | np.integer) for word in words)
        ):
            raise ValueError(
                f"lexicon_prior has the key {words!r}; keys are pairs (source word, "
                "target word)."
            )
        if not (isinstance(count, Real) and 0 <= float(count) <= _LARGEST_COUNT):
            raise ValueError(
                f"lexicon_prior of {words!r} is {count!r}; expected a count to add, a "
                f"number from 0 to {_LARGEST_COUNT:g}."
            )


def _keys(text, reverse):
    """Keys of source and target words: one conditions, the other is reconstructed."""
    if reverse:
        return text.source.outcome, text.target.condition
    return text.source.condition, text.target.outcome

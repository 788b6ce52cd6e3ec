"""What fitted aligners answer."""

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skstruct._validation import check_sample_weight, read_bitext_batch
from skstruct.containers import Vocabulary

__all__ = ["AlignerPredictions", "count_lexicon", "read_training_text"]


class AlignerPredictions:
    """Answers of an aligner with ``_align(bitext) -> Alignment``.

    Besides it has ``_score_pairs(bitext)``: log-likelihood of each pair, and number of
    words that it is of; and ``_lexicon``, as `count_lexicon` gives it.
    """

    def predict(self, X):
        """Align sentences, which need not be those of ``fit``.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.

        Returns
        -------
        Ragged or ndarray of shape (n,) of ndarrays of shape (n_links, 2)
            Positions of linked words (source, target), from 0; a Ragged for a Bitext.
            They depend on their own pair only.
        """
        check_is_fitted(self)
        bitext, answer = read_bitext_batch(X)
        return answer(self._decode(self._align(bitext)))

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, and give the links of the training text itself.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.
        y : object, default=None
            Not read.
        sample_weight : array-like of shape (n,), default=None
            Weights of pairs.

        Returns
        -------
        Ragged or ndarray of shape (n,) of ndarrays of shape (n_links, 2)
            ``links_`` in the form of ``predict``.
        """
        bitext, answer = read_bitext_batch(X)
        return answer(self.fit(bitext, y, sample_weight=sample_weight).links_)

    def predict_proba(self, X):
        """Probabilities of links.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.

        Returns
        -------
        ndarray of shape (n,) of ndarrays of shape (n_source, n_target)
            For each pair of words the probability that they are linked, averaged over
            the directions that were trained.
        """
        check_is_fitted(self)
        return self._align(read_bitext_batch(X)[0]).matrices()

    def score(self, X, y=None, sample_weight=None) -> float:
        """Mean log-likelihood of a word given the other sentence.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.
        y : object, default=None
            Not read.
        sample_weight : array-like of shape (n,), default=None
            Weights of pairs.

        Returns
        -------
        float
            In nats a word, over the directions that were trained.

        Notes
        -----
        A new pair of words has the count ``alpha`` on top of what training knows: over
        all words such probabilities sum to more than one, and to much more where
        ``alpha`` is large. Scores of new text compare at equal ``alpha``, ``update``
        and ``reconstruction`` only.
        """
        check_is_fitted(self)
        logs, n_words = self._score_pairs(read_bitext_batch(X)[0])
        weight = check_sample_weight(sample_weight, len(logs))
        return float(weight @ logs / max(weight @ n_words, np.finfo(float).tiny))

    def score_samples(self, X) -> np.ndarray:
        """Log-likelihood of each pair of sentences, to find bad ones.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.

        Returns
        -------
        ndarray of shape (n,)
            In nats a word, over the directions that were trained; 0 for pairs without
            words.
        """
        check_is_fitted(self)
        logs, n_words = self._score_pairs(read_bitext_batch(X)[0])
        return logs / np.maximum(n_words, 1)

    def link_table(self, X):
        """Predicted links with their words.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.

        Returns
        -------
        dict of str to ndarray of shape (n_links,)
            The columns "pair", "source_position", "target_position", "source" and
            "target" (words), "probability", and, where both directions were trained,
            "forward" and "reverse"; for ``pandas.DataFrame`` or its like.
        """
        check_is_fitted(self)
        bitext, _ = read_bitext_batch(X)
        alignment = self._align(bitext)
        links = self._decode(alignment)
        pair = np.repeat(np.arange(len(links)), links.lengths)
        source, target = links.values.T
        cell = alignment.cells[pair] + source * alignment.target_lengths[pair] + target
        table = {
            "pair": pair,
            "source_position": source,
            "target_position": target,
            "source": bitext.source.values[bitext.source.offsets[pair] + source],
            "target": bitext.target.values[bitext.target.offsets[pair] + target],
            "probability": alignment.mean[cell].astype(float),
        }
        if len(alignment.posteriors) == 2:
            for direction, posterior in alignment.posteriors.items():
                table[direction] = posterior.cell[cell].astype(float)
        return table

    def lexicon(self, min_count=2):
        """Words of the training text that are linked to one another.

        Parameters
        ----------
        min_count : int, default=2
            Pairs of words with fewer links are left out; at least 1.

        Returns
        -------
        dict of str to ndarray of shape (n_pairs,)
            The columns "source", "target" (words), "count" of links, and the shares of
            the links of either word that lead to the other, "target_given_source" and
            "source_given_target"; by falling count, for ``pandas.DataFrame``.
        """
        check_is_fitted(self)
        if not isinstance(min_count, Integral) or min_count < 1:
            raise ValueError(
                "min_count must be an integer, 1 for all words that are linked at all "
                f"or more; got {min_count!r}."
            )
        keep = self._lexicon["count"] >= min_count
        return {name: column[keep] for name, column in self._lexicon.items()}

    def _decode(self, alignment):
        """Links by parameters that may have been set after `fit`."""
        self._validate_params()
        return alignment.links(*self._decoding())

    def _replace_fitted(self, fitted):
        """Take new fitted attributes in place of those of an earlier fit."""
        for name in [n for n in vars(self) if n.endswith("_")]:
            delattr(self, name)
        for name, value in fitted.items():
            setattr(self, name, value)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "links_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.target_tags.required = False
        return tags


def read_training_text(estimator, X, sample_weight):
    """The text and the weights of its pairs, 0 where a side is empty.

    Raises
    ------
    ValueError
        If no pair has words on both sides, or ``alpha`` does not suit ``update``.
    """
    if estimator.update != "map" and estimator.alpha == 0:
        raise ValueError(
            f"update={estimator.update!r} needs alpha > 0, got 0; alpha=0, maximum "
            "likelihood, goes with update='map'."
        )
    bitext, _ = read_bitext_batch(X)
    weight = check_sample_weight(sample_weight, len(bitext))
    # Pairs with an empty side have nothing to tell.
    weight[(bitext.source.lengths == 0) | (bitext.target.lengths == 0)] = 0
    if not weight.any():
        raise ValueError(
            "X has no pair of sentences (of some weight) with words on both sides, so "
            "there is nothing to learn."
        )
    return bitext, weight


def count_lexicon(bitext, links):
    """Count which words are linked to one another, by falling count."""
    pair = np.repeat(np.arange(len(links)), links.lengths)
    linked, words = [], []
    sides = bitext.source, bitext.target
    for side, position in zip(sides, links.values.T, strict=True):
        vocabulary = Vocabulary.learn(side.values, sort=False)
        linked.append(vocabulary.codes(side.values)[side.offsets[pair] + position])
        words.append(vocabulary.symbols)
    width = max(len(words[1]), 1)
    kinds, count = np.unique(linked[0] * width + linked[1], return_counts=True)
    order = np.argsort(-count, kind="stable")
    source, target = np.divmod(kinds[order], width)
    count = count[order]
    return {
        "source": words[0][source],
        "target": words[1][target],
        "count": count,
        "target_given_source": count / np.bincount(source, count)[source],
        "source_given_target": count / np.bincount(target, count)[target],
    }

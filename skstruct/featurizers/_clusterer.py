"""What clusterers of word types have in common."""

import warnings
from abc import abstractmethod

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from skstruct._validation import as_ragged, read_batch
from skstruct.containers import Vocabulary
from skstruct.containers._vocabulary import reject_other_kind

__all__ = ["WordClusterer"]


class WordClusterer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """Base of clusterers of word types, which give each token the class of its word.

    A subclass's ``fit`` calls ``_warn_of_few`` and ``_store_words``.
    """

    _warns = True

    @abstractmethod
    def _classes(self, batch):
        """What ``transform`` and ``predict`` give each token of a Ragged."""

    def transform(self, X):
        """Classes of the tokens, as a batch.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            Sequences of words, as for ``fit``.

        Returns
        -------
        Ragged
            The class of each token, beside the token.

        Raises
        ------
        ValueError
            If a token is missing or no symbol.
        """
        check_is_fitted(self)
        batch = as_ragged(X)
        out = batch.with_values(self._classes(batch))
        out.tokens = batch.surface
        return out

    def predict(self, X):
        """Classes of the tokens, in the form of X.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            Sequences of words, as for ``fit``.

        Returns
        -------
        Ragged or ndarray of ndarrays
            The class of each token.

        Raises
        ------
        ValueError
            If a token is missing or no symbol.
        """
        check_is_fitted(self)
        batch, answer = read_batch(X)
        return answer(self._classes(batch))

    def _warn_of_few(self, n_words):
        """Say that there are fewer words than classes."""
        if self._warns and n_words < self.n_clusters:
            warnings.warn(
                f"X has fewer words to cluster ({n_words}) than n_clusters="
                f"{self.n_clusters}, so that some classes stay empty; lower "
                "n_clusters.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _store_words(self, words, counts, labels):
        self.words_, self.counts_, self.labels_ = words, counts, labels
        self._vocabulary = Vocabulary(words)

    def _look_up(self, words, offsets):
        """Class of each word; -1 if ``fit`` has not seen it."""
        reject_other_kind(self.words_, words)
        numbers = self._vocabulary.codes(words, offsets)
        labels = np.full(len(numbers), -1)
        known = numbers < len(self._vocabulary)
        labels[known] = self.labels_[numbers[known]]
        return labels

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

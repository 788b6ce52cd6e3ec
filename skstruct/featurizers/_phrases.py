"""Tables of phrases and their contexts, from sentences."""

from numbers import Integral
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from skstruct._params import HasMethods, Interval, fit_context
from skstruct._validation import as_ragged
from skstruct.containers import Ragged, Vocabulary
from skstruct.featurizers._bigrams import read_words
from skstruct.featurizers._spans import all_spans, join_spans, read_spans

__all__ = ["PhraseExtractor"]


class PhraseExtractor(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """List the phrases of sentences, each with the words around it.

    What a phrase is shows in where it occurs. Each occurrence of a phrase becomes one
    row of a table: the phrase, and the words left and right of it. Rows stand sentence
    by sentence, so that folds cut whole sentences; a clusterer of phrases reads them.

    Parameters
    ----------
    max_length : int, default=5
        Bound on the number of words of a phrase. A long sentence has nearly
        ``max_length`` phrases for each of its words.
    n_context : int, default=1
        Number of words on either side.
    word_classes : estimator, dict or None, default=None
        Classes that stand for the words of contexts, which then recur more often. A
        clusterer of words or a tagger of sequences (anything that predicts one value
        for each token) is cloned and fitted to the sentences given to ``fit``; one
        fitted elsewhere is passed as ``FrozenEstimator(clusterer)``. A dict gives the
        class of each word; the others share the class ``""``. None: the words.
    lowercase : bool, default=False
        Whether to write phrases, and words of contexts, in lower case. Classes are
        those of the words as they are.
    borders : tuple (left, right) of str, default=("<s>", "</s>")
        What stands in a context outside of the sentence.

    Attributes
    ----------
    word_classes_ : estimator, dict or None
        The fitted classes.

    See Also
    --------
    PhrasePairExtractor : Phrases and their translations, from sentence pairs.
    skstruct.datasets.read_phrase_table : A table from a file.

    Examples
    --------
    >>> from skstruct.featurizers import PhraseExtractor
    >>> extractor = PhraseExtractor(max_length=2)
    >>> table = extractor.fit_transform([["a", "rose", "blooms"], ["roses"]])
    >>> table[0]
    array([['a', '<s>', 'rose'],
           ['a rose', '<s>', 'blooms'],
           ['rose', 'a', 'blooms'],
           ['rose blooms', 'a', '</s>'],
           ['blooms', 'rose', '</s>']], dtype=object)
    >>> extractor.get_feature_names_out()
    array(['phrase', 'left_1', 'right_1'], dtype=object)
    """

    _parameter_constraints: ClassVar = {
        "max_length": [Interval(Integral, 1, None, closed="left")],
        "n_context": [Interval(Integral, 0, None, closed="left")],
        "word_classes": [HasMethods(["fit", "predict"]), dict, None],
        "lowercase": ["boolean"],
        "borders": [tuple, list],
    }

    def __init__(
        self,
        max_length=5,
        *,
        n_context=1,
        word_classes=None,
        lowercase=False,
        borders=("<s>", "</s>"),
    ):
        self.max_length = max_length
        self.n_context = n_context
        self.word_classes = word_classes
        self.lowercase = lowercase
        self.borders = borders

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None) -> Self:
        """Fit the classes of words, where they are an estimator.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            Sentences of words (str or int); of a Ragged of feature rows, the tokens
            that it carries.
        y : None
            Ignored.

        Returns
        -------
        PhraseExtractor
            This object.

        Raises
        ------
        ValueError
            If a parameter is out of range, or a token is missing or no symbol.
        """
        if len(self.borders) != 2 or not all(isinstance(b, str) for b in self.borders):
            raise ValueError(
                f"borders must be two strings (left, right), got {self.borders!r}."
            )
        batch, _, _ = _read(X)
        classes = self.word_classes
        if classes is not None and not isinstance(classes, dict):
            classes = clone(classes).fit(batch, None)  # FrozenEstimator insists on a y
        self.word_classes_ = classes
        return self

    def transform(self, X) -> Ragged:
        """List all phrases of up to ``max_length`` words.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            Sentences, as for ``fit``.

        Returns
        -------
        Ragged
            For each sentence an object array (n_phrases, 1 + 2 ``n_context``) of str:
            the phrase, its words joined by spaces, and left and right contexts in
            reading order. Phrases stand by their first word, then by length.

        Raises
        ------
        ValueError
            If a token is missing or no symbol.
        """
        check_is_fitted(self)
        batch, words, codes = _read(X)
        return self._rows(batch, words, codes, *self._all_spans(batch))

    def spans(self, X) -> Ragged:
        """Where the phrases that ``transform`` lists stand.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            Sentences, as for ``fit``.

        Returns
        -------
        Ragged
            For each sentence an int array (n_phrases, 2): the first word of each
            phrase, counted from 0, and the one after its last.
        """
        batch, _, _ = _read(X)
        sentence, *ends = self._all_spans(batch)
        table = np.stack(ends, axis=1) - batch.offsets[sentence, None]
        return Ragged.from_lengths(table, np.bincount(sentence, minlength=len(batch)))

    def extract(self, X, spans) -> Ragged:
        """List given phrases, such as the constituents of a treebank.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            Sentences, as for ``fit``.
        spans : Ragged or list-like
            For each sentence a list or array of (start, stop), counted from 0, where
            stop is the word after the last. They may be longer than ``max_length``.

        Returns
        -------
        Ragged
            A row for each span, in the order given; see ``transform``.

        Raises
        ------
        ValueError
            If there are not as many entries as sentences, or a span is empty or out of
            range; the message names sentence and span.

        Examples
        --------
        >>> from skstruct.featurizers import PhraseExtractor
        >>> X = [["he", "saw", "the", "old", "man"], ["why"]]
        >>> extractor = PhraseExtractor(n_context=2).fit(X)
        >>> extractor.extract(X, [[(2, 5), (0, 1)], []])[0]
        array([['the old man', 'he', 'saw', '</s>', '</s>'],
               ['he', '<s>', '<s>', 'saw', 'the']], dtype=object)
        """
        check_is_fitted(self)
        batch, words, codes = _read(X)
        sentence, table = read_spans(spans, batch)
        start, stop = (table + batch.offsets[sentence, None]).T
        return self._rows(batch, words, codes, sentence, start, stop)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str of shape (1 + 2 n_context,)
            ``phrase``, and contexts by their side and distance, such as ``left_1``.
        """
        near = range(1, self.n_context + 1)
        left, right = ([f"{side}_{k}" for k in near] for side in ("left", "right"))
        return np.array(["phrase", *left[::-1], *right], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _all_spans(self, batch):
        self._validate_params()  # max_length may have been set since fit
        return all_spans(batch.offsets, self.max_length)

    def _rows(self, batch, words, codes, sentence, start, stop):
        """A row for each span."""
        names = _texts(words)
        if self.lowercase:
            names = _texts(map(str.lower, names))
        around = self._around(batch, words, codes, names)
        first, end, n = (
            batch.offsets[sentence],
            batch.offsets[sentence + 1],
            batch.n_tokens,
        )
        table = np.empty((len(start), 1 + 2 * self.n_context), dtype=object)
        table[:, 0] = join_spans(names, codes, start, stop)
        for k in range(1, self.n_context + 1):
            left, right = start - k, stop - 1 + k
            table[:, self.n_context + 1 - k] = around[np.where(left >= first, left, n)]
            table[:, self.n_context + k] = around[np.where(right < end, right, n + 1)]
        return Ragged.from_lengths(table, np.bincount(sentence, minlength=len(batch)))

    def _around(self, batch, words, codes, names):
        """What each token is in a context, and both borders."""
        classes = self.word_classes_
        if isinstance(classes, dict):
            names = _texts([classes.get(word, "") for word in words.tolist()])
        elif classes is not None:
            predicted = Ragged(classes.predict(batch))
            if not np.array_equal(predicted.offsets, batch.offsets):
                raise ValueError(
                    "word_classes must predict one class for each token; "
                    f"{type(classes).__name__} answered {predicted!r} for {batch!r}."
                )
            known = Vocabulary.learn(predicted.values, predicted.offsets, sort=False)
            names, codes = _texts(known.symbols), known.codes(predicted.values)
        return np.concatenate([names[codes], _texts(self.borders)])


def _read(X):
    """Sentences, their distinct words and the word of each token."""
    batch = as_ragged(X)
    words = read_words(batch)
    vocabulary = Vocabulary.learn(words, batch.offsets, sort=False)
    return batch, vocabulary.symbols, vocabulary.codes(words)


def _texts(symbols):
    return np.array(list(map(str, symbols)), dtype=object)

"""Tables of phrases and their translations, from linked sentence pairs."""

from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from skstruct._params import HasMethods, fit_context
from skstruct._validation import as_links, read_bitext_batch
from skstruct.containers import Ragged
from skstruct.featurizers._phrases import PhraseExtractor
from skstruct.featurizers._spans import all_spans, expand, read_spans

__all__ = ["PhrasePairExtractor"]


class PhrasePairExtractor(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    r"""List the phrases of sentence pairs that translate one another.

    A phrase pair is a phrase on either side such that no link leads from one of them
    out of the other, and one at least joins them: given links :math:`A`, source words
    :math:`s \le i < s'` and target words :math:`t \le j < t'` with

    .. math:: \forall (i, j) \in A: \; s \le i < s' \iff t \le j < t'
        \qquad \exists (i, j) \in A: \; s \le i < s', \; t \le j < t'

    Each becomes one row of a table: the source phrase and its contexts, the target
    phrase and its contexts, two views of one occurrence.

    Parameters
    ----------
    aligner : estimator or None, default=None
        What predicts the links. It is cloned and fitted to the pairs given to ``fit``;
        one fitted elsewhere is passed as ``FrozenEstimator(aligner)``. None: links are
        given to ``spans``, and ``extract`` makes the table.
    source, target : PhraseExtractor or None, default=None
        Bound on the length, contexts, word classes and case of the phrases of a side.
        None: ``PhraseExtractor()``.
    extend : bool, default=True
        Whether phrases may begin or end with words without any link, so that a pair
        occurs in several widths. Otherwise the first and last words are linked.

    Attributes
    ----------
    aligner_ : estimator or None
        The fitted aligner.
    source_, target_ : PhraseExtractor
        The fitted extractors of either side.

    See Also
    --------
    PhraseExtractor : The phrases of sentences.

    References
    ----------
    .. [1] F. J. Och, H. Ney, "The alignment template approach to statistical machine
       translation", Computational Linguistics 30, 2004.
    .. [2] P. Koehn, F. J. Och, D. Marcu, "Statistical phrase-based translation", NAACL
       2003.

    Examples
    --------
    >>> from skstruct import Bitext
    >>> from skstruct.featurizers import PhrasePairExtractor
    >>> X = Bitext([(["the", "black", "cat"], ["le", "chat", "noir"])])
    >>> links = [[(0, 0), (1, 2), (2, 1)]]
    >>> extractor = PhrasePairExtractor().fit(X)
    >>> spans = extractor.spans(X, links)
    >>> spans[0]
    array([[0, 1, 0, 1],
           [0, 3, 0, 3],
           [1, 2, 2, 3],
           [1, 3, 1, 3],
           [2, 3, 1, 2]])
    >>> extractor.extract(X, spans)[0][3]
    array(['black cat', 'the', '</s>', 'chat noir', 'le', '</s>'],
          dtype=object)
    """

    _parameter_constraints: ClassVar = {
        "aligner": [HasMethods(["fit", "predict"]), None],
        "source": [PhraseExtractor, None],
        "target": [PhraseExtractor, None],
        "extend": ["boolean"],
    }

    def __init__(self, aligner=None, *, source=None, target=None, extend=True):
        self.aligner = aligner
        self.source = source
        self.target = target
        self.extend = extend

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None) -> Self:
        """Fit the aligner, and the word classes of either side.

        Parameters
        ----------
        X : Bitext, or list-like of (source, target)
            Sentence pairs.
        y : None
            Ignored.

        Returns
        -------
        PhrasePairExtractor
            This object.

        Raises
        ------
        ValueError
            If X holds no sentence pairs, or a parameter is out of range.
        """
        bitext, _ = read_bitext_batch(X)
        source, target = (
            clone(PhraseExtractor() if given is None else given).fit(sentences)
            for given, sentences in (
                (self.source, bitext.source),
                (self.target, bitext.target),
            )
        )
        aligner = self.aligner
        if aligner is not None:
            aligner = clone(aligner).fit(bitext, None)
        self.source_, self.target_, self.aligner_ = source, target, aligner
        return self

    def transform(self, X) -> Ragged:
        """List the phrase pairs under the links that the aligner predicts.

        Parameters
        ----------
        X : Bitext, or list-like of (source, target)
            Sentence pairs.

        Returns
        -------
        Ragged
            For each pair of sentences an object array of str with a row for each pair
            of phrases: source phrase, its left and right contexts, target phrase, its
            left and right contexts. Rows stand in the order of ``spans``.

        Raises
        ------
        ValueError
            If there is no aligner.
        """
        return self.extract(X, self.spans(X))

    def spans(self, X, links=None) -> Ragged:
        """Where phrase pairs stand.

        Parameters
        ----------
        X : Bitext, or list-like of (source, target)
            Sentence pairs.
        links : Ragged or list-like of links, default=None
            For each pair an array (n_links, 2) of source and target word, as aligners
            predict them. Of gold links, possible ones count like sure ones. None: those
            that the aligner predicts.

        Returns
        -------
        Ragged
            For each pair of sentences an int array (n_phrases, 4): first word of the
            source phrase, the one after its last, and the same of the target phrase;
            sorted.

        Raises
        ------
        ValueError
            If there are neither links nor an aligner, those of a pair are unknown, or
            a link is out of range; the message names the pair.
        """
        check_is_fitted(self)
        bitext, _ = read_bitext_batch(X)
        links = self._links(bitext, links)
        pair, *ends = _consistent(
            bitext, links, self.source_.max_length, self.target_.max_length, self.extend
        )
        table = np.stack(ends, axis=1)
        table[:, :2] -= bitext.source.offsets[pair, None]
        table[:, 2:] -= bitext.target.offsets[pair, None]
        return Ragged.from_lengths(table, np.bincount(pair, minlength=len(bitext)))

    def extract(self, X, spans) -> Ragged:
        """List given phrase pairs.

        Parameters
        ----------
        X : Bitext, or list-like of (source, target)
            Sentence pairs.
        spans : Ragged or list-like
            For each pair of sentences rows (source start, source stop, target start,
            target stop), counted from 0, as from ``spans``.

        Returns
        -------
        Ragged
            A row for each phrase pair, in the order given; see ``transform``.

        Raises
        ------
        ValueError
            If there are not as many entries as pairs, or a span is empty or out of
            range; the message names pair and span.
        """
        check_is_fitted(self)
        bitext, _ = read_bitext_batch(X)
        pair, table = read_spans(spans, bitext.source, bitext.target)
        counts = np.bincount(pair, minlength=len(bitext))
        views = [
            side.extract(sentences, Ragged.from_lengths(table[:, columns], counts))
            for side, sentences, columns in (
                (self.source_, bitext.source, slice(0, 2)),
                (self.target_, bitext.target, slice(2, 4)),
            )
        ]
        return views[0].with_values(np.hstack([view.values for view in views]))

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of the columns.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
            Those of the extractors, after ``source_`` and ``target_``.
        """
        check_is_fitted(self)
        sides = (("source_", self.source_), ("target_", self.target_))
        names = [s + name for s, side in sides for name in side.get_feature_names_out()]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _links(self, bitext, given):
        if given is None:
            if self.aligner_ is None:
                raise ValueError(
                    "Phrase pairs need links: set aligner, such as DiagonalAligner(), "
                    "or give them as spans(X, links), whose answer extract(X, spans) "
                    "takes."
                )
            given = self.aligner_.predict(bitext)
        links = as_links(given, bitext, name="links")
        if not links.known.all():
            raise ValueError(
                f"links, pair {np.flatnonzero(~links.known)[0]}: nothing is known of "
                "its links, so nor of its phrases; leave the pair out."
            )
        return links


def _consistent(bitext, links, max_source, max_target, extend):
    """Phrase pairs: the sentence pair, then first and after-last row on both sides."""
    starts, ends = bitext.source.offsets, bitext.target.offsets
    source, target = starts[links.pair] + links.source, ends[links.pair] + links.target
    max_source = min(max_source, bitext.source.lengths.max())
    max_target = min(max_target, bitext.target.lengths.max())
    of_source = _Partners(source, target, starts[-1], max_source)
    of_target = _Partners(target, source, ends[-1], max_target)

    pair, start, stop = all_spans(starts, max_source)
    first, last = of_source.range(start, stop)
    # Without partners the first one is beyond the last.
    kept = (first <= last) & (last - first < max_target)
    if not extend:
        linked = of_source.linked
        kept &= linked[start] & linked[stop - 1]
    pair, start, stop, first, last = (a[kept] for a in (pair, start, stop, first, last))
    back = of_target.range(first, last + 1)
    kept = (back[0] >= start) & (back[1] < stop)
    pair, start, stop, first, last = (a[kept] for a in (pair, start, stop, first, last))
    if not extend:
        return pair, start, stop, first, last + 1

    before, after = _free_words(of_target.linked, ends)
    most = np.minimum(before[first], max_target - 1 - (last - first))
    phrase, fewer = expand(most + 1)
    first = first[phrase] - most[phrase] + fewer
    last = last[phrase]
    most = np.minimum(after[last], max_target - 1 - (last - first))
    wide, more = expand(most + 1)
    phrase = phrase[wide]
    return pair[phrase], start[phrase], stop[phrase], first[wide], last[wide] + more + 1


class _Partners:
    """First and last partner of every span of words on one side.

    Parameters
    ----------
    own, other : ndarray of shape (n_links,)
        The rows that links join.
    n_tokens : int
        Number of rows of the own side.
    max_length : int
        Bound on the length of spans.
    """

    def __init__(self, own, other, n_tokens, max_length):
        nothing = np.iinfo(np.intp).max
        self._first = np.full((max_length, n_tokens), nothing)
        self._last = np.full((max_length, n_tokens), -1)
        if not max_length:
            self.linked = np.zeros(0, dtype=bool)
            return
        np.minimum.at(self._first[0], own, other)
        np.maximum.at(self._last[0], own, other)
        self.linked = self._last[0] >= 0
        for k in range(1, max_length):
            for table, wider in (
                (self._first, np.minimum),
                (self._last, np.maximum),
            ):
                table[k] = table[k - 1]
                wider(table[k, :-k], table[0, k:], out=table[k, :-k])

    def range(self, start, stop):
        """First and last partner of the spans; the largest number and -1 if none."""
        return self._first[stop - start - 1, start], self._last[stop - start - 1, start]


def _free_words(linked, offsets):
    """How many words without a link stand directly before, and after, each word."""
    rows, lengths = np.arange(len(linked)), np.diff(offsets)
    last = np.maximum.accumulate(np.where(linked, rows, -1))
    before = np.concatenate([[-1], last])[:-1]
    before = np.maximum(before, np.repeat(offsets[:-1], lengths) - 1)
    coming = np.where(linked, rows, len(linked))
    coming = np.minimum.accumulate(coming[::-1])[::-1]
    after = np.append(coming, len(linked))[1:]
    after = np.minimum(after, np.repeat(offsets[1:], lengths))
    return rows - 1 - before, after - 1 - rows

"""Tagged sentences as other libraries hold them."""

from itertools import pairwise

import numpy as np

from skstruct.containers import Ragged
from skstruct.datasets._lines import stack_rows

__all__ = ["join_tagged", "read_spacy", "split_tagged"]


def split_tagged(sentences):
    """Words and tags of sentences of ``(word, tag)``, NLTK's form.

    Parameters
    ----------
    sentences : iterable of lists of (word, tag)
        Such as ``nltk.corpus.brown.tagged_sents()``. A tag None is unknown.

    Returns
    -------
    X : Ragged
        Words; a sequence for each sentence, also for empty ones.
    y : Ragged
        Their tags.

    Raises
    ------
    ValueError
        If a token is not a pair; the message names sentence and position.

    See Also
    --------
    join_tagged : The way back.

    Examples
    --------
    >>> from skstruct.datasets import split_tagged
    >>> X, y = split_tagged([[("Birds", "NOUN"), ("sing", "VERB")]])
    >>> X[0].tolist(), y[0].tolist()
    (['Birds', 'sing'], ['NOUN', 'VERB'])
    """
    words, tags, lengths = [], [], []
    for i, sentence in enumerate(sentences):
        before = len(words)
        for t, pair in enumerate(sentence):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise ValueError(
                    f"Sentence {i}, position {t}: expected (word, tag), got {pair!r}."
                )
            words.append(pair[0])
            tags.append(pair[1])
        lengths.append(len(words) - before)
    X = Ragged.from_lengths(words, np.array(lengths, dtype=np.intp))
    return X, X.with_values(tags)


def join_tagged(X, y):
    """Sentences of ``(word, tag)`` from words and tags.

    Parameters
    ----------
    X : Ragged or list-like of sequences of str
        Sentences of words.
    y : Ragged or list-like of sequences
        A tag for each word, as from ``predict``.

    Returns
    -------
    list of list of (word, tag)
        Plain Python values.

    Raises
    ------
    ValueError
        If there is not one tag for each word.

    See Also
    --------
    split_tagged : The way back.

    Examples
    --------
    >>> from skstruct.datasets import join_tagged
    >>> join_tagged([["Birds", "sing"]], [["NOUN", "VERB"]])
    [[('Birds', 'NOUN'), ('sing', 'VERB')]]
    """
    X, y = Ragged(X), Ragged(y)
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} sentences, y has {len(y)}.")
    wrong = np.flatnonzero(X.lengths != y.lengths)
    if wrong.size:
        i = wrong[0]
        raise ValueError(
            f"Sentence {i} has {X.lengths[i]} words in X but {y.lengths[i]} tags in y."
        )
    pairs = list(zip(X.surface.tolist(), y.values.tolist(), strict=True))
    bounds = X.offsets.tolist()
    return [pairs[i:j] for i, j in pairwise(bounds)]


def read_spacy(docs, *, tag="pos_"):
    """Words and tags of spaCy's documents, a sequence for each sentence.

    Parameters
    ----------
    docs : iterable of Doc
        Such as ``nlp.pipe(texts)``. A document without sentence bounds is one sentence.
    tag : str, ``default="pos_"``
        The attribute of tokens that becomes ``y``, such as ``"tag_"`` or ``"dep_"``.

    Returns
    -------
    X : Ragged
        Words of all tokens, white space among them, so that what is found can be put
        back: token ``t`` of all documents is row ``t`` of ``X.values``.
    y : Ragged
        Their labels. An empty one is None, which means unknown.

    Raises
    ------
    ValueError
        If ``docs`` is a single document, or tokens have no such attribute.

    Examples
    --------
    >>> import spacy  # doctest: +SKIP
    >>> from skstruct.datasets import read_spacy
    >>> nlp = spacy.load("en_core_web_sm")  # doctest: +SKIP
    >>> X, y = read_spacy(nlp.pipe(["Birds sing. Fish do not."]))  # doctest: +SKIP
    """
    rows = []
    for i, doc in enumerate(docs):
        if not hasattr(doc, "has_annotation"):
            raise ValueError(
                f"docs must be documents of spaCy; number {i} is a "
                f"{type(doc).__name__}. Pass a single document as [doc]."
            )
        for sentence in doc.sents if doc.has_annotation("SENT_START") else [doc]:
            rows.extend((token.text, _label(token, tag)) for token in sentence)
            rows.append(None)
    return tuple(stack_rows(rows, 2))


def _label(token, tag):
    try:
        return getattr(token, tag) or None
    except AttributeError:
        raise ValueError(
            f"Tokens have no attribute {tag!r}; tag is one such as 'pos_' or 'tag_'."
        ) from None

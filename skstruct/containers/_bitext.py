"""Sentences beside their translations, as two Ragged sides."""

from typing import Self

import numpy as np
from scipy.sparse import issparse

from skstruct.containers._batch import Batch, locate
from skstruct.containers._ragged import Ragged
from skstruct.containers._reading import is_missing

__all__ = ["Bitext"]


class Bitext(Batch):
    """A batch of sentence pairs: sentence ``i`` of ``source`` is that of ``target``.

    scikit-learn sees a batch of shape ``(n_pairs,)`` and cuts, shuffles and joins whole
    pairs. ``X + Y`` joins two batches, :func:`numpy.concatenate` a list of them.

    Parameters
    ----------
    pairs : iterable of (source, target)
        Each side a list or 1-D array of tokens (str or int). Empty sides are allowed.

    Attributes
    ----------
    source : Ragged
        Tokens of the first sides.
    target : Ragged
        Tokens of the second sides.

    Raises
    ------
    ValueError
        If a pair is not two sequences, or a side is text or holds anything but strings
        and integers; the message names pair and side.

    See Also
    --------
    Bitext.from_sides : All source sentences and all target sentences.
    skstruct.datasets.read_bitext : From one or two files.

    Examples
    --------
    >>> from skstruct import Bitext
    >>> X = Bitext(
    ...     [
    ...         (["the", "farmer", "sings"], ["agricola", "cantat"]),
    ...         (["they", "love"], ["amant"]),
    ...     ]
    ... )
    >>> X
    Bitext(2 pairs, 5 + 3 tokens)
    >>> X[1]
    (array(['they', 'love'], dtype=object), array(['amant'], dtype=object))
    >>> X.target.lengths
    array([2, 1])
    """

    __slots__ = ("source", "target")

    def __init__(self, pairs):
        if isinstance(pairs, Bitext):
            self.source, self.target = pairs.source, pairs.target
            return
        _reject_other_forms(pairs)
        pairs = [_as_pair(pair, i) for i, pair in enumerate(pairs)]
        self.source = _as_side([source for source, _ in pairs], "source")
        self.target = _as_side([target for _, target in pairs], "target")

    @classmethod
    def from_sides(cls, source, target) -> Self:
        """From all source sentences and all target sentences.

        Parameters
        ----------
        source : Ragged or list-like of sequences
            Sentences of tokens (str or int).
        target : Ragged or list-like of sequences
            Their translations, in the same order.

        Returns
        -------
        Bitext

        Raises
        ------
        ValueError
            If the sides hold different numbers of sentences, or a sentence is text or
            holds anything but strings and integers.

        Examples
        --------
        >>> from skstruct import Bitext
        >>> Bitext.from_sides([["they", "love"], []], [["amant"], []])
        Bitext(2 pairs, 2 + 1 tokens)
        """
        source, target = _as_side(source, "source"), _as_side(target, "target")
        if len(source) != len(target):
            raise ValueError(
                f"source has {len(source)} sentences, target {len(target)}; sentence i "
                "of one must translate sentence i of the other, an empty one where "
                "there is none."
            )
        return cls._make(source, target)

    @classmethod
    def _make(cls, source, target):
        out = cls.__new__(cls)
        out.source, out.target = source, target
        return out

    def reversed(self) -> Self:
        """The same pairs with sides swapped.

        Returns
        -------
        Bitext
        """
        return Bitext._make(self.target, self.source)

    def __len__(self):
        return len(self.source)

    def _item(self, i):
        return self.source[i], self.target[i]

    def _take(self, ids):
        return Bitext._make(self.source[ids], self.target[ids])

    @classmethod
    def _concat(cls, parts):
        parts = [Bitext(part) for part in parts]
        return cls._make(
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.target for part in parts]),
        )

    def __repr__(self):
        n, tokens = len(self), f"{self.source.n_tokens} + {self.target.n_tokens} tokens"
        return f"{type(self).__name__}({n} pair{'s' * (n != 1)}, {tokens})"


def _reject_other_forms(pairs):
    kind = type(pairs).__name__
    if hasattr(pairs, "columns"):
        raise ValueError(
            f"Expected a list of pairs, got a {kind}. Use Bitext.from_sides("
            "frame[source], frame[target]) with columns of lists of tokens, such as "
            "frame[source].str.split()."
        )
    if isinstance(pairs, Batch):
        raise ValueError(
            f"Expected a list of pairs, got a {kind}, which is one side; use "
            "Bitext.from_sides(source, target)."
        )
    if (
        isinstance(pairs, str | bytes | dict)
        or not hasattr(pairs, "__iter__")
        or getattr(pairs, "ndim", 1) == 0
        or issparse(pairs)
    ):
        raise ValueError(
            f"Expected a list of pairs (source tokens, target tokens), got a {kind}; "
            "files are read by skstruct.datasets.read_bitext."
        )


def _as_pair(pair, i):
    if type(pair) is not tuple and (
        isinstance(pair, str | bytes | dict | set | frozenset)
        or not hasattr(pair, "__len__")
    ):
        raise ValueError(
            f"Pair {i} is a {type(pair).__name__} ({str(pair)[:40]!r}), not a pair "
            "(source tokens, target tokens)."
        )
    if len(pair) != 2:
        raise ValueError(
            f"Pair {i} has {len(pair)} entries, not two: (source tokens, target "
            "tokens). Sides that are two lists go to Bitext.from_sides."
        )
    return pair


def _as_side(sentences, side):
    """One side as a Ragged of strings and integers."""
    if not isinstance(sentences, Ragged):
        if hasattr(sentences, "__iter__") and not hasattr(sentences, "columns"):
            sentences = list(sentences)
            for i, sentence in enumerate(sentences):
                if type(sentence) is not list:
                    _check_sentence(sentence, i, side)
        try:
            sentences = Ragged(sentences)
        except ValueError as error:
            raise ValueError(f"On the {side} side: {error}") from error
    _check_tokens(sentences, side)
    return sentences


def _check_sentence(sentence, i, side):
    if is_missing(sentence):
        raise ValueError(
            f"Pair {i}: the {side} is missing ({sentence}). Leave such rows out: "
            "dropna() in pandas, drop_nulls() in polars; an empty side is []."
        )
    if isinstance(sentence, str | bytes):
        raise ValueError(
            f"Pair {i}: the {side} is a string ({str(sentence)[:40]!r}), not a list of "
            "tokens. Split it, as by .split(); files are read by "
            "skstruct.datasets.read_bitext."
        )
    if isinstance(sentence, dict) or not hasattr(sentence, "__len__"):
        raise ValueError(
            f"Pair {i}: the {side} is a {type(sentence).__name__} "
            f"({str(sentence)[:40]!r}), not a list of tokens; an empty side is []."
        )


def _check_tokens(side, name):
    values = side.values
    if values.ndim != 1:
        raise ValueError(
            f"The {name} holds rows of {values.shape[1]} features; a Bitext holds "
            "tokens, str or int."
        )
    if values.dtype.kind in "iu" or not side.n_tokens:
        return
    tokens = values.tolist()
    if values.dtype != object or not all(
        issubclass(kind, str | int | np.integer) for kind in set(map(type, tokens))
    ):
        row, token = next(
            (row, token)
            for row, token in enumerate(tokens)
            if values.dtype != object or not isinstance(token, str | int | np.integer)
        )
        i, position = locate(side.offsets, row)
        raise ValueError(
            f"Pair {i}: token {position} of the {name} is {token!r} "
            f"({type(token).__name__}); tokens are strings or integers."
        )

"""Sequences of different lengths as flat arrays and offsets."""

from typing import Self

import numpy as np

from skstruct.containers._batch import Batch, gather, offsets_of
from skstruct.containers._frame import common_header, cut_frame, put_beside
from skstruct.containers._reading import as_values, describe, flatten, join

__all__ = ["Ragged"]


class _Single(int):
    """The number 1, which gives advice where a splitter puts it into an error."""

    def __format__(self, spec):
        return (
            f"{int(self):{spec}} (one sequence; folds are made of whole sequences: cut "
            "a long one by skstruct.model_selection.BlockSplit, or fit and score on "
            "all of it by TransductiveSplit)"
        )


class Ragged(Batch):
    """A batch of sequences: flat ``values`` and the ``offsets`` that cut them.

    Sequence ``i`` is ``values[offsets[i]:offsets[i + 1]]``. scikit-learn sees a batch
    of shape ``(n_sequences,)`` and cuts, shuffles and joins whole sequences.

    Parameters
    ----------
    sequences : iterable of sequences
        Each a list of tokens (str or int), of numbers or of feature dicts, or an array
        of shape (T,) or (T, d), dense or CSR. Empty sequences are allowed.

    Attributes
    ----------
    values : ndarray or csr_array of shape (n_tokens, ...)
        All tokens in order. Strings are kept as objects.
    offsets : ndarray of shape (n_sequences + 1,), dtype intp
        Where each sequence begins; the last one is ``n_tokens``.
    tokens : ndarray of shape (n_tokens,) or None
        Surface tokens carried beside feature rows.
    source : tuple (frame, rows) or None
        The data frame behind the batch and the row of each token.
    header : DataFrame without rows, or None
        The columns that ``values`` holds, where they come from data frames; estimators
        take ``feature_names_in_`` from it.

    Raises
    ------
    ValueError
        If a sequence is a string or a number, or widths, kinds or columns differ; the
        message names the sequence.

    See Also
    --------
    Ragged.from_lengths : One flat array and the length of each sequence.
    Ragged.from_frame : A data frame with a column that names the sequence.

    Examples
    --------
    >>> from skstruct import Ragged
    >>> X = Ragged([["a", "rose"], [], ["is", "a", "rose"]])
    >>> X
    Ragged(3 sequences, 5 tokens, str)
    >>> X[2]
    array(['is', 'a', 'rose'], dtype=object)
    >>> X[[2, 0]].lengths
    array([3, 2])
    """

    __slots__ = ("header", "offsets", "source", "tokens", "values")

    @property
    def shape(self):
        """``(n_sequences,)``."""
        return (_Single(1) if len(self) == 1 else len(self),)

    def __init__(self, sequences):
        if isinstance(sequences, Ragged):
            for name in Ragged.__slots__:
                setattr(self, name, getattr(sequences, name))
        else:
            self.values, self.offsets, self.header = flatten(sequences)
            self.tokens = self.source = None

    @classmethod
    def from_arrays(cls, values, offsets, *, tokens=None) -> Self:
        """From flat values and offsets.

        Parameters
        ----------
        values : array-like or sparse array of shape (n_tokens, ...)
            All tokens in order.
        offsets : array-like of shape (n_sequences + 1,)
            Non-decreasing, from 0 to ``n_tokens``.
        tokens : array-like of shape (n_tokens,), default=None
            Surface tokens carried beside ``values``.

        Returns
        -------
        Ragged

        Raises
        ------
        ValueError
            If offsets do not cut ``values``, or tokens are not as many.

        Examples
        --------
        >>> from skstruct import Ragged
        >>> list(Ragged.from_arrays([7, 8, 9], [0, 2, 3]))
        [array([7, 8]), array([9])]
        """
        values = as_values(values)
        given = np.asarray(offsets)
        if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iu":
            raise ValueError(
                "offsets must be a 1-D array of integers that starts at 0; got dtype "
                f"{given.dtype} and shape {given.shape}."
            )
        offsets = np.ascontiguousarray(given, dtype=np.intp)
        n = values.shape[0]
        if offsets[0] != 0 or offsets[-1] != n:
            raise ValueError(
                f"offsets must rise from 0 to the number of tokens, {n}; they go from "
                f"{offsets[0]} to {offsets[-1]}."
            )
        falls = np.flatnonzero(np.diff(offsets) < 0)
        if falls.size:
            raise ValueError(
                f"offsets must not fall; sample {falls[0]} would end before it begins, "
                f"at {offsets[falls[0] + 1]}."
            )
        if tokens is not None:
            tokens = as_values(tokens)
            if tokens.shape[0] != n:
                raise ValueError(
                    f"tokens has {tokens.shape[0]} entries, values has {n}."
                )
        return cls._make(values, offsets, tokens)

    @classmethod
    def _make(cls, values, offsets, tokens=None, source=None, header=None):
        out = cls.__new__(cls)
        out.values, out.offsets, out.header = values, offsets, header
        out.tokens, out.source = tokens, source
        return out

    @classmethod
    def from_lengths(cls, values, lengths, *, tokens=None) -> Self:
        """From flat values and the length of each sequence (hmmlearn's form).

        Parameters
        ----------
        values : array-like of shape (n_tokens, ...)
            All tokens in order.
        lengths : array-like of shape (n_sequences,)
            Lengths that sum to ``n_tokens``.
        tokens : array-like of shape (n_tokens,), default=None
            Surface tokens carried beside ``values``.

        Returns
        -------
        Ragged

        Raises
        ------
        ValueError
            If lengths are not integers, negative, or do not sum to ``n_tokens``.

        Examples
        --------
        >>> import numpy as np
        >>> from skstruct import Ragged
        >>> Ragged.from_lengths(np.arange(6.0)[:, None], [4, 2])
        Ragged(2 sequences, 6 tokens, float64 x 1)
        """
        values = as_values(values)
        lengths = np.asarray(lengths)
        if lengths.ndim != 1 or (lengths.size and lengths.dtype.kind not in "iu"):
            raise ValueError(
                "lengths must be a 1-D array of integers; got dtype "
                f"{lengths.dtype} and shape {lengths.shape}."
            )
        negative = np.flatnonzero(lengths < 0)
        if negative.size:
            i = negative[0]
            raise ValueError(f"The length of sample {i} is {lengths[i]}, below zero.")
        if lengths.sum() != values.shape[0]:
            raise ValueError(
                f"lengths must sum to the number of tokens; they sum to "
                f"{lengths.sum()}, values has {values.shape[0]} rows."
            )
        return cls.from_arrays(values, offsets_of(lengths), tokens=tokens)

    @classmethod
    def from_rows(cls, rows) -> Self:
        """From a 2-D array whose every row is one sequence of symbols.

        Parameters
        ----------
        rows : array-like of shape (n_sequences, length)
            Symbols or numbers; each row becomes a sequence of ``length`` tokens.

        Returns
        -------
        Ragged

        Examples
        --------
        >>> from skstruct import Ragged
        >>> Ragged.from_rows([["A", "C", "C"], ["G", "A", "T"]])
        Ragged(2 sequences, 6 tokens, str)
        """
        rows = np.asarray(rows)
        if rows.ndim != 2:
            raise ValueError(
                f"rows must be 2-D, got shape {rows.shape}; sequences of different "
                "lengths are given as Ragged(list)."
            )
        return cls.from_lengths(
            rows.ravel(), np.full(rows.shape[0], rows.shape[1], dtype=np.intp)
        )

    @classmethod
    def from_frame(cls, frame, columns=None, *, group=None, order=None) -> Self:
        """From a data frame: one row a token, ``group`` says which sequence.

        Parameters
        ----------
        frame : pandas or polars DataFrame
            One row for each token.
        columns : str, list of str or None, default=None
            The column of tokens, or the columns of features. None takes all columns
            but ``group`` and ``order``; one that is left alone counts as named.
        group : str or None, default=None
            The column that names the sequence of a row. Sequences stand in the order
            of their first rows; their rows need not be neighbours. None: one sequence.
        order : str or None, default=None
            The column that orders rows inside a sequence (time). None keeps the order
            of the frame.

        Returns
        -------
        Ragged
            One that knows its frame: ``to_frame`` puts a prediction back beside its
            rows.

        Raises
        ------
        ValueError
            If a column is not there, ``group`` or ``order`` is missing in a row, or
            columns that nobody named are text or dates beside numbers.

        Examples
        --------
        >>> import pandas as pd
        >>> from skstruct import Ragged
        >>> df = pd.DataFrame({"id": ["a", "b", "a"], "load": [1.0, 7.0, 2.0]})
        >>> X = Ragged.from_frame(df, "load", group="id")
        >>> [x.tolist() for x in X]
        [[1.0, 2.0], [7.0]]
        """
        values, lengths, source, header = cut_frame(frame, columns, group, order)
        out = cls.from_lengths(values, lengths)
        out.source, out.header = source, header
        return out

    def to_frame(self, prediction, *, name="prediction"):
        """The rows of the source frame with a prediction beside them.

        Parameters
        ----------
        prediction : Ragged or sequence of arrays
            One value for each token, sequence by sequence, as ``predict`` returns it;
            or a row of K, as from ``predict_proba``.
        name : str or list of K str, default="prediction"
            Name of the new column, or of each one, such as ``model.states_``. One name
            of several columns is numbered: "prediction_0", "prediction_1", ...

        Returns
        -------
        DataFrame
            Of the library and with the index of the frame given to ``from_frame``, in
            its row order; after a split, the rows of the samples kept.

        Raises
        ------
        ValueError
            If the batch does not come from a frame, lengths do not match, there are not
            as many names as columns, or the frame has a column of that name already.

        Examples
        --------
        >>> import pandas as pd
        >>> from skstruct import Ragged
        >>> df = pd.DataFrame({"id": ["a", "b", "a"], "load": [1.0, 7.0, 2.0]})
        >>> X = Ragged.from_frame(df, "load", group="id")
        >>> X.to_frame([["low", "low"], ["high"]], name="regime")
          id  load regime
        0  a   1.0    low
        1  b   7.0   high
        2  a   2.0    low
        >>> proba = X.with_values([[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]])
        >>> X.to_frame(proba, name="state")
          id  load  state_0  state_1
        0  a   1.0     0.75     0.25
        1  b   7.0     0.00     1.00
        2  a   2.0     0.50     0.50
        """
        if self.source is None:
            raise ValueError(
                "This batch does not come from a data frame; build it with "
                "Ragged.from_frame."
            )
        prediction = Ragged(prediction)
        self._check_fits(prediction)
        return put_beside(*self.source, prediction.values, name)

    def _check_fits(self, prediction):
        if len(prediction) != len(self):
            raise ValueError(
                f"prediction has {len(prediction)} sequences, the batch {len(self)}."
            )
        wrong = np.flatnonzero(prediction.lengths != self.lengths)
        if wrong.size:
            i = wrong[0]
            raise ValueError(
                f"prediction must hold one value for each token: its sequence {i} has "
                f"{prediction.lengths[i]}, that of the batch {self.lengths[i]}."
            )

    @property
    def lengths(self):
        """Lengths of the sequences, shape (n_sequences,)."""
        return np.diff(self.offsets)

    @property
    def n_tokens(self):
        """The number of tokens in all sequences."""
        return int(self.offsets[-1])

    @property
    def surface(self):
        """Words of the sequences: ``tokens``, or ``values`` where there are none."""
        return self.values if self.tokens is None else self.tokens

    def with_values(self, values) -> Self:
        """The same sequences with other values (one for each token).

        Parameters
        ----------
        values : array-like of shape (n_tokens, ...)
            New values in the same order.

        Returns
        -------
        Ragged
            It still knows its tokens and its frame, but not the names of columns.
        """
        values = as_values(values)
        if values.shape[0] != self.n_tokens:
            raise ValueError(
                f"values has {values.shape[0]} rows, the batch {self.n_tokens} tokens."
            )
        return Ragged._make(values, self.offsets, self.tokens, self.source)

    def __len__(self):
        return len(self.offsets) - 1

    def _item(self, i):
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def _take(self, ids):
        rows, offsets = gather(self.offsets, ids)
        tokens = None if self.tokens is None else self.tokens[rows]
        source = None if self.source is None else (self.source[0], self.source[1][rows])
        return Ragged._make(self.values[rows], offsets, tokens, source, self.header)

    @classmethod
    def _concat(cls, parts):
        parts = [p if isinstance(p, Ragged) else Ragged(p) for p in parts]
        lengths = np.concatenate([p.lengths for p in parts])
        tokens = None
        if all(p.tokens is not None for p in parts):
            tokens = np.concatenate([p.tokens for p in parts])
        values, header = join([p.values for p in parts], "Batch"), None
        if all(p.header is not None for p in parts):
            header = common_header([p.header for p in parts], "Batch")
        return cls._make(values, offsets_of(lengths), tokens, None, header)

    def __repr__(self):
        n, t = len(self), self.n_tokens
        size = f"{n} sequence{'s' * (n != 1)}, {t} token{'s' * (t != 1)}"
        return f"{type(self).__name__}({size}, {describe(self.values)})"

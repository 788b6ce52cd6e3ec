"""Which states a word may have."""

from collections import Counter
from collections.abc import Mapping
from numbers import Integral
from typing import Self

import numpy as np

from skstruct._validation import as_labels, as_ragged
from skstruct.containers import gather

__all__ = ["TagDictionary"]


class TagDictionary:
    """The states that words may have; words that it does not list may have any.

    A dictionary is what supervision costs least: it names the states and rules most of
    them out for most words, with no sentence labelled. It is immutable and cheap to
    copy, compare, print and send to other processes, whatever its size.

    Parameters
    ----------
    mapping : dict of word to state name or iterable of state names
        The states allowed for each word. Words are the tokens of sequences, strings or
        integers.
    states : array-like of state names, default=None
        All states, in the order wanted. None takes those that occur, sorted.

    Attributes
    ----------
    states : ndarray of shape (n_states,)
        Names of the states; read-only.
    words : ndarray of shape (n_words,)
        The words listed, sorted; read-only.
    ambiguity : float
        Mean number of states of a listed word; 0 without words.

    Raises
    ------
    ValueError
        If a word has no state or one that is not in ``states``; the word is named.

    See Also
    --------
    TagDictionary.from_tagged : A dictionary of what tagged sentences show.

    Examples
    --------
    >>> from skstruct.estimators import TagDictionary
    >>> tags = TagDictionary({"the": "DET", "run": ["VERB", "NOUN"]})
    >>> tags
    TagDictionary(2 words, 3 states, 1.5 states a word)
    >>> tags.states.tolist()
    ['DET', 'NOUN', 'VERB']
    >>> tags.allowed(["the", "zebra"])
    array([[ True, False, False],
           [ True,  True,  True]])
    """

    __slots__ = ("_indices", "_indptr", "_rows", "states", "words")

    def __init__(self, mapping, *, states=None):
        if not isinstance(mapping, Mapping):
            raise ValueError(
                "mapping must be a dict of word to states, got "
                f"{type(mapping).__name__}; from tagged sentences build it with "
                "TagDictionary.from_tagged(X, y)."
            )
        names = {word: _names(allowed, word) for word, allowed in mapping.items()}
        words = _sorted(names)
        if states is None:
            states = _sorted(set().union(*names.values()))
        states = _read_states(states)
        number = {name: k for k, name in enumerate(states)}
        for word in words:
            for name in names[word]:
                if name not in number:
                    raise ValueError(
                        f"mapping allows {word!r} the state {name!r}, which is not "
                        f"among states={_short(states)}."
                    )
        indices = [sorted({number[name] for name in names[word]}) for word in words]
        self._fill(
            _frozen(words, object),
            _frozen(np.cumsum([0, *map(len, indices)]), np.intp),
            _frozen([k for row in indices for k in row], np.intp),
            _frozen(
                states, object if any(isinstance(s, str) for s in states) else np.intp
            ),
        )

    def _fill(self, words, indptr, indices, states):
        self.words, self.states = words, states
        self._indptr, self._indices = indptr, indices
        self._rows = {word: i for i, word in enumerate(words.tolist())}

    @classmethod
    def of(cls, obj) -> Self:
        """A dictionary from what a user may give for one.

        Parameters
        ----------
        obj : TagDictionary or dict of word to state names
            Either; a TagDictionary is returned as it is.

        Returns
        -------
        TagDictionary
        """
        return obj if isinstance(obj, cls) else cls(obj)

    @classmethod
    def from_tagged(cls, X, y, *, min_count=1, keep=None) -> Self:
        """A dictionary of the states that words have in tagged sentences.

        Parameters
        ----------
        X : Ragged or list-like of sequences of words
            The sentences.
        y : Ragged or list-like of sequences of state names
            The state of each word; unknown ones (None, or -1 for integers) are left
            out. All that occur are states, also those of words that are not listed.
        min_count : int, default=1
            Words tagged less often than this are not listed, so that they may have any
            state.
        keep : int or None, default=None
            How many words to list: the most frequent ones. None lists all.

        Returns
        -------
        TagDictionary

        Raises
        ------
        ValueError
            If ``y`` does not fit ``X``, or nothing is tagged.

        Examples
        --------
        >>> from skstruct.estimators import TagDictionary
        >>> X = [["the", "run"], ["they", "run", "the", "show"]]
        >>> y = [["DET", "NOUN"], ["PRON", "VERB", "DET", None]]
        >>> TagDictionary.from_tagged(X, y, keep=2).to_dict()
        {'run': ['NOUN', 'VERB'], 'the': ['DET']}
        """
        _check_positive(min_count, "min_count")
        if keep is not None:
            _check_positive(keep, "keep")
        batch = as_ragged(X)
        labels, known = as_labels(y, batch)
        words = batch.values if batch.tokens is None else batch.tokens
        if words.ndim != 1:
            raise ValueError("X must hold words, got vectors; a word is one token.")
        if not known.any():
            raise ValueError("y tags no word, so that there are no states.")
        words, labels = words[known].tolist(), labels[known].tolist()
        counts = Counter(words)
        listed = [w for w in _sorted(counts) if counts[w] >= min_count]
        # Sorting is stable: of equally frequent words the first in order stay.
        listed = sorted(listed, key=counts.__getitem__, reverse=True)[:keep]
        mapping = {word: set() for word in listed}
        for word, label in set(zip(words, labels, strict=True)):
            if word in mapping:
                mapping[word].add(label)
        return cls(mapping, states=_sorted(set(labels)))

    @property
    def ambiguity(self):
        """Mean number of states of a listed word; 0 without words."""
        return len(self._indices) / max(len(self), 1)

    def allowed(self, symbols) -> np.ndarray:
        """Which states each of some symbols may have.

        Parameters
        ----------
        symbols : array-like of shape (n_symbols,)
            Words, in any order, listed or not.

        Returns
        -------
        ndarray of bool of shape (n_symbols, n_states)
            All True for words that are not listed.
        """
        rows = self._find(symbols)
        listed = np.flatnonzero(rows >= 0)
        table = np.ones((len(rows), len(self.states)), dtype=bool)
        table[listed] = False
        entries, offsets = gather(self._indptr, rows[listed])
        table[np.repeat(listed, np.diff(offsets)), self._indices[entries]] = True
        return table

    def coverage(self, symbols) -> float:
        """Share of the symbols that the dictionary lists.

        Parameters
        ----------
        symbols : array-like of shape (n_symbols,)
            All tokens of a text, or its distinct words.

        Returns
        -------
        float
            Between 0 and 1; 0 without symbols.
        """
        rows = self._find(symbols)
        return float(np.mean(rows >= 0)) if len(rows) else 0.0

    def restrict(self, words) -> Self:
        """The dictionary of those of its words that are given.

        Parameters
        ----------
        words : array-like of shape (n,)
            Words to keep; others than listed ones are passed over.

        Returns
        -------
        TagDictionary
            With the same states.
        """
        rows = np.unique(self._find(words))
        rows = rows[rows >= 0]
        mapping = self._entries(rows)
        return TagDictionary(mapping, states=self.states)

    def to_dict(self):
        """The listed words and their states as a plain dict.

        Returns
        -------
        dict of word to list of state names
        """
        return self._entries(range(len(self)))

    def _entries(self, rows):
        begin, end = self._indptr[:-1], self._indptr[1:]
        return {
            self.words[i]: self.states[self._indices[begin[i] : end[i]]].tolist()
            for i in rows
        }

    def _find(self, symbols):
        """Row of each symbol, -1 where it is not listed."""
        if hasattr(symbols, "tolist"):
            symbols = symbols.tolist()
        try:
            rows = [self._rows.get(symbol, -1) for symbol in symbols]
        except TypeError as error:
            raise ValueError(
                "A tag dictionary lists words; got tokens that are vectors or dicts."
            ) from error
        return np.array(rows, dtype=np.intp)

    def __len__(self):
        return len(self.words)

    def __contains__(self, word):
        return word in self._rows

    def __eq__(self, other):
        if not isinstance(other, TagDictionary):
            return NotImplemented
        return self is other or self._content() == other._content()

    def __hash__(self):
        return hash(self._content())

    def _content(self):
        return (
            tuple(self.states),
            tuple(self.words),
            self._indptr.tobytes(),
            self._indices.tobytes(),
        )

    def __getstate__(self):
        names = ("words", "indptr", "indices", "states")
        arrays = (self.words, self._indptr, self._indices, self.states)
        return dict(zip(names, arrays, strict=True))

    def __setstate__(self, state):
        for array in state.values():
            array.flags.writeable = False
        self._fill(**state)

    # Immutable, so that `clone`, which copies parameters deeply, need not copy it.
    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __sklearn_clone__(self):
        return self

    def __repr__(self):
        n, k = len(self), len(self.states)
        size = f"{n:,} word{'s' * (n != 1)}, {k} state{'s' * (k != 1)}"
        return f"{type(self).__name__}({size}, {self.ambiguity:.1f} states a word)"


def _frozen(values, dtype):
    out = np.empty(len(values), dtype=dtype)
    out[:] = values
    out.flags.writeable = False
    return out


def _sorted(names):
    """Sorted names; strings and integers together are sorted type by type."""
    return sorted(names, key=lambda name: (isinstance(name, str), name))


def _check_positive(value, name):
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be a positive integer, got {value!r}.")


def _is_name(name):
    return isinstance(name, str | Integral)


def _names(allowed, word):
    if not _is_name(word):
        raise ValueError(f"mapping lists {word!r}; words are strings or integers.")
    names = [allowed] if _is_name(allowed) else allowed
    if not hasattr(names, "__iter__"):
        raise ValueError(
            f"mapping of {word!r} must be a state name or several, got {allowed!r}."
        )
    names = names.tolist() if isinstance(names, np.ndarray) else list(names)
    if not names:
        raise ValueError(
            f"mapping allows {word!r} no state at all; leave the word out if it may "
            "have any."
        )
    for name in names:
        if not _is_name(name):
            raise ValueError(
                f"mapping allows {word!r} the state {name!r}; names of states are "
                "strings or integers."
            )
    return names


def _read_states(states):
    states = states.tolist() if hasattr(states, "tolist") else list(states)
    if not states:
        raise ValueError("mapping is empty; name the states by states=.")
    twice = [name for name, n in Counter(states).items() if n > 1]
    if twice:
        raise ValueError(f"states names {twice[0]!r} more than once.")
    return states


def _short(names):
    shown = ", ".join(map(repr, names[:8]))
    return f"[{shown}{', ...' * (len(names) > 8)}]"

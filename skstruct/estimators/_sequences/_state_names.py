"""How many states there are, and what they are called."""

from itertools import count, islice
from numbers import Integral

import numpy as np

from skstruct.containers._batch import locate

__all__ = ["StateNames", "token_place"]

_DEFAULT_N_STATES = 12


def token_place(t, offsets):
    """Where token ``t`` of a batch stands, in the words of an error message."""
    sequence, position = locate(offsets, t)
    return f"sequence {sequence}, position {position}"


class StateNames:
    """The names of states and the codes 0 .. K - 1 behind them.

    Integer labels name states as strings do; only where more states are asked for than
    are labelled do they number them, 0 .. K - 1.

    Parameters
    ----------
    n_states : int or None
        What the user asked for.
    dictionary : TagDictionary or None
        Names states, if given.
    labels, known : ndarray of shape (T,) or None
        Clamped labels and where they are known.
    implied : dict of str to int
        Numbers of states that start values imply, by parameter.

    Raises
    ------
    ValueError
        If the sources contradict one another.
    """

    def __init__(self, n_states, dictionary, labels, known, implied):
        sources = {"n_states": n_states, **implied}
        names, self._hint = None, ""
        if dictionary is not None:
            names = dictionary.states.tolist()
            sources["tag_dictionary"] = len(names)
            self._hint = " Name more states by TagDictionary(..., states=[...])."
        elif labels is not None and known.any():
            names = _names_from_labels(labels[known], sources)
            sources["y"] = len(names)
            if labels.dtype.kind in "iu":
                self._hint = " Of integers, -1 means unknown."
        sizes = {name: size for name, size in sources.items() if size is not None}
        if len(set(sizes.values())) > 1:
            stated = ", ".join(f"{name}: {size}" for name, size in sizes.items())
            raise ValueError(
                f"The number of states is contradictory ({stated}); leave "
                f"n_states=None to take what the others imply.{self._hint}"
            )
        self.size = next(iter(sizes.values()), _DEFAULT_N_STATES)
        self.named = names is not None
        self.states = _as_array(names if self.named else range(self.size))

    def codes(self, labels, known, batch, name="y"):
        """Labels as codes, -1 where unknown."""
        of = {state: code for code, state in enumerate(self.states.tolist())}
        codes = np.full(len(labels), -1, dtype=np.intp)
        codes[known] = [of.get(label, -1) for label in labels[known].tolist()]
        foreign = np.flatnonzero(known & (codes < 0))
        if foreign.size:
            t, label = foreign[0], labels[foreign[:1]].tolist()[0]
            why = (
                f"is not one of the {self.size} states "
                f"({', '.join(map(str, self.states[:8].tolist()))}"
                f"{', ...' if self.size > 8 else ''}).{self._hint}"
            )
            if not self.size:
                why = "is no state: negative labels name none, and -1 means unknown."
            raise ValueError(
                f"{name}, {token_place(t, batch.offsets)}: {label!r} {why}"
            )
        return codes


def _as_array(names):
    """Names as integers if all are, else as objects."""
    integers = all(isinstance(name, Integral) for name in names)
    out = np.empty(len(names), dtype=np.intp if integers else object)
    out[:] = names
    return out


def _names_from_labels(labels, sources):
    """States that labels name; with more states asked for, the rest is numbered."""
    distinct = sorted(set(labels.tolist()))
    wanted = max((s for s in sources.values() if s is not None), default=0)
    if not isinstance(distinct[0], Integral):
        made = (f"state_{i}" for i in count(len(distinct)))
        free = (name for name in made if name not in distinct)
        return distinct + list(islice(free, max(wanted - len(distinct), 0)))
    # Negative ones name nothing: `codes` says where they are.
    distinct = [label for label in distinct if label >= 0]
    return distinct if wanted in (0, len(distinct)) else range(wanted)

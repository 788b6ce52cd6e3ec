"""Batches as users bring them: of all lengths, of all kinds, now and then broken."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from skstruct import Bitext, Ragged

__all__ = ["batches", "forms", "options", "problems"]

WORDS = ["a", "b", "c", "the", "The", "é", "世界", "a-b", "", " ", "7", "x" * 90]
ODD_NUMBERS = [np.nan, np.inf, -np.inf, 1e200, -1e200, 1e-300, 2.0**60]
ODD_TOKENS = [None, np.nan, "z", 3, -1, 2.5, True, 10**30, b"a", ("a",), ["a"], {}]
ROW = 2

small = st.floats(-4, 4, width=16)
text = st.sampled_from(WORDS)
TOKENS = {
    "text": text,
    "few words": st.sampled_from("ab"),
    "one word": st.just("a"),
    "integers": st.integers(-2, 3),
    "counts": st.integers(0, 5),
    "large integers": st.sampled_from([0, 7, 10**9, 2**62]),
    "numbers": small,
    "odd numbers": small | st.sampled_from(ODD_NUMBERS),
    "vectors": st.lists(small, min_size=ROW, max_size=ROW).map(np.array),
    "dicts": st.dictionaries(st.sampled_from("uv"), text | small, max_size=2),
    "mixed": text | st.integers(-2, 3) | small | st.sampled_from(ODD_TOKENS),
}
READ = {
    "words": ["text", "text", "few words", "one word", "integers", "mixed"],
    "numbers": ["numbers", "vectors", "vectors", "counts", "odd numbers", "mixed"],
    "labelled": ["text", "vectors", "dicts", "odd numbers", "large integers", "mixed"],
    "pairs": ["text", "text", "few words", "integers", "mixed"],
}
LABELS = {
    "names": st.sampled_from(["N", "V", "D"]),
    "integers": st.integers(0, 3),
    "one class": st.just("N"),
    "signs": st.sampled_from([-1, 1]),
    "mixed": st.sampled_from(["N", 1, 2.5, None, np.nan]),
}
# Many have one token or none.
LENGTH = st.sampled_from([0, 1, 1, 2, 2, 3, 3, 4, 7])


@st.composite
def batches(draw, kind, tokens, max_size=6):
    """A list of sequences or pairs, or the rows of a table, of one kind of tokens."""
    if kind == "table":
        cell = TOKENS[tokens]
        width = draw(st.sampled_from([3, 3, 3, 2, 1]))
        row = st.lists(cell, min_size=width, max_size=width)
        rows = draw(st.lists(row, min_size=1, max_size=10))
        return _spoil(draw, rows, ODD_TOKENS)
    sides = 2 if kind == "pairs" else 1
    lengths = draw(st.lists(st.tuples(*[LENGTH] * sides), max_size=max_size))
    samples = []
    for sample in lengths:
        parts = [draw(st.lists(TOKENS[tokens], min_size=n, max_size=n)) for n in sample]
        samples.append(tuple(parts) if sides > 1 else parts[0])
    if kind == "pairs":
        for sample in samples[:1]:
            _spoil(draw, [sample[0]], ODD_TOKENS)
        return samples
    return _spoil(draw, samples, ODD_NUMBERS if "number" in tokens else ODD_TOKENS)


def _spoil(draw, samples, odd):
    """Put something odd in one place, in a few batches."""
    full = [sample for sample in samples if len(sample)]
    if full and draw(st.integers(0, 7)) == 7:
        sample = draw(st.sampled_from(full))
        sample[draw(st.integers(0, len(sample) - 1))] = draw(st.sampled_from(odd))
    return samples


@st.composite
def problems(draw, kind):
    """What fit takes, what predict takes later, and how both are handed over.

    Gives (form, X, y, sample_weight, new); ``form`` turns lists into a batch.
    """
    tokens = draw(st.sampled_from(READ.get(kind, [*READ["words"], "counts"])))
    X = draw(batches(kind, tokens))
    later = draw(st.sampled_from([tokens, tokens, tokens, "text", "mixed", "vectors"]))
    new = draw(batches(kind, later, max_size=3))
    y = draw(_labels(X)) if kind in ("words", "numbers", "labelled") else None
    if kind != "labelled" and draw(st.booleans()):
        y = None
    form = draw(st.sampled_from(forms(kind)))
    return form, X, y, draw(_weights(len(X))), new


@st.composite
def _labels(draw, X):
    label = LABELS[draw(st.sampled_from(["names", "integers", *LABELS]))]
    y = [draw(st.lists(label, min_size=len(x), max_size=len(x))) for x in X]
    if y and draw(st.integers(0, 15)) == 15:
        y[-1] = [*y[-1], "N"]
    return y


def _weights(n):
    none = st.none()
    good = st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n)
    odd = st.sampled_from([0.0, -1.0, np.nan, np.inf, 1e200, 1e-200])
    bad = st.lists(odd, min_size=n, max_size=n + 1)
    return st.one_of(none, none, none, good, good, bad)


def _objects(X):
    out = np.empty(len(X), dtype=object)
    out[:] = X
    return out


def forms(kind):
    """Functions from lists to all that users may hold such data in."""
    if kind == "table":
        return [_table, pd.DataFrame, Ragged]
    return [
        list,
        list,
        tuple,
        _objects,
        pd.Series,
        Bitext if kind == "pairs" else Ragged,
    ]


def _table(rows):
    out = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            out[i, j] = cell
    return out


def options(case):
    """Parameters of a case: some of its options, the others by default."""
    return st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(v) for name, v in case.options.items()}
    )

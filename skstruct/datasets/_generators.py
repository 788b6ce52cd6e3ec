"""Synthetic sequences from hidden Markov models, with their states."""

from bisect import bisect_right
from itertools import pairwise
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skstruct.containers import Ragged
from skstruct.containers._batch import offsets_of

__all__ = [
    "make_gaussian_hmm_sequences",
    "make_hmm_sequences",
    "make_regime_series",
]


def make_hmm_sequences(
    n_sequences=100,
    *,
    n_states=None,
    n_symbols=None,
    length=20,
    startprob=None,
    transmat=None,
    emissionprob=None,
    concentration=0.05,
    random_state=None,
):
    r"""Draw sequences of symbols from a hidden Markov model.

    .. math::
        y_1 \sim \pi, \quad y_t \sim A_{y_{t-1}}, \quad x_t \sim B_{y_t}

    Parts that are not given are drawn. :math:`\pi` is uniform; state k prefers state
    k + 1 (the last one state 0) as its successor; rows of :math:`B` are sparse. So
    states have distinct symbols and habits and can be learnt from the symbols.

    Parameters
    ----------
    n_sequences : int, default=100
        Number of sequences.
    n_states : int, default=None
        Number of states K. None: what the arrays imply, else 4.
    n_symbols : int, default=None
        Number of symbols V. None: what ``emissionprob`` implies, else 50.
    length : int or tuple (low, high), default=20
        Tokens of a sequence; of a pair, drawn uniformly from low to high inclusive.
    startprob : array-like of shape (K,), default=None
        Distribution of the first state.
    transmat : array-like of shape (K, K), default=None
        Row k: distribution of the state after state k.
    emissionprob : array-like of shape (K, V), default=None
        Row k: distribution of the symbol in state k.
    concentration : float, default=0.05
        Dirichlet concentration of drawn rows of ``emissionprob``, at least 0.01; the
        smaller, the fewer symbols states share.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.

    Returns
    -------
    X : Ragged of int
        Symbols from 0 to V - 1.
    y : Ragged of int
        States from 0 to K - 1.

    Raises
    ------
    ValueError
        If an array has the wrong shape, negative entries or rows that do not sum to
        one, or a number is out of its range; the message names the parameter.

    Examples
    --------
    >>> from skstruct.datasets import make_hmm_sequences
    >>> X, y = make_hmm_sequences(
    ...     2,
    ...     length=3,
    ...     transmat=[[0, 1], [1, 0]],
    ...     emissionprob=[[1, 0], [0, 1]],
    ...     startprob=[1, 0],
    ...     random_state=0,
    ... )
    >>> [x.tolist() for x in X]
    [[0, 1, 0], [0, 1, 0]]
    """
    _check_int("n_sequences", n_sequences)
    _check_real("concentration", concentration, 0.01)
    rng = check_random_state(random_state)
    shapes = [np.shape(a) for a in (startprob, transmat, emissionprob)]
    n_states = _implied("n_states", n_states, 4, *(shape[:1] for shape in shapes))
    n_symbols = _implied("n_symbols", n_symbols, 50, shapes[-1][1:])
    lengths = _draw_lengths(length, n_sequences, rng)
    start = np.full(n_states, 1 / n_states) if startprob is None else startprob
    if transmat is None:
        # Without habits, the order of symbols would say nothing about their states.
        cycle = np.roll(np.eye(n_states), 1, axis=1)
        transmat = 0.6 * cycle + 0.4 * rng.dirichlet(np.ones(n_states), n_states)
    if emissionprob is None:
        # The least positive number keeps rows whose draws underflow from being 0 / 0.
        emissionprob = rng.standard_gamma(concentration, (n_states, n_symbols))
        emissionprob += np.finfo(float).tiny
        emissionprob /= emissionprob.sum(axis=1, keepdims=True)
    start = _check_rows("startprob", start, (n_states,))
    transmat = _check_rows("transmat", transmat, (n_states, n_states))
    emissionprob = _check_rows("emissionprob", emissionprob, (n_states, n_symbols))

    states = _sample_chain(start, transmat, lengths, rng)
    symbols = np.empty(len(states), dtype=np.intp)
    uniform = rng.uniform(size=len(states))
    for state, row in enumerate(_cumulative(emissionprob)):
        here = states == state
        symbols[here] = np.searchsorted(row, uniform[here], side="right")
    return Ragged.from_lengths(symbols, lengths), Ragged.from_lengths(states, lengths)


def make_gaussian_hmm_sequences(
    n_sequences=10,
    *,
    n_states=3,
    n_features=2,
    length=100,
    separation=4.0,
    stay=0.9,
    random_state=None,
):
    """Draw numeric sequences from a hidden Markov model with Gaussian states.

    A state keeps with probability ``stay``, otherwise it changes to any other one.
    Observations are spherical Gaussians of unit variance around the mean of the state.

    Parameters
    ----------
    n_sequences : int, default=10
        Number of sequences.
    n_states : int, default=3
        Number of states.
    n_features : int, default=2
        Number of columns d.
    length : int or tuple (low, high), default=100
        Steps of a sequence; of a pair, drawn uniformly from low to high inclusive.
    separation : float, default=4.0
        Least distance between two means, in standard deviations.
    stay : float, default=0.9
        Probability of staying in a state, from 0 to 1.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.

    Returns
    -------
    X : Ragged of float, sequences of shape (T, d)
        Observations.
    y : Ragged of int
        States from 0 to ``n_states - 1``.

    Raises
    ------
    ValueError
        If a number is out of its range; the message names the parameter.

    Examples
    --------
    >>> from skstruct.datasets import make_gaussian_hmm_sequences
    >>> X, y = make_gaussian_hmm_sequences(3, length=(50, 60), random_state=0)
    >>> X
    Ragged(3 sequences, 158 tokens, float64 x 2)
    """
    _check_int("n_sequences", n_sequences)
    _check_int("n_states", n_states)
    _check_int("n_features", n_features)
    _check_real("separation", separation, 0)
    _check_real("stay", stay, 0, 1)
    rng = check_random_state(random_state)
    lengths = _draw_lengths(length, n_sequences, rng)
    # The first column alone keeps any two means apart.
    means = separation * rng.normal(size=(n_states, n_features))
    means[:, 0] = separation * rng.permutation(n_states)
    transmat = np.full((n_states, n_states), (1 - stay) / max(n_states - 1, 1))
    np.fill_diagonal(transmat, stay if n_states > 1 else 1.0)
    states = _sample_chain(np.full(n_states, 1 / n_states), transmat, lengths, rng)
    values = means[states] + rng.normal(size=(len(states), n_features))
    return Ragged.from_lengths(values, lengths), Ragged.from_lengths(states, lengths)


def make_regime_series(n_steps=1000, *, as_frame=False, random_state=None):
    """Draw a daily market series that moves between three hidden regimes.

    Calm times (0) last 50 days on average, volatile ones (1) 20, shocks (2) 5. Returns
    hardly differ in their mean but do in their spread, and trading grows with unrest.

    Parameters
    ----------
    n_steps : int, default=1000
        Number of days.
    as_frame : bool, default=False
        Whether to return one pandas DataFrame.
    random_state : int, RandomState instance or None, default=None
        Seed of all draws.

    Returns
    -------
    values : ndarray of shape (n_steps, 2)
        Return in percent and logarithm of the volume, relative to calm days.
    states : ndarray of int of shape (n_steps,)
        Regimes 0, 1 and 2.
    frame : DataFrame
        In place of both, with ``as_frame``: columns ``return``, ``log_volume`` and
        ``regime`` ("calm", "volatile", "shock"), a row for each ``day``.

    Raises
    ------
    ValueError
        If ``n_steps`` is below 1.
    ImportError
        If ``as_frame`` is asked for without pandas (the extra ``plot``).

    Examples
    --------
    >>> from skstruct.datasets import make_regime_series
    >>> frame = make_regime_series(500, as_frame=True, random_state=0)
    >>> list(frame.columns)
    ['return', 'log_volume', 'regime']
    >>> values, states = make_regime_series(500, random_state=0)
    >>> values.shape, states.shape
    ((500, 2), (500,))
    """
    _check_int("n_steps", n_steps)
    rng = check_random_state(random_state)
    transmat = np.array([[0.98, 0.018, 0.002], [0.04, 0.95, 0.01], [0.05, 0.15, 0.8]])
    means = np.array([[0.05, 0.0], [-0.05, 0.4], [-1.5, 1.2]])
    scales = np.array([[0.5, 0.2], [1.5, 0.25], [4.0, 0.3]])
    states = _sample_chain(np.array([1.0, 0.0, 0.0]), transmat, [n_steps], rng)
    values = means[states] + scales[states] * rng.normal(size=(n_steps, 2))
    if not as_frame:
        return values, states
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "make_regime_series(as_frame=True) needs pandas, which comes with "
            "`pip install 'skstruct[plot]'`."
        ) from error
    frame = pd.DataFrame(values, columns=["return", "log_volume"])
    frame["regime"] = np.array(["calm", "volatile", "shock"])[states]
    return frame.rename_axis(index="day")


def _check_int(name, value):
    check_scalar(value, name, Integral, min_val=1)


def _check_real(name, value, low, high=None):
    check_scalar(value, name, Real, min_val=low, max_val=high)
    if not np.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value}.")


def _implied(name, value, default, *shapes):
    """The size given, or the one that shapes of arrays imply, or the default."""
    sizes = [size for shape in shapes for size in shape]
    value = (sizes[0] if sizes else default) if value is None else value
    _check_int(name, value)
    return value


def _draw_lengths(length, n, rng):
    bounds = (length, length) if isinstance(length, Integral) else length
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise ValueError(
            f"length must be an integer or a pair (low, high), got {length!r}."
        ) from None
    check_scalar(low, "length", Integral, min_val=0)
    check_scalar(high, "length", Integral, min_val=low)
    return rng.randint(low, high + 1, size=n)


def _check_rows(name, array, shape):
    """Distributions in the rows of a float array."""
    array = np.asarray(array, dtype=float)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}.")
    if not (array >= 0).all():
        raise ValueError(f"{name} must hold probabilities; some are negative or NaN.")
    sums = np.atleast_1d(array.sum(axis=-1))
    wrong = np.flatnonzero(np.abs(sums - 1) > 1e-6)
    if wrong.size:
        raise ValueError(
            f"Rows of {name} must sum to one; row {wrong[0]} sums to "
            f"{sums[wrong[0]]:.6g}."
        )
    return array


def _cumulative(rows):
    """Cumulative distributions that end in exactly one at the last possible outcome.

    Otherwise a draw above a sum of 1 - 1e-16 would give an impossible outcome.
    """
    sums = np.cumsum(rows, axis=-1)
    return sums / sums[..., -1:]


def _sample_chain(startprob, transmat, lengths, rng):
    """States of Markov chains, one after the other, shape (sum of lengths,)."""
    start, rows = _cumulative(startprob).tolist(), _cumulative(transmat).tolist()
    offsets = offsets_of(lengths)
    uniform = rng.uniform(size=offsets[-1]).tolist()
    states = []
    for begin, end in pairwise(offsets.tolist()):
        row = start
        for u in uniform[begin:end]:
            state = bisect_right(row, u)
            states.append(state)
            row = rows[state]
    return np.array(states, dtype=np.intp)

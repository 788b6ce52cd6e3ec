"""The contract of emissions: p(observation | state)."""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

__all__ = [
    "Emission",
    "Observations",
    "plain",
    "probability_rows",
    "real_array",
]


class Observations(NamedTuple):
    """Tokens as an index into distinct observations.

    Attributes
    ----------
    index : ndarray of shape (T,), dtype intp
        The row that each token reads.
    rows : ndarray of shape (U, ...)
        Distinct observations, in the form that the emission's ``table`` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.emissions import Observations
    >>> seen = Observations(np.array([0, 1, 0]), np.array([2.5, 7.0]))
    >>> seen.rows[seen.index]
    array([2.5, 7. , 2.5])
    """

    index: np.ndarray
    rows: np.ndarray

    def in_use(self):
        """The same tokens, without the rows that none of them reads.

        Worth the search where tokens are few: a sentence among 50,000 symbols.
        """
        if 4 * len(self.index) > len(self.rows):
            return self
        used, index = np.unique(self.index, return_inverse=True)
        return Observations(index, self.rows[used])


def plain(token):
    """Return a token as error messages should print it: 5, not np.int64(5)."""
    return token.item() if isinstance(token, np.generic) else token


def real_array(values, parameter):
    """Copy start values of a parameter as floats, or raise an error that names it."""
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{parameter} must be a rectangular array of numbers ({error})."
        ) from error


def probability_rows(values, shape, parameter):
    """Copy start probabilities, or raise an error that names their parameter."""
    p = real_array(values, parameter)
    if p.shape != shape:
        raise ValueError(f"{parameter} must have shape {shape}, got {p.shape}.")
    sums = p.sum(axis=-1)
    if not ((p >= 0).all() and np.allclose(sums, 1.0)):
        raise ValueError(
            f"{parameter} must hold probabilities: no negative or missing entries, "
            f"rows that sum to one; they sum to {sums.min():.6g} .. {sums.max():.6g}."
        )
    return p


class Emission(BaseEstimator, ABC):
    r"""Distribution :math:`p_\theta(x \mid y)` of an observation given its state.

    A hidden Markov model emits its tokens by one, a CRF autoencoder reconstructs a
    transformed token by one. Fitting calls, in this order::

        observations = emission.encode(values, reset=True)
        emission.initialize(observations, n_states, rng, allowed=...)
        repeat:
            log_potentials = emission.table(observations.rows)        # (U, K)
            statistics = emission.statistics(observations.rows, counts)
            emission.m_step(statistics)

    ``counts`` (U, K) are expected numbers of tokens. Statistics are tuples of arrays
    that may be added, averaged and scaled, which is what stepwise EM does with them;
    it goes on from a fitted model by ``expected_statistics``.
    ``__init__`` only stores parameters; a fitting estimator works on a clone.

    Attributes
    ----------
    states_last : bool, default=False
        Whether the parameter ``init``, from which estimators read the number of
        states, has states along its last axis, not the first. Set by the class.

    Notes
    -----
    ``AnnealedHMM(solver="lbfgs")`` climbs the likelihood itself. It needs emissions
    whose parameters are free real weights, which have besides

    ``coef_`` : ndarray
        The weights, of any shape.
    ``set_coef(coef)``
        Sets weights of the same shape, which may be kept without a copy, and all that
        follows from them.
    ``gradient(statistics)`` : ndarray of the shape of ``coef_``
        Slope at ``coef_`` of the expected log-likelihood and ``log_prior()``, of what
        ``statistics`` returned.

    An emission without ``gradient`` is refused there; EM asks for none of the three.

    Examples
    --------
    One M-step from counts in which state 0 has all of "a":

    >>> import numpy as np
    >>> from skstruct.emissions import Categorical
    >>> emission = Categorical()
    >>> tokens = np.array(["a", "b", "a"], dtype=object)
    >>> observations = emission.encode(tokens, reset=True)
    >>> emission.initialize(observations, 2, np.random.RandomState(0))
    >>> counts = np.array([[2.0, 0.0], [0.5, 0.5], [0.0, 0.0]])  # last, unknown symbols
    >>> emission.m_step(emission.statistics(observations.rows, counts))
    >>> np.exp(emission.table(observations.rows))[:2].round(2)
    array([[0.8, 0. ],
           [0.2, 1. ]])
    """

    # Parameters that stepwise EM may take over between batches.
    _may_change: ClassVar = ()
    states_last: ClassVar = False

    def _check_parameters(self):
        """Raise for values of parameters that make no sense."""

    @abstractmethod
    def encode(self, values, *, reset=False, offsets=None):
        """Read tokens; with ``reset``, learn what there is to know of them first.

        Parameters
        ----------
        values : ndarray of shape (T,) or (T, d)
            Tokens of all sequences.
        reset : bool, default=False
            Learn the vocabulary or the number of features. Otherwise values are read
            with what was learnt, and bad ones raise.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, so that errors name the sample and its position.

        Returns
        -------
        Observations
        """

    def extend(self, values, *, offsets=None, allowed=None):
        """Learn what is new in more tokens, for fitting in steps.

        Axes of parameters and statistics may grow, at their ends: older statistics
        are padded with zeros. ``allowed`` is a function of new symbols: the states
        that may emit each, bool of shape (n_new, K).
        """

    def allow(self, allowed):
        """Let states emit more rows, (U, K), than at the start; None is all.

        For emissions that keep what ``initialize`` was told of it.
        """

    @abstractmethod
    def initialize(self, observations, n_states, random_state, *, allowed=None):
        """Set start parameters.

        Parameters
        ----------
        observations : Observations
            What ``encode`` returned.
        n_states : int
            Number of states K.
        random_state : RandomState or None
            Where the start is random; None asks for the uniform start.
        allowed : ndarray of bool of shape (U, K), default=None
            States that may emit each row.
        """

    @abstractmethod
    def table(self, rows):
        """Log-probability of each row under each state, shape (U, K)."""

    @abstractmethod
    def statistics(self, rows, counts):
        """Additive sufficient statistics of expected counts (U, K), a tuple."""

    @abstractmethod
    def m_step(self, statistics):
        """Set the parameters that maximise the expected log-likelihood."""

    @abstractmethod
    def expected_statistics(self, mass):
        """Statistics whose M-step gives the present parameters, to go on from them.

        Parameters
        ----------
        mass : ndarray of shape (K,)
            Expected number of tokens of each state. Pseudo-counts are taken off, which
            is exact for the mass of the last M-step; without them any mass will do.

        Returns
        -------
        tuple of ndarray
            As ``statistics`` returns; nothing counts as missing.
        """

    def log_prior(self):
        """Log-prior of the parameters that EM's objective counts in."""
        return 0.0

    @abstractmethod
    def sample(self, states, random_state):
        """Draw an observation for each state, shape (T,) or (T, d)."""

    @abstractmethod
    def reorder(self, order):
        """Renumber states: new state ``i`` is the old state ``order[i]``."""

    @abstractmethod
    def perturb(self, amount, random_state):
        """Shake the parameters by about a share ``amount``, to break symmetry."""

    def sort_key(self):
        """Give a number for each state that sets a stable order, or None."""
        return None

    @property
    @abstractmethod
    def n_parameters(self):
        """Number of free parameters, for AIC and BIC."""

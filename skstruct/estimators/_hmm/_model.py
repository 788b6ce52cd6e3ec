"""The hidden Markov model behind the estimator: parameters, potentials, M-step."""

import copy

import numpy as np

from skstruct.estimators._hmm._stationary import long_run
from skstruct.structures import Chain, Potentials, SecondOrderChain

__all__ = ["STRUCTURES", "HiddenMarkovModel", "TaggedBatch", "reordered"]

STRUCTURES = {1: Chain, 2: SecondOrderChain}


def reordered(array, order):
    """The array with the states of all of its axes renumbered."""
    return array[np.ix_(*[order] * array.ndim)]


class TaggedBatch:
    """Tokens of a batch, the rows they read and the states they may take.

    Parameters
    ----------
    structure : type
        `Chain` or `SecondOrderChain`.
    offsets : ndarray of shape (n + 1,)
        Where sequences begin.
    observations : Observations
        Of the emission.
    allowed : ndarray of bool of shape (U, K) or None
        States that each row may take.
    labels : ndarray of shape (T,) or None
        States that hold, -1 where unknown; they win over ``allowed``.
    n_states : int
        K.
    """

    def __init__(self, structure, offsets, observations, allowed, labels, n_states):
        self.rows = observations.rows
        self.base, self._allowed_rows = None, allowed
        index = observations.index
        if labels is not None and (labels >= 0).any():
            index, allowed = self._split_rows(index, allowed, labels, n_states)
        self.allowed = allowed
        self.chain = structure(offsets, index, allowed=allowed)

    def _split_rows(self, index, allowed, labels, n_states):
        """One row for each pair of observation and label."""
        codes = index * (n_states + 1) + labels + 1
        distinct, index = np.unique(codes, return_inverse=True)
        self.base, label = np.divmod(distinct, n_states + 1)
        free = np.ones((len(distinct), n_states), dtype=bool)
        if allowed is not None:
            free = allowed[self.base]
        given = label > 0
        free[given] = label[given, None] - 1 == np.arange(n_states)
        return index, free

    def emitted(self):
        """States that may emit each row of the emission, or None for all."""
        # A label says what one token is, not what its symbol must be elsewhere; a
        # numeric row is its token, and labels tell where the states are.
        symbols = self.rows.ndim == 1
        if self.base is None or (symbols and self._allowed_rows is None):
            return self._allowed_rows
        out = self._gathered(np.logical_or, self.allowed)
        return out | self._allowed_rows if symbols else out

    def spread(self, potentials):
        """Potentials of the emission's rows as the chain reads them."""
        if self.base is None:
            return potentials
        return potentials._replace(node=potentials.node[self.base])

    def counts(self, node):
        """The chain's expected counts as the emission reads them."""
        return node if self.base is None else self._gathered(np.add, node)

    def _gathered(self, ufunc, table):
        """The chain's rows of each row of the emission as one."""
        out = np.zeros((len(self.rows), table.shape[1]), dtype=table.dtype)
        ufunc.at(out, self.base, table)
        return out


class HiddenMarkovModel:
    """Parameters of a hidden Markov model of first or second order.

    Parameters
    ----------
    start : ndarray of shape (K,)
        Probabilities of the first state.
    transmat : ndarray of shape (K, K) or (K, K, K)
        Probabilities of the next state given the last one or two.
    second : ndarray of shape (K, K) or None
        Second order: probabilities of the second state given the first.
    emission : Emission
        Initialised.
    alpha : float
        Pseudo-count of every start and transition that is possible at first.
    fixed : collection of str
        Parts that the M-step leaves alone: "startprob", "transmat", "emission".
    """

    def __init__(self, start, transmat, second, emission, alpha, fixed):
        self.start, self.transmat, self.second = start, transmat, second
        self.emission = emission
        self.alpha = alpha
        self.fixed = fixed
        self._possible = [p > 0 for p in self._tables()]

    def _tables(self):
        """Probabilities of start and transitions, as `_transitions` counts them."""
        tables = [self.start, self.transmat]
        return tables if self.second is None else [*tables, self.second]

    @property
    def n_states(self):
        return len(self.start)

    @property
    def order(self):
        return self.transmat.ndim - 1

    def copy(self):
        """An independent copy."""
        return copy.deepcopy(self)

    def potentials(self, rows):
        """Log-potentials, one node row for each row of the emission."""
        with np.errstate(divide="ignore"):
            return Potentials(
                self.emission.table(rows),
                np.log(self.transmat),
                np.log(self.start),
                second=None if self.second is None else np.log(self.second),
            )

    def statistics(self, batch, posterior):
        """Additive sufficient statistics of a batch's posterior, a flat list."""
        counts = batch.counts(posterior.node)
        return [
            *self._transitions(posterior),
            *self.emission.statistics(batch.rows, counts),
        ]

    def totals(self, posterior):
        """Start and transition counts over their last axis; tokens of each state."""
        rows = [counts.sum(axis=-1) for counts in self._transitions(posterior)]
        return [*rows, posterior.node.sum(axis=0)]

    def expected_statistics(self, totals):
        """Statistics of these totals whose M-step gives the present parameters."""
        *rows, mass = totals
        chain = [
            np.maximum((n + self.alpha * may.sum(-1))[..., None] * p - self.alpha, 0.0)
            for n, p, may in zip(rows, self._tables(), self._possible, strict=True)
        ]
        return [*chain, *self.emission.expected_statistics(mass)]

    def _transitions(self, posterior):
        """Expected counts of start and transitions, as `m_step` takes them."""
        chain = [posterior.start, posterior.edge]
        return chain if self.second is None else [*chain, posterior.second]

    def m_step(self, statistics):
        """Set the parameters that maximise the expected log-likelihood."""
        n = len(self._possible)
        tables = zip(statistics[:n], self._possible, self._tables(), strict=True)
        start, transmat, *second = [self._normalised(*table) for table in tables]
        if "startprob" not in self.fixed:
            self.start = start
        if "transmat" not in self.fixed:
            self.transmat = transmat
            self.second = second[0] if second else None
        if "emission" not in self.fixed:
            self.emission.m_step(tuple(statistics[n:]))

    def _normalised(self, counts, possible, old):
        """Rows of counts as probabilities; a row without counts stays as it was."""
        counts = counts + self.alpha * possible
        total = counts.sum(axis=-1, keepdims=True)
        return np.where(total > 0, counts / np.where(total > 0, total, 1.0), old)

    def log_prior(self):
        """Log-prior of the parameters that the M-step moves."""
        total = 0.0 if "emission" in self.fixed else self.emission.log_prior()
        if self.alpha > 0:
            names = ("startprob", "transmat", "transmat")
            for name, p, may in zip(
                names, self._tables(), self._possible, strict=False
            ):
                if name not in self.fixed:
                    total += self.alpha * np.log(p[may]).sum()
        return total

    def perturb(self, amount, random_state):
        """Multiply every probability by a factor in [1, 1 + amount]."""

        def shaken(p):
            p = p * (1 + amount * random_state.uniform(size=p.shape))
            return p / p.sum(axis=-1, keepdims=True)

        if "startprob" not in self.fixed:
            self.start = shaken(self.start)
        if "transmat" not in self.fixed:
            self.transmat = shaken(self.transmat)
            self.second = None if self.second is None else shaken(self.second)
        if "emission" not in self.fixed:
            self.emission.perturb(amount, random_state)

    def reorder(self, order):
        """Renumber states: new state ``i`` is the old state ``order[i]``."""
        self.start = reordered(self.start, order)
        self.transmat = reordered(self.transmat, order)
        if self.second is not None:
            self.second = reordered(self.second, order)
        self._possible = [reordered(may, order) for may in self._possible]
        self.emission.reorder(order)

    def sample_states(self, offsets, random_state):
        """Draw the states of sequences with the given offsets, shape (T,)."""
        states = np.zeros(offsets[-1], dtype=np.intp)
        lengths = np.diff(offsets)
        uniforms = random_state.uniform(size=offsets[-1])
        for t in range(lengths.max(initial=0)):
            here = offsets[:-1][lengths > t] + t
            if t == 0:
                rows = np.broadcast_to(self.start, (len(here), self.n_states))
            elif t == 1 and self.second is not None:
                rows = self.second[states[here - 1]]
            else:
                before = (states[here - lag] for lag in range(self.order, 0, -1))
                rows = self.transmat[tuple(before)]
            cumulative = np.cumsum(rows, axis=1)
            drawn = uniforms[here, None] * cumulative[:, -1:] >= cumulative
            states[here] = drawn.sum(axis=1)
        return states

    def stationary_distribution(self):
        """Long-run share of each state, shape (K,)."""
        if self.second is None:
            return long_run(self.start, self.transmat)
        K, middle = self.n_states, np.arange(self.n_states)
        pairs = np.zeros((K, K, K, K))
        pairs[:, middle, middle] = self.transmat
        joint = self.start[:, None] * self.second
        shares = long_run(joint.ravel(), pairs.reshape(K**2, K**2))
        return shares.reshape(K, K).sum(axis=0)

    def n_parameters(self):
        """Free parameters of the parts that are not fixed."""
        K, total = self.n_states, 0
        if "startprob" not in self.fixed:
            total += K - 1
        if "transmat" not in self.fixed:
            total += self.transmat.size // K * (K - 1)
            total += 0 if self.second is None else K * (K - 1)
        return total + (0 if "emission" in self.fixed else self.emission.n_parameters)

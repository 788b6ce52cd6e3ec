"""The hidden Markov model behind the estimator: parameters, potentials, M-step."""

import copy

import numpy as np

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

    def emitted(self, n_states):
        """States that may emit each row of the emission, or None for all."""
        # A label says what one token is, not what its symbol must be elsewhere; a
        # numeric row is its token, and labels tell where the states are.
        symbols = self.rows.ndim == 1
        if self.base is None or (symbols and self._allowed_rows is None):
            return self._allowed_rows
        out = np.zeros((len(self.rows), n_states), dtype=bool)
        if symbols:
            out |= self._allowed_rows
        np.logical_or.at(out, self.base, self.allowed)
        return out

    def table(self, node):
        """The emission's table as the chain reads it."""
        return node if self.base is None else node[self.base]

    def counts(self, node):
        """The chain's expected counts as the emission reads them."""
        if self.base is None:
            return node
        out = np.zeros((len(self.rows), node.shape[1]))
        np.add.at(out, self.base, node)
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
        Pseudo-count of every start and transition.
    fixed : collection of str
        Parts that the M-step leaves alone: "startprob", "transmat", "emission".
    """

    def __init__(self, start, transmat, second, emission, alpha, fixed):
        self.start, self.transmat, self.second = start, transmat, second
        self.emission = emission
        self.alpha = alpha
        self.fixed = fixed

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
        parts = [self.start, self.transmat]
        if self.second is not None:
            parts.append(self.second)
        smoothed = [
            (n + self.alpha * self.n_states)[..., None] * p
            for n, p in zip(rows, parts, strict=True)
        ]
        chain = [np.maximum(counts - self.alpha, 0.0) for counts in smoothed]
        return [*chain, *self.emission.expected_statistics(mass)]

    def _transitions(self, posterior):
        """Expected counts of start and transitions, as `m_step` takes them."""
        chain = [posterior.start, posterior.edge]
        return chain if self.second is None else [*chain, posterior.second]

    def m_step(self, statistics):
        """Set the parameters that maximise the expected log-likelihood."""
        start, edge, *rest = statistics
        if "startprob" not in self.fixed:
            self.start = self._normalised(start, self.start)
        if self.second is not None:
            second, *rest = rest
        if "transmat" not in self.fixed:
            self.transmat = self._normalised(edge, self.transmat)
            if self.second is not None:
                self.second = self._normalised(second, self.second)
        if "emission" not in self.fixed:
            self.emission.m_step(tuple(rest))

    def _normalised(self, counts, old):
        """Rows of counts as probabilities; a row without counts stays as it was."""
        counts = counts + self.alpha
        total = counts.sum(axis=-1, keepdims=True)
        return np.where(total > 0, counts / np.where(total > 0, total, 1.0), old)

    def log_prior(self):
        """Log-prior of the parameters that the M-step moves."""
        parts = [self.start] if "startprob" not in self.fixed else []
        if "transmat" not in self.fixed:
            parts += [self.transmat] + ([] if self.second is None else [self.second])
        total = 0.0 if "emission" in self.fixed else self.emission.log_prior()
        if self.alpha > 0:
            with np.errstate(divide="ignore"):
                total += self.alpha * sum(np.log(p).sum() for p in parts)
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
        """Long-run share of each state, shape (K,), by repeated steps.

        Each step is averaged with staying, so that cycles die out; of several
        recurrent classes the start decides.
        """
        joint = self.start
        if self.second is not None:
            joint = self.start[:, None] * self.second
        for _ in range(100_000):
            step = (joint[..., None] * self.transmat).sum(axis=0)
            ahead = 0.5 * (joint + step)
            if np.abs(ahead - joint).max() < 1e-14:
                break
            joint = ahead
        return joint if self.second is None else joint.sum(axis=0)

    def n_parameters(self):
        """Free parameters of the parts that are not fixed."""
        K, total = self.n_states, 0
        if "startprob" not in self.fixed:
            total += K - 1
        if "transmat" not in self.fixed:
            total += self.transmat.size // K * (K - 1)
            total += 0 if self.second is None else K * (K - 1)
        return total + (0 if "emission" in self.fixed else self.emission.n_parameters)

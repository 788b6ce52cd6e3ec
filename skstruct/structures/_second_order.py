"""Second-order chains: trigram hidden Markov models."""

from typing import NamedTuple

import numpy as np
from numba import njit

from skstruct.containers import gather
from skstruct.kernels._threads import chunks, run_chunks
from skstruct.structures._base import Posterior, Potentials, sum_by_sequence
from skstruct.structures._chain import Chain
from skstruct.structures._chain_parts import scaled_exp, scaled_rows
from skstruct.structures._second_order_sums import (
    filtered,
    log_space_sums,
    scaled_sums,
)
from skstruct.structures._support import Support

__all__ = ["SecondOrderChain"]


@njit(cache=True, nogil=True)
def _viterbi(rows, tokens, states, values, table, stop, pair, back, path, score):
    """Max-plus forward pass; ties go to the first pair of states."""
    at = 0
    for s in range(len(rows)):
        begin, end = rows[s, 0], rows[s, 1]
        if begin == end:
            continue
        alpha, after = pair[0], pair[1]
        alpha[0, 0] = 0.0
        for t in range(begin, end):
            pu, pv, pw = tokens[t - 2, 0], tokens[t - 1, 0], tokens[t, 0]
            for v in range(tokens[t - 1, 1]):
                for w in range(tokens[t, 1]):
                    sv, sw = states[pv + v], states[pw + w]
                    best, arg = -np.inf, 0
                    for u in range(tokens[t - 2, 1]):
                        x = alpha[u, v] + table[states[pu + u], sv, sw]
                        if x > best:
                            best, arg = x, u
                    after[v, w] = best + values[tokens[t, 2] + w]
                    back[t - begin, v, w] = arg
            alpha, after = after, alpha
        best, v, w = -np.inf, 0, 0
        for a in range(tokens[end - 2, 1]):
            for b in range(tokens[end - 1, 1]):
                x = alpha[a, b] + stop[states[tokens[end - 1, 0] + b]]
                if x > best:
                    best, v, w = x, a, b
        score[s] = best
        for t in range(end - 1, begin - 1, -1):
            path[at + t - begin] = states[tokens[t, 0] + w]
            v, w = back[t - begin, v, w], v
        at += end - begin


class _Layout(NamedTuple):
    """Where the kernels find what a token reads; see _second_order_sums."""

    rows: np.ndarray  # (n, 2): first and last + 1 row of each sequence in tokens
    tokens: np.ndarray
    states: np.ndarray
    marginal_value: np.ndarray  # the value behind each token's marginals
    support: Support


class SecondOrderChain:
    r"""A batch of second-order chains over K states, with exact inference.

    .. math:: p(y) \propto \exp\Big(s_{y_1} + d_{y_1, y_2} + \sum_t n_{u_t, y_t}
        + \sum_{t>2} e_{y_{t-2}, y_{t-1}, y_t} + r_{y_T}\Big)

    with log-potentials n (a table; token t reads row :math:`u_t`), e (K, K, K), s, d
    (the ``second``) and r.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Sequence i is tokens ``offsets[i]:offsets[i + 1]``; empty ones are allowed.
    index : ndarray of shape (T,)
        Row of the node table that each token reads.
    allowed : ndarray of bool of shape (U, K), default=None
        States that the tokens of each row may take; None: all. Only these are visited,
        which makes 50 states feasible where a word has three.

    Notes
    -----
    Every verb takes `Potentials` in log space; ``-inf`` forbids. Time is that of the
    allowed triples, memory O(T A + L A^2 + K^3), A being the most states of a token
    and L the longest sequence. Results do not depend on ``n_jobs``.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, SecondOrderChain
    >>> chain = SecondOrderChain([0, 3], [0, 0, 0])
    >>> p = Potentials(np.zeros((1, 2)), np.zeros((2, 2, 2)))
    >>> np.exp(chain.log_partition(p)).round(6)
    array([8.])
    """

    def __init__(self, offsets, index, *, allowed=None):
        self.offsets = np.ascontiguousarray(offsets, dtype=np.intp)
        self.index = np.ascontiguousarray(index, dtype=np.intp)
        self.support = None if allowed is None else Support(allowed)
        self._chunks = chunks(self.offsets, max(1 << 15, len(self.index) // 16 + 1))
        self._layout = None

    def __len__(self):
        return len(self.offsets) - 1

    def log_partition(self, potentials, *, n_jobs=None):
        """Log-partition of each sequence, shape (n,).

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        ndarray of shape (n,)
            0 for an empty sequence, ``-inf`` for an impossible one.
        """
        return self.posterior(potentials, n_jobs=n_jobs).log_partition

    def posterior(self, potentials, *, weight=None, n_jobs=None):
        """Log-partitions and expected counts under p(y).

        Parameters
        ----------
        potentials : Potentials
            Log-potentials; ``potentials.power(beta)`` for a tempered posterior.
        weight : ndarray of shape (n,), default=None
            A factor for the counts of each sequence.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        Posterior
            With one row a token in the node table, ``node`` holds the marginals.
        """
        logs = _, table, stop = self._complete(potentials)
        layout, K = self._layout, len(stop)
        weight = np.ones(len(self)) if weight is None else np.array(weight, float)
        scaled, shift = self._scale(potentials.node, table, stop)
        log_z = np.zeros(len(self))
        gamma = np.zeros(layout.tokens[:, 1].sum())

        def do(first, last):
            part = slice(first, last)
            begin = (layout.rows[part], layout.tokens, layout.states)
            scratch = self._scratch(first, last)
            spoiled = True
            while spoiled:
                counts = np.zeros_like(table)
                out = (weight[part], log_z[part], counts, gamma, scratch)
                spoiled = scaled_sums(*begin, *scaled, *out)
            log_z[part] += shift[part]
            log_space_sums(*begin, *logs, *out)
            return counts

        counts = sum(run_chunks(do, self._chunks, n_jobs), np.zeros_like(table))
        return Posterior(
            log_z,
            self._node_counts(gamma),
            edge=counts[:K, :K].copy(),
            start=counts[K, K].copy(),
            stop=self._stop_counts(gamma, K),
            second=counts[K, :K].copy(),
        )

    def argmax(self, potentials):
        """Most probable states.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.

        Returns
        -------
        states : ndarray of shape (T,)
            Ties go to the lower pair of states. Of an impossible sequence, the path of
            allowed states that breaks few forbidden potentials.
        score : ndarray of shape (n,)
            Log-potential of the path; ``-inf`` for an impossible sequence.
        """
        states, score = self._argmax(potentials)
        impossible = np.flatnonzero(np.isneginf(score))
        if impossible.size:
            tokens, offsets = gather(self.offsets, impossible)
            again = SecondOrderChain(offsets, self.index[tokens])
            again.support = self.support
            states[tokens] = again._argmax(potentials.soften())[0]
        return states, score

    def _argmax(self, potentials):
        p = self._complete(potentials)
        states, score = np.zeros(len(self.index), dtype=np.intp), np.zeros(len(self))
        future, _, pair = self._scratch(0, len(self))
        back = np.empty(future.shape, dtype=np.int16)
        _viterbi(*self._layout[:3], *p, pair, back, states, score)
        return states, score

    def score(self, states, potentials):
        """Log-potential of given states, shape (n,).

        Parameters
        ----------
        states : ndarray of shape (T,)
            A state for each token.
        potentials : Potentials
            Log-potentials.

        Returns
        -------
        ndarray of shape (n,)
            Without the log-partition: log p(y) is ``score - log_partition``.
        """
        _, table, stop = self._complete(potentials)
        states = np.asarray(states, dtype=np.intp)
        place = np.arange(len(states)) - np.repeat(self.offsets[:-1], self._lengths)
        v, w = (np.full(len(states), len(stop)) for _ in range(2))
        v[place > 0] = states[np.flatnonzero(place > 0) - 1]
        w[place > 1] = states[np.flatnonzero(place > 1) - 2]
        terms = potentials.node[self.index, states] + table[w, v, states]
        if self.support is not None:
            terms[~self.support.allowed[self.index, states]] = -np.inf
        last = self.offsets[1:][self._lengths > 0] - 1
        terms[last] += stop[states[last]]
        return sum_by_sequence(terms, self.offsets)

    def filter(self, potentials):
        """Distribution of each state given the tokens up to it, shape (T, K)."""
        values, table, stop = self._complete(potentials)
        out = np.zeros((len(self.index), len(stop)))
        _, _, pair = self._scratch(0, len(self))
        filtered(*self._layout[:3], values, table, pair, out)
        return out

    def k_best(self, potentials, k):
        """The k most probable state sequences of each sequence.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        k : int
            How many.

        Returns
        -------
        list of (states, score)
            As of `Chain.k_best`; by way of `lift`, so for few states only.
        """
        chain, lifted, state = self.lift(potentials)
        return [(state[paths], score) for paths, score in chain.k_best(lifted, k)]

    def lift(self, potentials):
        """The same distribution as a first-order chain over pairs of states.

        Its tables have K^4 entries: sensible up to about 20 states.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.

        Returns
        -------
        chain : Chain
            Over K * (K + 1) pairs (state before or boundary, state).
        potentials : Potentials
            Its log-potentials.
        state : ndarray of shape (K * (K + 1),)
            The current state of each pair.
        """
        _, table, stop = self._complete(potentials)
        K = len(stop)
        before, state = np.divmod(np.arange(K * (K + 1)), K)
        node = np.asarray(potentials.node, dtype=float)
        if self.support is not None:
            node = self.support.mask(node)
        edge = table[before[:, None], state[:, None], state]
        edge[state[:, None] != before] = -np.inf
        start = np.where(before == K, table[K, K, state], -np.inf)
        lifted = Potentials(node[:, state], edge, start, stop[state])
        return Chain(self.offsets, self.index), lifted, state

    @property
    def _lengths(self):
        return np.diff(self.offsets)

    def _complete(self, potentials):
        """Log values of allowed states, one table of transitions, and stop."""
        node, edge, start, stop, second = potentials
        U, K = node.shape
        if np.shape(edge) != (K, K, K):
            raise ValueError(
                f"`edge` of a second-order chain over {K} states has shape {(K,) * 3}; "
                f"got {np.shape(edge)}."
            )
        if self._layout is None or self._layout.support.allowed.shape != (U, K):
            self._layout = self._lay_out(U, K)
        table = np.full((K + 1, K + 1, K), -np.inf)
        table[:K, :K] = edge
        table[K, :K] = 0.0 if second is None else second
        table[K, K] = 0.0 if start is None else start
        stop = np.zeros(K) if stop is None else np.array(stop, dtype=float)
        values = self._layout.support.gather(np.asarray(node, dtype=float))
        return np.append(values, 0.0), table, stop

    def _lay_out(self, U, K):
        support = Support.full(U, K) if self.support is None else self.support
        if support.allowed.shape != (U, K):
            raise ValueError(
                f"The node table has shape {(U, K)}, but `allowed` "
                f"{support.allowed.shape}."
            )
        sizes = support.sizes[support.pattern]
        first = self.offsets[:-1] + 2 * np.arange(1, len(self) + 1)
        rows = np.stack([first, first + self._lengths], axis=1)
        tokens = np.empty((len(self.index) + 2 * len(self), 4), dtype=np.int64)
        # The boundary: the last list, of state K alone, with the last value.
        tokens[:, :3] = len(support.states), 1, support.row_ptr[-1]
        place = np.arange(len(self.index)) + np.repeat(
            first - self.offsets[:-1], self._lengths
        )
        tokens[place, 0] = support.ptr[support.pattern[self.index]]
        tokens[place, 1] = sizes[self.index]
        tokens[place, 2] = support.row_ptr[self.index]
        tokens[:, 3] = np.cumsum(tokens[:, 1]) - tokens[:, 1]
        # Unsigned, as numba then drops the test for negative indices.
        states = np.append(support.states, K).astype(np.uint32)
        values = _ranges(tokens[:, 2], tokens[:, 1])
        return _Layout(rows, tokens, states, values, support)

    def _scale(self, node, table, stop):
        """The tables as probabilities, and what each sequence's log-partition lacks."""
        K, L = len(stop), self._lengths
        values, top = scaled_rows(np.asarray(node, float), self._layout.support)
        scaled = np.zeros_like(table)
        scaled[:K, :K], edge_shift = scaled_exp(table[:K, :K])
        scaled[K, :K], second_shift = scaled_exp(table[K, :K])
        scaled[K, K], start_shift = scaled_exp(table[K, K])
        stop, stop_shift = scaled_exp(stop)
        shift = sum_by_sequence(top[self.index], self.offsets)
        shift += (L > 0) * (start_shift + stop_shift) + (L > 1) * second_shift
        shift += np.maximum(L - 2, 0) * edge_shift
        return (np.append(values, 1.0), scaled, stop), shift

    def _scratch(self, first, last):
        longest = int(self._lengths[first:last].max(initial=0))
        begin, end = self.offsets[[first, last]] + 2 * np.array([first, last])
        sizes = self._layout.tokens[begin:end, 1]
        widest = int(sizes.max(initial=1))
        future = np.empty((longest + 1, widest, widest))
        return future, np.empty(longest + 1), np.empty((2, widest, widest))

    def _node_counts(self, gamma):
        target, support = self._layout.marginal_value, self._layout.support
        n_values = support.row_ptr[-1]
        return support.scatter(np.bincount(target, gamma, n_values + 1)[:n_values])

    def _stop_counts(self, gamma, n_states):
        rows, tokens, states = self._layout[:3]
        begin, size, _, spot = tokens[rows[self._lengths > 0, 1] - 1].T
        last = states[_ranges(begin, size)]
        return np.bincount(last, gamma[_ranges(spot, size)], minlength=n_states)


def _ranges(begins, sizes):
    """``begins[i], ..., begins[i] + sizes[i] - 1`` for each i, one after another."""
    return np.repeat(begins - (np.cumsum(sizes) - sizes), sizes) + np.arange(
        sizes.sum()
    )

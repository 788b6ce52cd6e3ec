"""First-order chains: hidden Markov models and linear-chain CRFs."""

from functools import cached_property, reduce
from itertools import pairwise

import numpy as np
from sklearn.utils import check_random_state

from skstruct.containers import gather, offsets_of
from skstruct.kernels._blas import one_blas_thread
from skstruct.kernels._threads import chunks, run_chunks
from skstruct.structures._base import (
    Posterior,
    Potentials,
    softmax_rows,
    sum_by_sequence,
)
from skstruct.structures._chain_parts import Part, Scaled, scaled_rows
from skstruct.structures._chain_paths import (
    best_paths,
    entropies,
    filtered,
    k_best_paths,
    sample_paths,
)
from skstruct.structures._support import Support
from skstruct.structures._tree import Tree

__all__ = ["Chain"]


class Chain:
    r"""A batch of chains over K states, with exact inference.

    .. math:: p(y) \propto \exp\Big(s_{y_1} + \sum_t n_{u_t, y_t}
        + \sum_{t>1} e_{y_{t-1}, y_t} + r_{y_T}\Big)

    with log-potentials n (a table; token t reads row :math:`u_t`), e, s and r.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Sequence i is tokens ``offsets[i]:offsets[i + 1]``; empty ones are allowed.
    index : ndarray of shape (T,)
        Row of the node table that each token reads.
    allowed : ndarray of bool of shape (U, K), default=None
        States that the tokens of each row may take; None: all. Where few are allowed,
        only those are visited.
    edge_index : ndarray of shape (T,), default=None
        For potentials with an edge table (E, K, K): the row behind the transition into
        each token (not read at first tokens). None: one shared table (K, K).

    Notes
    -----
    Every verb takes `Potentials` in log space; ``-inf`` forbids. Time is O(T K^2) or
    that of the allowed pairs, memory O(T K) beside the tables. Results do not depend on
    ``n_jobs``.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Chain, Potentials
    >>> chain = Chain([0, 2, 3], [0, 1, 1])  # two sequences, of 2 tokens and 1
    >>> node = np.log([[0.9, 0.1], [0.4, 0.6]])
    >>> stay = np.log([[0.8, 0.2], [0.2, 0.8]])
    >>> p = Potentials(node, stay)
    >>> chain.argmax(p)[0]
    array([0, 0, 1])
    >>> chain.posterior(p).node.sum(axis=1).round(6)
    array([1., 2.])
    """

    def __init__(self, offsets, index, *, allowed=None, edge_index=None):
        self.offsets = np.ascontiguousarray(offsets, dtype=np.intp)
        self.index = np.ascontiguousarray(index, dtype=np.intp)
        n_tokens = int(self.offsets[-1])
        self._shared_edge = edge_index is None
        self.edge_index = (
            np.zeros(n_tokens, dtype=np.intp)
            if edge_index is None
            else np.ascontiguousarray(edge_index, dtype=np.intp)
        )
        self.support = None if allowed is None else Support(allowed)
        self._tokens_in_order = np.array_equal(self.index, np.arange(n_tokens))
        # Rows of their own are cut with the batch, into what a cache holds; counts of
        # shared rows are summed over the chunks, which should be few.
        size = 1 << 14 if self._tokens_in_order else max(1 << 16, n_tokens // 16 + 1)
        self._chunks = chunks(self.offsets, size)
        self._sparse = self.support is not None and self._few_allowed()

    def _few_allowed(self):
        """Whether visiting allowed pairs beats matrix products over all pairs."""
        sizes = self.support.sizes[self.support.pattern[self.index]]
        inner = np.ones(max(len(sizes) - 1, 0), dtype=bool)
        inner[self.offsets[(self.offsets > 0) & (self.offsets < len(sizes))] - 1] = (
            False
        )
        pairs = np.sum((sizes[:-1] * sizes[1:])[inner])
        # One visited pair costs about eight of a matrix product.
        return 8 * pairs < len(sizes) * self.support.n_states**2

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
        return self._sums(potentials, None, n_jobs, backward=False).log_partition

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
        return self._sums(potentials, weight, n_jobs, backward=True)

    def _sums(self, potentials, weight, n_jobs, backward):
        p = self._complete(potentials, masked=not self._sparse)
        weight = np.ones(len(self)) if weight is None else np.asarray(weight, float)
        scaled = Scaled(p)
        support = self._walked(p.node.shape)
        # A table with one row a token is cut with the batch, others are shared.
        cut = self._tokens_in_order and len(p.node) == len(self.index)
        node = None if cut else scaled_rows(p.node, support)

        def do(first, last):
            part = self._part(p, support, node, first, last)
            return part.sums(scaled, weight[first:last], backward)

        with one_blas_thread:
            parts = run_chunks(do, self._chunks or [(0, len(self))], n_jobs)
        log_z, node, *others = zip(*parts, strict=True)
        node = np.concatenate(node) if cut else reduce(np.add, node)
        if support is not None:
            node = support.scatter(node)
        edge, start, stop = (reduce(np.add, other) for other in others)
        edge = edge.reshape(np.shape(potentials.edge))
        return Posterior(np.concatenate(log_z), node, edge, start, stop)

    def _walked(self, shape):
        """The allowed states to walk over, or None where matrix products serve."""
        if self._sparse:
            return self.support
        return None if self._shared_edge else Support.full(*shape)

    def _part(self, p, support, node, first, last):
        """The sequences first:last with what their tokens read."""
        offsets = self.offsets[first : last + 1]
        if node is not None:
            return Part(offsets, self.index, self.edge_index, p, support, node)
        tokens = slice(offsets[0], offsets[-1])
        support = None if support is None else support.rows(tokens)
        return Part(
            offsets - offsets[0],
            self.index[: offsets[-1] - offsets[0]],
            self.edge_index[tokens],
            p._replace(node=p.node[tokens]),
            support,
            scaled_rows(p.node[tokens], support),
        )

    def __len__(self):
        return len(self.offsets) - 1

    def _complete(self, potentials, *, masked=True):
        """Potentials with no part missing, forbidden states masked, edges 3-D."""
        node, edge, start, stop, _ = potentials
        K = node.shape[1]
        if self.support is not None and masked:
            node = self.support.mask(node)
        edge = np.ascontiguousarray(edge, dtype=float).reshape(-1, K, K)
        start = np.zeros(K) if start is None else np.ascontiguousarray(start, float)
        stop = np.zeros(K) if stop is None else np.ascontiguousarray(stop, float)
        return Potentials(np.ascontiguousarray(node, dtype=float), edge, start, stop)

    def argmax(self, potentials):
        """Most probable states.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.

        Returns
        -------
        states : ndarray of shape (T,)
            Ties go to the lower state. Of an impossible sequence, the path that breaks
            the fewest forbidden potentials.
        score : ndarray of shape (n,)
            Log-potential of the path; ``-inf`` for an impossible sequence.
        """
        states, score = self._argmax(self._complete(potentials))
        impossible = np.flatnonzero(np.isneginf(score))
        if impossible.size:
            p = self._complete(potentials.soften())
            rows, offsets = gather(self.offsets, impossible)
            again = Chain(offsets, self.index[rows], edge_index=self.edge_index[rows])
            states[rows] = again._argmax(p)[0]
        return states, score

    def _argmax(self, p):
        states = np.zeros(len(self.index), dtype=np.intp)
        score = np.zeros(len(self))
        best_paths(*self._walk(p), states, score)
        return states, score

    def _walk(self, p):
        """What kernels over single sequences read."""
        return (
            self.offsets,
            self.index,
            p.start,
            p.edge,
            self.edge_index,
            p.node,
            p.stop,
        )

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
            For each sequence: states (m, length) and log-potentials (m,), best first;
            m < k where fewer paths are possible.
        """
        offsets, index, *rest = self._walk(self._complete(potentials))
        out = []
        for begin, end in pairwise(offsets.tolist()):
            if begin == end:
                out.append((np.zeros((1, 0), dtype=np.intp), np.zeros(1)))
                continue
            paths, scores = k_best_paths(begin, end - begin, index, *rest, k)
            possible = np.isfinite(scores)
            out.append((paths[possible], scores[possible]))
        return out

    def sample(self, potentials, random_state=None):
        """Draw the states of every sequence from p(y).

        Parameters
        ----------
        potentials : Potentials
            Log-potentials.
        random_state : int, RandomState or None, default=None
            Source of randomness.

        Returns
        -------
        ndarray of shape (T,)
            States.
        """
        uniforms = check_random_state(random_state).uniform(size=len(self.index))
        states = np.zeros(len(self.index), dtype=np.intp)
        sample_paths(*self._walk(self._complete(potentials)), uniforms, states)
        return states

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
        p = self._complete(potentials)
        states = np.asarray(states, dtype=np.intp)
        terms = p.node[self.index, states]
        begins, ends = self.offsets[:-1], self.offsets[1:]
        filled = begins < ends
        follows = np.ones(len(states), dtype=bool)
        follows[begins[filled]] = False
        t = np.flatnonzero(follows)
        terms[t] += p.edge[self.edge_index[t], states[t - 1], states[t]]
        terms[begins[filled]] += p.start[states[begins[filled]]]
        terms[ends[filled] - 1] += p.stop[states[ends[filled] - 1]]
        return sum_by_sequence(terms, self.offsets)

    def entropy(self, potentials):
        """Entropy of p(y) of each sequence in nats, shape (n,)."""
        out = np.empty(len(self))
        entropies(*self._walk(self._complete(potentials)), out)
        return out

    def filter(self, potentials):
        """Distribution of each state given the tokens up to it, shape (T, K)."""
        p = self._complete(potentials)
        out = np.zeros((len(self.index), p.node.shape[1]))
        filtered(*self._walk(p)[:-1], out)
        return softmax_rows(out)

    def edge_marginals(self, potentials):
        """Marginal of each transition, shape (T, K, K); zero at first tokens."""
        p = self._complete(potentials)
        T, K = len(self.index), p.node.shape[1]
        chain = Chain(self.offsets, self.index, edge_index=np.arange(T))
        p = p._replace(edge=p.edge[self.edge_index])
        return chain.posterior(p).edge.reshape(T, K, K)

    @cached_property
    def _tree(self):
        """The same tokens as a batch of trees, and the second token of each edge."""
        follows = np.ones(len(self.index), dtype=bool)
        follows[self.offsets[:-1][np.diff(self.offsets) > 0]] = False
        second = np.flatnonzero(follows)
        n_edges = np.maximum(np.diff(self.offsets) - 1, 0)
        edges = np.column_stack([second - 1, second])
        return Tree(self.offsets, edges, offsets_of(n_edges)), second

    def game_sweep(
        self, potentials, game, predictor, *, n_sweeps=1, weight=None, n_jobs=None
    ):
        """Improve the predictor of the adversarial game, as `Tree.game_sweep` does.

        Parameters
        ----------
        potentials : Potentials
            Log-potentials, without the game's.
        game : Game
            What is played for at each token, divided by the temperature.
        predictor : ndarray of shape (T, K)
            Distributions over states; changed in place.
        n_sweeps : int, default=1
            Half-sweeps. 0 leaves the predictor as it is.
        weight : ndarray of shape (n,), default=None
            A factor for the marginals and counts of each sequence.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        Sweep
            Of the predictor after the sweeps; ``node`` has one row a token.
        """
        p = self._complete(potentials)
        (tree, second), node = self._tree, p.node[self.index]
        filled = np.diff(self.offsets) > 0
        node[self.offsets[:-1][filled]] += p.start
        node[self.offsets[1:][filled] - 1] += p.stop
        shared = len(p.edge) == 1
        edge = p.edge[0] if shared else p.edge[self.edge_index[second]]
        found = tree.game_sweep(
            Potentials(node, edge),
            game,
            predictor,
            n_sweeps=n_sweeps,
            weight=weight,
            n_jobs=n_jobs,
        )
        counts = np.zeros(p.edge.shape)
        np.add.at(counts, 0 if shared else self.edge_index[second], found.edge)
        return found._replace(edge=counts.reshape(np.shape(potentials.edge)))

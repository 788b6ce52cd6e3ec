"""What every structure takes and gives: potentials in, posteriors out."""

from typing import NamedTuple

import numpy as np

from skstruct.containers import gather

__all__ = [
    "Posterior",
    "Potentials",
    "Sweep",
    "marginals",
    "softmax_rows",
    "sum_by_sequence",
]

# Nats that a forbidden potential costs where an impossible sequence must be decoded.
_PENALTY = 1e6


class Potentials(NamedTuple):
    """Log-potentials of a structure; ``-inf`` forbids, None is absent.

    Attributes
    ----------
    node : ndarray of shape (U, K)
        One row for each distinct kind of token; the structure's index (T,) says which
        row a token reads.
    edge : ndarray of shape (K, K), (E, K, K) or, second order, (K, K, K)
        Shared transitions, or a table of them with an index, from state to state.
    start : ndarray of shape (K,) or None
        Added at the first token.
    stop : ndarray of shape (K,) or None
        Added at the last token.
    second : ndarray of shape (K, K) or None
        Second order only: from the first to the second token.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials
    >>> p = Potentials(np.array([[0.0, -np.inf]]), np.zeros((2, 2)))
    >>> p.power(0.5).node
    array([[  0., -inf]])
    >>> p.soften().node
    array([[       0., -1000000.]])
    """

    node: np.ndarray
    edge: np.ndarray
    start: np.ndarray | None = None
    stop: np.ndarray | None = None
    second: np.ndarray | None = None

    def power(self, beta):
        """The potentials of the tempered distribution p(y)^beta."""
        if beta == 1:
            return self
        return Potentials(*(None if a is None else beta * a for a in self))

    def mix(self, other, beta):
        """Potentials of p(y)^beta q(y)^(1 - beta) with 0 <= beta <= 1."""
        return Potentials(
            *(
                None if a is None else _blend(a, b, beta)
                for a, b in zip(self, other, strict=True)
            )
        )

    def soften(self):
        """The potentials with a large finite cost in place of ``-inf``.

        What no path could explain gets a path that breaks few of the rules.
        """
        return Potentials(*(None if a is None else _soften(a) for a in self))


def _soften(table):
    return np.where(np.isneginf(table), -_PENALTY, table)


def _blend(a, b, beta):
    # 0 * -inf is no number: at the ends only one of the two counts.
    if beta in (0, 1):
        return a if beta == 1 else b
    return beta * a + (1 - beta) * b


class Posterior(NamedTuple):
    """Expected counts under p(y) over a batch, shaped as the potentials.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        Of each sequence; 0 for an empty one, ``-inf`` for an impossible one.
    node : ndarray of shape (U, K)
        Expected number of tokens of each row in each state, over the whole batch.
    edge : ndarray
        Expected transitions, shaped as ``Potentials.edge``.
    start, stop : ndarray of shape (K,)
        Expected first and last states.
    second : ndarray of shape (K, K) or None
        Second order only: expected transitions from the first to the second token.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Chain, Potentials
    >>> chain = Chain([0, 2], [0, 0])  # two tokens that read one row
    >>> found = chain.posterior(Potentials(np.zeros((1, 2)), np.zeros((2, 2))))
    >>> found.node, float(found.edge.sum())
    (array([[1., 1.]]), 1.0)
    """

    log_partition: np.ndarray
    node: np.ndarray
    edge: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    second: np.ndarray | None = None


class Sweep(NamedTuple):
    """What is expected of an adversary who answers a predictor at every node.

    Attributes
    ----------
    log_partition : ndarray of shape (n,)
        Of each sample, with the predictor's costs added to its potentials.
    node : ndarray of shape (N, K)
        Marginals of nodes, times the weight of their sample.
    edge : ndarray
        Expected counts of edges, shaped as ``Potentials.edge``.
    risk : ndarray of shape (n,)
        Least cost that any predictor could have against these marginals.
    gap : ndarray of shape (n,)
        What the predictor costs above that; 0 where it is optimal.
    """

    log_partition: np.ndarray
    node: np.ndarray
    edge: np.ndarray
    risk: np.ndarray
    gap: np.ndarray


def sum_by_sequence(terms, offsets):
    """Sum the terms of tokens ``offsets[0]:offsets[-1]`` sequence by sequence.

    Parameters
    ----------
    terms : ndarray of shape (n_tokens,)
        One for each token.
    offsets : ndarray of shape (n + 1,)
        Where the sequences begin.

    Returns
    -------
    ndarray of shape (n,)
        0 for empty sequences.
    """
    out = np.zeros(len(offsets) - 1)
    filled = np.diff(offsets) > 0
    if filled.any():
        out[filled] = np.add.reduceat(terms, offsets[:-1][filled] - offsets[0])
    return out


def softmax_rows(log_table):
    """Rows of ``exp(log_table)`` scaled to sum to one; zeros where all is ``-inf``."""
    top = log_table.max(axis=1, keepdims=True)
    table = np.exp(log_table - np.where(np.isfinite(top), top, 0.0))
    total = table.sum(axis=1, keepdims=True)
    return np.divide(table, total, out=table, where=total > 0)


def marginals(chain, potentials, *, n_jobs=None):
    """Marginal distribution of the state of every token.

    Parameters
    ----------
    chain : Chain or SecondOrderChain
        A batch of chains.
    potentials : Potentials
        Log-potentials.
    n_jobs : int, default=None
        Threads.

    Returns
    -------
    ndarray of shape (T, K)
        Of an impossible sequence, marginals under softened potentials.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Chain, Potentials, marginals
    >>> chain = Chain([0, 2], [0, 1])
    >>> node = np.log([[0.9, 0.1], [0.5, 0.5]])
    >>> stay = np.log([[0.8, 0.2], [0.2, 0.8]])
    >>> marginals(chain, Potentials(node, stay)).round(2)
    array([[0.9 , 0.1 ],
           [0.74, 0.26]])
    """
    p = potentials._replace(node=potentials.node[chain.index])

    def posterior(offsets, rows, p):
        allowed = None
        if chain.support is not None:
            allowed = chain.support.allowed[chain.index[rows]]
        part = type(chain)(offsets, np.arange(len(rows)), allowed=allowed)
        return part.posterior(p._replace(node=p.node[rows]), n_jobs=n_jobs)

    found = posterior(chain.offsets, np.arange(len(chain.index)), p)
    impossible = np.flatnonzero(np.isneginf(found.log_partition))
    if impossible.size:
        rows, offsets = gather(chain.offsets, impossible)
        found.node[rows] = posterior(offsets, rows, p.soften()).node
    return found.node

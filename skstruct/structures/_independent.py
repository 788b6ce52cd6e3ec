"""Links of words that do not depend on one another."""

import numpy as np
from numba import njit

from skstruct.kernels._threads import chunks, run_chunks
from skstruct.structures._lattice_tables import checked_lengths

__all__ = ["IndependentLinks"]


@njit(cache=True, nogil=True)
def _posterior(first, last, states, chain, cells, reverse, weight, null, out, no_link):
    """Posterior of the pairs ``first`` to ``last - 1``; their log-partitions."""
    logs = np.zeros(last - first)
    longest = 0
    for n in range(first, last):
        longest = max(longest, chain[n + 1] - chain[n])
    total = np.empty(longest)
    for n in range(first, last):
        n_states = states[n + 1] - states[n]
        length = chain[n + 1] - chain[n]
        step, hop = (1, n_states) if reverse else (length, 1)
        if n_states == 0:
            for t in range(length):
                logs[n - first] += np.log(null[chain[n] + t])
            continue
        for t in range(length):
            total[t] = null[chain[n] + t]
        for k in range(n_states):
            c = cells[n] + k * step
            for t in range(length):
                total[t] += weight[c + t * hop]
        for t in range(length):
            logs[n - first] += np.log(total[t])
            no_link[chain[n] + t] = null[chain[n] + t] / total[t]
            total[t] = 1.0 / total[t]
        for k in range(n_states):
            c = cells[n] + k * step
            for t in range(length):
                out[c + t * hop] = weight[c + t * hop] * total[t]
    return logs


class IndependentLinks:
    r"""Every word of one side links to one word of the other, or to none, by itself.

    .. math:: p(y) = \prod_t \frac{w_{y_t t}}{w_{0t} + \sum_s w_{st}}

    Parameters
    ----------
    source_lengths, target_lengths : ndarray of shape (n,)
        Numbers of words of pairs of sentences.
    reverse : bool, default=False
        Whether source words are linked to target words.
    n_jobs : int, default=None
        Threads.

    See Also
    --------
    Lattice : Links that depend on the one before.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import IndependentLinks
    >>> links = IndependentLinks([2], [1])
    >>> logs, cell, null = links.posterior(np.float32([1, 2]), np.array([1.0]))
    >>> np.exp(logs), cell, null
    (array([4.]), array([0.25, 0.5 ], dtype=float32), array([0.25]))
    """

    def __init__(self, source_lengths, target_lengths, *, reverse=False, n_jobs=None):
        lengths = checked_lengths(source_lengths, target_lengths)
        self.reverse = reverse
        self.n_jobs = n_jobs
        self.states, self.chain = (
            np.concatenate([[0], np.cumsum(n, dtype=np.intp)])
            for n in (lengths[::-1] if reverse else lengths)
        )
        self.cells = np.concatenate([[0], np.cumsum(np.multiply(*lengths))])

    def posterior(self, weight, null):
        """Probability of every link.

        Parameters
        ----------
        weight : ndarray of float32 of shape (C,)
            Weights of links; pair n with I source and J target words owns cells
            ``cells[n] + i * J + j``.
        null : ndarray of shape (T,)
            Positive weights of linking to nothing.

        Returns
        -------
        log_partition : ndarray of shape (n,)
            Log of the sum over all links of each pair.
        cell : ndarray of float32 of shape (C,)
            Posterior of links.
        null : ndarray of shape (T,)
            Posterior of no link; 0 in pairs with an empty side, where nothing is to be
            decided.

        Raises
        ------
        ValueError
            If weights do not fit the lengths, are negative, infinite or NaN, or those
            of no link are 0.
        """
        weight = _checked("weight", weight, np.float32, self.cells[-1])
        null = _checked("null", null, np.float64, self.chain[-1])
        if not null.all():
            raise ValueError(f"null[{null.argmin()}] is 0; expected a positive weight.")
        out = np.empty(len(weight), np.float32)
        no_link = np.zeros(len(null))

        def part(first, last):
            return _posterior(
                first,
                last,
                self.states,
                self.chain,
                self.cells,
                self.reverse,
                weight,
                null,
                out,
                no_link,
            )

        # A pair counts as its cells, and once more where it has none.
        sizes = self.cells + np.arange(len(self.cells))
        logs = run_chunks(part, chunks(sizes, 1 << 20), self.n_jobs)
        return np.concatenate([np.zeros(0), *logs]), out, no_link


def _checked(name, values, dtype, n):
    values = np.ascontiguousarray(values, dtype=dtype)
    if values.shape != (n,):
        raise ValueError(f"{name} has shape {values.shape}; expected ({n},).")
    if n and not (values.min() >= 0 and values.max() < np.inf):
        raise ValueError(f"{name} must be finite and at least 0 everywhere.")
    return values

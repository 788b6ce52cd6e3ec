"""Sum-product of a single alignment chain in log space: exact whatever the range."""

import numpy as np
from numba import njit

from skstruct.structures._chain_log import _log_sum

__all__ = ["log_forward", "log_space_sums"]


@njit(cache=True, nogil=True)
def log_forward(node, null, T):
    """Messages of one pair in log space: by last position, and linked by the token.

    ``node`` is (J, K), ``null`` (J,), ``T`` (K + 1, K + 1) from each last position
    (0: none yet) to each position (column 0 is not read).
    """
    J, K = node.shape
    m, real = np.full((J + 1, K + 1), -np.inf), np.full((J, K + 1), -np.inf)
    m[0, 0] = 0.0
    for j in range(J):
        m[j + 1, 0] = m[j, 0] + null[j]
        for k in range(1, K + 1):
            if node[j, k - 1] > -np.inf:
                real[j, k] = node[j, k - 1] + _log_sum(m[j] + T[:, k])
            m[j + 1, k] = np.logaddexp(real[j, k], m[j, k] + null[j])
    return m, real


@njit(cache=True, nogil=True)
def log_space_sums(node, null, T, end):
    """Log-partition, posteriors of cells and NULL, expected jumps and end jumps.

    Jumps are (K + 1, K + 1), from each last position to each position. Of an
    impossible pair all but the log-partition are 0.
    """
    J, K = node.shape
    m, real = log_forward(node, null, T)
    cells, nulls = np.zeros((J, K)), np.zeros(J)
    jumps, ends = np.zeros((K + 1, K + 1)), np.zeros(K + 1)
    log_z = _log_sum(m[J] + end)
    if log_z == -np.inf:
        return log_z, cells, nulls, jumps, ends
    ends[:] = np.exp(m[J] + end - log_z)
    b, into = end - log_z, np.full(K + 1, -np.inf)
    for j in range(J - 1, -1, -1):
        cells[j] = np.exp(real[j, 1:] + b[1:])
        into[1:] = node[j] + b[1:]
        ahead = b + null[j]
        nulls[j] = np.exp(m[j] + ahead).sum()
        for i in range(K + 1):
            onward = T[i] + into
            jumps[i] += np.exp(m[j, i] + onward)
            b[i] = np.logaddexp(ahead[i], _log_sum(onward))
    return log_z, cells, nulls, jumps, ends

"""Rows of logs as distributions."""

import numpy as np
from numba import njit

__all__ = ["softmax_rows"]


@njit(cache=True, nogil=True)
def softmax_rows(logs):
    """Turn rows (N, K) of finite logs into distributions, in place; their log-sums."""
    totals = np.empty(len(logs))
    for i in range(len(logs)):
        row = logs[i]
        top = row.max()
        total = 0.0
        for k in range(len(row)):
            row[k] = np.exp(row[k] - top)
            total += row[k]
        for k in range(len(row)):
            row[k] /= total
        totals[i] = top + np.log(total)
    return totals

"""How a batch is split over threads, so that results do not depend on their number."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

__all__ = ["chunks", "one_blas_thread", "run_chunks"]


def chunks(offsets, tokens_per_chunk=1 << 15):
    """Cut a batch into runs of whole sequences, by its lengths alone.

    Counts are summed chunk by chunk, and float addition is not associative: the cuts
    must never depend on the number of threads.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        Sequence i is tokens ``offsets[i]:offsets[i + 1]``.
    tokens_per_chunk : int, default=32768
        About how many tokens a chunk holds; one longer sequence is a chunk of its own.

    Returns
    -------
    list of (first, last)
        Sequences ``first`` to ``last - 1``; together all of them, in order.

    Examples
    --------
    >>> chunks([0, 3, 3, 9, 10], tokens_per_chunk=4)
    [(0, 3), (3, 4)]
    """
    offsets = np.asarray(offsets)
    targets = np.arange(tokens_per_chunk, offsets[-1], tokens_per_chunk)
    cuts = np.searchsorted(offsets, targets)
    bounds = np.unique(np.concatenate([[0], cuts, [len(offsets) - 1]])).tolist()
    return list(pairwise(bounds))


def run_chunks(function, chunks, n_jobs=None):
    """Call ``function(first, last)`` for each chunk; results in the chunks' order.

    With more than one job the calls run in threads; kernels must release the GIL.
    joblib says what ``n_jobs`` means (-1: all cores), but is not asked to run the
    threads: setting them up anew would cost it more than a chunk does.
    """
    n_threads = min(effective_n_jobs(n_jobs), len(chunks))
    if n_threads < 2:
        return [function(first, last) for first, last in chunks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda chunk: function(*chunk), chunks))


class _OneBlasThread:
    """A limit that several Python threads may hold at once.

    The first to come sets it, the last to go lifts it: each on its own would save the
    limit of another as what was there before.
    """

    def __init__(self):
        self._lock, self._holders = threading.Lock(), 0
        self._controller = self._limit = None

    def __enter__(self):
        with self._lock:
            self._holders += 1
            if self._holders == 1:
                self._controller = self._controller or ThreadpoolController()
                self._limit = self._controller.limit(limits=1, user_api="blas")

    def __exit__(self, *exception):
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self._limit.restore_original_limits()


# Products here are small: threads go over chunks, BLAS keeps to one.
one_blas_thread = _OneBlasThread()

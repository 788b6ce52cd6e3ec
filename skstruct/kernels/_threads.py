"""How a batch is split over threads, so that results do not depend on their number."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from joblib import effective_n_jobs

__all__ = ["chunks", "run_chunks"]


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
    try:
        if n_threads < 2:
            return [function(first, last) for first, last in chunks]
        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(lambda chunk: function(*chunk), chunks))
    except SystemError as error:
        # So numba reports that a kernel returned while an interrupt was waiting.
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        raise

"""Linear algebra on one thread."""

import threading

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


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


# Our products and vectors are small: threads would only wait for each other.
one_blas_thread = _OneBlasThread()

"""How far a fit is, for those who watch."""

import sys
from contextlib import contextmanager

__all__ = ["watched"]

_CLEAR = "\r\033[K"


class _Counter:
    """A callback that counts iterations on standard error."""

    def setup(self, estimator, context):
        self._n = 0

    def teardown(self, estimator, context):
        """Leave nothing behind."""

    def on_fit_task_begin(self, estimator, context):
        """Wait."""

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "iteration":
            self._n += 1
            name = type(estimator).__name__
            print(f"{_CLEAR}{name}: iteration {self._n}", end="", file=sys.stderr)
            sys.stderr.flush()
        return False


@contextmanager
def watched(model):
    """The model, which tells of its iterations where standard error is a terminal."""
    if not sys.stderr.isatty():
        yield model
        return
    model.set_callbacks(_Counter())
    try:
        yield model
    finally:
        model.set_callbacks()
        print(end=_CLEAR, file=sys.stderr, flush=True)

"""What all estimators share: documentation links and news for callbacks."""

from contextlib import contextmanager
from functools import partial

from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin

__all__ = ["FitMonitor", "StructuredEstimator"]


class StructuredEstimator(CallbackSupportMixin, BaseEstimator):
    """Base class of our estimators; it holds no maths."""

    _doc_link_module = "skstruct"

    @property
    def _doc_link_template(self):
        return "https://skstruct.readthedocs.io/stable/api/{estimator_module}.{estimator_name}.html"


class FitMonitor:
    """Tell callbacks of a fit, its runs (restarts) and their iterations.

    Parameters
    ----------
    estimator : StructuredEstimator
        The estimator in ``fit``, which must run inside ``fit_context``.
    X, y : object
        What the user gave.
    n_runs : int
        Number of restarts.
    max_iter : int
        Bound on the iterations of a run.

    Attributes
    ----------
    stopped : bool
        Whether a callback has asked to stop.
    """

    def __init__(self, estimator, X, y, *, n_runs, max_iter):
        self._what = {"estimator": estimator, "X": X, "y": y}
        self._max_iter = max_iter
        self._fit = estimator._init_callback_context(max_subtasks=n_runs)
        self._fit.call_on_fit_task_begin(**self._what)
        self.stopped = False

    @contextmanager
    def run(self):
        """A run; gives ``on_iteration(attributes) -> stop``.

        ``attributes`` is a callable that answers with the fitted attributes that the
        estimator would have if it stopped here.
        """
        task = self._fit.subcontext("run", max_subtasks=self._max_iter)
        task.call_on_fit_task_begin(**self._what)
        yield partial(self._on_iteration, task)
        task.call_on_fit_task_end(**self._what)

    def _on_iteration(self, task, attributes):
        iteration = task.subcontext("iteration")
        iteration.call_on_fit_task_begin(**self._what)
        self.stopped |= iteration.call_on_fit_task_end(
            **self._what, reconstruction_attributes=attributes
        )
        return self.stopped

    def close(self, attributes):
        """The fit is over."""
        self._fit.call_on_fit_task_end(
            **self._what, reconstruction_attributes=attributes
        )

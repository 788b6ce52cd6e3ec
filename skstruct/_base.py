"""What all estimators share: documentation links and news for callbacks."""

from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import metadata
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin

from skstruct._params import validate_parameter_constraints

__all__ = ["FitMonitor", "StructuredEstimator"]


@cache
def _documentation():
    """Address of the documentation, if ``project.urls`` of the package names one."""
    with suppress(metadata.PackageNotFoundError):
        urls = metadata.metadata("skstruct").get_all("Project-URL", [])
        named = (url.partition(",")[::2] for url in urls)
        known = {name.strip().lower(): address.strip() for name, address in named}
        return known.get("documentation", "").rstrip("/")
    return ""


class StructuredEstimator(CallbackSupportMixin, BaseEstimator):
    """Base class of our estimators; it holds no maths."""

    _doc_link_module = "skstruct"
    # For parameters that a name or None may stand for: an instance, as one writes it.
    _component_examples: ClassVar = {}

    @property
    def _doc_link_template(self):
        address = _documentation()
        page = "/api/{estimator_module}.{estimator_name}.html"
        return address + page if address else ""

    def set_params(self, **params):
        """Set parameters, also those of components (``component__parameter``).

        Parameters
        ----------
        **params : dict
            Parameters by name.

        Returns
        -------
        StructuredEstimator
            The estimator itself.

        Raises
        ------
        ValueError
            If there is no such parameter, or its component is but a name or None.
        """
        present = self.get_params(deep=False)
        for name in params:
            outer, nested, _ = name.partition("__")
            component = params.get(outer, present.get(outer, self))
            if nested and (component is None or isinstance(component, str)):
                example = self._component_examples.get(outer, "an instance")
                raise ValueError(
                    f"{name} is a parameter of a component, but {outer} is "
                    f"{component!r}; pass {outer}={example} to set or search its "
                    "options."
                )
        return super().set_params(**params)

    def _validate_params(self, *names):
        """Check parameters, all or these; True and False are no numbers."""
        given = {name: getattr(self, name) for name in names or self._get_param_names()}
        validate_parameter_constraints(
            self._parameter_constraints, given, caller_name=type(self).__name__
        )
        for name, value in given.items():
            meant = "boolean" in self._parameter_constraints.get(name, ["boolean"])
            if isinstance(value, bool | np.bool_) and not meant:
                raise ValueError(f"{name} must not be a bool, got {value!r}.")


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
        Whether a callback has asked to stop the fit, at the end of a run.
    """

    def __init__(self, estimator, X, y, *, n_runs, max_iter):
        self._what = {"estimator": estimator, "X": X, "y": y}
        self._max_iter = max_iter
        self._fit = estimator._init_callback_context(max_subtasks=n_runs)
        self._fit.call_on_fit_task_begin(**self._what)
        self.stopped = False

    @contextmanager
    def run(self):
        """A run; gives ``on_iteration(attributes) -> stop``, which stops this run.

        ``attributes`` is a callable that answers with the fitted attributes that the
        estimator would have if it stopped here.
        """
        task = self._fit.subcontext("run", max_subtasks=self._max_iter)
        task.call_on_fit_task_begin(**self._what)
        yield partial(self._on_iteration, task)
        self.stopped = task.call_on_fit_task_end(
            **self._what, reconstruction_attributes=self._last
        )

    def _on_iteration(self, task, attributes):
        self._last = attributes
        iteration = task.subcontext("iteration")
        iteration.call_on_fit_task_begin(**self._what)
        return iteration.call_on_fit_task_end(
            **self._what, reconstruction_attributes=attributes
        )

    def close(self, attributes):
        """The fit is over."""
        self._fit.call_on_fit_task_end(
            **self._what, reconstruction_attributes=attributes
        )

"""Parameter validation: the one place that touches scikit-learn's private names."""

from collections.abc import Callable
from typing import TypeVar

from sklearn.base import _fit_context
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "fit_context",
    "validate_parameter_constraints",
]

_Method = TypeVar("_Method", bound=Callable)


def fit_context(*, prefer_skip_nested_validation) -> Callable[[_Method], _Method]:
    """scikit-learn's decorator, under which ``fit`` keeps its type."""
    return _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)

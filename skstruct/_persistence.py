"""What skops may build when it loads a model of ours."""

import inspect
import sys
from importlib import import_module

__all__ = ["trusted_types"]

_PARTS = (
    *("constraints", "containers", "emissions", "estimators", "featurizers"),
    *("losses", "metrics", "model_selection", "potentials"),
)
_METRICS = "skstruct.metrics"
# Searches keep splitters and scorers of these, which skops does not trust by itself.
_OF_SEARCHES = ("sklearn.metrics._scorer", "sklearn.model_selection._split")
# Holders of values, and functions of words that fitted models keep.
_OTHERS = {
    "builtins.frozenset",
    "functools.partial",
    "scipy.sparse._csr.csr_array",
    "types.SimpleNamespace",
    "skstruct.emissions._symbol_features._spelling",
    "skstruct.estimators._alignment._text._ask",
    "skstruct.estimators._alignment._text._stem",
    "skstruct.featurizers._attributes._form",
    "skstruct.featurizers._attributes._nothing",
    "skstruct.potentials._word_features._association",
    "skstruct.potentials._word_features._cross",
    "skstruct.potentials._word_features._length",
    "skstruct.potentials._word_features._prefix",
    "skstruct.potentials._word_features._similarity",
}


def trusted_types() -> list[str]:
    """Names of what fitted models of skstruct are made of, for ``skops.io.load``.

    These are the classes that models and searches hold, which only compute when they
    are built, among them splitters and scorers of scikit-learn; metrics and a few
    functions of words; ``csr_array``, ``frozenset``, ``SimpleNamespace`` and
    ``partial``. To trust whatever begins with ``skstruct.`` would be careless: a
    file could then have any of our functions called, also one that writes files.

    Returns
    -------
    list of str
        Sorted. Functions and classes of your own that a model holds are not among
        them; skops names them when it refuses to load.

    Examples
    --------
    >>> import skops.io
    >>> import skstruct
    >>> model = skstruct.AnnealedHMM(2, random_state=0).fit([["a", "b"], ["b", "a"]])
    >>> data = skops.io.dumps(model)
    >>> loaded = skops.io.loads(data, trusted=skstruct.trusted_types())
    >>> bool((loaded.transmat_ == model.transmat_).all())
    True
    """
    parts = tuple(f"skstruct.{part}." for part in _PARTS)
    for part in parts:
        import_module(part.rstrip("."))
    modules = [m for name, m in list(sys.modules.items()) if name.startswith(parts)]
    modules += map(import_module, _OF_SEARCHES)
    classes = (c for m in modules for c in vars(m).values() if inspect.isclass(c))
    # Scorers, which searches keep, hold these.
    functions = filter(inspect.isfunction, vars(import_module(_METRICS)).values())
    names = {f"{c.__module__}.{c.__name__}" for c in (*classes, *functions)}
    allowed = (*parts, *_OF_SEARCHES)
    return sorted({name for name in names if name.startswith(allowed)} | _OTHERS)

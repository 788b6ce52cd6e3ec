"""Kernels compiled before the first request."""

import warnings
from collections.abc import Iterable

import numpy as np

from skstruct import estimators as models
from skstruct.constraints import Sparsity
from skstruct.datasets import (
    make_bitext,
    make_gaussian_hmm_sequences,
    make_hmm_sequences,
    make_labelled_graphs,
    make_phrase_table,
)

__all__ = ["warm_up"]

_ANSWERS = ("predict", "predict_proba", "filter_proba", "predict_equilibrium", "score")


def warm_up(estimators: Iterable[str] | None = None) -> None:
    """Compile ahead what fits and predictions need, for instance in a container image.

    The first fit of a kind compiles its loops, which takes seconds, and keeps them in
    a cache folder, where later processes find them: beside the package, in the
    user's cache folder, or in the folder that the environment variable
    ``NUMBA_CACHE_DIR`` names. This function fits the estimators to a little generated
    data of each kind that they take, so that no later process compiles. Compiled
    code is for one kind of processor: call it on the kind that will use it.

    Parameters
    ----------
    estimators : iterable of str, default=None
        Names of classes in :mod:`skstruct.estimators`, such as ``["AnnealedHMM"]``.
        None means all of them. Defaults and the common parameters are covered; for
        rarer ones, and components of your own, fit them to a few samples yourself.

    Raises
    ------
    ValueError
        If a name is unknown.

    Examples
    --------
    >>> import skstruct
    >>> skstruct.warm_up(["AnnealedHMM"])
    """
    names = [*_JOBS] if estimators is None else estimators
    if isinstance(names, str) or not set(names := list(names)) <= set(_JOBS):
        raise ValueError(
            f"estimators={estimators!r} must be None or a list of some of these names: "
            f"{', '.join(_JOBS)}."
        )
    with warnings.catch_warnings():
        # That so little data says nothing is no news.
        warnings.simplefilter("ignore")
        for name in names:
            for parameters, X, y in _JOBS[name]():
                _use(getattr(models, name)(**parameters), X, y)


def _use(model, X, y):
    model.fit(X, y)
    for answer in _ANSWERS:
        if hasattr(model, answer):
            arguments = (X, y) if answer == "score" else (X,)
            getattr(model, answer)(*arguments)


def _sequences():
    """Symbols, numbers and counts, of the kinds that need kernels of their own."""
    symbols, states = make_hmm_sequences(
        8, n_states=2, n_symbols=4, length=6, random_state=0
    )
    vectors, _ = make_gaussian_hmm_sequences(2, n_states=2, length=20, random_state=0)
    words = [[f"w{s}" for s in sentence] for sentence in symbols]
    return words, symbols, vectors, states


def _hmms():
    words, symbols, vectors, states = _sequences()
    two = {"n_states": 2, "random_state": 0}
    tags = {"w0": ["A"], "w1": ["A", "B"], "w2": ["B"]}
    yield two, words, None
    yield two | {"order": 2}, words, None
    yield {"tag_dictionary": tags, "random_state": 0}, words, None
    yield {"supervision": "clamp", "random_state": 0}, words, states
    yield two | {"decoding": "posterior"}, words, None
    yield two | {"emissions": "loglinear"}, words, None
    yield two | {"emissions": "loglinear", "solver": "lbfgs"}, words, None
    yield two | {"emissions": "poisson"}, symbols, None
    yield two, vectors, None


def _taggers():
    words, _, vectors, states = _sequences()
    few = {"n_states": 2, "max_iter": 3, "random_state": 0}
    yield few, words, None
    yield few | {"reconstruction": "brown", "init": "brown"}, words, None
    yield few | {"solver": "adagrad", "decoding": "posterior"}, words, None
    yield few | {"supervision": "clamp"}, words, states
    yield few, vectors, None


def _aligners(**parameters):
    def jobs():
        yield parameters, make_bitext(20, random_state=0)[0], None

    return jobs


def _joint_aligners():
    bitext, _ = make_bitext(20, random_state=0)
    for agreement in ("odds", "product", None):
        yield {"agreement": agreement}, bitext, None


def _clusterers(*variants):
    def jobs():
        table, _ = make_phrase_table(200, n_phrases=20, random_state=0)
        few = {"n_clusters": 3, "n_init": 1, "max_iter": 40, "random_state": 0}
        for parameters in variants:
            yield few | parameters, table, None

    return jobs


def _graphical_models(*variants):
    def jobs():
        chains, labels = make_labelled_graphs(
            6, structure="chain", size=5, random_state=0
        )
        words = [[f"w{y}" for y in sample] for sample in labels]
        yield {}, words, labels
        yield {}, [features for features, _ in chains], labels
        for structure, size in (("chain", 5), ("tree", 5), ("grid", (2, 3))):
            X, y = make_labelled_graphs(
                6, structure=structure, size=size, random_state=0
            )
            for parameters in variants:
                yield parameters, X, y

    return jobs


# No Newton step gets as near as that, so that the last resort is compiled as well.
_FINE = Sparsity(1.0, tol=1e-300)
_LOSSES = [{}, {"loss": np.array([[0, 1, 5], [1, 0, 1], [2, 1, 0]])}]

# (parameters, X, y) of the fits that make each estimator compile.
_JOBS = {
    "AdversarialGraphicalModel": _graphical_models(*_LOSSES, {"temperature": 1.0}),
    "AnnealedHMM": _hmms,
    "CRFAutoencoderAligner": _joint_aligners,
    "CRFAutoencoderTagger": _taggers,
    "ConditionalRandomField": _graphical_models(*_LOSSES),
    "DiagonalAligner": _aligners(),
    "HMMAligner": _joint_aligners,
    "IBM1Aligner": _aligners(),
    "PitmanYorClusterer": _clusterers({}),
    "PosteriorRegularizedClusterer": _clusterers(
        {}, {"constraint": _FINE}, {"agreement": "direction"}
    ),
    "StructuredSVM": _graphical_models(*_LOSSES),
    "SymmetrizedAligner": _aligners(),
}

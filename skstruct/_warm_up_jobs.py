"""Small fits that make every estimator compile what it may need."""

import numpy as np

from skstruct.constraints import Sparsity
from skstruct.datasets import (
    make_bitext,
    make_gaussian_hmm_sequences,
    make_hmm_sequences,
    make_labelled_graphs,
    make_phrase_table,
)

__all__ = ["JOBS"]


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
JOBS = {
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

"""What a type checker makes of a user's program; `python -m mypy` reads this file."""

from typing import assert_type

from skstruct import (
    AnnealedHMM,
    ConditionalRandomField,
    CRFAutoencoderAligner,
    GraphBatch,
    PosteriorRegularizedClusterer,
    Ragged,
    trusted_types,
    warm_up,
)
from skstruct.datasets import read_text
from skstruct.featurizers import TokenFeaturizer
from skstruct.metrics import (
    alignment_error_rate,
    many_to_one_accuracy,
    v_measure,
)


def use() -> None:
    """What a user would write."""
    X = [["a", "b"], ["b"]]
    y = [[0, 1], [1]]

    assert_type(Ragged(X).with_values([0, 1, 1]), Ragged)
    assert_type(Ragged.from_lengths([0, 1, 1], [2, 1]), Ragged)
    assert_type(GraphBatch.from_sequences(X), GraphBatch)
    assert_type(read_text("text.txt"), Ragged)

    hmm = AnnealedHMM(2, random_state=0)
    assert_type(hmm.fit(X), AnnealedHMM)
    assert_type(hmm.score(X), float)
    assert_type(ConditionalRandomField().fit(X, y), ConditionalRandomField)
    assert_type(ConditionalRandomField().score(X, y), float)
    assert_type(CRFAutoencoderAligner().fit([]), CRFAutoencoderAligner)
    assert_type(PosteriorRegularizedClusterer().fit([]), PosteriorRegularizedClusterer)
    assert_type(TokenFeaturizer().fit(X), TokenFeaturizer)

    assert_type(v_measure(y, y), float)
    assert_type(many_to_one_accuracy(y, y), float)
    assert_type(alignment_error_rate([], []), float)
    assert_type(warm_up(["AnnealedHMM"]), None)
    assert_type(trusted_types(), list[str])

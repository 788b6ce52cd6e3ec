"""Sequence models do not ignore edges."""

import numpy as np
import pytest
from sklearn.base import clone

from skstruct import AnnealedHMM, CRFAutoencoderTagger, GraphBatch, Ragged

WORDS = [["the", "dog", "barks"], [], ["a", "cat"], ["the", "cat", "barks"]]
MODELS = {
    "hmm": AnnealedHMM(2, max_iter=3, random_state=0),
    "tagger": CRFAutoencoderTagger(2, max_iter=3, random_state=0),
}

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param])


def rejects(match, model, graphs):
    fitted = clone(model).fit(WORDS)
    for act in (clone(model).fit, fitted.predict, fitted.predict_proba, fitted.score):
        with pytest.raises(ValueError, match=match) as caught:
            act(graphs)
        assert "ConditionalRandomField" in str(caught.value)
        assert "X.offsets" in str(caught.value)


@pytest.mark.parametrize(
    ("edges", "match"),
    [
        (
            [(0, 1), (0, 2)],
            r"sample 2, which has 3 nodes, are \[\[0, 1\], \[0, 2\]\][.]",
        ),
        ([(0, 1)], r"sample 2, .* are \[\[0, 1\]\][.]"),
        ([(1, 0), (1, 2)], "sample 2"),  # as a sequence it would be read backwards
        ([(0, 1), (1, 2), (0, 2)], r"sample 2, .* \[0, 2\]\][.]"),
    ],
)
def test_graphs_are_rejected(model, edges, match):
    graphs = [(["a", "cat"], [(0, 1)]), (["a"], []), (["the", "dog", "barks"], edges)]
    rejects(match, model, GraphBatch(graphs))


def test_features_of_edges_are_rejected(model):
    rejects("features of edges", model, GraphBatch([(["a", "cat"], [(0, 1)], [[1.0]])]))


def test_chains_are_sequences(model):
    graphs = GraphBatch.from_sequences(WORDS)
    fitted = model.fit(graphs)
    other = clone(model).fit(Ragged(WORDS))
    assert fitted.score(graphs) == other.score(WORDS)
    turned = GraphBatch([(WORDS[0], [(1, 2), (0, 1)])])
    expected = fitted.predict([WORDS[0]])[0]
    np.testing.assert_array_equal(fitted.predict(turned)[0], expected)

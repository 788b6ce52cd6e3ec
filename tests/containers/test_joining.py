"""Batches join by + and np.concatenate, if they are alike."""

import numpy as np
import pytest
import scipy.sparse as sp

from skstruct import Bitext, Ragged
from skstruct.containers import GraphBatch
from tests.containers._graph_examples import as_plain, with_edge_values

WORDS = Ragged.from_lengths(["a", "b", "c"], [2, 1], tokens=["A", "B", "C"])
NUMBERS = Ragged([[1, 2], [3.5]])
ROWS = Ragged([np.eye(2), np.ones((1, 2))])


@pytest.mark.parametrize("batch", [WORDS, NUMBERS, ROWS, WORDS[:0]], ids=repr)
def test_sequences(batch):
    joined = batch + batch[:1]
    expected = [*batch, *batch[:1]]
    assert type(joined) is Ragged
    assert [s.tolist() for s in joined] == [s.tolist() for s in expected]
    assert (joined.tokens is None) == (batch.tokens is None)


def test_sequences_of_sparse_rows():
    sparse = ROWS.with_values(sp.csr_array(ROWS.values))
    assert (sparse + sparse).values.toarray().tolist() == [*ROWS.values.tolist()] * 2


@pytest.mark.parametrize("gaps", [[[None, None]], []])
@pytest.mark.parametrize("labels", [[["A", "B"]], [[0, 1]], [[True]]])
def test_labels_join_those_that_are_unknown(labels, gaps):
    gaps, labels = Ragged(gaps), Ragged(labels)
    assert (labels + gaps).n_tokens == labels.n_tokens + gaps.n_tokens


@pytest.mark.parametrize("tokens", [[["a"], [1]], [[1], ["a", 2]], [["a"], [None]]])
def test_parts_of_what_was_one_batch(tokens):
    batch = Ragged(tokens)
    assert [s.tolist() for s in batch[:1] + batch[1:]] == tokens


def test_graphs_keep_edges_and_their_features():
    batch = with_edge_values()
    joined = batch[3:] + batch[:3]
    assert type(joined) is GraphBatch
    assert as_plain(joined) == as_plain(batch[[3, 4, 0, 1, 2]])


@pytest.mark.parametrize(
    "join", [lambda a, b: a + b, lambda a, b: np.concatenate([a, b])]
)
@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (WORDS, NUMBERS, "Batch 1 holds numbers, batch 0 symbols"),
        (NUMBERS, WORDS, "Batch 1 holds symbols, batch 0 numbers"),
        (ROWS, NUMBERS, r"Batch 1 has tokens of shape \(\), batch 0 of shape \(2,\)"),
        (ROWS, ROWS.with_values(np.ones((3, 3))), r"of shape \(3,\), batch 0 of shape"),
        (ROWS, ROWS.with_values(sp.eye_array(3, 2)), "Batch 1 holds sparse rows"),
        (
            GraphBatch([(ROWS.values, [(0, 1)], [[1.0]])]),
            GraphBatch([(ROWS.values, [(0, 1)])]),
            "Batch 1 has no edge features, but batch 0 has",
        ),
        (
            GraphBatch([(ROWS.values, [(0, 1)], [[1.0]])]),
            GraphBatch([(ROWS.values, [(0, 1)], [[1.0, 2.0]])]),
            "Batch 1 has 2 features an edge, batch 0 1",
        ),
    ],
)
def test_unlike_batches(join, first, second, message):
    with pytest.raises(ValueError, match=message):
        join(first, second)


def test_unlike_kinds():
    graphs = GraphBatch.from_sequences(WORDS)
    for first, second in ((WORDS, graphs), (graphs, WORDS), (Bitext([]), WORDS)):
        names = f"A {type(first).__name__} and a {type(second).__name__} do not join"
        with pytest.raises(TypeError, match=names):
            first + second
    for other in ([["a"]], 1, "a", None):
        with pytest.raises(
            TypeError, match=r"unsupported operand|can only concatenate"
        ):
            WORDS + other

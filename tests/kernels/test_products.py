"""Products of sparse matrices against dense ones, whatever the chunks and threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.kernels import _products
from skstruct.kernels._products import (
    pairs_times,
    pairs_transposed,
    sparse_times,
    transposed_times,
)

SHAPES = [(40, 30, 1), (40, 30, 3), (25, 60, 23), (7, 0, 4), (0, 5, 2), (0, 0, 3)]


def case(N, F, K, index=np.int32):
    """A matrix with rows of none to many entries, and tables for both products."""
    rng = np.random.default_rng(N)
    dense = rng.normal(size=(N, F)) * (rng.random((N, F)) < rng.random((N, 1)))
    matrix = sp.csr_array(dense)
    matrix.indices, matrix.indptr = (
        part.astype(index) for part in (matrix.indices, matrix.indptr)
    )
    return dense, matrix, rng.normal(size=(F, K)), rng.normal(size=(N, K))


def times(matrix, table, base, n_jobs=None):
    out = np.full((matrix.shape[0], table.shape[1]), np.nan)
    sparse_times(matrix, table, base, out, n_jobs)
    return out


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("shape", SHAPES)
def test_products_are_those_of_dense_matrices(shape, index):
    dense, matrix, table, counts = case(*shape, index)
    base = np.arange(shape[2], dtype=float)
    assert_allclose(times(matrix, table, base), base + dense @ table, atol=1e-12)
    found = transposed_times(matrix, counts)
    assert_allclose(found, dense.T @ counts, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_products_with_some_entries_of_a_table(shape):
    dense, matrix, table, counts = case(*shape)
    mask = np.random.default_rng(0).random(table.shape) < 0.4
    pairs = sp.csr_array(mask)
    out = np.ones(counts.shape)
    pairs_times(matrix, pairs, table[mask], out)
    assert_allclose(out, 1 + dense @ (table * mask), atol=1e-12)
    found = np.full(mask.sum(), np.nan)
    pairs_transposed(sp.csr_array(matrix.T), pairs, counts, found)
    assert_allclose(found, (dense.T @ counts)[mask], atol=1e-12)


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr(_products, "_CHUNK", 10)
    _, matrix, table, counts = case(40, 30, 3)
    base = np.zeros(3)
    alone, threads = (times(matrix, table, base, n_jobs=n) for n in (1, 3))
    assert_array_equal(alone, threads)
    alone, threads = (transposed_times(matrix, counts, n_jobs=n) for n in (1, 3))
    assert_array_equal(alone, threads)
    pairs = sp.csr_array(table > 0)
    ends = [np.zeros_like(counts), np.zeros_like(counts)]
    for out, n_jobs in zip(ends, (1, 3), strict=True):
        pairs_times(matrix, pairs, table[table > 0], out, n_jobs)
    assert_array_equal(*ends)


def test_sums_are_cut_into_few_pieces(monkeypatch):
    monkeypatch.setattr(_products, "_CHUNK", 1)
    dense, matrix, _, counts = case(40, 30, 3)
    made = []
    inner = _products._transposed
    monkeypatch.setattr(
        _products, "_transposed", lambda *a: made.append(a) or inner(*a)
    )
    assert_allclose(transposed_times(matrix, counts), dense.T @ counts, atol=1e-12)
    assert 1 < len(made) <= 17


def test_read_only_arrays_are_accepted():
    dense, matrix, table, counts = case(40, 30, 3)
    for part in (matrix.data, matrix.indices, matrix.indptr, table, counts):
        part.flags.writeable = False
    assert_allclose(times(matrix, table, np.zeros(3)), dense @ table, atol=1e-12)
    assert_allclose(transposed_times(matrix, counts), dense.T @ counts, atol=1e-12)

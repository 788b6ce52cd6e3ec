"""Links that do not depend on one another, against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.structures import IndependentLinks, Lattice, LatticePotentials
from tests import _oracles as oracle

sizes = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4
)


def weights(sizes, reverse, seed=0):
    rng = np.random.default_rng(seed)
    source, target = np.array(sizes).T
    null = rng.random((source if reverse else target).sum()) + 0.1
    return source, target, rng.random(source @ target).astype(np.float32), null


@settings(max_examples=50, deadline=None)
@given(sizes, st.booleans(), st.integers(0, 2**32 - 1))
def test_posteriors_are_those_of_all_links(sizes, reverse, seed):
    source, target, weight, null = weights(sizes, reverse, seed)
    links = IndependentLinks(source, target, reverse=reverse)
    logs, cell, no_link = links.posterior(weight, null)
    assert logs.shape == (len(sizes),) and cell.dtype == np.float32
    c = t = 0
    for n, (n_source, n_target) in enumerate(sizes):
        shape = n_source, n_target
        part = slice(c, c + n_source * n_target)
        w, out = (x[part].reshape(shape).astype(float) for x in (weight, cell))
        w, out = (x if reverse else x.T for x in (w, out))  # (chain, states)
        own = slice(t, t + len(w))
        paths = oracle.alignment_paths(
            np.log(w), np.log(null[own]), np.zeros((1, 3)), [0] * w.shape[1], False
        )
        scores = np.array([score for _, score, _ in paths])
        assert_allclose(logs[n], oracle.log_partition(scores), rtol=1e-6, atol=1e-12)
        expected = np.zeros(w.shape)
        for (y, _, _), p in zip(paths, oracle.probabilities(scores), strict=True):
            for j, k in enumerate(y):
                if k:
                    expected[j, k - 1] += p
        assert_allclose(out, expected, rtol=1e-5)
        empty = w.shape[1] == 0
        assert_allclose(no_link[own], 0 if empty else 1 - expected.sum(axis=1))
        c, t = part.stop, t + len(w)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_lattice_without_jumps_gives_the_same(reverse):
    source, target, weight, null = weights([(5, 7), (1, 4), (0, 2), (6, 1)], reverse)
    found = IndependentLinks(source, target, reverse=reverse).posterior(weight, null)
    lattice = Lattice(source, target, reverse=reverse)
    same = lattice.posterior(LatticePotentials(None, np.log(null), np.zeros(3), weight))
    assert_allclose(found[0], same.log_partition, rtol=1e-6)
    assert_allclose(found[1], same.cell, rtol=1e-5)
    assert_allclose(found[2], same.null, rtol=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_threads_and_input(reverse):
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 400, (30, 2))
    source, target, weight, null = weights(sizes, reverse)
    weight.flags.writeable = null.flags.writeable = False
    answers = [
        IndependentLinks(source, target, reverse=reverse, n_jobs=n).posterior(
            weight, null
        )
        for n in (None, 3)
    ]
    for a, b in zip(*answers, strict=True):
        assert_array_equal(a, b)
        assert np.isfinite(a).all()


@pytest.mark.parametrize(
    ("weight", "null", "message"),
    [
        (np.ones(3), np.ones(2), r"weight has shape \(3,\); expected \(4,\)"),
        (np.ones(4), np.ones(3), r"null has shape \(3,\); expected \(2,\)"),
        (np.full(4, np.nan), np.ones(2), "weight must be finite"),
        (-np.ones(4), np.ones(2), "weight must be finite and at least 0"),
        (np.ones(4), [1, np.inf], "null must be finite"),
        (np.ones(4), [1, 0], r"null\[1\] is 0"),
    ],
)
def test_weights_that_are_none(weight, null, message):
    with pytest.raises(ValueError, match=message):
        IndependentLinks([2], [2]).posterior(weight, null)


def test_lengths_that_are_none():
    for lengths in ([1.5], [-1], [1, 2]):
        with pytest.raises(ValueError, match="length"):
            IndependentLinks(lengths, [2])

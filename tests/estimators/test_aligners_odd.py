"""Aligners in the hands of people who try odd things."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from skstruct import Bitext
from skstruct.constraints import Bijectivity, Sparsity
from skstruct.datasets import make_bitext
from skstruct.estimators import (
    CRFAutoencoderAligner,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
    SymmetrizedAligner,
)
from skstruct.metrics import aer_scorer

SINGLE = [IBM1Aligner(), DiagonalAligner()]
JOINT = [HMMAligner(), CRFAutoencoderAligner(random_state=0, max_iter=2)]
ALIGNERS = [*SINGLE, *JOINT, SymmetrizedAligner()]


def name(model):
    return type(model).__name__


each = pytest.mark.parametrize("model", ALIGNERS, ids=name)


@pytest.fixture(scope="module")
def text():
    X, gold = make_bitext(30, random_state=0)
    return [(s.tolist(), t.tolist()) for s, t in X], list(gold)


@each
@pytest.mark.parametrize(
    "X", [np.array("a b"), np.array(None), sp.eye_array(3), sp.eye_array(2).tocsr()]
)
def test_arrays_without_pairs(model, X):
    with pytest.raises(ValueError, match="X: Expected a list of pairs"):
        clone(model).fit(X)


@each
def test_a_pair_that_would_exhaust_memory_is_refused(model, text):
    words = [str(k % 100) for k in range(20_000)]
    X = [*text[0], (words, words)]
    message = r"X, pair 30 has 20000 source and 20000 target tokens, so 400000000 cells"
    with pytest.raises(ValueError, match=message):
        clone(model).fit(X)
    fitted = clone(model).fit(text[0])
    for method in ("predict", "predict_proba", "score"):
        with pytest.raises(ValueError, match=message):
            getattr(fitted, method)(X)


def test_a_text_of_too_many_cells_is_refused():
    words = np.zeros(9_000, dtype=int)
    with pytest.raises(
        ValueError, match=r"X has 2025000000 cells.* at most 2000000000"
    ):
        IBM1Aligner().fit([(words, words)] * 25)


@each
def test_decoding_set_after_fit_is_checked(model, text):
    fitted = clone(model).fit(text[0])
    decoding = "method" if name(model) == "SymmetrizedAligner" else "symmetrization"
    bad = {decoding: "gdfa", "threshold": 2.0}
    for parameter in bad.keys() & fitted.get_params().keys():
        changed = fitted.get_params()[parameter]
        fitted.set_params(**{parameter: bad[parameter]})
        for method in ("predict", "link_table"):
            with pytest.raises(ValueError, match=f"'{parameter}' parameter"):
                getattr(fitted, method)(text[0])
        fitted.set_params(**{parameter: changed}).predict(text[0])


@pytest.mark.parametrize("model", [*SINGLE, JOINT[0]], ids=name)
@pytest.mark.filterwarnings("error")
def test_the_smallest_null_prob(model, text):
    fitted = clone(model).set_params(null_prob=5e-324).fit(text[0])
    X = [*text[0], (["new"], ["neu", "?"])]
    assert np.isfinite(fitted.score_samples(X)).all()
    assert all(np.isfinite(p).all() for p in fitted.predict_proba(X))


@pytest.mark.parametrize(
    "base",
    [
        *SINGLE,
        HMMAligner(agreement=None, symmetrization="forward"),
        CRFAutoencoderAligner(
            agreement=None, symmetrization="forward", random_state=0, max_iter=2
        ),
    ],
    ids=name,
)
def test_a_lexicon_serves_both_directions(base):
    # Nothing but the lexicon tells these words apart.
    X = [(["a", "b"], ["x", "y"]), (["b", "a"], ["x", "y"])] * 3
    lexicon = {("a", "y"): 100.0, ("b", "x"): 100.0}
    model = SymmetrizedAligner(clone(base).set_params(lexicon_prior=lexicon)).fit(X)
    assert model.aligner.lexicon_prior == lexicon
    forward = model.forward_.predict_proba(X)[0]
    reverse = model.reverse_.predict_proba(Bitext(X).reversed())[0].T
    for p in (forward, reverse):
        assert min(p[0, 1], p[1, 0]) > 100 * max(p[0, 0], p[1, 1])


@pytest.mark.parametrize(
    "aligner",
    [
        SymmetrizedAligner(),
        HMMAligner(agreement=None, symmetrization="forward", constraint="symmetry"),
        HMMAligner(agreement=None),
    ],
)
def test_what_joins_directions_is_not_joined_again(aligner, text):
    with pytest.raises(ValueError, match="trains both directions by itself"):
        SymmetrizedAligner(aligner).fit(text[0])


@pytest.mark.parametrize("link", [(100, 0), (0, 100), (10**18, 0)])
def test_gold_out_of_range_is_named_by_the_scorer(text, link):
    X, gold = text
    gold = [*gold[:7], None, [link], *gold[9:]]
    model = IBM1Aligner()
    with pytest.raises(ValueError, match=rf"y, pair 8: the link \({link[0]}, .*range"):
        aer_scorer(clone(model).fit(X), X, gold)
    gold[8] = None
    assert -1 <= aer_scorer(clone(model).fit(X), Bitext(X), gold) <= 0
    assert np.isfinite(cross_val_score(model, X, gold, scoring=aer_scorer, cv=3)).all()


@each
def test_the_order_of_the_text_does_not_matter(model, text):
    X = text[0][:10]
    order = np.random.default_rng(0).permutation(len(X))
    scores = clone(model).fit(X).score_samples(X)
    shuffled = clone(model).fit([X[n] for n in order]).score_samples(X)
    np.testing.assert_allclose(shuffled, scores, atol=1e-6)


@pytest.mark.parametrize("model", JOINT, ids=name)
def test_constraints_are_those_of_links(model, text):
    for constraint in (Sparsity(), ["symmetry", Sparsity()]):
        with pytest.raises(ValueError, match=r"constraint has Sparsity\(\); expected"):
            clone(model).set_params(constraint=constraint).fit(text[0])
    one, other = (
        clone(model).set_params(constraint=form(["symmetry", Bijectivity()]))
        for form in (list, tuple)
    )
    assert one.fit(text[0]).score(text[0]) == other.fit(text[0]).score(text[0])

"""Aligners on real text: links of dev sets, whose gold no model has seen."""

import numpy as np
import pytest

from skstruct import Bitext
from skstruct.datasets import read_bitext, read_links
from skstruct.estimators import (
    CRFAutoencoderAligner,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
    SymmetrizedAligner,
)
from skstruct.metrics import alignment_error_rate

PAIRS = ["en-et", "en-ru"]


@pytest.fixture(scope="module", params=PAIRS)
def text(request, corpora):
    """All text of a pair of languages, dev first, and the links of dev."""
    folder = corpora / "align" / request.param
    gold = read_links(folder / "dev.gold")
    parts = [
        read_bitext(folder / f"{part}.src", folder / f"{part}.tgt")
        for part in ("dev", "test")
    ]
    parts += [read_bitext(folder / "train.src.gz", folder / "train.tgt.gz")]
    X = np.concatenate(parts)
    assert isinstance(X, Bitext) and len(gold) == len(parts[0])
    return request.param, X, gold


@pytest.mark.parametrize(
    ("model", "bounds"),
    [
        (CRFAutoencoderAligner(random_state=0), (0.25, 0.21)),
        (HMMAligner(), (0.42, 0.26)),
        (SymmetrizedAligner(DiagonalAligner()), (0.51, 0.365)),
        (SymmetrizedAligner(IBM1Aligner()), (0.60, 0.57)),
    ],
    ids=["crf", "hmm", "diagonal", "ibm1"],
)
def test_error_rates(text, model, bounds):
    name, X, gold = text
    links = model.fit_predict(X)
    rate = alignment_error_rate(gold, links[: len(gold)])
    assert rate < bounds[PAIRS.index(name)]

"""What ``alignment.py`` compares: systems that link the words of sentence pairs."""

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from _align_data import first_letters, lower
from _align_peers import FAST_ALIGN, HMM, IBM1, IBM4, run_eflomal, run_thot
from sklearn.base import clone

from skstruct.estimators import (
    CRFAutoencoderAligner,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
    SymmetrizedAligner,
)

__all__ = ["ABLATION", "SYSTEMS", "System"]


class System(NamedTuple):
    """A name for tables, a function of pairs and seed, and how often it runs.

    The function gives CPU seconds and a dict of links, those "forward" and "reverse"
    and maybe those that the system decides on itself, "mean".
    """

    title: str
    run: Callable
    n_runs: int = 1


def cpu():
    """CPU seconds of this process and of those that it has started."""
    return sum(os.times()[:4])


# --- Peers


def peer(align, X, seed, change=None):
    """Links of a program that takes no seed, on pairs that are changed before."""
    begin = cpu()
    forward, reverse = align(change(X) if change else X)
    return cpu() - begin, {"forward": forward, "reverse": reverse}


def eflomal(**options):
    """Its defaults, which differ from run to run."""
    return partial(peer, run_eflomal, **options)


def thot(schedule, **options):
    """A model of thot."""
    return partial(peer, partial(run_thot, schedule=schedule), **options)


PEERS = {
    "eflomal": System("eflomal", eflomal(), 3),
    "eflomal-4": System("eflomal, 4 letters", eflomal(change=first_letters), 3),
    "fast_align": System("fast_align", thot(FAST_ALIGN)),
    "fast_align-lower": System(
        "fast_align, lower case", thot(FAST_ALIGN, change=lower)
    ),
    "fast_align-4": System(
        "fast_align, 4 letters", thot(FAST_ALIGN, change=first_letters)
    ),
    "thot-ibm1": System("IBM-1 (thot)", thot(IBM1)),
    "thot-hmm": System("HMM (thot)", thot(HMM)),
    "thot-ibm4": System("IBM-4 (thot)", thot(IBM4)),
}


# --- Ours


def seeded(model, seed):
    """A clone with a seed, if it takes one."""
    takes_seed = "random_state" in model.get_params()
    return clone(model).set_params(**({"random_state": seed} if takes_seed else {}))


def separate(model, X, seed):
    """A model of one direction, fitted in both."""
    model = seeded(model, seed)
    begin = cpu()
    joined = SymmetrizedAligner(model, method="mean").fit(X)
    backward = joined.reverse_.links_
    return cpu() - begin, {
        "forward": joined.forward_.links_,
        "reverse": backward.with_values(backward.values[:, ::-1]),
        "mean": joined.links_,
    }


def together(model, X, seed):
    """A model of both directions; fitted again, it answers with one of them."""
    model = seeded(model, seed)
    begin = cpu()
    links = {"mean": clone(model).fit(X).links_}
    seconds = cpu() - begin
    for direction in ("forward", "reverse"):
        one = clone(model).set_params(symmetrization=direction)
        links[direction] = one.fit(X).links_
    return seconds, links


def crf(**options):
    """The CRF autoencoder with some options."""
    return partial(together, CRFAutoencoderAligner(**options))


def hmm(**options):
    """The hidden Markov model with some options."""
    return partial(together, HMMAligner(**options))


# The paper's model, without links from other aligners; the encoder sees all pairs. The
# authors add one half to expected counts; their program's own default is 0.01.
AS_PUBLISHED = CRFAutoencoderAligner(
    reconstruction="word",
    features="paper",
    init="ibm1",
    update="map",
    alpha=0.5,
    agreement=None,
    symmetrization="forward",
    encoder_steps=2,
    encoder_sample=None,
    max_iter=10,
)

OURS = {
    "ibm1": System("IBM1Aligner", partial(separate, IBM1Aligner())),
    "diagonal": System("DiagonalAligner", partial(separate, DiagonalAligner())),
    "hmm": System("HMMAligner", hmm()),
    "crfae-paper": System("CRF-AE of the paper", partial(separate, AS_PUBLISHED)),
    "crfae-paper-less": System(
        "CRF-AE of the paper, add 0.01",
        partial(separate, clone(AS_PUBLISHED).set_params(alpha=0.01)),
    ),
    "crfae": System("CRFAutoencoderAligner", crf(), 3),
}

# EM has started with five steps of Model 1 and one of the HMM.
EM = {"update": "map", "alpha": 0.0}
ABLATION = {
    "hmm-em": System("HMM, words: EM", hmm(agreement=None, max_iter=9, **EM)),
    "hmm-variational": System(
        "HMM, words: variational", hmm(agreement=None, update="variational")
    ),
    "hmm-alone": System("HMM, words: CVB0", hmm(agreement=None)),
    "hmm-stem-alone": System(
        "HMM, 4 letters: CVB0", hmm(agreement=None, reconstruction="stem")
    ),
    "hmm-stem": System("HMM, 4 letters: CVB0, agreement", hmm(reconstruction="stem")),
    "hmm-stems": System(
        "HMM, 3 to 5 letters: CVB0, agreement",
        hmm(reconstruction="stem", stem_length=(4, 3, 5)),
    ),
    "crfae-word-alone": System(
        "CRF-AE, words, no agreement", crf(reconstruction="word", agreement=None)
    ),
    "crfae-word": System("CRF-AE, words", crf(reconstruction="word")),
    "crfae-stem": System("CRF-AE, one stem, of 4 letters", crf(stem_length=4)),
    "crfae-alone": System("CRF-AE, no agreement", crf(agreement=None)),
    "crfae-all-pairs": System(
        "CRF-AE, encoder learns from all pairs", crf(encoder_sample=None)
    ),
    "crfae-jumps": System("CRF-AE, encoder of jumps and NULL", crf(features=["jump"])),
    "crfae-half": System("CRF-AE, MAP, add 1/2", crf(update="map", alpha=0.5)),
    "crfae-likelihood": System("CRF-AE, maximum likelihood", crf(**EM)),
    "crfae-symmetry": System(
        "CRF-AE, symmetry constraint", crf(agreement=None, constraint="symmetry")
    ),
}

SYSTEMS = PEERS | OURS | ABLATION

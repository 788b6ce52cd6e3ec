"""Tagging with a few labelled sentences among many without labels.

A CRF autoencoder learns from all training sentences, some of which are labelled
(``supervision="clamp"``); a conditional random field (sklearn-crfsuite) with the same
features learns from those alone. Both tag sentences that neither has seen, with twelve
universal tags. The tables stand in ``doc/reproductions/few_labels.md``.

Run ``python examples/reproductions/few_labels.py``. Rows that are finished are kept in
``--out``.
The corpora are looked for in ``$SKSTRUCT_DATA`` and in ``../shared/data``.
"""

import argparse
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import sklearn_crfsuite
from _corpora import read
from _results import Results, groups, lines, spread

from skstruct import CRFAutoencoderTagger
from skstruct.datasets import to_universal_tags
from skstruct.featurizers import TokenFeaturizer
from skstruct.metrics import token_accuracy

CORPORA = ("da-cdt", "it-partut", "tr-imst")
SIZES = (20, 100, 500)
N_SEEDS = 2


def tagged(corpus, split):
    """Sentences, and their universal tags."""
    X, y = read(corpus, split, "UPOS")
    return X, y if corpus == "da-cdt" else to_universal_tags(y, "ud-petrov12")


def crf(X, y, labelled, X_test):
    """A CRF of the labelled sentences, with the features of the autoencoder."""
    features = TokenFeaturizer(output="dicts", min_identity_count=1).fit(X[labelled])
    model = sklearn_crfsuite.CRF(c1=0, c2=1.0, max_iterations=100)
    model.fit(list(features.transform(X[labelled])), list(map(list, y[labelled])))
    return model.predict(list(features.transform(X_test)))


def autoencoder(X, y, labelled, X_test, seed):
    """A CRF autoencoder of all sentences, with the labels of some."""
    known = set(labelled.tolist())
    given = [list(tags) if i in known else None for i, tags in enumerate(y)]
    model = CRFAutoencoderTagger(supervision="clamp", random_state=seed)
    return model.fit(X, given).predict(X_test)


def measure(system, corpus, n_labelled, seed, quick):
    """One row: accuracy on the test sentences."""
    (X, y), (X_test, y_test) = (tagged(corpus, split) for split in ("train", "test"))
    labelled = np.random.RandomState(seed).permutation(len(X))[:n_labelled]
    if quick:
        keep = np.union1d(np.arange(100), labelled)
        labelled = np.searchsorted(keep, labelled)
        X, y, X_test, y_test = X[keep], y[keep], X_test[:50], y_test[:50]
    if system == "CRF of these alone":
        answer = crf(X, y, labelled, X_test)
    else:
        answer = autoencoder(X, y, labelled, X_test, seed)
    return {"accuracy": token_accuracy(y_test, answer)}


def main():
    """Measure what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("reproductions"))
    parser.add_argument(
        "--quick", action="store_true", help="tiny, to see that it runs"
    )
    options = parser.parse_args()
    results = Results(options.out / "few_labels.jsonl")
    systems = ("CRF of these alone", "CRF autoencoder")
    corpora, sizes, n_seeds = CORPORA, SIZES, N_SEEDS
    if options.quick:
        corpora, sizes, n_seeds = CORPORA[2:], SIZES[:1], 1
    for corpus, n, seed, system in product(corpora, sizes, range(n_seeds), systems):
        key = {"system": system, "corpus": corpus, "n_labelled": n, "seed": seed}
        results.add(partial(measure, quick=options.quick, **key), **key)
    body = [
        [corpus, system]
        + [spread(results.find(**key, n_labelled=n), "accuracy", 100) for n in sizes]
        for corpus, system in groups(results.rows, "corpus", "system")
        for key in [{"corpus": corpus, "system": system}]
    ]
    head = ["corpus", "system", *(f"{n} labelled" for n in sizes)]
    print(*lines(head, body), sep="\n")


if __name__ == "__main__":
    main()

"""Deterministic annealing of hidden Markov taggers on real treebanks.

Three questions, each answered in a table of ``doc/reproductions/annealing.md``:

dictionary
    Given which tags each word may have, does annealing beat EM, and does its result
    depend on the start? (Smith and Eisner, 2004, section 2.)
induction
    Without a dictionary, does it help?
resources
    How far does a small dictionary carry, with few or no tagged sentences?

Run ``python examples/reproductions/annealing.py``. Rows that are finished are kept in
``--out`` and not run again. The corpora, gzipped columns word, UPOS and XPOS, are
looked for in ``$SKSTRUCT_DATA`` and in ``../shared/data``.
"""

import argparse
from collections import Counter
from functools import partial
from itertools import product
from pathlib import Path

import _annealing_tables
import numpy as np
from _annealing_data import read_piece
from _corpora import first_tokens, lower, read
from _results import Results
from sklearn.frozen import FrozenEstimator

from skstruct.datasets import to_universal_tags
from skstruct.emissions import Categorical
from skstruct.estimators import AnnealedHMM, TagDictionary
from skstruct.metrics import (
    many_to_one_accuracy,
    one_to_one_accuracy,
    token_accuracy,
    v_measure,
)

# Corpus, tags, tokens, and from which end of the shuffled training text they come: the
# defaults were chosen on the first 24,000 tokens, the last 96,000 are disjoint.
PIECES = {
    "en-ewt 24k": ("en-ewt", "XPOS", 24_000, "front"),
    "en-ewt 96k": ("en-ewt", "XPOS", 96_000, "back"),
    "da-cdt Petrov": ("da-cdt", "UPOS", 96_000, "front"),
    "da-cdt XPOS": ("da-cdt", "XPOS", 96_000, "front"),
    "it-partut XPOS": ("it-partut", "XPOS", 96_000, "front"),
}
QUICK = ("da-cdt", "UPOS", 2_000, "front")
PARTS = ("dictionary", "induction", "resources", "tagged")
TAGGED = (2, 5, 10, 50)

# Set beforehand, not tuned.
ALPHA, MIN_COUNT = 0.1, 2


# --- With a full dictionary


def random_start(piece, order, seed):
    """Dirichlet(1) rows that respect the dictionary, as parameters of AnnealedHMM."""
    rng = np.random.default_rng(seed)
    allowed = piece.dictionary.allowed(piece.symbols).T
    K = len(allowed)

    def rows(*shape, mask=1.0):
        table = rng.standard_exponential(shape) * mask
        return table / table.sum(axis=-1, keepdims=True)

    return {
        "startprob_init": rows(K),
        "transmat_init": rows(*(K,) * (order + 1)),
        "emissions": Categorical(
            init=rows(*allowed.shape, mask=allowed), symbols=piece.symbols
        ),
    }


def supervised(piece, order, n_tagged, draw):
    """Smoothed counts of a few tagged sentences."""
    rng = np.random.default_rng(100 + draw)
    ids = rng.choice(len(piece.X_rest), n_tagged, replace=False)
    X, y = piece.X_rest[ids], piece.y_rest[ids]
    symbols = np.union1d(piece.symbols.astype(str), X.values.astype(str))
    return AnnealedHMM(
        tag_dictionary=piece.dictionary,
        supervision="clamp",
        order=order,
        emissions=Categorical(alpha=0.1, symbols=symbols.astype(object)),
        transition_alpha=0.1,
    ).fit(X, y)


def tagging(piece, model, reference=None):
    """How well a model tags what it has learnt from."""
    predicted = model.predict(piece.X)
    ambiguous = piece.dictionary.allowed(piece.X.values).sum(axis=1) > 1
    gold, found = piece.y.values, predicted.values
    row = {
        "accuracy": token_accuracy(piece.y, predicted),
        "ambiguous": token_accuracy(gold[ambiguous], found[ambiguous]),
        "loglik": model.score(piece.X),
    }
    if reference is not None:
        found = np.searchsorted(model.states_.astype(str), found.astype(str))
        if not reference.exists():
            np.save(reference, found)
        row["same"] = float(np.mean(np.load(reference) == found))
    return row


def fitted_row(piece, reference=None, **parameters):
    """Fit a model and measure it."""
    model = AnnealedHMM(tag_dictionary=piece.dictionary, **parameters).fit(piece.X)
    row = tagging(piece, model, reference)
    return row | {"e_steps": model.n_e_steps_, "converged": model.converged_}


def from_starts(results, name, order, n_em, n_da):
    """EM and annealing from the uniform start and from random ones."""
    piece = read_piece(*PIECES[name])
    key = {"part": "dictionary", "piece": name, "order": order}
    # Taggings are compared with that of annealing from the default start.
    reference = results.path.parent / f"{name.replace(' ', '-')}-{order}.npy"

    def run(method, seed, **parameters):
        results.add(
            lambda: fitted_row(piece, order=order, **parameters),
            **key,
            method=method,
            seed=seed,
        )

    run("DA, default start", 0, reference=reference)
    run("EM, uniform start", 0, beta_min=1.0)
    for seed in range(max(n_em, n_da)):
        start = random_start(piece, order, seed)
        if seed < n_da:
            run("DA, random starts", seed, reference=reference, **start)
        if seed < n_em:
            run("EM, random starts", seed, beta_min=1.0, **start)


def from_tagged(results, name, order, n_draws):
    """Skewed annealing, and EM, from a few tagged sentences."""
    piece = read_piece(*PIECES[name])
    for m, draw in product(TAGGED, range(n_draws)):
        key = {"part": "tagged", "piece": name, "order": order, "m": m, "seed": draw}
        first = supervised(piece, order, m, draw)
        skew = {"skew_from": FrozenEstimator(first)}
        results.add(lambda f=first: tagging(piece, f), **key, method="counts")
        for method, parameters in (
            ("EM", skew | {"beta_min": 1.0}),
            ("skewed DA", skew),
        ):
            results.add(
                lambda p=parameters: fitted_row(piece, order=order, **p),
                **key,
                method=method,
            )


# --- Without a dictionary


def induction(results, corpus, n_tokens, n_seeds):
    """Twelve states against the universal tags."""
    X, y, *_ = read_piece(corpus, "UPOS", n_tokens, "front")
    y = to_universal_tags(y, "ud-petrov12")

    def measure(beta_min, seed):
        model = AnnealedHMM(12, beta_min=beta_min, n_init=1, random_state=seed).fit(X)
        states = model.predict(X)
        return {
            "v_measure": v_measure(y, states),
            "many_to_one": many_to_one_accuracy(y, states),
            "one_to_one": one_to_one_accuracy(y, states),
            "loglik": model.score(X),
            "e_steps": model.n_e_steps_,
        }

    for beta_min, seed in product((1.0, 0.5, 0.1), range(n_seeds)):
        results.add(
            lambda b=beta_min, s=seed: measure(b, s),
            part="induction",
            piece=corpus,
            method="EM" if beta_min == 1 else f"DA from {beta_min}",
            seed=seed,
        )


# --- Small dictionaries, few tagged sentences


def token_features(words, i):
    """What a supervised tagger reads of a word and its neighbours."""
    word = words[i]
    features = {
        "bias": 1.0,
        "word": word.lower(),
        "shape": word_shape(word),
        "before": words[i - 1].lower() if i else "<s>",
        "after": words[i + 1].lower() if i + 1 < len(words) else "</s>",
    }
    for n in (1, 2, 3):
        features[f"prefix{n}"] = word[:n].lower()
        features[f"suffix{n}"] = word[-n:].lower()
    return features


def word_shape(word):
    """Digits, upper case, lower case or other, of the first character."""
    if any(character.isdigit() for character in word):
        return "0"
    return "X" if word[0].isupper() else "x" if word[0].isalpha() else "."


def crf_row(X, y, X_test, y_test):
    """A supervised CRF."""
    from sklearn_crfsuite import CRF

    def features(X):
        return [[token_features(x, i) for i in range(len(x))] for x in X]

    crf = CRF(c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True)
    crf.fit(features(X), [tags.tolist() for tags in y])
    return {"accuracy": token_accuracy(y_test, crf.predict(features(X_test)))}


def resources(results, sizes, n_draws, n_tokens=24_000):
    """Token accuracy on held-out sentences of dictionaries and of a CRF."""
    X, y = read("en-ewt", "train", "UPOS")
    X_test, y_test = read("en-ewt", "test", "UPOS")
    order = np.random.default_rng(1234).permutation(len(X))
    size = first_tokens(X[order], n_tokens)
    plain, rest = order[:size], order[size:]
    counts = Counter(lower(X[plain]).values)

    def read_rare_by_ending(X, dictionary):
        """Words that are neither listed nor frequent give way to shape and ending."""

        def reading(word):
            known = word.lower() in dictionary or counts[word.lower()] >= MIN_COUNT
            return word.lower() if known else word_shape(word) + word[-2:].lower() + "*"

        return X.with_values([reading(word) for word in X.values])

    def hmm_row(dictionary, tagged, reader):
        model = AnnealedHMM(
            tag_dictionary=dictionary,
            supervision="clamp" if len(tagged) else "ignore",
            emissions=Categorical(alpha=ALPHA),
            transition_alpha=ALPHA,
        )
        labels = [*y[tagged], *[None] * len(plain)]
        model.fit(reader(X[np.r_[tagged, plain]]), labels)
        found = model.predict(reader(X_test))
        return {
            "accuracy": token_accuracy(y_test, found),
            "coverage": dictionary.coverage(lower(X_test).values),
            "e_steps": model.n_e_steps_,
        }

    for m, draw in product((0, 20, 100), range(n_draws)):
        if m == 0 and draw:
            continue  # nothing is drawn
        tagged = np.random.default_rng(draw).choice(rest, m, replace=False)
        key = {"part": "resources", "m": m, "seed": draw}
        if m:
            measure = partial(crf_row, X[tagged], y[tagged], X_test, y_test)
            results.add(measure, **key, method="CRF", words=None)
        for words in sizes:
            dictionary = TagDictionary.from_tagged(lower(X), y, keep=words)
            by_ending = partial(read_rare_by_ending, dictionary=dictionary)
            readers = {"HMM, words": lower, "HMM, rare words by ending": by_ending}
            for method, reader in readers.items():
                results.add(
                    partial(hmm_row, dictionary, tagged, reader),
                    **key,
                    method=method,
                    words=words,
                )


def measure(results, part):
    """All rows of one part."""
    if part == "dictionary":
        for name, order in product(PIECES, (1, 2)):
            from_starts(results, name, order, n_em=10, n_da=3)
    elif part == "induction":
        for corpus in ("en-ewt", "da-cdt"):
            induction(results, corpus, 24_000, 5)
    elif part == "resources":
        resources(results, (200, 1000, None), 3)
    else:
        for name, order in product(PIECES, (1, 2)):
            from_tagged(results, name, order, 3)


def main():
    """Measure what is missing, then print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "cache")
    parser.add_argument("--quick", action="store_true", help="a smoke test")
    parser.add_argument("--only", nargs="+", default=PARTS, choices=PARTS)
    options = parser.parse_args()
    if options.quick:
        results = Results(options.out / "quick" / "annealing.jsonl")
        PIECES["quick"] = QUICK
        from_starts(results, "quick", 1, 2, 1)
        from_starts(results, "quick", 2, 1, 1)
        from_tagged(results, "quick", 1, 1)
        induction(results, "da-cdt", 1_000, 1)
        resources(results, (200,), 1, n_tokens=1_000)
    else:
        results = Results(options.out / "annealing.jsonl")
        for part in options.only:
            measure(results, part)
    print(_annealing_tables.render(results.rows))


if __name__ == "__main__":
    main()

"""Aligners against enumeration: training, and the answers of fitted models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skstruct.containers import Bitext
from skstruct.estimators import (
    CRFAutoencoderAligner,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
)
from skstruct.featurizers import BrownClusterer
from tests.estimators import _alignment_oracle as oracle

CLOSE = {"rtol": 2e-4, "atol": 2e-6}


def pair(source, target):
    return source.split(), target.split()


TEXT = [
    pair("The dog barks", "Canis latrat"),
    pair("the girl 12", "puella , 12"),
    pair("dogs", ""),
    pair("the Dog dog", "canis cantat"),
    pair("", "latrat ."),
    pair("girl sings", "puella cantat ,"),
    pair("the girl sings", "puella"),
]
NEW = [
    pair("the cat", "feles latrat feles"),
    pair("", "canis"),
    pair("12 cat", "13"),
    pair("the dogs sing", "canes cantant"),
    pair("cat", ""),
]
WEIGHT = np.array([1, 2, 5, 0.5, 3, 0, 1])
LEXICON = {("cat", "feles"): 2.0, ("Dog", "canis"): 1.5}


def initial(word):
    return word[:1]


def assert_same_links(matrices, found):
    for matrix, pair in zip(matrices, found, strict=True):
        assert_allclose(matrix, pair.links.T, **CLOSE)


def per_word(found, n_words):
    logs = np.array([pair.log_partition for pair in found])
    return logs / np.maximum(n_words, 1)


def train(pairs, positions, update, alpha, weight, keys, lexicon=()):
    """Translations of an aligner of one direction, after each step; its history."""
    theta = oracle.Translations(pairs, keys, update, alpha, alpha or 1e-9, lexicon)
    n = 1 / len(theta.null)
    given = [(np.full((len(t), len(s)), n), np.full(len(t), n)) for s, t in pairs]
    learns = np.where([bool(s and t) for s, t in pairs], weight, 0)
    n_words = learns @ [len(t) for _, t in pairs]
    history = []
    for position in positions:
        found = oracle.enumerate_text(pairs, position, given)
        history.append(learns @ [pair.log_partition for pair in found] / n_words)
        theta.learn(pairs, found, learns)
        given = theta.of_training(pairs, found, learns)
    return theta, oracle.enumerate_text(pairs, positions[-1], given), history


@pytest.mark.parametrize("update", ["map", "variational", "cvb0"])
@pytest.mark.parametrize(
    ("reconstruction", "lexicon"), [("word", {}), ("stem", LEXICON), (initial, {})]
)
def test_ibm1(update, reconstruction, lexicon):
    keys = oracle.as_keys(reconstruction)
    model = IBM1Aligner(
        update=update,
        alpha=0.3,
        reconstruction=reconstruction,
        lexicon_prior=lexicon,
        store_posteriors=True,
        max_iter=4,
    ).fit(TEXT, sample_weight=WEIGHT)
    positions = [oracle.Uniform(0.1)] * 4
    theta, found, history = train(TEXT, positions, update, 0.3, WEIGHT, keys, lexicon)
    assert_allclose([r["log_likelihood"] for r in model.history_], history, rtol=1e-5)
    assert_same_links(model.posteriors_, found)
    for text in (TEXT, NEW):
        found = oracle.enumerate_text(text, positions[0], theta.of_new(text))
        assert_same_links(model.predict_proba(text), found)
        n_words = np.array([len(t) for _, t in text])
        scores = per_word(found, n_words)
        assert_allclose(model.score_samples(text), scores, rtol=1e-4)
        assert_allclose(model.score(text), scores @ n_words / n_words.sum(), rtol=1e-4)


def test_ibm1_by_maximum_likelihood():
    model = IBM1Aligner(max_iter=3).fit(TEXT)
    theta, _, history = train(
        TEXT, [oracle.Uniform(0.1)] * 3, "map", 0.0, np.ones(7), oracle.as_keys("word")
    )
    assert_allclose([r["log_likelihood"] for r in model.history_], history, rtol=1e-5)
    found = oracle.enumerate_text(NEW, oracle.Uniform(0.1), theta.of_new(NEW))
    assert_same_links(model.predict_proba(NEW), found)


@pytest.mark.parametrize("update", ["map", "variational", "cvb0"])
def test_diagonal(update):
    params = {"update": update, "alpha": 0.2, "null_prob": 0.2, "tension": 2.0}
    tensions = [
        DiagonalAligner(**params, max_iter=n).fit(TEXT, sample_weight=WEIGHT).tension_
        for n in (1, 2)
    ]
    positions = [oracle.Diagonal(0.2, tension) for tension in (2.0, *tensions)]
    model = DiagonalAligner(**params, max_iter=3, store_posteriors=True)
    model.fit(TEXT, sample_weight=WEIGHT)
    theta, _, history = train(
        TEXT, positions, update, 0.2, WEIGHT, oracle.as_keys("word")
    )
    assert_allclose([r["log_likelihood"] for r in model.history_], history, rtol=1e-5)
    last = oracle.Diagonal(0.2, model.tension_)
    for text in (TEXT, NEW):
        found = oracle.enumerate_text(text, last, theta.of_new(text))
        assert_same_links(model.predict_proba(text), found)
        n_words = np.array([len(t) for _, t in text])
        assert_allclose(model.score_samples(text), per_word(found, n_words), rtol=1e-4)
    if update != "cvb0":
        for a, b in zip(model.posteriors_, model.predict_proba(TEXT), strict=True):
            assert_allclose(a, b, **CLOSE)


MARKOV = [
    {},
    {"update": "map", "agreement": None, "reconstruction": "stem"},
    {"update": "variational", "agreement": "product", "init": "ibm1"},
    {"lexicon_prior": LEXICON, "reconstruction": initial, "agreement_strength": 1.0},
]


@pytest.mark.parametrize("params", MARKOV)
def test_hmm(params):
    model = HMMAligner(
        alpha=0.05, null_alpha=0.1, max_iter=3, store_posteriors=True
    ).set_params(**params)
    model.fit(TEXT, sample_weight=WEIGHT)
    weight = np.where([bool(s and t) for s, t in TEXT], WEIGHT, 0)
    p = model.get_params()
    theta, positions, both, logs = oracle.train_markov(
        TEXT,
        oracle.as_keys(p["reconstruction"]),
        weight,
        update=p["update"],
        alpha=0.05,
        null_alpha=0.1,
        null_prob=0.2,
        kind=p["agreement"],
        strength=p["agreement_strength"] if p["agreement"] else 0.0,
        max_iter=3,
        markov_steps=1 if p["init"] == "hmm" else 0,
        lexicon=p["lexicon_prior"] or {},
    )
    n_words = weight @ [len(s) + len(t) for s, t in TEXT]
    objectives = [record["objective"] for record in model.history_]
    assert_allclose(objectives, logs / n_words, rtol=1e-4)
    for k in range(2):
        jumps = np.exp(positions[k].jump[0])
        assert_allclose(model.jump_prob_[k], jumps, **CLOSE)
    for matrix, f, r in zip(model.posteriors_, *both, strict=True):
        assert_allclose(matrix, (f.links.T + r.links) / 2, **CLOSE)
    kind, n_rounds = p["agreement"], 3 if p["agreement"] else 1
    check_answers(model, theta, positions, kind, p["agreement_strength"], n_rounds)


def check_answers(model, theta, positions, kind, strength, n_rounds):
    """predict_proba, link_table and scores of known and new text."""
    for text in (TEXT, NEW):
        found = oracle.align(text, theta, positions, kind, strength, n_rounds)
        proba = model.predict_proba(text)
        for matrix, f, r in zip(proba, *found, strict=True):
            assert_allclose(matrix, (f.links.T + r.links) / 2, **CLOSE)
        table = model.link_table(text)
        for n, i, j, f, r in zip(
            *(
                table[name]
                for name in (
                    "pair",
                    "source_position",
                    "target_position",
                    "forward",
                    "reverse",
                )
            ),
            strict=True,
        ):
            assert_allclose(f, found[0][n].links[j, i], **CLOSE)
            assert_allclose(r, found[1][n].links[i, j], **CLOSE)
        check_scores(model, text, theta, positions)


def check_scores(model, text, theta, positions):
    logs = np.zeros(len(text))
    for k, side in enumerate([text, oracle.swapped(text)][: len(theta)]):
        joint = oracle.enumerate_text(side, positions[k], theta[k].of_new(side))
        logs += [pair.log_partition for pair in joint]
        if not positions[k].local:
            free = oracle.enumerate_text(side, positions[k])
            logs -= [pair.log_partition for pair in free]
    n_words = np.array([len(s) + len(t) for s, t in text])
    assert_allclose(model.score_samples(text), logs / n_words, rtol=1e-4, atol=1e-6)
    assert_allclose(model.score(text), logs.sum() / n_words.sum(), rtol=1e-4)


def test_hmm_in_reverse_is_forward_of_sides_swapped():
    params = {"agreement": None, "max_iter": 2, "store_posteriors": True}
    forward = HMMAligner(symmetrization="forward", **params).fit(TEXT, None, WEIGHT)
    reverse = HMMAligner(symmetrization="reverse", **params)
    reverse.fit(oracle.swapped(TEXT), None, WEIGHT)
    assert forward.directions_ == ["forward"] and reverse.directions_ == ["reverse"]
    for a, b in zip(forward.posteriors_, reverse.posteriors_, strict=True):
        assert_allclose(a, b.T, **CLOSE)
    assert_allclose(forward.jump_prob_, reverse.jump_prob_, rtol=1e-5)
    scores = forward.score_samples(NEW)
    assert_allclose(scores, reverse.score_samples(oracle.swapped(NEW)), rtol=1e-5)


def crf(**params):
    defaults = {"stem_length": 4, "alpha": 0.05, "null_alpha": 0.1}
    return CRFAutoencoderAligner(
        **defaults | {"max_iter": 2, "random_state": 0} | params
    )


CRF = [
    {},
    {"update": "map", "agreement": None, "reconstruction": "word"},
    {"update": "variational", "agreement": "product", "max_iter": 3},
    {"reconstruction": initial, "agreement_strength": 1.0},
]


@pytest.mark.parametrize("params", CRF)
def test_crf(params):
    model = crf(**params).fit(TEXT, sample_weight=WEIGHT)
    assert np.abs(model.coef_).max() > 0.1
    theta = [oracle.fitted_translations(model, k) for k in range(2)]
    for each in theta:
        each.keys = oracle.as_keys(model.reconstruction)
    kind = model.agreement
    n_rounds = model.max_iter if kind else 1
    check_answers(
        model,
        theta,
        oracle.encoders(model, TEXT),
        kind,
        model.agreement_strength,
        n_rounds,
    )


def test_posteriors_of_a_crf_before_its_encoder_moves():
    model = crf(max_iter=1, encoder_l2=1e9, store_posteriors=True).fit(TEXT)
    positions = oracle.encoders(model, TEXT)
    assert np.abs(model.coef_).max() < 1e-6
    weight = np.array([bool(s and t) for s, t in TEXT], dtype=float)
    both = []
    for k, side in enumerate([TEXT, oracle.swapped(TEXT)]):
        keys = oracle.as_keys("stem")
        found, jumps = oracle.start(side, keys, weight)
        assert_allclose(
            positions[k].jump - positions[k].jump.max(),
            jumps.jump - jumps.jump.max(),
            rtol=1e-4,
        )
        theta = oracle.Translations(side, keys, "cvb0", 0.05, 0.1)
        theta.learn(side, found, weight)
        given = theta.of_training(side, found, weight)
        both.append(oracle.enumerate_text(side, positions[k], given))
    for matrix, f, r in zip(model.posteriors_, *both, strict=True):
        assert_allclose(matrix, (f.links.T + r.links) / 2, **CLOSE)


def test_stems_of_several_lengths_count_by_their_geometric_mean():
    model = crf(stem_length=(4, 1, 2)).fit(TEXT)
    for k, directed in enumerate(model._model.directed):
        direction = model._model.translations.read(Bitext(NEW))[k]
        views = zip(directed.table.tables, direction.views, strict=True)
        each = [table.apply(view) for table, view in views]
        for found, *parts in zip(directed.table.apply(direction), *each, strict=True):
            assert_allclose(found, np.prod(parts, axis=0, dtype=float) ** (1 / 3), 1e-5)
    assert len({parts[0].tobytes() for parts in each}) == 3


def first(word):
    return word.lower()[:1]


def first_two(word):
    return word.lower()[:2]


@pytest.mark.parametrize(
    "reconstruction",
    [(first_two, first), [first_two, "stem"], ["stem", "brown", first]],
)
def test_several_reconstructions(reconstruction):
    models = HMMAligner(reconstruction=reconstruction, stem_length=1).fit(TEXT)
    for direction in models._model.translations.read(Bitext(NEW)):
        assert len(direction.views) == len(reconstruction)
    if "brown" not in reconstruction:
        stems = HMMAligner(reconstruction="stem", stem_length=[2, 1]).fit(TEXT)
        assert_allclose(stems.score_samples(NEW), models.score_samples(NEW), 1e-12)
        assert models.links_.values.tolist() == stems.links_.values.tolist()


def test_one_length_is_a_list_of_one():
    alone, listed = crf(stem_length=2).fit(TEXT), crf(stem_length=[2]).fit(TEXT)
    assert_allclose(alone.score_samples(NEW), listed.score_samples(NEW), rtol=1e-12)


@pytest.mark.parametrize("lengths", [(), (0,), ["a"], [True], (4, 2.5)])
def test_lengths_of_stems_are_positive_integers(lengths):
    with pytest.raises(ValueError, match="stem_length must be a positive integer"):
        crf(stem_length=lengths).fit(TEXT)


def test_brown_classes_explain_nothing_but_are_explained():
    model = HMMAligner(reconstruction="brown", agreement=None, max_iter=1).fit(TEXT)
    theta, positions = [], []
    for k, side in enumerate([TEXT, oracle.swapped(TEXT)]):
        chain = [c for _, c in side]
        paths = BrownClusterer(lowercase=True).fit(chain).paths_
        keys = (str.lower, lambda word, paths=paths: paths.get(word.lower(), ""))
        weight = np.array([bool(s and t) for s, t in TEXT], dtype=float)
        found, _ = oracle.start(side, keys, weight)
        theta.append(oracle.Translations(side, keys, "cvb0", 1e-3, 1e-2))
        theta[k].learn(side, found, weight)
        positions.append(oracle.Markov(0.2, np.log(model.jump_prob_[k])))
    check_answers(model, theta, positions, None, 0.0, 1)


def test_a_new_state_word_spreads_over_the_words_beside_it():
    model = IBM1Aligner(update="map", alpha=0.5).fit(TEXT)
    # theta = alpha / (alpha * 2), whatever alpha: beside NULL both words are alike.
    p = model.predict_proba([(["zzz"], ["canis", "canis", "latrat"])])[0][0]
    null = oracle.fitted_translations(model)
    null.keys = oracle.as_keys("word")
    nothing = null.nothing(["canis", "canis", "latrat"])
    assert_allclose(p, 0.9 * 0.5 / (0.9 * 0.5 + 0.1 * nothing), rtol=1e-5)


@pytest.mark.parametrize("cls", [IBM1Aligner, DiagonalAligner, HMMAligner, crf])
def test_a_lexicon_pulls_links_and_makes_pairs_known(cls):
    text = [pair("a b", "x y")] * 3 + [pair("b a", "x y")] * 3
    known = {("a", "y"): 5.0, ("b", "x"): 5.0, ("new", "neu"): 5.0}
    model = cls().fit(text)
    pulled = cls(lexicon_prior=known).fit(text)
    before, after = (m.predict_proba(text[:1])[0] for m in (model, pulled))
    assert after[0, 1] > before[0, 1] + 0.05 and after[1, 0] > before[1, 0] + 0.05
    new = [pair("new a", "y neu")]
    assert pulled.predict(new)[0].tolist() == [[0, 1], [1, 0]]

"""Word classes by the exchange algorithm, against sums written out by hand."""

import pickle
import signal
import time
from collections import Counter
from itertools import chain, pairwise, product
from math import log

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from skstruct.containers import Ragged
from skstruct.datasets import make_hmm_sequences, read_conll, to_universal_tags
from skstruct.featurizers import ExchangeClusterer, PerToken
from skstruct.metrics import many_to_one_accuracy, v_measure

TEXT = """the cat sat . ; a dog ran . ; the dog sat on the mat . ; Rome saw a dog . ;
a cat saw 25 dogs and 7 cats . ; 25 cats ran and sat . ; a Dog sat on 25 mats ."""
SENTENCES = [sentence.split() for sentence in TEXT.split(";")]


def suffix_and_case(word):
    return word[-1], word.istitle()


def objective_by_hand(sequences, class_of, attributes=None, weight=1.0, prior=0.1):
    """Token by token the class bigrams, type by type the attributes."""
    class_of = {None: "boundary", **class_of}
    padded = [[None, *s, None] for s in sequences if s]
    pairs = [pair for s in padded for pair in pairwise(s)]
    bigrams = Counter((class_of[v], class_of[w]) for v, w in pairs)
    left = Counter(class_of[v] for v, _ in pairs)
    right = Counter(class_of[w] for _, w in pairs)
    words = Counter(w for _, w in pairs)
    total = 0.0
    for v, w in pairs:
        total += log(bigrams[class_of[v], class_of[w]] / left[class_of[v]])
        total += log(words[w] / right[class_of[w]])
    types = [w for w in words if w is not None]
    rows = [attributes(w) if attributes else () for w in types]
    for column in zip(*rows, strict=True):
        seen, n_values = Counter(), len(set(column))
        for w, value in zip(types, column, strict=True):
            k = class_of[w]
            of_class = sum(n for (_, c), n in seen.items() if c == k)
            p = (seen[value, k] + prior) / (of_class + prior * n_values)
            total += weight * log(p)
            seen[value, k] += 1
    return total


def classes(clusterer):
    return dict(zip(clusterer.words_.tolist(), clusterer.labels_.tolist(), strict=True))


def random_corpus(seed, n_types=5):
    rng = np.random.RandomState(seed)
    words = ["Ab", "bb", "Ba", "a", "A", "b", "Bb"][:n_types]
    return [rng.choice(words, size=n).tolist() for n in rng.randint(0, 7, size=6)]


@pytest.mark.parametrize("weight", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("attributes", [None, suffix_and_case])
def test_objective_equals_sums_by_hand(attributes, weight):
    clusterer = ExchangeClusterer(
        3, attributes=attributes, attribute_weight=weight, n_init=3, random_state=0
    ).fit(SENTENCES)
    expected = objective_by_hand(SENTENCES, classes(clusterer), attributes, weight)
    assert clusterer.objective_ == pytest.approx(expected, rel=1e-12)
    assert clusterer.objective_ == clusterer.objectives_.max()


@pytest.mark.parametrize("attributes", [None, suffix_and_case])
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_no_single_move_is_better(n_clusters, attributes):
    for seed in range(10):
        X = random_corpus(seed)
        clusterer = ExchangeClusterer(
            n_clusters, attributes=attributes, n_init=1, random_state=seed, max_iter=99
        ).fit(X)
        found = classes(clusterer)
        for word, k in product(found, range(n_clusters)):
            moved = objective_by_hand(X, found | {word: k}, attributes)
            assert moved <= clusterer.objective_ + 1e-6


@pytest.mark.parametrize("attributes", [None, suffix_and_case])
def test_many_starts_find_the_best_of_all_classes(attributes):
    for seed in range(4):
        X = random_corpus(seed)
        words = sorted(set(chain.from_iterable(X)))
        best = max(
            objective_by_hand(X, dict(zip(words, labels, strict=True)), attributes)
            for labels in product(range(2), repeat=len(words))
        )
        clusterer = ExchangeClusterer(2, attributes=attributes, random_state=0).fit(X)
        assert clusterer.objective_ == pytest.approx(best, rel=1e-12)


@pytest.fixture(scope="module")
def generated():
    """Words that each belong to one of four states."""
    emissionprob = np.kron(np.eye(4), np.full(15, 1 / 15))
    transmat = np.array(
        [[0.1, 0.8, 0.1, 0], [0, 0.1, 0.8, 0.1], [0.7, 0, 0, 0.3], [0.6, 0.4, 0, 0]]
    )
    return make_hmm_sequences(
        200, transmat=transmat, emissionprob=emissionprob, random_state=0
    )[:2]


def test_objective_never_falls_over_sweeps(generated):
    X, _ = generated
    sweeps = [
        ExchangeClusterer(6, n_init=5, n_perturbations=0, max_iter=n, random_state=0)
        .fit(X)
        .objectives_
        for n in range(1, 8)
    ]
    assert (np.diff(sweeps, axis=0) >= 0).all()
    assert (sweeps[-1] > sweeps[0]).all()


def test_finds_the_classes_that_made_the_text(generated):
    X, y = generated
    clusterer = ExchangeClusterer(4, random_state=0).fit(X)
    assert v_measure(y, clusterer.predict(X)) == 1


def test_classes_are_numbered_by_falling_number_of_tokens():
    clusterer = ExchangeClusterer(4, random_state=1).fit(SENTENCES)
    tokens = np.bincount(clusterer.labels_, clusterer.counts_)
    assert (np.diff(tokens) <= 0).all()
    expected = Counter(chain.from_iterable(SENTENCES))
    assert clusterer.words_.tolist() == [w for w, _ in expected.most_common()]
    assert clusterer.counts_.tolist() == [n for _, n in expected.most_common()]


def test_result_depends_on_the_seed_alone(generated):
    X, _ = generated
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one = ExchangeClusterer(9, n_init=6, random_state=3).fit(X)
    two = ExchangeClusterer(9, n_init=6, random_state=3, n_jobs=2).fit(X)
    assert (one.labels_ == two.labels_).all()
    assert (one.objectives_ == two.objectives_).all()
    fewer = ExchangeClusterer(9, n_init=4, random_state=3).fit(X)
    assert (fewer.objectives_ == one.objectives_[:4]).all()
    assert len(set(one.objectives_)) > 1
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


def test_answers_in_the_form_of_the_data():
    clusterer = ExchangeClusterer(3, n_init=2, random_state=0).fit(SENTENCES)
    X = [["the", "cat"], [], ["sat"]]
    expected = [[classes(clusterer)[w] for w in s] for s in X]
    answer = clusterer.predict(X)
    assert isinstance(answer, np.ndarray)
    assert [s.tolist() for s in answer] == expected
    for batch in (clusterer.predict(Ragged(X)), clusterer.transform(X)):
        assert isinstance(batch, Ragged)
        assert [s.tolist() for s in batch] == expected
    assert clusterer.predict([[], []])[1].tolist() == []


def test_tokens_beside_feature_rows_are_read():
    words = Ragged(SENTENCES)
    rows = Ragged.from_arrays(
        np.zeros((words.n_tokens, 2)), words.offsets, tokens=words.values
    )
    clusterer = ExchangeClusterer(3, n_init=2, random_state=0).fit(words)
    beside = clone(clusterer).fit(rows)
    assert classes(beside) == classes(clusterer)
    assert (beside.transform(rows).values == clusterer.transform(words).values).all()
    assert beside.transform(rows).tokens.tolist() == words.values.tolist()
    assert clusterer.transform(words).tokens.tolist() == words.values.tolist()


def test_new_words_go_where_words_look_alike_and_are_many():
    clusterer = ExchangeClusterer(3, attributes=suffix_and_case, random_state=0)
    clusterer.fit(SENTENCES)
    found, sizes = classes(clusterer), np.bincount(clusterer.labels_, minlength=3)
    values = [set(column) for column in zip(*map(suffix_and_case, found), strict=True)]
    for word in ("hat", "Dogs", "zebras", "Bob"):
        score = np.log(sizes)
        for a, value in enumerate(suffix_and_case(word)):
            if value not in values[a]:  # says nothing
                continue
            having = [w for w in found if suffix_and_case(w)[a] == value]
            n = np.bincount([found[w] for w in having], minlength=3)
            score += np.log((n + 0.1) / (sizes + 0.1 * len(values[a])))
        assert clusterer.predict([[word, "the"]])[0][0] == score.argmax()


def test_rare_values_count_as_one():
    # Of 1,500 types three or fewer are rare.
    words = [f"w{i}" for i in range(1500)]
    value = {w: ("rare", i)[i >= 5] for i, w in enumerate(words)}
    X = [words, words[::-1]]
    clusterer = ExchangeClusterer(
        2, attributes=lambda w: (value.get(w),), n_init=1, max_iter=1, random_state=0
    ).fit(X)

    def merged(word):
        return (value[word] == "rare",)

    expected = objective_by_hand(X, classes(clusterer), merged)
    assert clusterer.objective_ == pytest.approx(expected, rel=1e-9)


def test_without_attributes_new_words_go_where_most_types_are():
    clusterer = ExchangeClusterer(3, attributes=None, random_state=0).fit(SENTENCES)
    largest = np.bincount(clusterer.labels_).argmax()
    assert clusterer.predict([["zebra"]])[0][0] == largest


def test_form_is_suffix_and_shape():
    words = ["Rome", "rome", "home", "25", "3.5", "7", "x", "NATO-led", "ROME", "."]
    words += ["AL\u0130", "VEL\u0130", "veli"]  # a letter of two code points below
    X = [words, words[::2], words[::-1]]

    def by_hand(word):
        shape = {"Rome": "Aa", "25": "0", "3.5": "0#0", "7": "0", "ROME": "A"}
        shape |= {"NATO-led": "A#a", ".": "#", "AL\u0130": "A", "VEL\u0130": "A"}
        return word[-2:].lower(), shape.get(word, "a")

    clusterer = ExchangeClusterer(3, n_init=4, random_state=0).fit(X)
    same = clone(clusterer).set_params(attributes=by_hand).fit(X)
    assert same.objective_ == clusterer.objective_


def test_tokens_that_are_no_text_have_no_form():
    rng = np.random.RandomState(0)
    X = [rng.randint(9, size=20) for _ in range(5)]
    clusterer = ExchangeClusterer(3, n_init=4, random_state=0).fit(X)
    plain = clone(clusterer).set_params(attributes=None).fit(X)
    assert (clusterer.objectives_ == plain.objectives_).all()
    assert clusterer.words_.dtype.kind == "i"
    assert clusterer.predict([X[0]])[0].tolist() == plain.predict([X[0]])[0].tolist()


def test_fewer_words_than_classes():
    clusterer = ExchangeClusterer(12, random_state=0).fit([["a", "b", "a"], ["c"]])
    assert clusterer.labels_.max() < 3
    assert np.isfinite(clusterer.objective_)
    assert clusterer.predict([["z", "a"]])[0].max() < 3
    assert ExchangeClusterer(1).fit([["a", "b"]]).labels_.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"attributes": "suffix"}, "attributes"),
        ({"attribute_weight": -1.0}, "attribute_weight"),
        ({"attribute_weight": np.inf}, "attribute_weight"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"attributes": lambda word: word[-1]}, "answers 't' for the word 'cat'"),
        ({"attributes": lambda word: tuple(word)}, "for the word 'dogs'.* one length"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        ExchangeClusterer(**params).fit([["cat", "the", "cat", "dogs"], ["the", "cat"]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[], []], "no tokens"),
        ([["a", None]], "sample 0, position 1 is None"),
        (np.ones((3, 2)), "no words"),
        (["a rose"], "split text into tokens"),
        ([], "X is empty"),
    ],
)
def test_bad_data_is_named(X, message):
    with pytest.raises(ValueError, match=message):
        ExchangeClusterer().fit(X)


def test_not_fitted():
    for method in ("predict", "transform"):
        with pytest.raises(NotFittedError):
            getattr(ExchangeClusterer(), method)(SENTENCES)


def test_lives_with_scikit_learn():
    clusterer = ExchangeClusterer(3, n_init=2, random_state=0)
    with config_context(transform_output="pandas"):
        out = clusterer.fit_transform(SENTENCES)
    assert isinstance(out, Ragged)
    again = pickle.loads(pickle.dumps(clusterer))
    assert again.predict([["Rome", "zebras"]])[0].tolist() == (
        clusterer.predict([["Rome", "zebras"]])[0].tolist()
    )
    assert get_tags(clusterer).input_tags.string
    pipe = make_pipeline(PerToken(str.lower), clone(clusterer)).fit(SENTENCES)
    assert "rome" in pipe[-1].words_
    assert pipe.predict([["ROME"]])[0] == pipe.predict([["rome"]])[0]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_can_be_interrupted(n_jobs):
    clusterer = ExchangeClusterer(3, n_init=100_000, random_state=0, n_jobs=n_jobs)
    clone(clusterer).set_params(n_init=2).fit(SENTENCES)  # compiles

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    start = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.7)
        with pytest.raises(KeyboardInterrupt):
            clusterer.fit(SENTENCES)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 4
    assert not hasattr(clusterer, "labels_")


def test_danish_classes_tell_parts_of_speech(corpora):
    X, y = read_conll(corpora / "pos" / "da-cdt" / "train.tsv.gz", columns=(0, 1))
    y = to_universal_tags(y, "ud-petrov12")
    answer = ExchangeClusterer(n_init=4, random_state=0).fit_transform(X)
    assert v_measure(y, answer) > 0.38
    assert many_to_one_accuracy(y, answer) > 0.55


def test_an_interrupted_fit_leaves_what_was_fitted(monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    clusterer = ExchangeClusterer(4, n_perturbations=0, random_state=0).fit(SENTENCES)
    before = pickle.dumps(vars(clusterer))
    monkeypatch.setattr("skstruct.featurizers._exchange.exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clusterer.fit([["other", "words"]])
    assert pickle.dumps(vars(clusterer)) == before


@pytest.mark.parametrize("n_clusters", [1, 50])
def test_new_words_are_judged_by_what_was_fitted(n_clusters):
    clusterer = ExchangeClusterer(4, n_perturbations=0, random_state=0).fit(SENTENCES)
    new = [["30", "Rats", "slept"]]
    before = clusterer.predict(new)[0]
    after = clusterer.set_params(n_clusters=n_clusters).predict(new)[0]
    np.testing.assert_array_equal(after, before)


def test_far_more_classes_than_types_are_no_burden():
    words = [["a", "b", "c"], ["c", "d"]]
    options = {"n_perturbations": 2, "random_state": 0}
    many = ExchangeClusterer(100_000, **options).fit(words)
    exact = ExchangeClusterer(4, **options).fit(words)
    np.testing.assert_array_equal(many.labels_, exact.labels_)
    assert many.predict([["a", "new"]])[0].max() < 4


@pytest.mark.parametrize("weight", [-1, 1.1e6, 1e308, np.inf, np.nan])
def test_weights_beyond_bounds_are_refused(weight):
    with pytest.raises(ValueError, match="'attribute_weight' parameter"):
        ExchangeClusterer(attribute_weight=weight).fit(SENTENCES)


def test_the_largest_weight_gives_a_finite_objective():
    clusterer = ExchangeClusterer(3, attribute_weight=1e6, n_perturbations=0)
    assert np.isfinite(clusterer.fit(SENTENCES).objective_)


def _asks_too_much(word):
    return ({"a": 1}[word],)


def _unhashable(word):
    return word, (word if word == "a" else [word])


@pytest.mark.parametrize("attributes", [_asks_too_much, _unhashable])
def test_errors_of_attributes_name_the_function_and_the_word(attributes):
    message = f"attributes: {attributes.__name__} .* for the word 'b'"
    clusterer = ExchangeClusterer(1, attributes=attributes, n_perturbations=0)
    with pytest.raises(ValueError, match=message) as caught:
        clusterer.fit([["a", "b"]])
    assert isinstance(caught.value.__cause__, KeyError | TypeError)
    with pytest.raises(ValueError, match=message):
        clusterer.fit([["a"]]).predict([["b"]])

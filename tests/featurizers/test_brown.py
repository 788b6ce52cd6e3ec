"""Brown clusters, against the greedy algorithm written out over all pairs."""

import gzip
import pickle
import signal
import time
from collections import Counter
from itertools import chain, combinations, pairwise
from math import log

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import mutual_info_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from skstruct.containers import Ragged
from skstruct.datasets import read_conll, to_universal_tags
from skstruct.featurizers import BrownClusterer, PerToken
from skstruct.kernels import _brown
from skstruct.metrics import many_to_one_accuracy

TEXT = """the cat sat . ; a dog ran . ; the dog sat on the mat . ; Rome saw a dog . ;
a cat saw 25 dogs and 7 cats . ; 25 cats ran and sat . ; a Dog sat on 25 mats ."""
SENTENCES = [sentence.split() for sentence in TEXT.split(";")]
EDGE, RARE = "<edge>", "<rare>"


def greedy(sequences, n_clusters, min_count=1):
    """Labels, merges and losses, each information summed anew over all classes."""
    counts = Counter(chain.from_iterable(sequences))
    words = [w for w, n in counts.most_common() if n >= min_count]
    rank = {w: i for i, w in enumerate(words)}
    padded = [[EDGE, *s, EDGE] for s in sequences if s]
    padded = [[w if w in rank or w == EDGE else RARE for w in s] for s in padded]
    bigrams = Counter(chain.from_iterable(map(pairwise, padded)))
    total = bigrams.total()
    tokens = Counter()
    for (v, _), n in bigrams.items():
        tokens[v] += n

    def information(places):
        """Of the classes so far, whose sizes count words beside later ones too."""
        of = {w: k for k, place in enumerate(places) for w in place}
        of |= {EDGE: -1, RARE: -2}
        sizes, cells = Counter(), Counter()
        for w, k in of.items():
            sizes[k] += tokens[w]
        for (v, w), n in bigrams.items():
            if v in of and w in of:
                cells[of[v], of[w]] += n
        terms = (
            n / total * log(n * total / (sizes[a] * sizes[b]))
            for (a, b), n in cells.items()
        )
        return sum(terms)

    def merge(places):
        now, best, chosen = information(places), np.inf, None
        for i, j in combinations(range(len(places)), 2):
            united = [p for k, p in enumerate(places) if k not in (i, j)]
            loss = now - information([*united, places[i] + places[j]])
            if loss < best - 1e-11:
                best, chosen = loss, (i, j)
        i, j = chosen
        pair = sorted(min(rank[w] for w in places[k]) for k in chosen)
        places[i] = places[i] + places[j]
        last = places.pop()
        if j < len(places):
            places[j] = last
        return pair, best

    places = []
    for word in words:
        places.append([word])
        if len(places) > n_clusters:
            merge(places)
    firsts = sorted(min(rank[w] for w in place) for place in places)
    of = {w: min(rank[v] for v in place) for place in places for w in place}
    labels = [firsts.index(of[w]) for w in words]
    merges = [merge(places) for _ in range(len(places) - 1)]
    pairs = [[firsts.index(v) for v in pair] for pair, _ in merges]
    return words, labels, pairs, [loss for _, loss in merges]


def random_corpus(seed):
    rng = np.random.RandomState(seed)
    n_types = rng.randint(4, 14)
    p = rng.dirichlet(np.ones(n_types))
    words = np.array([f"w{i}" for i in range(n_types)], dtype=object)
    return [rng.choice(words, p=p, size=n).tolist() for n in rng.randint(0, 15, 9)]


def information(X, class_of):
    """Mutual information of neighbours by scikit-learn."""
    padded = [
        ["edge", *(class_of.get(w, "rare") for w in s), "edge"] for s in X if len(s)
    ]
    pairs = list(chain.from_iterable(map(pairwise, padded)))
    number = {c: i for i, c in enumerate(dict.fromkeys(chain.from_iterable(pairs)))}
    left, right = zip(*((number[a], number[b]) for a, b in pairs), strict=True)
    return mutual_info_score(left, right)


def classes(clusterer, labels):
    return dict(zip(clusterer.words_.tolist(), labels.tolist(), strict=True))


@pytest.mark.parametrize("min_count", [1, 3])
@pytest.mark.parametrize("n_clusters", [1, 2, 4, 7])
def test_merges_are_those_of_the_greedy_algorithm(n_clusters, min_count):
    for seed in range(12):
        X = random_corpus(seed)
        clusterer = BrownClusterer(n_clusters, min_count=min_count).fit(X)
        words, labels, merges, losses = greedy(X, n_clusters, min_count)
        assert clusterer.words_.tolist() == words
        assert clusterer.labels_.tolist() == labels
        assert clusterer.merges_.tolist() == merges
        np.testing.assert_allclose(clusterer.merge_losses_, losses, atol=1e-10)


def test_information_is_that_of_adjacent_classes_and_the_boundary():
    for seed in range(5):
        X = random_corpus(seed)
        clusterer = BrownClusterer(4, min_count=2).fit(X)
        left = clusterer.mutual_information_
        for n, loss in zip(
            range(clusterer.n_clusters_, 0, -1),
            [*clusterer.merge_losses_, 0],
            strict=True,
        ):
            labels = clusterer.cut(n)
            assert len(set(labels)) == n
            expected = information(X, classes(clusterer, labels))
            assert left == pytest.approx(expected, abs=1e-10)
            left -= loss


def test_large_counts_small_blocks_same_result(monkeypatch):
    X = [s * 3 for s in SENTENCES]
    expected = BrownClusterer(5).fit(X)
    monkeypatch.setattr(_brown, "_TABLED", 3)
    monkeypatch.setattr(_brown, "_BLOCK", 1)
    clusterer = BrownClusterer(5).fit(X)
    assert clusterer.paths_ == expected.paths_
    assert (clusterer.merge_losses_ == expected.merge_losses_).all()


def test_paths_spell_the_tree():
    clusterer = BrownClusterer(6).fit(SENTENCES)
    paths = dict(
        zip(clusterer.labels_.tolist(), clusterer.paths_.values(), strict=True)
    )
    assert len(paths) == clusterer.n_clusters_ == 6
    assert clusterer.paths_ == {
        w: paths[k] for w, k in classes(clusterer, clusterer.labels_).items()
    }
    nodes = {k: {k} for k in paths}
    for kept, gone in clusterer.merges_.tolist():
        assert kept < gone
        prefixes = []
        for side in (kept, gone):
            shared = [set(zip(range(99), paths[k], strict=False)) for k in nodes[side]]
            prefixes.append(len(set.intersection(*shared)))
            inside = {paths[k][: prefixes[-1]] for k in nodes[side]}
            assert len(inside) == 1
        assert paths[kept][prefixes[0] - 1] == "0"
        assert paths[gone][prefixes[1] - 1] == "1"
        assert prefixes[0] == prefixes[1]
        nodes[kept] |= nodes.pop(gone)
    assert nodes == {0: set(range(6))}
    assert sum(2.0 ** -len(path) for path in paths.values()) == 1


def test_words_are_counted_most_frequent_first():
    clusterer = BrownClusterer(4).fit(SENTENCES)
    expected = Counter(chain.from_iterable(SENTENCES)).most_common()
    assert clusterer.words_.tolist() == [w for w, _ in expected]
    assert clusterer.counts_.tolist() == [n for _, n in expected]
    firsts = [clusterer.labels_.tolist().index(k) for k in range(4)]
    assert firsts == sorted(firsts)


def test_answers_in_the_form_of_the_data():
    clusterer = BrownClusterer(5).fit(SENTENCES)
    X = [["the", "zebra"], [], ["sat"]]
    expected = [[clusterer.paths_["the"], ""], [], [clusterer.paths_["sat"]]]
    batch = clusterer.transform(X)
    assert isinstance(batch, Ragged)
    assert [s.tolist() for s in batch] == expected
    assert batch.tokens.tolist() == ["the", "zebra", "sat"]
    answer = clusterer.predict(X)
    assert isinstance(answer, np.ndarray)
    assert [s.tolist() for s in answer] == expected
    assert isinstance(clusterer.predict(Ragged(X)), Ragged)


def test_tokens_beside_feature_rows_are_read():
    words = Ragged(SENTENCES)
    rows = Ragged.from_arrays(
        np.zeros((words.n_tokens, 2)), words.offsets, tokens=words.values
    )
    clusterer = BrownClusterer(3).fit(words)
    assert clone(clusterer).fit(rows).paths_ == clusterer.paths_
    out = clusterer.transform(rows)
    assert out.values.tolist() == clusterer.transform(words).values.tolist()
    assert out.tokens.tolist() == words.values.tolist()


def test_prefix_cuts_what_is_answered():
    clusterer = BrownClusterer(6).fit(SENTENCES)
    whole = clusterer.transform(SENTENCES).values
    assert max(map(len, whole)) > 2
    cut = clusterer.set_params(prefix=2).transform(SENTENCES).values
    assert cut.tolist() == [path[:2] for path in whole]
    assert max(map(len, clusterer.paths_.values())) > 2
    with pytest.raises(ValueError, match="prefix"):
        clusterer.set_params(prefix=-1).transform(SENTENCES)


def test_lowercase():
    clusterer = BrownClusterer(5, lowercase=True).fit(SENTENCES)
    lower = BrownClusterer(5).fit([[w.lower() for w in s] for s in SENTENCES])
    assert clusterer.paths_ == lower.paths_
    out = clusterer.transform([["Dog", "ROME"]])
    assert out.values.tolist() == [lower.paths_["dog"], lower.paths_["rome"]]
    assert out.tokens.tolist() == ["Dog", "ROME"]
    numbers = BrownClusterer(2, lowercase=True).fit([[3, 1, 3], [1, 2]])
    assert set(numbers.paths_) == {1, 2, 3}


def test_rare_words_have_no_path():
    clusterer = BrownClusterer(3, min_count=3).fit(SENTENCES)
    counts = Counter(chain.from_iterable(SENTENCES))
    assert set(clusterer.paths_) == {w for w, n in counts.items() if n >= 3}
    assert clusterer.transform([["Rome", "the"]])[0].tolist() == [
        "",
        clusterer.paths_["the"],
    ]


def test_fewer_words_than_clusters():
    clusterer = BrownClusterer().fit([["a", "b", "a"], ["c"]])
    assert clusterer.n_clusters_ == 3
    assert sorted(clusterer.labels_) == [0, 1, 2]
    one = BrownClusterer().fit([["a"]])
    assert one.paths_ == {"a": "0"}
    assert one.merges_.shape == (0, 2)
    assert one.cut(1).tolist() == [0]


@pytest.mark.parametrize("n", [0, 4, 1.5, "2"])
def test_cut_says_how_many_there_are(n):
    with pytest.raises(ValueError, match="from 1 to 3"):
        BrownClusterer(3).fit(SENTENCES).cut(n)


@pytest.mark.parametrize("name", ["paths", "paths.gz"])
def test_what_is_written_can_be_read(tmp_path, name):
    X = [[*s, "10 000"] for s in SENTENCES]
    clusterer = BrownClusterer(5).fit(X)
    clusterer.write(tmp_path / name)
    opener = gzip.open if name.endswith("gz") else open
    with opener(tmp_path / name, "rt", encoding="utf-8", newline="") as file:
        lines = [
            line.split("\t") for line in file.read().removesuffix("\n").split("\n")
        ]
    counts = dict(zip(clusterer.words_, clusterer.counts_, strict=True))
    assert {w: (bits, int(n)) for bits, w, n in lines} == {
        w: (bits, counts[w]) for w, bits in clusterer.paths_.items()
    }
    order = [(bits, -int(n)) for bits, _, n in lines]
    assert order == sorted(order)

    again = BrownClusterer.read(tmp_path / name)
    assert again.paths_ == clusterer.paths_
    assert dict(zip(again.words_, again.counts_, strict=True)) == counts
    assert (np.diff(again.counts_) <= 0).all()
    assert again.n_clusters_ == again.n_clusters == 5
    assert again.transform(X).values.tolist() == clusterer.transform(X).values.tolist()
    of_path = dict(zip(again.paths_.values(), again.labels_, strict=True))
    assert sorted(of_path.values()) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="order of merges"):
        again.cut(2)
    assert again.fit(X).cut(2).max() == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"01\ta\t3\n01\tb\n", "line 2: .* got 2 columns"),
        (b"01\ta\t3\n\n", "line 2: .* got 1 column"),
        (b"012\ta\t3\n", "line 1: .* 0 and 1, got '012'"),
        (b"\ta\t3\n", "line 1: .* 0 and 1"),
        (b"01\ta\tx\n", "line 1: .* whole number, got 'x'"),
        (b"01\ta\t3\n00\tb\t1\n00\ta\t1\n", "line 3: the word 'a' is on line 1 too"),
        (b"01\ta\t3\n01\t\xff\t3\n", "line 2: not UTF-8"),
    ],
)
def test_bad_lines_are_named(tmp_path, content, message):
    (tmp_path / "paths").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        BrownClusterer.read(tmp_path / "paths")


def test_damaged_gzip_is_named(tmp_path):
    path = tmp_path / "paths.gz"
    BrownClusterer(2).fit(SENTENCES).write(path)
    for content in (b"01\ta\t3\n", path.read_bytes()[:-9]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"paths\.gz is not a complete gzip file"):
            BrownClusterer.read(path)


@pytest.mark.parametrize("words", [[1, 2], ["a\tb", "c"], ["a\n", "c"]])
def test_words_that_cannot_be_written(tmp_path, words):
    clusterer = BrownClusterer(2).fit([words])
    with pytest.raises(ValueError, match="cannot be written"):
        clusterer.write(tmp_path / "paths")
    assert not (tmp_path / "paths").exists()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"min_count": 0}, "min_count"),
        ({"lowercase": "yes"}, "lowercase"),
        ({"prefix": 0}, "prefix"),
        ({"min_count": 9}, "min_count=9.*'.', occurs 7 times"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        BrownClusterer(**params).fit(SENTENCES)


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
        BrownClusterer().fit(X)


def test_not_fitted():
    for method in ("predict", "transform", "cut", "write"):
        with pytest.raises(NotFittedError):
            getattr(BrownClusterer(), method)(2)


def test_lives_with_scikit_learn(tmp_path):
    clusterer = BrownClusterer(4)
    with config_context(transform_output="pandas"):
        assert isinstance(clusterer.fit_transform(SENTENCES), Ragged)
    again = pickle.loads(pickle.dumps(clusterer))
    assert again.paths_ == clusterer.paths_
    clusterer.write(tmp_path / "paths.gz")
    frozen = FrozenEstimator(BrownClusterer.read(tmp_path / "paths.gz"))
    one_hot = PerToken(OneHotEncoder())
    answers = [
        clone(make_pipeline(step, one_hot)).fit_transform(SENTENCES).values.toarray()
        for step in (clusterer, frozen)
    ]
    assert answers[0].shape[1] == 4
    assert (answers[0] == answers[1]).all()


def test_can_be_interrupted():
    rng = np.random.RandomState(0)
    X = [rng.randint(30_000, size=60_000)]
    BrownClusterer(2).fit(SENTENCES)  # compiles

    def interrupt(*_):
        raise KeyboardInterrupt

    clusterer, start = BrownClusterer(800), time.monotonic()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        with pytest.raises(KeyboardInterrupt):
            clusterer.fit(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 4
    assert not hasattr(clusterer, "paths_")


def test_hungarian_clusters_are_as_good_as_those_of_wcluster(corpora):
    folder = corpora / "pos" / "hu-szeged"
    read = [
        read_conll(folder / f"{part}.tsv.gz", columns=(0, 1))
        for part in ("train", "dev", "test")
    ]
    X, y = (np.concatenate(column) for column in zip(*read, strict=True))
    y = to_universal_tags(y, "ud-petrov12")
    clusterer = BrownClusterer().fit(X)
    theirs = BrownClusterer.read(folder / "brown100.tsv.gz")
    assert theirs.n_clusters_ == clusterer.n_clusters_ == 100
    assert set(theirs.words_) == set(clusterer.words_)
    accuracy, reached = (
        many_to_one_accuracy(y, each.transform(X)) for each in (theirs, clusterer)
    )
    assert reached == pytest.approx(accuracy, abs=0.01)
    found = information(X, classes(clusterer, clusterer.labels_))
    assert clusterer.mutual_information_ == pytest.approx(found, rel=1e-9)
    assert found > information(X, classes(theirs, theirs.labels_))
    # What is left after all merges has not drifted over 14,000 of them.
    left = clusterer.mutual_information_ - clusterer.merge_losses_.sum()
    alone = information(X, dict.fromkeys(clusterer.words_, 0))
    assert left == pytest.approx(alone, rel=1e-9)

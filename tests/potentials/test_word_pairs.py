"""Features of word pairs: bins worked by hand, spelling against plain recursion."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from skstruct.kernels._combinations import combine
from skstruct.potentials import DEFAULT_BLOCKS, NullWords, WordPairs, Words
from skstruct.potentials._word_features import BLOCKS, Pairs


def words(*spellings, counts=None):
    counts = np.ones(len(spellings), int) if counts is None else np.array(counts)
    return Words(np.array(spellings, dtype=object), counts)


def numbers(*values):
    return np.array(values, dtype=np.int32)


def names(blocks, source, target, counts=(1, 1), **kwargs):
    """Names of the features of one pair of words."""
    pairs = WordPairs(blocks)
    sides = words(source, counts=counts[:1]), words(target, counts=counts[1:])
    _, bins = pairs.learn(*sides, numbers(0), numbers(0), **kwargs).encode(
        *sides, numbers(0), numbers(0), **kwargs
    )
    assert bins.shape == (len(blocks), 1)
    return [*pairs.feature_names[bins[:, 0]]]


def levenshtein(a, b):
    @cache
    def distance(i, j):
        if not i or not j:
            return i + j
        swap = distance(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        return min(swap, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    return distance(len(a), len(b))


def common_prefix(a, b):
    return next(
        (k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y),
        min(len(a), len(b)),
    )


def random_words(rng, n, longest, alphabet):
    lengths = rng.integers(0, longest + 1, n)
    return ["".join(rng.choice(list(alphabet), length)) for length in lengths]


@pytest.mark.parametrize(("longest", "alphabet"), [(8, "ab"), (70, "abç字😀")])
def test_spelling_equals_the_recursion(longest, alphabet):
    rng = np.random.default_rng(0)
    source, target = (random_words(rng, 30, longest, alphabet) for _ in range(2))
    # Neighbours in spelling, so that all distances occur.
    target[:10] = [word[:3] + "b" + word[5:] for word in source[:10]]
    v, w = (x.ravel() for x in np.indices((30, 30), dtype=np.int32))
    order = rng.permutation(900)
    pairs = Pairs(words(*source), words(*target), v[order], w[order])
    distance, prefix = pairs.spelling
    cut = [(source[i][:64], target[j][:64]) for i, j in zip(v, w, strict=True)]
    assert_array_equal(distance, [levenshtein(*cut[p]) for p in order])
    assert_array_equal(prefix, [common_prefix(*cut[p]) for p in order])


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # 2 edits of 7 letters leave 0.71
        ("garden", "Garten!", "similarity=0.7,long"),
        ("house", "Haus", "similarity=0.6,long"),
        ("abcde", "abcd", "similarity=0.8,long"),
        ("cat", "katze", "similarity=0.4,short"),
        ("a", "bcdef", "similarity=0.0,short"),
        ("Paris", "paris", "similarity=same,length=5"),
        ("ÉTÉ", "été", "similarity=same,length=3"),
        ("parliament", "parliament", "similarity=same,length>=6"),
        (".", ".", "similarity=same,length=1"),
    ],
)
def test_similarity(source, target, expected):
    assert names(["similarity"], source, target) == [expected]
    assert names(["similarity"], target, source) == [expected]


@pytest.mark.parametrize(
    ("block", "source", "target", "expected"),
    [
        ("prefix", "Haus", "house", "prefix=1"),
        ("prefix", "ab", "ABC", "prefix=2,whole"),
        ("prefix", "x", "y", "prefix=0"),
        ("prefix", "national", "nationalism", "prefix>=6,whole"),
        ("prefix", "nationals", "nationality", "prefix>=6"),
        ("class", "abc", "2nd", "class=letters|digits"),
        ("class", "--", "Ω", "class=other|letters"),
        ("class", "字", "٣", "class=letters|digits"),
        ("length", "abc", "abcde", "length=-2"),
        ("length", "a", "abcdefgh", "length<=-7"),
        ("length", "abcdefghijk", "a", "length>=7"),
        ("lengths", "abc", "x" * 40, "lengths=3|12"),
        ("case", "haus", "Haus", "case=lower|Capital"),
        ("case", "NATO", "I", "case=UPPER|Capital"),
        ("case", "McDonald", "12", "case=other|other"),
    ],
)
def test_bins(block, source, target, expected):
    assert names([block], source, target) == [expected]


@pytest.mark.parametrize(
    ("counts", "expected"), [((0, 1), "0|0"), ((2, 3), "1|1"), ((127, 9999), "6|7")]
)
def test_frequency_bins(counts, expected):
    assert names(["frequency"], "a", "b", counts) == [f"frequency={expected}"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, "absent"), (np.nan, "absent"), (0.05, "0.0"), (0.55, "0.5"), (1.0, "1.0")],
)
def test_association_bins(value, expected):
    found = names(["association"], "a", "b", association=np.array([value]))
    assert found == [f"association={expected}"]


@pytest.mark.parametrize(
    ("association", "match"),
    [(None, "none was given"), ([0.5], "got 1 numbers"), ([0.5, 1.5], "got 1.5")],
)
def test_association_is_checked(association, match):
    side, pairs = words("a", "b"), numbers(0, 1)
    association = None if association is None else np.array(association)
    with pytest.raises(ValueError, match=match):
        WordPairs(["association"]).encode(side, side, pairs, pairs, association)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_bin_has_a_name_of_its_own(block):
    assert len({*BLOCKS[block].names}) == len(BLOCKS[block].names)
    rng = np.random.default_rng(1)
    source, target = (
        words(*random_words(rng, 60, 20, "aB1-"), counts=rng.integers(0, 500, 60))
        for _ in range(2)
    )
    v, w = (x.ravel() for x in np.indices((60, 60), dtype=np.int32))
    pairs = Pairs(source, target, v, w, rng.random(3600))
    bins = BLOCKS[block].bins(pairs)
    assert bins.dtype == np.int32
    assert bins.min() >= 0 and bins.max() < len(BLOCKS[block].names)


def first_letters(v, w):
    return v[0] + w[0] if v[0] != "x" else None


def test_combinations_are_the_distinct_rows_of_features():
    rng = np.random.default_rng(2)
    source, target = (words(*random_words(rng, 40, 9, "ab1x")) for _ in range(2))
    source.words[:] = ["x" + word for word in source.words]
    target.words[:] = ["a" + word for word in target.words]
    v, w = (rng.integers(0, 40, 500).astype(np.int32) for _ in range(2))
    pairs = WordPairs([*DEFAULT_BLOCKS, first_letters]).learn(source, target, v, w)
    combination, bins = pairs.encode(source, target, v, w)
    assert combination.dtype == bins.dtype == np.int32
    assert np.unique(bins, axis=1).shape == bins.shape
    assert_array_equal(np.unique(combination), np.arange(bins.shape[1]))
    for p in range(0, 500, 25):
        alone = pairs.encode(source, target, v[p : p + 1], w[p : p + 1])
        assert_array_equal(alone.bins[:, 0], bins[:, combination[p]])


@pytest.mark.parametrize("n_bins", [7, 10**9])
def test_combine_with_and_without_a_table(n_bins):
    rng = np.random.default_rng(3)
    old, new = (rng.integers(0, 7, 200).astype(np.int32) for _ in range(2))
    combination = old.copy()
    codes = combine(combination, 7, new, n_bins)
    assert len({*codes}) == len(codes)
    assert_array_equal(codes[combination], old.astype(np.int64) * n_bins + new)


def test_gradient_is_the_slope_of_counts_times_table():
    rng = np.random.default_rng(4)
    side = words(*random_words(rng, 12, 6, "ab1"))
    v, w = (x.ravel() for x in np.indices((12, 12), dtype=np.int32))
    pairs = WordPairs([*DEFAULT_BLOCKS, lambda v, w: None if v < w else "after"])
    bins = pairs.learn(side, side, v, w).encode(side, side, v, w).bins
    assert (bins == pairs.n_features).any()
    coef, counts = rng.normal(size=pairs.n_features), rng.normal(size=bins.shape[1])
    table = pairs.table(bins, coef)
    for u in range(0, bins.shape[1], 10):
        features = bins[:, u][bins[:, u] < pairs.n_features]
        assert_allclose(table[u], coef[features].sum())
    assert_slope(pairs, bins, coef, counts)


def assert_slope(potentials, bins, coef, counts):
    """The table is linear, so differences of any width are exact."""
    slopes = [
        counts @ (potentials.table(bins, coef + e) - potentials.table(bins, coef))
        for e in np.eye(potentials.n_features)
    ]
    assert_allclose(potentials.gradient(bins, counts), slopes, atol=1e-10)


def test_a_function_is_called_once_for_each_distinct_pair_and_sees_the_spelling():
    calls = []

    def both(source, target):
        calls.append((source, target))
        return None

    source, target = words("Das", "Haus"), words("the", "House")
    v, w = numbers(0, 1, 0, 1, 1), numbers(0, 1, 0, 0, 1)
    WordPairs([both]).learn(source, target, v, w)
    assert sorted(calls) == [("Das", "the"), ("Haus", "House"), ("Haus", "the")]


def test_values_of_a_function_are_those_of_the_last_learn():
    def same_end(source, target):
        return {"a": "both", "b": 3}.get(source) if target == "z" else None

    source, target = words("a", "b", "c"), words("z", "y")
    pairs = WordPairs([same_end, "class"])
    pairs.learn(source, target, numbers(0, 0), numbers(0, 1))
    assert pairs.n_features == 10 and len(pairs.feature_names) == 10
    assert pairs.feature_names[0] == "same_end=both"
    combination, bins = pairs.encode(source, target, numbers(0, 1, 2), numbers(0, 0, 1))
    assert_array_equal(bins[0][combination], [0, 10, 10])  # 3 was not seen
    pairs.learn(source, target, numbers(1), numbers(0))
    assert pairs.n_features == 10 and pairs.feature_names[0] == "same_end=3"


@pytest.mark.parametrize("value", [0.5, ["a"], b"a"])
def test_other_values_of_a_function_are_refused(value):
    pairs = WordPairs([lambda source, target: value])
    with pytest.raises(TypeError, match=r"'<lambda>'.*\('Haus', 'house'\)"):
        pairs.encode(words("Haus"), words("house"), numbers(0), numbers(0))


def test_unknown_blocks_are_refused():
    with pytest.raises(ValueError, match="'suffix'; there are 'similarity', 'prefix'"):
        WordPairs(["suffix"])
    with pytest.raises(TypeError, match="got 3 of type int"):
        WordPairs([3])


@pytest.mark.parametrize("side", [words(), words("a")])
def test_no_pairs(side):
    pairs = WordPairs([*BLOCKS, first_letters])
    arguments = side, side, numbers(), numbers(), np.zeros(0)
    combination, bins = pairs.learn(*arguments).encode(*arguments)
    assert combination.shape == (0,) and bins.shape == (9, 0)
    assert pairs.table(bins, np.ones(pairs.n_features)).shape == (0,)
    assert_array_equal(
        pairs.gradient(bins, np.zeros(0)), np.zeros(sum(map(len, _sizes())))
    )


def _sizes():
    return [block.names for block in BLOCKS.values()]


def test_no_blocks():
    pairs = WordPairs([])
    combination, bins = pairs.encode(words("a"), words("b"), numbers(0), numbers(0))
    assert pairs.n_features == 0 and bins.shape == (0, 1)
    assert_array_equal(pairs.table(bins, np.zeros(0))[combination], [0])
    assert pairs.gradient(bins, np.ones(1)).shape == (0,)


def test_words_are_left_as_they_are():
    source, target = words("Ab", "c"), words("D")
    v, w = numbers(0, 1), numbers(0, 0)
    WordPairs().learn(source, target, v, w).encode(source, target, v, w)
    assert [*source.words] == ["Ab", "c"] and [*target.words] == ["D"]
    assert_array_equal(v, [0, 1])


def test_null_words():
    train = words("The", "the", "12", ",", "new", counts=[70, 70, 3, 9, 0])
    null = NullWords().learn(train)
    assert null.n_features == 24 + 3 + 1
    bins = null.encode(words("THE", "new", "--", "never", counts=[70, 1, 300, 0]))
    assert bins.shape == (2, 4) and bins.dtype == np.int32
    assert [*map(tuple, null.feature_names[bins.T])] == [
        ("frequency=6,letters", "word=the"),
        ("frequency=0,letters", "any other word"),
        ("frequency=7,other", "any other word"),
        ("frequency=0,letters", "any other word"),
    ]


def test_null_words_know_the_hundred_most_frequent_ones():
    spellings = [f"w{n}" for n in range(150)]
    null = NullWords().learn(words(*spellings, counts=range(150)))
    assert null.n_features == 125
    bins = null.encode(words("w149", "w50", "w49", counts=[149, 50, 49]))
    assert_array_equal(bins[1], [24, 123, 124])


def test_null_gradient_is_the_slope_of_counts_times_table():
    rng = np.random.default_rng(5)
    side = words("a", "b", "1", "-", "cd", counts=[1, 2, 4, 8, 0])
    null = NullWords().learn(side)
    bins = null.encode(side)
    coef, counts = rng.normal(size=null.n_features), rng.normal(size=5)
    assert_allclose(null.table(bins, coef), coef[bins[0]] + coef[bins[1]])
    assert_slope(null, bins, coef, counts)


def test_null_words_of_nothing():
    null = NullWords().learn(words())
    bins = null.encode(words())
    assert bins.shape == (2, 0) and null.n_features == 25
    assert null.table(bins, np.zeros(25)).shape == (0,)
    assert_array_equal(null.gradient(bins, np.zeros(0)), np.zeros(25))

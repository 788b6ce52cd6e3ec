"""PhrasePairExtractor."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from skstruct.containers import Bitext
from skstruct.datasets import make_bitext, read_bitext, read_links
from skstruct.estimators import DiagonalAligner
from skstruct.featurizers import PhraseExtractor, PhrasePairExtractor

X = Bitext(
    [
        (["the", "farmer", "sings"], ["agricola", "cantat"]),
        ([], ["amo"]),
        (["they", "love"], ["amant"]),
    ]
)
LINKS = [[(1, 0), (2, 1)], [], [(1, 0)]]


def pairs_of(n_source, n_target, links, max_source, max_target, extend):
    """Consistent phrase pairs, by asking every rectangle."""
    found = []
    for s in range(n_source):
        for s_stop in range(s + 1, min(s + max_source, n_source) + 1):
            for t in range(n_target):
                for t_stop in range(t + 1, min(t + max_target, n_target) + 1):
                    rows = [s <= i < s_stop for i, _ in links]
                    columns = [t <= j < t_stop for _, j in links]
                    linked = {(0, i) for i, _ in links} | {(1, j) for _, j in links}
                    ends = {(0, s), (0, s_stop - 1), (1, t), (1, t_stop - 1)}
                    if rows == columns and any(rows) and (extend or ends <= linked):
                        found.append([s, s_stop, t, t_stop])
    return found


@st.composite
def linked_pairs(draw):
    n_source, n_target = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    cells = [(i, j) for i in range(n_source) for j in range(n_target)]
    links = draw(st.lists(st.sampled_from(cells), max_size=7)) if cells else []
    source, target = (
        [f"{c}{i}" for i in range(n)]
        for c, n in zip("st", (n_source, n_target), strict=True)
    )
    return (source, target), links


@settings(max_examples=300, deadline=None)
@given(
    st.lists(linked_pairs(), min_size=1, max_size=3),
    st.integers(1, 6),
    st.integers(1, 6),
    st.booleans(),
)
def test_consistent_pairs_are_those_of_brute_force(
    data, max_source, max_target, extend
):
    bitext, links = (list(part) for part in zip(*data, strict=True))
    extractor = PhrasePairExtractor(
        source=PhraseExtractor(max_source),
        target=PhraseExtractor(max_target),
        extend=extend,
    ).fit(bitext)
    spans = extractor.spans(bitext, links)
    assert [s.tolist() for s in spans] == [
        pairs_of(len(source), len(target), of_pair, max_source, max_target, extend)
        for (source, target), of_pair in data
    ]
    rows = extractor.extract(bitext, spans)
    for (source, target), of_pair, cells in zip(bitext, spans, rows, strict=True):
        assert cells[:, [0, 3]].tolist() == [
            [" ".join(source[s:s_stop]), " ".join(target[t:t_stop])]
            for s, s_stop, t, t_stop in of_pair
        ]


def test_rows_show_both_views():
    extractor = PhrasePairExtractor(source=PhraseExtractor(n_context=2)).fit(X)
    rows = extractor.extract(X, extractor.spans(X, LINKS))
    assert rows[0].tolist()[0] == [
        *["the farmer", "<s>", "<s>", "sings", "</s>"],
        *["agricola", "<s>", "cantat"],
    ]
    assert rows[1].shape == (0, 8)
    assert extractor.get_feature_names_out().tolist() == [
        *["source_phrase", "source_left_2", "source_left_1"],
        *["source_right_1", "source_right_2"],
        *["target_phrase", "target_left_1", "target_right_1"],
    ]


def test_links_in_every_form_give_the_same():
    extractor = PhrasePairExtractor().fit(X)
    expected = extractor.spans(X, LINKS)
    marked = [[(1, 0, 1), (2, 1, 0)], [], np.array([[1, 0, 0]])]
    for links in (np.array([set(pair) for pair in LINKS], dtype=object), marked):
        spans = extractor.spans(X, links)
        np.testing.assert_array_equal(spans.values, expected.values)
        np.testing.assert_array_equal(spans.offsets, expected.offsets)


def test_the_aligner_is_fitted_and_its_links_used():
    bitext, _ = make_bitext(60, random_state=0)
    given = DiagonalAligner()
    extractor = PhrasePairExtractor(given, extend=False)
    rows = extractor.fit_transform(bitext)
    assert not hasattr(given, "n_iter_") and given is extractor.aligner
    links = extractor.aligner_.predict(bitext)
    by_hand = PhrasePairExtractor(extend=False).fit(bitext)
    expected = by_hand.extract(bitext, by_hand.spans(bitext, links))
    assert rows.values.tolist() == expected.values.tolist()
    frozen = FrozenEstimator(extractor.aligner_)
    again = PhrasePairExtractor(frozen, extend=False).fit(bitext[:3])
    assert again.aligner_.estimator is extractor.aligner_
    assert again.transform(list(bitext[:3])).values.tolist() == rows[:3].values.tolist()


def test_options_of_a_side_can_be_searched():
    extractor = PhrasePairExtractor(source=PhraseExtractor(), target=PhraseExtractor())
    changed = clone(extractor).set_params(source__max_length=1, target__lowercase=True)
    spans = changed.fit(X).spans(X, LINKS)
    assert np.max(spans.values[:, 1] - spans.values[:, 0]) == 1
    assert extractor.source.max_length == 5
    assert not hasattr(changed.source, "word_classes_")


BAD_LINKS = [
    ([[], [], [(0, 7)]], r"links, pair 2: the link \(0, 7\) is out of range"),
    ([[], [(0, 0)], []], r"links, pair 1: the link \(0, 0\) is out of range"),
    ([[], None, []], "links, pair 1: nothing is known"),
    ([[]], "links has links for 1 pairs, X has 3"),
    (None, r"set aligner, such as DiagonalAligner\(\)"),
]


@pytest.mark.parametrize(("links", "message"), BAD_LINKS)
def test_bad_links(links, message):
    with pytest.raises(ValueError, match=message):
        PhrasePairExtractor().fit(X).spans(X, links)


def test_bad_input():
    extractor = PhrasePairExtractor().fit(X)
    with pytest.raises(ValueError, match="set aligner"):
        extractor.transform(X)
    with pytest.raises(
        ValueError, match=r"sentence 1: span 0 is \(0, 1, 0, 1\).* 0 and 1"
    ):
        extractor.extract(X, [[], [(0, 1, 0, 1)], []])
    with pytest.raises(ValueError, match="must be 4 numbers"):
        extractor.extract(X, [[(0, 1)], [], []])
    with pytest.raises(ValueError, match="takes sentence pairs"):
        PhrasePairExtractor().fit(X.source)
    with pytest.raises(ValueError, match="'aligner' parameter"):
        PhrasePairExtractor("diagonal").fit(X)
    with pytest.raises(ValueError, match="max_length"):
        PhrasePairExtractor(source=PhraseExtractor(0)).fit(X)
    with pytest.raises(NotFittedError):
        PhrasePairExtractor().spans(X, LINKS)


@pytest.mark.parametrize("extend", [True, False])
def test_real_links(corpora, extend):
    folder = corpora / "align" / "grc-la"
    bitext = read_bitext(folder / "test.src", folder / "test.tgt")[:60]
    links = read_links(folder / "test.gold", n_pairs=None)[:60]
    extractor = PhrasePairExtractor(extend=extend).fit(bitext)
    spans = extractor.spans(bitext, links)
    assert len(spans.values) > 500
    for i in np.argsort(bitext.source.lengths + bitext.target.lengths)[:4]:
        sizes = map(len, bitext[i])
        assert spans[i].tolist() == pairs_of(*sizes, links[i][:, :2], 5, 5, extend)

from html.parser import HTMLParser

import numpy as np
import pytest

from skstruct import AnnealedHMM, HMMAligner, Ragged
from skstruct.inspection import AlignedText, TaggedText


class Reader(HTMLParser):
    """Boxes of words: text, what stands below, colour, class; by paragraph."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.open, self.tags, self.notes = [], [], set(), []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.open.append(tag)
        self.tags.add(tag)
        if tag == "p":
            self.rows.append([])
            assert attrs.get("dir") in ("auto", None)
        if tag == "span":
            style, kind = attrs.get("style"), attrs.get("class")
            self.rows[-1].append({"style": style, "class": kind, "text": []})

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "span" in self.open:
            self.rows[-1][-1]["text"].append(data)
        elif "small" in self.open:
            self.notes.append(data)

    def texts(self, row):
        return [box["text"] for box in self.rows[row]]


def read(view):
    return Reader(view._repr_html_())


def test_words_and_labels():
    boxes = read(TaggedText([["the", "dog"], [], ["a"]], [["D", "N"], [], ["D"]]))
    assert boxes.texts(0) == [["the", "D"], ["dog", "N"]]
    assert boxes.texts(1) == []
    (the, dog), (a,) = boxes.rows[0], boxes.rows[2]
    assert the["style"] == a["style"] != dog["style"]


def test_gold_labels_and_differences():
    X, y = [["a", "b", "c"]], [["N", None, "V"]]
    boxes = read(TaggedText(X, [["N", "N", "N"]], y_true=y))
    assert boxes.texts(0) == [["a", "N", "N"], ["b", "N"], ["c", "N", "V"]]
    assert [box["class"] for box in boxes.rows[0]] == [None, None, "wrong"]
    # States have no names to be wrong.
    boxes = read(TaggedText(X, [[0, 0, 0]], y_true=y))
    assert [box["class"] for box in boxes.rows[0]] == [None] * 3


EVIL = ['<script>alert("x")</script>', "&amp;", "'\" onload='x", "\ud800\x00", "</p>"]


def test_text_of_users_is_escaped():
    boxes = read(TaggedText([EVIL], [EVIL], y_true=[EVIL]))
    clean = [*EVIL[:3], "\ufffd\ufffd", EVIL[4]]
    assert boxes.texts(0) == [[word] * 3 for word in clean]
    assert boxes.tags == {"style", "div", "p", "span", "bdi"}
    links = [[(k, k) for k in range(5)]]
    view = AlignedText([(EVIL, EVIL)], links, y_true=[[(0, 1)]])
    boxes = read(view)
    assert [text[0] for text in boxes.texts(1)] == clean
    assert boxes.tags == {"style", "div", "p", "span", "bdi", "small"}
    view._repr_html_().encode("utf-8")


def test_only_so_many_samples():
    view = TaggedText([["a"]] * 30, [["N"]] * 30, max_samples=7)
    assert len(read(view).rows) == 8
    assert "… and 23 more" in view._repr_html_()
    assert repr(view) == "TaggedText(30 samples)"
    assert "more" not in TaggedText([["a"]], [["N"]])._repr_html_()


def test_linked_words_share_a_colour_and_a_number():
    X = [(["not", "at", "all", "yes"], ["gar", "nicht"])]
    boxes = read(AlignedText(X, [[(0, 1), (1, 0), (2, 0)]]))
    assert boxes.texts(0) == [["not", "1"], ["at", "2"], ["all", "2"], ["yes", "\xa0"]]
    assert boxes.texts(1) == [["gar", "2"], ["nicht", "1"]]
    source, target = boxes.rows
    assert source[0]["style"] == target[1]["style"] is not None
    assert source[1]["style"] == source[2]["style"] == target[0]["style"]
    assert source[0]["style"] != source[1]["style"]
    assert source[3]["style"] is None


def test_errors_are_listed():
    X = [(["a", "b"], ["x", "y"]), (["a"], [])]
    gold = [[(0, 0, 1), (1, 1, 1), (1, 0, 0)], None]
    boxes = read(AlignedText(X, [[(0, 0), (1, 0), (0, 1)], []], y_true=gold))
    assert "".join(boxes.notes) == "missed: b\N{EN DASH}ywrong: a\N{EN DASH}y"


def test_from_estimator():
    X = [["a", "b"], ["b", "a"]]
    model = AnnealedHMM(2, random_state=0).fit(X)
    view = TaggedText.from_estimator(model, X, [["A", "B"], None])
    expected = TaggedText(X, model.predict(X), y_true=[["A", "B"], None])
    assert view._repr_html_() == expected._repr_html_()
    pairs = [(["a", "b"], ["x", "y"]), (["a"], ["x"])]
    aligner = HMMAligner().fit(pairs)
    view = AlignedText.from_estimator(aligner, pairs, max_samples=1)
    expected = AlignedText(pairs, aligner.predict(pairs), max_samples=1)
    assert view._repr_html_() == expected._repr_html_()


def test_words_beside_features():
    batch = Ragged.from_arrays(np.eye(2), [0, 2], tokens=["x", "y"])
    assert read(TaggedText(batch, [[0, 1]])).texts(0) == [["x", "0"], ["y", "1"]]
    with pytest.raises(ValueError, match="vectors, not words"):
        TaggedText([np.eye(2)], [[0, 1]])
    with pytest.raises(ValueError, match="y_pred: sequence 0"):
        TaggedText([["a", "b"]], [["N"]])

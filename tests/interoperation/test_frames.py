"""Data frames and series of pandas and polars, in and out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import train_test_split

from skstruct import AnnealedHMM, CRFAutoencoderTagger, Ragged
from skstruct.estimators import IBM1Aligner, PosteriorRegularizedClusterer
from skstruct.featurizers import PhraseExtractor

TEXT = [["the", "dog", "barked"], ["a", "cat", "slept", "there"], ["the", "cat", "sat"]]
pytestmark = pytest.mark.filterwarnings("ignore:.*did not converge")
each = pytest.mark.parametrize("frames", [pd, pl], ids=["pandas", "polars"])


@each
def test_a_token_a_row_and_back(frames):
    words = [word for sentence in TEXT for word in sentence]
    # Interleaved, and the last position first.
    rows = np.random.default_rng(0).permutation(len(words))
    sentence = np.repeat([0, 1, 2], [3, 4, 3])
    position = np.concatenate([np.arange(3), np.arange(4), np.arange(3)])
    frame = frames.DataFrame(
        {
            "word": [words[i] for i in rows],
            "sentence": [f"s{i}" for i in sentence[rows]],
            "position": position[rows],
        }
    )
    X = Ragged.from_frame(frame, "word", group="sentence", order="position")
    model = AnnealedHMM(3, random_state=0, max_iter=5).fit(X)
    expected = {
        (word, f"s{i}", j): state
        for i, (tokens, states) in enumerate(
            zip(TEXT, model.predict(TEXT), strict=True)
        )
        for j, (word, state) in enumerate(zip(tokens, states, strict=True))
    }
    answer = X.to_frame(model.predict(X), name="state")
    assert type(answer) is type(frame)
    assert answer["word"].to_list() == frame["word"].to_list()
    columns = [answer[c].to_list() for c in ("word", "sentence", "position", "state")]
    assert {row[:3]: row[3] for row in zip(*columns, strict=True)} == expected

    train, test = train_test_split(X, test_size=1, random_state=0)
    assert len(test.to_frame(model.predict(test))) + train.n_tokens == len(words)


@each
def test_a_sentence_a_row(frames):
    frame = frames.DataFrame({"id": [1, 2, 3], "tokens": TEXT})
    expected = AnnealedHMM(2, random_state=0, max_iter=5).fit(TEXT)
    model = AnnealedHMM(2, random_state=0, max_iter=5).fit(frame["tokens"])
    assert_array_equal(model.transmat_, expected.transmat_)
    states = model.predict(frame["tokens"])
    assert [s.tolist() for s in states] == [s.tolist() for s in expected.predict(TEXT)]
    column = [s.tolist() for s in states]
    if frames is pd:
        assert frame.assign(states=column)["states"].map(len).tolist() == [3, 4, 3]
    else:
        assert frame.with_columns(states=pl.Series(column))["states"].list.len().sum()


@each
def test_labels_in_a_series_of_lists(frames):
    y = [["D", "N", None], ["D", "N", "V", None], None]
    expected = CRFAutoencoderTagger(supervision="clamp", random_state=0, max_iter=2)
    expected.fit(TEXT, y)
    model = CRFAutoencoderTagger(supervision="clamp", random_state=0, max_iter=2)
    model.fit(frames.Series(TEXT), frames.Series(y))
    assert_array_equal(model.coef_, expected.coef_)


@each
def test_columns_of_texts_are_pairs(frames):
    frame = frames.DataFrame({"en": ["the dog", "the cat"], "la": ["canis", "feles"]})
    split = (
        frame["en"].str.split
        if frames is pd
        else (lambda by: frame["en"].str.split(by))
    )
    pairs = list(zip(split(" "), [["canis"], ["feles"]], strict=True))
    assert len(IBM1Aligner().fit(pairs).links_) == 2


@each
def test_tables_of_phrases(frames):
    table = PhraseExtractor().fit_transform(TEXT * 3).values
    columns = [f"c{i}" for i in range(table.shape[1])]
    frame = frames.DataFrame(dict(zip(columns, table.T.tolist(), strict=True)))
    params = {"n_init": 1, "max_iter": 3, "random_state": 0}
    expected = PosteriorRegularizedClusterer(2, **params).fit_predict(table)
    model = PosteriorRegularizedClusterer(2, **params).fit(frame)
    assert_array_equal(model.labels_, expected)
    assert model.feature_names_in_.tolist() == columns

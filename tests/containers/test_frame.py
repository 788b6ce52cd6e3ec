"""From data frames, and back beside their rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skstruct.containers import Ragged

COLUMNS = {
    "doc": ["b", "a", "b", "c", "a"],
    "time": [3, 1, 1, 0, 2],
    "word": ["p", "q", "r", "s", "t"],
    "load": [1.0, 2.0, 3.0, 4.0, 5.0],
}
INDEXES = {
    "range": None,
    "duplicated": [5, 5, 2, 2, 5],
    "text": list("vwxyz"),
    "dates": pd.date_range("2026-01-01", periods=5, tz="UTC"),
    "two levels": pd.MultiIndex.from_product([["k"], [4, 3, 3, 1, 0]]),
}
LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.fixture(params=LIBRARIES)
def library(request):
    return LIBRARIES[request.param]


def lists(batch):
    return [sample.tolist() for sample in batch]


def test_groups_stand_in_the_order_of_their_first_rows(library):
    frame = library(COLUMNS)
    batch = Ragged.from_frame(frame, "word", group="doc")
    assert lists(batch) == [["p", "r"], ["q", "t"], ["s"]]
    ordered = Ragged.from_frame(frame, "word", group="doc", order="time")
    assert lists(ordered) == [["r", "p"], ["q", "t"], ["s"]]


def test_without_groups_a_frame_is_one_sequence(library):
    frame = library(COLUMNS)
    assert lists(Ragged.from_frame(frame, "word")) == [COLUMNS["word"]]
    assert lists(Ragged.from_frame(frame, "word", order="time")) == [list("sqrtp")]


def test_columns(library):
    frame = library(COLUMNS)
    one = Ragged.from_frame(frame, ["load"], group="doc")
    assert one.values.shape == (5, 1) and one.values.dtype == float
    rest = Ragged.from_frame(frame, ["word", "load"], group="doc", order="time")
    assert rest[2].tolist() == [["s", 4.0]]
    last = Ragged.from_frame(frame[["doc", "word"]], group="doc")
    assert last.values.tolist() == ["p", "r", "q", "t", "s"]
    both = Ragged.from_frame(frame, ["time", "load"], group="doc")
    assert both.values.dtype == float and both[2].tolist() == [[0.0, 4.0]]


def test_equal_times_keep_the_order_of_the_frame(library):
    frame = library({"time": [1, 0, 1, 0], "word": list("abcd")})
    assert lists(Ragged.from_frame(frame, order="time")) == [["b", "d", "a", "c"]]


@pytest.mark.parametrize("index", INDEXES)
def test_predictions_return_beside_their_rows(index):
    frame = pd.DataFrame(COLUMNS, index=INDEXES[index])
    before = frame.copy()
    batch = Ragged.from_frame(frame, "word", group="doc", order="time")
    back = batch.to_frame(batch.with_values(batch.values), name="again")
    assert back["again"].tolist() == frame["word"].tolist()
    assert back.index.equals(frame.index)
    pd.testing.assert_frame_equal(frame, before)
    part = batch[[2, 0]].to_frame([["S"], ["R", "P"]])
    assert part["prediction"].tolist() == ["P", "R", "S"]
    assert part.index.equals(frame.index[[0, 2, 3]])


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.sort_values("load", ascending=False, inplace=True),
        lambda frame: frame.drop(index=[0, 1, 2], inplace=True),
        lambda frame: frame.reset_index(drop=True, inplace=True),
        lambda frame: frame.insert(0, "prediction", 0),
        lambda frame: frame.__setitem__("load", 0.0),
    ],
    ids=["sort", "drop", "reset", "insert", "set"],
)
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_later_changes_of_the_frame_do_not_reach_the_batch(change):
    frame = pd.DataFrame(COLUMNS, index=[4, 0, 1, 2, 3])
    before = frame.copy()
    batch = Ragged.from_frame(frame, "word", group="doc")
    assert np.shares_memory(batch.source[0]["load"], frame["load"])
    change(frame)
    back = batch.to_frame(batch)
    assert back["prediction"].tolist() == COLUMNS["word"]
    pd.testing.assert_frame_equal(back[[*COLUMNS]], before)


def test_later_changes_of_a_polars_frame_do_not_reach_the_batch():
    frame = pl.DataFrame(COLUMNS)
    batch = Ragged.from_frame(frame, "word", group="doc")
    frame.drop_in_place("load")
    frame[0, "time"] = 9
    assert batch.to_frame(batch)[[*COLUMNS]].equals(pl.DataFrame(COLUMNS))


def test_predictions_return_to_polars():
    batch = Ragged.from_frame(pl.DataFrame(COLUMNS), "word", group="doc", order="time")
    back = batch.to_frame(np.asarray(batch.with_values(np.arange(5))), name="state")
    assert isinstance(back, pl.DataFrame)
    assert back["state"].to_list() == [1, 2, 0, 4, 3]
    assert back.columns == [*COLUMNS, "state"]


def test_samples_drawn_twice_return_twice(library):
    batch = Ragged.from_frame(library(COLUMNS), "word", group="doc")
    back = batch[[0, 0]].to_frame([["p", "r"], ["p", "r"]])
    assert list(back["word"]) == list(back["prediction"]) == ["p", "p", "r", "r"]


def test_probabilities_return_beside_their_rows(library):
    batch = Ragged.from_frame(library(COLUMNS), "word", group="doc", order="time")
    rows = np.column_stack([np.arange(5.0), -np.arange(5.0)])
    names = np.array(["up", "down"], dtype=object)
    back = batch.to_frame(batch.with_values(rows), name=names)
    assert list(back["up"]) == [1, 2, 0, 4, 3]
    assert list(back["down"]) == [-1, -2, 0, -4, -3]
    assert list(back.columns) == [*COLUMNS, "up", "down"]
    one = batch.to_frame(np.asarray(batch.with_values(rows[:, :1])), name="up")
    assert list(one["up"]) == [1, 2, 0, 4, 3]


def test_one_name_of_several_columns_is_numbered(library):
    batch = Ragged.from_frame(library(COLUMNS), "word", group="doc", order="time")
    rows = np.column_stack([np.arange(5.0), -np.arange(5.0)])
    back = batch.to_frame(batch.with_values(rows))
    assert list(back.columns) == [*COLUMNS, "prediction_0", "prediction_1"]
    assert list(back["prediction_1"]) == [-1, -2, 0, -4, -3]
    back = batch.to_frame(batch.with_values(rows), name=np.arange(2))
    assert list(map(str, back.columns)) == [*COLUMNS, "0", "1"]
    none = batch[:0].to_frame(batch.with_values(rows)[:0], name=["p"])
    assert list(none.columns) == [*COLUMNS, "p_0", "p_1"]


def test_numbers_beside_other_columns_are_asked_for(library):
    frame = library(COLUMNS)
    message = r"\['doc', 'word'\] hold no numbers.*columns=.*order=.*group="
    with pytest.raises(ValueError, match=message):
        Ragged.from_frame(frame)
    text = Ragged.from_frame(frame[["doc", "word"]])
    assert text[0].tolist()[0] == ["b", "p"]


def test_the_header_is_kept_where_columns_are(library):
    frame = library(COLUMNS)
    batch = Ragged.from_frame(frame, ["load", "time"], group="doc")
    assert type(batch.header) is library and batch.header.shape == (0, 2)
    joined = np.concatenate([batch[:1], batch[[2]]])
    for same in (batch[1:], joined, Ragged(batch)):
        assert list(same.header.columns) == ["load", "time"]
    assert Ragged.from_frame(frame, "load").header is None
    assert batch.with_values(np.zeros((5, 2))).header is None
    listed = Ragged([frame[["load", "time"]], frame[["load", "time"]][:2]])
    assert listed.lengths.tolist() == [5, 2]
    assert list(listed.header.columns) == ["load", "time"]
    assert Ragged([frame[["load", "time"]], np.zeros((1, 2))]).header is None


def test_frames_with_other_columns_are_no_batch(library):
    frame = library(COLUMNS)
    parts = [frame[["load", "time"]], frame[["time", "load"]]]
    with pytest.raises(ValueError, match=r"Sample 1 has the columns .*same order"):
        Ragged(parts)
    with pytest.raises(ValueError, match=r"Batch 1 has the columns .*same order"):
        np.concatenate([Ragged([part]) for part in parts])


def test_integers_stay_integers(library):
    batch = Ragged.from_frame(library(COLUMNS), "word", group="doc")
    back = batch.to_frame([np.array([0, 1]), np.array([1, 0]), np.array([2])])
    assert list(back["prediction"]) == [0, 1, 1, 2, 0]
    assert "int" in str(back["prediction"].dtype).lower()


@pytest.mark.parametrize(
    "groups",
    [
        pd.Categorical(["z", "a", "z"], categories=["a", "n", "z"]),
        pd.array([7, 5, 7], dtype="Int64"),
        pd.to_datetime(["2026-02-01", "2026-01-01", "2026-02-01"]),
        [2.0, -1.0, 2.0],
        [("x", 1), ("x", 0), ("x", 1)],
    ],
)
def test_groups_of_many_types(groups):
    frame = pd.DataFrame({"group": groups, "word": ["a", "b", "c"]})
    assert lists(Ragged.from_frame(frame, group="group")) == [["a", "c"], ["b"]]


def test_categorical_groups_of_polars():
    frame = pl.DataFrame({"group": ["z", "a", "z"], "word": ["a", "b", "c"]})
    frame = frame.with_columns(pl.col("group").cast(pl.Categorical))
    assert lists(Ragged.from_frame(frame, group="group")) == [["a", "c"], ["b"]]


@pytest.mark.parametrize("parameter", ["group", "order"])
@pytest.mark.parametrize(
    "keys",
    [
        [1.0, float("nan")],
        ["a", None],
        pd.array([1, None], dtype="Int64"),
        pd.Categorical(["a", None]),
        pd.to_datetime(["2026-01-01", None]),
    ],
)
def test_missing_keys_name_the_row(keys, parameter):
    frame = pd.DataFrame({"key": keys, "word": ["a", "b"]})
    with pytest.raises(ValueError, match=f"{parameter}='key' is missing in row 1"):
        Ragged.from_frame(frame, "word", **{parameter: "key"})


@pytest.mark.parametrize("keys", [[1.0, float("nan")], ["a", None]])
def test_missing_keys_of_polars(keys):
    frame = pl.DataFrame({"key": keys, "word": ["a", "b"]})
    with pytest.raises(ValueError, match="group='key' is missing in row 1"):
        Ragged.from_frame(frame, "word", group="key")


def test_frames_without_rows(library):
    frame = library({"doc": [], "load": []})
    batch = Ragged.from_frame(frame, group="doc")
    assert len(batch) == 0 and len(batch.to_frame([])) == 0
    assert Ragged.from_frame(frame, "load").lengths.tolist() == [0]


def test_names_need_not_be_text():
    frame = pd.DataFrame({0: ["a", "a"], 1: [2.0, 3.0]})
    assert lists(Ragged.from_frame(frame, 1, group=0)) == [[2.0, 3.0]]
    with pytest.raises(ValueError, match=r"group=2 is not a column .*\[0, 1\]"):
        Ragged.from_frame(frame, 1, group=2)


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"columns": [0, 1], "group": 2}, [[[1, 0], [0, 1]], [[0, 0]]]),
        ({"columns": np.array([1, 0]), "group": 2}, [[[0, 1], [1, 0]], [[0, 0]]]),
        ({"group": 0}, [[[0, 0]], [[1, 0], [0, 1]]]),
        ({"order": 0}, [[[1, 0], [0, 1], [0, 0]]]),
        ({}, [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]]),
        ({"columns": 1, "group": np.int64(2)}, [[0, 1], [0]]),
    ],
)
def test_numbered_columns(options, rows):
    frame = pd.DataFrame(np.eye(3))
    batch = Ragged.from_frame(frame, **options)
    assert lists(batch) == rows
    assert len(batch.to_frame(np.asarray(batch.with_values(range(3))))) == 3


def test_errors(library):
    frame = library(COLUMNS)
    for wrong in ({"columns": "x"}, {"group": "x"}, {"order": "x"}):
        (parameter,) = wrong
        with pytest.raises(ValueError, match=f"{parameter}='x' is not a column"):
            Ragged.from_frame(frame, **wrong)
    with pytest.raises(ValueError, match="no column left for the tokens"):
        Ragged.from_frame(frame[["doc"]], group="doc")
    with pytest.raises(ValueError, match="pandas or polars DataFrame, got ndarray"):
        Ragged.from_frame(np.eye(2))
    batch = Ragged.from_frame(frame, "word", group="doc")
    with pytest.raises(ValueError, match="2 sequences, the batch 3"):
        batch.to_frame([["x", "y"], ["z", "z"]])
    with pytest.raises(ValueError, match="its sequence 1 has 1, that of the batch 2"):
        batch.to_frame([["x", "y"], ["z"], ["z"]])
    two = batch.with_values(np.zeros((5, 2)))
    with pytest.raises(ValueError, match="2 columns; give as many names as name="):
        batch.to_frame(two, name=["p", "q", "r"])
    for names in (["p", "p"], ["p", "load"]):
        with pytest.raises(ValueError, match=f"has a column '{names[1]}' already"):
            batch.to_frame(two, name=names)
    with pytest.raises(ValueError, match="has a column 'load' already"):
        batch.to_frame(batch, name="load")

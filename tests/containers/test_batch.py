"""The protocol of batches, on a container of pairs."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from skstruct.containers import Batch, Ragged
from skstruct.containers._batch import gather


class Pairs(Batch):
    __slots__ = ("left", "right")

    def __init__(self, left, right):
        self.left, self.right = Ragged(left), Ragged(right)

    def __len__(self):
        return len(self.left)

    def _item(self, i):
        return self.left[i], self.right[i]

    def _take(self, ids):
        return Pairs(self.left[ids], self.right[ids])

    @classmethod
    def _concat(cls, parts):
        return cls(
            np.concatenate([p.left for p in parts]),
            np.concatenate([p.right for p in parts]),
        )


@pytest.fixture
def pairs():
    return Pairs([["a"], ["b", "c"], []], [[1, 2], [], [3]])


def test_a_batch_is_seen_as_one_dimensional(pairs):
    assert pairs.shape == (3,) and pairs.ndim == 1 and len(pairs) == 3
    array = np.asarray(pairs)
    assert array.shape == (3,) and array.dtype == object
    assert array[1][0].tolist() == ["b", "c"]


def test_samples_are_taken_together(pairs):
    assert [s[1].tolist() for s in pairs[[2, 0]]] == [[3], [1, 2]]
    train, test = train_test_split(pairs, test_size=1, random_state=0)
    assert type(train) is type(test) is Pairs and len(train) == 2


def test_concatenate_keeps_the_type(pairs):
    joined = np.concatenate([pairs[:1], pairs[1:]])
    assert type(joined) is Pairs
    assert joined.left.values.tolist() == ["a", "b", "c"]


def test_other_numpy_functions_are_refused(pairs):
    with pytest.raises(TypeError):
        np.sort(pairs)
    with pytest.raises(TypeError, match="no rectangular form of dtype float"):
        np.asarray(pairs, dtype=float)


@pytest.mark.parametrize("seed", range(5))
def test_gather_takes_rows_sample_by_sample(seed):
    rng = np.random.RandomState(seed)
    lengths = rng.randint(0, 4, 7)
    offsets = np.r_[0, np.cumsum(lengths)]
    ids = rng.randint(0, 7, 10)
    rows, new = gather(offsets, ids)
    expected = [list(range(offsets[i], offsets[i + 1])) for i in ids]
    assert [rows[a:b].tolist() for a, b in pairwise(new)] == expected

"""What every loss promises, ours and a user's."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from skstruct.kernels._node_game import ABSOLUTE, SQUARED, ZERO_ONE
from skstruct.losses import LOSSES, CostMatrix, Loss, as_loss
from tests._documented import documented

CLASSES = ["low", "middle", "high"]
MATRIX = [[0, 1, 4], [2, 0, 1], [9, 3, 0]]


class Asymmetric(Loss):
    """A user's loss, which writes nothing but the cost."""

    def cost(self, classes):
        rank = np.arange(len(classes))
        error = np.subtract.outer(rank, rank)
        return np.where(error > 0, 3 * error, -error)


MAKERS = {
    **LOSSES,
    "matrix": lambda **options: CostMatrix(MATRIX, **options),
    "named": lambda **options: CostMatrix(MATRIX, CLASSES, **options),
    "frame": lambda **options: CostMatrix(
        pd.DataFrame(MATRIX, index=CLASSES, columns=CLASSES), **options
    ),
    "user": Asymmetric,
    "documented": documented("loss", "Cyclic"),
}
OFFSETS = np.array([0, 3, 3, 4, 9])


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def test_the_table_is_one_of_costs(make):
    table = make().table(CLASSES)
    assert table.shape == (3, 3) and table.dtype == float
    assert table.flags["C_CONTIGUOUS"]
    assert (np.diagonal(table) == 0).all() and (table >= 0).all() and table.any()
    assert np.array_equal(table, make().table(np.array(CLASSES)))


def test_the_kind_is_true(make):
    """The solvers take the cost from the kind, so the two must not differ."""
    loss, table = make(), make().table(CLASSES)
    values = loss.values(CLASSES)
    distance = np.abs(np.subtract.outer(values, values))
    assert values.shape == (3,) and (np.diff(values) > 0).all()
    expected = {
        ZERO_ONE: table[0, 1] * (1 - np.eye(3)),
        ABSOLUTE: distance,
        SQUARED: distance**2,
    }
    assert np.array_equal(table, expected.get(loss.kind, table))


def test_unweighted_nodes_count_one(make):
    assert np.array_equal(make().node_weight(OFFSETS), np.ones(9))


def test_later_nodes_count_more(make):
    weight = make(weight="position").node_weight(OFFSETS)
    # Three sequences are not empty; their mean length is 3.
    assert np.allclose(weight[:3], [0.5, 1.0, 1.5])
    assert np.allclose(weight[3], 3.0)
    assert np.allclose(weight[4:], np.arange(1, 6) / 5)
    assert weight.sum() == pytest.approx(9)


def test_no_sequences(make):
    for offsets in ([0], [0, 0, 0]):
        assert make(weight="position").node_weight(offsets).shape == (0,)


def test_unknown_weight(make):
    loss = make(weight="size")
    with pytest.raises(ValueError, match=r"weight of \w+ must be .* got 'size'"):
        loss.node_weight(OFFSETS)


def test_it_is_an_estimator_of_scikit_learn(make):
    loss = make(weight="position")
    for copy in (clone(loss), pickle.loads(pickle.dumps(loss))):
        assert copy is not loss and copy.weight == "position"
        assert np.array_equal(copy.table(CLASSES), loss.table(CLASSES))
    assert loss.set_params(weight=None).get_params()["weight"] is None
    assert repr(loss).startswith(type(loss).__name__ + "(")


def test_one_class(make):
    if make is not MAKERS["matrix"]:
        assert np.array_equal(make().table(["low"]), [[0.0]])


def test_as_loss_returns_losses_as_they_are(make):
    loss = make()
    assert as_loss(loss) is loss

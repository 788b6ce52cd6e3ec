"""Single losses: what they cost, and what they say of bad tables."""

import numpy as np
import pandas as pd
import pytest

from skstruct.losses import Absolute, CostMatrix, Loss, Squared, ZeroOne, as_loss


def test_zero_one():
    assert np.array_equal(ZeroOne().table(["a", "b"]), [[0, 1], [1, 0]])


@pytest.mark.parametrize(("loss", "power"), [(Absolute(), 1), (Squared(), 2)])
def test_numbers_are_places_and_names_are_ranks(loss, power):
    for classes in ([1, 2, 5], np.array([1.0, 2.0, 5.0]), np.array([1, 2, 5], object)):
        assert np.array_equal(loss.values(classes), [1, 2, 5])
        assert np.array_equal(loss.table(classes)[0], np.array([0, 1, 4]) ** power)
        assert not loss.needs_order(classes)
    assert np.array_equal(loss.values([False, True]), [0, 1])
    assert np.array_equal(loss.table(["1", "2", "5"])[0], [0, 1, 2**power])
    assert loss.needs_order(["1", "2", "5"]) and not ZeroOne().needs_order(["a"])


class ByPosition(Loss):
    def cost(self, classes):
        place = np.arange(len(classes))
        return np.subtract.outer(place, place).clip(min=0)


def test_tables_of_names_need_an_order_that_changes_the_costs():
    table = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    for loss in (CostMatrix(table), ByPosition(), Absolute()):
        assert loss.needs_order(["a", "b", "c"])
        assert not loss.needs_order([0, 1, 2])
    assert CostMatrix([[0, 1], [5, 0]]).needs_order(["a", "b"])
    named = CostMatrix(table, labels=["c", "a", "b"])
    frame = CostMatrix(pd.DataFrame(table, list("cab"), list("cab")))
    for loss in (named, frame, ZeroOne(), CostMatrix(2.0 * (1 - np.eye(3)))):
        assert not loss.needs_order(["a", "b", "c"])
    assert not ByPosition().needs_order(["a"])


class ByMeaning(Loss):
    """Squared distances of vectors, in an order of additions that changes."""

    def cost(self, classes):
        rng = np.random.default_rng(0)
        meaning = dict(zip("abcde", rng.normal(size=(5, 40)), strict=True))
        vectors = np.array([meaning[name] for name in classes])
        products = vectors @ vectors.T
        size = (vectors**2).sum(axis=1)
        cost = size[:, None] + size - 2 * products
        np.fill_diagonal(cost, 0)
        return cost


def test_costs_that_differ_by_rounding_need_no_order():
    assert not ByMeaning().needs_order(list("abcde"))


@pytest.mark.parametrize("classes", [[3, 1, 2], [1, 1], [0, np.inf], [0, np.nan]])
def test_numbers_must_rise(classes):
    for loss in (Absolute(), Squared()):
        with pytest.raises(ValueError, match="rise from class to class"):
            loss.table(classes)
    assert np.array_equal(ZeroOne().values(classes), np.arange(len(classes)))


def test_a_matrix_follows_the_classes():
    matrix = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    assert np.array_equal(CostMatrix(matrix).table(list("xyz")), matrix)
    named = CostMatrix(matrix, labels=["a", "b", "c"])
    assert np.array_equal(
        named.table(["c", "a", "b"]), [[0, 5, 6], [2, 0, 1], [4, 3, 0]]
    )
    assert np.array_equal(named.table(["c", "a"]), [[0, 5], [2, 0]])
    frame = pd.DataFrame(matrix, index=list("abc"), columns=list("abc"))
    mixed = CostMatrix(frame[["b", "c", "a"]].loc[["c", "a", "b"]])
    assert np.array_equal(mixed.table(list("abc")), matrix)
    assert np.array_equal(mixed.table(np.array(["c", "b"])), [[0, 6], [4, 0]])


def frame(matrix, rows, columns):
    return pd.DataFrame(matrix, index=list(rows), columns=list(columns))


GOOD = [[0, 1], [2, 0]]


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (
            CostMatrix([[0, 1]]),
            r"shape \(1, 2\), but there are 2 classes, \['a', 'b'\]",
        ),
        (CostMatrix([[0.0]]), "Name the labels of its rows"),
        (CostMatrix([[0, -1], [2, 0]]), "predicting 'b' where 'a' is true is -1.0"),
        (CostMatrix([[0, 1], [np.nan, 0]]), "predicting 'a' where 'b' is true is nan"),
        (CostMatrix([[0, np.inf], [1, 0]]), "finite and not negative"),
        (CostMatrix([[0, 1], [1, 3]]), "predicting 'b' where 'b' .* 0 on the diagonal"),
        (CostMatrix([[np.nan, 1], [1, 0]]), "is nan; costs are 0 on the diagonal"),
        (CostMatrix(GOOD, labels=["a"]), "1 labels need"),
        (CostMatrix(GOOD, labels=["a", "a"]), "labels must differ"),
        (CostMatrix(GOOD, labels=["a", "c"]), "the class 'b' needs a row and a column"),
        (CostMatrix(frame(GOOD, "ab", "ac")), "must name both a row and a column"),
        (CostMatrix(frame(GOOD, "ab", "ab"), labels=["a", "b"]), "leave labels=None"),
        (CostMatrix(frame(GOOD, [0, 1], [0, 1])), "the class 'a' needs"),
    ],
)
def test_bad_matrices(loss, message):
    with pytest.raises(ValueError, match=message):
        loss.cost(np.array(["a", "b"]))


class Flat(Loss):
    def cost(self, classes):
        return np.ones(len(classes))


class Wrong(Loss):
    def cost(self, classes):
        return -np.ones((2, 2))


def test_bad_losses_of_users():
    with pytest.raises(NotImplementedError, match=r"Loss must define cost\(self"):
        Loss().table([0, 1])
    with pytest.raises(ValueError, match=r"Flat: the costs have shape \(2,\)"):
        Flat().table([0, 1])
    with pytest.raises(ValueError, match="Wrong: the cost of predicting 0 where 0"):
        Wrong().table([0, 1])


def test_as_loss():
    assert isinstance(as_loss("squared"), Squared)
    assert np.array_equal(as_loss(np.array(GOOD)).table([3, 4]), GOOD)
    assert np.array_equal(as_loss(frame(GOOD, "ab", "ab")).table(["a", "b"]), GOOD)


@pytest.mark.parametrize(
    "spec", ["hamming", None, 3, [0, 1], ZeroOne, np.ones((1,) * 3)]
)
def test_what_is_no_loss(spec):
    with pytest.raises(ValueError, match="'absolute', 'squared', a matrix cost"):
        as_loss(spec)


def test_arguments_stay_as_they_were():
    matrix = np.array(GOOD, dtype=float)
    matrix.flags.writeable = False
    table = CostMatrix(matrix).table([0, 1])
    table[0, 1] = 7
    assert matrix[0, 1] == 1

"""What a loss must answer."""

from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator

from skstruct.kernels._node_game import GENERAL

__all__ = ["Loss", "are_numbers", "as_list", "as_numbers", "check_costs"]


class Loss(BaseEstimator):
    """What mistakes cost; the cost of a sequence or graph is the sum over its nodes.

    A loss of your own derives from this class and writes `cost`, nothing else.

    Parameters
    ----------
    weight : {None, "position"}, default=None
        How much the nodes of a sequence count. "position": node i of a sequence counts
        i / (1 + 2 + ...), times the mean length of the sequences that are not empty.
        So late nodes count more, all sequences count alike, and the weights of all
        nodes sum to their number: a penalty that suits unweighted nodes suits these.

    Attributes
    ----------
    kind : int
        How the games of predictor and adversary are solved. Any cost is served by the
        one that is set here.

    See Also
    --------
    skstruct.losses.CostMatrix : Costs that are numbers, not a rule.

    Examples
    --------
    A loss that minds being too low twice as much as being too high:

    >>> import numpy as np
    >>> from skstruct.losses import Loss
    >>> class Cautious(Loss):
    ...     def cost(self, classes):
    ...         error = np.subtract.outer(classes, classes)  # true - predicted
    ...         return np.where(error > 0, 2 * error, -error)
    >>> Cautious(weight="position").table([0, 1, 2])
    array([[0., 1., 2.],
           [2., 0., 1.],
           [4., 2., 0.]])
    """

    kind = GENERAL
    # A subclass need not call __init__ of this class.
    weight = None

    def __init__(self, *, weight=None):
        self.weight = weight

    def cost(self, classes):
        """What each prediction costs, for each true label.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels, in the order of rows and columns.

        Returns
        -------
        array of shape (n_classes, n_classes)
            ``cost[true, predicted]``: finite, not negative, zero on the diagonal.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define cost(self, classes), which returns the "
            "table cost[true, predicted]."
        )

    def table(self, classes):
        """`cost`, checked.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            Floats, in one C-contiguous block.

        Raises
        ------
        ValueError
            If the table has another shape, a cost is negative, NaN or infinite, or the
            diagonal is not zero; the message names the labels.
        """
        name, labels = type(self).__name__, as_list(classes)
        try:
            cost = self.cost(classes)
        except TypeError as error:
            raise ValueError(
                f"{name}.cost failed on the labels {labels!r}: {error}. It is given "
                "labels, not their positions, which are range(len(classes))."
            ) from error
        return check_costs(cost, labels, name)

    def values(self, classes):
        """Places of the labels on a line, in rising order.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels.

        Returns
        -------
        ndarray of shape (n_classes,)
            0, 1, ... where the loss does not care.
        """
        return np.arange(len(classes), dtype=float)

    def needs_order(self, classes):
        """Whether someone must say in which order these labels stand.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels.

        Returns
        -------
        bool
            True where the labels are not numbers, and what a mistake costs changes
            with the order in which they are given.
        """
        if are_numbers(classes):
            return False
        cost, labels = self.table(classes), np.empty(len(classes), dtype=object)
        labels[:] = as_list(classes)
        order = np.arange(len(labels))
        # Any order is reached by these two: to swap the first labels, to turn all.
        orders = (np.r_[order[1::-1], order[2:]], np.roll(order, 1))
        rounding = 1e-9 * cost.max(initial=0.0)
        return any(
            np.abs(self.table(labels[o]) - cost[np.ix_(o, o)]).max() > rounding
            for o in orders
        )

    def node_weight(self, offsets):
        """How much each node counts.

        Parameters
        ----------
        offsets : array-like of shape (n_sequences + 1,)
            Where each sequence begins; the last one is the number of nodes.

        Returns
        -------
        ndarray of shape (n_nodes,)
            Positive weights whose sum is the number of nodes.

        Raises
        ------
        ValueError
            If ``weight`` is no rule.
        """
        offsets = np.asarray(offsets)
        if self.weight is None:
            return np.ones(offsets[-1])
        if self.weight != "position":
            raise ValueError(
                f"weight of {type(self).__name__} must be None or 'position', got "
                f"{self.weight!r}."
            )
        lengths = np.diff(offsets)
        position = np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], lengths)
        n_filled = max(np.count_nonzero(lengths), 1)
        share = (offsets[-1] / n_filled) / (lengths * (lengths + 1) / 2).clip(min=1)
        return position * np.repeat(share, lengths)


def are_numbers(labels):
    """Whether all labels are numbers, which stand in an order."""
    return all(isinstance(label, Real | np.bool_) for label in as_list(labels))


def as_list(labels):
    """Labels as Python's own text and numbers, which read well in messages."""
    return [
        label.item() if isinstance(label, np.generic) else label
        for label in np.asarray(labels, dtype=object).tolist()
    ]


def as_numbers(cost, name):
    """A table of costs as a C-contiguous array of floats."""
    try:
        return np.ascontiguousarray(cost, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: the costs are not all numbers: {error}.") from error


def check_costs(cost, labels, name):
    """A table of costs as floats; a ValueError says what is wrong with it."""
    cost = as_numbers(cost, name)
    if cost.shape != (len(labels), len(labels)):
        raise ValueError(
            f"{name}: the costs have shape {cost.shape}, and {len(labels)} labels need "
            f"{(len(labels), len(labels))}."
        )
    wrong = ~(np.isfinite(cost) & (cost >= 0))
    np.fill_diagonal(wrong, np.diagonal(cost) != 0)
    if wrong.any():
        true, predicted = np.argwhere(wrong)[0]
        rule = "finite and not negative" if true != predicted else "0 on the diagonal"
        raise ValueError(
            f"{name}: the cost of predicting {labels[predicted]!r} where "
            f"{labels[true]!r} is true is {cost[true, predicted]}; costs are {rule}."
        )
    return cost

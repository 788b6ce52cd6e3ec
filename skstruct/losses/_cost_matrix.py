"""Mistakes that cost what a table says."""

import numpy as np

from skstruct.losses._base import Loss, as_list, as_numbers, check_costs

__all__ = ["CostMatrix"]


class CostMatrix(Loss):
    """Costs of all mistakes, given as numbers.

    Parameters
    ----------
    matrix : array of shape (n_labels, n_labels) or DataFrame
        ``matrix[true, predicted]``, as in scikit-learn's confusion matrix: finite, not
        negative, zero on the diagonal. A DataFrame names its rows and columns, in any
        order.
    labels : list of labels, default=None
        The labels behind the rows and columns of an array. None: the classes, numbers
        sorted and names as the estimator's ``classes`` order them. Labels may be more
        than the classes: a fold of the data may lack some.
    weight : {None, "position"}, default=None
        How much the nodes of a sequence count, as in `Loss`.

    Attributes
    ----------
    kind : int
        How the games of predictor and adversary are solved.

    Examples
    --------
    >>> from skstruct.losses import CostMatrix
    >>> CostMatrix([[0, 1], [5, 0]], labels=["ok", "bad"]).cost(["bad", "ok"])
    array([[0., 5.],
           [1., 0.]])
    """

    def __init__(self, matrix, labels=None, *, weight=None):
        super().__init__(weight=weight)
        self.matrix = matrix
        self.labels = labels

    def cost(self, classes):
        """The costs of these labels.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            ``cost[true, predicted]``.

        Raises
        ------
        ValueError
            If a class has no costs, labels are named twice, rows and columns differ in
            names, or the costs are not as `matrix` asks.
        """
        classes = as_list(classes)
        rows, columns = self._names(classes)
        cost = as_numbers(self.matrix, type(self).__name__)
        if rows != columns:
            cost = cost[:, [columns.index(name) for name in rows]]
        cost = check_costs(cost, rows, type(self).__name__)
        place = {name: i for i, name in enumerate(rows)}
        missing = [name for name in classes if name not in place]
        if missing:
            raise ValueError(
                f"CostMatrix has costs of {rows!r} only; the class {missing[0]!r} "
                "needs a row and a column."
            )
        order = [place[name] for name in classes]
        return cost[np.ix_(order, order)]

    def _names(self, classes):
        """The labels of the rows and those of the columns."""
        if hasattr(self.matrix, "index") and hasattr(self.matrix, "columns"):
            if self.labels is not None:
                raise ValueError(
                    "CostMatrix: a DataFrame names its labels; leave labels=None."
                )
            rows, columns = as_list(self.matrix.index), as_list(self.matrix.columns)
            if set(rows) != set(columns):
                odd = next(iter(set(rows) ^ set(columns)))
                raise ValueError(
                    f"CostMatrix: the label {odd!r} must name both a row and a column."
                )
        elif self.labels is not None:
            rows = columns = as_list(self.labels)
        elif np.shape(self.matrix) == (len(classes),) * 2:
            return classes, classes
        else:
            raise ValueError(
                f"CostMatrix has shape {np.shape(self.matrix)}, but there are "
                f"{len(classes)} classes, {classes!r}. Name the labels of its rows and "
                "columns by `labels`, or pass a DataFrame."
            )
        for names in (rows, columns):
            if len(set(names)) < len(names):
                raise ValueError(f"CostMatrix: labels must differ, got {names!r}.")
        return rows, columns

"""The mean of a loss that adds over tokens."""

import numpy as np

from skstruct.containers import Ragged
from skstruct.metrics._flatten import read_pairs

__all__ = ["mean_additive_loss"]


def mean_additive_loss(y_true, y_pred, loss, *, labels=None, sample_weight=None):
    """Mean cost of a token, where mistakes differ in cost.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None, NaN and -1 are unknown and skipped, as is a sequence that is
        None.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted labels.
    loss : array of shape (n_labels, n_labels), DataFrame or callable
        ``cost[true, predicted]``; a DataFrame names its rows and columns. A callable
        takes two flat arrays, gold and predicted labels, and returns a cost for each.
    labels : list of labels, default=None
        The labels behind the rows and columns of an array. None: 0, 1, ...
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.

    Returns
    -------
    float
        Mean over tokens, 0 is best; NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length, a label has no cost,
        or a cost is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.metrics import mean_additive_loss
    >>> mean_additive_loss([[1, 2], [5]], [[1, 4], [4]], lambda t, p: np.abs(t - p))
    1.0
    >>> cost = [[0, 1], [5, 0]]
    >>> mean_additive_loss([["ok", "bad"]], [["ok", "ok"]], cost, labels=["ok", "bad"])
    2.5
    """
    pairs = read_pairs(y_true, y_pred, sample_weight)
    if pairs is None:
        return np.nan
    if callable(loss):
        names = Ragged([pairs.names]).values
        costs = np.asarray(loss(names[pairs.gold], names[pairs.predicted]), dtype=float)
    else:
        cost, rows, columns = _read_costs(loss, labels)
        gold = _lookup(pairs.names, pairs.gold, rows, "y_true")
        costs = cost[gold, _lookup(pairs.names, pairs.predicted, columns, "y_pred")]
    if costs.shape != pairs.gold.shape or not np.isfinite(costs).all():
        raise ValueError(
            f"loss must give one finite cost for each of the {len(pairs.gold)} tokens; "
            f"got shape {costs.shape}."
        )
    return float(np.average(costs, weights=pairs.weight))


def _read_costs(loss, labels):
    """A cost matrix, the labels of its rows and those of its columns."""
    if np.ndim(loss) != 2:
        raise ValueError(
            "loss must be a callable or a matrix cost[true, predicted], got "
            f"{type(loss).__name__} {loss!r}."
        )
    cost = np.asarray(loss, dtype=float)
    if hasattr(loss, "index") and hasattr(loss, "columns"):
        return cost, list(loss.index), list(loss.columns)
    labels = list(range(len(cost))) if labels is None else list(labels)
    if cost.shape != (len(labels), len(labels)):
        raise ValueError(
            f"loss has shape {cost.shape}; with {len(labels)} labels it needs "
            f"{(len(labels), len(labels))}."
        )
    return cost, labels, labels


def _lookup(names, codes, labels, side):
    """The place of each token's label among ``labels``."""
    place = {label: i for i, label in enumerate(labels)}
    places = np.array([place.get(name, -1) for name in names])
    for code in np.unique(codes):
        if places[code] < 0:
            raise ValueError(
                f"{side} holds the label {names[code]!r}, for which loss has no cost; "
                "name the rows and columns of an array by `labels`."
            )
    return places[codes]

"""The mean of a loss that adds over tokens."""

import numpy as np

from skstruct._validation import check_node_weight, plain
from skstruct.containers import Ragged
from skstruct.losses import Absolute, CostMatrix, Loss, Squared, ZeroOne, as_loss
from skstruct.metrics._flatten import read_pairs

__all__ = ["mean_additive_loss"]


# Here the cost of two labels does not depend on what others there are.
_PAIRWISE = (ZeroOne, CostMatrix, Absolute, Squared)


def mean_additive_loss(
    y_true, y_pred, loss, *, labels=None, sample_weight=None, node_weight=None
) -> float:
    """Mean cost of a token, where mistakes differ in cost.

    Parameters
    ----------
    y_true : Ragged, list-like of label sequences, or 1-D array of labels
        Gold labels; None and NaN are unknown and skipped, as is a sequence that is
        None. So is -1, unless it is one of ``labels``.
    y_pred : Ragged, list-like of label sequences, or 1-D array of labels
        Predicted labels.
    loss : str, array of shape (n_labels, n_labels), DataFrame, Loss or callable
        A name such as "absolute", see `skstruct.losses.LOSSES`;
        ``cost[true, predicted]``, of which a DataFrame names rows and columns; or a
        loss of `skstruct.losses`, whose ``weight`` then weighs the tokens. A callable
        takes two flat arrays, gold and predicted labels, and returns a cost for each.
    labels : list of labels, default=None
        The labels behind the rows and columns of an array, None: 0, 1, ...; for a name
        or a Loss all labels in their order, None: the sorted ones of both sides. They
        may lack some where two labels cost the same whatever others there are, as
        those of "zero_one" and numbers do.
    sample_weight : array-like of shape (n_sequences,), default=None
        Weights of the sequences.
    node_weight : Ragged or list-like of sequences, default=None
        Weights of the tokens, in place of those of a Loss.

    Returns
    -------
    float
        Mean over tokens, 0 is best; NaN with a warning where no gold label is known.

    Raises
    ------
    ValueError
        If the sequences of both sides differ in number or length, a label has no cost,
        a cost is not finite, or a loss needs an order of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.metrics import mean_additive_loss
    >>> mean_additive_loss([[1, 2], [5]], [[1, 4], [4]], lambda t, p: np.abs(t - p))
    1.0
    >>> mean_additive_loss([[1, 2], [5]], [[1, 4], [4]], "absolute")
    1.0
    >>> cost = [[0, 1], [5, 0]]
    >>> mean_additive_loss([["ok", "bad"]], [["ok", "ok"]], cost, labels=["ok", "bad"])
    2.5
    """
    labels = None if labels is None else list(labels)
    pairs = read_pairs(y_true, y_pred, sample_weight, known=labels)
    if pairs is None:
        return np.nan
    weight = check_node_weight(node_weight, pairs.offsets)
    if isinstance(loss, str | Loss):
        loss = as_loss(loss)
        labels = _classes(loss, pairs, labels)
        weight = loss.node_weight(pairs.offsets) if weight is None else weight
        loss = loss.table(labels)
    weight = _product(None if weight is None else weight[pairs.row], pairs.weight)
    if weight is not None and not weight.any():
        raise ValueError("node_weight is zero at all tokens with a gold label.")
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
    return float(np.average(costs, weights=weight))


def _product(weight, other):
    """The product of weights of which each may be None."""
    if weight is None or other is None:
        return other if weight is None else weight
    return weight * other


def _classes(loss, pairs, given):
    """All labels; those that are not given, where a Loss may take them as sorted."""
    used = np.unique(np.concatenate([pairs.gold, pairs.predicted]))
    labels = [pairs.names[code] for code in used]
    if given is not None:
        unseen = [label for label in labels if label not in set(given)]
        if not unseen or type(loss) not in _PAIRWISE:
            return given
        if isinstance(loss, CostMatrix):
            named = loss.labels is not None or hasattr(loss.matrix, "columns")
            return given + unseen if named else given
        if isinstance(loss, ZeroOne):
            return given + unseen
        return given if loss.needs_order(given + unseen) else sorted(given + unseen)
    if loss.needs_order(labels):
        raise ValueError(
            f"{type(loss).__name__} needs the order of the labels {labels!r}, which "
            "are not numbers: pass all labels, in their order, as `labels`."
        )
    return labels


def _read_costs(loss, labels):
    """A cost matrix, the labels of its rows and those of its columns."""
    if np.ndim(loss) != 2:
        raise ValueError(
            "loss must be a name, a matrix cost[true, predicted], a Loss or a "
            f"callable; got {type(loss).__name__} {loss!r}."
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
                f"{side} holds the label {names[code]!r}, for which loss has no cost: "
                f"it knows {list(map(plain, labels))!r}. Name all labels by `labels`, "
                "or those of an estimator by its parameter `classes`."
            )
    return places[codes]

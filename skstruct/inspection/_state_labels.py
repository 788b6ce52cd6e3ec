"""Which labels stand behind states: a heat map of counts."""

from typing import Self

import numpy as np

from skstruct._validation import (
    as_known_labels,
    as_labels,
    as_ragged,
    is_missing,
)
from skstruct._validation._batches import is_scalar
from skstruct.containers import Ragged
from skstruct.inspection._base import Display
from skstruct.inspection._kinds import check_no_aligner, model_of
from skstruct.inspection._tables import as_table
from skstruct.inspection._words import shown

__all__ = ["StateLabelDisplay"]


class StateLabelDisplay(Display):
    """Heat map of predicted states, in rows, against gold labels, in columns.

    A good state has one dark cell in its row. States without names are in the order of
    the labels that most of their tokens have, so that good ones form a diagonal, and a
    label that is shared out shows as a column of several. Where states are labels, rows
    and columns have one order, that of ``classes_`` or else the sorted one, and the
    diagonal is what is right: the transpose of a confusion matrix.

    It is recommended to use `from_estimator` or `from_predictions`.

    Parameters
    ----------
    counts : array-like of shape (n_states, n_labels)
        Number of tokens of each state and label.
    states : array-like of shape (n_states,)
        Names of the rows.
    labels : array-like of shape (n_labels,)
        Names of the columns.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure
        The figure of it.
    im_ : matplotlib.image.AxesImage or None
        The heat map; None where there is no token.
    text_ : ndarray of shape (n_states, n_labels) of matplotlib.text.Text, or None
        Values, in tables of at most 200 cells.

    See Also
    --------
    sklearn.metrics.ConfusionMatrixDisplay : True labels in rows; takes flat labels,
        such as ``y.values`` of a Ragged.
    skstruct.metrics.many_to_one_accuracy : Share of the darkest cells of the rows.

    Examples
    --------
    >>> from skstruct.inspection import StateLabelDisplay
    >>> gold = [["D", "N", "V"], ["N", "V"]]
    >>> display = StateLabelDisplay.from_predictions(gold, [[2, 0, 1], [0, 0]])
    >>> display.states.tolist(), display.labels.tolist()
    ([2, 0, 1], ['D', 'N', 'V'])
    >>> display.counts
    array([[1, 0, 0],
           [0, 2, 1],
           [0, 0, 1]])
    """

    def __init__(self, counts, *, states, labels):
        self.counts = counts
        self.states = states
        self.labels = labels

    @classmethod
    def from_estimator(cls, estimator, X, y, *, ax=None, **plot_params) -> Self:
        """Compare predictions of a fitted estimator with gold labels.

        Parameters
        ----------
        estimator : fitted estimator
            Such as :class:`~skstruct.AnnealedHMM`, or a pipeline or search of one. Its
            states are labels where it has ``classes_``, or where they are names that
            are all among the labels.
        X : Ragged, list-like of sequences, or array
            Sequences as in ``predict``.
        y : Ragged or list-like of sequences
            Gold labels; tokens without one (None, or -1 among integers unless the model
            has such a class) are left out.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        StateLabelDisplay
            Drawn.

        Raises
        ------
        TypeError
            If the estimator is an aligner.
        """
        check_no_aligner(estimator)
        batch = as_ragged(X)
        states = as_known_labels(estimator.predict(X), batch)
        classes = getattr(model_of(estimator), "classes_", None)
        if classes is not None and -1 in classes.tolist():  # not what is unknown
            gold, known = as_known_labels(y, batch, "y"), slice(None)
        else:
            gold, known = as_labels(y, batch, "y")
        states, gold = states[known], gold[known]
        if classes is None and states.dtype == object:
            classes = _shared(states, gold)
        return cls._count(states, gold, classes).plot(ax, **plot_params)

    @classmethod
    def from_predictions(cls, y_true, y_pred, *, ax=None, **plot_params) -> Self:
        """Compare predicted states with gold labels.

        Parameters
        ----------
        y_true : Ragged, list-like of sequences, or 1-D array
            Gold labels; tokens without one (None, or -1 among integers) are left out.
        y_pred : Ragged, list-like of sequences, or 1-D array
            States, one for each gold label. If all of them are among these, they are
            taken for labels.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        StateLabelDisplay
            Drawn.

        Raises
        ------
        ValueError
            If the two differ in length, or a state is missing; the message names the
            sequence.
        """
        batch = _read(y_pred)
        batch = batch.with_values(as_known_labels(batch, batch, "y_pred"))
        gold, known = as_labels(y_true, batch, "y_true")
        states, gold = batch.values[known], gold[known]
        classes = _shared(states, gold)
        return cls._count(states, gold, classes).plot(ax, **plot_params)

    @classmethod
    def _count(cls, states, gold, classes):
        """Count pairs; in the order of the classes, or of a diagonal if None."""
        states, row = np.unique(states, return_inverse=True)
        labels, column = np.unique(gold, return_inverse=True)
        counts = np.zeros((len(states), len(labels)), dtype=np.intp)
        np.add.at(counts, (row, column), 1)
        if classes is not None:
            names = _merged(classes, states, labels)
            rows, columns = (
                [names.index(name) for name in some.tolist()]
                for some in (states, labels)
            )
            square = np.zeros((len(names), len(names)), dtype=np.intp)
            square[np.ix_(rows, columns)] = counts
            names = np.array(names, dtype=object)
            return cls(square, states=names, labels=names)
        if counts.size:
            order = np.lexsort((-counts.max(axis=1), counts.argmax(axis=1)))
            states, counts = states[order], counts[order]
        return cls(counts, states=states, labels=labels)

    def plot(self, ax=None, *, normalize="state", cmap="Blues", colorbar=True) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        normalize : {"state", "label"} or None, default="state"
            Whether colours are shares of the tokens of a state, of those of a label, or
            counts.
        cmap : str or matplotlib Colormap, default="Blues"
            Colours.
        colorbar : bool, default=True
            Whether to explain them.

        Returns
        -------
        StateLabelDisplay
            Drawn.

        Raises
        ------
        ValueError
            If ``normalize`` is none of these, or there is not one finite number for
            each state and label.
        """
        said = {"state": "share of state", "label": "share of label", None: "tokens"}
        if normalize not in said:
            raise ValueError(
                f"normalize must be 'state', 'label' or None, got {normalize!r}."
            )
        table = as_table(
            self.counts, "counts", ("states", self.states), ("labels", self.labels)
        )
        if normalize is not None:
            total = table.sum(axis=1 if normalize == "state" else 0, keepdims=True)
            table = table / np.maximum(total, 1)
        self._heat_map(
            table,
            shown(self.states),
            shown(self.labels),
            ax=ax,
            colorbar=colorbar,
            label=said[normalize],
            values=True,
            cmap=cmap,
            vmin=0,
            vmax=None if normalize is None else 1,
        )
        self.ax_.set(xlabel="True label", ylabel="Predicted state")
        return self


def _shared(states, gold):
    """The labels in their order, if the states are all among them; else None."""
    labels = np.unique(gold)
    return labels if set(states.tolist()) <= set(labels.tolist()) else None


def _merged(classes, states, labels):
    """Names of both sides: the classes that occur, then labels that are none."""
    seen = {*states.tolist(), *labels.tolist()}
    names = [c for c in classes.tolist() if c in seen]
    return names + [label for label in labels.tolist() if label not in set(names)]


def _read(y_pred):
    """States as a Ragged; a 1-D array is sequences of one."""
    if isinstance(y_pred, Ragged):
        return y_pred
    y_pred = list(y_pred)
    if y_pred and all(is_scalar(s) or is_missing(s) for s in y_pred):
        return Ragged.from_lengths(y_pred, np.ones(len(y_pred), dtype=np.intp))
    return Ragged(y_pred)

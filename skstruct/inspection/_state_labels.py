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
from skstruct.inspection._kinds import check_no_aligner
from skstruct.inspection._tables import as_table
from skstruct.inspection._words import shown

__all__ = ["StateLabelDisplay"]


class StateLabelDisplay(Display):
    """Heat map of states found without supervision against gold labels.

    A good state has one dark cell in its row. States are in the order of the labels
    that most of their tokens have, so that good ones form a diagonal, and a label that
    is shared out shows as a column of several.

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
    sklearn.metrics.ConfusionMatrixDisplay : For labels that have the same names.
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
            Such as :class:`~skstruct.AnnealedHMM`.
        X : Ragged, list-like of sequences, or array
            Sequences as in ``predict``.
        y : Ragged or list-like of sequences
            Gold labels; tokens without one (None, or -1 among integers) are left out.
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
        predicted = batch.with_values(as_known_labels(estimator.predict(X), batch))
        return cls.from_predictions(y, predicted, ax=ax, **plot_params)

    @classmethod
    def from_predictions(cls, y_true, y_pred, *, ax=None, **plot_params) -> Self:
        """Compare predicted states with gold labels.

        Parameters
        ----------
        y_true : Ragged, list-like of sequences, or 1-D array
            Gold labels; tokens without one (None, or -1 among integers) are left out.
        y_pred : Ragged, list-like of sequences, or 1-D array
            States, one for each gold label.
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
        states, row = np.unique(batch.values[known], return_inverse=True)
        labels, column = np.unique(gold[known], return_inverse=True)
        counts = np.zeros((len(states), len(labels)), dtype=np.intp)
        np.add.at(counts, (row, column), 1)
        if counts.size:
            order = np.lexsort((-counts.max(axis=1), counts.argmax(axis=1)))
            states, counts = states[order], counts[order]
        return cls(counts, states=states, labels=labels).plot(ax, **plot_params)

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
        self.ax_.set(xlabel="Label", ylabel="State")
        return self


def _read(y_pred):
    """States as a Ragged; a 1-D array is sequences of one."""
    if isinstance(y_pred, Ragged):
        return y_pred
    y_pred = list(y_pred)
    if y_pred and all(is_scalar(s) or is_missing(s) for s in y_pred):
        return Ragged.from_lengths(y_pred, np.ones(len(y_pred), dtype=np.intp))
    return Ragged(y_pred)

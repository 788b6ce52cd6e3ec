"""Probabilities of the states along a sequence."""

from typing import Self

import numpy as np

from skstruct._validation import as_ragged
from skstruct.containers import Batch
from skstruct.inspection._base import (
    Display,
    first_attribute,
    name_handles,
    name_ticks,
    one_sample,
    state_names,
)
from skstruct.inspection._tables import as_table, check_length
from skstruct.inspection._words import shown, width_of

__all__ = ["PosteriorDisplay"]

# More colours are not told apart: the least probable states share one.
_MAX_COLOURS, _OTHERS = 10, "others"


class PosteriorDisplay(Display):
    """Probabilities of the states of each token, as a heat map or stacked areas.

    It shows where a model is sure and where it is not. Heat maps suit sentences and
    many states, stacked areas long series with few. The nodes of a tree or grid stand
    in one row, in their order.

    It is recommended to use `from_estimator` or `from_predictions`.

    Parameters
    ----------
    probabilities : array-like of shape (n_tokens, K)
        Probabilities of the states of each token.
    states : array-like of shape (K,)
        Names of the states.
    tokens : array-like of shape (n_tokens,), default=None
        Words below the picture; None shows positions, from 0.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure
        The figure of it.
    im_ : matplotlib.image.AxesImage or None
        The heat map.
    areas_ : list of matplotlib.patches.StepPatch
        The stacked areas: of the states or, if there are more than 10, of the 9 that
        are most probable on the whole and of all others.

    Examples
    --------
    >>> from skstruct import ConditionalRandomField
    >>> from skstruct.inspection import PosteriorDisplay
    >>> X = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat"]]
    >>> y = [["D", "N", "V"], ["D", "N", "V"], ["D", "N"]]
    >>> model = ConditionalRandomField().fit(X, y)
    >>> display = PosteriorDisplay.from_estimator(model, X, sample=1)
    >>> display.tokens
    ['a', 'cat', 'sleeps']
    >>> display.probabilities.shape
    (3, 3)
    """

    def __init__(self, probabilities, *, states, tokens=None):
        self.probabilities = probabilities
        self.states = states
        self.tokens = tokens

    @classmethod
    def from_estimator(cls, estimator, X, *, sample=0, ax=None, **plot_params) -> Self:
        """Show what a model finds probable in one sequence.

        Parameters
        ----------
        estimator : fitted estimator
            One with ``predict_proba``: :class:`~skstruct.AnnealedHMM`,
            :class:`~skstruct.CRFAutoencoderTagger`,
            :class:`~skstruct.ConditionalRandomField`; or a pipeline or search of one.
        X : Ragged, list-like of sequences, or array
            Sequences as in ``predict_proba``.
        sample : int, default=0
            Number of the sequence that is shown.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        PosteriorDisplay
            Drawn.

        Raises
        ------
        ValueError
            If X has no such sequence.
        TypeError
            If the estimator has no states, or no ``predict_proba``.
        """
        states = state_names(estimator)
        first_attribute(estimator, "predict_proba", shows="probabilities")
        batch = one_sample(X, sample)
        (proba,) = estimator.predict_proba(batch)
        display = cls(proba, states=states, tokens=_tokens(batch))
        return display.plot(ax, **plot_params)

    @classmethod
    def from_predictions(
        cls, X, y_proba, *, states=None, sample=0, ax=None, **plot_params
    ) -> Self:
        """Show the probabilities that were predicted for one sequence.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array
            Sequences.
        y_proba : Ragged or list-like of arrays of shape (n_tokens, K)
            What ``predict_proba`` answers for X.
        states : array-like of shape (K,), default=None
            Names of the states; None numbers them from 0.
        sample : int, default=0
            Number of the sequence that is shown.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        PosteriorDisplay
            Drawn.

        Raises
        ------
        ValueError
            If X has no such sequence, or probabilities are not those of its tokens.
        """
        X = X if isinstance(X, Batch) else as_ragged(X)
        batch = one_sample(X, sample)
        check_length(y_proba, "y_proba", len(X), "sequence of X")
        probabilities = y_proba[sample]
        if batch.n_tokens == 1 and np.ndim(probabilities) == 1:
            probabilities = [probabilities]  # the row of a 2-D array
        probabilities = as_table(
            probabilities,
            f"y_proba[{sample}]",
            ("tokens", range(batch.n_tokens)),
            ("states", states),
        )
        if states is None:
            states = np.arange(probabilities.shape[1])
        display = cls(probabilities, states=states, tokens=_tokens(batch))
        return display.plot(ax, **plot_params)

    def plot(self, ax=None, *, kind="heat", cmap="Blues", colorbar=True) -> Self:
        """Draw the probabilities.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        kind : {"heat", "stacked"}, default="heat"
            Heat map, or stacked areas.
        cmap : str or matplotlib Colormap, default="Blues"
            Colours of the heat map.
        colorbar : bool, default=True
            Whether to explain them.

        Returns
        -------
        PosteriorDisplay
            Drawn.

        Raises
        ------
        ValueError
            If ``kind`` is none of these, or there is not one finite number for each
            token and state.
        """
        if kind not in ("heat", "stacked"):
            raise ValueError(f"kind must be 'heat' or 'stacked', got {kind!r}.")
        table = as_table(
            self.probabilities,
            "probabilities",
            ("tokens", self.tokens),
            ("states", self.states),
        )
        names = None if self.tokens is None else shown(self.tokens)
        self.im_, self.areas_ = None, []
        if kind == "stacked" and table.size:
            self._stack(table, names, ax)
        else:
            self._heat_map(
                table.T,
                shown(self.states),
                names,
                ax=ax,
                colorbar=colorbar,
                label="probability",
                cmap=cmap,
                vmin=0,
                vmax=1,
            )
            self.ax_.set_ylabel("State")
        self.ax_.set_xlabel("Position" if names is None else "Token")
        return self

    def _stack(self, table, names, ax):
        states = shown(self.states)
        if len(states) > _MAX_COLOURS:
            likely = np.argsort(-table.sum(axis=0), kind="stable")
            first = np.sort(likely[: _MAX_COLOURS - 1])
            rest = 1 - table[:, first].sum(axis=1, keepdims=True)
            table = np.hstack([table[:, first], rest])
            states = [states[k] for k in first] + [_OTHERS]
        n_tokens = len(table)
        width = min(0.3 * n_tokens, 12) + 2.5 + 0.09 * width_of(states)
        ax = self._axes(ax, (width, 3.5 + 0.06 * width_of(names or [])))
        tops = np.cumsum(table, axis=1).T
        edges = np.arange(n_tokens + 1) - 0.5
        below = np.zeros(n_tokens)
        for k, (state, top) in enumerate(zip(states, tops, strict=True)):
            color = "0.85" if state == _OTHERS else f"C{k}"
            self.areas_.append(
                ax.stairs(top, edges, baseline=below, fill=True, color=color)
            )
            below = top
        name_ticks(ax.xaxis, names, n_tokens)
        ax.set(xlim=(-0.5, n_tokens - 0.5), ylim=(0, 1), ylabel="Probability")
        name_handles(  # the highest area first
            ax,
            self.areas_[::-1],
            states[::-1],
            loc="center left",
            bbox_to_anchor=(1, 0.5),
        )


def _tokens(batch: Batch):
    """Words of the one sequence of a batch; None where its tokens are no words."""
    tokens = batch.surface.tolist() if batch.surface.ndim == 1 else [None]
    if not all(isinstance(token, str | int) for token in tokens):
        return None
    return tokens

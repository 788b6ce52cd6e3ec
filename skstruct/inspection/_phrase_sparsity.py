"""In how many categories the occurrences of a phrase are."""

from typing import Self

import numpy as np

from skstruct.inspection._base import (
    Display,
    count_ticks,
    first_attribute,
    name_handles,
)
from skstruct.inspection._kinds import model_of

__all__ = ["PhraseSparsityDisplay"]


class PhraseSparsityDisplay(Display):
    """Share of phrases whose occurrences are in at most so many categories.

    The steeper the curve begins, the sparser the clustering. Curves of several models
    go into one picture by ``ax``.

    It is recommended to use `from_estimator` or `from_predictions`.

    Parameters
    ----------
    n_clusters_per_phrase : array-like of shape (n_phrases,)
        Number of categories of each phrase.
    name : str, default=None
        Name of the curve in the legend.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure
        The figure of it.
    line_ : matplotlib.lines.Line2D
        The curve.

    Examples
    --------
    Two models in one picture:

    >>> from skstruct import PosteriorRegularizedClusterer
    >>> from skstruct.datasets import make_phrase_table
    >>> from skstruct.inspection import PhraseSparsityDisplay
    >>> X, _ = make_phrase_table(1000, random_state=0)
    >>> ax = None
    >>> for constraint in (None, "sparsity"):
    ...     model = PosteriorRegularizedClusterer(
    ...         4, constraint=constraint, random_state=0
    ...     ).fit(X)
    ...     display = PhraseSparsityDisplay.from_estimator(
    ...         model, name=str(constraint), ax=ax
    ...     )
    ...     ax = display.ax_
    >>> len(ax.lines)
    2
    """

    def __init__(self, n_clusters_per_phrase, *, name=None):
        self.n_clusters_per_phrase = n_clusters_per_phrase
        self.name = name

    @classmethod
    def from_estimator(cls, estimator, *, name=None, ax=None, **line_kw) -> Self:
        """Show how many categories the training phrases of a clusterer have.

        Parameters
        ----------
        estimator : fitted clusterer
            Such as :class:`~skstruct.PosteriorRegularizedClusterer`, or a pipeline or
            search of one.
        name : str, default=None
            Name of the curve; None takes that of the clusterer's class.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **line_kw : dict
            Passed to ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        PhraseSparsityDisplay
            Drawn.

        Raises
        ------
        TypeError
            If the estimator does not cluster phrases.
        """
        count = first_attribute(estimator, "n_clusters_per_phrase", shows="phrases")
        name = type(model_of(estimator)).__name__ if name is None else name
        return cls(count(), name=name).plot(ax, **line_kw)

    @classmethod
    def from_predictions(
        cls, phrases, y_pred, *, name=None, ax=None, **line_kw
    ) -> Self:
        """Show how many categories phrases have.

        Parameters
        ----------
        phrases : array-like of shape (n,)
            Phrase of each occurrence.
        y_pred : array-like of shape (n,)
            Its category: predicted, or gold for comparison.
        name : str, default=None
            Name of the curve.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **line_kw : dict
            Passed to ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        PhraseSparsityDisplay
            Drawn.

        Raises
        ------
        ValueError
            If there are not as many phrases as categories.
        """
        phrases, labels = list(phrases), list(y_pred)
        if len(phrases) != len(labels):
            raise ValueError(
                f"phrases has {len(phrases)} entries, y_pred {len(labels)}; each "
                "occurrence has one of both."
            )
        found = {}
        for phrase, label in zip(phrases, labels, strict=True):
            found.setdefault(phrase, set()).add(label)
        display = cls(np.array([len(s) for s in found.values()], dtype=int), name=name)
        return display.plot(ax, **line_kw)

    def plot(self, ax=None, **line_kw) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **line_kw : dict
            Passed to ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        PhraseSparsityDisplay
            Drawn.

        Raises
        ------
        ValueError
            If numbers of categories are no integers from 0.
        """
        counts = _as_counts(self.n_clusters_per_phrase)
        ax = self._axes(ax, (6, 4))
        share = np.cumsum(np.bincount(counts, minlength=2)[1:]) / max(counts.size, 1)
        at_most = np.arange(1, len(share) + 1)
        style = {"marker": "o", "markersize": 4, **line_kw}
        (self.line_,) = ax.plot(at_most, share, **style)
        mean = f"mean {counts.mean():.2f}" if counts.size else "no phrases"
        self.line_.set_label(mean if self.name is None else f"{self.name} ({mean})")
        ax.set(
            xlabel="Categories of a phrase, at most",
            ylabel="Share of phrases",
            xlim=(0.5, max(len(share) + 0.5, ax.get_xlim()[1])),
            ylim=(0, 1.03),
        )
        count_ticks(ax.xaxis)
        # matplotlib's own labels of lines without one are left out.
        lines = [n for n in ax.lines if not n.get_label().startswith("_child")]
        names = [line.get_label() for line in lines]
        name_handles(ax, lines, names, length=60, loc="lower right")
        return self


def _as_counts(counts):
    counts = np.asarray(counts)
    if counts.size and (
        counts.ndim != 1 or counts.dtype.kind not in "iu" or counts.min() < 0
    ):
        raise ValueError(
            "n_clusters_per_phrase must be integers from 0, one for each phrase; got "
            f"dtype {counts.dtype} and shape {counts.shape}."
        )
    return counts.astype(np.intp)  # of floats if there are none

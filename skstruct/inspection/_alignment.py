"""The alignment of one pair of sentences, as a matrix."""

from typing import Self

import numpy as np

from skstruct._validation import as_links, read_bitext_batch
from skstruct.inspection._base import Display, check_sample
from skstruct.inspection._kinds import check_aligner
from skstruct.inspection._tables import as_table
from skstruct.inspection._words import shown

__all__ = ["AlignmentDisplay"]


class AlignmentDisplay(Display):
    """Matrix of a sentence and its translation: probabilities, links and gold links.

    It is recommended to use `from_estimator` or `from_predictions`.

    Parameters
    ----------
    source, target : array-like of str
        Words of both sides, the rows and the columns.
    links : array-like of shape (n_links, 2), default=None
        Positions of linked words (source, target), drawn as dots.
    probabilities : array-like of shape (n_source, n_target), default=None
        Probabilities of links, drawn as colours.
    gold : array-like of shape (n_gold, 2) or (n_gold, 3), default=None
        Gold links, drawn as squares: possible ones, with a third entry 0, dotted.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure
        The figure of it.
    im_ : matplotlib.image.AxesImage or None
        The probabilities; None where a side has no words.
    links_, sure_, possible_ : matplotlib.collections.PathCollection or None
        The marks of links and of gold links; None where there are none.

    See Also
    --------
    AlignedText : Many pairs, as text in a notebook.

    Notes
    -----
    Words stand in the order of reading, from left to right and downwards, whatever the
    direction of their script.

    Examples
    --------
    >>> from skstruct import HMMAligner
    >>> from skstruct.inspection import AlignmentDisplay
    >>> X = [
    ...     (["the", "dog", "barks"], ["canis", "latrat"]),
    ...     (["the", "girl", "sees", "the", "dog"], ["puella", "canem", "videt"]),
    ...     (["the", "girl", "sings"], ["puella", "cantat"]),
    ...     (["the", "dog", "sings"], ["canis", "cantat"]),
    ... ]
    >>> model = HMMAligner().fit(X)
    >>> display = AlignmentDisplay.from_estimator(model, X, sample=2)
    >>> display.probabilities.shape
    (3, 2)
    """

    def __init__(self, source, target, *, links=None, probabilities=None, gold=None):
        self.source = source
        self.target = target
        self.links = links
        self.probabilities = probabilities
        self.gold = gold

    @classmethod
    def from_estimator(
        cls, estimator, X, y=None, *, sample=0, ax=None, **plot_params
    ) -> Self:
        """Show how an aligner aligns one pair.

        Parameters
        ----------
        estimator : fitted aligner
            Such as :class:`~skstruct.HMMAligner`; probabilities are shown if it has
            ``predict_proba``.
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.
        y : Ragged or list-like of links, default=None
            Gold links of all pairs, None where they are unknown.
        sample : int, default=0
            Number of the pair that is shown.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        AlignmentDisplay
            Drawn.

        Raises
        ------
        ValueError
            If X has no such pair, or links are out of range.
        TypeError
            If the estimator has states, classes or clusters: it is no aligner.
        """
        check_aligner(estimator)
        X, _ = read_bitext_batch(X)
        check_sample(sample, len(X))
        pair = X[[sample]]
        probabilities = None
        if hasattr(estimator, "predict_proba"):
            probabilities = estimator.predict_proba(pair)[0]
        return cls(
            *pair[0],
            links=_links(estimator.predict(pair), pair, 0, "links"),
            probabilities=probabilities,
            gold=None if y is None else _links(y, X, sample, "y"),
        ).plot(ax, **plot_params)

    @classmethod
    def from_predictions(
        cls, X, y_pred, *, y_true=None, sample=0, ax=None, **plot_params
    ) -> Self:
        """Show the links of one pair.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.
        y_pred : Ragged or list-like of links
            Links of all pairs, as ``predict`` gives them.
        y_true : Ragged or list-like of links, default=None
            Gold links of all pairs, None where they are unknown.
        sample : int, default=0
            Number of the pair that is shown.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        AlignmentDisplay
            Drawn.

        Raises
        ------
        ValueError
            If X has no such pair, or links are out of range.
        """
        X, _ = read_bitext_batch(X)
        check_sample(sample, len(X))
        return cls(
            *X[sample],
            links=_links(y_pred, X, sample, "y_pred"),
            gold=None if y_true is None else _links(y_true, X, sample, "y_true"),
        ).plot(ax, **plot_params)

    def plot(self, ax=None, *, cmap="Blues", colorbar=True) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        cmap : str or matplotlib Colormap, default="Blues"
            Colours of probabilities.
        colorbar : bool, default=True
            Whether to explain them.

        Returns
        -------
        AlignmentDisplay
            Drawn.

        Raises
        ------
        ValueError
            If there is not one finite probability for each two words, or a link joins
            no two of them.
        """
        known = self.probabilities is not None
        shape = len(self.source), len(self.target)
        table = as_table(
            self.probabilities if known else np.zeros(shape),
            "probabilities",
            ("source words", self.source),
            ("target words", self.target),
        )
        links, gold = self._own_links("links"), self._own_links("gold")
        self._heat_map(
            table,
            shown(self.source),
            shown(self.target),
            ax=ax,
            colorbar=colorbar and known,
            label="probability",
            cmap=cmap,
            vmin=0,
            vmax=1,
            room=0.7 if gold.size else 0,
        )
        sure = gold[:, 2] == 1
        square = {"marker": "s", "s": 110, "fc": "none", "ec": "black", "lw": 1.5}
        self.sure_ = self._mark(gold[sure], "gold, sure", **square)
        self.possible_ = self._mark(gold[~sure], "gold, possible", ls=":", **square)
        self.links_ = self._mark(links, "link", s=35, fc="C1", ec="white")
        if gold.size:
            self.ax_.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
        self.ax_.set(xlabel="Target", ylabel="Source")
        return self

    def _own_links(self, name):
        """Links (source, target, sure) of this pair, as an attribute holds them."""
        sizes = [len(self.source)], [len(self.target)]
        links = _links([getattr(self, name)], sizes, 0, name)
        return np.zeros((0, 3)) if links is None else links

    def _mark(self, links, label, **style):
        if not len(links):
            return None
        source, target = links[:, :2].T
        return self.ax_.scatter(target, source, label=label, zorder=3, **style)


def _links(y, X, sample, name):
    """Links (source, target, sure) of one pair; None where they are unknown."""
    links = as_links(y, X, name)
    sample %= len(links.known)
    if not links.known[sample]:
        return None
    own = links.pair == sample
    return np.column_stack([links.source, links.target, links.sure])[own]

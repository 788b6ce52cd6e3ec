"""Sequences of words with their labels, for notebooks."""

from typing import Self

from skstruct._validation import as_known_labels, as_labels, as_ragged
from skstruct.inspection._html import TextView, colour, escaped
from skstruct.inspection._kinds import check_no_aligner

__all__ = ["TaggedText"]


class TaggedText(TextView):
    """Words with their labels below them, as coloured text in a notebook.

    Each label has a colour. Gold labels stand below the predicted ones; a word is
    framed where both differ, if they are names of the same kind. The nodes of a tree
    stand in one row, in their order.

    Parameters
    ----------
    X : Ragged or list-like of sequences
        Words, or features that carry them.
    y_pred : Ragged or list-like of sequences
        Labels or states, as ``predict`` gives them.
    y_true : Ragged or list-like of sequences, default=None
        Gold labels, None (or -1 among integers) where unknown.
    max_samples : int, default=20
        How many sequences are shown.

    Raises
    ------
    ValueError
        If X has no words, or labels are not as many as words; the message names the
        sequence.

    See Also
    --------
    StateLabelDisplay : Counts of states and gold labels.

    Notes
    -----
    Text runs in the direction of its script, and is escaped. The view needs no
    JavaScript; ``_repr_html_()`` is its source.

    Examples
    --------
    >>> from skstruct.inspection import TaggedText
    >>> view = TaggedText([["the", "dog"], ["Tom & I"]], [["D", "N"], ["N"]])
    >>> view
    TaggedText(2 samples)
    >>> "Tom &amp; I" in view._repr_html_()
    True
    """

    def __init__(self, X, y_pred, *, y_true=None, max_samples=20):
        batch = as_ragged(X)
        if batch.surface.ndim != 1:
            raise ValueError(
                "X holds vectors, not words; features that carry words have tokens= "
                "of Ragged.from_arrays."
            )
        self.X, self.y_pred, self.y_true = X, y_pred, y_true
        self.max_samples = max_samples
        self._batch, self._n_samples = batch, len(batch)
        self._labels = as_known_labels(y_pred, batch, "y_pred")
        self._gold, self._known = None, None
        if y_true is not None:
            self._gold, self._known = as_labels(y_true, batch, "y_true")

    @classmethod
    def from_estimator(cls, estimator, X, y=None, *, max_samples=20) -> Self:
        """Show what a fitted estimator predicts.

        Parameters
        ----------
        estimator : fitted estimator
            One with ``predict``.
        X : Ragged or list-like of sequences
            Words, or features that carry them.
        y : Ragged or list-like of sequences, default=None
            Gold labels, None (or -1 among integers) where unknown.
        max_samples : int, default=20
            How many sequences are shown.

        Returns
        -------
        TaggedText

        Raises
        ------
        TypeError
            If the estimator is an aligner.
        """
        check_no_aligner(estimator)
        return cls(X, estimator.predict(X), y_true=y, max_samples=max_samples)

    def _samples(self):
        labels = self._labels.tolist()
        names = sorted(set(labels), key=str)
        colours = {name: colour(k) for k, name in enumerate(names)}
        gold = [None] * len(labels)
        if self._gold is not None:
            gold = self._gold.tolist()
        comparable = not set(names).isdisjoint(gold)
        words, offsets = self._batch.surface, self._batch.offsets
        for i in range(min(self._n_samples, self.max_samples)):
            tokens = [f"<bdi>{i}</bdi>"]
            for t in range(offsets[i], offsets[i + 1]):
                known = self._known is not None and self._known[t]
                wrong = known and comparable and gold[t] != labels[t]
                below = f"<bdi>{escaped(gold[t])}</bdi>" if known else ""
                tokens.append(
                    f"<span{' class=wrong' * bool(wrong)} "
                    f'style="background: {colours[labels[t]]}">{escaped(words[t])}'
                    f"<bdi>{escaped(labels[t])}</bdi>{below}</span>"
                )
            yield f'<p dir="auto">{"".join(tokens)}</p>'

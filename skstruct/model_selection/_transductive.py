"""Learning and scoring on the same samples."""

from numbers import Integral

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from skstruct._validation import is_unknown

__all__ = ["TransductiveSplit"]


class TransductiveSplit(BaseCrossValidator):
    """Fit on all samples and score on the same: the protocol of unsupervised learning.

    An unsupervised model sees no labels, so it may be scored on the text that it
    learnt from; nothing is held out. Not for supervised models: they would be scored on
    labels that they have seen. Nor for ``cross_val_predict``: use ``fit_predict``.

    Parameters
    ----------
    score_on : {"all", "labelled"}, default="all"
        Score on all samples, or on those with a known label (not None, NaN or -1) or
        with gold links.
        ``fit`` is given all of ``y``: an estimator that does not read labels may warn
        that it ignores those that are known, which is what is meant here.
    n_repeats : int, default=1
        How often to fit. With ``random_state=None`` in the estimator, more repeats show
        the spread over random starts.

    Raises
    ------
    ValueError
        From ``split``, if ``score_on="labelled"`` and there is no label.

    See Also
    --------
    BlockSplit : Hold out parts of one long series.

    Examples
    --------
    >>> from skstruct.model_selection import TransductiveSplit
    >>> X = [["a", "dog"], ["it", "barks"], ["so", "what"]]
    >>> y = [["D", "N"], None, ["R", None]]
    >>> for train, test in TransductiveSplit(score_on="labelled").split(X, y):
    ...     print(train, test)
    [0 1 2] [0 2]
    """

    def __init__(self, score_on="all", *, n_repeats=1):
        self.score_on = score_on
        self.n_repeats = n_repeats

    def split(self, X, y=None, groups=None):
        """Yield the same pair of training and test samples ``n_repeats`` times.

        Parameters
        ----------
        X : Ragged or list-like of sequences
            The samples.
        y : Ragged or list-like of label sequences, default=None
            Gold labels; needed for ``score_on="labelled"``.
        groups : object
            Ignored.

        Yields
        ------
        train, test : ndarray
            Numbers of samples.
        """
        if self.score_on not in ("all", "labelled"):
            raise ValueError(
                f"score_on={self.score_on!r}; expected 'all' or 'labelled'."
            )
        if not isinstance(self.n_repeats, Integral) or self.n_repeats < 1:
            raise ValueError(f"n_repeats={self.n_repeats!r}; expected an integer >= 1.")
        train = test = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
        if self.score_on == "labelled":
            if y is None:
                raise ValueError("score_on='labelled' needs gold labels y; y is None.")
            test = np.flatnonzero([_has_known_label(labels) for labels in y])
            if not test.size:
                raise ValueError("score_on='labelled', but y holds no known label.")
        for _ in range(self.n_repeats):
            yield train.copy(), test.copy()

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return ``n_repeats``; the arguments are ignored."""
        return self.n_repeats


def _has_known_label(labels):
    if getattr(labels, "ndim", 1) > 1 and labels.shape[1] > 1:
        return True  # the links of a sentence pair, if only that there are none
    if hasattr(labels, "__len__") and not isinstance(labels, str):
        return any(np.size(label) > 1 or not is_unknown(label) for label in labels)
    return not is_unknown(labels)

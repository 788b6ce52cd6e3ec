"""Folds for one long series."""

from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import BaseCrossValidator

from skstruct.containers import Ragged

__all__ = ["BlockSplit"]


class BlockSplit(BaseCrossValidator):
    """Cut one long series into blocks and hold out one block at a time.

    Folds are made of whole sequences, so a search over one series has nothing to hold
    out. ``cut`` makes a batch of contiguous blocks of the series; the splitter, as
    ``cv=``, then leaves out one block in each fold.

    Parameters
    ----------
    n_blocks : int, default=5
        Number of blocks, of equal length up to one step.
    gap : int, default=0
        Steps dropped between neighbouring blocks, so that a test block does not begin
        where a training block has just ended.
    forward : bool, default=False
        False: train on all other blocks (``n_blocks`` folds). True: train on earlier
        blocks only (``n_blocks - 1`` folds), as a forecaster must.

    Raises
    ------
    ValueError
        If the series is too short, or ``split`` is given something else than the
        blocks.

    See Also
    --------
    TransductiveSplit : Learn and score on the whole series.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.model_selection import BlockSplit
    >>> series = np.arange(20.0)[:, None]
    >>> cv = BlockSplit(n_blocks=3, gap=1)
    >>> blocks = cv.cut(series)
    >>> [block.ravel().tolist() for block in blocks[[0, 1]]]
    [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [7.0, 8.0, 9.0, 10.0, 11.0, 12.0]]
    >>> for train, test in cv.split(blocks):
    ...     print(train, test)
    [1 2] [0]
    [0 2] [1]
    [0 1] [2]

    ``GridSearchCV(estimator, grid, cv=cv).fit(blocks)`` searches over them; labels are
    cut along by ``blocks, labels = cv.cut(series, y)``. The winner may then learn from
    the uncut series: ``search.best_estimator_.fit([series])``.
    """

    def __init__(self, n_blocks=5, *, gap=0, forward=False):
        self.n_blocks = n_blocks
        self.gap = gap
        self.forward = forward

    def cut(self, X, y=None):
        """Cut a series, and its labels, into blocks.

        Parameters
        ----------
        X : Ragged or list of one sequence, array of shape (T,) or (T, d), or DataFrame
            The series.
        y : Ragged or list of one sequence, or array-like of shape (T,), default=None
            A label for each step.

        Returns
        -------
        blocks : Ragged
            ``n_blocks`` sequences.
        labels : Ragged
            Only with ``y``: their labels.
        """
        self._check()
        series = _read_series(X, "X")
        usable = series.n_tokens - self.gap * (self.n_blocks - 1)
        if usable < self.n_blocks:
            raise ValueError(
                f"A series of {series.n_tokens} steps is too short for "
                f"n_blocks={self.n_blocks} with gap={self.gap} between them."
            )
        offsets = np.arange(self.n_blocks + 1) * usable // self.n_blocks
        block = np.repeat(np.arange(self.n_blocks), np.diff(offsets))
        rows = np.arange(usable) + self.gap * block
        blocks = _take_blocks(series, rows, offsets)
        if y is None:
            return blocks
        labels = _read_series(y, "y")
        if labels.n_tokens != series.n_tokens:
            raise ValueError(
                f"X has {series.n_tokens} steps and y {labels.n_tokens} labels."
            )
        return blocks, _take_blocks(labels, rows, offsets)

    def split(self, X, y=None, groups=None):
        """Yield the training blocks and the test block of each fold.

        Parameters
        ----------
        X : Ragged
            The blocks that ``cut`` returned.
        y, groups : object
            Ignored.

        Yields
        ------
        train, test : ndarray
            Numbers of blocks.
        """
        self._check()
        n = len(X)
        if n != self.n_blocks:
            cut = "X = cv.cut(X)" if y is None else "X, y = cv.cut(X, y)"
            raise ValueError(
                f"BlockSplit(n_blocks={self.n_blocks}) got {n:d} "
                f"sequence{'s' * (n != 1)}. Cut the series first: `{cut}`. For many "
                "sequences use KFold."
            )
        blocks = np.arange(n)
        for test in blocks[int(self.forward) :]:
            train = blocks[:test] if self.forward else np.delete(blocks, test)
            yield train, np.array([test])

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of folds; the arguments are ignored."""
        return self.n_blocks - int(self.forward)

    def _check(self):
        for name, low in (("n_blocks", 2), ("gap", 0)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < low:
                raise ValueError(f"{name}={value!r}; expected an integer >= {low}.")


def _read_series(X, name):
    """A batch of one sequence."""
    if not isinstance(X, Ragged):
        if hasattr(X, "columns"):
            return Ragged([X])
        if hasattr(X, "to_numpy"):
            X = X.to_numpy()
        flat = isinstance(X, np.ndarray) and X.dtype != object
        if flat or sp.issparse(X) or not any(map(_is_sequence, X)):
            X = Ragged.from_lengths(X, [X.shape[0] if hasattr(X, "shape") else len(X)])
        else:
            X = Ragged(X)
    if len(X) != 1:
        raise ValueError(
            f"BlockSplit cuts one long series, and {name} holds {len(X)} sequences; "
            "folds of whole sequences (KFold) suit these."
        )
    return X


def _is_sequence(token):
    return hasattr(token, "__len__") and not isinstance(token, str | bytes | dict)


def _take_blocks(series, rows, offsets):
    tokens = None if series.tokens is None else series.tokens[rows]
    blocks = Ragged.from_arrays(series.values[rows], offsets, tokens=tokens)
    blocks.header = series.header
    if series.source is not None:
        frame, places = series.source
        blocks.source = (frame, places[rows])
    return blocks

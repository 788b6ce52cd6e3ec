"""Where the links of a batch of sentence pairs lie."""

from typing import NamedTuple

import numpy as np

from skstruct.kernels._cells import (
    spread_over_source,
    spread_over_target,
    sum_by_source,
    sum_by_target,
)

__all__ = ["Cells"]


class Cells(NamedTuple):
    """Layout of word alignments: one cell for each possible link.

    Cells are flat and source-major: source word i and target word j of a pair with J
    target words meet in cell ``i * J + j`` of the pair. All models share the layout.

    Attributes
    ----------
    source_lengths, target_lengths : ndarray of shape (n,), dtype intp
        Numbers of words of each pair.
    directions : tuple of str
        What each model does: in a ``"forward"`` one every target word is linked to one
        source word or to none, in a ``"reverse"`` one every source word to one target
        word or to none.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.constraints import Cells
    >>> cells = Cells(np.array([2, 1]), np.array([3, 1]))
    >>> cells.counts
    array([6, 1])
    >>> cells.sum_shared(np.arange(7.0), "forward")  # of each source word
    array([ 3., 12.,  6.])
    """

    source_lengths: np.ndarray
    target_lengths: np.ndarray
    directions: tuple = ("forward", "reverse")

    @property
    def counts(self):
        """Number of cells of each pair, (n,)."""
        return self.source_lengths * self.target_lengths

    def shared_words(self, direction):
        """Numbers of the words that a model may link more than once, (n,)."""
        return self.source_lengths if direction == "forward" else self.target_lengths

    def sum_shared(self, cells, direction):
        """Sum the cells of each word that a model may link more than once.

        Raises
        ------
        ValueError
            If there are not as many values as cells.
        """
        if cells.shape != (size := int(self.counts.sum()),):
            raise ValueError(
                f"Expected one value for each of {size} cells, got an array of shape "
                f"{cells.shape}."
            )
        add = sum_by_source if direction == "forward" else sum_by_target
        return add(cells, self.source_lengths, self.target_lengths)

    def spread_shared(self, words, direction):
        """Give each cell the value of its word that may be linked more than once."""
        spread = spread_over_source if direction == "forward" else spread_over_target
        return spread(words, self.source_lengths, self.target_lengths)

"""From posteriors to links."""

from typing import NamedTuple

import numpy as np

from skstruct.containers import Ragged, offsets_of
from skstruct.estimators._alignment._symmetrization import symmetrize_links
from skstruct.kernels._pairs import link_cells

__all__ = ["Alignment"]


class Alignment(NamedTuple):
    """Posteriors of the links of a text.

    Attributes
    ----------
    source_lengths, target_lengths : ndarray of shape (n,)
        Numbers of words.
    posteriors : dict
        A `LatticePosterior` for "forward", "reverse" or both.
    """

    source_lengths: np.ndarray
    target_lengths: np.ndarray
    posteriors: dict

    @property
    def cells(self):
        """Where the cells of pairs of sentences begin."""
        return offsets_of(self.source_lengths * self.target_lengths)

    @property
    def mean(self):
        """Probability of each link, averaged over directions, (C,) float32."""
        cells = [p.cell for p in self.posteriors.values()]
        return cells[0] if len(cells) == 1 else (cells[0] + cells[1]) / 2

    def links(self, symmetrization, threshold=0.5):
        """Links (source, target) of each pair of sentences, a Ragged."""
        if symmetrization == "mean":
            return self._as_links(self.mean > threshold)
        best = {d: self._best(d) for d in self.posteriors}
        if len(best) == 1:
            if symmetrization not in best:
                raise ValueError(
                    f"symmetrization={symmetrization!r} is not of the one direction "
                    f"that was trained, {next(iter(best))!r}; fit the estimator again."
                )
            return best[symmetrization]
        return symmetrize_links(best["forward"], best["reverse"], symmetrization)

    def _best(self, direction):
        """Each word of the chain with its likeliest link, where that beats none."""
        posterior = self.posteriors[direction]
        sides = offsets_of(self.source_lengths), offsets_of(self.target_lengths)
        states, chain = sides if direction == "forward" else sides[::-1]
        reverse = direction == "reverse"
        return self._as_links(
            link_cells(posterior.cell, posterior.null, states, chain, reverse)
        )

    def _as_links(self, chosen):
        at = np.flatnonzero(chosen)
        pair = np.searchsorted(self.cells, at, side="right") - 1
        links = np.divmod(at - self.cells[pair], self.target_lengths[pair])
        lengths = np.bincount(pair, minlength=len(self.source_lengths))
        return Ragged.from_lengths(np.stack(links, axis=1), lengths)

    def matrices(self):
        """Probabilities of links as matrices (|source|, |target|), an object array."""
        out = np.empty(len(self.source_lengths), dtype=object)
        cells, mean = self.cells, self.mean
        for n, shape in enumerate(
            zip(self.source_lengths.tolist(), self.target_lengths.tolist(), strict=True)
        ):
            out[n] = mean[cells[n] : cells[n + 1]].reshape(shape).astype(float)
        return out

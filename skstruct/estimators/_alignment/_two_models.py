"""Links of a text by two models, each of one direction."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from skstruct._validation import as_links
from skstruct.containers import Ragged
from skstruct.estimators._alignment._decoding import Alignment

__all__ = ["TwoModelAlignment"]


class _Cells(NamedTuple):
    """Probabilities of all links of a text, pair by pair, source-major."""

    cell: np.ndarray


class _Answers(Mapping):
    """What two models say of a text: posteriors by direction, and links.

    A model is asked when its answer is needed, since not every aligner has
    probabilities.
    """

    def __init__(self, bitext, forward, reverse, training):
        self._models = {
            "forward": (forward, bitext),
            "reverse": (reverse, bitext.reversed()),
        }
        self._training = training
        self._posteriors = {}

    def __iter__(self):
        return iter(self._models)

    def __len__(self):
        return len(self._models)

    def __getitem__(self, direction):
        if direction not in self._posteriors:
            self._posteriors[direction] = _Cells(self._cells(direction))
        return self._posteriors[direction]

    def _cells(self, direction):
        model, text = self._models[direction]
        matrices = getattr(model, "posteriors_", None) if self._training else None
        if matrices is None:
            matrices = model.predict_proba(text)
        shapes = zip(
            text.source.lengths.tolist(), text.target.lengths.tolist(), strict=True
        )
        flat = []
        for i, (matrix, shape) in enumerate(zip(matrices, shapes, strict=True)):
            if np.shape(matrix) != shape:
                raise ValueError(
                    f"{model!r} gives probabilities of links in pair {i} as a "
                    f"matrix of shape {np.shape(matrix)}; {shape[0]} source and "
                    f"{shape[1]} target tokens need {shape}."
                )
            flat.append(np.ravel(matrix if direction == "forward" else matrix.T))
        return np.concatenate(flat)

    def links(self, direction):
        """Links (source, target) that the model of a direction decides for."""
        model, text = self._models[direction]
        links = model.links_ if self._training else model.predict(text)
        links = as_links(links, text, f"links of {model!r}")
        columns = [links.source, links.target][:: 1 if direction == "forward" else -1]
        lengths = np.bincount(links.pair, minlength=len(text))
        return Ragged.from_lengths(np.stack(columns, axis=1), lengths)


class TwoModelAlignment(Alignment):
    """Posteriors and links of a text by a model of each direction."""

    __slots__ = ()

    @classmethod
    def of(cls, bitext, forward, reverse, *, training=False):
        """Ask two models, the second of which was fitted to sides swapped.

        Parameters
        ----------
        bitext : Bitext
            The text.
        forward, reverse : estimator
            Fitted aligners.
        training : bool, default=False
            Whether this is their training text, whose own links are wanted.
        """
        answers = _Answers(bitext, forward, reverse, training)
        return cls(bitext.source.lengths, bitext.target.lengths, answers)

    def _best(self, direction):
        return self.posteriors.links(direction)

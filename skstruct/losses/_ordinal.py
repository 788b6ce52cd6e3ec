"""Labels on a line."""

import numpy as np

from skstruct.losses._base import Loss, are_numbers, as_list

__all__ = ["Ordinal"]


class Ordinal(Loss):
    """A loss that grows with the distance of two labels on a line."""

    def values(self, classes):
        """The labels themselves where they are numbers, otherwise their ranks.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels, in rising order.

        Returns
        -------
        ndarray of shape (n_classes,)
            Places on the line.

        Raises
        ------
        ValueError
            If the labels are numbers that do not rise.
        """
        if self.needs_order(classes):
            return np.arange(len(classes), dtype=float)
        labels = as_list(classes)
        values = np.array(labels, dtype=float)
        if not (np.isfinite(values).all() and (np.diff(values) > 0).all()):
            raise ValueError(
                f"{type(self).__name__} reads numbers as places on a line, which must "
                f"be finite and rise from class to class; got {labels!r}. Sort them, "
                "or name the classes by strings to use their ranks."
            )
        return values

    def needs_order(self, classes):
        """Whether someone must say in which order these labels stand.

        Parameters
        ----------
        classes : array-like of shape (n_classes,)
            The labels.

        Returns
        -------
        bool
            True where they are not numbers: others, unseen, may stand between them.
        """
        return not are_numbers(classes)

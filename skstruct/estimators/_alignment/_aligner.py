"""What all aligners that are fitted to a text share."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import ClassVar, Self

from skstruct._base import StructuredEstimator
from skstruct._params import Interval, StrOptions, fit_context
from skstruct.estimators._alignment._predictions import AlignerPredictions

__all__ = ["Aligner"]


class Aligner(AlignerPredictions, StructuredEstimator):
    """Aligner by translations of words; a subclass says where words stand."""

    _parameter_constraints: ClassVar = {
        "update": [StrOptions({"cvb0", "variational", "map"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "lexicon_prior": "no_validation",  # may be large to print
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "store_posteriors": ["boolean"],
        "n_jobs": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
            None,
        ],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None) -> Self:
        """Fit the model to sentences and their translations.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences. Pairs with an empty side are passed over.
        y : object, default=None
            Not read: gold links are for scorers.
        sample_weight : array-like of shape (n,), default=None
            Weights of pairs in all counts; a pair of weight 0 is aligned, no more.

        Returns
        -------
        estimator
            This object, fitted.
        """
        self._replace_fitted(self._train(X, y, sample_weight))
        return self

    @abstractmethod
    def _train(self, X, y, sample_weight):
        """Fitted attributes."""

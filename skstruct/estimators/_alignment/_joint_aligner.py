"""What the aligners that train both directions share."""

from numbers import Integral, Real
from typing import ClassVar

from skstruct._base import StructuredEstimator
from skstruct._params import Interval, StrOptions, fit_context
from skstruct.constraints import Constraint
from skstruct.estimators._alignment._predictions import AlignerPredictions
from skstruct.estimators._alignment._symmetrization import SYMMETRIZATIONS
from skstruct.estimators._alignment._training import (
    LINK_CONSTRAINTS,
    RECONSTRUCTIONS,
    JointTraining,
)

__all__ = ["JointAligner"]


class JointAligner(AlignerPredictions, StructuredEstimator):
    """Aligner of both directions; a subclass says what encodes positions."""

    _parameter_constraints: ClassVar = {
        "reconstruction": [StrOptions(set(RECONSTRUCTIONS)), callable, list, tuple],
        "stem_length": [Interval(Integral, 1, None, closed="left"), list, tuple],
        "update": [StrOptions({"cvb0", "variational", "map"})],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "null_alpha": [Interval(Real, 0, None, closed="neither")],
        "lexicon_prior": "no_validation",  # may be large to print
        "init": [StrOptions({"hmm", "ibm1"})],
        "agreement": [StrOptions({"odds", "product"}), None],
        # Odds to a higher power leave the range of numbers.
        "agreement_strength": [Interval(Real, 0, 10, closed="both")],
        "constraint": [
            StrOptions(set(LINK_CONSTRAINTS)),
            Constraint,
            list,
            tuple,
            None,
        ],
        "symmetrization": [StrOptions({*SYMMETRIZATIONS, "mean"})],
        "threshold": [Interval(Real, 0, 1, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "store_posteriors": ["boolean"],
        "n_jobs": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
            None,
        ],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
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
        fitted = JointTraining(self, X, y, sample_weight).run()
        self._replace_fitted(fitted)
        return self

    def _align(self, bitext):
        return self._model.align(bitext, self.n_jobs)

    def _score_pairs(self, bitext):
        return self._model.score(bitext, self.n_jobs)

    def _decoding(self):
        return self.symmetrization, self.threshold

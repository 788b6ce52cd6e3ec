"""What the aligners that train both directions share."""

from numbers import Integral, Real
from typing import ClassVar

from skstruct._params import Interval, StrOptions
from skstruct.constraints import Constraint
from skstruct.estimators._alignment._aligner import Aligner
from skstruct.estimators._alignment._symmetrization import SYMMETRIZATIONS
from skstruct.estimators._alignment._training import (
    LINK_CONSTRAINTS,
    RECONSTRUCTIONS,
    JointTraining,
)

__all__ = ["JointAligner"]


class JointAligner(Aligner):
    """Aligner of both directions; a subclass says what encodes positions."""

    _parameter_constraints: ClassVar = {
        **Aligner._parameter_constraints,
        "reconstruction": [StrOptions(set(RECONSTRUCTIONS)), callable, list, tuple],
        "stem_length": [Interval(Integral, 1, None, closed="left"), list, tuple],
        "null_alpha": [Interval(Real, 0, None, closed="neither")],
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
    }

    def _train(self, X, y, sample_weight):
        return JointTraining(self, X, y, sample_weight).run()

    def _align(self, bitext):
        return self._model.align(bitext, self.n_jobs)

    def _score_pairs(self, bitext):
        return self._model.score(bitext, self.n_jobs)

    def _decoding(self):
        return self.symmetrization, self.threshold

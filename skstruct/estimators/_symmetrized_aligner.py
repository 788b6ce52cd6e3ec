"""An aligner of one direction, fitted in both."""

from numbers import Real
from typing import ClassVar, Self

from sklearn.base import clone

from skstruct._base import StructuredEstimator
from skstruct._params import HasMethods, Interval, StrOptions, fit_context
from skstruct._validation import read_bitext_batch
from skstruct.estimators._alignment._predictions import (
    AlignerPredictions,
    count_lexicon,
)
from skstruct.estimators._alignment._symmetrization import SYMMETRIZATIONS
from skstruct.estimators._alignment._two_models import TwoModelAlignment
from skstruct.estimators._diagonal_aligner import DiagonalAligner

__all__ = ["SymmetrizedAligner"]


class SymmetrizedAligner(AlignerPredictions, StructuredEstimator):
    r"""Align words by a model of one direction, fitted in both and joined.

    A model of one direction, :math:`p(t \mid s)`, links each target word to at most
    one source word. ``fit`` fits one clone of it to the text and another to the text
    with sides swapped, each by its own objective, and joins their links: by a
    heuristic, or by their mean probability,

    .. math:: \{ (i, j) : \tfrac{1}{2} \big[ p_\to(i \sim j \mid s, t)
        + p_\leftarrow(i \sim j \mid s, t) \big] > \tau \}

    Parameters
    ----------
    aligner : estimator, default=None
        Aligner of one direction, which is cloned. None: :class:`DiagonalAligner`.
    method : str, default="grow-diag-final-and"
        "forward", "reverse", "intersection", "union", "grow-diag", "grow-diag-final"
        and "grow-diag-final-and" as in :func:`symmetrize`; "mean": links whose mean
        probability exceeds ``threshold``, which needs ``predict_proba`` of the aligner.
        An aligner that can store posteriors does so then, since ``links_`` come from
        those of the training text.
    threshold : float, default=0.5
        Bound :math:`\tau` of "mean".

    Attributes
    ----------
    forward_ : estimator
        Fitted to X: links target words to source words.
    reverse_ : estimator
        Fitted to X, and the words of ``lexicon_prior``, with sides swapped. Functions
        among ``features`` are asked of (target word, source word) here.
    links_ : Ragged of arrays of shape (n_links, 2)
        Links ``(source, target)`` of the training text, from 0, sorted.

    Raises
    ------
    ValueError
        If ``aligner`` trains both directions already.

    See Also
    --------
    symmetrize : The heuristics, for links from elsewhere.

    Notes
    -----
    Where both directions are trained together by agreement, as ``HMMAligner`` and
    ``CRFAutoencoderAligner`` do by themselves, links are better.

    References
    ----------
    .. [1] P. Koehn, F. J. Och and D. Marcu (2003). Statistical phrase-based
       translation. NAACL.

    Examples
    --------
    >>> from skstruct import SymmetrizedAligner
    >>> X = [
    ...     (["the", "dog"], ["le", "chien"]),
    ...     (["the", "cat"], ["le", "chat"]),
    ...     (["a", "dog"], ["un", "chien"]),
    ... ] * 3
    >>> model = SymmetrizedAligner().fit(X)
    >>> model.predict([(["the", "cat"], ["le", "chat"])])[0].tolist()
    [[0, 0], [1, 1]]
    """

    def __init__(self, aligner=None, *, method="grow-diag-final-and", threshold=0.5):
        self.aligner = aligner
        self.method = method
        self.threshold = threshold

    _parameter_constraints: ClassVar = {
        "aligner": [HasMethods(["fit", "predict"]), None],
        "method": [StrOptions({*SYMMETRIZATIONS, "mean"})],
        "threshold": [Interval(Real, 0, 1, closed="left")],
    }
    _component_examples: ClassVar = {"aligner": "DiagonalAligner()"}

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None) -> Self:
        """Fit both directions and join the links of the training text.

        Parameters
        ----------
        X : Bitext or list-like of (source tokens, target tokens)
            Sentence pairs.
        y : object, default=None
            Not read; scorers compare gold links.
        sample_weight : array-like of shape (n_pairs,), default=None
            Weights of the pairs, for an aligner that takes them.

        Returns
        -------
        SymmetrizedAligner
            Fitted.
        """
        bitext, _ = read_bitext_batch(X)
        aligner = _one_direction(self.aligner)
        if self.method == "mean" and hasattr(aligner, "store_posteriors"):
            aligner = clone(aligner).set_params(store_posteriors=True)
        elif self.method == "mean" and not hasattr(aligner, "predict_proba"):
            raise ValueError(
                f"method='mean' needs probabilities of links, but {aligner!r} has no "
                "predict_proba; choose another method."
            )
        task = self._init_callback_context(max_subtasks=2)
        task.call_on_fit_task_begin(estimator=self, X=X, y=y)
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        forward = self._fit_direction(
            task.subcontext("forward"), clone(aligner), bitext, weight
        )
        reverse = self._fit_direction(
            task.subcontext("reverse"), _reversed(aligner), bitext.reversed(), weight
        )
        alignment = TwoModelAlignment.of(bitext, forward, reverse, training=True)
        links = alignment.links(*self._decoding())
        task.call_on_fit_task_end(estimator=self, X=X, y=y)
        self._replace_fitted(
            {
                "forward_": forward,
                "reverse_": reverse,
                "links_": links,
                "_lexicon": count_lexicon(bitext, links),
            }
        )
        return self

    def _fit_direction(self, task, aligner, text, weight):
        with task.propagate_callback_context(aligner):
            task.call_on_fit_task_begin(estimator=self, X=text)
            aligner.fit(text, **weight)
            task.call_on_fit_task_end(estimator=self, X=text)
        return aligner

    def _align(self, bitext):
        return TwoModelAlignment.of(bitext, self.forward_, self.reverse_)

    def _decoding(self):
        return self.method, self.threshold

    def _score_pairs(self, bitext):
        logs = self.forward_.score_samples(bitext) * bitext.target.lengths
        logs += self.reverse_.score_samples(bitext.reversed()) * bitext.source.lengths
        return logs, bitext.source.lengths + bitext.target.lengths


def _one_direction(aligner):
    """The aligner to clone; raises if it joins directions by itself."""
    if aligner is None:
        return DiagonalAligner()
    if (
        isinstance(aligner, SymmetrizedAligner)
        or getattr(aligner, "symmetrization", "forward") != "forward"
        or getattr(aligner, "agreement", None) is not None
        or getattr(aligner, "constraint", None) is not None
    ):
        raise ValueError(
            f"aligner={aligner!r} trains both directions by itself. Use it alone, or "
            'set agreement=None, symmetrization="forward" (and no constraint) to have '
            "it fitted in each direction and joined here."
        )
    return aligner


def _reversed(aligner):
    """A clone for the text with sides swapped."""
    aligner = clone(aligner)
    lexicon = getattr(aligner, "lexicon_prior", None)
    if lexicon:
        aligner.set_params(lexicon_prior={(t, s): n for (s, t), n in lexicon.items()})
    return aligner

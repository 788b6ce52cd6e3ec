"""What `AnnealedHMM` warns of."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from skstruct.estimators._sequences._state_names import token_place
from skstruct.estimators._sequences._training_data import warn_of_rows

__all__ = [
    "warn_of_input",
    "warn_of_labels",
    "warn_of_run",
]


def warn_of_input(training):
    """Say that input or parameters are hardly what was meant."""
    e, data = training.estimator, training.data
    if e.supervision == "clamp" and not training._goes_on and not training.labelled:
        warnings.warn(
            "supervision='clamp', but no label is known: y names no states.",
            stacklevel=5,
        )
    warn_of_rows(data, training.names.size, stacklevel=6)
    asked = e.betas is not None or not isinstance(e.beta_min, str)
    blind = not training.guided and training.skew is None
    # Streams are not annealed.
    if training.stream is None and asked and blind and training.betas[0] < 1:
        warnings.warn(
            "Annealing from beta < 1 without a tag dictionary, clamped labels or "
            "skew_from only forgets the start: states become alike, and EM begins "
            "at beta = 1 (see the user guide). beta_min='auto' chooses plain EM.",
            stacklevel=5,
        )


def warn_of_labels(training, allowed, codes):
    """Say that labels contradict the dictionary, and which."""
    index, offsets = training.observations.index, training.data.offsets
    foreign = np.flatnonzero((codes >= 0) & ~allowed[index, codes])
    if foreign.size:
        t = foreign[0]
        word, label = training.data.values[t], training.names.states[codes[t]]
        warnings.warn(
            f"{foreign.size} labels of y contradict tag_dictionary, and win over "
            f"it: first {token_place(t, offsets)}, {word!s} labelled {label!s}.",
            stacklevel=5,
        )


def warn_of_run(training, run):
    """Say what went wrong, or not as far as it should."""
    if run.stopped:
        return
    if run.alike:
        warnings.warn(
            f"All states are identical: they say nothing of the tokens. "
            f"{_why_alike(training)}",
            ConvergenceWarning,
            stacklevel=4,
        )
    elif not run.converged:
        solver = {"em": "EM", "lbfgs": "L-BFGS"}[training.estimator.solver]
        warnings.warn(
            f"{solver} did not converge in {training.estimator.max_iter} iterations; "
            "raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=4,
        )


def _why_alike(training):
    """What to do about states that are identical."""
    tokens = training.observations.rows[training.observations.index]
    if (tokens == tokens[:1]).all():
        return "All tokens of X are the same, so that nothing tells states apart."
    if training.dictionary is not None:
        return (
            f"tag_dictionary lists {training.coverage:.1%} of the tokens, which does "
            "not tell states apart: list more words, or fewer states a word."
        )
    if training.labelled:
        return "The known labels do not tell states apart: label more tokens."
    if training.betas[0] < 1:
        return "Use beta_min=1.0 with random starts (n_init), or a tag dictionary."
    return (
        "Plain EM found no pattern: try more starts (n_init), fewer states "
        "(n_states), or a tag dictionary."
    )

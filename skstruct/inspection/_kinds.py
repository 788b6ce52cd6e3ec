"""Estimators of sentence pairs, and those of anything else, by what they learn."""

__all__ = ["check_aligner", "check_no_aligner"]


def check_aligner(estimator) -> None:
    """Raise if an estimator has states, classes or clusters: aligners have not."""
    for name in ("states_", "classes_", "labels_"):
        if hasattr(estimator, name):
            raise TypeError(
                f"{type(estimator).__name__} has {name}, so it is no aligner and there "
                "are no links to show."
            )


def check_no_aligner(estimator) -> None:
    """Raise if an estimator has links."""
    if hasattr(estimator, "links_"):
        raise TypeError(
            f"{type(estimator).__name__} is an aligner, so there are no states or "
            "labels to show; AlignmentDisplay and AlignedText show links."
        )
